/** White space that runs down a few lines of a justified paragraph, because their words are long and the column is narrow: it parts no columns. */
import { baselineTolerances } from '../page/tolerances.js';
import type { Piece, Row, Side } from './sides.js';
import { rowsOf, sideOf } from './sides.js';

/** Lines that such white space runs down at most. */
const mostRows = 9;
/** In ems: lines are flush with each other, and follow each other. */
const flush = 0.35;
/** In ems: how far the sizes of lines of one paragraph may differ. */
const alike = 0.3;
const nextLine = 1.7;

/** Of the paragraph's lines, flush at both sides; `left` and `right` are what stands beside the white space. */
export function isRiver(left: Side, right: Side, pieces: Piece[], size: number): boolean {
  if ([...left.pieces, ...right.pieces].some(({ line }) => line === null)) return false;
  const rows = rowsOf(sideOf([...left.pieces, ...right.pieces]));
  if (rows.length > mostRows) return false;
  const [from, to] = [left.box.left, right.box.right];
  const isFlush = (row: Row): boolean => Math.abs(row.left - from) < flush * size && Math.abs(row.right - to) < flush * size;
  // The last line of the paragraph ends anywhere.
  if (!rows.every((row) => isFlush(row) || /[.!?:…]["'”’»)]?$/u.test(row.last) && Math.abs(row.left - from) < flush * size)) return false;
  const own = new Set([...left.pieces, ...right.pieces]);
  const [first, last] = [rows[0]!, rows.at(-1)!];
  const isNext = ({ line, box }: Piece): boolean => line !== null && Math.abs(line.size - size) <= alike * size && box.left > from - flush * size && box.right < to + flush * size
    && Math.min(Math.abs(first.baseline - line.baseline), Math.abs(line.baseline - last.baseline)) < nextLine * size;
  const beside = pieces.filter((piece) => !own.has(piece) && isNext(piece));
  // The lines of the paragraph above and below: words that reach over the white show that nothing is parted there.
  const inWhite = (left.box.right + right.box.left) / 2;
  return rowsOf(sideOf(beside)).some((row) => isFlush(row) && beside.some(({ line, box }) => Math.abs(line!.baseline - row.baseline) <= baselineTolerances.line.ems * size && box.left < inWhite && box.right > inWhite));
}
