/** A mail as blocks, wherever it came from: subject, who wrote to whom and when, the text, and what is attached. */
import type { FlowBlock, ImageBytes, FlowListEntry } from '../flow/flow-blocks.js';
import { readCalendar } from '../calendar/read-calendar.js';
import { readHtml } from '../html/read-html.js';
import type { HtmlReaderOptions } from '../html/read-html.js';
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
  /** Invitations: the text of each calendar part. */
  calendars?: string[];
  /** Messages that came within this one. */
  messages?: MailMessage[];
  /** One sentence for each thing that is missing. */
  losses?: string[];
  /** One sentence for each thing to know beside a message that is whole. */
  remarks?: string[];
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

/** Quotations in quotations: deeper marks stay in the text. */
const deepestQuote = 40;

/** Plain text of which lines behind `>` are quoted. */
export function readMailText(text: string, depth = 0): FlowBlock[] {
  const blocks: FlowBlock[] = [];
  let open: string[] = [];
  let isQuoted = false;
  const close = (): void => {
    const part = open.join('\n');
    open = [];
    if (isQuoted) blocks.push({ kind: 'quote', blocks: readMailText(part, depth + 1) });
    else for (const block of readPlainText(part)) blocks.push(block);
  };
  for (const line of text.replace(/\r\n?/g, '\n').split('\n')) {
    const quoted = depth < deepestQuote && line.startsWith('>');
    if (quoted !== isQuoted) {
      close();
      isQuoted = quoted;
    }
    open.push(quoted ? line.slice(1).replace(/^ /, '') : line);
  }
  close();
  return blocks;
}

function bodyBlocks(message: MailMessage, shown: Set<MailAttachment>, options: HtmlReaderOptions = { keepAll: true, layoutTables: true }): FlowBlock[] {
  if (message.html.trim() === '') return message.blocks ?? readMailText(message.text);
  const image = (address: string): ImageBytes | undefined => {
    // `cid:` names a part by its identifier; other addresses may be where a part of a saved page came from.
    const id = /^cid:(.*)$/i.exec(address)?.[1] ?? address;
    let wanted = id;
    try {
      wanted = decodeURIComponent(id);
    } catch {
      // A lone percent sign stands for itself.
    }
    const found = message.attachments.find(({ contentId, mimetype }) => contentId !== '' && (contentId === wanted || contentId === id) && mimetype.startsWith('image/'));
    if (found !== undefined) shown.add(found);
    return found?.bytes;
  };
  const blocks = readHtml(message.html, { ...options, image });
  return blocks.length > 0 ? blocks : readMailText(message.text);
}

/** The page that was saved as a message, without the lines of a letter; its pictures are parts of the message. */
export function pageBlocks(message: MailMessage): FlowBlock[] {
  return bodyBlocks(message, new Set(), {});
}

/** A message that came within another is a part of it below a heading of `level`. Throws LecternError `too_large`. */
export function mailBlocks(message: MailMessage, level = 0): FlowBlock[] {
  const lines: [string, string][] = [['From', message.from], ['To', message.to], ['Cc', message.cc], ['Date', dateLine(message.date)]];
  const head = lines.filter(([, value]) => value.trim() !== '').map(([name, value]): FlowBlock => ({
    kind: 'paragraph', runs: [{ text: `${name}:`, bold: true }, { text: ` ${value.slice(0, longestLine)}` }],
  }));
  const shown = new Set<MailAttachment>();
  const body = bodyBlocks(message, shown);
  const entries = message.attachments.filter((attachment) => !shown.has(attachment)).map(({ name, mimetype, sizeBytes }): FlowListEntry => ({
    runs: [{ text: `${name === '' ? 'without a name' : name} (${mimetype}${sizeBytes === null ? '' : `, ${sizeText(sizeBytes)}`})` }], blocks: [],
  }));
  const attached: FlowBlock[] = entries.length === 0 ? [] : [{ kind: 'heading', level: level + 1, runs: [{ text: 'Attachments' }] }, { kind: 'list', entries }];
  const subject = [{ text: message.subject.trim() === '' && level > 0 ? 'Message without a subject' : message.subject.replace(/\s+/g, ' ') }];
  const title: FlowBlock[] = subject[0]?.text.trim() === '' ? [] : [level === 0 ? { kind: 'title', runs: subject } : { kind: 'heading', level, runs: subject }];
  const calendars = (message.calendars ?? []).flatMap((text) => readCalendar(text, level + 1));
  const inner = (message.messages ?? []).flatMap((one) => mailBlocks(one, level + 1));
  return [...title, ...head, ...body, ...calendars, ...inner, ...attached];
}
