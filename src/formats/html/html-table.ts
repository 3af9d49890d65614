/** HTML tables as rows of entries: spans, headers and captions; tables that only lay out a page are recognised. */
import type { FlowBlock, FlowRun, FlowTable, FlowTableEntry } from '../flow/flow-blocks.js';
import { attribute, findElement, isElement, textOf } from './html-tree.js';
import type { Element } from './html-tree.js';
import { isHidden } from './visible-elements.js';

/** What the reader of the page provides for a table: the contents of its cells and of its caption. */
export interface TableContentReader {
  /** Whether tables that lay out blocks are taken apart, as in mail. */
  readonly hasLayoutTables: boolean;
  cell(element: Element): FlowBlock[];
  line(element: Element): FlowRun[];
}

interface HtmlRow {
  cells: Element[];
  inHead: boolean;
  /** Rows of its part of the table that follow it. */
  left: number;
}

function rowsOf(table: Element): HtmlRow[] {
  const rows: HtmlRow[] = [];
  const gather = (parent: Element, inHead: boolean): void => {
    const part: HtmlRow[] = [];
    for (const node of parent.childNodes) {
      if (!isElement(node) || isHidden(node)) continue;
      if (node.tagName === 'tr') {
        const cells = node.childNodes.filter(isElement).filter((cell) => (cell.tagName === 'td' || cell.tagName === 'th') && !isHidden(cell));
        part.push({ cells, inHead, left: 0 });
      } else if (node.tagName === 'thead' || node.tagName === 'tbody' || node.tagName === 'tfoot') {
        gather(node, node.tagName === 'thead');
      }
    }
    part.forEach((row, index) => { row.left = part.length - index - 1; });
    // One by one: as arguments of one call a hundred thousand rows are more than fit on the stack.
    for (const row of part) rows.push(row);
  };
  gather(table, false);
  return rows;
}

function span(cell: Element, name: string, most: number): number {
  const value = Number.parseInt(attribute(cell, name) ?? '1', 10);
  return Number.isNaN(value) || value < 0 ? 1 : Math.min(value, most);
}

/** Tables for layout: of one cell, or with the role of a presentation. */
function isLayout(table: Element, rows: HtmlRow[], mail: boolean): boolean {
  const role = attribute(table, 'role');
  if (role === 'presentation' || role === 'none') return true;
  const cells = rows.flatMap((row) => row.cells);
  if (cells.length <= 1) return true;
  if (cells.some((cell) => cell.tagName === 'th')) return false;
  return mail ? findElement(table, (element) => element.tagName === 'table' || element.tagName === 'img' || isHeading(element)) !== null : laysOutPage(table, rows, cells);
}

const isHeading = ({ tagName }: Element): boolean => /^h[1-6]$/.test(tagName);

/** Most cells of a table by which a page is laid out, of which one part of the page is enough; of larger ones half the cells must hold parts. */
const layoutCells = 12;

/** Whether a cell holds a part of a page: a heading, or a table beside other content. */
function holdsPart(cell: Element): boolean {
  if (findElement(cell, isHeading) !== null) return true;
  const children = cell.childNodes.filter((node) => isElement(node) ? !isHidden(node) : /\S/.test(textOf(node)));
  return children.length > 1 && children.some((node) => isElement(node) && (node.tagName === 'table' || findElement(node, ({ tagName }) => tagName === 'table') !== null));
}

/**
 * Pages without a style sheet are laid out by tables: without any header cell, caption or border, with headings and tables in their
 * cells, or as one column of parts.
 */
function laysOutPage(table: Element, rows: HtmlRow[], cells: Element[]): boolean {
  if (Number(attribute(table, 'border') ?? 0) > 0 || table.childNodes.some((node) => isElement(node) && (node.tagName === 'caption' || node.tagName === 'thead'))) return false;
  const isColumn = rows.length > 1 && rows.every((row) => row.cells.length === 1);
  if (isColumn && findElement(table, (element) => element.tagName === 'table' || isHeading(element)) !== null) return true;
  const parts = cells.filter(holdsPart).length;
  return parts > 0 && (cells.length <= layoutCells || parts * 2 >= cells.length);
}

/** Null where the table is layout: its content is then read as if it stood there without a table. */
export function readTable(table: Element, reader: TableContentReader): FlowTable | null {
  const rows = rowsOf(table).filter((row) => row.cells.length > 0);
  if (isLayout(table, rows, reader.hasLayoutTables)) return null;
  const captions = table.childNodes.filter(isElement).filter((node) => node.tagName === 'caption' && !isHidden(node));
  const entries = rows.map((row, index) => {
    const header = row.inHead || index === 0 && row.cells.every((cell) => cell.tagName === 'th');
    return row.cells.map((cell): FlowTableEntry => {
      const rowSpan = span(cell, 'rowspan', 65_534);
      return {
        blocks: reader.cell(cell), rowSpan: rowSpan === 0 ? row.left + 1 : rowSpan, columnSpan: Math.max(1, span(cell, 'colspan', 1000)),
        header: header ? 'column' : cell.tagName === 'th' ? 'row' : undefined,
      };
    });
  });
  return { kind: 'table', rows: entries, caption: captions.flatMap((element, index) => [...(index > 0 ? [{ text: ' ' }] : []), ...reader.line(element)]) };
}
