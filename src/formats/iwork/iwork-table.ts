/** A table of Pages, Numbers or Keynote: its cells lie row by row in tiles, and texts in lists beside them. */
import { LecternError } from '../../errors.js';
import type { FlowBlock, FlowTableEntry } from '../flow/flow-blocks.js';
import { maximumCells } from '../flow/flow-table-grid.js';
import type { IworkObjects, Message } from './iwa-archive.js';

/** Fields of the messages TST.TableModelArchive, DataStore, TileStorage, Tile, TileRowInfo and TableDataList. */
const model = { store: 4, rows: 6, columns: 7, name: 8, headerRows: 9, headerColumns: 10, nameShown: 22 } as const;
const store = { tiles: 3, strings: 4, richTexts: 17 } as const;
const tiles = { list: 1, size: 2, id: 1, tile: 2, rows: 5 } as const;
const row = { index: 1, cells: 6, offsets: 7, wide: 8 } as const;
const list = { entries: 3, key: 1, string: 3, segments: 4, richText: 9 } as const;
const usualTileRows = 256;
/** Kinds of cells. */
const kinds = { number: 2, text: 3, date: 5, boolean: 6, duration: 7, error: 8, rich: 9, currency: 10 } as const;
/** Days of dates count from 2001. */
const epochMs = Date.UTC(2001, 0, 1);
const cellHeaderBytes = 12;
const cellVersion = 5;
/** Bits of a cell's flags: which fields follow its header. */
const has = { decimal: 1, double: 2, seconds: 4, string: 8, rich: 16 } as const;
/** The fields with their sizes in bytes, in the order in which they stand. */
const cellFields = [[has.decimal, 16], [has.double, 8], [has.seconds, 8], [has.string, 4], [has.rich, 4]] as const;
const flagsAt = 8;
const decimalBytes = 16;
/** A decimal of 128 bits: its last byte, the bits of its sign and its exponent, and the bias of that; zeros that are written out. */
const decimalForm = { last: 15, sign: 0x80, exponent: 0x7f, exponentShift: 7, bias: 0x1820, mostZeros: 40 } as const;
/** Fifteen digits are shown. */
const largestShown = 10n ** 15n;

