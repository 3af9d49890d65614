/** Zip archives from strangers: the directory is read with bounds first, and nothing is unpacked past the limits of one entry, of its ratio and of the whole. */
import { inflateRawSync } from 'node:zlib';
import { LecternError } from '../errors.js';

const mebibyte = 1024 * 1024;

export interface ArchiveLimits {
  /** Bytes of one entry, unpacked. */
  entryBytes: number;
  /** Bytes of all entries that are read, unpacked. */
  totalBytes: number;
  /** Unpacked to packed, asked of entries larger than `ratioFloorBytes`. Deflate can reach 1032; spreadsheets of equal rows reach 100. */
  ratio: number;
  ratioFloorBytes: number;
}

export const defaultArchiveLimits: ArchiveLimits = { entryBytes: 256 * mebibyte, totalBytes: 512 * mebibyte, ratio: 200, ratioFloorBytes: 16 * mebibyte };

/** More than deflate can: a directory that states more lies. */
const deflateRatio = 1040;

const maximumEntries = 100_000;

interface Entry {
  name: string;
  method: number;
  encrypted: boolean;
  packedBytes: number;
  unpackedBytes: number;
  headerAt: number;
}

function damaged(): LecternError {
  return new LecternError('invalid_document', 'The file is damaged or cut short: its archive cannot be read.');
}

/** Whether the bytes begin as a zip archive does. */
export function looksLikeArchive(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 && bytes[3] === 4 || bytes[2] === 5 && bytes[3] === 6);
}

export class Archive {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #limits: ArchiveLimits;
  readonly #entries = new Map<string, Entry>();
  readonly #counted = new Set<string>();
  #total = 0;

