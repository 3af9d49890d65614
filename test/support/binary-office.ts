/** Binary workbooks (XLSB) and files of Pages, Numbers and Keynote made in the tests, record by record and message by message. */
import { makeArchive, makePackage, relationship } from './office-files.js';

const bytes = (...values: number[]): Buffer => Buffer.from(values);
const u16 = (value: number): Buffer => bytes(value & 255, (value >> 8) & 255);
const u32 = (value: number): Buffer => Buffer.concat([u16(value & 0xffff), u16(value >>> 16)]);
const f64 = (value: number): Buffer => {
  const made = Buffer.alloc(8);
  made.writeDoubleLE(value);
  return made;
};
const wide = (text: string): Buffer => Buffer.concat([u32(text.length), Buffer.from(text, 'utf16le')]);

function varint(value: number): Buffer {
  const made: number[] = [];
  let left = value;
  do {
    made.push(left % 128 + (left >= 128 ? 128 : 0));
    left = Math.floor(left / 128);
  } while (left > 0);
  return Buffer.from(made);
}

/** A record: its number as it is counted, of which the upper part has seven bits too. */
function record(number: number, ...contents: Uint8Array[]): Buffer {
  const whole = Buffer.concat(contents);
  const head = number < 128 ? bytes(number) : bytes((number & 127) | 128, number >> 7);
  return Buffer.concat([head, varint(whole.length), whole]);
}

export type BinaryCell = string | number | boolean | { error: number } | { formula: number } | { shared: number; style?: number } | { compact: number; style?: number } | { rich: string; superscriptFrom: number } | null;

function cellRecord(column: number, cell: BinaryCell): Buffer {
  const place = (style = 0): Buffer => Buffer.concat([u32(column), u32(style)]);
  if (cell === null) return record(1, place());
  if (typeof cell === 'string') return record(6, place(), wide(cell));
  if (typeof cell === 'number') return record(5, place(), f64(cell));
  if (typeof cell === 'boolean') return record(4, place(), bytes(cell ? 1 : 0));
  if ('error' in cell) return record(3, place(), bytes(cell.error));
  if ('formula' in cell) return record(9, place(), f64(cell.formula), u16(0), u32(0), u32(0));
  if ('shared' in cell) return record(7, place(cell.style), u32(cell.shared));
  if ('rich' in cell) return record(62, place(), bytes(1), wide(cell.rich), u32(2), u16(0), u16(0), u16(cell.superscriptFrom), u16(1));
  // A whole number in 30 bits, a hundred times too large.
  return record(2, place(cell.style), u32(((cell.compact * 100) << 2 | 3) >>> 0));
}

export interface BinarySheet {
  name: string;
  state?: 0 | 1 | 2;
  rows: BinaryCell[][];
  /** First and last row, first and last column. */
  merges?: [number, number, number, number][];
  comment?: { author: string; text: string };
}

