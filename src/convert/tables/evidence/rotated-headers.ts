/** Column headers written upwards or downwards over an upright table: they join its first row. */
import { splitWhere } from '../../page/group-by-baseline.js';
import { horizontalExtent, middleX, middleY, unionBox } from '../../../geometry/box.js';
import type { Box, PageContent, Word } from '../../../pdf/pdf-page.js';
import type { FoundTable, TableCell } from '../../page/found-table.js';

/** White space between a rotated header and the table under it, and between its words, in ems. */
const mostGap = 1.6;
/** How far beside the text of a column a line of its header may stand, in ems. */
const mostBeside = 1.3;
/** The fewest columns with rotated headers above a table that has none inside. */
const leastColumns = 2;

/** The tables, each with the rotated words in its empty header cells or right above its columns. A word joins at most one table. */
export function withRotatedHeaders(tables: FoundTable[], page: PageContent): FoundTable[] {
  const rotated = page.words.filter(({ angle, size }) => isRotated(angle) && size > 0);
  if (rotated.length === 0 || tables.length === 0) return tables;
  const used = new Set(tables.flatMap(({ cells }) => cells.flatMap(({ words }) => words)));
  return tables.map((table) => {
    const free = rotated.filter((word) => !used.has(word));
    const headed = withHeaders(table, headersOver(table, free));
    for (const { words } of headed.cells) for (const word of words) used.add(word);
    return headed;
  });
}

function isRotated(angle: number): boolean {
  return [90, 270].some((turn) => Math.abs(((angle - turn + 540) % 360) - 180) <= 3);
}

/** The horizontal extent of each column, from its cells that span no other column. */
function columnsOf({ cells, columnCount, box }: FoundTable): { left: number; right: number }[] {
  return Array.from({ length: columnCount }, (_, column) => {
    const own = cells.filter((cell) => cell.column === column && cell.columnSpan === 1).map((cell) => cell.box);
    return own.length === 0 ? { left: box.right, right: box.right } : horizontalExtent(own);
  });
}

/** The column below a rotated word: headers of several lines are wider than the numbers under them. */
function columnOf(word: Word, columns: { left: number; right: number }[]): number | undefined {
  const off = ({ left, right }: { left: number; right: number }): number => Math.max(left - middleX(word.box), middleX(word.box) - right, 0);
  const [nearest] = [...columns.entries()].sort(([, a], [, b]) => off(a) - off(b));
  return nearest !== undefined && off(nearest[1]) < mostBeside * word.size ? nearest[0] : undefined;
}

/** Rotated words by the column that they stand over: down to the second row, without white space between them. */
function headersOver(table: FoundTable, free: Word[]): Map<number, Word[]> {
  const second = table.cells.filter(({ row }) => row === 1).map(({ box }) => box.top);
  const end = second.length === 0 ? table.box.bottom : Math.min(...second);
  const headers = new Map<number, Word[]>();
  const columns = columnsOf(table);
  for (const column of columns.keys()) {
    const words: Word[] = [];
    let top = Math.max(table.box.top, Math.min(end, ...table.cells.filter((cell) => cell.row === 0 && cell.column === column).map(({ box }) => box.bottom)));
    for (const word of free.filter((one) => columnOf(one, columns) === column && middleY(one.box) < end).sort((a, b) => b.box.bottom - a.box.bottom)) {
      if (Math.min(top, end) - word.box.bottom > mostGap * word.size && table.box.top - word.box.bottom > mostGap * word.size) break;
      words.push(word);
      top = Math.min(top, word.box.top);
    }
    if (words.length > 0) headers.set(column, inOrder(words));
  }
  return headers;
}

/** Upwards: lines from the left, each from below; downwards the opposite. */
function inOrder(words: Word[]): Word[] {
  const up = Math.abs(((words[0]?.angle ?? 90) % 360) - 90) < 45;
  const across = [...words].sort((a, b) => middleX(a.box) - middleX(b.box));
  const lines = splitWhere(across, ([first], word) => Math.abs(middleX(first!.box) - middleX(word.box)) >= 0.5 * word.size);
  if (!up) lines.reverse();
  return lines.flatMap((line) => line.sort((a, b) => (up ? b.box.bottom - a.box.bottom : a.box.top - b.box.top)));
}

function withHeaders(table: FoundTable, headers: Map<number, Word[]>): FoundTable {
  if (headers.size === 0) return table;
  const firstRow = table.cells.filter(({ row }) => row === 0);
  const isFree = (column: number): boolean => !firstRow.some((cell) => cell.column <= column && column < cell.column + cell.columnSpan && cell.words.length > 0);
  if ([...headers.keys()].every(isFree)) return intoFirstRow(table, headers);
  return headers.size < leastColumns ? table : aboveFirstRow(table, headers);
}

const around = (words: Word[], box: Box): Box => unionBox([box, ...words.map((word) => word.box)]);

function intoFirstRow(table: FoundTable, headers: Map<number, Word[]>): FoundTable {
  const cells = table.cells.filter((cell) => !(cell.row === 0 && cell.words.length === 0 && cell.columnSpan === 1 && cell.rowSpan === 1 && headers.has(cell.column)));
  const replaced = table.cells.filter((cell) => !cells.includes(cell));
  const columns = columnsOf(table);
  for (const [column, words] of headers) {
    const wide = cells.find((cell) => cell.row === 0 && cell.column <= column && column < cell.column + cell.columnSpan);
    if (wide !== undefined) wide.words = [...wide.words, ...words];
    else cells.push(headerCell(column, words, replaced.find((cell) => cell.column === column)?.box ?? { ...table.box, ...columns[column] }));
  }
  const headed = cells.map((cell) => (cell.row === 0 ? { ...cell, columnHeader: true, rowHeader: false } : cell));
  return { ...table, box: around([...headers.values()].flat(), table.box), cells: headed.sort((a, b) => a.row - b.row || a.column - b.column) };
}

function aboveFirstRow(table: FoundTable, headers: Map<number, Word[]>): FoundTable {
  const columns = columnsOf(table);
  const words = [...headers.values()].flat();
  const top = Math.min(...words.map(({ box }) => box.top));
  const header = columns.map((column, at) => headerCell(at, headers.get(at) ?? [], { ...column, top, bottom: table.box.top }));
  const below = table.cells.map((cell) => ({ ...cell, row: cell.row + 1, columnHeader: false }));
  return { ...table, rowCount: table.rowCount + 1, box: around(words, table.box), cells: [...header, ...below] };
}

function headerCell(column: number, words: Word[], box: Box): TableCell {
  return { row: 0, column, rowSpan: 1, columnSpan: 1, columnHeader: true, rowHeader: false, words, box };
}
