/** Finds spans without rulings: headers over groups of columns, and labels that stand alone in their row. */
import type { Column } from './columns.js';
import type { Grid, GridCell } from './grid.js';

/** In ems: header text this near to the centre or the begin of a possible span belongs to that span. */
const CENTRED = 0.9;
const BEGINS = 0.5;

/** Widens header cells over empty cells of their columns, and single labels over their row; `columns` are the text's extents. */
export function widenSpans(grid: Grid, columns: Column[], headerRows: number): void {
  const table = new CellTable(grid);
  for (let row = 0; row < headerRows - 1; row++) widenHeaderRow(table, columns, row, headerRows);
  for (let row = 0; row < headerRows - 1; row++) {
    for (const cell of table.row(row)) if (cell.chunks.length > 0) table.lengthen(cell, headerRows);
  }
  for (let row = headerRows; row < grid.rowCount; row++) widenLabel(table, columns, row);
  lengthenCentred(table, headerRows);
  grid.cells = grid.cells.filter((cell) => !table.gone.has(cell));
}

function widenHeaderRow(table: CellTable, columns: Column[], row: number, headerRows: number): void {
  const filled = table.row(row).filter((cell) => cell.chunks.length > 0);
  for (const [index, cell] of filled.entries()) {
    if (cell.rowSpan > 1 || !table.hasChild(cell.column, row, headerRows)) continue;
    const floor = Math.max(1, endOf(filled[index - 1]));
    const roof = filled[index + 1]?.column ?? table.columnCount;
    let [first, last] = [cell.column, endOf(cell)];
    while (first > floor && table.isFree(row, first - 1) && table.hasChild(first - 1, row, headerRows)) first--;
    while (last < roof && table.isFree(row, last) && table.hasChild(last, row, headerRows)) last++;
    const span = chooseSpan(cell, columns, first, last);
    if (span !== null) table.widen(cell, span[0], span[1]);
  }
}

function endOf(cell: GridCell | undefined): number {
  return cell === undefined ? 0 : cell.column + cell.columnSpan;
}

/** The columns from `first` to before `last` over which the header's text is centred, or which it begins; null for its own column alone. */
function chooseSpan(cell: GridCell, columns: Column[], first: number, last: number): [number, number] | null {
  const left = Math.min(...cell.chunks.map((chunk) => chunk.left));
  const right = Math.max(...cell.chunks.map((chunk) => chunk.right));
  const size = cell.chunks[0]?.size ?? 10;
  let best: [number, number] | null = null;
  let nearest = CENTRED * size;
  for (let from = first; from <= cell.column; from++) {
    for (let to = endOf(cell); to <= last; to++) {
      const [start, end] = [columns[from], columns[to - 1]];
      if (start === undefined || end === undefined || to - from === cell.columnSpan) continue;
      const off = Math.abs((left + right) / 2 - (start.left + end.right) / 2);
      if (off < nearest) [best, nearest] = [[from, to], off];
    }
  }
  const own = columns[cell.column];
  const begins = own !== undefined && Math.abs(left - own.left) < BEGINS * size;
  if (begins && last > endOf(cell) && nearest > 0.3 * size) return [cell.column, last];
  return best;
}

/** The only text of a row, wider than its first column, labels the whole row. */
function widenLabel(table: CellTable, columns: Column[], row: number): void {
  const filled = table.row(row).filter((cell) => cell.chunks.length > 0);
  const [cell] = filled;
  if (cell === undefined || filled.length > 1 || cell.rowSpan > 1) return;
  if (cell.columnSpan === 1 && cell.column === 0) return;
  if (cell.columnSpan === 1 && (table.columnCount > 2 || beginsColumn(cell, columns))) return;
  for (let column = 0; column < table.columnCount; column++) {
    if ((column < cell.column || column >= endOf(cell)) && !table.isFree(row, column)) return;
  }
  table.widen(cell, 0, table.columnCount);
}

/** Text that begins at its column's edge belongs to that column and heads no others. */
function beginsColumn(cell: GridCell, columns: Column[]): boolean {
  const [first] = cell.chunks;
  const column = columns[cell.column];
  return first !== undefined && column !== undefined && Math.abs(Math.min(...cell.chunks.map((chunk) => chunk.left)) - column.left) < BEGINS * first.size;
}

