/** Zip archives from outside: the directory is read with bounds first, and nothing is unpacked past the limits of one entry, of its ratio and of the whole. */
import { inflateRawSync } from 'node:zlib';
import { Inflate } from 'fflate';
import { LecternError } from '../errors.js';
import { decodeText } from './text-encoding.js';

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

/** Of one entry that is read piece by piece, unpacked. It bounds time; memory is bounded by the pieces. */
const streamedBytes = 8 * 1024 * mebibyte;
/** Packed bytes of one piece: it unpacks to 8 MiB at most. */
const packedPiece = 8 * 1024;

const maximumEntries = 100_000;

/** Records of a zip archive (APPNOTE.TXT 4.3): their signatures, their sizes, and the offsets of their fields, in bytes. */
const localHeader = { signature: 0x04034b50, bytes: 30, nameBytes: 26, extraBytes: 28 };
const centralHeader = {
  signature: 0x02014b50, bytes: 46, flags: 8, method: 10, packedBytes: 20, unpackedBytes: 24, nameBytes: 28, extraBytes: 30, commentBytes: 32, headerAt: 42,
};
const endRecord = { signature: 0x06054b50, bytes: 22, entryCount: 10, directoryBytes: 12, directoryAt: 16 };
/** Longest comment behind the end record. */
const maximumCommentBytes = 65_535;
const zip64Locator = { signature: 0x07064b50, bytes: 20, endRecordAt: 8 };
const zip64EndRecord = { signature: 0x06064b50, bytes: 56, entryCount: 32, directoryBytes: 40, directoryAt: 48 };
/** Extra fields have a header of an identifier and a size. */
const extraField = { headerBytes: 4, size: 2, zip64: 1 };
/** Stands where a number does not fit 32 bits and is in the extra field. */
const beyond32Bits = 0xffffffff;
const bytesOf64Bits = 8;
/** Compression methods. */
const stored = 0;
const deflated = 8;

/** First bytes of an archive: a local header, or the end record of an empty archive. */
const archiveStarts = [[0x50, 0x4b, 3, 4], [0x50, 0x4b, 5, 6]];

interface ArchiveEntry {
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
  return archiveStarts.some((start) => start.every((byte, at) => bytes[at] === byte));
}

export class Archive {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #limits: ArchiveLimits;
  readonly #entries = new Map<string, ArchiveEntry>();
  /** All entries that are files, also of one name. */
  readonly #files: ArchiveEntry[] = [];
  readonly #counted = new Set<ArchiveEntry>();
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

  /** Every file of the directory, also where several have one name. `read` is as that of the archive. */
  files(): { name: string; read: () => Uint8Array }[] {
    return this.#files.map((entry) => ({ name: entry.name, read: () => this.#read(entry) }));
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
    return entry === undefined ? null : this.#read(entry);
  }

