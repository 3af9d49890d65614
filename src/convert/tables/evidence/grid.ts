/** Fills the grid of a table: assigns words to atomic cells, and joins atomic cells where the page shows that one cell spans them. */
import { fromTop, rowsByBaseline } from '../../page/group-by-baseline.js';
import { baselineTolerances } from '../../page/tolerances.js';
import type { Box } from '../../../pdf/pdf-page.js';
import type { Boundaries, Edge, TableArea } from './table-area.js';
import { columnsOf } from './cuts.js';
import type { Chunk } from './chunks.js';
import { coveredLength, nearEdge } from './segments.js';
import type { Segment } from './segments.js';
import { isValue } from '../../wording/cell-text.js';

/** A rectangle of atomic cells with its text, in reading order. */
export interface GridCell {
  row: number;
  column: number;
  rowSpan: number;
  columnSpan: number;
  chunks: Chunk[];
}

export interface Grid {
  rowCount: number;
  columnCount: number;
  cells: GridCell[];
  x: Edge[];
  y: Edge[];
}

/** A chunk in its place: the columns `first` to `last` of one row. */
export interface Placed {
  chunk: Chunk;
  row: number;
  first: number;
  last: number;
}

export function fillGrid(area: TableArea, { x, y, rows, columns }: Boundaries): Grid {
  const rowCount = y.length - 1;
  const columnCount = x.length - 1;
  const placed: Placed[] = [];
  for (const row of rows) {
    for (const chunk of row.chunks) placed.push({ chunk, row: rowAt(y, chunk.baseline - 0.3 * chunk.size), ...columnsOf(chunk, x) });
  }
  const joins = new Joins(rowCount, columnCount);
  for (const { row, first, last } of placed) for (let column = first; column < last; column++) joins.right(row, column);
  joinByLines(area, { x, y, rows, columns }, placed, joins);
  const cells = joins.rectangles();
  const owner = new Map<number, GridCell>();
  for (const cell of cells) {
    for (let row = cell.row; row < cell.row + cell.rowSpan; row++) {
      for (let column = cell.column; column < cell.column + cell.columnSpan; column++) owner.set(row * columnCount + column, cell);
    }
  }
  for (const { chunk, row, first } of placed) owner.get(row * columnCount + first)?.chunks.push(chunk);
  for (const cell of cells) cell.chunks = inReadingOrder(cell.chunks);
  return { rowCount, columnCount, cells, x, y };
}

function rowAt(y: Edge[], at: number): number {
  let row = 0;
  while (row + 2 < y.length && (y[row + 1]?.at ?? Infinity) < at) row++;
  return row;
}

/** The joins between neighbouring atomic cells. */
class Joins {
  private readonly toRight: Uint8Array;
  private readonly toBelow: Uint8Array;

  constructor(
    private readonly rowCount: number,
    private readonly columnCount: number,
  ) {
    this.toRight = new Uint8Array(rowCount * columnCount);
    this.toBelow = new Uint8Array(rowCount * columnCount);
  }

  right(row: number, column: number): void {
    this.toRight[row * this.columnCount + column] = 1;
  }

  below(row: number, column: number): void {
    this.toBelow[row * this.columnCount + column] = 1;
  }

  /** Covers the grid with rectangles: each grows right, then down, as far as the joins reach and no other rectangle is. */
  rectangles(): GridCell[] {
    const { rowCount, columnCount } = this;
    const taken = new Uint8Array(rowCount * columnCount);
    const cells: GridCell[] = [];
    for (let row = 0; row < rowCount; row++) {
      for (let column = 0; column < columnCount; column++) {
        if (taken[row * columnCount + column] === 1) continue;
        const columnSpan = this.reachRight(row, column, taken);
        let rowSpan = 1;
        while (row + rowSpan < rowCount && this.goesDown(row + rowSpan, column, columnSpan, taken)) rowSpan++;
        for (let at = 0; at < rowSpan; at++) taken.fill(1, (row + at) * columnCount + column, (row + at) * columnCount + column + columnSpan);
        cells.push({ row, column, rowSpan, columnSpan, chunks: [] });
      }
    }
    return cells;
  }

  private reachRight(row: number, column: number, taken: Uint8Array): number {
    let span = 1;
    while (column + span < this.columnCount && this.toRight[row * this.columnCount + column + span - 1] === 1 && taken[row * this.columnCount + column + span] === 0) span++;
    return span;
  }

  private goesDown(row: number, column: number, span: number, taken: Uint8Array): boolean {
    for (let at = column; at < column + span; at++) {
      if (this.toBelow[(row - 1) * this.columnCount + at] === 0 || taken[row * this.columnCount + at] === 1) return false;
      if (at + 1 < column + span && this.toRight[row * this.columnCount + at] === 0) return false;
    }
    return true;
  }
}

