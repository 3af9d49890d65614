/** The engine from a worker's place: verbs go to the main process, pixels and tensors through files both can read. */
import { constants } from 'node:fs';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bitmap } from '../bitmap.js';
import { LecternError } from '../errors.js';
import type { ReadPage, ResizeOptions, VisionEngine } from './port.js';
import type { LayoutRegion, PageReaders, TableCells } from './vision-port.js';

/** Asks the main process; rejects with its LecternError. */
export type EngineCall = (verb: string, request: unknown, signal?: AbortSignal) => Promise<unknown>;

interface SharedBitmap {
  file: string;
  width: number;
  height: number;
  stride: number;
}

/** A page of A0 at 200 dpi has 200 MB. */
const maxBitmapBytes = 2 ** 29;
/** Floats of one answer; a network's input has some millions. */
const maxFloats = 2 ** 26;
const fileName = /^[0-9]{1,12}\.pixels$/;

/** What a worker asks before it works with networks that it has opened itself, for they count in the main process's memory of models. */
export interface NetworkMemory {
  /** Holds the memory of this worker's networks until what it resolves to is called, once. Rejects with `out_of_memory` where it cannot be had, `cancelled`. */
  holdNetworks(signal?: AbortSignal): Promise<() => void>;
  /** As holdNetworks() while `work` runs; rejects as `work`, too. */
  withNetworks<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** The worker's half. `directory` is shared with the main process; what is written there is deleted when the call has ended. */
export function createRemoteEngine(call: EngineCall, directory: string): VisionEngine & PageReaders & NetworkMemory {
  let lastFile = 0;
  let users = 0;
  let holds = 0;

  async function holdNetworks(signal?: AbortSignal): Promise<() => void> {
    // What is held is held for all of this worker: asking again would only take the time of a way to the main process and back.
    if (users === 0) {
      await call('holdNetworks', {}, signal);
      holds++;
    }
    users++;
    return () => {
      users--;
      if (users > 0) return;
      // Where the job has ended, the parent has seen it.
      for (; holds > 0; holds--) void call('freeNetworks', {}).catch(() => undefined);
    };
  }

  async function withBitmap<T>(bitmap: Bitmap, ask: (shared: SharedBitmap) => Promise<T>): Promise<T> {
    const file = `${++lastFile}.pixels`;
    const path = join(directory, file);
    const { width, height, stride, data } = bitmap;
    try {
      await writeFile(path, data.subarray(0, stride * height), { mode: 0o600, flag: 'wx' }).catch(refuseFull);
      return await ask({ file, width, height, stride });
    } finally {
      await rm(path, { force: true });
    }
  }

  return {
    deskewAngle: (bitmap, options) => withBitmap(bitmap, async (shared) => {
      const angle = await call('deskewAngle', { bitmap: shared }, options?.signal);
      if (typeof angle !== 'number') throw new LecternError('internal');
      return angle;
    }),
    resizeImage: (bitmap, { signal, ...options }) => withBitmap(bitmap, async (shared) => {
      const path = join(directory, `${shared.file}.floats`);
      try {
        await call('resizeImage', { bitmap: shared, options }, signal);
        // A copy of its own: a file's bytes may begin anywhere in Node's pool.
        return new Float32Array(Uint8Array.from(await readFile(path)).buffer);
      } finally {
        await rm(path, { force: true });
      }
    }),
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
    findLayout: (bitmap, { signal, ...options }) => withBitmap(bitmap, (shared) => call('findLayout', { bitmap: shared, options }, signal) as Promise<LayoutRegion[]>),
    findTableCells: (bitmap, { signal, ...options }) => withBitmap(bitmap, (shared) => call('findTableCells', { bitmap: shared, options }, signal) as Promise<TableCells>),
  };
}

function refuseFull(thrown: NodeJS.ErrnoException): never {
  if (thrown.code !== 'ENOSPC') throw thrown;
  throw new LecternError('out_of_memory', 'There is no room for the bitmap of a page.', { cause: thrown });
}

/**
 * The main process's half: checks what a worker asks, since a stranger's file may have taken the worker over, and asks the engine.
 * Throws `invalid_request` for anything that is no well-formed call, else what the engine throws.
 */
export async function answerEngineCall(
  engine: VisionEngine & Partial<PageReaders>, verb: string, request: unknown, context: { signal: AbortSignal; directory: string; networks?: { hold(): Promise<void>; free(): void } },
): Promise<unknown> {
  const { signal, directory } = context;
  const fields = record(request);
  switch (verb) {
    case 'deskewAngle':
      return engine.deskewAngle(await readBitmap(directory, fields['bitmap']), { signal });
    case 'resizeImage': {
      const options = resizeOptions(fields['options']);
      const floats = await engine.resizeImage(await readBitmap(directory, fields['bitmap']), { ...options, signal });
      const { file } = record(fields['bitmap']) as unknown as SharedBitmap;
      const bytes = new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength);
      await writeFile(join(directory, `${file}.floats`), bytes, { mode: 0o600, flag: 'wx' }).catch(refuseFull);
      return null;
    }
    case 'holdNetworks':
      await context.networks?.hold();
      return null;
    case 'freeNetworks':
      context.networks?.free();
      return null;
    case 'textModels':
      return engine.textModels?.() ?? [];
    case 'readLines': {
      const { dpi, oneLine } = record(fields['options']);
      if (typeof oneLine !== 'boolean' && oneLine !== undefined) throw refused();
      const options = { model: modelName(fields), dpi: whole(dpi, 2400), ...(oneLine === undefined ? {} : { oneLine }), signal };
      return pageReaders(engine).readLines(await readBitmap(directory, fields['bitmap']), options);
    }
    case 'findLayout':
      return pageReaders(engine).findLayout(await readBitmap(directory, fields['bitmap']), { model: modelName(fields), signal });
    case 'findTableCells':
      return pageReaders(engine).findTableCells(await readBitmap(directory, fields['bitmap']), { model: modelName(fields), signal });
    default:
      throw refused();
  }
}

/** Only a whole set has its verbs. */
function pageReaders(engine: Partial<PageReaders>): PageReaders {
  if (engine.readLines === undefined) throw new LecternError('model_not_found', 'There are no vision models here.');
  return engine as PageReaders;
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

function triple(value: unknown): [number, number, number] {
  if (!Array.isArray(value) || value.length !== 3 || !value.every((part) => Number.isFinite(part))) throw refused();
  return value as [number, number, number];
}

function resizeOptions(value: unknown): ResizeOptions {
  const fields = record(value);
  const width = whole(fields['width'], maxFloats);
  const height = whole(fields['height'], maxFloats);
  if (width * height * 3 > maxFloats) throw refused();
  return { width, height, mean: triple(fields['mean']), std: triple(fields['std']) };
}

async function readBitmap(directory: string, value: unknown): Promise<Bitmap> {
  const fields = record(value);
  const height = whole(fields['height'], maxBitmapBytes);
  const stride = whole(fields['stride'], maxBitmapBytes);
  const width = whole(fields['width'], Math.floor(stride / 4));
  const { file } = fields;
  if (stride * height > maxBitmapBytes || typeof file !== 'string' || !fileName.test(file)) throw refused();
  // No link: it could lead to a file that only the main process may read.
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
