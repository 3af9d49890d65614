/** A table as LaTeX: spans stay spans, and columns of long texts share the width of the page. */
import { gridOf } from './table-grid.js';
import type { TableCell, TableData } from './model.js';

/** Characters of a line of the page, about: tables that are not wider need no fixed widths. */
const lineCharacters = 80;
/** Of one column, in the share of the page that it gets. */
const fewestCharacters = 6;
const mostCharacters = 60;
/** With more columns nothing would be left of a share but the white between columns. */
const mostSharedColumns = 12;

/** Widths of the columns as shares of the page; null where they may be as wide as their texts. */
function sharesOf(grid: (TableCell | null)[][], columnCount: number): number[] | null {
  const longest = new Array<number>(columnCount).fill(0);
  for (const row of grid) {
    for (const [column, cell] of row.entries()) if (cell !== null && cell.col_span === 1) longest[column] = Math.max(longest[column] as number, cell.text.length);
  }
  const total = longest.reduce((sum, length) => sum + length + 2, 0);
  if (total <= lineCharacters || columnCount > mostSharedColumns) return null;
  const bounded = longest.map((length) => Math.min(Math.max(length, fewestCharacters), mostCharacters));
  const whole = bounded.reduce((sum, length) => sum + length, 0);
  return bounded.map((length) => length / whole);
}

function columnOf(share: number | null): string {
  return share === null ? 'l' : `p{\\dimexpr${share.toFixed(3)}\\linewidth-2\\tabcolsep\\relax}`;
}

class TableLines {
  private readonly grid: (TableCell | null)[][];
  private readonly shares: number[] | null;

  constructor(private readonly data: TableData, private readonly words: (cell: TableCell) => string) {
    this.grid = gridOf(data);
    this.shares = sharesOf(this.grid, data.num_cols);
  }

  get columns(): string {
    return Array.from({ length: this.data.num_cols }, (_, column) => columnOf(this.shares?.[column] ?? null)).join('');
  }

  /** How many rows at the top hold nothing but column headers. */
  get headerRows(): number {
    const first = this.grid.findIndex((row) => !row.some((cell) => cell !== null) || row.some((cell) => cell !== null && !cell.column_header));
    return first < 0 ? 0 : first;
  }

  *rows(): Generator<string> {
    for (const [index, row] of this.grid.entries()) yield `${this.row(row, index)} \\\\`;
  }

  private row(row: (TableCell | null)[], index: number): string {
    const parts: string[] = [];
    for (let column = 0; column < row.length;) {
      const cell = row[column] ?? null;
      let width = 1;
      while (cell !== null && column + width < row.length && row[column + width] === cell) width++;
      parts.push(this.place(cell, index, column, width));
      column += width;
    }
    return parts.join(' & ');
  }

  private place(cell: TableCell | null, row: number, column: number, width: number): string {
    let text = cell === null || cell.start_row_offset_idx !== row ? '' : this.words(cell);
    if (cell !== null && text !== '') {
      if (cell.column_header || cell.row_header || cell.row_section) text = `\\textbf{${text}}`;
      const height = Math.min(cell.end_row_offset_idx, this.grid.length) - row;
      if (height > 1) text = `\\multirow{${height}}{${this.shares === null || width > 1 ? '*' : '='}}{${text}}`;
    }
    if (width === 1) return text;
    const share = this.shares?.slice(column, column + width).reduce((sum, each) => sum + each, 0) ?? null;
    return `\\multicolumn{${width}}{${columnOf(share)}}{${text}}`;
  }
}

/** `caption` is written already; empty for none. `words` gives the text of a cell, which must fit into a paragraph. Empty for a table without cells. */
export function latexTable(data: TableData, caption: string, words: (cell: TableCell) => string): string {
  if (data.num_rows === 0 || data.num_cols === 0) return caption;
  const table = new TableLines(data, words);
  const { headerRows } = table;
  const lines = [...table.rows()];
  const head = headerRows === 0 ? [] : [...lines.slice(0, headerRows), '\\hline', '\\endhead'];
  return [
    `\\begin{longtable}{${table.columns}}`, ...(caption === '' ? [] : [`\\caption*{${caption}} \\\\`]), '\\hline', ...head, ...lines.slice(headerRows), '\\hline', '\\end{longtable}',
  ].join('\n');
}
