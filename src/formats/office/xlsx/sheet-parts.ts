/**
 * Sheets of more cells than one document may hold: several tables, each with the first row as its header. The part of the archive is unpacked piece by piece and cut behind rows; one walk counts rows and columns, and the cells of
 * a table are made when a writer asks for them. Writers go through the tables in their order, so the same unpacking continues from table to table, and time is linear.
 */
import type { DocumentBuilder, NodeOptions } from '../../../document/builder.js';
import type { TableData } from '../../../document/model.js';
import type { CellInput } from '../../../document/table-grid.js';
import { LecternError } from '../../../errors.js';
import { slash } from '../../character-codes.js';
import { deferData, tableData } from '../../deferred-table.js';
import { maximumCells } from '../../flow/flow-table-grid.js';
import type { ReadOptions } from '../../format-reader.js';
import { prefixOf, scanRows } from './scan-sheet.js';
import type { CellStore } from './sheet-cells.js';
import { inOrder } from './sheet-regions.js';

/** XML of the rows of one table, in bytes: some 50,000 cells. */
const partBytes = 2 * 1024 * 1024;
/** Longer rows have more cells than the format allows, or texts beyond its 32,767 characters. */
const longestRowBytes = 64 * 1024 * 1024;
/** Before the first row stand widths of columns and views. */
const longestHeadBytes = 4 * 1024 * 1024;
/** Of one sheet: 20 GB of XML. */
const mostParts = 10_000;

export interface SheetSource {
  /** The part's bytes from the begin, unpacked piece by piece. */
  open: () => Iterator<Uint8Array>;
  shown: (cells: CellStore, index: number) => string;
  /** Begins messages. */
  subject: string;
}

/** XML of whole rows, without what is around them. */
interface RowsXml {
  xml: string;
  prefix: string;
}

/** Characters of an XML declaration, and one that names another encoding than UTF-8 or a part of it. */
const longestDeclaration = 200;
const otherEncoding = /^(?:\xef\xbb\xbf)?<\?xml[^>]*\sencoding\s*=\s*["'](?!utf-?8["']|us-ascii["'])/i;

/** Cuts what is between `sheetData` and its end behind the first row that ends past `partBytes`, which does not depend on how it is unpacked. */
function* rowsOf({ open, subject }: SheetSource): Generator<RowsXml> {
  const pieces = open();
  let held: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  let ended = false;
  /** Joins many pieces at once: one after the other each would be copied many times. */
  const more = (): void => {
    const taken: Uint8Array[] = [held];
    for (let bytes = 0; bytes <= partBytes && !ended;) {
      const next = pieces.next();
      if (next.done === true) ended = true;
      else {
        taken.push(next.value);
        bytes += next.value.length;
      }
    }
    held = Buffer.concat(taken);
  };
  const damaged = (): LecternError => new LecternError('invalid_document', `${subject} is damaged: it is not well-formed XML.`);
  let prefix: string | null = null;
  for (let begin = -1; begin < 0;) {
    if (ended || held.length > longestHeadBytes) throw damaged();
    more();
    if (held[1] === 0 || held[0] === 0 || (held[0] ?? 0) >= 0xfe) throw new LecternError('too_large', `${subject} is in UTF-16 and larger than can be read at once.`);
    if (otherEncoding.test(held.toString('latin1', 0, longestDeclaration))) throw new LecternError('too_large', `${subject} is in another encoding than UTF-8 and larger than can be read at once.`);
    prefix ??= prefixOf(held.toString('latin1'), 'worksheet');
    const data = prefix === null ? -1 : held.indexOf(`<${prefix}sheetData`);
    begin = data < 0 ? -1 : held.indexOf('>', data);
    if (begin >= 0) {
      if (held[begin - 1] === slash) return;
      held = held.subarray(begin + 1);
    }
  }
  const [rowEnd, dataEnd] = [`</${prefix ?? ''}row>`, `</${prefix ?? ''}sheetData`];
  for (;;) {
    while (!ended && held.length <= partBytes) more();
    let cut = held.indexOf(rowEnd, partBytes);
    while (cut < 0 && !ended && held.length < longestRowBytes && held.indexOf(dataEnd) < 0) {
      more();
      cut = held.indexOf(rowEnd, partBytes);
    }
    const last = held.indexOf(dataEnd);
    if (last >= 0 && (cut < 0 || cut > last)) {
      if (last > 0) yield { xml: held.toString('utf8', 0, last), prefix: prefix ?? '' };
      return;
    }
    if (cut < 0) throw held.length >= longestRowBytes ? new LecternError('too_large', `${subject} has a row that is longer than can be read.`) : damaged();
    yield { xml: held.toString('utf8', 0, cut + rowEnd.length), prefix: prefix ?? '' };
    held = held.subarray(cut + rowEnd.length);
  }
}

interface PartShape {
  firstRow: number;
  lastRow: number;
  left: number;
  right: number;
  /** Of sheets whose rows are wide and have few cells, a part of the file makes several. */
  tables: number;
}

/** Rows of a table beside its header, with so many columns. */
const rowsOfTable = (columns: number): number => Math.max(1, Math.floor(maximumCells / Math.max(1, columns)) - 1);

class SheetParts {
  readonly shapes: PartShape[] = [];
  #header: { column: number; text: string }[] = [];
  #headerRow = -1;
  #cursor: Generator<RowsXml> | null = null;
  #next = 0;
  #kept: { index: number; table: number; data: TableData } | null = null;
  #tables = 0;

