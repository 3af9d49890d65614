/** Model directories that Lectern may write to, and how files come into one: whole, or not at all. */
import { createReadStream, createWriteStream } from 'node:fs';
import { link, mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { LecternError } from '../errors.js';
import { requireSpace } from '../models/pull/pull.js';
import { shippedModelsDirectory } from '../platform/package-files.js';
import type { Settings } from '../settings/settings.js';
import { progressBar } from './progress-bar.js';
import { expandHome } from './sources.js';

/** Neither the program's own directory, which is replaced with the program, nor a store of Ollama, which is only read. */
export function isOwnDirectory(directory: string): boolean {
  return directory !== shippedModelsDirectory() && !directory.endsWith(`${sep}.ollama${sep}models`);
}

/** What `--into` names, else the first own directory of the settings. Throws `invalid_request` where there is none. */
export function ownDirectory({ models }: Pick<Settings, 'models'>, into: string | undefined): string {
  const found = into === undefined ? models.find(isOwnDirectory) : expandHome(into);
  if (found === undefined) throw new LecternError('invalid_request', 'None of the model directories is Lectern\'s to write to; --into DIRECTORY names one.');
  return found;
}

export interface FileMove {
  from: string;
  to: string;
}

/** Copies or links files that are not there yet, with a progress bar. Throws `out_of_memory` where the disk is too small, `invalid_request`, `cancelled`. */
export async function bringFiles(name: string, moves: FileMove[], links: boolean, signal: AbortSignal): Promise<void> {
  const sizes = await Promise.all(moves.map(({ from }) => stat(from).then(({ size }) => size)));
  const totalBytes = sizes.reduce((sum, size) => sum + size, 0);
  for (const { to } of moves) await mkdir(dirname(to), { recursive: true });
  if (links) {
    for (const { from, to } of moves) await linkFile(from, to);
    return;
  }
  await requireSpace(dirname((moves[0] as FileMove).to), name, totalBytes);
  const bar = progressBar(process.stderr, name);
  let doneBytes = 0;
  try {
    for (const { from, to } of moves) {
      await copyWhole(from, to, signal, (count) => {
        doneBytes += count;
        bar.show({ totalBytes, doneBytes, phase: 'downloading' });
      });
    }
  } finally {
    bar.end();
  }
}

async function linkFile(from: string, to: string): Promise<void> {
  await link(from, to).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'EEXIST') return;
    throw new LecternError('invalid_request', `${from} cannot be linked to ${to} (${cause.code === 'EXDEV' ? 'another file system' : cause.message}): leave out --link.`, { cause });
  });
}

/** Under another name until it is whole. */
async function copyWhole(from: string, to: string, signal: AbortSignal, onBytes: (count: number) => void): Promise<void> {
  const partial = `${to}-lectern-partial`;
  const counted = async function* (chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    for await (const chunk of chunks) {
      yield chunk;
      onBytes(chunk.length);
    }
  };
  try {
    await pipeline(createReadStream(from, { highWaterMark: 2 ** 22 }), counted, createWriteStream(partial), { signal });
    await rename(partial, to);
  } catch (cause) {
    await rm(partial, { force: true });
    signal.throwIfAborted();
    throw new LecternError('forbidden', `${from} cannot be copied to ${to}: ${(cause as Error).message}.`, { cause });
  }
}

/** A signal that Ctrl-C aborts with `cancelled`; `end` gives Ctrl-C back. */
export function interruptible(): { signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const interrupt = (): void => controller.abort(new LecternError('cancelled'));
  process.once('SIGINT', interrupt);
  return { signal: controller.signal, end: () => { process.off('SIGINT', interrupt); } };
}
