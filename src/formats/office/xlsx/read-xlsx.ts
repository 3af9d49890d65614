/** XLSX to document: every sheet a page with its name as heading, its tables, what is drawn on it, and what was remarked. */
import { basename, extname } from 'node:path';
import { LecternError } from '../../../errors.js';
import { DocumentBuilder } from '../../../document/builder.js';
import type { GroupItem } from '../../../document/model.js';
import type { FoundPicture, ReadDocument, FormatReader, ReadOptions } from '../../format-reader.js';
import { addTables, hiddenSheets, TableBudget } from '../sheet-tables.js';
import type { SheetGridCell } from '../sheet-tables.js';
import { OfficePackage } from '../office-package.js';
import { addComments } from './cell-comments.js';
import { maximumColumns } from './sheet-cells.js';
import { sheetDrawings } from './xlsx-drawings.js';
import { findRegions } from './sheet-regions.js';
import { scanSheet } from './scan-sheet.js';
import { sheetInParts } from './sheet-parts.js';
import { Workbook } from './workbook.js';
import type { SheetEntry } from './workbook.js';

/** A sheet whose XML is longer is not unpacked as a whole: with its text and its cells it would be a gigabyte. */
const longestSheet = 128 * 1024 * 1024;

class WorkbookReader {
  readonly remarks: string[] = [];
  readonly pictures: FoundPicture[] = [];
  readonly budget = new TableBudget();

  /** `named`: each sheet has its name as heading. */
  constructor(private readonly workbook: Workbook, private readonly builder: DocumentBuilder, private readonly named: boolean, private readonly options: ReadOptions) {}

  read(sheet: SheetEntry, pageNumber: number): void {
    const { builder, workbook } = this;
    const { archive } = workbook.office;
    const layer = sheet.hidden ? 'invisible' as const : undefined;
    if (!archive.has(sheet.part)) {
      this.budget.lose(`The sheet "${sheet.name}" is missing from the file.`);
      return;
    }
    if ((archive.statedBytes(sheet.part) ?? 0) > longestSheet) {
      this.#readInParts(sheet, pageNumber);
      return;
    }
    const { cells, merges, complete } = scanSheet(archive.read(sheet.part), this.budget.cellsLeft, `The sheet "${sheet.name}"`);
    if (!complete) {
      this.#readInParts(sheet, pageNumber);
      return;
    }
    const regions = findRegions(cells, merges);
    const height = regions.reduce((most, { bottom }) => Math.max(most, bottom + 1), 1);
    const width = regions.reduce((most, { right }) => Math.max(most, right + 1), 1);
    builder.addPage(pageNumber, { width, height });
    const group: GroupItem = builder.addGroup('sheet', `sheet: ${sheet.name}`, { layer });
    const page = { left: 0, top: 0, right: width, bottom: height };
    if (this.named) builder.addHeading(1, sheet.name, { parent: group, layer, at: [{ pageNumber, box: { ...page, bottom: 0 } }] });
    const grids = regions.map((region) => ({ ...region, count: region.cells.length, cell: (index: number, into: SheetGridCell) => {
      const at = region.cells[index] ?? 0;
      into.row = cells.rows[at] ?? 0;
      into.column = cells.columns[at] ?? 0;
      into.text = workbook.shown(cells, at);
    } }));
    const place = { parent: group, layer, at: [{ pageNumber, box: page }] };
    const drawings = sheetDrawings(workbook.office, sheet.part, builder, place, this.pictures);
    for (const grid of grids) {
      const begin = grid.top * maximumColumns + grid.left;
      while (drawings[0] !== undefined && drawings[0].place < begin) drawings.shift()?.add();
      addTables(builder, [grid], this.budget, { parent: group, layer, pageNumber, sheet: sheet.name });
    }
    for (const { add } of drawings) add();
    addComments(workbook.office, sheet.part, builder, place);
  }

  /** What is drawn on the sheet stands behind its tables. */
  #readInParts(sheet: SheetEntry, pageNumber: number): void {
    const { builder, workbook } = this;
    const layer = sheet.hidden ? 'invisible' as const : undefined;
    const { archive } = workbook.office;
    const subject = `The sheet "${sheet.name}"`;
    const { width, height, tables, add: addTablesOf } = sheetInParts({ open: () => archive.pieces(sheet.part), shown: (cells, index) => workbook.shown(cells, index), subject }, this.options);
    builder.addPage(pageNumber, { width, height });
    const group: GroupItem = builder.addGroup('sheet', `sheet: ${sheet.name}`, { layer });
    if (this.named) builder.addHeading(1, sheet.name, { parent: group, layer, at: [{ pageNumber, box: { left: 0, top: 0, right: width, bottom: 0 } }] });
    addTablesOf(builder, { parent: group, layer, pageNumber });
    const place = { parent: group, layer, at: [{ pageNumber, box: { left: 0, top: 0, right: width, bottom: height } }] };
    for (const { add } of sheetDrawings(workbook.office, sheet.part, builder, place, this.pictures)) add();
    addComments(workbook.office, sheet.part, builder, place);
    this.remarks.push(`${subject} has more cells than one table may hold: it is given as ${tables} tables, each with its first row as the header.`);
  }
}

/** Reads an XLSX; formulas show the values that were saved with them. Throws LecternError as every FormatReader. */
export const readXlsx: FormatReader = (bytes, options): ReadDocument => {
  const workbook = new Workbook(new OfficePackage(bytes, 'XLSX'));
  const builder = new DocumentBuilder({ name: basename(options.filename, extname(options.filename)), origin: options, coordOrigin: 'TOPLEFT' });
  // The only sheet of an XLS has no heading, as that of an ODS: so does the contract's own converter.
  const reader = new WorkbookReader(workbook, builder, options.mimetype !== 'application/vnd.ms-excel' || workbook.sheets.length > 1, options);
  const [first, last] = options.pageRange;
  for (const [index, sheet] of workbook.sheets.entries()) {
    if (options.signal.aborted) throw new LecternError('cancelled');
    if (index + 1 >= first && index + 1 <= last) reader.read(sheet, index + 1);
  }
  return { document: builder.document, pictures: reader.pictures, losses: reader.budget.losses, remarks: [...hiddenSheets(workbook.sheets.filter(({ hidden }) => hidden)), ...reader.remarks], pageCount: workbook.sheets.length === 0 ? null : workbook.sheets.length };
};
