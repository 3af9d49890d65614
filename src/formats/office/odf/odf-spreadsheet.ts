/** Sheets of an OpenDocument spreadsheet, row by row: the cells' texts are what the program showed. */
import { LecternError } from '../../../errors.js';
import type { ReadOptions } from '../../format-reader.js';
import type { XmlElement, XmlReader } from '../../xml.js';
import { numberOf } from '../docx/docx-styles.js';
import { addTables, TableBudget } from '../sheet-tables.js';
import type { SheetGridCell } from '../sheet-tables.js';
import { CellStore, cellKind, maximumColumns, maximumRows } from '../xlsx/sheet-cells.js';
import type { CellRange } from '../xlsx/sheet-cells.js';
import { findRegions } from '../xlsx/sheet-regions.js';
import { OdfBlockReader } from './odf-blocks.js';
import type { OdfContext } from './odf-context.js';
import { readOdfParagraph } from './odf-inline.js';
import { addOdfRemarks } from './odf-remarks.js';

interface Sheet {
  name: string;
  hidden: boolean;
  pageNumber: number;
  cells: CellStore;
  merges: CellRange[];
  drawn: XmlElement[];
  annotations: XmlElement[];
}

/** Elements around rows. */
const groups = new Set(['table:table-header-rows', 'table:table-rows', 'table:table-row-group']);

export class SheetReader {
  /** Sheets seen so far, delivered or not. */
  count = 0;
  readonly #budget = new TableBudget();
  readonly #sheets: Sheet[] = [];
  #row = 0;

  constructor(private readonly context: OdfContext, private readonly options: ReadOptions) {}

  get losses(): string[] {
    return this.#budget.losses;
  }

  get hidden(): { name: string }[] {
    return this.#sheets.filter(({ hidden }) => hidden);
  }

  /** The cursor stands at the start of a `table:table`, and at its end afterwards. */
  read(xml: XmlReader): void {
    const pageNumber = ++this.count;
    const [first, last] = this.options.pageRange;
    const name = xml.attribute('table:name') ?? '';
    if (pageNumber < first || pageNumber > last) return xml.skip();
    const hidden = this.context.styles.property('table', xml.attribute('table:style-name'), 'style:table-properties', 'table:display') === 'false';
    const sheet: Sheet = { name, hidden, pageNumber, cells: new CellStore(), merges: [], drawn: [], annotations: [] };
    this.#row = 0;
    this.#sheets.push(sheet);
    this.#rows(xml, sheet);
    this.#budget.takeCells(sheet.cells.count);
  }

  #rows(xml: XmlReader, sheet: Sheet): void {
    const depth = xml.depth;
    while (xml.nextChild(depth)) {
      if (groups.has(xml.name)) this.#rows(xml, sheet);
      else if (xml.name === 'table:table-row') this.#readRow(xml.element(), sheet);
      else if (xml.name === 'table:shapes') sheet.drawn.push(...xml.element().elements());
      else xml.skip();
    }
  }

  #readRow(row: XmlElement, sheet: Sheet): void {
    if (this.options.signal.aborted) throw new LecternError('cancelled');
    const repeated = Math.max(1, numberOf(row.get('table:number-rows-repeated')) ?? 1);
    const before = sheet.cells.count;
    this.#cells(row, sheet, this.#row);
    const filled = sheet.cells.count - before;
    for (let copy = 1; copy < repeated && filled > 0 && this.#row + copy < maximumRows; copy++) {
      if (sheet.cells.count + filled > this.#budget.cellsLeft) {
        this.#budget.cut(sheet.name);
        break;
      }
      for (let at = before; at < before + filled; at++) sheet.cells.add(this.#row + copy, sheet.cells.columns[at] ?? 0, cellKind.text, 0, sheet.cells.values[at] ?? 0);
    }
    this.#row += repeated;
  }

  #cells(row: XmlElement, sheet: Sheet, rowNumber: number): void {
    let column = 0;
    for (const cell of row.elements()) {
      if (cell.name !== 'table:table-cell' && cell.name !== 'table:covered-table-cell') continue;
      const repeated = Math.max(1, numberOf(cell.get('table:number-columns-repeated')) ?? 1);
      const text = cell.name === 'table:table-cell' ? this.#text(cell, sheet) : '';
      if (text !== '' && rowNumber < maximumRows) {
        for (let at = column; at < Math.min(column + repeated, maximumColumns); at++) {
          if (sheet.cells.count >= this.#budget.cellsLeft) {
            this.#budget.cut(sheet.name);
            return;
          }
          sheet.cells.addText(rowNumber, at, cellKind.text, 0, text);
        }
        const [down, across] = ['table:number-rows-spanned', 'table:number-columns-spanned'].map((name) => Math.max(1, numberOf(cell.get(name)) ?? 1));
        if (down !== 1 || across !== 1) {
          sheet.merges.push({ top: rowNumber, left: column, bottom: Math.min(maximumRows, rowNumber + (down ?? 1)) - 1, right: Math.min(maximumColumns, column + (across ?? 1)) - 1 });
        }
      }
      column += repeated;
    }
  }

  /** Several paragraphs are lines of one cell; a value without text is shown as it is stored. */
  #text(cell: XmlElement, sheet: Sheet): string {
    const lines: string[] = [];
    for (const child of cell.elements()) {
      if (child.name === 'text:p') {
        const { text, drawn } = readOdfParagraph(child, this.context.inline);
        lines.push(text.plain);
        sheet.drawn.push(...drawn.map(({ element }) => element));
      } else if (child.name.startsWith('draw:')) sheet.drawn.push(child);
      else if (child.name === 'office:annotation') sheet.annotations.push(child);
    }
    if (lines.length > 0) return lines.join('\n').trim();
    return cell.get('office:string-value') ?? cell.get('office:date-value') ?? cell.get('office:value') ?? '';
  }

  /** Writes all sheets: whether one needs its name above it depends on how many there are. */
  end(): void {
    const { builder } = this.context;
    for (const sheet of this.#sheets) {
      const { name, pageNumber, cells } = sheet;
      const layer = sheet.hidden ? 'invisible' as const : undefined;
      const regions = findRegions(cells, sheet.merges);
      const height = regions.reduce((most, { bottom }) => Math.max(most, bottom + 1), 1);
      const width = regions.reduce((most, { right }) => Math.max(most, right + 1), 1);
      builder.addPage(pageNumber, { width, height });
      const parent = builder.addGroup('sheet', `sheet: ${name}`, { layer });
      const at = [{ pageNumber, box: { left: 0, top: 0, right: width, bottom: height } }];
      if (this.count > 1) builder.addHeading(1, name, { parent, layer, at });
      const grids = regions.map((region) => ({ ...region, count: region.cells.length, cell: (index: number, into: SheetGridCell) => {
        const cell = region.cells[index] ?? 0;
        into.row = cells.rows[cell] ?? 0;
        into.column = cells.columns[cell] ?? 0;
        into.text = cells.texts[cells.values[cell] ?? 0] ?? '';
      } }));
      addTables(builder, grids, this.#budget, { parent, layer, pageNumber, sheet: name });
      const blocks = new OdfBlockReader(this.context, { parent, layer, at });
      for (const shape of sheet.drawn) blocks.read(shape);
      blocks.end();
      for (const annotation of sheet.annotations) this.context.inline.annotations.add(annotation);
      addOdfRemarks(this.context, { parent, layer, at });
    }
  }
}
