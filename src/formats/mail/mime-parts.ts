/** The parts of a mail by postal-mime, which takes text without a declared character set for UTF-8 and joins flowed quotations with their marks: both are put right here. */
import PostalMime from 'postal-mime';
import type { Email } from 'postal-mime';
import { declaredEncoding, decode, decodeText, isUtf16 } from '../text-encoding.js';

const limits = { attachmentEncoding: 'arraybuffer', maxNestingDepth: 100, forceRfc822Attachments: true } as const;

/** Of the parser's own parts what is changed before they are collected; its type declarations leave it out. */
interface MimePart {
  contentType: { parsed: { value: string; params: Record<string, string> } };
  content: ArrayBuffer | null;
  /** With angle brackets. */
  contentId?: string;
  headers: { key: string; value: string }[];
  getTextContent: () => string;
}

interface CollectingParser {
  collectNode: (part: MimePart, ...around: unknown[]) => Promise<void>;
}

/** Names under which mail programs send what they know nothing about. */
const undeclared = /^(?:us-ascii|ascii|utf-?8|unknown(?:-8bit)?|x-unknown|default)?$/i;

/** Quote marks at the beginning of a line, and whether it goes on in the next one. */
interface FlowedLine {
  depth: number;
  text: string;
}

/** RFC 3676: lines that end in a space go on in the next line of the same depth; the mark of a signature is a line of its own. */
export function unflowed(text: string, deletesSpace: boolean): string {
  const lines: FlowedLine[] = [];
  let goesOn = false;
  for (const line of text.split(/\r?\n/)) {
    const marks = /^>+/.exec(line)?.[0] ?? '';
    const rest = line.slice(marks.length).replace(/^ /, '');
    const isSignature = rest === '-- ';
    const last = lines.at(-1);
    if (goesOn && last !== undefined && last.depth === marks.length && !isSignature) last.text += rest;
    else lines.push({ depth: marks.length, text: rest });
    goesOn = rest.endsWith(' ') && !isSignature;
    const open = lines.at(-1);
    if (goesOn && deletesSpace && open !== undefined) open.text = open.text.slice(0, -1);
  }
  return lines.map(({ depth, text: words }) => (depth === 0 ? words : `${'>'.repeat(depth)} ${words}`)).join('\n');
}

/** Reads the text of one part as it is meant; returns the encoding that was guessed, or null. */
function prepare(part: MimePart): string | null {
  const { value, params } = part.contentType.parsed;
  if (part.content === null || !/^text\//.test(value)) return null;
  const bytes = new Uint8Array(part.content);
  const { text, guessed } = undeclared.test(params['charset'] ?? '') ? decode(bytes, value === 'text/html' ? declaredEncoding(bytes) : null) : { text: null, guessed: null };
  const flowed = /^flowed$/i.test(params['format'] ?? '');
  if (text === null && !flowed) return null;
  const shown = text ?? decodeText(bytes, params['charset'] ?? null);
  const written = flowed ? unflowed(shown, /^yes$/i.test(params['delsp'] ?? '')) : shown;
  part.getTextContent = () => written;
  return guessed;
}

export interface ParsedMail {
  email: Email;
  /** Encodings that were guessed for text that declares none. */
  guessed: string[];
}

/** Header lines with bytes that are no UTF-8 and declare nothing, in UTF-8. */
function withReadableHead(bytes: Uint8Array, guessed: string[]): Uint8Array {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const ends = ['\r\n\r\n', '\n\n'].map((mark) => text.indexOf(mark)).filter((at) => at >= 0);
  const end = ends.length === 0 ? text.length : Math.min(...ends);
  const head = decode(text.subarray(0, end));
  if (head.guessed === null) return bytes;
  guessed.push(head.guessed);
  return Buffer.concat([Buffer.from(head.text), text.subarray(end)]);
}

/** Rejects as postal-mime does. Mail in UTF-16, as some programs save it, is read as if it had come in UTF-8. */
export async function parseMail(bytes: Uint8Array): Promise<ParsedMail> {
  const guessed: string[] = [];
  const readable = isUtf16(bytes) ? Buffer.from(decodeText(bytes)) : withReadableHead(bytes, guessed);
  const parser = new PostalMime(limits);
  const collecting = parser as unknown as CollectingParser;
  const collect = collecting.collectNode.bind(parser);
  collecting.collectNode = (part, ...around) => {
    const encoding = prepare(part);
    if (encoding !== null) guessed.push(encoding);
    // Saved pages name their pictures by where these came from, not by an identifier.
    const location = part.headers.find(({ key }) => key === 'content-location')?.value.trim();
    if (part.contentId === undefined && location !== undefined && location !== '') part.contentId = `<${location}>`;
    return collect(part, ...around);
  };
  return { email: await parser.parse(readable), guessed: [...new Set(guessed)] };
}
