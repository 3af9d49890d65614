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
 * A table whose cells are inside it and do not overlap, nothing lost: a table too small grows to the cells' starts, a span
 * is cut where it meets another cell or the border, and a cell whose place is taken is added to the one that has it.
 */
export function placeCells(rowCount: number, columnCount: number, inputs: CellInput[]): TableData {
  let rows = rowCount;
  let columns = columnCount;
  for (const input of inputs) {
    rows = Math.max(rows, input.row + 1);
    columns = Math.max(columns, input.column + 1);
  }
  const taken = new Map<number, TableCell>();
  const cells: TableCell[] = [];
  for (const input of inputs) {
    const occupant = taken.get(input.row * columns + input.column);
    if (occupant !== undefined) {
      occupant.text = [occupant.text, input.text].filter((text) => text !== '').join(' ');
      continue;
    }
    const free = (row: number, width: number): number => {
      let count = 0;
      while (count < width && input.column + count < columns && !taken.has(row * columns + input.column + count)) count++;
      return count;
    };
    const columnSpan = free(input.row, Math.max(1, input.columnSpan ?? 1));
    let rowSpan = 1;
    while (rowSpan < (input.rowSpan ?? 1) && input.row + rowSpan < rows && free(input.row + rowSpan, columnSpan) === columnSpan) rowSpan++;
    const cell = tableCell(input, rowSpan, columnSpan);
    cells.push(cell);
    for (let row = input.row; row < input.row + rowSpan; row++) {
      for (let column = input.column; column < input.column + columnSpan; column++) taken.set(row * columns + column, cell);
    }
  }
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
