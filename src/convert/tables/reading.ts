/** What the table network made of words: how it is weighed against geometry's cells, and whether it is a table at all where geometry sees none. */
import type { FoundTable } from '../table.js';
import { doubtsOf } from './doubts.js';
import { isBullet, isFigureCaption, isListMark } from './text-kind.js';
import { standsInRows, unevenShare } from './zones.js';

/** Cells by the network. */
export interface Reading extends FoundTable {
  /** 0..1: e to the power of minus the share of cells that are wrong by what the network says (native/vision/separators.h). */
  certainty: number;
}

/** Of the share of cells that the network holds for wrong, what counts as doubts; and how many doubts more than geometry's its cells may leave: it sees more than they tell. More of it loses pages of the samples. */
const uncertain = 0.3;
const inFavour = 0.052;

/** Whether its cells are taken where geometry's of the same words leave so many doubts. */
export function isBetter(read: Reading, doubts: number): boolean {
  return doubtsOf(read) - uncertain * Math.log(Math.max(0.01, read.certainty)) <= doubts + inFavour;
}

/** Signs of a table, none below 0. models/training/tables/signs.py finds their weights. */
export function signsOf(read: Reading): Record<keyof typeof weights, number> {
  const filled = read.cells.filter(({ words }) => words.length > 0);
  const texts = filled.map(({ words }) => words.map(({ text }) => text).join(' '));
  const firsts = texts.filter((_, at) => filled[at]?.column === 0);
  const share = (some: unknown[], all: unknown[]): number => some.length / Math.max(1, all.length);
  return {
    uncertain: -Math.log(Math.max(0.05, read.certainty)),
    doubts: Math.min(2, doubtsOf(read)),
    filled: Math.min(30, filled.length) / 30,
    full: filled.filter(({ rowSpan }) => rowSpan === 1).length / (read.rowCount * read.columnCount),
    headed: read.cells.some(({ columnHeader }) => columnHeader) ? 1 : 0,
    uneven: unevenShare(read),
    inRows: standsInRows(read) ? 1 : 0,
    labels: share(texts.filter((text) => text.endsWith(':')), texts),
    marks: share(firsts.filter((text) => isListMark(text) || isBullet(text)), firsts),
  };
}

/** Log odds, and how many there must be: of 623 readings of running text, forms, charts and lists on 800 drawn pages 5 pass for tables, of 744 tables that geometry does not see four of five. */
const weights = { uncertain: -5.8, doubts: -4, filled: 3.5, full: 1.7, headed: 1.9, uneven: 1, inRows: 1.7, labels: -4.7, marks: -2.3 };
const least = 4;

/** What it reads is a table, not a form, a chart, a list or running text. */
export function seemsTable(read: Reading): boolean {
  const signs = signsOf(read);
  const odds = Object.entries(signs).reduce((sum, [name, sign]) => sum + weights[name as keyof typeof weights] * sign, -least);
  return odds > 0 && !read.cells.some(({ words }) => isFigureCaption(words.map(({ text }) => text).join(' ')));
}
