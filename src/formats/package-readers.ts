/** The readers of books, mail, saved pages and RTF: several parts in one file, which become the blocks of one document. */
import { LecternError } from '../errors.js';
import { composeBlocks } from './flow/compose-blocks.js';
import { builderFor, finished } from './flow/flow-reader.js';
import type { FormatReader, ReadDocument, ReadOptions } from './format-reader.js';
import { readHtml } from './html/read-html.js';
import { splitMailbox } from './mail/mailbox.js';
import { mailBlocks, pageBlocks } from './mail/message.js';
import type { MailMessage } from './mail/message.js';
import { readEml } from './mail/read-eml.js';
import { readMsg } from './mail/read-msg.js';
import { looksLikeCompound } from './office/compound-file.js';
import { readEpub } from './read-epub.js';
import { pageOfRtf, rtfOrigin } from './rtf/encapsulated-html.js';
import { readRtf } from './rtf/read-rtf.js';

/** Losses of one kind that are named. */
const mostNamed = 20;

export const readEpubFile: FormatReader = (bytes, options) => {
  const builder = builderFor(options);
  const { blocks, missing } = readEpub(bytes);
  const named = missing.slice(0, mostNamed).map((path) => `The chapter ${path.slice(0, 200)} is missing from the book.`);
  return finished(builder, composeBlocks(builder, blocks), named);
};

export const readMailFile: FormatReader = async (bytes, options) => {
  const builder = builderFor(options);
  const mails = looksLikeCompound(bytes) ? [] : splitMailbox(bytes);
  if (mails.length > 1) return readMailbox(mails, options);
  const message = looksLikeCompound(bytes) ? readMsg(bytes) : await readEml(mails[0] ?? bytes);
  return finished(builder, composeBlocks(builder, mailBlocks(message)), message.losses, message.remarks);
};

/** All messages of a mailbox, each below a heading with its subject. */
async function readMailbox(mails: Uint8Array[], options: ReadOptions): Promise<ReadDocument> {
  const builder = builderFor(options);
  const messages: MailMessage[] = [];
  const losses: string[] = [];
  for (const [index, mail] of mails.entries()) {
    if (options.signal.aborted) throw new LecternError('cancelled');
    try {
      messages.push(await readEml(mail));
    } catch {
      losses.push(`Message ${index + 1} of the mailbox could not be read.`);
    }
  }
  if (messages.length === 0) throw new LecternError('invalid_document', 'No message of the mailbox could be read.');
  const blocks = messages.flatMap((message) => mailBlocks(message, 1));
  losses.splice(mostNamed);
  for (const message of messages) losses.push(...message.losses ?? []);
  return finished(builder, composeBlocks(builder, blocks), losses, [...new Set(messages.flatMap((message) => message.remarks ?? []))]);
}

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
