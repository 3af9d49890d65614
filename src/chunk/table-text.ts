/** Tables as sentences for a model that embeds them: `row, column = value`, each value with the names it stands under. */
import { gridOf } from '../document/table-grid.js';
import type { TableData } from '../document/model.js';

/** How many rows at the top hold names of columns: those that are marked so, else the first. */
function headerRows(data: TableData): number {
  const marked = new Array<boolean>(data.num_rows).fill(false);
  for (const cell of data.table_cells) if (cell.column_header) marked.fill(true, cell.start_row_offset_idx, cell.end_row_offset_idx);
  const count = marked.indexOf(false);
  return Math.max(1, count < 0 ? data.num_rows - 1 : count);
}

/** `text` gives a cell's words. Of one column or one row its values alone, of a list of contents its lines; empty where the table is. */
export function tableSentences(data: TableData, text: (cell: TableData['table_cells'][number]) => string, isIndex = false): string {
  const written = new Map(data.table_cells.map((cell) => [cell, text(cell).replace(/\s+/g, ' ').trim()]));
  const grid = gridOf(data).map((row) => row.map((cell) => (cell === null ? '' : written.get(cell) ?? '')));
  const values = (rows: string[][]): string => rows.flatMap((row) => row.filter((value) => value !== '')).join('. ');
  if (isIndex) return grid.map((row) => row.filter((value) => value !== '').join(', ')).filter((line) => line !== '').join('. ');
  if (data.num_cols < 2 || data.num_rows < 2) return values(grid);
  const head = headerRows(data);
  const names = Array.from({ length: data.num_cols }, (_, column) => {
    const parts = grid.slice(0, head).map((row) => row[column] ?? '').filter((part) => part !== '');
    // A name that spans rows stands once.
    return parts.filter((part, index) => part !== parts[index - 1]).join('.');
  });
  const sentences: string[] = [];
  for (const row of grid.slice(head)) {
    for (let column = 1; column < data.num_cols; column++) {
      if (row[column] !== '') sentences.push(`${row[0]}, ${names[column]} = ${row[column]}`);
    }
  }
  return sentences.length === 0 ? values(grid) : sentences.join('. ');
}
