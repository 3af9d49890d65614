/** The grid of an HTML table: rows, columns and spans of its cells by the algorithm of the HTML standard ("forming a table"), and which cells are headers. */
import type { HeaderKind } from './kinds.js';

/** A cell as the source writes it. Spans of 0 reach to the end of the row group. */
export interface SourceCell<Element> {
  element: Element;
  header: boolean;
  scope: string;
  rowSpan: number;
  columnSpan: number;
}

export interface SourceRow<Element> {
  /** `thead`, `tbody` or `tfoot`; rows of one group have the same `group`. */
  part: string;
  group: number;
  cells: SourceCell<Element>[];
}

export interface GridCell<Element> {
  element: Element;
  row: number;
  column: number;
  rowSpan: number;
  columnSpan: number;
  header: HeaderKind;
}

export interface Grid<Element> {
  rows: number;
  columns: number;
  cells: GridCell<Element>[];
}

/** The limits of the standard. */
const MOST_COLUMNS = 1000;
const MOST_ROWS = 65534;

interface Placed<Element> extends GridCell<Element> {
  source: SourceCell<Element>;
  part: string;
}

/** `rows` in the order of the grid: a `tfoot` that is written before the bodies stands behind them. */
export function formGrid<Element>(rows: readonly SourceRow<Element>[]): Grid<Element> {
  const taken = new Map<number, Set<number>>();
  const isTaken = (row: number, column: number): boolean => taken.get(row)?.has(column) === true;
  const placed: Placed<Element>[] = [];
  let columns = 0;
  for (const [row, { cells, group, part }] of rows.entries()) {
    let end = row;
    while (end < rows.length && rows[end]!.group === group) end++;
    let column = 0;
    for (const source of cells) {
      while (isTaken(row, column)) column++;
      const columnSpan = Math.min(MOST_COLUMNS, Math.max(1, source.columnSpan));
      const rowSpan = Math.min(end - row, source.rowSpan === 0 ? MOST_ROWS : source.rowSpan);
      for (let y = row; y < row + rowSpan; y++) {
        const line = taken.get(y) ?? new Set();
        taken.set(y, line);
        for (let x = column; x < column + columnSpan; x++) line.add(x);
      }
      placed.push({ element: source.element, row, column, rowSpan, columnSpan, header: 'none', source, part });
      column += columnSpan;
      columns = Math.max(columns, column);
    }
  }
  for (const cell of placed) cell.header = headerOf(cell, placed);
  return { rows: rows.length, columns, cells: placed.map(({ element, row, column, rowSpan, columnSpan, header }) => ({ element, row, column, rowSpan, columnSpan, header })) };
}

/** By `scope`; without one, a header cell in rows without data cells heads columns, one in columns without data cells heads rows. Cells of `thead` head columns. */
function headerOf<Element>(cell: Placed<Element>, cells: readonly Placed<Element>[]): HeaderKind {
  const { source: { header, scope }, part } = cell;
  if (header && /^row/u.test(scope)) return 'row';
  if (header && /^col/u.test(scope)) return 'column';
  if (part === 'thead') return 'column';
  if (!header) return 'none';
  const data = cells.filter((other) => !other.source.header && other.part !== 'thead');
  const besides = data.some((other) => other.row < cell.row + cell.rowSpan && cell.row < other.row + other.rowSpan);
  if (!besides) return 'column';
  const below = data.some((other) => other.column < cell.column + cell.columnSpan && cell.column < other.column + other.columnSpan);
  return !below || cell.column === 0 ? 'row' : 'column';
}
