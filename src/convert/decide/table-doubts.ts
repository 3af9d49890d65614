/** What speaks against the cells that a table was given, by the words in them: for choosing between two readings of the same words. */
import { fromLeft, fromTop, rowsByBaseline } from '../page/group-by-baseline.js';
import { baselineTolerances } from '../page/tolerances.js';
import type { HorizontalExtent } from '../../geometry/box.js';
import { horizontalExtent, horizontalOverlap } from '../../geometry/box.js';
import type { Word } from '../../pdf/pdf-page.js';
import type { FoundTable, TableCell } from '../page/found-table.js';
import { isNumeric, isValue } from '../wording/cell-text.js';

/** Gaps between words on one line, in ems: nearer ones are one text, farther ones two. */
const near = 0.4;
const far = 1.4;
/** Between a number and a text behind it. */
const farFromNumber = 0.5;

/** From one line of a text to the next at most, in ems. */
const lineStep = 1.4;
const farStep = 1.75;

/** Doubts for each cell that holds words: 0 where nothing is odd. */
export function doubtsOf(table: FoundTable): number {
  const filled = table.cells.filter(({ words }) => words.length > 0);
  if (filled.length === 0) return 1;
  const odd = tornTexts(filled) + joinedTexts(filled) + brokenTexts(table, filled) + lonelyRows(table, filled) + exclusiveColumns(table, filled) + bareHeads(table, filled) + stackedRows(table, filled) +
    wrappedHeads(table, filled) + headsInBody(table, filled) + overreaching(filled) + farLines(filled) + askewLabels(filled) + narrowGroups(filled) + wrappedRows(table, filled) + specks(table, filled);
  return odd / filled.length;
}

const gapOf = (before: Word, after: Word): number => (after.box.left - before.box.right) / Math.max(before.size, after.size, 1);

/** Words on one line, from the left. */
function linesOf(words: Word[]): Word[][] {
  return rowsByBaseline(fromTop(fromLeft(words)), baselineTolerances.pageRow).map(fromLeft);
}

/** A number and its uncertainty are one value, however far the sign stands from them. */
const isUncertain = (before: Word, after: Word): boolean => (/[±∓]$/u.test(before.text) && /^[\d.]/u.test(after.text)) || (/^[±∓]/u.test(after.text) && /\d$/u.test(before.text));

/** Neighbours a word space apart that are in two cells. */
function tornTexts(filled: TableCell[]): number {
  const owner = new Map(filled.flatMap((cell) => cell.words.map((word) => [word, cell] as const)));
  let torn = 0;
  for (const line of linesOf([...owner.keys()])) {
    for (const [at, word] of line.entries()) {
      const before = line[at - 1];
      if (before !== undefined && owner.get(before) !== owner.get(word) && gapOf(before, word) < (isUncertain(before, word) ? far : near)) torn++;
    }
  }
  return 2 * torn;
}

/** What two texts in a cell over several columns count: every column below them has the wrong head. */
const joinedHeads = 3;

