/** Rivers: white space that runs down a few lines of a justified paragraph with long words in a narrow column. They do not separate columns. */
import { baselineTolerances } from '../page/tolerances.js';
import type { Piece, Row, Side } from './sides.js';
import { rowsOf, sideOf } from './sides.js';

/** The most lines that a river crosses. */
const mostRows = 9;
/** In ems: how far the edges of flush lines differ, and the distance of successive lines. */
const flush = 0.35;
/** In ems: the largest difference in size between the lines of one paragraph. */
const alike = 0.3;
const nextLine = 1.7;

/** Lines of the paragraph, flush at both sides; `left` and `right` are the pieces beside the white space. */
export function isRiver(left: Side, right: Side, pieces: Piece[], size: number): boolean {
  if ([...left.pieces, ...right.pieces].some(({ line }) => line === null)) return false;
  const rows = rowsOf(sideOf([...left.pieces, ...right.pieces]));
  if (rows.length > mostRows) return false;
  const [from, to] = [left.box.left, right.box.right];
  const isFlush = (row: Row): boolean => Math.abs(row.left - from) < flush * size && Math.abs(row.right - to) < flush * size;
  // The last line of the paragraph may end anywhere.
  if (!rows.every((row) => isFlush(row) || /[.!?:…]["'”’»)]?$/u.test(row.last) && Math.abs(row.left - from) < flush * size)) return false;
  const own = new Set([...left.pieces, ...right.pieces]);
  const [first, last] = [rows[0]!, rows.at(-1)!];
  const isNext = ({ line, box }: Piece): boolean => line !== null && Math.abs(line.size - size) <= alike * size && box.left > from - flush * size && box.right < to + flush * size
    && Math.min(Math.abs(first.baseline - line.baseline), Math.abs(line.baseline - last.baseline)) < nextLine * size;
  const beside = pieces.filter((piece) => !own.has(piece) && isNext(piece));
  // The paragraph's lines above and below: words across the white space show that it separates nothing.
  const inWhite = (left.box.right + right.box.left) / 2;
  return rowsOf(sideOf(beside)).some((row) => isFlush(row) && beside.some(({ line, box }) => Math.abs(line!.baseline - row.baseline) <= baselineTolerances.line.ems * size && box.left < inWhite && box.right > inWhite));
}
