/** Reads the XML of a sheet by its few elements, straight into columns of numbers: no object for a tag, none for a cell. */
import { plainScript } from '../../../document/markdown-text.js';
import { LecternError } from '../../../errors.js';
import { carriageReturn, equalsSign, greaterThan, lastCodePoint, lessThan, letterCount, lineFeed, nine, singleQuote, slash, space, tab, upperA, upperZ, zero } from '../../character-codes.js';
import { decodeXml } from '../../xml-text.js';
import { CellStore, cellKind, maximumColumns, maximumRows, readRange } from './sheet-cells.js';
import type { CellKind, CellRange } from './sheet-cells.js';

export interface ScannedSheet {
  cells: CellStore;
  merges: CellRange[];
  /** False where there were more cells than wanted. */
  complete: boolean;
  /** The rest of the sheet behind its cells, for its few other elements. */
  tail: string;
}

/** Merged ranges that are read. */
const maximumMerges = 100_000;

/** First letters of the names of elements, attributes and kinds of values. */
const letterB = 98;
const letterC = 99;
const letterD = 100;
const letterE = 101;
const letterI = 105;
const letterR = 114;
const letterS = 115;
const letterT = 116;
const letterV = 118;
/** Differs between a letter's two cases. */
const caseBit = 32;
/** Letters of a column's name, and digits of a row's number. */
const mostColumnLetters = 3;
const mostDigits = 8;
const rowName = 'row';

function damaged(subject: string): LecternError {
  return new LecternError('invalid_document', `${subject} is damaged: it is not well-formed XML.`);
}

const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Text with references to characters, and with Excel's own `_x000D_`, replaced. */
export function decodeCellText(text: string): string {
  let decoded = text;
  if (decoded.includes('&')) {
    decoded = decoded.replace(/&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/g, (_, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return named[name] as string;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= lastCodePoint ? String.fromCodePoint(code) : '\ufffd';
    });
  }
  return decoded.includes('_x') ? decoded.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))) : decoded;
}

class SheetScanner {
  readonly cells: CellStore;
  complete = true;
  #at = 0;
  #row: number;
  #column = -1;

  constructor(private readonly xml: string, private readonly prefix: string, private readonly subject: string, private readonly most: number, firstRow = 0) {
    this.cells = new CellStore(xml);
    this.#row = firstRow - 1;
  }

  /** Gives the position behind the cells. */
  scan(from: number): number {
    const { xml } = this;
    const skip = this.prefix.length;
    this.#at = from;
    for (;;) {
      const open = xml.indexOf('<', this.#at);
      if (open < 0) throw damaged(this.subject);
      const name = open + 1 + skip;
      const first = xml.charCodeAt(name);
      const second = xml.charCodeAt(name + 1);
      if (first === letterC && (second === space || second === greaterThan || second === slash || second === lineFeed || second === carriageReturn || second === tab)) {
        this.#cell(name + 1);
        if (this.cells.count > this.most) {
          this.cells.count = this.most;
          this.complete = false;
          return this.#end();
        }
      } else if (first === letterR && xml.startsWith(rowName, name)) this.#beginRow(name + rowName.length);
      else if (xml.charCodeAt(open + 1) === slash && xml.startsWith('sheetData', open + 2 + skip)) return open;
      else this.#at = this.#tagEnd(open);
    }
  }

  #end(): number {
    const end = this.xml.indexOf(`</${this.prefix}sheetData`, this.#at);
    if (end < 0) throw damaged(this.subject);
    return end;
  }

  #tagEnd(from: number): number {
    const end = this.xml.indexOf('>', from);
    if (end < 0) throw damaged(this.subject);
    return end + 1;
  }

  /** Rows and cells without an address follow the one before. */
  #beginRow(from: number): void {
    const end = this.#tagEnd(from);
    const at = this.xml.slice(from, end).search(/\sr=["']/);
    this.#row = at < 0 ? this.#row + 1 : this.#digits(from + at + 4) - 1;
    this.#column = -1;
    this.#at = end;
  }

  #digits(from: number): number {
    let number = 0;
    for (let at = from; at < from + mostDigits; at++) {
      const code = this.xml.charCodeAt(at);
      if (code < zero || code > nine) break;
      number = number * 10 + code - zero;
    }
    return number;
  }

