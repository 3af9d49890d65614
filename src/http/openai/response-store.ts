/** Responses that clients may go on from or fetch again: on disk, the latest also in memory, each for its owner alone. */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
  /** Responses that are kept at most; the oldest leave first. */
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

export class ResponseStore {
  /** Bytes by id, the oldest first. */
  #sizes: Promise<Map<string, number>> | undefined;
  readonly #recent = new Map<string, Buffer[]>();
  #recentBytes = 0;

  constructor(private readonly settings: ResponseStoreSettings) {}

  /** False where it is too long to be kept. A disk that takes nothing more leaves it in memory. */
  async keep(id: string, stored: StoredResponse): Promise<boolean> {
    const pieces = await jsonPieces(stored);
    const bytes = sizeOf(pieces);
    if (bytes > mostBytesEach || bytes > surelyReadableBytes && !(await this.#isReadable(pieces))) return false;
    const sizes = await this.#known();
    sizes.set(id, bytes);
    this.#remember(id, pieces);
    await this.#write(id, pieces).catch((thrown: unknown) => this.settings.log.warn({ err: thrown }, 'a response could not be written and is kept in memory alone'));
    // It was deleted meanwhile.
    if (!sizes.has(id)) await rm(this.#path(id), { force: true });
    await this.#makeRoom(sizes);
    return true;
  }

  /** Undefined where there is none, or none of this owner. */
  async find(id: string, owner: string): Promise<StoredResponse | undefined> {
    if (!idForm.test(id) || !(await this.#known()).has(id)) return undefined;
    const pieces = this.#recent.get(id) ?? await readFile(this.#path(id)).then((bytes) => [bytes], () => undefined);
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
  #known(): Promise<Map<string, number>> {
    this.#sizes ??= (async () => {
      const names = await readdir(this.settings.directory).catch(() => [] as string[]);
      // What a process that ended had half written.
      for (const name of names.filter((one) => one.startsWith('.resp_'))) await rm(this.#path(name), { force: true });
      const found = await Promise.all(names.filter((name) => idForm.test(name)).map(async (name) => ({ name, info: await stat(this.#path(name)).catch(() => null) })));
      const files = found.flatMap(({ name, info }) => (info === null ? [] : [{ name, bytes: info.size, at: info.mtimeMs }]));
      return new Map(files.sort((a, b) => a.at - b.at).map(({ name, bytes }) => [name, bytes]));
    })();
    return this.#sizes;
  }

  async #write(id: string, pieces: readonly Buffer[]): Promise<void> {
    await mkdir(this.settings.directory, { recursive: true, mode: 0o700 });
    // Never half a file under its name.
    const unfinished = join(this.settings.directory, `.${id}-${randomBytes(4).toString('hex')}`);
    try {
      await writeFile(unfinished, pieces, { mode: 0o600 });
      await rename(unfinished, this.#path(id));
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

  async #makeRoom(sizes: Map<string, number>): Promise<void> {
    let bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    for (const [id, size] of sizes) {
      if (sizes.size <= this.settings.most && bytes <= mostBytes) return;
      bytes -= size;
      await this.#remove(sizes, id).catch((thrown: unknown) => this.settings.log.warn({ err: thrown }, 'a response that is no longer kept could not be removed'));
    }
  }

  async #remove(sizes: Map<string, number>, id: string): Promise<void> {
    sizes.delete(id);
    this.#forget(id);
    await rm(this.#path(id), { force: true });
  }

  #path(id: string): string {
    return join(this.settings.directory, id);
  }
}

function sizeOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
