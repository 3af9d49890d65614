/** Finds blocks at the head of a letter or an invoice: the sender, and the number and date far beside it. */
import { fromTopEdge } from '../page/group-by-baseline.js';
import { baselineTolerances } from '../page/tolerances.js';
import { middleY } from '../../geometry/box.js';
import { median } from '../../geometry/statistics.js';
import type { Piece, Run, Side } from './sides.js';
import { breaksSentences, rowsOf, widthBetween } from './sides.js';

/** In ems: white space at least this wide separates blocks of words, such as a sender's address and the number and date of an invoice, although their rows are level. */
const wideWhite = 8;
/** The least median of characters in the rows of such a block. */
const wordyRow = 8;
const mostBlockRows = 12;
/** More rows with wide white space are a table or a form. */
const mostWideRows = 12;

/** The middles of white space so wide that it separates blocks although no edges are aligned there: one block is flush left, the other flush right. */
export function wideGaps(pieces: Piece[], size: number): number[] {
  const sorted = pieces.filter(({ line }) => line !== null).sort((a, b) => a.line!.baseline - b.line!.baseline || a.box.left - b.box.left);
  const gaps: number[] = [];
  for (let index = 1; index < sorted.length && gaps.length <= mostWideRows; index++) {
    const [before, piece] = [sorted[index - 1]!, sorted[index]!];
    if (Math.abs(piece.line!.baseline - before.line!.baseline) <= baselineTolerances.line.ems * size && piece.box.left - before.box.right >= wideWhite * size) gaps.push((before.box.right + piece.box.left) / 2);
  }
  return gaps.length > mostWideRows ? [] : gaps;
}

/** Whether the two are blocks of words far apart, one flush left, the other flush right. A list of items with numbers or pages is not, nor are rows. */
export function areBlocksApart(left: Side, right: Side, size: number): boolean {
  if (widthBetween(left, right) < wideWhite * size) return false;
  const [lefts, rights] = [rowsOf(left), rowsOf(right)];
  const spread = (values: number[]): number => Math.max(...values) - Math.min(...values);
  const isFlush = spread(lefts.map((row) => row.left)) < 0.3 * size && spread(rights.map((row) => row.right)) < 0.3 * size && spread(rights.map((row) => row.left)) > size;
  return isFlush && [lefts, rights].every((rows) => rows.length >= 2 && rows.length <= mostBlockRows && median(rows.map(({ letters }) => letters)) >= wordyRow
    && rows.every(({ first, last }) => /\p{L}{2}/u.test(first) && !/[.…]{4}|:$/u.test(last)));
}

/** A block with more lines does not belong to the head of a letter. */
const mostOfBlock = 10;
/** The fewest characters of a line of running text. */
const lettersOfText = 24;
/** In ems: white space below a separate block. */
const whiteBelow = 1.5;
/** The ratio of the white space below such a block to the widest white space between its lines. */
const clearlyWider = 1.6;

/**
 * The run down to the end of a block of short lines, such as the number and date of an invoice beside its sender. Text far below the sender with
 * nothing beside it is the next part. Columns of running text are read to their ends.
 */
export function untilBlockEnds(x: number, run: Run, pieces: Piece[], size: number): Run {
  const within = fromTopEdge(pieces.filter(({ box }) => middleY(box) > run.top && middleY(box) < run.bottom));
  const sides = [true, false].map((isLeft) => within.filter(({ box }) => (box.left + box.right <= 2 * x) === isLeft));
  const bottomOf = (side: Piece[]): number => Math.max(...side.map(({ box }) => box.bottom));
  const [short, long] = sides.sort((a, b) => bottomOf(a) - bottomOf(b)) as [Piece[], Piece[]];
  if (short.length < 2 || short.length > mostOfBlock) return run;
  const end = bottomOf(short);
  const next = long.findIndex(({ box }) => box.top > end - 0.3 * size);
  if (next < 2 || next > mostOfBlock) return run;
  const block = long.slice(0, next);
  const whites = block.slice(1).map(({ box }, index) => box.top - block[index]!.box.bottom);
  const white = long[next]!.box.top - bottomOf(block);
  if (white < Math.max(whiteBelow * size, clearlyWider * Math.max(...whites)) || [...block, ...short].some(({ line }) => line === null)) return run;
  const isShort = (side: Piece[]): boolean => median(side.map(({ line }) => line?.text.length ?? 0)) < lettersOfText && !breaksSentences(side);
  return !isShort(block) || !isShort(short) ? run : { top: run.top, bottom: long[next]!.box.top - 0.1 };
}
