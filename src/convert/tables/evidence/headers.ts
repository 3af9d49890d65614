/** Finds header rows and row headers of a grid, and the spans of header cells over the rows and columns below them. */
import type { TableArea } from './table-area.js';
import type { Chunk } from './chunks.js';
import type { Grid, GridCell } from './grid.js';
import { textOfCell } from './findings.js';
import { isValue, isYear } from '../../wording/cell-text.js';

export interface Headers {
  /** The number of header rows at the top. */
  rows: number;
  /** Whether the first column contains row headers. */
  firstColumn: boolean;
}

const MAX_HEADER_ROWS = 5;

export function findHeaders(area: TableArea, grid: Grid): Headers {
  const rows = headerRows(area, grid);
  return { rows, firstColumn: isRowHeader(grid, rows) };
}

function headerRows(area: TableArea, grid: Grid): number {
  if (grid.rowCount < 2) return 0;
  const ruled = rowsAboveOnlyRule(grid);
  const shaded = rowsInHeadShade(area, grid);
  const styled = leadingRows(grid, (cells) => share(cells, (chunk) => chunk.bold) > 0.6 && share(bodyCells(grid), (chunk) => chunk.bold) < 0.4);
  const worded = isTyped(grid) ? leadingRows(grid, (cells) => cells.length > 1 && share(cells.filter((cell) => cell.column > 0), (chunk) => isValue(chunk.text) && !isYear(chunk.text)) < 0.35) : 0;
  const spanning = rowsUnderSpans(grid);
  const grouped = spanning > 0 && worded > spanning ? worded : spanning;
  const best = Math.max(shaded, styled, ruled > 0 && ruled <= MAX_HEADER_ROWS ? ruled : 0, grouped);
  if (best > 0) return Math.min(best, MAX_HEADER_ROWS, grid.rowCount - 1);
  if (worded > 0) return 1;
  return grid.columnCount >= 3 ? 1 : 0;
}

/** The rows above the first inner ruling, if it is the only one inside. */
function rowsAboveOnlyRule(grid: Grid): number {
  const inner = grid.y.slice(1, -1).flatMap((edge, index) => (edge.kind === 'drawn' ? [index + 1] : []));
  const first = inner.at(-1);
  // Rulings of a grouped header come before the one under it; a ruling per row is not evidence.
  return first !== undefined && inner.length <= 2 && first <= Math.max(1, (grid.rowCount - 1) / 2) ? first : 0;
}

function rowsInHeadShade(area: TableArea, grid: Grid): number {
  const fillAt = (row: number): number => {
    const y = ((grid.y[row]?.at ?? 0) + (grid.y[row + 1]?.at ?? 0)) / 2;
    return area.shades.find(({ box }) => box.top <= y && box.bottom >= y)?.fill ?? -1;
  };
  const first = fillAt(0);
  if (first < 0) return 0;
  let rows = 1;
  while (rows < grid.rowCount && fillAt(rows) === first) rows++;
  for (let row = rows; row < grid.rowCount; row++) if (fillAt(row) === first) return 0;
  return rows < grid.rowCount ? rows : 0;
}

function leadingRows(grid: Grid, isHead: (cells: GridCell[]) => boolean): number {
  let rows = 0;
  while (rows < Math.min(grid.rowCount, MAX_HEADER_ROWS) && isHead(cellsOfRow(grid, rows))) rows++;
  return rows < grid.rowCount ? rows : 0;
}

/** The rows down to the first one without a cell over several columns, if the top row has one over some of them. */
function rowsUnderSpans(grid: Grid): number {
  let rows = 0;
  while (rows < Math.min(grid.rowCount - 1, 3) && cellsOfRow(grid, rows).some((cell) => cell.columnSpan > 1 && cell.columnSpan < grid.columnCount)) rows++;
  return rows === 0 ? 0 : rows + 1;
}

function cellsOfRow(grid: Grid, row: number): GridCell[] {
  return grid.cells.filter((cell) => cell.row === row && cell.chunks.length > 0);
}

function bodyCells(grid: Grid): GridCell[] {
  return grid.cells.filter((cell) => cell.row > 0 && cell.column > 0);
}

function share(cells: GridCell[], test: (chunk: Chunk) => boolean): number {
  const chunks = cells.flatMap((cell) => cell.chunks);
  return chunks.length === 0 ? 0 : chunks.filter(test).length / chunks.length;
}

/** Whether the columns after the first contain mostly values. */
function isTyped(grid: Grid): boolean {
  const body = grid.cells.filter((cell) => cell.row > 0 && cell.column > 0 && cell.chunks.length > 0);
  return body.filter((cell) => isValue(textOfCell(cell))).length >= Math.max(2, 0.5 * body.length);
}

function isRowHeader(grid: Grid, headerRows: number): boolean {
  const first = grid.cells.filter((cell) => cell.column === 0 && cell.row >= headerRows && cell.chunks.length > 0);
  if (first.length < 2) return false;
  const worded = first.filter((cell) => !isValue(textOfCell(cell))).length >= 0.7 * first.length;
  return worded && (isTyped(grid) || first.every((cell) => cell.chunks.every((chunk) => chunk.bold)));
}
