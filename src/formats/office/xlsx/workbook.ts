/** What the sheets of a workbook share: their list, the formats of numbers, the strings. */
import { LecternError } from '../../../errors.js';
import { numberOf } from '../docx/docx-styles.js';
import { builtinFormats, general, isShortDecimal, numberFormatter, shortened } from '../number-format.js';
import type { NumberFormatter } from '../number-format.js';
import { toggle } from '../office-package.js';
import type { OfficePackage } from '../office-package.js';
import { SharedStrings } from './shared-strings.js';
import { cellKind } from './sheet-cells.js';
import type { CellStore } from './sheet-cells.js';
import { decodeCellText } from './scan-sheet.js';

export interface SheetEntry {
  name: string;
  part: string;
  hidden: boolean;
}

export class Workbook {
  readonly sheets: SheetEntry[] = [];
  readonly strings: SharedStrings;
  readonly #date1904: boolean;
  readonly #codes = new Map<number, string>();
  readonly #styles: number[] = [];
  readonly #formatters = new Map<number, NumberFormatter>();

  constructor(readonly office: OfficePackage) {
    const main = office.mainPart('XLSX');
    const tree = office.tree(main);
    if (tree?.name !== 'workbook') throw new LecternError('invalid_document', 'The file is not an XLSX document.');
    this.#date1904 = toggle(tree.child('workbookPr'), 'date1904') === true && tree.child('workbookPr')?.get('date1904') !== undefined;
    const relationships = office.relationships(main);
    for (const sheet of tree.child('sheets')?.elements('sheet') ?? []) {
      const target = relationships.get(sheet.get('r:id') ?? '');
      if (target === undefined || target.external || target.type !== 'worksheet' && target.type !== 'chartsheet') continue;
      this.sheets.push({ name: sheet.get('name') ?? '', part: target.target, hidden: /^(?:hidden|veryHidden)$/.test(sheet.get('state') ?? '') });
    }
    const strings = office.related(main, 'sharedStrings');
    this.strings = new SharedStrings(strings === null ? null : office.archive.find(strings));
    this.#readStyles(office.related(main, 'styles'));
  }

  /** What a cell shows. */
  shown(cells: CellStore, index: number): string {
    const value = cells.values[index] ?? 0;
    switch (cells.kinds[index]) {
      case cellKind.shared: return this.strings.get(value);
      case cellKind.text: case cellKind.error: return cells.texts[value] ?? '';
      case cellKind.boolean: return value === 0 ? 'FALSE' : 'TRUE';
      default: return this.#number(cells.written(index), cells.styles[index] ?? 0);
    }
  }

  /** Most numbers of most sheets are written as they are shown: to a double and back would be the greatest part of reading them. */
  #number(written: string, style: number): string {
    const format = this.#formatter(style);
    if (format === general) {
      const shown = isShortDecimal(written) ? written : shortened(written);
      if (shown !== null) return shown;
    }
    const value = Number(written);
    return Number.isFinite(value) ? format(value) : decodeCellText(written);
  }

  #readStyles(part: string | null): void {
    const tree = this.office.tree(part);
    for (const format of tree?.child('numFmts')?.elements('numFmt') ?? []) {
      const id = numberOf(format.get('numFmtId'));
      if (id !== null) this.#codes.set(id, format.get('formatCode') ?? '');
    }
    for (const style of tree?.child('cellXfs')?.elements('xf') ?? []) this.#styles.push(numberOf(style.get('numFmtId')) ?? 0);
  }

  #formatter(style: number): NumberFormatter {
    let known = this.#formatters.get(style);
    if (known === undefined) {
      const id = this.#styles[style] ?? 0;
      known = numberFormatter(this.#codes.get(id) ?? builtinFormats[id] ?? '', this.#date1904);
      this.#formatters.set(style, known);
    }
    return known;
  }
}