/** Words far apart on one line of a cell, also of one over several columns; and a number that stands apart from what follows it, as a column of numbers run into the next does. */
export function joinedTexts(filled: TableCell[]): number {
  let joined = 0;
  for (const { words, columnSpan } of filled) {
    for (const line of linesOf(words)) {
      joined += (columnSpan > 1 ? joinedHeads : 1) * line.filter((word, at) => {
        const before = line[at - 1];
        return before !== undefined && gapOf(before, word) > (at === 1 && !isUncertain(before, word) && isNumeric(before.text) ? farFromNumber : far);
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

/** Rows of which two cells have lines side by side that each begin like a cell, or all have as many lines, three or more: several rows in one. */
function stackedRows({ rowCount }: FoundTable, filled: TableCell[]): number {
  let stacked = 0;
  for (let row = 0; row < rowCount; row++) {
    const wrapped = filled.filter((cell) => cell.row === row).map(({ rowSpan, words }) => ({ rowSpan, lines: linesOf(words) })).filter(({ lines }) => lines.length > 1);
    const whole = wrapped.filter(({ rowSpan, lines }) => rowSpan === 1 && lines.every((line) => beginsCell(line)));
    const values = wrapped.map(({ lines }) => lines).filter((lines) => lines.every((line) => standsForValue(line.map(({ text }) => text).join(' '))));
    const counts = new Set(wrapped.map(({ lines }) => lines.length));
    if (wrapped.length > 1 && wrapped.length === filled.filter((cell) => cell.row === row).length && counts.size === 1 && !counts.has(2)) stacked += wrapped[0]?.lines.length ?? 0;
    else if (whole.length > 1 && values.length > 0) stacked += (whole[0]?.lines.length ?? 1) - 1;
    for (const lines of values) stacked += lines.length - 1;
  }
  return stacked;
}

function beginsCell([first]: Word[]): boolean {
  return first !== undefined && !/^\p{Ll}/u.test(first.text);
}

/** A value, or a code: digits and no words. */
function standsForValue(text: string): boolean {
  return isValue(text) || (/\d/u.test(text) && !/\p{Ll}{3}/u.test(text));
}

/** Rows of the head as near each other as lines of a text, and nearer than all other rows, that have the same cells: wrapped heads in two. */
function wrappedHeads({ rowCount }: FoundTable, filled: TableCell[]): number {
  const baselines = Array.from({ length: rowCount }, (_, row) => Math.max(-Infinity, ...filled.filter((cell) => cell.row === row && cell.rowSpan === 1).flatMap(({ words }) => words.map(({ baseline }) => baseline))));
  const size = Math.max(0, ...filled.flatMap(({ words }) => words.map((word) => word.size)));
  const stepOf = (row: number): number => (baselines[row] ?? 0) - (baselines[row - 1] ?? 0);
  let wrapped = 0;
  for (let row = 1; row < rowCount && filled.some((cell) => cell.row === row && cell.columnHeader); row++) {
    const [own, above] = [filled.filter((cell) => cell.row === row), filled.filter((cell) => cell.row === row - 1 && cell.rowSpan === 1)];
    const isSame = own.length > 1 && own.length === above.length && own.every(({ column, columnSpan }, at) => above[at]?.column === column && above[at].columnSpan === columnSpan);
    const others = Array.from({ length: rowCount - 1 }, (_, at) => at + 1).filter((other) => other !== row && Number.isFinite(stepOf(other)));
    if (isSame && stepOf(row) < lineStep * size && others.every((other) => stepOf(other) > 1.1 * stepOf(row))) wrapped += own.length;
  }
  return wrapped;
}

/** Rows without their first text that follow as near as the lines of a text do, where those with it stand farther off: lines of the cells above them. */
function wrappedRows({ rowCount, columnCount }: FoundTable, filled: TableCell[]): number {
  const own = Array.from({ length: rowCount }, (_, row) => filled.filter((cell) => cell.row === row));
  const labelled = new Set(filled.filter(({ column }) => column === 0).flatMap(({ row, rowSpan }) => Array.from({ length: rowSpan }, (_, at) => row + at)));
  const size = Math.max(0, ...filled.flatMap(({ words }) => words.map((word) => word.size)));
  const edgeOf = (row: number, edge: 'first' | 'last'): number => {
    const baselines = (own[row] ?? []).filter(({ rowSpan }) => rowSpan === 1).flatMap(({ words }) => words.map(({ baseline }) => baseline));
    return edge === 'first' ? Math.min(...baselines) : Math.max(...baselines);
  };
  const steps = own.map((_, row) => (row === 0 ? NaN : edgeOf(row, 'first') - edgeOf(row - 1, 'last')));
  const others = steps.filter((step, row) => labelled.has(row) && Number.isFinite(step));
  const least = Math.min(...others);
  if (columnCount < 2 || others.length < 2) return 0;
  return own.reduce((sum, cells, row) => sum + (!labelled.has(row) && (steps[row] ?? NaN) < lineStep * size && least > 1.1 * (steps[row] ?? NaN) ? cells.length : 0), 0);
}

/** Cells of the head that reach into rows that are none of it. */
function headsInBody({ cells }: FoundTable, filled: TableCell[]): number {
  const end = Math.max(0, ...cells.filter(({ columnHeader, rowSpan }) => columnHeader && rowSpan === 1).map(({ row }) => row + 1));
  return end === 0 ? 0 : 0.5 * filled.filter((cell) => cell.columnHeader && cell.row < end && cell.row + cell.rowSpan > end).length;
}

/** Texts of one column that stand over the words of the next one, whose cell beside them is empty: groups of columns. */
function overreaching(filled: TableCell[]): number {
  const single = filled.filter(({ columnSpan }) => columnSpan === 1);
  const inks = new Map<number, HorizontalExtent>();
  for (const { column, row, words } of single) {
    if (row === 0) continue;
    const known = inks.get(column);
    inks.set(column, horizontalExtent([...(known === undefined ? [] : [known]), ...words.map(({ box }) => box)]));
  }
  const isFilled = (row: number, column: number): boolean => filled.some((cell) => cell.row <= row && row < cell.row + cell.rowSpan && cell.column <= column && column < cell.column + cell.columnSpan);
  return single.filter(({ row, column, words }) => row === 0 && [-1, 1].some((side) => {
    const beside = inks.get(column + side);
    return beside !== undefined && !isFilled(row, column + side) && words.some(({ box, size }) => horizontalOverlap(box, beside) > 0.5 * size);
  })).length;
}

/** Lines of one cell that stand farther apart than those of a text. */
function farLines(filled: TableCell[]): number {
  let far = 0;
  for (const { words } of filled) {
    const baselines = [...words].sort((a, b) => a.baseline - b.baseline);
    far += baselines.filter((word, at) => at > 0 && word.baseline - (baselines[at - 1]?.baseline ?? 0) > farStep * word.size).length;
  }
  return far;
}

/** Labels over several rows that do not stand in the middle of them. */
function askewLabels(filled: TableCell[]): number {
  const middleOf = (words: Word[]): number => (Math.min(...words.map(({ baseline }) => baseline)) + Math.max(...words.map(({ baseline }) => baseline))) / 2;
  return filled.filter((cell) => {
    if (cell.rowSpan === 1 || cell.columnHeader) return false;
    const beside = filled.filter((other) => other !== cell && other.row >= cell.row && other.row + other.rowSpan <= cell.row + cell.rowSpan).flatMap(({ words }) => words);
    return beside.length > 0 && Math.abs(middleOf(cell.words) - middleOf(beside)) > 0.5 * (cell.words[0]?.size ?? 10);
  }).length;
}

/** Heads beside a column that has its head in the next row only, as the columns under them have, in the first row or under the same head: they stand over it too. The first column is that of the labels. */
function narrowGroups(filled: TableCell[]): number {
  const at = (row: number, column: number): TableCell | undefined => filled.find((cell) => cell.columnHeader && cell.row <= row && row < cell.row + cell.rowSpan && cell.column <= column && column < cell.column + cell.columnSpan);
  return filled.filter(({ row, rowSpan, column, columnSpan, columnHeader }) => {
    if (!columnHeader || rowSpan !== 1 || at(row + 1, column) === undefined) return false;
    const parent = at(row - 1, column);
    return [column - 1, column + columnSpan].some((beside) => (row === 0 ? beside > 0 : parent !== undefined && at(row - 1, beside) === parent) && at(row, beside) === undefined && at(row + 1, beside) !== undefined);
  }).length;
}

/** Columns of which all that there is has neither letters nor digits, in fewer than half of the rows: specks. */
function specks({ rowCount, columnCount }: FoundTable, filled: TableCell[]): number {
  let count = 0;
  for (let column = 0; column < columnCount; column++) {
    const own = filled.filter((cell) => cell.column <= column && column < cell.column + cell.columnSpan);
    if (own.length < 0.5 * rowCount && own.length > 0 && own.every(({ columnSpan, words }) => columnSpan === 1 && words.every(({ text }) => !/[\p{L}\p{N}]/u.test(text)))) count += own.length + 1;
  }
  return count;
}
