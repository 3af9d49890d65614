/**
 * Binary workbooks (XLSB): the package is that of an XLSX, its sheets, strings, styles and notes are records (MS-XLSB). Each such part is written as the XML part that it stands for, and the
 * reader of XLSX reads the whole. There is no kept library: SheetJS left npm.
 */
import { strToU8, zipSync } from 'fflate';
import { Archive, looksLikeArchive } from '../../archive.js';
import type { FormatReader } from '../../format-reader.js';
import { OfficePackage } from '../office-package.js';
import { readXlsx } from '../xlsx/read-xlsx.js';
import { recordsOf } from './binary-records.js';
import type { RecordFields } from './binary-records.js';

/** Numbers of records (MS-XLSB 2.3.2). */
const record = {
  rowHeader: 0, commentAuthor: 632, beginComment: 635, commentText: 637, bundledSheet: 156, workbookProperties: 153, mergedCell: 176, sharedString: 19, format: 44, font: 43, cellFormat: 47,
  beginCellFormats: 617, endCellFormats: 618, beginSheet: 129, endSheet: 130, beginBook: 131, beginStrings: 159, beginStyles: 278, beginComments: 628,
} as const;
const spreadsheet = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
const errors: Record<number, string> = { 0: '#NULL!', 7: '#DIV/0!', 0x0f: '#VALUE!', 0x17: '#REF!', 0x1d: '#NAME?', 0x24: '#NUM!', 0x2a: '#N/A', 0x2b: '#GETTING_DATA' };
const states = ['visible', 'hidden', 'veryHidden'];
/** Of a font: none, superscript, subscript. */
const scripts = ['', 'superscript', 'subscript'];
/** Cells with a column of their own have these numbers, those that follow the cell before them 10 more. */
const cellRecords = { first: 1, last: 11, string: 62, shortFirst: 12, shortLast: 18 } as const;
/** What is in a cell: values, and values of formulas. */
const cells = { compact: 2, error: 3, boolean: 4, double: 5, text: 6, shared: 7, ofText: 8, ofDouble: 9, ofBoolean: 10, ofError: 11 } as const;
/** Styles have 24 bits. */
const styleMask = 0xffffff;
const maximumRuns = 10_000;

/** Characters that XML cannot hold are Excel's own escapes. */
function escaped(text: string): string {
  return text.replace(/[&<>]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character] as string)
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|_x[0-9a-fA-F]{4}_/g, (found) => [...found].slice(0, 1).map((one) => `_x${one.charCodeAt(0).toString(16).padStart(4, '0')}_`).join('') + found.slice(1));
}

/** A string with runs in other fonts, of which only the script counts. */
function richText(fields: RecordFields, fonts: string[]): string {
  const flags = fields.byte();
  const text = fields.text();
  const run = (words: string, script: string): string => `<r>${script === '' ? '' : `<rPr><vertAlign val="${script}"/></rPr>`}<t xml:space="preserve">${escaped(words)}</t></r>`;
  if ((flags & 1) === 0) return run(text, '');
  const count = Math.min(fields.int(), maximumRuns);
  const starts = Array.from({ length: count }, () => ({ at: fields.short(), script: fonts[fields.short()] ?? '' }));
  if (starts[0]?.at !== 0) starts.unshift({ at: 0, script: '' });
  return starts.map(({ at, script }, index) => run(text.slice(at, starts[index + 1]?.at), script)).join('');
}

/** As Excel writes it: `1E-7`, and never as a short decimal where it is none. */
const numeral = (value: number): string => String(value).toUpperCase();

function cellAddress(row: number, column: number): string {
  let name = '';
  for (let left = column + 1; left > 0; left = Math.floor((left - 1) / 26)) name = String.fromCharCode(65 + (left - 1) % 26) + name;
  return `${name}${row + 1}`;
}

/** The type of a cell and what is in it; null for a blank one. */
function cellContents(number: number, fields: RecordFields, fonts: string[]): [type: string, xml: string] | null {
  switch (number) {
    case cells.compact: return ['n', `<v>${numeral(fields.compact())}</v>`];
    case cells.error: case cells.ofError: return ['e', `<v>${errors[fields.byte()] ?? '#VALUE!'}</v>`];
    case cells.boolean: case cells.ofBoolean: return ['b', `<v>${fields.byte() === 0 ? 0 : 1}</v>`];
    case cells.double: case cells.ofDouble: return ['n', `<v>${numeral(fields.double())}</v>`];
    case cells.text: case cells.ofText: return ['str', `<v>${escaped(fields.text())}</v>`];
    case cells.shared: return ['s', `<v>${fields.int()}</v>`];
    case cellRecords.string: return ['inlineStr', `<is>${richText(fields, fonts)}</is>`];
    default: return null;
  }
}

