/** One blob from the registry to the disk: in ranges side by side, to be taken up again after an interruption, its digest checked. */
import { createHash } from 'node:crypto';
import { type FileHandle, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import { LecternError } from '../../errors.js';
import type { BlobPlace, Fetch } from './registry.js';

export interface DownloadOptions {
  /** Where the blob is to lie; beside it, until it is whole, `-lectern-partial` and its state. */
  path: string;
  /** `sha256:HEX`; null where it is not known: nothing is checked then. */
  digest: string | null;
  /** What tells these bytes from others when a download is taken up again; without it the digest. */
  identity?: string;
  size: number;
  /** Asked again when it is refused: signed addresses expire. */
  place: () => Promise<BlobPlace>;
  fetch: Fetch;
  signal: AbortSignal;
  /** Bytes that came since the last call; negative when some must be fetched again. */
  onBytes: (count: number) => void;
  parallel?: number;
  partBytes?: number;
  /** Waits before a new try; tests make it short. */
  pause?: (attempt: number) => Promise<void>;
}

/** Part n covers bytes from n * partBytes; `done` of it lie on the disk. */
interface State {
  digest: string;
  size: number;
  partBytes: number;
  done: number[];
}

const attempts = 6;
/** A connection that brings nothing for so long is given up and begun anew. */
const stallMs = 30_000;
const leastPart = 100_000_000;
const mostPart = 1_000_000_000;
const saveEveryBytes = 64 * 2 ** 20;

export async function downloadBlob(options: DownloadOptions): Promise<void> {
  const { path, digest, size, signal, onBytes } = options;
  const partial = `${path}-lectern-partial`;
  const stateFile = `${partial}.json`;
  const partBytes = options.partBytes ?? Math.min(Math.max(Math.ceil(size / 16), leastPart), mostPart);
  const state = await readState(stateFile, partial, { digest: options.identity ?? digest ?? '', size, partBytes, done: Array.from({ length: Math.ceil(size / partBytes) }, () => 0) });
  onBytes(state.done.reduce((sum, done) => sum + done, 0));
  const file = await open(partial, (await exists(partial)) ? 'r+' : 'w+', 0o644);
  try {
    await file.truncate(size);
    const queue = state.done.map((_, part) => part);
    const save = (): Promise<void> => writeFile(stateFile, JSON.stringify(state));
    // The first failure ends the others: what they have is kept for the next try.
    const failed = new AbortController();
    const all = AbortSignal.any([signal, failed.signal]);
    const worker = async (): Promise<void> => {
      for (let part = queue.shift(); part !== undefined; part = queue.shift()) await fetchPart({ ...options, signal: all }, file, state, part, save);
    };
    const workers = Array.from({ length: Math.min(options.parallel ?? 8, queue.length) }, () => worker().catch((thrown: unknown) => {
      failed.abort(thrown);
      throw thrown;
    }));
    const results = await Promise.allSettled(workers);
    await file.sync();
    await save();
    if (signal.aborted) throw new LecternError('cancelled', 'The download was interrupted; it goes on where it stopped.');
    const broken = results.find((result) => result.status === 'rejected');
    if (broken !== undefined) throw failed.signal.reason ?? broken.reason;
  } finally {
    await file.close();
  }
  await finish(partial, stateFile, path, digest, size, onBytes);
}

/** A digest that does not fit means that the bytes are worthless: they go. */
async function finish(partial: string, stateFile: string, path: string, digest: string | null, size: number, onBytes: (count: number) => void): Promise<void> {
  const actual = digest === null ? null : await digestOf(partial);
  await rm(stateFile, { force: true });
  if (actual !== digest) {
    await rm(partial, { force: true });
    onBytes(-size);
    throw new LecternError('invalid_model', `Digest mismatch, the file must be downloaded again: expected ${digest}, got ${actual}.`);
  }
  await rename(partial, path);
}

export async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path, 'r');
  try {
    for await (const chunk of file.createReadStream({ highWaterMark: 4 * 2 ** 20, autoClose: false })) hash.update(chunk as Buffer);
  } finally {
    await file.close();
  }
  return `sha256:${hash.digest('hex')}`;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(() => true, () => false);
}

/** What an earlier try left, where it is of this very blob; anything odd begins anew. */
async function readState(stateFile: string, partial: string, fresh: State): Promise<State> {
  try {
    const state = JSON.parse(await readFile(stateFile, 'utf8')) as State;
    const fits = state.digest === fresh.digest && state.size === fresh.size && Number.isSafeInteger(state.partBytes) && state.partBytes > 0
      && state.done.length === Math.ceil(state.size / state.partBytes) && state.done.every((done, part) => Number.isSafeInteger(done) && done >= 0 && done <= lengthOf(state, part));
    if (fits && await exists(partial)) return state;
  } catch {
    // No state, or one that was cut in the middle of a write.
  }
  return fresh;
}

function lengthOf({ size, partBytes }: State, part: number): number {
  return Math.min(partBytes, size - part * partBytes);
}

async function fetchPart(options: DownloadOptions, file: FileHandle, state: State, part: number, save: () => Promise<void>): Promise<void> {
  const pause = options.pause ?? ((attempt: number) => setTimeoutPromise(1000 * 2 ** attempt, undefined, { signal: options.signal }));
  for (let attempt = 0; (state.done[part] as number) < lengthOf(state, part); attempt++) {
    const before = state.done[part] as number;
    try {
      await fetchRange(options, file, state, part, save);
    } catch (thrown) {
      if (options.signal.aborted || thrown instanceof LecternError) throw thrown;
      // A download that makes progress may fail any number of times.
      if ((state.done[part] as number) > before) attempt = 0;
      if (attempt >= attempts) throw new LecternError('timeout', `The registry failed ${attempts} times in a row: ${(thrown as Error).message}`, { cause: thrown });
      await pause(attempt);
    }
  }
}

async function fetchRange(options: DownloadOptions, file: FileHandle, state: State, part: number, save: () => Promise<void>): Promise<void> {
  const begin = part * state.partBytes;
  const end = begin + lengthOf(state, part);
  const stalled = new AbortController();
  const timer = setTimeout(() => stalled.abort(new Error('nothing came for 30 s')), stallMs);
  try {
    const { url, headers } = await options.place();
    const at = begin + (state.done[part] as number);
    const response = await options.fetch(url, { headers: { ...headers, range: `bytes=${at}-${end - 1}` }, signal: AbortSignal.any([options.signal, stalled.signal]) });
    // A server without ranges sends everything: of use only for the beginning.
    if (response.status !== 206 && !(response.status === 200 && at === 0)) {
      await response.body?.cancel();
      throw new Error(`the server answered ${response.status}`);
    }
    let unsaved = 0;
    for await (const chunk of response.body ?? []) {
      timer.refresh();
      const done = state.done[part] as number;
      const bytes = (chunk as Uint8Array).subarray(0, end - begin - done);
      if (bytes.length > 0) await file.write(bytes, 0, bytes.length, begin + done);
      state.done[part] = done + bytes.length;
      options.onBytes(bytes.length);
      unsaved += bytes.length;
      if (unsaved >= saveEveryBytes) {
        unsaved = 0;
        await save();
      }
      if (state.done[part] === end - begin) break;
    }
    if (state.done[part] !== end - begin) throw new Error('the connection ended early');
  } finally {
    clearTimeout(timer);
  }
}
