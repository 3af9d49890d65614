/** Corrects columns for which the network found only the header: a header with an empty column below gets a column, and a header beside its cells is moved above them. */
import { fromLeft } from '../../page/group-by-baseline.js';
import type { Word } from '../../../pdf/pdf-page.js';
import type { FoundTable, TableCell } from '../../page/found-table.js';

/** White space between two headers, in ems. */
const mostSpace = 1.4;
/** If the lines of the two headers have different heights: the least white space and the least difference, in ems. */
const leastSpace = 0.7;
const besides = [0.2, 0.8] as const;

interface Split {
  cell: TableCell;
  /** The words above the column, and those beside it. */
  own: Word[];
  beside: Word[];
  /** The column of the latter is the previous one. */
  isBefore: boolean;
}

/** The table with such columns corrected. Every word stays in one cell. */
export function withBareColumns(table: FoundTable): FoundTable {
  let whole = table;
  for (let column = table.columnCount - 2; column >= 0; column--) {
    if (whole.columnCount > 2 && isTorn(whole, column)) whole = withoutLine(whole, column + 1) ?? whole;
  }
  for (let column = table.columnCount - 1; column >= 0; column--) {
    const split = bareHead(whole, column);
    if (split !== null) whole = withColumn(whole, split);
  }
  return whole;
}

/** Whether one of this column and the next has only a header and the other has none. */
function isTorn({ cells, rowCount }: FoundTable, column: number): boolean {
  const [first, second] = [0, 1].map((step) => cells.filter(({ column: at, columnSpan, words }) => at <= column + step && column + step < at + columnSpan && words.length > 0));
  if (first === undefined || second === undefined || first.some((cell) => second.includes(cell) && !(cell.columnHeader || cell.columnSpan > 2))) return false;
  const own = (all: TableCell[], others: TableCell[]): TableCell[] => all.filter((cell) => !others.includes(cell));
  const [a, b] = [own(first, second), own(second, first)];
  const isPair = (heads: TableCell[], body: TableCell[]): boolean => heads.length > 0 && heads.every(({ columnHeader }) => columnHeader) && body.length >= 0.5 * (rowCount - 1) && body.every(({ columnHeader }) => !columnHeader);
  return isPair(a, b) || isPair(b, a);
}

/** Merges the column with the previous one; null if words on both sides share a row, or cells beside it span several columns. */
function withoutLine(table: FoundTable, line: number): FoundTable | null {
  const beside = table.cells.filter((cell) => cell.column === line || cell.column + cell.columnSpan === line);
  const full = beside.filter(({ words }) => words.length > 0);
  const covers = (cell: TableCell, row: number): boolean => cell.row <= row && row < cell.row + cell.rowSpan;
  if (beside.some(({ columnSpan }) => columnSpan > 1)) return null;
  const edge = (row: number, column: number): TableCell | undefined => beside.find((cell) => cell.column === column && covers(cell, row));
  const joined: TableCell[] = [];
  for (let row = 0; row < table.rowCount; row++) {
    const [left, right] = [edge(row, line - 1), edge(row, line)];
    if (left === undefined || right === undefined) continue;
    const [own, other] = full.filter((cell) => covers(cell, row));
    if (other !== undefined) return null;
    if (own !== undefined && own.row < row) continue;
    // Empty cells are merged row by row: they may be as high as the cells beside them.
    joined.push({ ...left, rowSpan: 1, ...own, row, column: line - 1, box: { ...(own ?? left).box, left: left.box.left, right: right.box.right } });
  }
  const rest = table.cells.filter((cell) => !beside.includes(cell)).map((cell): TableCell => {
    if (cell.column >= line) return { ...cell, column: cell.column - 1 };
    return cell.column + cell.columnSpan > line ? { ...cell, columnSpan: cell.columnSpan - 1 } : cell;
  });
  return { ...table, columnCount: table.columnCount - 1, cells: [...rest, ...joined].sort((a, b) => a.row - b.row || a.column - b.column) };
}

function bareHead({ cells }: FoundTable, column: number): Split | null {
  const body = cells.filter((cell) => !cell.columnHeader && cell.column === column && cell.columnSpan === 1).flatMap(({ words }) => words);
  const heads = cells.filter((cell) => cell.columnHeader && cell.column === column && cell.columnSpan === 1 && cell.words.length > 0);
  const [cell] = heads;
  if (body.length === 0 || cell === undefined || heads.length > 1) return null;
  const [left, right] = [Math.min(...body.map(({ box }) => box.left)), Math.max(...body.map(({ box }) => box.right))];
  const sorted = fromLeft(cell.words);
  let end = -Infinity;
  for (const [at, word] of sorted.entries()) {
    const [before, after] = [sorted.slice(0, at), sorted.slice(at)];
    if (at > 0 && isParted(before, after, word.box.left - end)) {
      if (right < word.box.left) return { cell, own: before, beside: after, isBefore: false };
      if (left > end) return { cell, own: after, beside: before, isBefore: true };
    }
    end = Math.max(end, word.box.right);
  }
  return null;
}

/** Whether these are two texts: far apart, or nearer with lines that are not level. */
function isParted(before: Word[], after: Word[], white: number): boolean {
  const size = Math.max(...before.map((word) => word.size), ...after.map((word) => word.size));
  const isOff = (a: Word, b: Word): boolean => Math.abs(a.baseline - b.baseline) > besides[0] * size && Math.abs(a.baseline - b.baseline) < besides[1] * size;
  return white > mostSpace * size || (white > leastSpace * size && before.some((a) => after.some((b) => isOff(a, b))));
}

function withColumn(table: FoundTable, { cell, own, beside, isBefore }: Split): FoundTable {
  const { column } = cell;
  const added = isBefore ? column : column + 1;
  const moved = (one: TableCell): TableCell => {
    const isWhole = one.columnSpan > 1 && one.columnSpan === table.columnCount;
    const isAcross = isWhole || (one.column < added && one.column + one.columnSpan > added);
    return { ...one, column: one.column >= added && !isWhole ? one.column + 1 : one.column, columnSpan: one.columnSpan + (isAcross ? 1 : 0) };
  };
  const inOrder = (words: Word[]): Word[] => cell.words.filter((word) => words.includes(word));
  const middle = isBefore ? Math.max(...beside.map(({ box }) => box.right)) : Math.min(...beside.map(({ box }) => box.left));
  const [first, second] = [{ ...cell.box, right: middle }, { ...cell.box, left: middle }];
  const cells = table.cells.flatMap((one): TableCell[] => {
    if (one !== cell) return [moved(one)];
    return [{ ...moved(one), words: inOrder(own), box: isBefore ? second : first }, { ...one, column: added, words: inOrder(beside), box: isBefore ? first : second }];
  });
  for (let row = 0; row < table.rowCount; row++) {
    if (cells.some((one) => one.row <= row && row < one.row + one.rowSpan && one.column <= added && added < one.column + one.columnSpan)) continue;
    const next = cells.find((one) => one.row <= row && row < one.row + one.rowSpan && one.column === (isBefore ? added + 1 : column));
    cells.push({ row, column: added, rowSpan: 1, columnSpan: 1, columnHeader: next?.columnHeader ?? false, rowHeader: false, words: [], box: { ...(next?.box ?? cell.box), left: middle, right: middle } });
  }
  return { ...table, columnCount: table.columnCount + 1, cells: cells.sort((a, b) => a.row - b.row || a.column - b.column) };
}