/** Lets labels of the first column in the middle of their rows span these rows. */
function lengthenCentred(table: CellTable, headerRows: number): void {
  const { grid } = table;
  if (table.at(headerRows, 0)?.chunks.length !== 0) return;
  const middles = Array.from({ length: grid.rowCount }, (_, row) => baselineOf(grid.cells.filter((cell) => cell.row === row && cell.column > 0)));
  const spans: [GridCell, number, number][] = [];
  let first = headerRows;
  for (let row = headerRows; row < grid.rowCount; row++) {
    const label = table.at(row, 0);
    if (label === undefined || label.rowSpan > 1 || label.columnSpan > 1 || label.chunks.length === 0) continue;
    const last = lastCentred(baselineOf([label]), middles, first);
    if (last === null || last < row) return;
    spans.push([label, first, last]);
    first = last + 1;
    row = last;
  }
  if (first !== grid.rowCount) return;
  for (const [label, from, to] of spans) table.spanRows(label, from, to + 1);
}

function baselineOf(cells: GridCell[]): number {
  const baselines = cells.flatMap((cell) => cell.chunks.map((chunk) => chunk.baseline));
  return baselines.length === 0 ? NaN : (Math.min(...baselines) + Math.max(...baselines)) / 2;
}

/** The last row of a range from row `first` on whose middle is at `middle`. */
function lastCentred(middle: number, middles: number[], first: number): number | null {
  const top = middles[first] ?? NaN;
  for (let last = first; last < middles.length; last++) if (Math.abs((top + (middles[last] ?? NaN)) / 2 - middle) < 2.5) return last;
  return null;
}

/** Cells by place, while spans change. */
class CellTable {
  readonly columnCount: number;
  readonly gone = new Set<GridCell>();
  private readonly places: (GridCell | undefined)[];

  constructor(readonly grid: Grid) {
    this.columnCount = grid.columnCount;
    this.places = new Array<GridCell | undefined>(grid.rowCount * grid.columnCount);
    for (const cell of grid.cells) this.place(cell);
  }

  /** Cells that begin in the row, from the left. */
  row(row: number): GridCell[] {
    return this.grid.cells.filter((cell) => cell.row === row && !this.gone.has(cell)).sort((a, b) => a.column - b.column);
  }

  at(row: number, column: number): GridCell | undefined {
    return this.places[row * this.columnCount + column];
  }

  /** An empty cell of one row and one column. */
  isFree(row: number, column: number): boolean {
    const cell = this.at(row, column);
    return cell !== undefined && cell.chunks.length === 0 && cell.rowSpan === 1 && cell.columnSpan === 1;
  }

  /** Whether some header cell below heads the column. */
  hasChild(column: number, row: number, headerRows: number): boolean {
    for (let below = row + 1; below < headerRows; below++) if ((this.at(below, column)?.chunks.length ?? 0) > 0) return true;
    return false;
  }

  widen(cell: GridCell, from: number, to: number): void {
    this.drop(cell, cell.row, cell.row + 1, from, to);
    cell.column = from;
    cell.columnSpan = to - from;
    this.place(cell);
  }

  /** Extends a header cell down over the free header cells directly below it. */
  lengthen(cell: GridCell, headerRows: number): void {
    let end = cell.row + cell.rowSpan;
    const spanned = Array.from({ length: cell.columnSpan }, (_, index) => cell.column + index);
    while (end < headerRows && spanned.every((column) => this.isFree(end, column))) end++;
    if (end < headerRows || end === cell.row + cell.rowSpan) return;
    this.drop(cell, cell.row, end, cell.column, cell.column + cell.columnSpan);
    cell.rowSpan = end - cell.row;
    this.place(cell);
  }

  /** Extends a cell of one column over the rows from `from` to before `to`, which are empty in this column. */
  spanRows(cell: GridCell, from: number, to: number): void {
    for (let row = from; row < to; row++) if (this.at(row, cell.column) !== cell && !this.isFree(row, cell.column)) return;
    this.drop(cell, from, to, cell.column, cell.column + 1);
    cell.row = from;
    cell.rowSpan = to - from;
    this.place(cell);
  }

  private drop(keep: GridCell, top: number, bottom: number, left: number, right: number): void {
    for (let row = top; row < bottom; row++) {
      for (let column = left; column < right; column++) {
        const cell = this.at(row, column);
        if (cell !== undefined && cell !== keep) this.gone.add(cell);
      }
    }
  }

  private place(cell: GridCell): void {
    for (let row = cell.row; row < cell.row + cell.rowSpan; row++) {
      for (let column = cell.column; column < cell.column + cell.columnSpan; column++) this.places[row * this.columnCount + column] = cell;
    }
  }
}
