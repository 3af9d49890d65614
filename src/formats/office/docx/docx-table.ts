/** Tables of a DOCX: spans, cells that hold more than words, tables inside cells. */
import { InlineText } from '../../inline-runs.js';
import type { XmlElement } from '../../xml.js';
import { toggle } from '../office-package.js';
import { addRichTable } from '../rich-table.js';
import { DocxInlineReader } from './docx-inline.js';
import type { DocxPart } from './docx-part.js';
import { numberOf, readNumbering } from './docx-styles.js';
import type { DocxTarget, WriteDocxBlocks } from './docx-target.js';

/** Columns that Word allows. */
const maximumColumns = 63;

interface DocxCell {
  element: XmlElement;
  row: number;
  column: number;
  rowSpan: number;
  columnSpan: number;
  header: boolean;
}

/** Rows, through whatever stands around them; deleted ones are gone. */
function* rowsOf(table: XmlElement): Generator<XmlElement> {
  for (const child of table.elements()) {
    if (child.name === 'w:tr') {
      if (child.at('w:trPr', 'w:del') === undefined) yield child;
    } else if (child.name === 'w:sdt') {
      const content = child.child('w:sdtContent');
      if (content !== undefined) yield* rowsOf(content);
    } else if (child.name === 'w:ins' || child.name === 'w:customXml' || child.name === 'w:moveTo') yield* rowsOf(child);
  }
}

function* cellsOf(row: XmlElement): Generator<XmlElement> {
  for (const child of row.elements()) {
    if (child.name === 'w:tc') yield child;
    else if (child.name === 'w:sdt') {
      const content = child.child('w:sdtContent');
      if (content !== undefined) yield* cellsOf(content);
    } else if (child.name === 'w:customXml' || child.name === 'w:ins') yield* cellsOf(child);
  }
}

function readCells(table: XmlElement): { cells: DocxCell[]; rows: number; columns: number } {
  const cells: DocxCell[] = [];
  const above = new Map<number, DocxCell>();
  let rows = 0;
  let columns = 0;
  for (const row of rowsOf(table)) {
    const properties = row.child('w:trPr');
    let column = Math.min(maximumColumns, numberOf(properties?.child('w:gridBefore')?.get('w:val')) ?? 0);
    const header = rows === 0 || toggle(properties?.child('w:tblHeader')) === true;
    for (const element of cellsOf(row)) {
      const own = element.child('w:tcPr');
      const columnSpan = Math.max(1, Math.min(maximumColumns, numberOf(own?.child('w:gridSpan')?.get('w:val')) ?? 1));
      const merge = own?.child('w:vMerge');
      const upper = above.get(column);
      if (merge !== undefined && merge.get('w:val') !== 'restart' && upper !== undefined) upper.rowSpan = rows - upper.row + 1;
      else {
        const cell: DocxCell = { element, row: rows, column, rowSpan: 1, columnSpan, header };
        if (merge === undefined) above.delete(column);
        else above.set(column, cell);
        cells.push(cell);
      }
      column += columnSpan;
    }
    columns = Math.max(columns, column);
    rows++;
  }
  return { cells, rows, columns };
}

/** The words of a cell that holds one paragraph without any formatting; null of all other cells. */
function plainText(part: DocxPart, cell: XmlElement): string | null {
  const blocks = [...cell.elements()].filter(({ name }) => name !== 'w:tcPr' && name !== 'w:bookmarkStart' && name !== 'w:bookmarkEnd');
  const [paragraph] = blocks;
  if (paragraph === undefined) return '';
  if (blocks.length > 1 || paragraph.name !== 'w:p') return null;
  const properties = paragraph.child('w:pPr');
  const numbering = readNumbering(properties).numId ?? part.styles.paragraph(properties?.child('w:pStyle')?.get('w:val') ?? null).numbering.numId;
  if (numbering !== null && numbering !== '0' && part.numberings.has(numbering)) return null;
  // This reads the paragraph in advance: notes and fields in it are counted when it is read for good.
  if ([...paragraph.descendants('w:fldChar')].length > 0 || [...paragraph.descendants('w:footnoteReference')].length > 0 || [...paragraph.descendants('w:endnoteReference')].length > 0) return null;
  const reader = new DocxInlineReader(part.inline);
  reader.read(paragraph);
  const { segments, drawn } = reader.paragraph;
  if (drawn.length > 0 || segments.length > 1) return null;
  const runs = (segments[0]?.text ?? new InlineText()).runs();
  const [only] = runs;
  if (only === undefined) return '';
  const isPlain = only.kind === 'text' && only.hyperlink === undefined && Object.values(only.formatting ?? {}).every((value) => value === false || value === 'baseline');
  return runs.length === 1 && isPlain ? only.text : null;
}

/**
 * Adds a table below the target's parent. One of a single cell is a frame around its contents, which stand for themselves.
 * `writeBlocks` writes what a cell holds.
 */
export function addDocxTable(part: DocxPart, target: DocxTarget, element: XmlElement, writeBlocks: WriteDocxBlocks): void {
  const { builder, ...place } = target;
  const { cells, rows, columns } = readCells(element);
  const [only] = cells;
  if (only === undefined) return;
  if (cells.length === 1 && rows === 1) {
    writeBlocks(only.element, target);
    return;
  }
  addRichTable(builder, rows, columns, cells.map(({ element: content, ...cell }) => ({
    ...cell, text: plainText(part, content), write: (group) => writeBlocks(content, { ...target, parent: group }),
  })), place);
}
