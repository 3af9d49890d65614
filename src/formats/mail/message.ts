/** A mail as blocks, wherever it came from: subject, who wrote to whom and when, the text, and what is attached. */
import type { FlowBlock, ImageBytes, FlowListEntry } from '../flow/flow-blocks.js';
import { readHtml } from '../html/read-html.js';
import { readPlainText } from '../read-plain-text.js';

export interface MailAttachment {
  name: string;
  mimetype: string;
  /** Null where it is not known: a message in the message has no bytes of its own. */
  sizeBytes: number | null;
  /** Without angle brackets; empty where the text cannot refer to it. */
  contentId: string;
  bytes: ImageBytes;
}

export interface MailMessage {
  subject: string;
  from: string;
  to: string;
  cc: string;
  /** As the message has it, or ISO 8601. */
  date: string;
  html: string;
  text: string;
  /** The body where it is neither page nor plain text. */
  blocks?: FlowBlock[];
  attachments: MailAttachment[];
  /** One sentence for each thing that is missing. */
  losses?: string[];
}

/** Longest list of receivers and longest single line that is written. */
const longestLine = 20_000;

function dateLine(date: string): string {
  const time = date === '' ? Number.NaN : Date.parse(date);
  return Number.isNaN(time) ? date : `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

function sizeText(bytes: number): string {
  return bytes < kibibyte ? `${bytes} bytes` : bytes < mebibyte ? `${Math.round(bytes / kibibyte)} KiB` : `${(bytes / mebibyte).toFixed(1)} MiB`;
}

function bodyBlocks(message: MailMessage, shown: Set<MailAttachment>): FlowBlock[] {
  if (message.html.trim() === '') return message.blocks ?? readPlainText(message.text);
  const image = (address: string): ImageBytes | undefined => {
    const id = /^cid:(.*)$/i.exec(address)?.[1];
    if (id === undefined) return undefined;
    let wanted = id;
    try {
      wanted = decodeURIComponent(id);
    } catch {
      // A lone percent sign stands for itself.
    }
    const found = message.attachments.find(({ contentId, mimetype }) => contentId !== '' && contentId === wanted && mimetype.startsWith('image/'));
    if (found !== undefined) shown.add(found);
    return found?.bytes;
  };
  const blocks = readHtml(message.html, { keepAll: true, layoutTables: true, image });
  return blocks.length > 0 ? blocks : readPlainText(message.text);
}

/** Throws LecternError `too_large`. */
export function mailBlocks(message: MailMessage): FlowBlock[] {
  const lines: [string, string][] = [['From', message.from], ['To', message.to], ['Cc', message.cc], ['Date', dateLine(message.date)]];
  const head = lines.filter(([, value]) => value.trim() !== '').map(([name, value]): FlowBlock => ({
    kind: 'paragraph', runs: [{ text: `${name}:`, bold: true }, { text: ` ${value.slice(0, longestLine)}` }],
  }));
  const shown = new Set<MailAttachment>();
  const body = bodyBlocks(message, shown);
  const entries = message.attachments.filter((attachment) => !shown.has(attachment)).map(({ name, mimetype, sizeBytes }): FlowListEntry => ({
    runs: [{ text: `${name === '' ? 'without a name' : name} (${mimetype}${sizeBytes === null ? '' : `, ${sizeText(sizeBytes)}`})` }], blocks: [],
  }));
  const attached: FlowBlock[] = entries.length === 0 ? [] : [{ kind: 'heading', level: 1, runs: [{ text: 'Attachments' }] }, { kind: 'list', entries }];
  return [...(message.subject.trim() === '' ? [] : [{ kind: 'title', runs: [{ text: message.subject.replace(/\s+/g, ' ') }] } as FlowBlock]), ...head, ...body, ...attached];
}
