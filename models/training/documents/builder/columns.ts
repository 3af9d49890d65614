/** Growing columns of numbers and texts, and their file: a .npz archive of NumPy (a ZIP of .npy arrays), deflated. */
import { zipSync } from 'fflate';
import type { Zippable } from 'fflate';

const types = { f4: Float32Array, i4: Int32Array, i2: Int16Array, u2: Uint16Array, u1: Uint8Array, u4: Uint32Array };
export type ColumnType = keyof typeof types;
type Numbers = InstanceType<(typeof types)[ColumnType]>;

const FIRST_CAPACITY = 1024;
/** Deflate level: above it the files hardly shrink. */
const LEVEL = 5;
/** The header of an .npy file ends at a multiple of this. */
const ALIGNMENT = 64;
const PREFIX_BYTES = 10;

interface Column {
  type: ColumnType;
  /** Numbers in a row; 1 makes an array of one dimension. */
  width: number;
  data: Numbers;
  length: number;
}

export class Columns {
  #columns = new Map<string, Column>();
  #texts = new Map<string, { parts: Buffer[]; bytes: number; ends: number[] }>();

  /** Appends a row; the first call of a name defines its type and width. */
  add(name: string, type: ColumnType, ...row: number[]): void {
    let column = this.#columns.get(name);
    if (column === undefined) this.#columns.set(name, (column = { type, width: row.length, data: new types[type](FIRST_CAPACITY), length: 0 }));
    if (column.type !== type || column.width !== row.length) throw new Error(`Column ${name} is ${column.width} of ${column.type}.`);
    if (column.length + row.length > column.data.length) {
      const larger = new types[type](2 * column.data.length + row.length);
      larger.set(column.data);
      column.data = larger;
    }
    for (const value of row) column.data[column.length++] = value;
  }

  /** Defines columns that may stay empty. */
  declare(name: string, type: ColumnType, width = 1): void {
    if (!this.#columns.has(name)) this.#columns.set(name, { type, width, data: new types[type](FIRST_CAPACITY), length: 0 });
  }

  /** Appends a text to NAME_bytes (UTF-8) and its end to NAME_end. */
  addText(name: string, text: string): void {
    let texts = this.#texts.get(name);
    if (texts === undefined) this.#texts.set(name, (texts = { parts: [], bytes: 0, ends: [] }));
    const bytes = Buffer.from(text);
    texts.parts.push(bytes);
    texts.ends.push((texts.bytes += bytes.length));
  }

  /** Rows of a column so far. */
  rows(name: string): number {
    const column = this.#columns.get(name);
    return column === undefined ? 0 : column.length / column.width;
  }

  npz(): Uint8Array {
    const files: Zippable = {};
    for (const [name, { type, width, data, length }] of this.#columns) files[`${name}.npy`] = npy(type, width === 1 ? [length] : [length / width, width], data.subarray(0, length));
    for (const [name, { parts, ends, bytes }] of this.#texts) {
      files[`${name}_bytes.npy`] = npy('u1', [bytes], new Uint8Array(Buffer.concat(parts)));
      files[`${name}_end.npy`] = npy('u4', [ends.length], Uint32Array.from(ends));
    }
    // A fixed date, so that the same pages give the same bytes.
    return zipSync(files, { level: LEVEL, mtime: '1980-01-01T00:00:00' });
  }
}

function npy(type: ColumnType, shape: number[], data: Numbers): Uint8Array {
  const order = type === 'u1' ? '|' : '<';
  const text = `{'descr': '${order}${type}', 'fortran_order': False, 'shape': (${shape.join(', ')}${shape.length === 1 ? ',' : ''}), }`;
  const header = `${text}${' '.repeat(ALIGNMENT - ((PREFIX_BYTES + text.length + 1) % ALIGNMENT))}\n`;
  const out = Buffer.alloc(PREFIX_BYTES + header.length + data.byteLength);
  out.write('\x93NUMPY\x01\x00', 0, 'latin1');
  out.writeUInt16LE(header.length, PREFIX_BYTES - 2);
  out.write(header, PREFIX_BYTES, 'latin1');
  Buffer.from(data.buffer, data.byteOffset, data.byteLength).copy(out, PREFIX_BYTES + header.length);
  return out;
}