  #cell(from: number): void {
    const { xml } = this;
    let type = 0;
    let typeNext = 0;
    let style = 0;
    let column = this.#column + 1;
    let row = this.#row;
    let at = from;
    for (; ; at++) {
      const code = xml.charCodeAt(at);
      if (code === greaterThan) break;
      if (code !== code || code === lessThan) throw damaged(this.subject);
      if (code !== equalsSign) continue;
      const quote = xml.charCodeAt(at + 1);
      const name = xml.charCodeAt(at - 1);
      const single = xml.charCodeAt(at - 2) <= space;
      const value = at + 2;
      if (single && name === letterR) {
        column = 0;
        let digits = value;
        for (; digits < value + mostColumnLetters; digits++) {
          const letter = xml.charCodeAt(digits) & ~caseBit;
          if (letter < upperA || letter > upperZ) break;
          column = column * letterCount + letter - upperA + 1;
        }
        column--;
        row = this.#digits(digits) - 1;
      } else if (single && name === letterT) {
        type = xml.charCodeAt(value);
        typeNext = xml.charCodeAt(value + 1);
      } else if (single && name === letterS) style = this.#digits(value);
      at = xml.indexOf(quote === singleQuote ? "'" : '"', value);
      if (at < 0) throw damaged(this.subject);
    }
    this.#at = at + 1;
    this.#column = column;
    if (xml.charCodeAt(at - 1) === slash) return;
    this.#contents(row, column, type, typeNext, style);
  }

  /** The children of a cell up to its end: a value, a formula whose value is beside it, or text of its own. */
  #contents(row: number, column: number, type: number, typeNext: number, style: number): void {
    const { xml } = this;
    const skip = this.prefix.length;
    let rich: string | null = null;
    let start = 0;
    let until = 0;
    for (;;) {
      const open = xml.indexOf('<', this.#at);
      if (open < 0) throw damaged(this.subject);
      if (xml.charCodeAt(open + 1) === slash) {
        this.#at = this.#tagEnd(open);
        if (xml.charCodeAt(open + 2 + skip) === letterC) break;
        continue;
      }
      const name = xml.charCodeAt(open + 1 + skip);
      const end = this.#tagEnd(open);
      this.#at = end;
      if (xml.charCodeAt(end - 2) === slash) continue;
      if (name === letterV) {
        const close = xml.indexOf('<', end);
        start = end;
        until = close < 0 ? xml.length : close;
        this.#at = until;
      } else if (name === letterI && xml.charCodeAt(open + 2 + skip) === letterS) {
        const close = xml.indexOf(`</${this.prefix}is>`, end);
        if (close < 0) throw damaged(this.subject);
        rich = richText(xml.slice(end, close), this.prefix);
        this.#at = close;
      }
    }
    if (start === until && (rich === null || rich === '') || row < 0 || row >= maximumRows || column < 0 || column >= maximumColumns) return;
    const kind = this.#kind(type, typeNext);
    if (start === until) this.cells.addText(row, column, kind === cellKind.error ? kind : cellKind.text, style, decodeCellText(rich ?? ''));
    else if (kind === cellKind.number) this.cells.add(row, column, kind, style, start, until);
    else if (kind === cellKind.shared) this.cells.add(row, column, kind, style, this.#index(start, until));
    else if (kind === cellKind.boolean) this.cells.add(row, column, kind, style, Number(xml.slice(start, until)) === 0 ? 0 : 1);
    else this.cells.addText(row, column, kind, style, decodeCellText(xml.slice(start, until)));
  }

  /** s(hared), str and inlineStr, b(oolean), e(rror), d(ate), n(umber), which is also what none means. */
  #kind(type: number, typeNext: number): CellKind {
    if (type === letterS) return typeNext === letterT ? cellKind.text : cellKind.shared;
    if (type === letterI || type === letterD) return cellKind.text;
    if (type === letterB) return cellKind.boolean;
    return type === letterE ? cellKind.error : cellKind.number;
  }

  /** Of a shared string; -1 where it is no such number. */
  #index(start: number, end: number): number {
    const index = Number(this.xml.slice(start, end));
    return Number.isInteger(index) && index < 2 ** 31 ? index : -1;
  }
}

