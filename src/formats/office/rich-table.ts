/** Tables whose cells may hold more than words: such a cell points to a group with its contents. */
import { refTo } from '../../document/builder.js';
import type { DocumentBuilder, NodeOptions } from '../../document/builder.js';
import type { GroupItem, TableItem } from '../../document/model.js';

export interface RichCell {
  row: number;
  column: number;
  rowSpan: number;
  columnSpan: number;
  header: boolean;
  /** The words of a cell that holds nothing else; null where `write` must write it. */
  text: string | null;
  write: (group: GroupItem) => void;
}

/** Adds the table and then, in order, the contents of its rich cells. */
export function addRichTable(builder: DocumentBuilder, rows: number, columns: number, cells: RichCell[], place: NodeOptions): TableItem {
  const table = builder.addTable(rows, columns, cells.map(({ row, column, rowSpan, columnSpan, header, text }) => ({
    row, column, rowSpan, columnSpan, text: text ?? '', columnHeader: header,
  })), place);
  const placed = new Map(table.data.table_cells.map((cell) => [cell.start_row_offset_idx * columns + cell.start_col_offset_idx, cell]));
  for (const { row, column, text, write } of cells) {
    const cell = placed.get(row * columns + column);
    if (text !== null || cell === undefined) continue;
    const group = builder.addGroup('unspecified', 'cell', { parent: table, layer: place.layer });
    const before = builder.document.texts.length;
    write(group);
    cell.text = builder.document.texts.slice(before).map((item) => item.text).filter((words) => words !== '').join(' ');
    if (group.children.length > 0) cell.ref = refTo(group);
  }
  return table;
}
