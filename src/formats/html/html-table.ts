/** HTML tables as rows of entries: spans, headers and captions; tables that only lay out a page are recognised. */
import type { FlowBlock, FlowRun, FlowTable, FlowTableEntry } from '../flow/flow-blocks.js';
import { attribute, findElement, isElement } from './html-tree.js';
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
  const cells = rows.reduce((sum, row) => sum + row.cells.length, 0);
  if (cells <= 1) return true;
  if (!mail || rows.some((row) => row.cells.some((cell) => cell.tagName === 'th'))) return false;
  return findElement(table, ({ tagName }) => tagName === 'table' || tagName === 'img' || /^h[1-6]$/.test(tagName)) !== null;
}

/** Null where the table is layout: its content is then read as if it stood there without a table. */
export function readTable(table: Element, reader: TableContentReader): FlowTable | null {
  const rows = rowsOf(table).filter((row) => row.cells.length > 0);
  if (isLayout(table, rows, reader.hasLayoutTables)) return null;
  const captionElement = table.childNodes.filter(isElement).find((node) => node.tagName === 'caption' && !isHidden(node));
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
  return { kind: 'table', rows: entries, caption: captionElement === undefined ? [] : reader.line(captionElement) };
}
