/** What speaks against the cells that a table was given, by the words in them: for choosing between two readings of the same words. */
import type { Word } from '../../pdf/page.js';
import type { FoundTable, TableCell } from '../table.js';
import { isNumeric, isValue } from './text-kind.js';

/** Gaps between words on one line, in sizes: nearer ones are one text, farther ones two. */
const near = 0.4;
const far = 1.4;
/** Between a number and a text behind it. */
const farFromNumber = 0.5;

/** Doubts for each cell that holds words: 0 where nothing is odd. */
export function doubtsOf(table: FoundTable): number {
  const filled = table.cells.filter(({ words }) => words.length > 0);
  if (filled.length === 0) return 1;
  const odd = tornTexts(filled) + joinedTexts(filled) + brokenTexts(table, filled) + lonelyRows(table, filled) + exclusiveColumns(table, filled) + bareHeads(table, filled) + stackedRows(table, filled);
  return odd / filled.length;
}

const gapOf = (before: Word, after: Word): number => (after.box.left - before.box.right) / Math.max(before.size, after.size, 1);

/** Words on one line, from the left. */
function linesOf(words: Word[]): Word[][] {
  const lines: Word[][] = [];
  for (const word of [...words].sort((a, b) => a.baseline - b.baseline || a.box.left - b.box.left)) {
    const line = lines.at(-1);
    if (line !== undefined && Math.abs((line[0]?.baseline ?? 0) - word.baseline) < 0.35 * word.size) line.push(word);
    else lines.push([word]);
  }
  for (const line of lines) line.sort((a, b) => a.box.left - b.box.left);
  return lines;
}

/** Neighbours a word space apart that are in two cells. */
function tornTexts(filled: TableCell[]): number {
  const owner = new Map(filled.flatMap((cell) => cell.words.map((word) => [word, cell] as const)));
  let torn = 0;
  for (const line of linesOf([...owner.keys()])) {
    for (const [at, word] of line.entries()) {
      const before = line[at - 1];
      if (before !== undefined && owner.get(before) !== owner.get(word) && gapOf(before, word) < near) torn++;
    }
  }
  return 2 * torn;
}

/** Words far apart on one line of a cell, also of one over several columns; and a number that stands apart from what follows it, as a column of numbers run into the next would. */
function joinedTexts(filled: TableCell[]): number {
  let joined = 0;
  for (const { words } of filled) {
    for (const line of linesOf(words)) {
      joined += line.filter((word, at) => {
        const before = line[at - 1];
        return before !== undefined && gapOf(before, word) > (at === 1 && isNumeric(before.text) && !isNumeric(word.text) ? farFromNumber : far);
      }).length;
    }
  }
  return joined;
}

/** Cells that go on where the one above them ended. */
function brokenTexts({ cells }: FoundTable, filled: TableCell[]): number {
  return filled.filter((cell) => {
    const first = cell.words[0]?.text ?? '';
    if (cell.row === 0 || !/^[("'„“]?\p{Ll}/u.test(first)) return false;
    const above = cells.find((other) => other.column === cell.column && other.row + other.rowSpan === cell.row);
    return above !== undefined && above.words.length > 0 && !/[.!?]$/u.test(above.words.at(-1)?.text ?? '') && /\p{Ll}{2}/u.test(first);
  }).length;
}

/** Rows with one text in another column than the first: they belong to the row above or below. */
function lonelyRows({ rowCount, columnCount }: FoundTable, filled: TableCell[]): number {
  if (columnCount < 3) return 0;
  let lonely = 0;
  for (let row = 0; row < rowCount; row++) {
    const own = filled.filter((cell) => cell.row === row);
    if (own.length === 1 && (own[0] as TableCell).column > 0 && (own[0] as TableCell).columnSpan === 1) lonely++;
  }
  return lonely;
}

/** Neighbouring columns of which no row has both are one. */
function exclusiveColumns({ rowCount, columnCount }: FoundTable, filled: TableCell[]): number {
  let exclusive = 0;
  for (let column = 0; column + 1 < columnCount; column++) {
    const rows = new Set(filled.filter((cell) => cell.column === column && cell.columnSpan === 1).map(({ row }) => row));
    if (!filled.some((cell) => cell.column === column + 1 && rows.has(cell.row))) exclusive += 0.5 * rowCount;
  }
  return exclusive;
}

/** Columns with a head and nothing under it, where another has something and no head: what stands under the head was put beside it. */
function bareHeads({ rowCount, columnCount }: FoundTable, filled: TableCell[]): number {
  if (rowCount < 3) return 0;
  let [bare, headless] = [0, 0];
  for (let column = 0; column < columnCount; column++) {
    const own = filled.filter((cell) => cell.column <= column && column < cell.column + cell.columnSpan);
    const hasHead = own.some(({ row }) => row === 0);
    if (hasHead && own.length === 1) bare++;
    if (column > 0 && !hasHead && own.length > 0.5 * rowCount) headless++;
  }
  return 0.5 * rowCount * Math.min(bare, headless);
}

/** Rows of which two cells have lines side by side that each begin like a cell: several rows in one. */
function stackedRows({ rowCount }: FoundTable, filled: TableCell[]): number {
  let stacked = 0;
  for (let row = 0; row < rowCount; row++) {
    const counts = filled.filter((cell) => cell.row === row && cell.rowSpan === 1).map((cell) => linesOf(cell.words)).filter((lines) => lines.length > 1);
    const whole = counts.filter((lines) => lines.every((line) => beginsCell(line)));
    const values = counts.filter((lines) => lines.every((line) => isValue(line.map(({ text }) => text).join(' '))));
    if (whole.length > 1 && values.length > 0) stacked += (whole[0]?.length ?? 1) - 1;
    stacked += values.length;
  }
  return stacked;
}

function beginsCell([first]: Word[]): boolean {
  return first !== undefined && !/^\p{Ll}/u.test(first.text);
}
