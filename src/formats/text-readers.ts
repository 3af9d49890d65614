/** The readers of text formats: bytes are decoded, the text becomes blocks or a table, and all are written the same way. */
import { LecternError } from '../errors.js';
import { readAsciiDoc } from './asciidoc/read-asciidoc.js';
import { space } from './character-codes.js';
import { composeBlocks } from './flow/compose-blocks.js';
import type { FlowBlock } from './flow/flow-blocks.js';
import { builderFor, finished } from './flow/flow-reader.js';
import type { FormatReader, ReadDocument, ReadOptions } from './format-reader.js';
import { readHtml } from './html/read-html.js';
import { readLatex } from './latex/read-latex.js';
import { addCsvParts } from './csv-chunks.js';
import { addCsv } from './read-csv.js';
import { readMarkdown } from './read-markdown.js';
import { readPlainText } from './read-plain-text.js';
import { declaredEncoding, decode, guessRemark, isUtf16 } from './text-encoding.js';

/** A reader of text: bytes are decoded, blocks written. `read` adds what is missing from them to `losses`. */
export function textReader(read: (text: string, options: ReadOptions, losses: string[]) => FlowBlock[]): FormatReader {
  return (bytes, options) => {
    checkText(bytes);
    const builder = builderFor(options);
    const losses: string[] = [];
    const { text, guessed } = decode(bytes, declaredEncoding(bytes));
    const remarks = guessed === null ? [] : [guessRemark(guessed)];
    return finished(builder, composeBlocks(builder, read(withoutZeros(text), options, losses)), losses, remarks);
  };
}

/** Longest text in bytes: a string of JavaScript holds 2^29 - 24 characters. */
const longestText = 500 * 1024 * 1024;

/** Bytes by which a text is distinguished from a program or an archive under a wrong name. */
const checkedBytes = 4096;
/** Share of control characters, beyond the first, from which bytes with zeros are no text: of random bytes 0.1, of programs more, of a text with a stray zero far less. */
const mostControls = 0.05;

/** Control characters that texts hold: tab, line feed, form feed, carriage return, escape. */
const textControls = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b]);

function isControl(byte: number): boolean {
  return byte < space && !textControls.has(byte);
}

/** Throws LecternError `invalid_document` for bytes with zeros that are neither UTF-16 nor strays in a text, and `too_large`. */
function checkText(bytes: Uint8Array, most = longestText): void {
  if (bytes.length > most) throw new LecternError('too_large', 'The text is longer than 500 MiB.');
  const sample = bytes.subarray(0, checkedBytes);
  if (!sample.includes(0) || isUtf16(bytes)) return;
  if (sample.filter(isControl).length - 1 > sample.length * mostControls) throw new LecternError('invalid_document', 'The file is not text, whatever its name says.');
}

/** A stray zero is no character of a text; many programs cannot even store it. */
function withoutZeros(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '') : text;
}

export const readHtmlFile = textReader((text) => readHtml(text));

/** `.txt` and `.md` are one format in the contract; what was not written as markdown stays as its lines are. */
export const readMarkdownFile = textReader((text, { filename }) => (
  /\.(?:txt|text)$/i.test(filename) ? readPlainText(text) : readMarkdown(text)
));

export const readAsciiDocFile = textReader((text, _options, losses) => readAsciiDoc(text, losses));

export const readLatexFile = textReader((text, _options, losses) => readLatex(text, losses));

/** Bytes of a table from which it is not read as one: its cells would be more than a table may hold, unless they are long. */
const longestTable = 64 * 1024 * 1024;

function inParts(bytes: Uint8Array, named: string | null, options: ReadOptions): ReadDocument {
  const builder = builderFor(options);
  const remarks = addCsvParts(builder, bytes, named, options);
  return finished(builder, [], [], remarks);
}

export const readCsvFile: FormatReader = (bytes, options) => {
  checkText(bytes, Infinity);
  const named = /\.(?:tsv|tab)$/i.test(options.filename) ? '\t' : null;
  if (bytes.length > longestTable) return inParts(bytes, named, options);
  const builder = builderFor(options);
  const { text, guessed } = decode(bytes);
  try {
    addCsv(builder, withoutZeros(text), named);
  } catch (error) {
    if (error instanceof LecternError && error.code === 'too_large') return inParts(bytes, named, options);
    throw error;
  }
  return finished(builder, [], [], guessed === null ? [] : [guessRemark(guessed)]);
};
