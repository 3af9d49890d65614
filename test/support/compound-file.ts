/** Compound files ([MS-CFB], version 3), written from the published layout: storages as objects, streams as bytes. */

export interface Storage {
  [name: string]: Storage | Uint8Array;
}

const sectorBytes = 512;
const smallBytes = 64;
/** Streams below it lie in the small sectors of the root's own stream. */
const cutoff = 4096;
const [endOfChain, freeSector, fatSector, noEntry] = [0xfffffffe, 0xffffffff, 0xfffffffd, 0xffffffff];

interface Entry {
  name: string;
  kind: 1 | 2 | 5;
  left: number;
  right: number;
  child: number;
  start: number;
  size: number;
}

/** Names are ordered by length, then by their upper case. */
function compareNames(a: string, b: string): number {
  return a.length - b.length || (a.toUpperCase() < b.toUpperCase() ? -1 : 1);
}

class Writer {
  readonly entries: Entry[] = [];
  readonly #sectors: Uint8Array[] = [];
  readonly #fat: number[] = [];
  readonly #small: Uint8Array[] = [];
  readonly #smallFat: number[] = [];

  write(root: Storage): Uint8Array {
    const top = this.#add('Root Entry', 5);
    this.#fill(top, root);
    const small = this.#store(Buffer.concat(this.#small));
    Object.assign(this.entries[top] as Entry, { start: small, size: this.#small.length * smallBytes });
    const smallFat = this.#storeNumbers(this.#smallFat);
    const directory = this.#store(Buffer.concat(this.#padded(this.entries.map(entryBytes), 4, Buffer.alloc(128, 0))));
    const count = this.#fatSectors();
    const firstFat = this.#sectors.length;
    for (let index = 0; index < count; index++) this.#fat.push(fatSector);
    const fat = this.#numbers(this.#fat, count);
    const header = Buffer.alloc(sectorBytes);
    header.set([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
    for (const [at, value] of [[24, 0x3e], [26, 3], [28, 0xfffe], [30, 9], [32, 6]] as const) header.writeUInt16LE(value, at);
    const smallFatCount = Math.ceil((this.#smallFat.length * 4) / sectorBytes);
    for (const [at, value] of [[44, count], [48, directory], [56, cutoff], [60, smallFatCount === 0 ? endOfChain : smallFat], [64, smallFatCount], [68, endOfChain], [72, 0]] as const) header.writeUInt32LE(value, at);
    for (let index = 0; index < 109; index++) header.writeUInt32LE(index < count ? firstFat + index : freeSector, 76 + 4 * index);
    return Buffer.concat([header, ...this.#sectors, fat]);
  }

  #fatSectors(): number {
    let count = 1;
    while (count * (sectorBytes / 4) < this.#fat.length + count) count++;
    return count;
  }

  #add(name: string, kind: Entry['kind']): number {
    this.entries.push({ name, kind, left: noEntry, right: noEntry, child: noEntry, start: 0, size: 0 });
    return this.entries.length - 1;
  }

  #fill(parent: number, storage: Storage): void {
    const children: number[] = [];
    for (const [name, contents] of Object.entries(storage).sort(([a], [b]) => compareNames(a, b))) {
      const index = this.#add(name, contents instanceof Uint8Array ? 2 : 1);
      children.push(index);
      if (!(contents instanceof Uint8Array)) this.#fill(index, contents);
      else Object.assign(this.entries[index] as Entry, { start: contents.length === 0 ? endOfChain : contents.length < cutoff ? this.#storeSmall(contents) : this.#store(contents), size: contents.length });
    }
    (this.entries[parent] as Entry).child = this.#tree(children);
  }

  /** A balanced tree over what is sorted already. */
  #tree(children: number[]): number {
    if (children.length === 0) return noEntry;
    const middle = children.length >> 1;
    const index = children[middle] as number;
    Object.assign(this.entries[index] as Entry, { left: this.#tree(children.slice(0, middle)), right: this.#tree(children.slice(middle + 1)) });
    return index;
  }

  #chain(bytes: Uint8Array, unit: number, units: Uint8Array[], table: number[]): number {
    const first = units.length;
    for (let at = 0; at < bytes.length; at += unit) {
      const piece = Buffer.alloc(unit);
      piece.set(bytes.subarray(at, at + unit));
      units.push(piece);
      table.push(at + unit < bytes.length ? units.length : endOfChain);
    }
    return bytes.length === 0 ? endOfChain : first;
  }

  #store(bytes: Uint8Array): number {
    return this.#chain(bytes, sectorBytes, this.#sectors, this.#fat);
  }

  #storeSmall(bytes: Uint8Array): number {
    return this.#chain(bytes, smallBytes, this.#small, this.#smallFat);
  }

  #numbers(values: number[], sectors: number): Buffer {
    const bytes = Buffer.alloc(sectors * sectorBytes, 0xff);
    for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, 4 * index);
    return bytes;
  }

  #storeNumbers(values: number[]): number {
    return this.#store(this.#numbers(values, Math.ceil((values.length * 4) / sectorBytes)));
  }

  #padded(all: Buffer[], multiple: number, filler: Buffer): Buffer[] {
    return [...all, ...Array.from({ length: (multiple - (all.length % multiple)) % multiple }, () => filler)];
  }
}

function entryBytes({ name, kind, left, right, child, start, size }: Entry): Buffer {
  const bytes = Buffer.alloc(128);
  bytes.write(name, 0, 'utf16le');
  bytes.writeUInt16LE(2 * (name.length + 1), 64);
  bytes[66] = kind;
  bytes[67] = 1;
  for (const [at, value] of [[68, left], [72, right], [76, child], [116, start], [120, size]] as const) bytes.writeUInt32LE(value, at);
  return bytes;
}

/** The file's bytes. At most 109 sectors of the table of sectors: about 7 MB. */
export function makeCompoundFile(root: Storage): Uint8Array {
  return new Writer().write(root);
}
