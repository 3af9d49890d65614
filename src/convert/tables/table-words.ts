/** The words of tables. */
import type { Word } from '../../pdf/pdf-page.js';
import type { FoundTable } from '../page/found-table.js';

/** The words in the cells of `tables`. */
export function tableWords(tables: FoundTable[]): Set<Word> {
  return new Set(tables.flatMap((table) => table.cells.flatMap((cell) => cell.words)));
}
