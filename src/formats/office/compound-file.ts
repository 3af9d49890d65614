/** Compound files (the container of the office formats before 2007, and of encrypted newer ones): which streams one holds, and whether they are behind a password. */

const signature = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
/** Sectors of the directory that are looked at; a document has one or two. */
const maximumSectors = 256;
const endOfChain = 0xfffffffa;
const freeSector = 0xffffffff;

export function looksLikeCompound(bytes: Uint8Array): boolean {
  return bytes.length >= 512 && signature.every((byte, at) => bytes[at] === byte);
}

/** One name of the directory: where its stream begins, and how long it is. */
interface Entry {
  name: string;
  /** 1 storage, 2 stream, 5 the root, whose stream holds the small ones. */
  kind: number;
  start: number;
  sizeBytes: number;
}

/** The directory, and the first sector of each stream; bounded by what is there, never fails. */
class Directory {
  readonly entries: Entry[] = [];
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #sectorBytes: number;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const shift = looksLikeCompound(bytes) ? this.#view.getUint16(30, true) : 0;
    this.#sectorBytes = 2 ** shift;
    if (shift >= 7 && shift <= 16) this.#readEntries();
  }

  #readEntries(): void {
    let sector = this.#view.getUint32(48, true);
    for (let read = 0; read < maximumSectors && this.#isWhole(sector); read++) {
      for (let entry = this.#at(sector); entry < this.#at(sector) + this.#sectorBytes; entry += 128) {
        const length = Math.min(64, this.#view.getUint16(entry + 64, true)) - 2;
        if (length <= 0) continue;
        const name = Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + entry, length).toString('utf16le');
        this.entries.push({ name, kind: this.#bytes[entry + 66] ?? 0, start: this.#view.getUint32(entry + 116, true), sizeBytes: this.#view.getUint32(entry + 120, true) });
      }
      sector = this.#next(sector);
    }
  }

  /** As much of a stream's beginning as lies in one piece, 64 bytes at the least where it has them; null where there is none. */
  head(name: string): Uint8Array | null {
    const found = this.entries.find((entry) => entry.kind === 2 && entry.name === name);
    if (found === undefined) return null;
    const small = found.sizeBytes < this.#view.getUint32(56, true);
    const [at, piece] = small ? [this.#smallAt(found.start), 64] : [this.#isWhole(found.start) ? this.#at(found.start) : null, this.#sectorBytes];
    return at === null ? null : this.#bytes.subarray(at, at + Math.min(piece, found.sizeBytes));
  }

  /** Small streams lie in pieces of 64 bytes in the root's own. */
  #smallAt(index: number): number | null {
    let sector = this.entries.find(({ kind }) => kind === 5)?.start ?? endOfChain;
    const pieces = this.#sectorBytes / 64;
    for (let steps = Math.min(Math.floor(index / pieces), this.#bytes.length / this.#sectorBytes); steps > 0; steps--) sector = this.#next(sector);
    return this.#isWhole(sector) ? this.#at(sector) + 64 * (index % pieces) : null;
  }

  #at(sector: number): number {
    return (sector + 1) * this.#sectorBytes;
  }

  #isWhole(sector: number): boolean {
    return sector < endOfChain && this.#at(sector) + this.#sectorBytes <= this.#bytes.length;
  }

  #next(sector: number): number {
    const perSector = this.#sectorBytes / 4;
    const index = Math.floor(sector / perSector);
    // The first 109 sectors of the allocation table are listed in the header: 6.8 MB at the least, and the directory stands early.
    if (index >= 109) return endOfChain;
    const table = this.#at(this.#view.getUint32(76 + 4 * index, true)) + 4 * (sector % perSector);
    return table + 4 <= this.#bytes.length ? this.#view.getUint32(table, true) : endOfChain;
  }
}

/** Names of the streams and storages, as far as the directory can be read; never fails. */
export function compoundNames(bytes: Uint8Array): string[] {
  return new Directory(bytes).entries.map(({ name }) => name);
}

/** Whether the file ends before the last sector that its allocation table says is in use; as far as the header's part of the table tells. */
export function isCutShort(bytes: Uint8Array): boolean {
  if (!looksLikeCompound(bytes)) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const shift = view.getUint16(30, true);
  if (shift < 7 || shift > 16) return true;
  const sectorBytes = 2 ** shift;
  // The last sector need not be whole.
  const isThere = (sector: number): boolean => (sector + 1) * sectorBytes < bytes.length;
  if (!isThere(view.getUint32(48, true))) return true;
  const tables = Math.min(109, view.getUint32(44, true));
  const perSector = sectorBytes / 4;
  for (let index = tables - 1; index >= 0; index--) {
    const sector = view.getUint32(76 + 4 * index, true);
    const table = (sector + 1) * sectorBytes;
    if (table + sectorBytes > bytes.length) return true;
    for (let entry = perSector - 1; entry >= 0; entry--) {
      if (view.getUint32(table + 4 * entry, true) !== freeSector) return !isThere(index * perSector + entry);
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

/** A sheet's records, up to the one that says how what follows is encrypted ([MS-XLS] FilePass): it stands within the first few. */
function hasFilePass(records: Uint8Array): boolean {
  const view = new DataView(records.buffer, records.byteOffset, records.byteLength);
  for (let at = 0, seen = 0; at + 4 <= records.length && seen < 4; at += 4 + view.getUint16(at + 2, true), seen++) {
    if (view.getUint16(at, true) === 0x2f) return true;
  }
  return false;
}

/**
 * Whether a DOC, XLS or PPT says of itself that it is encrypted: fEncrypted of a text's FibBase ([MS-DOC] 2.5.2), FilePass of a sheet
 * ([MS-XLS] 2.4.117), the token of CurrentUserAtom or the summary's own stream of slides ([MS-PPT] 2.3.2).
 */
export function isEncryptedLegacy(bytes: Uint8Array): boolean {
  // Sheets from before there were compound files are records from their first byte on.
  if (!looksLikeCompound(bytes)) return bytes[0] === 9 && hasFilePass(bytes.subarray(0, 512));
  const directory = new Directory(bytes);
  const text = directory.head('WordDocument');
  if (text !== null) return text.length > 11 && ((text[11] as number) & 1) !== 0;
  const sheet = directory.head('Workbook') ?? directory.head('Book');
  if (sheet !== null) return hasFilePass(sheet);
  if (!directory.entries.some(({ name }) => name === 'PowerPoint Document')) return false;
  const user = directory.head('Current User');
  const token = user === null || user.length < 16 ? 0 : Buffer.from(user.subarray(12, 16)).readUInt32LE();
  return token === 0xf3d1c4df || directory.entries.some(({ name }) => name === 'EncryptedSummary');
}
