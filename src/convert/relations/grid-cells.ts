/** Makes a valid grid of cells that claim rows and columns: no place belongs to two cells, every cell keeps its nodes, and cells between which a line is drawn stay apart. */

/** A cell that claims a range of rows and columns. */
export interface GridCell {
  row: number;
  column: number;
  rowSpan: number;
  columnSpan: number;
  /** In ascending order. */
  nodes: number[];
}

export interface Grid {
  rowCount: number;
  columnCount: number;
  cells: GridCell[];
}

type IsRuled = (one: GridCell, other: GridCell) => boolean;

/**
 * The smaller claims come first. A cell of several rows or columns gives up those that others have; one that has no place of its own left is joined with the cell
 * there, or gets a new row or column where a drawn line parts the two. Rows and columns without a cell of their own are left out.
 */
export function settleCells(claims: readonly GridCell[], rowCount: number, columnCount: number, isRuledRow: IsRuled, isRuledColumn: IsRuled): Grid {
  const grid = new GrowingGrid(rowCount, columnCount);
  const order = [...claims].sort((a, b) => a.rowSpan * a.columnSpan - b.rowSpan * b.columnSpan || a.nodes[0]! - b.nodes[0]!);
  for (const claim of order) grid.add({ ...claim, nodes: [...claim.nodes] }, isRuledRow, isRuledColumn);
  return grid.finish();
}

class GrowingGrid {
  readonly #cells: GridCell[] = [];
  /** The cell at each place, by row and column. */
  readonly #places: (GridCell | undefined)[][];

  constructor(rowCount: number, private columnCount: number) {
    this.#places = Array.from({ length: rowCount }, () => this.#emptyRow());
  }

  add(cell: GridCell, isRuledRow: IsRuled, isRuledColumn: IsRuled): void {
    this.#shrink(cell);
    const other = this.#places[cell.row]![cell.column];
    if (other === undefined) this.#put(cell);
    else if (isRuledRow(other, cell)) this.#insertRow(cell, other.row + other.rowSpan);
    else if (isRuledColumn(other, cell)) this.#insertColumn(cell, other.column + other.columnSpan);
    else other.nodes = [...other.nodes, ...cell.nodes].sort((a, b) => a - b);
  }

  finish(): Grid {
    const rows = kept(this.#cells, this.#places.length, 'row');
    const columns = kept(this.#cells, this.columnCount, 'column');
    const cells = this.#cells.map((cell): GridCell => {
      const [row, column] = [rows[cell.row]!, columns[cell.column]!];
      return { nodes: cell.nodes, row, column, rowSpan: rows[cell.row + cell.rowSpan]! - row, columnSpan: columns[cell.column + cell.columnSpan]! - column };
    });
    return { rowCount: rows.at(-1)!, columnCount: columns.at(-1)!, cells: cells.sort((a, b) => a.row - b.row || a.column - b.column) };
  }

  #emptyRow(): (GridCell | undefined)[] {
    return new Array<GridCell | undefined>(this.columnCount).fill(undefined);
  }

  /** Cuts the claim back to a range around its first free place that no other cell has. */
  #shrink(cell: GridCell): void {
    const { row, column, rowSpan, columnSpan } = cell;
    const isFree = (r: number, c: number): boolean => this.#places[r]![c] === undefined;
    for (let r = row; r < row + rowSpan; r++) {
      for (let c = column; c < column + columnSpan; c++) {
        if (!isFree(r, c)) continue;
        let right = c;
        while (right + 1 < column + columnSpan && isFree(r, right + 1)) right++;
        let bottom = r;
        const isRowFree = (at: number): boolean => Array.from({ length: right - c + 1 }, (_, step) => c + step).every((each) => isFree(at, each));
        while (bottom + 1 < row + rowSpan && isRowFree(bottom + 1)) bottom++;
        Object.assign(cell, { row: r, column: c, rowSpan: bottom - r + 1, columnSpan: right - c + 1 });
        return;
      }
    }
    Object.assign(cell, { rowSpan: 1, columnSpan: 1 });
  }

  #put(cell: GridCell): void {
    this.#cells.push(cell);
    for (let row = cell.row; row < cell.row + cell.rowSpan; row++) for (let column = cell.column; column < cell.column + cell.columnSpan; column++) this.#places[row]![column] = cell;
  }

  /** A row for the cell alone, before row `at`. Cells that reach over the place become longer. */
  #insertRow(cell: GridCell, at: number): void {
    for (const other of this.#cells) {
      if (other.row >= at) other.row++;
      else if (other.row + other.rowSpan > at) other.rowSpan++;
    }
    Object.assign(cell, { row: at, rowSpan: 1, columnSpan: 1 });
    const above = this.#places[at - 1]!;
    this.#places.splice(at, 0, above.map((other) => (other !== undefined && other.row + other.rowSpan > at ? other : undefined)));
    this.#putOrJoin(cell);
  }

  #insertColumn(cell: GridCell, at: number): void {
    for (const other of this.#cells) {
      if (other.column >= at) other.column++;
      else if (other.column + other.columnSpan > at) other.columnSpan++;
    }
    Object.assign(cell, { column: at, rowSpan: 1, columnSpan: 1 });
    this.columnCount++;
    for (const row of this.#places) {
      const before = row[at - 1];
      row.splice(at, 0, before !== undefined && before.column + before.columnSpan > at ? before : undefined);
    }
    this.#putOrJoin(cell);
  }

  #putOrJoin(cell: GridCell): void {
    const taken = this.#places[cell.row]![cell.column];
    if (taken === undefined) this.#put(cell);
    else taken.nodes = [...taken.nodes, ...cell.nodes].sort((a, b) => a - b);
  }
}

/** For each row (or column) the number of rows before it in which a cell begins: the others show nothing that their predecessor does not. */
function kept(cells: readonly GridCell[], count: number, at: 'row' | 'column'): number[] {
  const isStart = new Set(cells.map((cell) => cell[at]));
  const indices = [0];
  for (let index = 0; index < count; index++) indices.push(indices[index]! + (isStart.has(index) ? 1 : 0));
  return indices;
}
