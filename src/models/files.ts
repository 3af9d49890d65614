/** Files of model directories as strangers may have made them: what identifies one, reading one with a bound, and finding them. */
import { constants } from 'node:fs';
import { type FileHandle, open, opendir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { LecternError } from '../errors.js';

export interface FileState {
  path: string;
  sizeBytes: number;
  modifiedAt: Date;
  /** Differs whenever the file was written or replaced. */
  identity: string;
}

/** Null for what is missing, unreadable or no regular file. */
export async function stateOf(path: string): Promise<FileState | null> {
  const found = await stat(path, { bigint: true }).catch(() => null);
  if (found === null || !found.isFile()) return null;
  return {
    path,
    sizeBytes: Number(found.size),
    modifiedAt: new Date(Number(found.mtimeNs / 1_000_000n)),
    identity: `${found.size}:${found.mtimeNs}:${found.ino}`,
  };
}

/** Throws `invalid_model` for one that is larger than `mostBytes`, missing, or not below `root` once its links are followed. */
export async function readWithin(root: string, path: string, mostBytes: number): Promise<Buffer> {
  const real = await requireWithin(root, path);
  let file: FileHandle | undefined;
  try {
    // Neither a link put there meanwhile nor a pipe without a writer blocks the service.
    file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = await file.stat();
    if (!found.isFile()) throw invalid(`${path} is no file`);
    if (found.size > mostBytes) throw invalid(`${path} has ${found.size} bytes; ${mostBytes} are allowed`);
    const bytes = Buffer.alloc(found.size);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return bytes.subarray(0, bytesRead);
  } catch (thrown) {
    if (thrown instanceof LecternError) throw thrown;
    throw invalid(`${path} cannot be read: ${(thrown as Error).message}`, thrown);
  } finally {
    await file?.close();
  }
}

/** The path with its links followed. Throws `invalid_model` when that leads out of `root`, or nowhere. */
export async function requireWithin(root: string, path: string): Promise<string> {
  const [realRoot, real] = await Promise.all([realpath(root), realpath(path)]).catch((thrown: unknown) => {
    throw invalid(`${path} is missing`, thrown);
  });
  if (!real.startsWith(realRoot + sep)) throw invalid(`${path} leads out of ${root}`);
  return real;
}

export function invalid(reason: string, cause?: unknown): LecternError {
  return new LecternError('invalid_model', reason, cause === undefined ? undefined : { cause });
}

/** More than any collection has, and read in a second or two. */
const mostEntries = 20_000;

export interface Walk {
  /** Directories below the first. */
  depth: number;
  /** Whether to go into the directory at this path below the first. */
  enters(below: string): boolean;
}

/**
 * Files below `root`, by their paths from there, sorted. Links to files count as files, links to directories are not followed, names that
 * begin with a dot are passed over. Throws what opening `root` throws, and `too_large` past 20,000 entries.
 */
export async function filesBelow(root: string, walk: Walk): Promise<string[]> {
  const found: string[] = [];
  let entries = 0;
  const enter = async (below: string, depth: number): Promise<void> => {
    const directory = await opendir(join(root, below)).catch((thrown: unknown) => {
      if (below === '') throw thrown;
      return null;
    });
    if (directory === null) return;
    const inner: string[] = [];
    for await (const entry of directory) {
      if (++entries > mostEntries) throw new LecternError('too_large', `${root} holds more than ${mostEntries} files and directories`);
      const path = join(below, entry.name);
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory() && depth < walk.depth && walk.enters(path)) inner.push(path);
      else if (entry.isFile() || entry.isSymbolicLink()) found.push(path);
    }
    for (const path of inner) await enter(path, depth + 1);
  };
  await enter('', 0);
  return found.sort();
}

/** Values made from files, as long as the files stay as they are. */
export class FileCache<T> {
  #values = new Map<string, { identity: string; value: Promise<T> }>();
  #used = new Set<string>();

  /** What fails is not kept: the next call tries again. */
  get({ path, identity }: FileState, make: () => Promise<T>): Promise<T> {
    this.#used.add(path);
    const known = this.#values.get(path);
    if (known?.identity === identity) return known.value;
    const value = make();
    this.#values.set(path, { identity, value });
    value.catch(() => {
      if (this.#values.get(path)?.value === value) this.#values.delete(path);
    });
    return value;
  }

  /** Drops everything that was not asked for since the last call. */
  forgetUnused(): void {
    for (const path of this.#values.keys()) if (!this.#used.has(path)) this.#values.delete(path);
    this.#used = new Set();
  }
}