  constructor(private readonly source: SheetSource, private readonly options: Pick<ReadOptions, 'signal' | 'alive'>) {
    for (const part of rowsOf(source)) this.#count(this.#scan(part, (this.shapes.at(-1)?.lastRow ?? -1) + 1));
  }

  #scan({ xml, prefix }: RowsXml, firstRow: number): CellStore {
    if (this.options.signal.aborted) throw new LecternError('cancelled');
    this.options.alive();
    return scanRows(xml, prefix, this.source.subject, firstRow);
  }

  /** A part without filled cells has a shape, too: it keeps the numbers of the others. */
  #count(cells: CellStore): void {
    const shape = { firstRow: Infinity, lastRow: this.shapes.at(-1)?.lastRow ?? -1, left: Infinity, right: -1, tables: 1 };
    for (let at = 0; at < cells.count; at++) {
      const [row = 0, column = 0] = [cells.rows[at], cells.columns[at]];
      shape.firstRow = Math.min(shape.firstRow, row);
      shape.lastRow = Math.max(shape.lastRow, row);
      shape.left = Math.min(shape.left, column);
      shape.right = Math.max(shape.right, column);
    }
    if (this.#headerRow < 0 && cells.count > 0) {
      this.#headerRow = shape.firstRow;
      this.#header = [...inOrder(cells)].filter((at) => cells.rows[at] === shape.firstRow).map((at) => ({ column: cells.columns[at] ?? 0, text: this.source.shown(cells, at) }));
    }
    shape.tables = Math.max(1, Math.ceil(new Set(cells.rows.subarray(0, cells.count)).size / rowsOfTable(this.#ranks(cells).size)));
    this.shapes.push(shape);
    this.#tables += shape.tables;
    if (this.#tables > mostParts) throw new LecternError('too_large', `${this.source.subject} would become more tables than one document may hold.`);
  }

  /** Before the last table that was read the unpacking begins anew. */
  #cells(index: number): CellStore {
    if (this.#cursor === null || index < this.#next) [this.#cursor, this.#next] = [rowsOf(this.source), 0];
    for (;;) {
      const { value } = this.#cursor.next() as IteratorResult<RowsXml, undefined>;
      if (value === undefined) throw new LecternError('internal', `${this.source.subject} ended before its part ${index}.`);
      if (this.#next++ === index) return this.#scan(value, (this.shapes[index - 1]?.lastRow ?? -1) + 1);
    }
  }

  /** The columns of a part's tables, those without a filled cell left out, with their places. */
  #ranks(cells: CellStore): Map<number, number> {
    const columns = new Set(this.#header.map(({ column }) => column));
    for (let at = 0; at < cells.count; at++) columns.add(cells.columns[at] ?? 0);
    return new Map([...columns].sort((one, other) => one - other).map((column, rank) => [column, rank]));
  }

  /** The header and the rows of one table of a part; rows without a filled cell are left out. */
  data(index: number, table: number): TableData {
    if (this.#kept?.index === index && this.#kept.table === table) return this.#kept.data;
    this.#kept = null;
    const cells = this.#cells(index);
    const rank = this.#ranks(cells);
    const most = rowsOfTable(rank.size);
    const made: CellInput[] = this.#header.map(({ column, text }) => ({ row: 0, column: rank.get(column) ?? 0, text, columnHeader: true }));
    let [filled, last] = [-1, this.#headerRow];
    for (const at of inOrder(cells)) {
      const row = cells.rows[at] ?? 0;
      if (row === this.#headerRow) continue;
      if (row !== last) [last, filled] = [row, filled + 1];
      const place = filled - table * most;
      if (place >= most) break;
      if (place >= 0) made.push({ row: place + 1, column: rank.get(cells.columns[at] ?? 0) ?? 0, text: this.source.shown(cells, at), columnHeader: false });
    }
    const data = tableData(1 + made.reduce((greatest, { row }) => Math.max(greatest, row), 0), rank.size, made);
    this.#kept = { index, table, data };
    return data;
  }
}

/** The extent of a sheet, from its first cell, and its tables, which `add` adds. */
export interface SheetInParts {
  width: number;
  height: number;
  tables: number;
  add: (builder: DocumentBuilder, place: NodeOptions & { pageNumber: number }) => void;
}

/** Walks over a sheet. Throws LecternError `invalid_document`, `too_large`, `cancelled`; so do the tables' cells. */
export function sheetInParts(source: SheetSource, options: Pick<ReadOptions, 'signal' | 'alive'>): SheetInParts {
  const parts = new SheetParts(source, options);
  const filled = [...parts.shapes.entries()].filter(([, { right }]) => right >= 0);
  const add = (builder: DocumentBuilder, { pageNumber, ...node }: NodeOptions & { pageNumber: number }): void => {
    for (const [index, { firstRow, lastRow, left, right, tables }] of filled) {
      const box = { left, top: firstRow, right: right + 1, bottom: lastRow + 1 };
      for (let table = 0; table < tables; table++) deferData(builder.addTable(0, 0, [], { ...node, at: [{ pageNumber, box }] }), () => parts.data(index, table));
    }
  };
  return { width: filled.reduce((most, [, { right }]) => Math.max(most, right + 1), 1), height: filled.reduce((most, [, { lastRow }]) => Math.max(most, lastRow + 1), 1), tables: filled.reduce((sum, [, { tables }]) => sum + tables, 0), add };
}
