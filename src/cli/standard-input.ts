/** A document on standard input, for `lectern convert -`: kept in a file, since readers go back and forth in one. */
import { createWriteStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { LecternError } from '../errors.js';

/** The word among the documents that stands for it. */
export const standardInput = '-';

/** Its name where the user gives none: its format is known by its bytes alone then. */
export const usualName = 'stdin';

/** Throws `invalid_request` where nothing can come, at a terminal only keys would, and `invalid_document` where nothing came: what should have sent it has failed. */
export async function saveStandardInput(path: string, signal: AbortSignal): Promise<void> {
  if (process.stdin.isTTY) throw new LecternError('invalid_request', 'Standard input is the terminal: pipe a document into it, or name a file.');
  await mkdir(dirname(path), { recursive: true });
  try {
    await pipeline(process.stdin, createWriteStream(path), { signal });
  } catch (cause) {
    signal.throwIfAborted();
    throw new LecternError('invalid_request', `Standard input cannot be read: ${(cause as Error).message}.`, { cause });
  }
  if ((await stat(path)).size === 0) throw new LecternError('invalid_document', 'Standard input is empty.');
}
