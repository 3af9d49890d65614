/** Cells and grids: puts a builder's cells into a table without overlap, and lays a table's cells out row by row for the writers. */
import type { BoundingBox, TableCell, TableData } from './model.js';

/** A cell as the builder takes it; offsets from 0, spans from 1. */
export interface CellInput {
  row: number;
  column: number;
  rowSpan?: number | undefined;
  columnSpan?: number | undefined;
  text: string;
  columnHeader?: boolean | undefined;
  rowHeader?: boolean | undefined;
  /** The cell is a title over the rows that follow it. */
  rowSection?: boolean | undefined;
  /** Points, origin top left. */
  box?: { left: number; top: number; right: number; bottom: number } | undefined;
}

function bounds(box: CellInput['box']): BoundingBox | null {
  return box === undefined ? null : { l: box.left, t: box.top, r: box.right, b: box.bottom, coord_origin: 'TOPLEFT' };
}

function tableCell(input: CellInput, rowSpan: number, columnSpan: number): TableCell {
  return {
    bbox: bounds(input.box),
    row_span: rowSpan,
    col_span: columnSpan,
    start_row_offset_idx: input.row,
    end_row_offset_idx: input.row + rowSpan,
    start_col_offset_idx: input.column,
    end_col_offset_idx: input.column + columnSpan,
    text: input.text,
    column_header: input.columnHeader ?? false,
    row_header: input.rowHeader ?? false,
    row_section: input.rowSection ?? false,
    fillable: false,
  };
}

/**
 * The cells as they come, where they come row by row inside the table and none spans: so does every large table, there is nothing to
 * settle then, and no cell is held twice. Null of all other tables.
 */
function plainGrid(rowCount: number, columnCount: number, inputs: Iterable<CellInput>, finish: (cell: TableCell) => void): TableCell[] | null {
  const cells: TableCell[] = [];
  let before = -1;
  for (const input of inputs) {
    const { row, column, rowSpan = 1, columnSpan = 1 } = input;
    const place = row * columnCount + column;
    if (rowSpan !== 1 || columnSpan !== 1 || row >= rowCount || column < 0 || column >= columnCount || !(place > before)) return null;
    before = place;
    const cell = tableCell(input, 1, 1);
    finish(cell);
    cells.push(cell);
  }
  return cells;
}

/**
 * A table whose cells are inside it and do not overlap, nothing lost: a table too small grows to the cells' starts, a span
 * is cut where it meets another cell or the border, and a cell that starts where another does is added to it. The inputs may be
 * gone through twice, and may be one object that is filled anew each time. `finish` is called
 * with each cell as it is made, and may change its text and its box.
 */
export function placeCells(rowCount: number, columnCount: number, inputs: Iterable<CellInput>, finish: (cell: TableCell) => void = () => undefined): TableData {
  const plain = plainGrid(rowCount, columnCount, inputs, finish);
  if (plain !== null) return { table_cells: plain, num_rows: rowCount, num_cols: columnCount, orientation: 'rot_0' };
  return settleCells(rowCount, columnCount, Array.from(inputs, (input) => ({ ...input })), finish);
}

function settleCells(rowCount: number, columnCount: number, inputs: CellInput[], finish: (cell: TableCell) => void): TableData {
  const rows = inputs.reduce((most, input) => Math.max(most, input.row + 1), rowCount);
  const columns = inputs.reduce((most, input) => Math.max(most, input.column + 1), columnCount);
  const taken = new Map<number, CellInput>();
  const placed: CellInput[] = [];
  for (const input of inputs) {
    const start = input.row * columns + input.column;
    const occupant = taken.get(start);
    if (occupant === undefined) {
      taken.set(start, input);
      placed.push(input);
    } else {
      occupant.text = [occupant.text, input.text].filter((text) => text !== '').join(' ');
    }
  }
  const cells = placed.map((input) => {
    const free = (row: number, column: number): boolean => {
      const occupant = taken.get(row * columns + column);
      return row < rows && column < columns && (occupant === undefined || occupant === input);
    };
    let columnSpan = 1;
    while (columnSpan < (input.columnSpan ?? 1) && free(input.row, input.column + columnSpan)) columnSpan++;
    const rowFree = (row: number): boolean => {
      for (let column = input.column; column < input.column + columnSpan; column++) if (!free(row, column)) return false;
      return true;
    };
    let rowSpan = 1;
    while (rowSpan < (input.rowSpan ?? 1) && rowFree(input.row + rowSpan)) rowSpan++;
    for (let row = input.row; row < input.row + rowSpan; row++) {
      for (let column = input.column; column < input.column + columnSpan; column++) taken.set(row * columns + column, input);
    }
    return tableCell(input, rowSpan, columnSpan);
  });
  cells.forEach(finish);
  return { table_cells: cells, num_rows: rows, num_cols: columns, orientation: 'rot_0' };
}

/**
 * The grid of a table row by row, a cell that spans in each of its places; null where no cell is. Where a foreign document's
 * cells overlap the later one shows.
 */
export function gridOf(data: TableData): (TableCell | null)[][] {
  const grid = Array.from({ length: data.num_rows }, () => new Array<TableCell | null>(data.num_cols).fill(null));
  for (const cell of data.table_cells) {
    for (let row = cell.start_row_offset_idx; row < Math.min(cell.end_row_offset_idx, data.num_rows); row++) {
      const line = grid[row];
      line?.fill(cell, cell.start_col_offset_idx, Math.min(cell.end_col_offset_idx, data.num_cols));
    }
  }
  return grid;
}
