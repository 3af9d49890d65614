/** A table within a table's cell, in one line of HTML: markdown has no other form for it. */
import type { TableCell, TableData } from './model.js';
import { gridOf } from './table-grid.js';

/** `content` writes a cell; it holds no line ends. Spans are attributes, so that each cell stands there once. */
export function nestedTable(data: TableData, caption: string, content: (cell: TableCell) => string): string {
  const rows = gridOf(data).map((line, row) => {
    const cells = line.map((cell, column) => {
      if (cell === null) return '<td></td>';
      if (cell.start_row_offset_idx !== row || cell.start_col_offset_idx !== column) return '';
      const name = cell.column_header || cell.row_header ? 'th' : 'td';
      const spans = `${cell.row_span > 1 ? ` rowspan="${cell.row_span}"` : ''}${cell.col_span > 1 ? ` colspan="${cell.col_span}"` : ''}`;
      return `<${name}${spans}>${content(cell)}</${name}>`;
    });
    return `<tr>${cells.join('')}</tr>`;
  });
  return rows.length === 0 ? caption : `<table>${caption === '' ? '' : `<caption>${caption}</caption>`}${rows.join('')}</table>`;
}
