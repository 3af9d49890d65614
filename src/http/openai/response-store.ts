/** Responses that clients may go on from or fetch again: on disk, the latest also in memory, each for its owner alone. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Message } from '../../chat/conversation.js';
import { LecternError } from '../../errors.js';
import { jsonPieces } from '../json-pieces.js';

export interface StoredResponse {
  /** The identity of the caller. */
  owner: string;
  /** As it went over the wire. */
  response: Record<string, unknown>;
  /** Items of the request. */
  input: unknown[];
  /** The conversation that the response ends, without its instructions. */
  messages: Message[];
}

export interface ResponseStoreSettings {
  /** Made when the first response is kept. */
  directory: string;
  /** Responses that are kept at most, of all callers; beyond it the oldest of the caller that holds the largest share leave. */
  most: number;
  log: { warn(fields: object, message: string): void };
  /** The value of a JSON text, however long. */
  readJson: (pieces: readonly Uint8Array[]) => Promise<unknown>;
}

/** Bytes of all files, and of one. A context of a hundred thousand tokens takes half a megabyte. */
const mostBytes = 512 * 2 ** 20;
const mostBytesEach = 8 * 2 ** 20;
/** Of two bytes a value, less than the values that are read (mostValues of the sandbox). */
const surelyReadableBytes = 64 * 2 ** 10;
/** Bytes that are kept in memory beside the files. */
const mostRecentBytes = 32 * 2 ** 20;

const idForm = /^resp_[0-9a-f]{32}$/;
/** A file's name: the id, and the digest of its owner's identity, so that the shares of callers are known without reading the files. Earlier programs wrote the id alone. */
const fileForm = /^(resp_[0-9a-f]{32})(?:\.([0-9a-f]{16}))?$/;

interface Kept {
  bytes: number;
  /** Digest of the owner's identity; empty for a file of an earlier program. */
  owner: string;
}

export class ResponseStore {
  /** By id, the oldest first. */
  #index: Promise<Map<string, Kept>> | undefined;
  readonly #recent = new Map<string, Buffer[]>();
  #recentBytes = 0;

  constructor(private readonly settings: ResponseStoreSettings) {}

  /** False where it is too long to be kept. A disk that takes nothing more leaves it in memory. */
  async keep(id: string, stored: StoredResponse): Promise<boolean> {
    const pieces = await jsonPieces(stored);
    const bytes = sizeOf(pieces);
    if (bytes > mostBytesEach || bytes > surelyReadableBytes && !(await this.#isReadable(pieces))) return false;
    const known = await this.#known();
    const kept = { bytes, owner: digestOf(stored.owner) };
    known.set(id, kept);
    this.#remember(id, pieces);
    await this.#write(this.#path(id, kept), pieces).catch((thrown: unknown) => this.settings.log.warn({ err: thrown }, 'a response could not be written and is kept in memory alone'));
    // It was deleted meanwhile.
    if (!known.has(id)) await rm(this.#path(id, kept), { force: true });
    await this.#makeRoom(known);
    return true;
  }

  /** Undefined where there is none, or none of this owner. */
  async find(id: string, owner: string): Promise<StoredResponse | undefined> {
    const kept = idForm.test(id) ? (await this.#known()).get(id) : undefined;
    if (kept === undefined) return undefined;
    const pieces = this.#recent.get(id) ?? await readFile(this.#path(id, kept)).then((bytes) => [bytes], () => undefined);
    if (pieces === undefined) return undefined;
    const stored = await this.settings.readJson(pieces).catch((thrown: unknown) => {
      // Damaged is as good as gone; a busy service is not.
      if (thrown instanceof LecternError && thrown.code === 'invalid_request') return undefined;
      throw thrown;
    }) as StoredResponse | undefined;
    return stored?.owner === owner ? stored : undefined;
  }

  /** Whether it can be read back: JSON of a stranger may hold only so many values, and a kept response holds its conversation twice. */
  #isReadable(pieces: readonly Buffer[]): Promise<boolean> {
    return this.settings.readJson(pieces).then(() => true, () => false);
  }

  /** Whether there was one of this owner. Rejects where its file cannot be removed. */
  async delete(id: string, owner: string): Promise<boolean> {
    if (await this.find(id, owner) === undefined) return false;
    await this.#remove(await this.#known(), id);
    return true;
  }

  /** What an earlier process kept, by time. */
  #known(): Promise<Map<string, Kept>> {
    this.#index ??= (async () => {
      const { directory } = this.settings;
      const names = await readdir(directory).catch(() => [] as string[]);
      // What a process that ended had half written.
      for (const name of names.filter((one) => one.startsWith('.resp_'))) await rm(join(directory, name), { force: true });
      const found = await Promise.all(names.map(async (name) => {
        const [, id, owner = ''] = fileForm.exec(name) ?? [];
        const info = id === undefined ? null : await stat(join(directory, name)).catch(() => null);
        return info === null ? [] : [{ id: id as string, owner, bytes: info.size, at: info.mtimeMs }];
      }));
      return new Map(found.flat().sort((a, b) => a.at - b.at).map(({ id, owner, bytes }) => [id, { bytes, owner }]));
    })();
    return this.#index;
  }