function sheetXml(bytes: Uint8Array, fonts: string[]): string {
  const [rows, merges]: [string[], string[]] = [[], []];
  let [row, column] = [0, -1];
  let complete = false;
  for (const { number, fields } of recordsOf(bytes)) {
    if (number === record.endSheet) complete = true;
    else if (number === record.rowHeader) [row, column] = [fields.int(), -1];
    else if (number >= cellRecords.first && number <= cellRecords.shortLast || number === cellRecords.string) {
      const short = number >= cellRecords.shortFirst && number <= cellRecords.shortLast;
      column = short ? column + 1 : fields.int();
      const style = fields.int() & styleMask;
      const contents = cellContents(short ? number - cellRecords.last : number, fields, fonts);
      if (contents !== null) rows.push(`<c r="${cellAddress(row, column)}" s="${style}" t="${contents[0]}">${contents[1]}</c>`);
    } else if (number === record.mergedCell) {
      const [top, bottom, left, right] = [fields.int(), fields.int(), fields.int(), fields.int()];
      merges.push(`<mergeCell ref="${cellAddress(top, left)}:${cellAddress(bottom, right)}"/>`);
    }
  }
  // A sheet that is cut off becomes XML that is: the reader of XLSX refuses it by its name.
  if (!complete) return `<worksheet ${spreadsheet}><sheetData><row><c`;
  return `<worksheet ${spreadsheet}><sheetData><row>${rows.join('')}</row></sheetData><mergeCells>${merges.join('')}</mergeCells></worksheet>`;
}

function workbookXml(bytes: Uint8Array): string {
  const sheets: string[] = [];
  let dates = '';
  for (const { number, fields } of recordsOf(bytes)) {
    if (number === record.workbookProperties && (fields.int() & 1) === 1) dates = '<workbookPr date1904="1"/>';
    else if (number === record.bundledSheet) {
      const state = states[fields.int()] ?? 'visible';
      const id = fields.skip(4).text();
      const quoted = (text: string): string => escaped(text).replace(/"/g, '&quot;');
      sheets.push(`<sheet name="${quoted(fields.text())}" state="${state}" r:id="${quoted(id)}"/>`);
    }
  }
  return `<workbook ${spreadsheet}>${dates}<sheets>${sheets.join('')}</sheets></workbook>`;
}

function stylesXml(bytes: Uint8Array): string {
  const [formats, styles]: [string[], string[]] = [[], []];
  let ofCells = false;
  for (const { number, fields } of recordsOf(bytes)) {
    if (number === record.format) formats.push(`<numFmt numFmtId="${fields.short()}" formatCode="${escaped(fields.text()).replace(/"/g, '&quot;')}"/>`);
    else if (number === record.beginCellFormats) ofCells = true;
    else if (number === record.endCellFormats) ofCells = false;
    else if (number === record.cellFormat && ofCells) styles.push(`<xf numFmtId="${fields.skip(2).short()}"/>`);
  }
  return `<styleSheet ${spreadsheet}><numFmts>${formats.join('')}</numFmts><cellXfs>${styles.join('')}</cellXfs></styleSheet>`;
}

/** The script of each font. */
function fontScripts(bytes: Uint8Array | undefined): string[] {
  const fonts: string[] = [];
  for (const { number, fields } of bytes === undefined ? [] : recordsOf(bytes)) if (number === record.font) fonts.push(scripts[fields.skip(6).short()] ?? '');
  return fonts;
}

function stringsXml(bytes: Uint8Array, fonts: string[]): string {
  const strings: string[] = [];
  for (const { number, fields } of recordsOf(bytes)) if (number === record.sharedString) strings.push(`<si>${richText(fields, fonts)}</si>`);
  return `<sst ${spreadsheet}>${strings.join('')}</sst>`;
}

function commentsXml(bytes: Uint8Array): string {
  const [authors, comments]: [string[], string[]] = [[], []];
  let author = 0;
  for (const { number, fields } of recordsOf(bytes)) {
    if (number === record.commentAuthor) authors.push(`<author>${escaped(fields.text())}</author>`);
    else if (number === record.beginComment) author = fields.int();
    else if (number === record.commentText) comments.push(`<comment authorId="${author}"><text>${richText(fields, [])}</text></comment>`);
  }
  return `<comments ${spreadsheet}><authors>${authors.join('')}</authors><commentList>${comments.join('')}</commentList></comments>`;
}

/** The first record says what a part is; null for parts of other programs, such as settings of printers. */
function kindOf(bytes: Uint8Array): number | null {
  for (const { number } of recordsOf(bytes)) return number;
  return null;
}

function asXml(bytes: Uint8Array, fonts: string[]): string | null {
  switch (kindOf(bytes)) {
    case record.beginSheet: return sheetXml(bytes, fonts);
    case record.beginBook: return workbookXml(bytes);
    case record.beginStyles: return stylesXml(bytes);
    case record.beginStrings: return stringsXml(bytes, fonts);
    case record.beginComments: return commentsXml(bytes);
    default: return null;
  }
}

/** Reads an XLSB. Throws LecternError as every FormatReader. */
export const readXlsb: FormatReader = (bytes, options) => {
  // Refuses what is no package, or a locked one.
  if (!looksLikeArchive(bytes)) return readXlsx(bytes, options);
  new OfficePackage(bytes, 'XLSB').mainPart('XLSB');
  const parts = new Map(new Archive(bytes).files().map(({ name, read }) => [name, read]));
  const styles = [...parts].find(([name]) => /styles\.bin$/i.test(name));
  const fonts = fontScripts(styles?.[1]());
  const made = Object.fromEntries([...parts].map(([name, read]) => {
    const part = read();
    const xml = /\.bin$/i.test(name) ? asXml(part, fonts) : null;
    return [name, xml === null ? part : strToU8(xml)];
  }));
  return readXlsx(zipSync(made, { level: 0 }), options);
};
