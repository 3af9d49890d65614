/** Mail as Outlook keeps it (MSG): the properties of a compound file as a message. */
import msgreader from '@kenjiuno/msgreader';
import type { FieldsData } from '@kenjiuno/msgreader';
import { LecternError } from '../../errors.js';
import { pageOfRtf, rtfOrigin, textOfRtf } from '../rtf/encapsulated-html.js';
import { readRtf } from '../rtf/read-rtf.js';
import { unpackRtf } from '../rtf/compressed-rtf.js';
import { chainsEnd } from '../office/compound-chains.js';
import { declaredEncoding, decodeText } from '../text-encoding.js';
import type { MailAttachment, MailMessage } from './message.js';

// The package is CommonJS, and its class hides behind `default`.
const Reader = msgreader.default;
type Reader = InstanceType<typeof Reader>;

/** Names and addresses of one kind of receivers; an address of Exchange's own directory is left out: it has no meaning outside. */
function receivers(fields: FieldsData, kind: 'to' | 'cc'): string {
  const people = (fields.recipients ?? []).filter(({ recipType }) => recipType === kind);
  return people.map(({ name, smtpAddress, email }) => person(name, smtpAddress ?? email)).filter((text) => text !== '').join(', ');
}

function person(name: string | undefined, address: string | undefined): string {
  const mail = address?.includes('@') === true ? address : '';
  if (name === undefined || name === '' || name === mail) return mail;
  return mail === '' ? name : `${name} <${mail}>`;
}

function htmlOf(fields: FieldsData): string {
  if (fields.bodyHtml !== undefined) return fields.bodyHtml;
  return fields.html === undefined ? '' : decodeText(fields.html, declaredEncoding(fields.html));
}

/** As much RTF as a mail's body may be. */
const mostRtfBytes = 32 * 1024 * 1024;

/** The body that is kept as RTF only, and what it was made from; the plain text stands for one that cannot be read. Throws `invalid_document`, `too_large`. */
function rtfBody(packed: Uint8Array, text: string): Pick<MailMessage, 'html' | 'text' | 'blocks'> {
  try {
    const rtf = unpackRtf(packed, mostRtfBytes);
    const origin = rtfOrigin(rtf);
    if (origin === 'html') return { html: pageOfRtf(rtf), text };
    if (origin === 'text') return { html: '', text: text === '' ? textOfRtf(rtf) : text };
    const blocks = readRtf(rtf);
    return { html: '', text, ...(blocks.length > 0 && { blocks }) };
  } catch (error) {
    if (text.trim() === '') throw error;
    return { html: '', text };
  }
}

function bodyOf(fields: FieldsData): Pick<MailMessage, 'html' | 'text' | 'blocks'> {
  const [html, text] = [htmlOf(fields), fields.body ?? ''];
  return html.trim() === '' && fields.compressedRtf !== undefined && fields.compressedRtf.length > 0 ? rtfBody(fields.compressedRtf, text) : { html, text };
}

function attachmentOf(reader: Reader, fields: FieldsData): MailAttachment {
  const name = fields.fileName ?? fields.fileNameShort ?? fields.name ?? '';
  return {
    name, mimetype: fields.attachMimeTag ?? (fields.innerMsgContent === true ? 'message/rfc822' : 'application/octet-stream'), sizeBytes: fields.innerMsgContent === true ? null : fields.contentLength ?? 0,
    contentId: (fields.pidContentId ?? '').replace(/^<|>$/g, ''), bytes: () => reader.getAttachment(fields).content,
  };
}

/** Throws LecternError `invalid_document`, `too_large`. */
export function readMsg(bytes: Uint8Array): MailMessage {
  const damaged = (cause?: unknown): LecternError => new LecternError('invalid_document', 'The file is no mail of Outlook, or it is damaged.', { cause });
  if (!chainsEnd(bytes)) throw damaged();
  let reader: Reader;
  let fields: FieldsData;
  try {
    reader = new Reader(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    fields = reader.getFileData();
  } catch (cause) {
    throw damaged(cause);
  }
  if (fields.error !== undefined || fields.dataType !== 'msg') throw damaged(fields.error);
  return messageOf(reader, fields, 0);
}

/** Messages in messages: deeper ones are attachments. */
const deepestMessage = 5;

/** Throws LecternError `invalid_document`, `too_large`. */
function messageOf(reader: Reader, fields: FieldsData, depth: number): MailMessage {
  const attachments = fields.attachments ?? [];
  const inner = depth < deepestMessage ? attachments.filter(({ innerMsgContentFields }) => innerMsgContentFields !== undefined) : [];
  return {
    messages: inner.map(({ innerMsgContentFields }) => messageOf(reader, innerMsgContentFields as FieldsData, depth + 1)),
    subject: fields.subject ?? '', from: person(fields.senderName, fields.senderSmtpAddress ?? fields.senderEmail), to: receivers(fields, 'to'), cc: receivers(fields, 'cc'),
    date: fields.messageDeliveryTime ?? fields.clientSubmitTime ?? '', ...bodyOf(fields),
    attachments: attachments.filter((attachment) => !inner.includes(attachment)).map((attachment) => attachmentOf(reader, attachment)),
  };
}
