/** What the table network made of words: how it is weighed against geometry's cells, and whether it is a table at all where geometry sees none. */
import { isFigureOrListingCaption } from '../wording/captions.js';
import { isListMarker } from '../wording/markers.js';
import type { FoundTable, TableCell } from '../page/found-table.js';
import { doubtsOf } from './table-doubts.js';
import { wordCount } from '../wording/cell-text.js';
import { standsInRows, unevenShare } from '../tables/network/zones.js';

/** Cells by the network. */
export interface Reading extends FoundTable {
  /** 0..1: e to the power of minus the share of cells that are wrong by what the network says (native/vision/separators.h). */
  certainty: number;
}

/** Of its cells, how many the network may hold for wrong, and how many doubts a cell more are about as few. Drawn tables do as well with 0.14 to 0.3 and with 0.01 to 0.05; of the samples' the first one torn at the lines of its texts has 0.19 wrong. */
const mostWrong = 1 / 6;
const aboutAsFew = 0.01;

/** Whether its cells are taken where geometry's of the same words leave so many doubts: it leaves fewer, or about as few and is certain of them. */
export function isBetter(read: Reading, doubts: number): boolean {
  const own = doubtsOf(read);
  return own < doubts - 1e-9 || (own <= doubts + aboutAsFew && wrongOf(read) <= mostWrong);
}

/** The share of cells that the network holds for wrong. */
const wrongOf = ({ certainty }: Reading): number => -Math.log(Math.max(0.05, certainty));

/** Doubts a cell at most of a table of wrapped text: it has more of them than other ones, and its rows say more than these. */
const mostWrappedDoubts = 0.35;

/** A table of wrapped text, as stands on a page where geometry sees columns of running text. */
export const isWrapped = (read: FoundTable): boolean => standsInRows(read) && doubtsOf(read) <= mostWrappedDoubts;

/** Of a table that geometry doubts: doubts a cell at most, texts at least, words of a text, and of the rows, how many have more than one text. */
const mostDoubts = 0.2;
const leastFilled = 8;
const mostWords = 8;
const leastPaired = 0.6;

/** Rows of texts side by side, nothing odd about them, and no form, chart or running text. */
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

/** Evidence that something is a table; no value is below 0. models/training/tables/signs.py finds the weights. */
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

/** Log odds, and how many there must be: of 623 readings of running text, forms, charts and lists on 800 drawn pages 5 pass for tables, of 744 tables that geometry does not see four of five. */
const weights = { uncertain: -5.8, doubts: -4, filled: 3.5, full: 1.7, headed: 1.9, uneven: 1, inRows: 1.7, labels: -4.7, marks: -2.3 };
const least = 4;

/** What it reads is a table, not a form, a chart, a list or running text. */
export function seemsTable(read: Reading): boolean {
  const signs = signsOf(read);
  const odds = Object.entries(signs).reduce((sum, [name, sign]) => sum + weights[name as keyof typeof weights] * sign, -least);
  return odds > 0 && !textsOf(read.cells).some(isFigureOrListingCaption);
}
