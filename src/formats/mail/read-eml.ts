/** Mail as it is sent (EML, MIME): headers and encodings decoded, parts put together. */
import type { Address, Email } from 'postal-mime';
import { LecternError } from '../../errors.js';
import { guessRemark } from '../text-encoding.js';
import type { MailAttachment, MailMessage } from './message.js';
import { parseMail } from './mime-parts.js';
import type { ParsedMail } from './mime-parts.js';

function addressText(address: Address | undefined): string {
  if (address === undefined) return '';
  if (address.group !== undefined) return `${address.name}: ${address.group.map(addressText).join(', ')}`;
  return address.name === '' || address.name === address.address ? address.address : `${address.name} <${address.address}>`;
}

const addresses = (list: Address[] | undefined): string => (list ?? []).map(addressText).filter((text) => text !== '').join(', ');

/** Whether a mail of several parts ends before its last one does: the line that closes them is missing. */
function isCutShort(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = text.toString('latin1', 0, 64 * 1024).split(/\r?\n\r?\n/, 1)[0] ?? '';
  const boundary = /^content-type:\s*multipart\/[^]*?boundary=(?:"([^"\r\n]{1,200})"|([^\s;"]{1,200}))/im.exec(head);
  return boundary !== null && !text.includes(`--${boundary[1] ?? boundary[2] ?? ''}--`, 0, 'latin1');
}

/** Messages in messages: deeper ones are attachments. */
const deepestMessage = 5;

type EmailAttachment = Email['attachments'][number];

function bytesOf({ content }: EmailAttachment): Uint8Array {
  return typeof content === 'string' ? Buffer.from(content, 'utf8') : content instanceof Uint8Array ? content : new Uint8Array(content);
}

const isCalendar = ({ mimeType }: EmailAttachment): boolean => mimeType === 'text/calendar' || mimeType === 'application/ics';

/** The messages within a message; one that cannot be read stays an attachment. */
async function innerMessages(email: Email, depth: number): Promise<{ messages: MailMessage[]; rest: EmailAttachment[] }> {
  const messages: MailMessage[] = [];
  const rest: EmailAttachment[] = [];
  for (const attachment of email.attachments) {
    if (attachment.mimeType !== 'message/rfc822' || depth >= deepestMessage) {
      rest.push(attachment);
      continue;
    }
    try {
      messages.push(await readEml(bytesOf(attachment), depth + 1));
    } catch {
      rest.push(attachment);
    }
  }
  return { messages, rest };
}

function attachmentOf(attachment: EmailAttachment): MailAttachment {
  const data = bytesOf(attachment);
  return {
    name: attachment.filename ?? '', mimetype: attachment.mimeType, sizeBytes: data.length,
    contentId: (attachment.contentId ?? '').replace(/^<|>$/g, ''), bytes: () => data,
  };
}

/** Throws LecternError `invalid_document`. `depth` counts the messages around it. */
export async function readEml(bytes: Uint8Array, depth = 0): Promise<MailMessage> {
  let parsed: ParsedMail;
  try {
    parsed = await parseMail(bytes);
  } catch (cause) {
    throw new LecternError('invalid_document', 'The mail could not be read: its parts are damaged, too many or nested too deep.', { cause });
  }
  const { email, guessed } = parsed;
  if (email.headers.length === 0 || email.html === undefined && email.text === undefined && email.attachments.length === 0 && email.subject === undefined) {
    throw new LecternError('invalid_document', 'The file is no mail: it has no headers.');
  }
  const { messages, rest } = await innerMessages(email, depth);
  return {
    subject: email.subject ?? '', from: addressText(email.from), to: addresses(email.to), cc: addresses(email.cc), date: email.date ?? '',
    html: email.html ?? '', text: email.text ?? '',
    losses: [...(isCutShort(bytes) ? ['The mail ends before its last part does: it is cut short.'] : []), ...messages.flatMap(({ losses = [] }) => losses)],
    remarks: [...guessed.map(guessRemark), ...messages.flatMap(({ remarks = [] }) => remarks)],
    attachments: rest.filter((attachment) => !isCalendar(attachment)).map(attachmentOf),
    calendars: rest.filter(isCalendar).map((attachment) => Buffer.from(bytesOf(attachment)).toString('utf8')),
    messages,
  };
}
