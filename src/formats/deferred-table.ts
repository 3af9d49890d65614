/** Tables whose cells are made when a writer reads them, so that a document may hold more of them than the memory does. */
import { DocumentBuilder } from '../document/builder.js';
import type { TableData, TableItem } from '../document/model.js';
import type { CellInput } from '../document/table-grid.js';

/** The data of a table of its own: in a document that is dropped, because only its table with clean text is wanted. */
export function tableData(rows: number, columns: number, cells: Iterable<CellInput>): TableData {
  return new DocumentBuilder({ name: '', coordOrigin: 'TOPLEFT' }).addTable(rows, columns, cells).data;
}

/** `data` is called at every access: it should keep the last one, because a writer asks several times for one table. */
export function deferData(table: TableItem, data: () => TableData): void {
  Object.defineProperty(table, 'data', { get: data, enumerable: true });
}
