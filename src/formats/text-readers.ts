/** The readers of text formats: bytes are decoded, the text becomes blocks or a table, and all are written the same way. */
import { LecternError } from '../errors.js';
import { readAsciiDoc } from './asciidoc/read-asciidoc.js';
import { composeBlocks } from './flow/compose-blocks.js';
import type { FlowBlock } from './flow/flow-blocks.js';
import { builderFor, finished } from './flow/flow-reader.js';
import type { FormatReader, ReadOptions } from './format-reader.js';
import { readHtml } from './html/read-html.js';
import { readLatex } from './latex/read-latex.js';
import { addCsv } from './read-csv.js';
import { readMarkdown } from './read-markdown.js';
import { readPlainText } from './read-plain-text.js';
import { readWebVtt } from './read-webvtt.js';
import { declaredEncoding, decodeText, isUtf16 } from './text-encoding.js';
import { isWebVtt } from './text-signatures.js';

/** A reader of text: bytes are decoded, blocks written. `read` adds what is missing from them to `losses`. */
function textReader(read: (text: string, options: ReadOptions, losses: string[]) => FlowBlock[]): FormatReader {
  return (bytes, options) => {
    checkText(bytes);
    const builder = builderFor(options);
    const losses: string[] = [];
    return finished(builder, composeBlocks(builder, read(decodeText(bytes, declaredEncoding(bytes)), options, losses)), losses);
  };
}

/** Bytes with zeros that are no UTF-16 are no text: a program, an archive under a wrong name. Throws LecternError `invalid_document`. */
function checkText(bytes: Uint8Array): void {
  if (bytes.subarray(0, 4096).includes(0) && !isUtf16(bytes)) throw new LecternError('invalid_document', 'The file is not text, whatever its name says.');
}

export const readHtmlFile = textReader((text) => readHtml(text));

/** `.txt` and `.md` are one format in the contract; what was not written as markdown stays as its lines are. */
export const readMarkdownFile = textReader((text, { filename }) => (
  /\.(?:txt|text)$/i.test(filename) ? readPlainText(text) : readMarkdown(text)
));

export const readAsciiDocFile = textReader((text, _options, losses) => readAsciiDoc(text, losses));

export const readLatexFile = textReader((text, _options, losses) => readLatex(text, losses));

export const readVttFile = textReader((text) => {
  if (!isWebVtt(text)) throw new LecternError('invalid_document', 'The file is no WebVTT: it does not begin with WEBVTT.');
  return readWebVtt(text);
});

export const readCsvFile: FormatReader = (bytes, options) => {
  checkText(bytes);
  const builder = builderFor(options);
  addCsv(builder, decodeText(bytes));
  return finished(builder);
};