/** The script of the run whose text begins at `open`. */
function scriptBefore(xml: string, open: number, prefix: string): 'sub' | 'super' | undefined {
  const run = xml.slice(Math.max(0, xml.lastIndexOf(`<${prefix}r>`, open)), open);
  const name = /vertAlign\s+val=["'](sub|super)script/.exec(run)?.[1];
  return name === 'sub' || name === 'super' ? name : undefined;
}

/** The texts of a string in runs, scripts in Unicode's script characters (a cell of numbers has no runs), without the readings that stand above Japanese ones. */
export function richText(xml: string, prefix: string): string {
  const own = xml.includes(`<${prefix}rPh`) ? withoutReadings(xml, prefix) : xml;
  const isScripted = own.includes('vertAlign');
  let text = '';
  for (let at = 0; ;) {
    const open = own.indexOf(`<${prefix}t`, at);
    if (open < 0) return text;
    const end = own.indexOf('>', open);
    if (end < 0) return text;
    at = end + 1;
    const after = own.charCodeAt(open + 2 + prefix.length);
    if (after !== greaterThan && after !== space || own.charCodeAt(end - 1) === slash) continue;
    const close = own.indexOf('<', at);
    const words = own.slice(at, close < 0 ? own.length : close);
    text += isScripted ? plainScript(words, scriptBefore(own, open, prefix)) : words;
    at = close < 0 ? own.length : close;
  }
}

/** The prefix with its colon that the part's elements have, '' for none; null where `name` is not its root. */
export function prefixOf(xml: string, name: string): string | null {
  const root = new RegExp(`<((?:[\\w.-]+:)?)${name}[\\s>/]`).exec(xml.slice(0, 100_000));
  return root === null ? null : root[1] ?? '';
}

function withoutReadings(xml: string, prefix: string): string {
  const [open, close] = [`<${prefix}rPh`, `</${prefix}rPh>`];
  let kept = '';
  let at = 0;
  for (;;) {
    const start = xml.indexOf(open, at);
    if (start < 0) return kept + xml.slice(at);
    kept += xml.slice(at, start);
    const end = xml.indexOf(close, start);
    if (end < 0) return kept;
    at = end + close.length;
  }
}

/** At most `most` cells that hold anything. `subject` begins messages. Throws LecternError `invalid_document`. */
export function scanSheet(bytes: Uint8Array, most: number, subject: string): ScannedSheet {
  const xml = decodeXml(bytes);
  const prefix = prefixOf(xml, 'worksheet');
  if (prefix === null) return { cells: new CellStore(), merges: [], complete: true, tail: '' };
  const data = xml.indexOf(`<${prefix}sheetData`);
  const scanner = new SheetScanner(xml, prefix, subject, most);
  const dataEnd = data < 0 ? 0 : xml.indexOf('>', data);
  const end = data < 0 || dataEnd < 0 || xml.charCodeAt(dataEnd - 1) === slash ? Math.max(0, dataEnd) : scanner.scan(dataEnd + 1);
  const tail = xml.slice(end);
  return { cells: scanner.cells, merges: readMerges(tail, prefix), complete: scanner.complete, tail };
}

/** The cells of whole rows, without the elements around them. A first row without an address is `firstRow`, from 0. Throws LecternError `invalid_document`. */
export function scanRows(rows: string, prefix: string, subject: string, firstRow: number): CellStore {
  const scanner = new SheetScanner(`${rows}</${prefix}sheetData>`, prefix, subject, Infinity, firstRow);
  scanner.scan(0);
  return scanner.cells;
}

function readMerges(tail: string, prefix: string): CellRange[] {
  const merges: CellRange[] = [];
  for (const [, reference = ''] of tail.matchAll(new RegExp(`<${prefix}mergeCell\\s[^>]*?ref="([^"]+)"`, 'g'))) {
    const range = readRange(reference);
    if (range !== null) merges.push(range);
    if (merges.length >= maximumMerges) break;
  }
  return merges;
}
