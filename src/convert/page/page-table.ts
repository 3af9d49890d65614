/** A table without its words: cells with the text of their lines. */
import { lastOf, rowsByBaseline } from './group-by-baseline.js';
import { baselineTolerances } from './tolerances.js';
import { countRightToLeftLetters, hasRightToLeftLetter } from '../wording/scripts.js';
import type { Box, Link, Word } from '../../pdf/pdf-page.js';
import type { FoundTable } from './found-table.js';
import { lineOfWords, mostFrequent } from './text-line.js';
import type { Span, TextLine } from './text-line.js';

export interface PageTableCell {
  row: number;
  column: number;
  rowSpan: number;
  columnSpan: number;
  columnHeader: boolean;
  rowHeader: boolean;
  /** `scripts`: those that the text does not show in Unicode's characters, if there are any. */
  lines: { text: string; softHyphen: boolean; scripts?: Span[] }[];
  box: Box;
}

export interface PageTable {
  box: Box;
  rowCount: number;
  columnCount: number;
  cells: PageTableCell[];
  /** x at which each column begins, for the comparison with a table on the next page. */
  columnLefts: number[];
  /** The size of most of its characters, and how many there are. */
  size: number;
  letters: number;
  /** A table of contents. */
  index: boolean;
  evidence: FoundTable['evidence'];
  confidence: number;
  /** One row that the end of a page or column separates from its table. */
  lone?: true;
}

/** Splits the cell's words into lines: a word further left and lower than the previous one opens a new line. */
function cellLines(words: Word[]): Word[][] {
  return rowsByBaseline(words, baselineTolerances.wrappedLine, lastOf).map((line) => (isRightToLeft(line) ? fromTheRight(line) : line));
}

/** Words fill a grid from the left; Arabic and Hebrew are read from the right, the numbers and Latin words among them from the left. */
function fromTheRight(words: Word[]): Word[] {
  const runs: Word[][] = [];
  let latin: Word[] | null = null;
  for (const word of [...words].sort((a, b) => b.box.right - a.box.right)) {
    const isLatin = !hasRightToLeftLetter(word.text) && /[\p{L}\p{N}]/u.test(word.text);
    if (isLatin && latin !== null) latin.unshift(word);
    else runs.push((latin = [word]));
    if (!isLatin) latin = null;
  }
  return runs.flat();
}

function isRightToLeft(words: Word[]): boolean {
  const letters = words.map((word) => word.text).join('').replace(/[^\p{L}]/gu, '');
  return countRightToLeftLetters(letters) > 0.5 * letters.length;
}

function cellLine({ text, softHyphen, spans }: TextLine): PageTableCell['lines'][number] {
  const scripts = spans.filter(({ script }) => script !== 'baseline');
  return { text: text.replace(/^\ufffd(?= \S)/u, '•'), softHyphen, ...(scripts.length > 0 && { scripts }) };
}

/** Keeps text and grid of `table`, without its words. */
export function tableOfPage(table: FoundTable, links: Link[], index: boolean): PageTable {
  const columnLefts = new Array<number>(table.columnCount).fill(Infinity);
  const cells = table.cells.map((cell): PageTableCell => {
    const lines = cellLines(cell.words).map((words) => lineOfWords(words, links, () => ''));
    if (cell.columnSpan === 1 && cell.column < columnLefts.length) {
      columnLefts[cell.column] = Math.min(columnLefts[cell.column]!, cell.box.left);
    }
    return {
      row: cell.row, column: cell.column, rowSpan: cell.rowSpan, columnSpan: cell.columnSpan,
      columnHeader: cell.columnHeader, rowHeader: cell.rowHeader, box: cell.box,
      lines: lines.map(cellLine),
    };
  });
  const words = table.cells.flatMap((cell) => cell.words);
  const size = words.length === 0 ? 0 : mostFrequent(words, (word) => Math.round(word.size * 10) / 10);
  const letters = words.reduce((sum, word) => sum + word.text.length, 0);
  const { box, rowCount, columnCount, evidence, confidence } = table;
  return { box, rowCount, columnCount, cells, columnLefts, size, letters, index, evidence, confidence };
}
