/** Compound files (the container of the office formats before 2007, and of encrypted newer ones): which streams one holds, and whether they are behind a password. */

const signature = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
/** Sectors of the directory that are read; a document has one or two. */
const maximumSectors = 256;
const endOfChain = 0xfffffffa;
const freeSector = 0xffffffff;
/** The header ([MS-CFB] 2.2): its size, and the offsets of its fields, in bytes. */
const header = { bytes: 512, sectorShift: 30, tableCount: 44, firstDirectorySector: 48, smallStreamBytes: 56, tables: 76 };
/** Sectors of the allocation table that the header lists. */
const tablesOfHeader = 109;
/** Base-2 logarithm of the sector size: 128 bytes to 64 KiB. */
const leastShift = 7;
const mostShift = 16;
/** An entry of the directory ([MS-CFB] 2.6): its size, and the offsets of its fields, in bytes. */
const directoryEntry = { bytes: 128, nameLength: 64, kind: 66, firstSector: 116, streamBytes: 120 };
/** Longest name with its terminator, in bytes of UTF-16. */
const maximumNameBytes = 64;
/** A number of a sector. */
const sectorNumberBytes = 4;
const smallSectorBytes = 64;
/** Kinds of entries. */
const streamKind = 2;
const rootKind = 5;

export function looksLikeCompound(bytes: Uint8Array): boolean {
  return bytes.length >= header.bytes && signature.every((byte, at) => bytes[at] === byte);
}

/** One name of the directory: where its stream begins, and how long it is. */
interface DirectoryEntry {
  name: string;
  /** 1 storage, `streamKind`, or `rootKind`: the root's stream holds the small ones. */
  kind: number;
  start: number;
  sizeBytes: number;
}

/** The directory, and the first sector of each stream; bounded by what is there, never fails. */
class Directory {
  readonly entries: DirectoryEntry[] = [];
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #sectorBytes: number;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const shift = looksLikeCompound(bytes) ? this.#view.getUint16(header.sectorShift, true) : 0;
    this.#sectorBytes = 2 ** shift;
    if (shift >= leastShift && shift <= mostShift) this.#readEntries();
  }

  #readEntries(): void {
    let sector = this.#view.getUint32(header.firstDirectorySector, true);
    for (let read = 0; read < maximumSectors && this.#isWhole(sector); read++) {
      for (let entry = this.#at(sector); entry < this.#at(sector) + this.#sectorBytes; entry += directoryEntry.bytes) {
        const length = Math.min(maximumNameBytes, this.#view.getUint16(entry + directoryEntry.nameLength, true)) - 2;
        if (length <= 0) continue;
        const name = Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + entry, length).toString('utf16le');
        this.entries.push({
          name,
          kind: this.#bytes[entry + directoryEntry.kind] ?? 0,
          start: this.#view.getUint32(entry + directoryEntry.firstSector, true),
          sizeBytes: this.#view.getUint32(entry + directoryEntry.streamBytes, true),
        });
      }
      sector = this.#next(sector);
    }
  }

  /** As much of a stream's beginning as lies in one piece, 64 bytes at the least where it has them; null where there is none. */
  head(name: string): Uint8Array | null {
    const found = this.entries.find((entry) => entry.kind === streamKind && entry.name === name);
    if (found === undefined) return null;
    const small = found.sizeBytes < this.#view.getUint32(header.smallStreamBytes, true);
    const [at, piece] = small ? [this.#smallAt(found.start), smallSectorBytes] : [this.#isWhole(found.start) ? this.#at(found.start) : null, this.#sectorBytes];
    return at === null ? null : this.#bytes.subarray(at, at + Math.min(piece, found.sizeBytes));
  }

  /** Small streams lie in pieces of 64 bytes in the root's own. */
  #smallAt(index: number): number | null {
    let sector = this.entries.find(({ kind }) => kind === rootKind)?.start ?? endOfChain;
    const pieces = this.#sectorBytes / smallSectorBytes;
    for (let steps = Math.min(Math.floor(index / pieces), this.#bytes.length / this.#sectorBytes); steps > 0; steps--) sector = this.#next(sector);
    return this.#isWhole(sector) ? this.#at(sector) + smallSectorBytes * (index % pieces) : null;
  }

  #at(sector: number): number {
    return (sector + 1) * this.#sectorBytes;
  }

  #isWhole(sector: number): boolean {
    return sector < endOfChain && this.#at(sector) + this.#sectorBytes <= this.#bytes.length;
  }

  #next(sector: number): number {
    const perSector = this.#sectorBytes / sectorNumberBytes;
    const index = Math.floor(sector / perSector);
    // The header's part of the allocation table covers 6.8 MB at the least, and the directory stands early.
    if (index >= tablesOfHeader) return endOfChain;
    const table = this.#at(this.#view.getUint32(header.tables + sectorNumberBytes * index, true)) + sectorNumberBytes * (sector % perSector);
    return table + sectorNumberBytes <= this.#bytes.length ? this.#view.getUint32(table, true) : endOfChain;
  }
}

