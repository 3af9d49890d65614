/** The readers of books, mail, saved pages and RTF: several parts in one file, which become the blocks of one document. */
import { LecternError } from '../errors.js';
import { composeBlocks } from './flow/compose-blocks.js';
import { builderFor, finished } from './flow/flow-reader.js';
import type { FormatReader, FoundPicture, ReadDocument, ReadOptions } from './format-reader.js';
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
/** Messages of a mailbox between two signs of life. */
const aliveEvery = 256;

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

/** All messages of a mailbox, each below a heading with its subject. One after the other becomes a part of the document: a mailbox may hold tens of thousands. */
async function readMailbox(mails: Uint8Array[], options: ReadOptions): Promise<ReadDocument> {
  const builder = builderFor(options);
  const [pictures, unreadable, losses, remarks]: [FoundPicture[], string[], string[], Set<string>] = [[], [], [], new Set()];
  for (const [index, mail] of mails.entries()) {
    if (options.signal.aborted) throw new LecternError('cancelled');
    if (index % aliveEvery === 0) options.alive();
    let message: MailMessage;
    try {
      message = await readEml(mail);
    } catch {
      unreadable.push(`Message ${index + 1} of the mailbox could not be read.`);
      continue;
    }
    for (const picture of composeBlocks(builder, mailBlocks(message, 1))) pictures.push(picture);
    losses.push(...message.losses ?? []);
    for (const remark of message.remarks ?? []) remarks.add(remark);
  }
  if (unreadable.length === mails.length) throw new LecternError('invalid_document', 'No message of the mailbox could be read.');
  return finished(builder, pictures, [...unreadable.slice(0, mostNamed), ...losses], [...remarks]);
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