/** A decimal number (IEEE 754, 128 bits, binary significand) as it is written. */
export function decimal(bytes: Uint8Array): string {
  const [last, before] = [bytes[decimalForm.last] ?? 0, bytes[decimalForm.last - 1] ?? 0];
  let exponent = (((last & decimalForm.exponent) << decimalForm.exponentShift) | (before >> 1)) - decimalForm.bias;
  let significand = BigInt(before & 1);
  for (let at = decimalForm.last - 2; at >= 0; at--) significand = significand * 256n + BigInt(bytes[at] ?? 0);
  // What programs computed in doubles has no more digits that mean anything.
  for (; significand >= largestShown; exponent++) significand = (significand + 5n) / 10n;
  const sign = (last & decimalForm.sign) === 0 || significand === 0n ? '' : '-';
  while (exponent < 0 && significand % 10n === 0n && significand !== 0n) [significand, exponent] = [significand / 10n, exponent + 1];
  const digits = significand.toString();
  if (exponent >= 0) return exponent > decimalForm.mostZeros ? `${sign}${digits}e${exponent}` : `${sign}${significand === 0n ? '0' : digits + '0'.repeat(exponent)}`;
  const padded = digits.padStart(1 - exponent, '0');
  const [whole, fraction] = [padded.slice(0, exponent), padded.slice(exponent).replace(/0+$/, '')];
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

const sixty = 60;

function duration(seconds: number): string {
  const minutes = Math.floor(Math.abs(seconds) / sixty);
  return `${seconds < 0 ? '-' : ''}${Math.floor(minutes / sixty)}:${String(minutes % sixty).padStart(2, '0')}:${String(Math.floor(Math.abs(seconds) % sixty)).padStart(2, '0')}`;
}

function date(seconds: number): string {
  const time = epochMs + seconds * 1000;
  if (!(Math.abs(time) < 8.64e15)) return '';
  return new Date(time).toISOString().replace('T', ' ').replace(/(?: 00:00:00)?\.000Z$/, '');
}

class TableReader {
  readonly #strings: Map<number, string>;
  readonly #rich: Map<number, string>;

  constructor(private readonly objects: IworkObjects, private readonly data: Message, private readonly textOf: (storage: number) => string) {
    this.#strings = this.#list(store.strings, (entry) => entry.text(list.string));
    // An entry refers to a payload, which refers to the text.
    this.#rich = this.#list(store.richTexts, (entry) => this.objects.get(entry.references(list.richText)[0] ?? -1)?.message.references(1).map((id) => this.textOf(id)).join('') ?? '');
  }

  #list(field: number, value: (entry: Message) => string): Map<number, string> {
    const found = new Map<number, string>();
    const message = this.objects.get(this.data.references(field)[0] ?? -1)?.message;
    const parts = message === undefined ? [] : [message, ...message.references(list.segments).flatMap((id) => this.objects.get(id)?.message ?? [])];
    for (const part of parts) for (const entry of part.messages(list.entries)) found.set(entry.number(list.key), value(entry));
    return found;
  }

  /** Texts by row and column. */
  cells(rowCount: number, columnCount: number): string[][] {
    const grid = Array.from({ length: rowCount }, () => new Array<string>(columnCount).fill(''));
    const storage = this.data.message(store.tiles);
    const size = storage?.number(tiles.size) || usualTileRows;
    for (const entry of storage?.messages(tiles.list) ?? []) {
      const tile = this.objects.get(entry.references(tiles.tile)[0] ?? -1)?.message;
      const first = entry.number(tiles.id) * size;
      for (const line of tile?.messages(tiles.rows) ?? []) this.#row(line, grid[first + line.number(row.index)]);
    }
    return grid;
  }

  #row(line: Message, into: string[] | undefined): void {
    const [cells, offsets] = [line.bytes(row.cells)[0], line.bytes(row.offsets)[0]];
    if (into === undefined || cells === undefined || offsets === undefined) return;
    const unit = line.number(row.wide) === 0 ? 1 : 4;
    for (let column = 0; column < into.length && 2 * column + 1 < offsets.length; column++) {
      const offset = (offsets[2 * column] as number) | ((offsets[2 * column + 1] as number) << 8);
      if (offset !== 0xffff) into[column] = this.#cell(cells.subarray(offset * unit));
    }
  }

  #cell(bytes: Uint8Array): string {
    if (bytes.length < cellHeaderBytes || bytes[0] !== cellVersion) return '';
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const flags = view.getUint32(flagsAt, true);
    let at: number = cellHeaderBytes;
    const places = new Map<number, number>();
    for (const [flag, size] of cellFields) {
      if ((flags & flag) === 0) continue;
      if (at + size > bytes.length) return '';
      places.set(flag, at);
      at += size;
    }
    const double = (flag: number): number => (places.has(flag) ? view.getFloat64(places.get(flag) as number, true) : 0);
    const key = (flag: number): number => (places.has(flag) ? view.getUint32(places.get(flag) as number, true) : -1);
    switch (bytes[1]) {
      case kinds.number: case kinds.currency: {
        const place = places.get(has.decimal);
        return place === undefined ? String(double(has.double)) : decimal(bytes.subarray(place, place + decimalBytes));
      }
      case kinds.text: return this.#strings.get(key(has.string)) ?? '';
      case kinds.date: return date(double(has.seconds));
      case kinds.boolean: return double(has.double) > 0 ? 'TRUE' : 'FALSE';
      case kinds.duration: return duration(double(has.double));
      case kinds.error: return '#ERROR';
      case kinds.rich: return this.#rich.get(key(has.rich)) ?? '';
      default: return '';
    }
  }
}

/** The table of a model; null where it has no cells. `textOf` gives the words of a text object. */
export function iworkTable(objects: IworkObjects, table: Message, textOf: (storage: number) => string): FlowBlock | null {
  const data = table.message(model.store);
  const [rowCount, columnCount] = [table.number(model.rows), table.number(model.columns)];
  if (data === undefined || rowCount === 0 || columnCount === 0) return null;
  if (rowCount * columnCount > maximumCells) throw new LecternError('too_large', 'A table has more cells than a document may hold.');
  const grid = new TableReader(objects, data, textOf).cells(rowCount, columnCount);
  const [headerRows, headerColumns] = [table.number(model.headerRows), table.number(model.headerColumns)];
  while (grid.length > headerRows + 1 && grid.at(-1)?.every((text) => text === '') === true) grid.pop();
  let width = columnCount;
  while (width > 1 && grid.every((line) => line[width - 1] === '')) width--;
  const rows = grid.map((line, at) => line.slice(0, width).map((text, column): FlowTableEntry => ({
    blocks: text === '' ? [] : text.split('\n').map((words) => ({ kind: 'paragraph', runs: [{ text: words }] })), rowSpan: 1, columnSpan: 1, header: at < headerRows ? 'column' : column < headerColumns ? 'row' : undefined,
  })));
  const name = table.number(model.nameShown) === 0 ? '' : table.text(model.name);
  return { kind: 'table', rows, caption: name === '' ? [] : [{ text: name }] };
}
