/** One side of a strip of white space: its pieces, its rows, and whether they are running text. */
import { fromTop, rowsByBaseline } from '../page/group-by-baseline.js';
import { baselineTolerances } from '../page/tolerances.js';
import { horizontalExtent, unionBox, widthOf } from '../../geometry/box.js';
import { median, quantileInside } from '../../geometry/statistics.js';
import type { Box } from '../../pdf/pdf-page.js';
import { countIdeographs } from '../wording/scripts.js';
import type { TextLine } from '../page/text-line.js';

/** The unit of the reading order: a piece of a line, or a whole table or figure. */
export interface Piece {
  box: Box;
  /** Null for a table or a figure. */
  line: TextLine | null;
  /** Index of the table or figure in its page's list of objects; -1 for text. */
  object: number;
}

export interface Side {
  pieces: Piece[];
  box: Box;
}

export function sideOf(pieces: Piece[]): Side {
  return { pieces, box: unionBox(pieces.map((piece) => piece.box)) };
}

export interface Row {
  baseline: number;
  left: number;
  right: number;
  letters: number;
  size: number;
  first: string;
  last: string;
}

/** Rows of one side: pieces on one baseline are one row. */
export function rowsOf(side: Side): Row[] {
  return rowsByBaseline(fromTop(side.pieces.flatMap(({ line }) => line ?? [])), baselineTolerances.line).map((lines): Row => ({
    baseline: lines[0]!.baseline, size: lines[0]!.size, ...horizontalExtent(lines.map(({ box }) => box)),
    letters: lines.reduce((sum, { text }) => sum + text.length, 0),
    first: lines.reduce((leftmost, line) => (line.box.left < leftmost.box.left ? line : leftmost)).text,
    last: lines.reduce((rightmost, line) => (line.box.right > rightmost.box.right ? line : rightmost)).text,
  }));
}

/** Running text fills its column; the entries of a list of terms or numbers do not. */
export function isProse(side: Side, rows: Row[]): boolean {
  if (rows.length < 3) return false;
  const width = Math.max(1, widthOf(side.box));
  return median(rows.map((row) => widthOf(row) / width)) >= 0.7 && median(rows.map((row) => row.letters)) >= 16;
}

/** The share of its column that a broken line fills, and the distance of the next line, in ems. */
const filled = 0.75;
const closeLines = 1.7;

/** Whether a row may continue in the row below, by its end and by the begin of the next. In scripts without lower case only the length shows it. */
const endsOpen = /(?:^|\s)\p{Ll}{1,3}$/u;
const beginsSmall = /^\p{Ll}{2}|^\p{Ll} /u;
const lettersToBreak = 10;
const lettersWithoutCase = 20;

function goesOnBelow(above: Row, row: Row): boolean {
  if (/[.!?:;。؟۔]$/u.test(above.last) || above.letters < lettersToBreak) return false;
  return beginsSmall.test(row.first) || above.letters >= lettersWithoutCase && /^\p{L}/u.test(row.first) && endsOpen.test(above.last)
    || /^\p{Lo}/u.test(row.first) && above.letters * (countIdeographs(above.first) > 0 ? 2 : 1) >= lettersWithoutCase;
}

/** Whether sentences break at the ends of its lines: a line that fills the width continues below in the middle of a sentence. */
export function breaksSentences(pieces: Piece[]): boolean {
  const side = sideOf(pieces);
  const rows = rowsOf(side);
  return rows.some((row, index) => {
    const above = rows[index - 1];
    return above !== undefined && goesOnBelow(above, row) && widthOf(above) >= filled * widthOf(side.box) && Math.abs(row.size - above.size) < 0.1 * row.size
      && row.baseline - above.baseline < closeLines * row.size && Math.min(Math.abs(row.left - above.left), Math.abs(row.right - above.right)) < 0.3 * row.size;
  });
}

/** Share of the lines that do not stick out of their column. */
const insideColumn = 0.9;

/** Width of the white space between the sides, in points, without the lines that stick out. */
export function widthBetween(left: Side, right: Side): number {
  const rightEdge = quantileInside(left.pieces.map((piece) => piece.box.right), insideColumn);
  const leftEdge = -quantileInside(right.pieces.map((piece) => -piece.box.left), insideColumn);
  return leftEdge - rightEdge;
}

/** A range of heights in which no piece crosses one x. */
export interface Run {
  top: number;
  bottom: number;
}