  #read(entry: ArchiveEntry): Uint8Array {
    if (entry.encrypted) throw new LecternError('password_required');
    const packed = this.#packed(entry);
    const contents = entry.method === stored ? packed : this.#inflate(entry, packed);
    this.#count(entry, contents.length);
    return contents;
  }

  /** An entry's contents piece by piece; empty where there is no such entry. Its size counts only against a limit of its own. Throws as `read`. */
  *pieces(name: string): Generator<Uint8Array, undefined> {
    const entry = this.#entries.get(key(name));
    if (entry === undefined) return;
    if (entry.encrypted) throw new LecternError('password_required');
    const packed = this.#packed(entry);
    if (entry.method !== stored && entry.method !== deflated) throw new LecternError('invalid_document', 'The file is packed in a way that is not supported.');
    const most = Math.min(streamedBytes, Math.max(this.#limits.ratioFloorBytes, packed.length * this.#limits.ratio));
    let unpacked: Uint8Array[] = [];
    // zlib of Node has no synchronous reading by pieces.
    const inflate = new Inflate((piece) => { unpacked.push(piece); });
    let total = 0;
    for (let at = 0; at < packed.length; at += packedPiece) {
      const piece = packed.subarray(at, at + packedPiece);
      if (entry.method === stored) unpacked.push(piece);
      else pushPiece(inflate, piece, at + packedPiece >= packed.length);
      for (const part of unpacked) {
        total += part.length;
        if (total > most) throw tooLarge();
        if (part.length > 0) yield part;
      }
      unpacked = [];
    }
  }

  #inflate(entry: ArchiveEntry, packed: Uint8Array): Uint8Array {
    if (entry.method !== deflated) throw new LecternError('invalid_document', 'The file is packed in a way that is not supported.');
    if (packed.length === 0) return packed;
    const { entryBytes, totalBytes, ratio, ratioFloorBytes } = this.#limits;
    const left = totalBytes - (this.#counted.has(entry) ? 0 : this.#total);
    const most = Math.min(entryBytes, left, Math.max(ratioFloorBytes, packed.length * ratio));
    try {
      // One buffer for all of it where the directory is right: pieces would be copied together once more. Pages that nothing is written to cost nothing.
      const chunkSize = Math.min(most, entry.unpackedBytes, packed.length * deflateRatio) + 64;
      return inflateRawSync(packed, { maxOutputLength: Math.max(1, most), chunkSize });
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
      throw damaged();
    }
  }

  #count(entry: ArchiveEntry, bytes: number): void {
    if (this.#counted.has(entry)) return;
    this.#counted.add(entry);
    this.#total += bytes;
    if (bytes > this.#limits.entryBytes || this.#total > this.#limits.totalBytes) throw tooLarge();
  }

  #packed(entry: ArchiveEntry): Uint8Array {
    const at = entry.headerAt;
    if (!this.#holds(at, localHeader.bytes) || this.#view.getUint32(at, true) !== localHeader.signature) throw damaged();
    const start = at + localHeader.bytes + this.#view.getUint16(at + localHeader.nameBytes, true) + this.#view.getUint16(at + localHeader.extraBytes, true);
    if (!this.#holds(start, entry.packedBytes)) throw damaged();
    return this.#bytes.subarray(start, start + entry.packedBytes);
  }

  #holds(at: number, length: number): boolean {
    return at >= 0 && length >= 0 && at + length <= this.#bytes.length;
  }

  /** The end record stands last, behind it only a comment. */
  #findEnd(): number {
    const last = this.#bytes.length - endRecord.bytes;
    const first = Math.max(0, last - maximumCommentBytes);
    for (let at = last; at >= first; at--) if (this.#view.getUint32(at, true) === endRecord.signature) return at;
    throw damaged();
  }

  #readDirectory(): void {
    const end = this.#findEnd();
    let count = this.#view.getUint16(end + endRecord.entryCount, true);
    let size = this.#view.getUint32(end + endRecord.directoryBytes, true);
    let offset = this.#view.getUint32(end + endRecord.directoryAt, true);
    let directoryEnd = end;
    const locator = end - zip64Locator.bytes;
    if (locator >= 0 && this.#view.getUint32(locator, true) === zip64Locator.signature) {
      const wide = this.#number64(locator + zip64Locator.endRecordAt);
      if (!this.#holds(wide, zip64EndRecord.bytes) || this.#view.getUint32(wide, true) !== zip64EndRecord.signature) throw damaged();
      count = this.#number64(wide + zip64EndRecord.entryCount);
      size = this.#number64(wide + zip64EndRecord.directoryBytes);
      offset = this.#number64(wide + zip64EndRecord.directoryAt);
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
    if (!this.#holds(at, bytesOf64Bits)) throw damaged();
    return Number(this.#view.getBigUint64(at, true));
  }

  #readEntry(at: number, shift: number): number {
    const view = this.#view;
    if (!this.#holds(at, centralHeader.bytes) || view.getUint32(at, true) !== centralHeader.signature) throw damaged();
    const nameBytes = view.getUint16(at + centralHeader.nameBytes, true);
    const extraBytes = view.getUint16(at + centralHeader.extraBytes, true);
    const nameAt = at + centralHeader.bytes;
    const after = nameAt + nameBytes + extraBytes + view.getUint16(at + centralHeader.commentBytes, true);
    if (!this.#holds(at, after - at)) throw damaged();
    // Older programs write the code page of their machine and do not say which.
    const name = decodeText(this.#bytes.subarray(nameAt, nameAt + nameBytes)).replaceAll('\\', '/');
    const entry: ArchiveEntry = {
      name, method: view.getUint16(at + centralHeader.method, true), encrypted: (view.getUint16(at + centralHeader.flags, true) & 1) !== 0,
      packedBytes: view.getUint32(at + centralHeader.packedBytes, true), unpackedBytes: view.getUint32(at + centralHeader.unpackedBytes, true), headerAt: view.getUint32(at + centralHeader.headerAt, true),
    };
    this.#widen(entry, nameAt + nameBytes, extraBytes);
    entry.headerAt += shift;
    if (name.endsWith('/')) return after;
    this.#files.push(entry);
    if (!this.#entries.has(key(name))) this.#entries.set(key(name), entry);
    return after;
  }

  /** Numbers that do not fit 32 bits stand in an extra field, in this order, each only where it is needed. */
  #widen(entry: ArchiveEntry, from: number, length: number): void {
    for (let at = from; at + extraField.headerBytes <= from + length;) {
      const size = this.#view.getUint16(at + extraField.size, true);
      if (this.#view.getUint16(at, true) === extraField.zip64) {
        let field = at + extraField.headerBytes;
        for (const name of ['unpackedBytes', 'packedBytes', 'headerAt'] as const) {
          if (entry[name] !== beyond32Bits || field + bytesOf64Bits > at + extraField.headerBytes + size) continue;
          entry[name] = this.#number64(field);
          field += bytesOf64Bits;
        }
      }
      at += extraField.headerBytes + size;
    }
  }
}

function pushPiece(inflate: Inflate, piece: Uint8Array, isLast: boolean): void {
  try {
    inflate.push(piece, isLast);
  } catch {
    throw damaged();
  }
}

function key(name: string): string {
  return name.replace(/^\/+/, '').toLowerCase();
}

function tooLarge(): LecternError {
  return new LecternError('too_large', 'The file unpacks to more than a document may hold.');
}