  /** Throws LecternError `invalid_document` where the bytes are no archive, or a damaged one. */
  constructor(bytes: Uint8Array, limits: ArchiveLimits = defaultArchiveLimits) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#limits = limits;
    this.#readDirectory();
  }

  /** Of files, as written, in the order of the directory. */
  names(): string[] {
    return [...this.#entries.values()].map(({ name }) => name);
  }

  /** Names are compared without regard to case, as the office formats have it. */
  has(name: string): boolean {
    return this.#entries.has(key(name));
  }

  /** Unpacked size as the directory states it, which may be a lie; null where there is no such entry. */
  statedBytes(name: string): number | null {
    return this.#entries.get(key(name))?.unpackedBytes ?? null;
  }

  /** An entry's contents. Throws `invalid_document` where it is missing or damaged, `too_large` past the limits, `password_required`. */
  read(name: string): Uint8Array {
    const found = this.find(name);
    if (found === null) throw new LecternError('invalid_document', `The file is damaged: its part ${name.slice(0, 200)} is missing.`);
    return found;
  }

  /** As `read`; null where there is no such entry. */
  find(name: string): Uint8Array | null {
    const entry = this.#entries.get(key(name));
    if (entry === undefined) return null;
    if (entry.encrypted) throw new LecternError('password_required');
    const packed = this.#packed(entry);
    const contents = entry.method === 0 ? packed : this.#inflate(entry, packed);
    this.#count(entry, contents.length);
    return contents;
  }

  #inflate(entry: Entry, packed: Uint8Array): Uint8Array {
    if (entry.method !== 8) throw new LecternError('invalid_document', 'The file is packed in a way that is not supported.');
    if (packed.length === 0) return packed;
    const { entryBytes, totalBytes, ratio, ratioFloorBytes } = this.#limits;
    const left = totalBytes - (this.#counted.has(entry.name) ? 0 : this.#total);
    const most = Math.min(entryBytes, left, Math.max(ratioFloorBytes, packed.length * ratio));
    try {
      // One buffer for all of it where the directory tells the truth: pieces would be copied together once more. Pages that nothing is written to cost nothing.
      const chunkSize = Math.min(most, entry.unpackedBytes, packed.length * deflateRatio) + 64;
      return inflateRawSync(packed, { maxOutputLength: Math.max(1, most), chunkSize });
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
      throw damaged();
    }
  }

  #count(entry: Entry, bytes: number): void {
    if (this.#counted.has(entry.name)) return;
    this.#counted.add(entry.name);
    this.#total += bytes;
    if (bytes > this.#limits.entryBytes || this.#total > this.#limits.totalBytes) throw tooLarge();
  }

  #packed(entry: Entry): Uint8Array {
    const at = entry.headerAt;
    if (!this.#holds(at, 30) || this.#view.getUint32(at, true) !== 0x04034b50) throw damaged();
    const start = at + 30 + this.#view.getUint16(at + 26, true) + this.#view.getUint16(at + 28, true);
    if (!this.#holds(start, entry.packedBytes)) throw damaged();
    return this.#bytes.subarray(start, start + entry.packedBytes);
  }

  #holds(at: number, length: number): boolean {
    return at >= 0 && length >= 0 && at + length <= this.#bytes.length;
  }

  /** The end record stands last, behind it only a comment of at most 65,535 bytes. */
  #findEnd(): number {
    const first = Math.max(0, this.#bytes.length - 22 - 65_535);
    for (let at = this.#bytes.length - 22; at >= first; at--) if (this.#view.getUint32(at, true) === 0x06054b50) return at;
    throw damaged();
  }

  #readDirectory(): void {
    const end = this.#findEnd();
    let count = this.#view.getUint16(end + 10, true);
    let size = this.#view.getUint32(end + 12, true);
    let offset = this.#view.getUint32(end + 16, true);
    let directoryEnd = end;
    if (end >= 20 && this.#view.getUint32(end - 20, true) === 0x07064b50) {
      const wide = this.#number64(end - 12);
      if (!this.#holds(wide, 56) || this.#view.getUint32(wide, true) !== 0x06064b50) throw damaged();
      count = this.#number64(wide + 32);
      size = this.#number64(wide + 40);
      offset = this.#number64(wide + 48);
      directoryEnd = wide;
    }
    if (count > maximumEntries) throw new LecternError('too_large', `The file is an archive of more than ${maximumEntries} entries.`);
    // Bytes before the archive move everything behind them.
    const begin = directoryEnd - size;
    const shift = begin - offset;
    if (!this.#holds(begin, size) || shift < 0) throw damaged();
    let at = begin;
    for (let index = 0; index < count; index++) at = this.#readEntry(at, shift);
  }

  #number64(at: number): number {
    if (!this.#holds(at, 8)) throw damaged();
    return Number(this.#view.getBigUint64(at, true));
  }

  #readEntry(at: number, shift: number): number {
    const view = this.#view;
    if (!this.#holds(at, 46) || view.getUint32(at, true) !== 0x02014b50) throw damaged();
    const nameBytes = view.getUint16(at + 28, true);
    const extraBytes = view.getUint16(at + 30, true);
    const after = at + 46 + nameBytes + extraBytes + view.getUint16(at + 32, true);
    if (!this.#holds(at, after - at)) throw damaged();
    const name = Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + at + 46, nameBytes).toString('utf8').replaceAll('\\', '/');
    const entry: Entry = {
      name, method: view.getUint16(at + 10, true), encrypted: (view.getUint16(at + 8, true) & 1) !== 0,
      packedBytes: view.getUint32(at + 20, true), unpackedBytes: view.getUint32(at + 24, true), headerAt: view.getUint32(at + 42, true),
    };
    this.#widen(entry, at + 46 + nameBytes, extraBytes);
    entry.headerAt += shift;
    if (!name.endsWith('/') && !this.#entries.has(key(name))) this.#entries.set(key(name), entry);
    return after;
  }

  /** Numbers that do not fit 32 bits stand in an extra field, in this order, each only where it is needed. */
  #widen(entry: Entry, from: number, length: number): void {
    for (let at = from; at + 4 <= from + length;) {
      const size = this.#view.getUint16(at + 2, true);
      if (this.#view.getUint16(at, true) === 1) {
        let field = at + 4;
        for (const name of ['unpackedBytes', 'packedBytes', 'headerAt'] as const) {
          if (entry[name] !== 0xffffffff || field + 8 > at + 4 + size) continue;
          entry[name] = this.#number64(field);
          field += 8;
        }
      }
      at += 4 + size;
    }
  }
}

function key(name: string): string {
  return name.replace(/^\/+/, '').toLowerCase();
}

function tooLarge(): LecternError {
  return new LecternError('too_large', 'The file unpacks to more than a document may hold.');
}
