/** The readers of books, mail, saved pages and RTF: several parts in one file, which become the blocks of one document. */
import { LecternError } from '../errors.js';
import { composeBlocks } from './flow/compose-blocks.js';
import { builderFor, finished } from './flow/flow-reader.js';
import type { FormatReader } from './format-reader.js';
import { readHtml } from './html/read-html.js';
import { mailBlocks, pageBlocks } from './mail/message.js';
import { readEml } from './mail/read-eml.js';
import { readMsg } from './mail/read-msg.js';
import { looksLikeCompound } from './office/compound-file.js';
import { readEpub } from './read-epub.js';
import { pageOfRtf, rtfOrigin } from './rtf/encapsulated-html.js';
import { readRtf } from './rtf/read-rtf.js';

export const readEpubFile: FormatReader = (bytes, options) => {
  const builder = builderFor(options);
  const { blocks, missing } = readEpub(bytes);
  const named = missing.slice(0, 20).map((path) => `The chapter ${path.slice(0, 200)} is missing from the book.`);
  return finished(builder, composeBlocks(builder, blocks), named);
};

export const readMailFile: FormatReader = async (bytes, options) => {
  const builder = builderFor(options);
  const message = looksLikeCompound(bytes) ? readMsg(bytes) : await readEml(bytes);
  return finished(builder, composeBlocks(builder, mailBlocks(message)), message.losses, message.remarks);
};

/** A page with its pictures in one file, as browsers save it. */
export const readMhtmlFile: FormatReader = async (bytes, options) => {
  const builder = builderFor(options);
  const page = await readEml(bytes);
  return finished(builder, composeBlocks(builder, pageBlocks(page)), page.losses, page.remarks);
};

/** A page that a program wrote as RTF is read as the page that it was. */
export const readRtfFile: FormatReader = (bytes, options) => {
  const builder = builderFor(options);
  if (!Buffer.from(bytes.subarray(0, 64)).toString('latin1').trimStart().startsWith('{\\rtf')) throw new LecternError('invalid_document', 'The file is no RTF: it does not begin with {\\rtf.');
  const blocks = rtfOrigin(bytes) === 'html' ? readHtml(pageOfRtf(bytes)) : readRtf(bytes);
  return finished(builder, composeBlocks(builder, blocks));
};
