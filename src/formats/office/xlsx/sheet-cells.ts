/** The cells of one sheet in columns of numbers: a million of them are a handful of arrays, not a million objects. */

export const cellKind = { number: 0, shared: 1, text: 2, boolean: 3, error: 4 } as const;
export type CellKind = (typeof cellKind)[keyof typeof cellKind];

/** Cells in the order of the file. Rows and columns count from 0. */
export class CellStore {
  count = 0;
  rows = new Int32Array(1024);
  columns = new Int32Array(1024);
  kinds = new Uint8Array(1024);
  styles = new Uint16Array(1024);
  /** Where the number begins in `source`, the index of a shared string, the index in `texts`, or 0 and 1. */
  values = new Int32Array(1024);
  /** Of a number: where it ends in `source`. */
  ends = new Int32Array(1024);
  readonly texts: string[] = [];

  /** `source` is the sheet's XML: numbers stay in it until they are shown. */
  constructor(readonly source = '') {}

  add(row: number, column: number, kind: CellKind, style: number, value: number, end = 0): void {
    if (this.count === this.rows.length) this.#grow();
    const at = this.count++;
    this.rows[at] = row;
    this.columns[at] = column;
    this.kinds[at] = kind;
    this.styles[at] = style;
    this.values[at] = value;
    this.ends[at] = end;
  }

  /** A number as it is written in the file. */
  written(index: number): string {
    return this.source.slice(this.values[index], this.ends[index]);
  }

  addText(row: number, column: number, kind: CellKind, style: number, text: string): void {
    this.texts.push(text);
    this.add(row, column, kind, style, this.texts.length - 1);
  }

  #grow(): void {
    const size = this.rows.length * 2;
    const grown = <Column extends { set(other: Column): void }>(column: Column, made: Column): Column => {
      made.set(column);
      return made;
    };
    this.rows = grown(this.rows, new Int32Array(size));
    this.columns = grown(this.columns, new Int32Array(size));
    this.kinds = grown(this.kinds, new Uint8Array(size));
    this.styles = grown(this.styles, new Uint16Array(size));
    this.values = grown(this.values, new Int32Array(size));
    this.ends = grown(this.ends, new Int32Array(size));
  }
}

export interface CellRange {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

/** `B3` -> row 2, column 1; null where it is no address of a cell. */
export function readAddress(text: string): { row: number; column: number } | null {
  const match = /^\$?([A-Za-z]{1,3})\$?(\d{1,7})$/.exec(text);
  if (match === null) return null;
  let column = 0;
  for (const letter of (match[1] ?? '').toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
  const row = Number(match[2]);
  return row >= 1 && row <= maximumRows && column <= maximumColumns ? { row: row - 1, column: column - 1 } : null;
}

/** `A1:B2`, ends included; null where it is none. */
export function readRange(text: string): CellRange | null {
  const [first, last] = text.split(':').map(readAddress);
  if (!first) return null;
  const end = last ?? first;
  return { top: Math.min(first.row, end.row), left: Math.min(first.column, end.column), bottom: Math.max(first.row, end.row), right: Math.max(first.column, end.column) };
}

/** Of the format itself. */
export const maximumRows = 1_048_576;
export const maximumColumns = 16_384;
