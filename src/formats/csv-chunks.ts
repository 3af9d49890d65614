/**
 * Separated values that are too many for one table: several tables, each with the first row as its header. Where each part lies in the file is found by one walk over its bytes; the cells of a part are made when a writer asks
 * for them and forgotten with the next part, so that memory does not grow with the number of rows.
 */
import { isUtf8 } from 'node:buffer';
import Papa from 'papaparse';
import type { DocumentBuilder } from '../document/builder.js';
import type { TableData } from '../document/model.js';
import { LecternError } from '../errors.js';
import { carriageReturn, doubleQuote, lineFeed } from './character-codes.js';
import { deferData, tableData } from './deferred-table.js';
import { maximumCells } from './flow/flow-table-grid.js';
import type { ReadOptions } from './format-reader.js';
import { separatorOf, statedSeparator } from './read-csv.js';
import { decode, guessRemark } from './text-encoding.js';

/** Cells of one part: its table and its markdown are some tens of megabytes. */
const partCells = 50_000;
/** Bytes of one part, if its rows are long; and of a cell in quotes, behind which a quotation mark is none. */
const partBytes = 4 * 1024 * 1024;
/** 300 MB of five columns are some 700 parts. */
const mostParts = 10_000;
const sampleBytes = 256 * 1024;
/** Bytes between two signs of life. */
const aliveBytes = 64 * 1024 * 1024;
const firstBeyondAscii = 0x80;
const byteOrderMark = Buffer.from('\ufeff');

/** Where the parts of a file begin, the first behind the header, and where the last one ends. */
interface Parts {
  starts: number[];
  headerEnd: number;
}

/** Whole lines from where the first byte beyond ASCII stands: only these tell the encoding. */
function tellingSample(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte >= firstBeyondAscii);
  const from = first < 0 ? 0 : bytes.lastIndexOf(lineFeed, first) + 1;
  const sample = bytes.subarray(from, from + sampleBytes);
  return sample.subarray(0, sample.lastIndexOf(lineFeed) + 1 || sample.length);
}

function encodingOf(bytes: Uint8Array): { encoding: string; guessed: string | null } {
  if (isUtf8(bytes)) return { encoding: 'utf-8', guessed: null };
  const { guessed } = decode(tellingSample(bytes));
  return { encoding: guessed ?? 'utf-8', guessed };
}

/** Quotation marks count at the begin of a cell alone, as the parser has it. */
function findParts(bytes: Uint8Array, separator: number, rowsOfPart: number, options: Pick<ReadOptions, 'signal' | 'alive'>): Parts {
  const starts: number[] = [];
  let [rows, begin, headerEnd, quoted, isStart, said] = [0, 0, -1, -1, true, 0];
  // Of the row that is read, and of the widest row of the part, its header included.
  let [rowBegin, columns, header, widest] = [0, 1, 1, 1];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (quoted >= 0) {
      if (byte === doubleQuote) {
        if (bytes[at + 1] === doubleQuote) at++;
        else quoted = -1;
      } else if (at - quoted > partBytes) quoted = -1;
      continue;
    }
    if (byte === doubleQuote && isStart) quoted = at;
    if (byte === separator) columns++;
    isStart = byte === separator || byte === lineFeed || byte === carriageReturn;
    if (byte !== lineFeed && (byte !== carriageReturn || bytes[at + 1] === lineFeed)) continue;
    // A table is as wide as its widest row: one that is much wider than those before it begins a part.
    if (headerEnd >= 0 && rows > 0 && columns > widest && (rows + 1) * columns > partCells) {
      starts.push(begin);
      [begin, rows, widest] = [rowBegin, 0, header];
    }
    rows++;
    widest = Math.max(widest, columns);
    if (headerEnd < 0) [headerEnd, begin, rows, header] = [at + 1, at + 1, 0, columns];
    else if (rows >= rowsOfPart || rows * widest >= partCells || at - begin >= partBytes) {
      starts.push(begin);
      [begin, rows, widest] = [at + 1, 0, header];
      if (at - said >= aliveBytes) {
        said = at;
        options.alive();
        if (options.signal.aborted) throw new LecternError('cancelled');
      }
    }
    if (starts.length > mostParts) throw new LecternError('too_large', 'The table would become more tables than one document may hold: its header is much wider than its rows, or it is too long.');
    [rowBegin, columns] = [at + 1, 1];
  }
  if (begin < bytes.length) starts.push(begin);
  return { starts: [...starts, bytes.length], headerEnd: Math.max(0, headerEnd) };
}

