/** Calls of a conversion worker to the main process: installed vision models and the memory of networks. Pixels pass through files that both processes read. */
import { constants } from 'node:fs';
import { open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bitmap } from '../bitmap.js';
import { LecternError } from '../errors.js';
import type { ReadPage } from './port.js';
import type { PageReaders } from './vision-port.js';

/** Sends a call to the main process; rejects with its LecternError. */
export type EngineCall = (verb: string, request: unknown, signal?: AbortSignal) => Promise<unknown>;

interface SharedBitmap {
  file: string;
  width: number;
  height: number;
  stride: number;
}

/** A page of A0 at 200 dpi has 200 MB. */
const maxBitmapBytes = 2 ** 29;
const fileName = /^[0-9]{1,12}\.pixels$/;

/** Networks that a worker opens itself count in the main process's memory budget: it reserves their memory before they run. */
export interface NetworkMemory {
  /** Reserves the memory of this worker's networks until the returned function is called, once. Rejects with `out_of_memory` and `cancelled`. */
  holdNetworks(signal?: AbortSignal): Promise<() => void>;
  /** Reserves the memory while `work` runs; rejects as holdNetworks() and `work` do. */
  withNetworks<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** The worker's half. `directory` is shared with the main process; files written there are deleted when the call has ended. */
export function createRemoteEngine(call: EngineCall, directory: string): PageReaders & NetworkMemory {
  let lastFile = 0;
  let users = 0;
  let holds = 0;

  async function holdNetworks(signal?: AbortSignal): Promise<() => void> {
    // One reservation serves the whole worker: a second call would only cost a round trip to the main process.
    if (users === 0) {
      await call('holdNetworks', {}, signal);
      holds++;
    }
    users++;
    return () => {
      users--;
      if (users > 0) return;
      // After the end of the job the parent has freed it already.
      for (; holds > 0; holds--) void call('freeNetworks', {}).catch(() => undefined);
    };
  }

  async function withBitmap<T>(bitmap: Bitmap, use: (shared: SharedBitmap) => Promise<T>): Promise<T> {
    const file = `${++lastFile}.pixels`;
    const path = join(directory, file);
    const { width, height, stride, data } = bitmap;
    try {
      await writeFile(path, data.subarray(0, stride * height), { mode: 0o600, flag: 'wx' }).catch(refuseFull);
      return await use({ file, width, height, stride });
    } finally {
      await rm(path, { force: true });
    }
  }

  return {
    holdNetworks,
    withNetworks: async (work, signal) => {
      const free = await holdNetworks(signal);
      try {
        return await work();
      } finally {
        free();
      }
    },
    textModels: () => call('textModels', {}) as Promise<{ name: string; languages: string[] | null }[]>,
    readLines: (bitmap, { signal, ...options }) => withBitmap(bitmap, (shared) => call('readLines', { bitmap: shared, options }, signal) as Promise<ReadPage>),
  };
}

function refuseFull(thrown: NodeJS.ErrnoException): never {
  if (thrown.code !== 'ENOSPC') throw thrown;
  throw new LecternError('out_of_memory', 'There is no room for the bitmap of a page.', { cause: thrown });
}

/**
 * The main process's half. It validates every call, because a hostile document may control the worker.
 * Throws `invalid_request` for a malformed call, `model_not_found` where no readers are installed, and whatever the readers throw.
 */
export async function answerEngineCall(
  readers: PageReaders | undefined, verb: string, request: unknown, context: { signal: AbortSignal; directory: string; networks?: { hold(): Promise<void>; free(): void } },
): Promise<unknown> {
  const { signal, directory } = context;
  const fields = record(request);
  switch (verb) {
    case 'holdNetworks':
      await context.networks?.hold();
      return null;
    case 'freeNetworks':
      context.networks?.free();
      return null;
    case 'textModels':
      return readers?.textModels() ?? [];
    case 'readLines': {
      const { dpi, oneLine } = record(fields['options']);
      if (typeof oneLine !== 'boolean' && oneLine !== undefined) throw refused();
      const options = { model: modelName(fields), dpi: whole(dpi, 2400), ...(oneLine === undefined ? {} : { oneLine }), signal };
      if (readers === undefined) throw new LecternError('model_not_found', 'There are no vision models here.');
      return readers.readLines(await readBitmap(directory, fields['bitmap']), options);
    }
    default:
      throw refused();
  }
}

function modelName(fields: Record<string, unknown>): string {
  const { model } = record(fields['options']);
  if (typeof model !== 'string' || model.length > 200) throw refused();
  return model;
}

function refused(): LecternError {
  return new LecternError('invalid_request', 'The worker\'s call is not valid.');
}

function record(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw refused();
  return value as Record<string, unknown>;
}

function whole(value: unknown, most: number): number {
  if (!Number.isSafeInteger(value) || (value as number) < 1 || (value as number) > most) throw refused();
  return value as number;
}

async function readBitmap(directory: string, value: unknown): Promise<Bitmap> {
  const fields = record(value);
  const height = whole(fields['height'], maxBitmapBytes);
  const stride = whole(fields['stride'], maxBitmapBytes);
  const width = whole(fields['width'], Math.floor(stride / 4));
  const { file } = fields;
  if (stride * height > maxBitmapBytes || typeof file !== 'string' || !fileName.test(file)) throw refused();
  // A link is refused: it could lead to a file that only the main process may read.
  const handle = await open(join(directory, file), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => { throw refused(); });
  try {
    const stat = await handle.stat();
    if (!stat.isFile() || stat.size !== stride * height) throw refused();
    const data = new Uint8Array(stat.size);
    const { bytesRead } = await handle.read(data, 0, stat.size, 0);
    if (bytesRead !== stat.size) throw refused();
    return { data, width, height, stride };
  } finally {
    await handle.close();
  }
}
