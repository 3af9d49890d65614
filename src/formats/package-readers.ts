/** The readers of books and mail: several parts in one file, which become the blocks of one document. */
import { composeBlocks } from './flow/compose-blocks.js';
import { builderFor, finished } from './flow/flow-reader.js';
import type { FormatReader } from './format-reader.js';
import { mailBlocks } from './mail/message.js';
import { readEml } from './mail/read-eml.js';
import { readMsg } from './mail/read-msg.js';
import { looksLikeCompound } from './office/compound-file.js';
import { readEpub } from './read-epub.js';

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