  async #write(path: string, pieces: readonly Buffer[]): Promise<void> {
    await mkdir(this.settings.directory, { recursive: true, mode: 0o700 });
    // Never half a file under its name.
    const unfinished = join(this.settings.directory, `.${basename(path)}-${randomBytes(4).toString('hex')}`);
    try {
      await writeFile(unfinished, pieces, { mode: 0o600 });
      await rename(unfinished, path);
    } catch (thrown) {
      await rm(unfinished, { force: true });
      throw thrown;
    }
  }

  #remember(id: string, pieces: Buffer[]): void {
    this.#recent.set(id, pieces);
    this.#recentBytes += sizeOf(pieces);
    for (const oldest of this.#recent.keys()) {
      if (this.#recentBytes <= mostRecentBytes) return;
      this.#forget(oldest);
    }
  }

  #forget(id: string): void {
    this.#recentBytes -= sizeOf(this.#recent.get(id) ?? []);
    this.#recent.delete(id);
  }

  async #makeRoom(known: Map<string, Kept>): Promise<void> {
    for (;;) {
      const shares = sharesOf(known);
      const bytes = [...shares.values()].reduce((sum, share) => sum + share.bytes, 0);
      if (known.size <= this.settings.most && bytes <= mostBytes) return;
      const size = (share: Share): number => Math.max(share.count / this.settings.most, share.bytes / mostBytes);
      const largest = [...shares.values()].reduce((most, share) => (size(share) > size(most) ? share : most));
      await this.#remove(known, largest.oldest).catch((thrown: unknown) => this.settings.log.warn({ err: thrown }, 'a response that is no longer kept could not be removed'));
    }
  }

  async #remove(known: Map<string, Kept>, id: string): Promise<void> {
    const kept = known.get(id);
    known.delete(id);
    this.#forget(id);
    if (kept !== undefined) await rm(this.#path(id, kept), { force: true });
  }

  #path(id: string, { owner }: Kept): string {
    return join(this.settings.directory, owner === '' ? id : `${id}.${owner}`);
  }
}

interface Share {
  count: number;
  bytes: number;
  /** An id. */
  oldest: string;
}

/** By owner. */
function sharesOf(known: ReadonlyMap<string, Kept>): Map<string, Share> {
  const shares = new Map<string, Share>();
  for (const [id, { owner, bytes }] of known) {
    const share = shares.get(owner) ?? { count: 0, bytes: 0, oldest: id };
    shares.set(owner, { count: share.count + 1, bytes: share.bytes + bytes, oldest: share.oldest });
  }
  return shares;
}

/** 16 hexadecimal digits. */
function digestOf(owner: string): string {
  return createHash('sha256').update(owner).digest('hex').slice(0, 16);
}

function sizeOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
