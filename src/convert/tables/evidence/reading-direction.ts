/** Orders tables in the reading direction of their script. */
import { hasRightToLeftLetter } from '../../wording/scripts.js';
import type { FoundTable, TableCell } from '../../page/found-table.js';

/** Columns of a table in Arabic or Hebrew are counted from the right. */
export function inReadingDirection(table: FoundTable): FoundTable {
  const letters = table.cells.flatMap((cell) => cell.words).map((word) => word.text).join('').match(/\p{L}/gu) ?? [];
  const turned = letters.filter((letter) => hasRightToLeftLetter(letter)).length;
  if (turned <= 0.5 * letters.length) return table;
  const cells = table.cells.map((cell): TableCell => ({ ...cell, column: table.columnCount - cell.column - cell.columnSpan, rowHeader: false }));
  return { ...table, cells: cells.sort((a, b) => a.row - b.row || a.column - b.column) };
}