/** A workbook of one style (0: general, 1: `0.00%`, 2: `yyyy-mm-dd`). */
export function makeXlsb(sheets: BinarySheet[], strings: string[] = []): Uint8Array {
  const parts: Record<string, Uint8Array | string> = {};
  for (const [index, { rows, merges = [], comment }] of sheets.entries()) {
    const lines = rows.flatMap((cells, row) => [record(0, u32(row), u32(0), u16(300), bytes(0, 0, 0), u32(0)), ...cells.map((cell, column) => cellRecord(column, cell))]);
    const merged = merges.length === 0 ? [] : [record(177, u32(merges.length)), ...merges.map((range) => record(176, ...range.map(u32))), record(178)];
    parts[`xl/worksheets/sheet${index + 1}.bin`] = Buffer.concat([record(129), record(148, u32(0), u32(rows.length - 1), u32(0), u32(Math.max(...rows.map((cells) => cells.length)) - 1)), record(145), ...lines, record(146), ...merged, record(130)]);
    if (comment !== undefined) {
      parts[`xl/worksheets/_rels/sheet${index + 1}.bin.rels`] = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relationship('rId1', 'comments', `../comments${index + 1}.bin`)}</Relationships>`;
      parts[`xl/comments${index + 1}.bin`] = Buffer.concat([record(628), record(630), record(632, wide(comment.author)), record(631), record(633), record(635, u32(0), ...[0, 0, 0, 0].map(u32), Buffer.alloc(16)), record(637, bytes(0), wide(comment.text)), record(636), record(634), record(629)]);
    }
  }
  const font = (script: number): Buffer => record(43, u16(220), u16(0), u16(400), u16(script), bytes(0, 0, 0, 0), Buffer.alloc(8), bytes(0), wide('Calibri'));
  parts['xl/workbook.bin'] = Buffer.concat([record(131), record(153, u32(0), u32(0), wide('')), record(143), ...sheets.map(({ name, state = 0 }, index) => record(156, u32(state), u32(index + 1), wide(`rId${index + 1}`), wide(name))), record(144), record(132)]);
  parts['xl/styles.bin'] = Buffer.concat([record(278), record(615, u32(1)), record(44, u16(164), wide('yyyy-mm-dd')), record(616), record(611, u32(2)), font(0), font(1), record(612), record(617, u32(3)), ...[0, 10, 164].map((format) => record(47, u16(0), u16(format), Buffer.alloc(12))), record(618), record(279)]);
  parts['xl/sharedStrings.bin'] = Buffer.concat([record(159, u32(strings.length), u32(strings.length)), ...strings.map((text) => record(19, bytes(0), wide(text))), record(160)]);
  const related = [...sheets.map((_, index) => relationship(`rId${index + 1}`, 'worksheet', `worksheets/sheet${index + 1}.bin`)), relationship('rIdStyles', 'styles', 'styles.bin'), relationship('rIdStrings', 'sharedStrings', 'sharedStrings.bin')];
  return makePackage('xl/workbook.bin', parts, related.join(''));
}

/** All that the reader of XLSB knows. */
export function goldenXlsb(): Uint8Array {
  return makeXlsb([
    { name: 'Flow & levels', rows: [['Month', 'Flow', 'Share', 'Day'], [{ shared: 0 }, 4500, { compact: 0.25, style: 1 }, { compact: 45000, style: 2 }], [{ shared: 1 }, { formula: 12.5 }, true, { error: 0x2a }], [{ rich: '106', superscriptFrom: 2 }, null, 'a <b> & c', -3]], comment: { author: 'Ann Bell', text: 'Read twice.' } },
    { name: 'Merged', rows: [['Both piers', null], ['north', 'south']], merges: [[0, 0, 0, 1]] },
    { name: 'Hidden', state: 1, rows: [['not shown']] },
  ], ['May', 'Gr\u00fc\u00dfe \u6771\u4eac']);
}

/** A number of eight bytes, as damaged files have it in the place of a whole one. */
export interface Double { double: number }
export type Field = [field: number, value: number | Double | string | Uint8Array | Field[]];

/** A message of protocol buffers. */
export function message(fields: Field[]): Buffer {
  return Buffer.concat(fields.map(([field, value]) => {
    if (typeof value === 'number') return Buffer.concat([varint(field * 8), varint(value)]);
    if (typeof value === 'object' && 'double' in value) return Buffer.concat([varint(field * 8 + 1), f64(value.double)]);
    const contents = typeof value === 'string' ? Buffer.from(value) : value instanceof Uint8Array ? Buffer.from(value) : message(value);
    return Buffer.concat([varint(field * 8 + 2), varint(contents.length), contents]);
  }));
}

export interface MadeObject {
  id: number;
  type: number;
  fields: Field[];
  references?: number[];
  /** What the header states in the place of the length, by the length of the header with its size and of the body. */
  statedLength?: (header: number, body: number) => number | Double;
}

const reference = (id: number): Field[] => [[1, id]];

/** Snappy with a literal, and a copy where the text repeats its last eight bytes. */
function snappy(contents: Uint8Array): Buffer {
  const parts: Buffer[] = [varint(contents.length)];
  for (let at = 0; at < contents.length;) {
    const repeats = at >= 8 && Buffer.compare(Buffer.from(contents.subarray(at - 8, at)), Buffer.from(contents.subarray(at, at + 8))) === 0;
    if (repeats) {
      parts.push(bytes((4 << 2) | 1, 8));
      at += 8;
    } else {
      parts.push(bytes(0, contents[at] as number));
      at++;
    }
  }
  return Buffer.concat(parts);
}

function objectFile(objects: MadeObject[]): Buffer {
  const whole = Buffer.concat(objects.map(({ id, type, fields, references = [], statedLength = (_, body) => body }) => {
    const body = message(fields);
    const headerWith = (length: number | Double): Buffer => message([[1, id], [2, [[1, type], [3, length], ...(references.length === 0 ? [] : [[5, Buffer.concat(references.map(varint))] as Field])]]]);
    // Every double is as long as any other.
    const header = headerWith(statedLength(headerWith({ double: 0 }).length + 1, body.length));
    return Buffer.concat([varint(header.length), header, body]);
  }));
  const packed = snappy(whole);
  return Buffer.concat([bytes(0, packed.length & 255, (packed.length >> 8) & 255, packed.length >> 16), packed]);
}

/** A file of Pages: a body with a title, headings, a broken line, a header, a footnote and a table with a text of its own. */
export function goldenPages(): Uint8Array {
  const text = ['Pier report', 'Flow', 'The pump runs.\ufffc', 'Gr\u00fc\u00dfe\u2028from the pier', ''].join('\n');
  const [heading, plain] = [text.indexOf('Flow'), text.indexOf('The pump')];
  const style = (at: number, id: number): Field => [1, [[1, at], [2, reference(id)]]];
  const row = (values: string[]): Buffer => Buffer.concat(values.map((_, index) => Buffer.concat([bytes(5, 3, 0, 0, 0, 0, 0, 0), u32(8), u32(index + 1)])));
  const cells = (first: number, count: number): Buffer => Buffer.concat(Array.from({ length: count }, (_, index) => Buffer.concat([bytes(5, 3, 0, 0, 0, 0, 0, 0), u32(8), u32(first + index)])));
  const number = Buffer.concat([bytes(5, 2, 0, 0, 0, 0, 0, 0), u32(1), bytes(0x94, 0x11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), bytes(0x40 - 2, 0x30)]);
  const offsets = (...places: number[]): Buffer => Buffer.concat(places.map((place) => u16(place)));
  const tile: Field[] = [[5, [[1, 0], [6, row(['a', 'b'])], [7, offsets(0, 16)]]], [5, [[1, 1], [6, Buffer.concat([cells(3, 1), number])], [7, offsets(0, 16)]]]];
  const entry = (key: number, words: string): Field => [3, [[1, key], [3, words]]];
  const objects: MadeObject[] = [
    { id: 1, type: 10000, fields: [[4, reference(2)]], references: [2, 7] },
    { id: 2, type: 2001, fields: [[1, 0], [3, text], [5, [style(0, 3), style(heading, 4), style(plain, 5)]]], references: [8] },
    { id: 3, type: 2022, fields: [[1, [[1, 'Title']]]] }, { id: 4, type: 2022, fields: [[1, [[3, reference(6)]]]] }, { id: 5, type: 2022, fields: [[1, [[1, 'Body']]]] }, { id: 6, type: 2022, fields: [[1, [[1, 'Heading 2']]]] },
    { id: 7, type: 2001, fields: [[1, 1], [3, 'Running header']] },
    { id: 8, type: 6000, fields: [[1, [[11, reference(9)], [13, 1]]], [2, reference(10)]], references: [9, 10, 12] },
    { id: 9, type: 2001, fields: [[1, 3], [3, 'hidden caption']] },
    { id: 10, type: 6001, fields: [[4, [[3, [[1, [[1, 0], [2, reference(11)]]], [2, 256]]], [4, reference(13)]]], [6, 2], [7, 2], [8, 'Table of flow'], [9, 1], [22, 1]] },
    { id: 11, type: 6002, fields: tile },
    { id: 12, type: 2001, fields: [[1, 2], [3, 'A note at the foot.']] },
    { id: 13, type: 6005, fields: [[1, 1], entry(1, 'Month'), entry(2, 'Flow'), entry(3, 'May')] },
  ];
  return makePages(objects);
}

export function makePages(objects: MadeObject[]): Uint8Array {
  return makeArchive({ 'Index/Document.iwa': objectFile(objects), 'Metadata/DocumentIdentifier': 'x', 'preview.jpg': Buffer.from('x') });
}