/** Names of the streams and storages, as far as the directory can be read; never fails. */
export function compoundNames(bytes: Uint8Array): string[] {
  return new Directory(bytes).entries.map(({ name }) => name);
}

/** Whether the file ends before the last sector that is in use by its allocation table; as far as the header's part of the table shows. */
export function isCutShort(bytes: Uint8Array): boolean {
  if (!looksLikeCompound(bytes)) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const shift = view.getUint16(header.sectorShift, true);
  if (shift < leastShift || shift > mostShift) return true;
  const sectorBytes = 2 ** shift;
  // The last sector need not be whole.
  const isThere = (sector: number): boolean => (sector + 1) * sectorBytes < bytes.length;
  if (!isThere(view.getUint32(header.firstDirectorySector, true))) return true;
  const tables = Math.min(tablesOfHeader, view.getUint32(header.tableCount, true));
  const perSector = sectorBytes / sectorNumberBytes;
  for (let index = tables - 1; index >= 0; index--) {
    const sector = view.getUint32(header.tables + sectorNumberBytes * index, true);
    const table = (sector + 1) * sectorBytes;
    if (table + sectorBytes > bytes.length) return true;
    for (let entry = perSector - 1; entry >= 0; entry--) {
      if (view.getUint32(table + sectorNumberBytes * entry, true) !== freeSector) return !isThere(index * perSector + entry);
    }
  }
  return false;
}

const kinds: [stream: string, name: string][] = [
  ['WordDocument', 'doc'], ['Workbook', 'xls'], ['Book', 'xls'], ['PowerPoint Document', 'ppt'], ['__properties_version1.0', 'email'],
];

/** The contract's name of the format, or null. An encrypted file of a newer format does not say which. */
export function compoundKind(bytes: Uint8Array): string | null {
  const names = new Set(compoundNames(bytes));
  return kinds.find(([stream]) => names.has(stream))?.[1] ?? null;
}

/** Whether this is a DOCX, PPTX or XLSX behind a password. */
export function isEncryptedPackage(bytes: Uint8Array): boolean {
  return compoundNames(bytes).includes('EncryptedPackage');
}

/** Records of a sheet ([MS-XLS] 2.1.4): a type and a size before each. */
const sheetRecord = { headerBytes: 4, size: 2, filePass: 0x2f, beginOfFile: 9 };
/** Records among which FilePass stands, where there is one. */
const recordsToFilePass = 4;

/** A sheet's records, up to the one with the encryption of the following ones ([MS-XLS] FilePass): it stands within the first few. */
function hasFilePass(records: Uint8Array): boolean {
  const view = new DataView(records.buffer, records.byteOffset, records.byteLength);
  for (let at = 0, seen = 0; at + sheetRecord.headerBytes <= records.length && seen < recordsToFilePass; at += sheetRecord.headerBytes + view.getUint16(at + sheetRecord.size, true), seen++) {
    if (view.getUint16(at, true) === sheetRecord.filePass) return true;
  }
  return false;
}

/** The byte of FibBase with fEncrypted, its lowest bit ([MS-DOC] 2.5.2). */
const encryptionFlagAt = 11;
/** CurrentUserAtom ([MS-PPT] 2.3.2): the offset of its token, and the token of an encrypted document. */
const userToken = { start: 12, end: 16, encrypted: 0xf3d1c4df };

/**
 * Whether a DOC, XLS or PPT is marked as encrypted: fEncrypted of a text's FibBase ([MS-DOC] 2.5.2), FilePass of a sheet
 * ([MS-XLS] 2.4.117), the token of CurrentUserAtom or the summary's own stream of slides ([MS-PPT] 2.3.2).
 */
export function isEncryptedLegacy(bytes: Uint8Array): boolean {
  // Sheets from before there were compound files are records from their first byte on.
  if (!looksLikeCompound(bytes)) return bytes[0] === sheetRecord.beginOfFile && hasFilePass(bytes.subarray(0, header.bytes));
  const directory = new Directory(bytes);
  const text = directory.head('WordDocument');
  if (text !== null) return text.length > encryptionFlagAt && ((text[encryptionFlagAt] as number) & 1) !== 0;
  const sheet = directory.head('Workbook') ?? directory.head('Book');
  if (sheet !== null) return hasFilePass(sheet);
  if (!directory.entries.some(({ name }) => name === 'PowerPoint Document')) return false;
  const user = directory.head('Current User');
  const token = user === null || user.length < userToken.end ? 0 : Buffer.from(user.subarray(userToken.start, userToken.end)).readUInt32LE();
  return token === userToken.encrypted || directory.entries.some(({ name }) => name === 'EncryptedSummary');
}
