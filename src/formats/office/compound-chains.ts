/** Whether a compound file ([MS-CFB]) can be walked to its end: libraries follow its chains of sectors and its tree of names without counting, and a loop in either never ends. */

/** Offsets of the header's fields, in bytes. */
const header = { sectorShift: 30, firstDirectory: 48, smallStreamBytes: 56, firstSmallTable: 60, firstMoreTables: 68, tables: 76, bytes: 512 };
/** Sectors of the allocation table that the header lists. */
const tablesOfHeader = 109;
/** Base-2 logarithm of the sector size that the published versions have. */
const sectorShifts = [9, 12];
/** Numbers from here on are no sectors. */
const firstSpecial = 0xfffffffa;
const entryFields = { bytes: 128, kind: 66, left: 68, right: 72, child: 76, start: 116, size: 120 };
const noEntry = 0xffffffff;
const rootKind = 5;
const streamKind = 2;
const numberBytes = 4;

class Chains {
  readonly #view: DataView;
  readonly #sectorBytes: number;
  #stepsLeft = 0;

  constructor(bytes: Uint8Array, shift: number) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#sectorBytes = 2 ** shift;
  }

  /** A number of the header, or of a sector. */
  #number(at: number): number {
    return at + numberBytes <= this.#view.byteLength ? this.#view.getUint32(at, true) : noEntry;
  }

  #at(sector: number): number {
    return (sector + 1) * this.#sectorBytes;
  }

  /** The numbers of the sectors of one chain; null where it comes back to itself. */
  #chain(start: number, table: number[]): number[] | null {
    const chain: number[] = [];
    const most = this.#view.byteLength / this.#sectorBytes;
    for (let sector = start; sector < firstSpecial; sector = table[sector] ?? noEntry) {
      if (chain.push(sector) > most + table.length) return null;
    }
    return chain;
  }

  #numbersOf(sectors: number[]): number[] {
    return sectors.flatMap((sector) => Array.from({ length: this.#sectorBytes / numberBytes }, (_, index) => this.#number(this.#at(sector) + numberBytes * index)));
  }

  /** The allocation table; null where the list of its own sectors comes back to itself, or names one twice. */
  #table(): number[] | null {
    const sectors = Array.from({ length: tablesOfHeader }, (_, index) => this.#number(header.tables + numberBytes * index));
    const most = this.#view.byteLength / this.#sectorBytes;
    let more = this.#number(header.firstMoreTables);
    for (let read = 0; more < firstSpecial && this.#at(more) < this.#view.byteLength; read++) {
      if (read > most || sectors.length > most + tablesOfHeader + this.#sectorBytes) return null;
      const listed = this.#numbersOf([more]);
      more = listed.pop() as number;
      sectors.push(...listed);
    }
    const listed = sectors.filter((sector) => sector < firstSpecial && this.#at(sector) < this.#view.byteLength);
    // Each is listed once; a file that lists one again and again would ask for memory without end.
    return new Set(listed).size < listed.length ? null : this.#numbersOf(listed);
  }

  /** Each entry once in the tree, and each stream's chain ends. */
  end(): boolean {
    const table = this.#table();
    const directory = table === null ? null : this.#chain(this.#number(header.firstDirectory), table);
    const small = table === null ? null : this.#chain(this.#number(header.firstSmallTable), table);
    if (table === null || directory === null || small === null) return false;
    const smallTable = this.#numbersOf(small);
    const perSector = this.#sectorBytes / entryFields.bytes;
    const at = (entry: number): number => this.#at(directory[Math.floor(entry / perSector)] ?? firstSpecial) + entryFields.bytes * (entry % perSector);
    const seen = new Set<number>();
    // A sector belongs to one stream: all chains together are no longer than the tables.
    this.#stepsLeft = 2 * (table.length + smallTable.length);
    const waiting = [0];
    for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
      const place = at(entry);
      if (entry === noEntry || place + entryFields.bytes > this.#view.byteLength) continue;
      if (seen.has(entry)) return false;
      seen.add(entry);
      if (!this.#streamEnds(place, table, smallTable)) return false;
      waiting.push(this.#number(place + entryFields.left), this.#number(place + entryFields.right), this.#number(place + entryFields.child));
    }
    return true;
  }

  #streamEnds(place: number, table: number[], smallTable: number[]): boolean {
    const kind = this.#view.getUint8(place + entryFields.kind);
    if (kind !== streamKind && kind !== rootKind) return true;
    const size = this.#number(place + entryFields.size);
    if (kind === streamKind && size > this.#view.byteLength) return false;
    const isSmall = kind === streamKind && size < this.#number(header.smallStreamBytes);
    const chain = this.#chain(this.#number(place + entryFields.start), isSmall ? smallTable : table);
    if (chain === null) return false;
    this.#stepsLeft -= chain.length;
    return this.#stepsLeft >= 0;
  }
}

/** Whether all chains of sectors and the tree of names of a compound file end. */
export function chainsEnd(bytes: Uint8Array): boolean {
  const shift = bytes.length < header.bytes ? 0 : new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint16(header.sectorShift, true);
  return sectorShifts.includes(shift) && new Chains(bytes, shift).end();
}
