/** Mail as it is sent (EML, MIME): headers and encodings decoded, parts put together. */
import PostalMime from 'postal-mime';
import type { Address } from 'postal-mime';
import { LecternError } from '../../errors.js';
import type { MailMessage } from './message.js';

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

/** Throws LecternError `invalid_document`. */
export async function readEml(bytes: Uint8Array): Promise<MailMessage> {
  let email;
  try {
    email = await PostalMime.parse(bytes, { attachmentEncoding: 'arraybuffer', maxNestingDepth: 100, maxRfc822NestingDepth: 5 });
  } catch (cause) {
    throw new LecternError('invalid_document', 'The mail could not be read: its parts are damaged, too many or nested too deep.', { cause });
  }
  if (email.headers.length === 0 || email.html === undefined && email.text === undefined && email.attachments.length === 0 && email.subject === undefined) {
    throw new LecternError('invalid_document', 'The file is no mail: it has no headers.');
  }
  return {
    subject: email.subject ?? '', from: addressText(email.from), to: addresses(email.to), cc: addresses(email.cc), date: email.date ?? '',
    html: email.html ?? '', text: email.text ?? '',
    ...(isCutShort(bytes) && { losses: ['The mail ends before its last part does: it is cut short.'] }),
    attachments: email.attachments.map(({ filename, mimeType, content, contentId }) => {
      const data = typeof content === 'string' ? Buffer.from(content, 'utf8') : content instanceof Uint8Array ? content : new Uint8Array(content);
      return { name: filename ?? '', mimetype: mimeType, sizeBytes: data.length, contentId: (contentId ?? '').replace(/^<|>$/g, ''), bytes: () => data };
    }),
  };
}