class CsvParts {
  #kept: { index: number; data: TableData } | null = null;
  readonly #header: string[];
  readonly #decode: (bytes: Uint8Array) => string;

  constructor(private readonly bytes: Uint8Array, private readonly parts: Parts, encoding: string, private readonly separator: string, private readonly options: ReadOptions) {
    const decoder = new TextDecoder(encoding);
    this.#decode = (part) => decoder.decode(part);
    this.#header = this.#rows(0, parts.headerEnd)[0] ?? [];
  }

  #rows(from: number, to: number): string[][] {
    const text = this.#decode(this.bytes.subarray(from, to)).replaceAll('\0', '');
    return Papa.parse<string[]>(text, { delimiter: this.separator }).data.filter((row) => row.length > 1 || row[0]?.trim() !== '');
  }

  /** The header and the rows of a part. */
  data(index: number): TableData {
    if (this.#kept?.index === index) return this.#kept.data;
    if (this.options.signal.aborted) throw new LecternError('cancelled');
    this.options.alive();
    this.#kept = null;
    const { starts } = this.parts;
    const rows = [this.#header, ...this.#rows(starts[index] ?? 0, starts[index + 1] ?? 0)];
    const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
    // Rows that the walk over the bytes took for narrower ones, and a last one without an end.
    if (rows.length * columns > maximumCells) throw new LecternError('too_large', 'A part of the table has more cells than one table may hold.');
    const cells = rows.flatMap((row, at) => Array.from({ length: columns }, (_, column) => ({ row: at, column, text: row[column]?.trim() ?? '', columnHeader: at === 0 })));
    const data = tableData(rows.length, columns, cells);
    this.#kept = { index, data };
    return data;
  }
}

/** Adds the tables, and returns what is to be remarked. Throws LecternError `too_large` for UTF-16, `cancelled`. */
export function addCsvParts(builder: DocumentBuilder, bytes: Uint8Array, named: string | null, options: ReadOptions): string[] {
  const { encoding, guessed } = encodingOf(bytes);
  if (/^utf-16/i.test(encoding) || bytes.subarray(0, sampleBytes).includes(0)) throw new LecternError('too_large', 'A table in UTF-16 has more cells than one table may hold; convert it to UTF-8 to have it in parts.');
  const head = new TextDecoder(encoding).decode(bytes.subarray(0, sampleBytes));
  const { separator: stated, rest } = statedSeparator(head.replace(/^\ufeff/, ''));
  const separator = stated ?? named ?? separatorOf(rest);
  const mark = byteOrderMark.every((byte, at) => bytes[at] === byte) ? byteOrderMark.length : 0;
  const from = stated === null ? mark : bytes.indexOf(lineFeed) + 1;
  const columns = Math.max(1, ...Papa.parse<string[]>(rest, { delimiter: separator, preview: 20 }).data.map((row) => row.length));
  const whole = bytes.subarray(from);
  const rowsOfPart = Math.max(1, Math.floor(partCells / columns));
  const parts = findParts(whole, separator.charCodeAt(0), rowsOfPart, options);
  const source = new CsvParts(whole, parts, encoding, separator, options);
  const count = parts.starts.length - 1;
  for (let index = 0; index < count; index++) deferData(builder.addTable(0, 0, []), () => source.data(index));
  return [...(guessed === null ? [] : [guessRemark(guessed)]), `The table has more cells than one table may hold: it is given as ${count} tables of at most ${rowsOfPart.toLocaleString('en')} rows, each with the first row as its header.`];
}