function joinByLines(area: TableArea, { x, y, columns }: Boundaries, placed: Placed[], joins: Joins): void {
  const rowCount = y.length - 1;
  const columnCount = x.length - 1;
  const filled = new Uint8Array(rowCount * columnCount);
  for (const { row, first, last } of placed) for (let column = first; column <= last; column++) filled[row * columnCount + column] = 1;
  const has = (row: number, column: number): boolean => filled[row * columnCount + column] === 1;
  const isValued = (at: number, column: number): boolean => placed.some(({ row, first, chunk }) => row === at && first === column && isValue(chunk.text));
  for (let row = 0; row < rowCount; row++) {
    const [top, bottom] = [y[row]?.at ?? 0, y[row + 1]?.at ?? 0];
    for (let column = 0; column < columnCount; column++) {
      const [left, right] = [x[column]?.at ?? 0, x[column + 1]?.at ?? 0];
      const edge = x[column + 1];
      if (column + 1 < columnCount && edge !== undefined && !(has(row, column) && has(row, column + 1))) {
        const open = edge.kind === 'drawn' ? isOpen(area.verticals, edge.at, top, bottom) && rowIsRuled(area, x, row, top, bottom) : false;
        if (open || shadeSpans(area, edge.at, (top + bottom) / 2)) joins.right(row, column);
      }
      const under = y[row + 1];
      if (row + 1 < rowCount && under !== undefined && under.kind !== 'white') {
        // Rulings under groups of columns need not cross the white space beside their text.
        const extent = columns[column] ?? { left, right };
        const open = under.kind === 'drawn' && isOpen(area.horizontals, under.at, extent.left, extent.right);
        const fits = mayJoinDown(row, has(row, column), has(row + 1, column));
        // Text continues in the next line of its cell; values do not: each belongs to its own row.
        const boxed = (): boolean => !(isValued(row, column) && isValued(row + 1, column)) && isBoxed(area, { left, top, right, bottom: y[row + 2]?.at ?? bottom }, under.at);
        if ((open && (fits || boxed())) || shadeSpansDown(area, (left + right) / 2, under.at)) joins.below(row, column);
      }
    }
  }
}

/** Rulings under numbers alone separate rows whose labels stand on both sides of them; only in a header does text cross one. */
function mayJoinDown(row: number, above: boolean, below: boolean): boolean {
  return above && below ? row === 0 : above || below;
}

/** Whether vertical lines run along both sides of the box, and a ruling at `at` ends at one of them and does not enter the box: it is drawn as one cell. */
function isBoxed(area: TableArea, { left, top, right, bottom }: Box, at: number): boolean {
  const sides = [left, right].every((side) => coveredLength(area.verticals, side, top, bottom) > 0.9 * (bottom - top));
  const isRuled = area.horizontals.some((rule) => Math.abs(rule.at - at) <= nearEdge && (Math.abs(rule.end - left) <= nearEdge || Math.abs(rule.start - right) <= nearEdge));
  return sides && isRuled && coveredLength(area.horizontals, at, left + nearEdge, right - nearEdge) < 0.1 * (right - left - 2 * nearEdge);
}

/** Whether no segment at `at` covers a considerable part of the range. */
function isOpen(segments: Segment[], at: number, from: number, to: number): boolean {
  return coveredLength(segments, at, from, to) < 0.4 * (to - from);
}

/** Some vertical inside the table is drawn in this row, so that a missing one is evidence. */
function rowIsRuled(area: TableArea, x: Edge[], row: number, top: number, bottom: number): boolean {
  if (row < 0) return false;
  const drawn = x.filter((edge) => edge.kind === 'drawn');
  return drawn.some((edge) => !isOpen(area.verticals, edge.at, top, bottom));
}

function shadeSpans(area: TableArea, at: number, y: number): boolean {
  const inRow = area.shades.filter(({ box }) => box.top <= y && box.bottom >= y);
  // A single fill under the whole row is a stripe and shows no cell; beside other fills it is a cell.
  return inRow.length >= 2 && inRow.some(({ box }) => box.left < at - 4 && box.right > at + 4);
}

function shadeSpansDown(area: TableArea, x: number, at: number): boolean {
  return area.shades.some(({ box }) => box.left <= x && box.right >= x && box.top < at - 4 && box.bottom > at + 4);
}

/** Chunks of one cell line by line, each line from the left. */
export function inReadingOrder(chunks: Chunk[]): Chunk[] {
  return rowsByBaseline(fromTop(chunks), baselineTolerances.cellLine).flatMap((line) => line.sort((a, b) => a.left - b.left));
}
