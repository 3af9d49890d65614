/** The readers of flowing documents: each turns its format into blocks, and all write them the same way. */
import { basename, extname } from 'node:path';
import { DocumentBuilder } from '../document/builder.js';
import type { DoclingDocument } from '../document/model.js';
import { readDocument } from '../document/read-document.js';
import { LecternError } from '../errors.js';
import { readAsciiDoc } from './asciidoc/read-asciidoc.js';
import { addCsv } from './read-csv.js';
import { readEpub } from './read-epub.js';
import type { Block } from './flow/flow-blocks.js';
import { composeBlocks } from './flow/compose-blocks.js';
import { readHtml } from './html/read-html.js';
import { readJats } from './jats/read-jats.js';
import { readLatex } from './latex/read-latex.js';
import { readEml } from './mail/read-eml.js';
import { mailBlocks } from './mail/message.js';
import { readMsg } from './mail/read-msg.js';
import { readMarkdown } from './read-markdown.js';
import { looksLikeCompound } from './office/compound-file.js';
import { readPlainText } from './read-plain-text.js';
import type { FoundPicture, ReadDocument, Reader, ReadOptions } from './format-reader.js';
import { declaredEncoding, decodeText, isUtf16 } from './text-encoding.js';
import { isWebVtt } from './text-signatures.js';
import { readWebVtt } from './read-webvtt.js';

function builderFor({ filename, mimetype, sha256 }: ReadOptions): DocumentBuilder {
  return new DocumentBuilder({ name: basename(filename, extname(filename)), origin: { mimetype, filename, sha256 }, coordOrigin: 'TOPLEFT' });
}

function finished(builder: DocumentBuilder, pictures: FoundPicture[] = [], losses: string[] = []): ReadDocument {
  return { document: builder.document, pictures, losses, pageCount: null };
}

/** A reader of text: bytes are decoded, blocks written. `read` adds what is missing from them to `losses`. */
function textReader(read: (text: string, options: ReadOptions, losses: string[]) => Block[]): Reader {
  return (bytes, options) => {
    checkText(bytes);
    const builder = builderFor(options);
    const losses: string[] = [];
    return finished(builder, composeBlocks(builder, read(decodeText(bytes, declaredEncoding(bytes)), options, losses)), losses);
  };
}

/** What has zeros and is no UTF-16 is no text: a program, an archive under a wrong name. */
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

export const readJatsFile: Reader = (bytes, options) => {
  const builder = builderFor(options);
  return finished(builder, composeBlocks(builder, readJats(bytes)));
};

export const readCsvFile: Reader = (bytes, options) => {
  checkText(bytes);
  const builder = builderFor(options);
  addCsv(builder, decodeText(bytes));
  return finished(builder);
};

export const readEpubFile: Reader = (bytes, options) => {
  const builder = builderFor(options);
  const { blocks, missing } = readEpub(bytes);
  const named = missing.slice(0, 20).map((path) => `The chapter ${path.slice(0, 200)} is missing from the book.`);
  return finished(builder, composeBlocks(builder, blocks), named);
};

export const readMailFile: Reader = async (bytes, options) => {
  const builder = builderFor(options);
  const message = looksLikeCompound(bytes) ? readMsg(bytes) : await readEml(bytes);
  return finished(builder, composeBlocks(builder, mailBlocks(message)), message.losses);
};

/** Pictures are read from the document itself: an address could name any file of this machine. */
function withoutAddresses(document: DoclingDocument): void {
  for (const item of [...document.pictures, ...document.tables, ...document.key_value_items, ...document.form_items, ...document.pages.values()]) {
    if (item.image !== null && !/^data:/i.test(item.image.uri)) item.image = null;
  }
  for (const item of document.texts) if (item.label === 'code' && item.image !== null && !/^data:/i.test(item.image.uri)) item.image = null;
}

/** A document of this service's own JSON, or docling's; its origin stays what it was. */
export const readDoclingFile: Reader = (bytes) => {
  const document = readDocument(decodeText(bytes));
  withoutAddresses(document);
  return { document, pictures: [], losses: [], pageCount: document.pages.size === 0 ? null : document.pages.size };
};
