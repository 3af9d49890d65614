/** Whether the table network's cells take the place of geometry's (`isBetter`), and whether what the network reads where geometry finds no table is a table (`seemsTable`, `isInOrder`, `isWrapped`). tables/network/find-cells.ts asks. */
import { isFigureOrListingCaption } from '../wording/captions.js';
import { isListMarker } from '../wording/markers.js';
import type { FoundTable, TableCell } from '../page/found-table.js';
import { doubtsOf } from './table-doubts.js';
import { wordCount } from '../wording/cell-text.js';
import { standsInRows, unevenShare } from '../tables/network/zones.js';

/** A table with cells by the network. */
export interface Reading extends FoundTable {
  /** 0..1: e^-w, where w is the share of its cells that the network expects to be wrong (native/vision/separators.h). */
  certainty: number;
}

/** The largest share of cells that the network may expect to be wrong, and how many more doubts per cell than geometry's still count as about as few. On drawn tables 0.14 to 0.3 and 0.01 to 0.05 give equally good results; among the sample documents, the first table that the network cuts between the lines of its texts has a share of 0.19. */
const mostWrong = 1 / 6;
const aboutAsFew = 0.01;

/** Doubts per cell that the rounding of sums may add or take away. */
export const doubtsRounding = 1e-9;

/** The network's cells leave fewer doubts per cell than geometry's cells of the same words, which leave `doubts`: by more than `margin`. */
export function leavesFewerDoubts(read: FoundTable, doubts: number, margin = doubtsRounding): boolean {
  return doubtsOf(read) < doubts - margin;
}

/** Whether the network's cells replace geometry's cells of the same words, which leave `doubts` per cell: they leave fewer, or about as few and the network is certain of them. */
export function isBetter(read: Reading, doubts: number): boolean {
  return leavesFewerDoubts(read, doubts) || (doubtsOf(read) <= doubts + aboutAsFew && wrongOf(read) <= mostWrong);
}

/** The share of cells that the network expects to be wrong. */
const wrongOf = ({ certainty }: Reading): number => -Math.log(Math.max(0.05, certainty));

/** Most doubts per cell of a table of wrapped text. The limit is higher than for other tables, because cells of several lines raise more doubts, and texts that stand in rows (standsInRows()) are stronger evidence. */
const mostWrappedDoubts = 0.35;

/** A table of wrapped text, which geometry takes for columns of running text. */
export const isWrapped = (read: FoundTable): boolean => standsInRows(read) && doubtsOf(read) <= mostWrappedDoubts;

/** For a table that geometry finds doubtful: most doubts per cell, fewest cells with text, most words of a text that is not running text, and the least share of rows with more than one text. */
const mostDoubts = 0.2;
const leastFilled = 8;
const mostWords = 8;
const leastPaired = 0.6;

/** The texts stand side by side in rows and leave few doubts, and they are not those of a form, a chart or running text. */
export function isInOrder(table: FoundTable): boolean {
  const filled = table.cells.filter(({ words }) => words.length > 0);
  const counts = new Array<number>(table.rowCount).fill(0);
  for (const { row } of filled) counts[row] = (counts[row] ?? 0) + 1;
  const paired = counts.filter((count) => count > 1).length;
  if (paired < 2 || paired < leastPaired * table.rowCount || doubtsOf(table) > mostDoubts) return false;
  const texts = textsOf(filled);
  const labels = texts.filter((text) => text.endsWith(':')).length;
  const isWordy = texts.filter((text) => wordCount(text) > mostWords).length > 0.2 * texts.length;
  return filled.length >= leastFilled && table.rowCount >= 3 && labels < 0.25 * filled.length && !texts.some(isFigureOrListingCaption) && !isWordy;
}

const textsOf = (cells: TableCell[]): string[] => cells.map(({ words }) => words.map(({ text }) => text).join(' '));

/** Evidence that what the network read is a table; no value is below 0. models/training/tables/signs.py fits the weights. */
export function signsOf(read: Reading): Record<keyof typeof weights, number> {
  const filled = read.cells.filter(({ words }) => words.length > 0);
  const texts = textsOf(filled);
  const firsts = texts.filter((_, at) => filled[at]?.column === 0);
  const share = (some: unknown[], all: unknown[]): number => some.length / Math.max(1, all.length);
  return {
    uncertain: wrongOf(read),
    doubts: Math.min(2, doubtsOf(read)),
    filled: Math.min(30, filled.length) / 30,
    full: filled.filter(({ rowSpan }) => rowSpan === 1).length / (read.rowCount * read.columnCount),
    headed: read.cells.some(({ columnHeader }) => columnHeader) ? 1 : 0,
    uneven: unevenShare(read),
    inRows: standsInRows(read) ? 1 : 0,
    labels: share(texts.filter((text) => text.endsWith(':')), texts),
    marks: share(firsts.filter((text) => isListMarker(text)), firsts),
  };
}

/** The weights of the evidence, as log odds, and the least sum for a table. On 800 drawn pages, 5 of 623 readings of running text, forms, charts and lists pass for tables, and four in five of the 744 tables that geometry does not find. */
const weights = { uncertain: -5.8, doubts: -4, filled: 3.5, full: 1.7, headed: 1.9, uneven: 1, inRows: 1.7, labels: -4.7, marks: -2.3 };
const least = 4;

/** What the network read is a table, and no form, chart, list or running text. */
export function seemsTable(read: Reading): boolean {
  const signs = signsOf(read);
  const odds = Object.entries(signs).reduce((sum, [name, sign]) => sum + weights[name as keyof typeof weights] * sign, -least);
  return odds > 0 && !textsOf(read.cells).some(isFigureOrListingCaption);
}
