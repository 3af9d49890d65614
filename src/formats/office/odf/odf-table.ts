/** Tables in OpenDocument texts and presentations. */
import type { XmlElement } from '../../xml.js';
import { numberOf } from '../docx/docx-styles.js';
import { addRichTable } from '../rich-table.js';
import type { RichCell } from '../rich-table.js';
import type { OdfContext, OdfTarget, WriteOdfBlocks } from './odf-context.js';
import { readOdfParagraph } from './odf-inline.js';

const maximumColumns = 1_024;
const maximumRows = 100_000;

interface OdfRow {
  element: XmlElement;
  header: boolean;
}

/** Rows in order, through the groups around them. */
export function* rowsOf(table: XmlElement, header = false): Generator<OdfRow> {
  for (const child of table.elements()) {
    if (child.name === 'table:table-row') yield { element: child, header };
    else if (child.name === 'table:table-header-rows') yield* rowsOf(child, true);
    else if (child.name === 'table:table-rows' || child.name === 'table:table-row-group') yield* rowsOf(child, header);
  }
}

/** The words of a cell that holds one paragraph without formatting or lists; null of all other cells. */
function plainText(context: OdfContext, cell: XmlElement): string | null {
  const [only, second] = [...cell.elements()].filter(({ name }) => name !== 'office:annotation');
  if (only === undefined) return '';
  if (second !== undefined || only.name !== 'text:p' || [...only.descendants('text:note')].length > 0) return null;
  const { text, drawn } = readOdfParagraph(only, context.inline);
  if (drawn.length > 0) return null;
  const [run, another] = text.runs();
  if (run === undefined) return '';
  const plain = run.kind === 'text' && run.hyperlink === undefined && Object.values(run.formatting ?? {}).every((value) => value === false || value === 'baseline');
  return another === undefined && plain ? run.text : null;
}

/**
 * Adds a table below the place; one of a single cell is a frame around its contents, which stand for themselves.
 * `writeBlocks` writes what a cell holds.
 */
export function addOdfTable(context: OdfContext, table: XmlElement, place: OdfTarget, writeBlocks: WriteOdfBlocks): void {
  const cells: RichCell[] = [];
  let rows = 0;
  let columns = 0;
  for (const { element, header } of rowsOf(table)) {
    let column = 0;
    for (const cell of element.elements()) {
      const repeated = Math.max(1, Math.min(maximumColumns - column, numberOf(cell.get('table:number-columns-repeated')) ?? 1));
      if (cell.name === 'table:table-cell') {
        for (let copy = 0; copy < repeated; copy++) {
          cells.push({
            row: rows, column: column + copy, header: header || rows === 0,
            rowSpan: Math.max(1, Math.min(maximumRows, numberOf(cell.get('table:number-rows-spanned')) ?? 1)),
            columnSpan: Math.max(1, Math.min(maximumColumns, numberOf(cell.get('table:number-columns-spanned')) ?? 1)),
            text: plainText(context, cell), write: (group) => writeBlocks(cell, { ...place, parent: group }),
          });
        }
      } else if (cell.name !== 'table:covered-table-cell') continue;
      column += repeated;
    }
    columns = Math.max(columns, column);
    if (++rows >= maximumRows) break;
  }
  const [only] = cells;
  if (only === undefined) return;
  if (cells.length === 1 && place.at === undefined) {
    if (only.text === null) writeBlocks(firstCell(table), place);
    else if (only.text !== '') context.builder.addText('text', only.text, place);
    return;
  }
  addRichTable(context.builder, rows, columns, cells, place);
}

function firstCell(table: XmlElement): XmlElement {
  for (const { element } of rowsOf(table)) for (const cell of element.elements('table:table-cell')) return cell;
  return table;
}
