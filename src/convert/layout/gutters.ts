/** Finds the gutter between two columns: its place, its vertical range, and whether it separates columns or the cells of a table. */
import { fromTopEdge } from '../page/group-by-baseline.js';
import { baselineTolerances } from '../page/tolerances.js';
import { beginsWithBullet } from '../wording/markers.js';
import { hasRightToLeftLetter } from '../wording/scripts.js';
import { heightOf, middleY, verticalOverlap } from '../../geometry/box.js';
import { median } from '../../geometry/statistics.js';
import type { Box } from '../../pdf/pdf-page.js';
import type { ColumnRule } from '../page/regions.js';
import { areBlocksApart, untilBlockEnds, wideGaps } from './letterheads.js';
import { isRiver } from './rivers.js';
import type { Piece, Row, Run, Side } from './sides.js';
import { breaksSentences, isProse, rowsOf, sideOf, widthBetween } from './sides.js';

export interface Gutter {
  x: number;
  /** No piece crosses x between these two. */
  top: number;
  bottom: number;
}

/** The size of most of the text, by pieces. */
export function medianSize(pieces: Piece[]): number {
  return median(pieces.filter((piece) => piece.line !== null).map((piece) => piece.line!.size)) || 10;
}

/** Limits of the computation, far above the needs of a page of text. */
const mostPieces = 4000;
const mostEdges = 60;
const mostRuns = 12;

/** x positions at which several pieces begin or end, as candidates for the edge of a column. The most frequent come first. */
function candidateEdges(pieces: Piece[]): number[] {
  const tolerance = 2.5;
  const edges: { x: number; weight: number }[] = [];
  const collect = (positions: { x: number; weight: number }[], shift: number): void => {
    positions.sort((a, b) => a.x - b.x);
    for (let i = 0; i < positions.length;) {
      let end = i;
      let weight = 0;
      while (end < positions.length && positions[end]!.x - positions[i]!.x <= tolerance) weight += positions[end++]!.weight;
      if (weight >= 2) edges.push({ x: (shift < 0 ? positions[i]!.x : positions[end - 1]!.x) + shift, weight });
      i = end;
    }
  };
  const weigh = (piece: Piece): number => (piece.line === null ? 2 : 1);
  collect(pieces.map((piece) => ({ x: piece.box.left, weight: weigh(piece) })), -0.5);
  collect(pieces.map((piece) => ({ x: piece.box.right, weight: weigh(piece) })), 0.5);
  return edges.sort((a, b) => b.weight - a.weight).slice(0, mostEdges).map((edge) => edge.x);
}

/** A separate line, like the number of an equation, belongs to the text beside it, even if their baselines differ. */
function isAlone(rows: Row[], index: number): boolean {
  const row = rows[index]!;
  const distance = Math.min(row.baseline - (rows[index - 1]?.baseline ?? -Infinity), (rows[index + 1]?.baseline ?? Infinity) - row.baseline);
  return row.letters <= 12 && distance > 2.5 * row.size;
}

function standsBeside(row: Row, others: Row[], alone: boolean): boolean {
  return others.some((other) => Math.abs(other.baseline - row.baseline) < (alone ? 0.6 * Math.max(row.size, other.size) : 0.25 * Math.min(row.size, other.size)));
}

/** Whether each row of one side stands beside a row of the other, as in a table, a form or a list with its markers. */
function partsRows(left: Side, right: Side): boolean {
  const leftRows = rowsOf(left);
  const rightRows = rowsOf(right);
  if (leftRows.length === 0 || rightRows.length === 0) return false;
  const [fewer, many] = leftRows.length <= rightRows.length ? [leftRows, rightRows] : [rightRows, leftRows];
  // Rows above and below the other side stand beside nothing, such as a short line between clauses and their numbers.
  const few = fewer.filter(({ baseline, size }) => baseline > many[0]!.baseline - size && baseline < many.at(-1)!.baseline + size);
  if (few.length === 0) return false;
  const aligned = few.filter((row, index) => standsBeside(row, many, isAlone(few, index))).length;
  if (aligned < 0.75 * few.length || few.length >= 2 && breaksSentences(left.pieces) && breaksSentences(right.pieces)) return false;
  if (median(few.map((row) => row.letters)) <= 4) return true;
  const bullets = (rows: Row[]): number => rows.filter((row) => beginsWithBullet(row.first)).length;
  if (bullets(leftRows) >= 2 && bullets(rightRows) >= 2) return false;
  return !isProse(fewer === leftRows ? left : right, few);
}

/** Ink may extend this far over a gutter, in sizes: letters lean, and fitted lines vary. */
const slack = 0.2;

/** The ranges of y in which no piece crosses x. */
function openRuns(x: number, pieces: Piece[], reach: number): Run[] {
  const crossing = fromTopEdge(pieces.filter((piece) => piece.box.left < x - reach && piece.box.right > x + reach));
  const runs: Run[] = [];
  let top = -Infinity;
  for (const piece of crossing) {
    if (piece.box.top > top) runs.push({ top, bottom: piece.box.top });
    top = Math.max(top, piece.box.bottom);
  }
  runs.push({ top, bottom: Infinity });
  return runs.length <= mostRuns ? runs : runs.sort((a, b) => heightOf(b) - heightOf(a)).slice(0, mostRuns);
}

/** Whether a piece stands between the ruling and x: the edge of a frame beside the braces of a program separates nothing. */
function isApart(rule: ColumnRule, x: number, pieces: Piece[]): boolean {
  const [left, right] = [Math.min(rule.x, x), Math.max(rule.x, x)];
  return pieces.some(({ box }) => box.left >= left && box.right <= right && box.top < rule.bottom && box.bottom > rule.top);
}

/**
 * If rulings are drawn between columns, the columns extend as far as the rulings. Text at a break of the rulings spans the
 * columns, however short it is.
 */
function ruledRuns(x: number, runs: Run[], rules: ColumnRule[], pieces: Piece[], size: number): { run: Run; ruled: boolean }[] {
  const near = rules.filter((rule) => Math.abs(rule.x - x) < 1.5 * size && !isApart(rule, x, pieces));
  return runs.flatMap((run): { run: Run; ruled: boolean }[] => {
    const parts = near
      .map((rule) => ({ top: Math.max(run.top, rule.top - 0.7 * size), bottom: Math.min(run.bottom, rule.bottom + 0.7 * size) }))
      .filter((part) => heightOf(part) > 2 * size);
    return parts.length === 0 ? [{ run, ruled: false }] : parts.map((part) => ({ run: part, ruled: true }));
  });
}

/** In ems: two lines with less distance have no other line of their column between them. */
const noneBetween = 2.2;

/** Whether the line stands beside the white space between two successive lines of the other side: columns with wide leading. */
function fallsBetween(box: Box, others: Box[], index: number, size: number): boolean {
  const [above, below] = [others[index - 1], others[index]];
  return above !== undefined && below !== undefined && box.top >= above.top && box.bottom <= below.bottom && below.top - above.top < noneBetween * size && below.top - above.top > 1.1 * size;
}

/** Whether some line of one side stands beside a line of the other. Indented lines above and below lines at the edge do not, as in program text. */
function areSideBySide(left: Side, right: Side, size: number): boolean {
  const isBeside = (one: Box, other: Box): boolean => verticalOverlap(one, other) > 0.3 * size;
  // Columns show it within a few lines. All lines are compared only if these do not.
  if (left.pieces.slice(0, 8).some((piece) => right.pieces.some((other) => isBeside(piece.box, other.box)))) return true;
  const byTop = (side: Side): Box[] => side.pieces.map((piece) => piece.box).sort((a, b) => a.top - b.top);
  const [lefts, rights] = [byTop(left), byTop(right)];
  for (let [i, j] = [0, 0]; i < lefts.length && j < rights.length;) {
    const [one, other] = [lefts[i]!, rights[j]!];
    if (isBeside(one, other) || fallsBetween(one, rights, j, size) || fallsBetween(other, lefts, i, size)) return true;
    if (one.bottom < other.bottom) i++;
    else j++;
  }
  return false;
}

function judgeRun(x: number, run: Run, ruled: boolean, pieces: Piece[], size: number): number {
  const within = pieces.filter((piece) => {
    const middle = middleY(piece.box);
    return middle > run.top && middle < run.bottom;
  });
  const left = sideOf(within.filter((piece) => piece.box.left + piece.box.right <= 2 * x));
  const right = sideOf(within.filter((piece) => piece.box.left + piece.box.right > 2 * x));
  if (left.pieces.length === 0 || right.pieces.length === 0 || !ruled && isRiver(left, right, pieces, size)) return 0;
  const width = widthBetween(left, right);
  const height = verticalOverlap(left.box, right.box);
  const rows = Math.min(left.pieces.length, right.pieces.length);
  const hasObject = left.pieces.some((piece) => piece.line === null) || right.pieces.some((piece) => piece.line === null);
  // Two lines side by side are a row; three with a wide gap between them, or many with a narrow one, are columns.
  const apart = !hasObject && areBlocksApart(left, right, size);
  if (height < (hasObject || ruled ? 1.2 : apart ? 1.9 : 2.6) * size) return 0;
  // A table beside text is one piece and counts as the lines of the same height.
  const beside = hasObject ? Math.max(rows, Math.min(Math.max(left.pieces.length, right.pieces.length), height / (1.3 * size))) : rows;
  if (width < (beside >= (hasObject ? 8 : 10) ? 0.6 : 0.9) * size) return 0;
  if (!ruled && (!apart && partsRows(left, right) || !hasObject && !areSideBySide(left, right, size))) return 0;
  return height * Math.min(1.5, width / size);
}

/** The end of the left side's text and the begin of the right side's, along a gutter. */
function strip(gutter: Gutter, pieces: Piece[]): { from: number; to: number } {
  let from = -Infinity;
  let to = Infinity;
  for (const { box } of pieces) {
    const middle = middleY(box);
    if (middle < gutter.top || middle > gutter.bottom) continue;
    if (box.left + box.right <= 2 * gutter.x) from = Math.max(from, box.right);
    else to = Math.min(to, box.left);
  }
  return { from, to };
}

/** In ems: white space below a separate block at the head of a column. */
const whiteBelowHead = 1.5;

/**
 * The run without the block above the side that is read first, such as a letter's sender at the right of the address and far above
 * it. Columns begin side by side.
 */
function withoutHead(x: number, run: Run, pieces: Piece[], size: number, rightToLeft: boolean): Run {
  const sides: { first: Box[]; second: Box[] } = { first: [], second: [] };
  for (const { box } of pieces) {
    const middle = middleY(box);
    if (middle > run.top && middle < run.bottom) sides[box.left + box.right <= 2 * x === rightToLeft ? 'second' : 'first'].push(box);
  }
  if (sides.first.length === 0) return run;
  const top = Math.min(...sides.first.map((box) => box.top));
  const above = sides.second.filter((box) => box.bottom <= top);
  if (above.length === 0) return run;
  const end = Math.max(...above.map((box) => box.bottom));
  const next = Math.min(...sides.second.filter((box) => box.bottom > top).map((box) => box.top));
  return next - end < whiteBelowHead * size ? run : { top: (Math.min(top, next) + end) / 2, bottom: run.bottom };
}

/** A heading is at least this many times larger than the text; the first lines below it are level within this many ems. The tolerance covers the white space above a paragraph, which some programs leave out at the head of a column. */
export const headingSize = 1.12;
export const shifted = 1.1;
/** The white space beside such a heading is nearly as high as that of its own column around it. */
const alikeWhite = 0.6;
/** A page with more has no headings. */
const mostHeadings = 12;

/**
 * The run down to the second heading whose columns begin below it side by side. A section of columns ends there, although its
 * heading is too short to cross the gutter. The other column is white beside such a heading.
 */
function untilSection(x: number, run: Run, pieces: Piece[], size: number): Run {
  const within = pieces.filter(({ box }) => middleY(box) > run.top && middleY(box) < run.bottom);
  const isLeft = ({ box }: Piece): boolean => box.left + box.right <= 2 * x;
  // The heading begins where its lines do.
  const headings = within.filter((piece) => piece.line !== null && piece.line.size >= headingSize * size && isLeft(piece) !== hasRightToLeftLetter(piece.line.text));
  if (headings.length === 0 || headings.length > mostHeadings) return run;
  const ends = headings.filter((piece) => {
    const others = within.filter((other) => other !== piece);
    return opensSection(piece.box, others.filter((other) => isLeft(other) === isLeft(piece)), others.filter((other) => isLeft(other) !== isLeft(piece)), size);
  });
  return ends.length === 0 ? run : { top: run.top, bottom: Math.min(...ends.map(({ box }) => box.top)) - 0.1 };
}

/** Whether a heading at `box` stands over both columns: its `own`, and the one `beside`. */
function opensSection(box: Box, own: Piece[], beside: Piece[], size: number): boolean {
  const slackness = 0.1 * size;
  const isAbove = (other: Piece): boolean => other.box.bottom <= box.top + slackness;
  const firstBelow = (list: Piece[]): Piece | undefined => fromTopEdge(list.filter((other) => other.box.top >= box.bottom - slackness))[0];
  const [next, opposite] = [firstBelow(own), firstBelow(beside)];
  if (next === undefined || opposite === undefined || next.line === null || opposite.line === null || Math.max(next.line.size, opposite.line.size) > headingSize * size) return false;
  if (!own.some(isAbove) || !beside.some(isAbove) || beside.some((other) => !isAbove(other) && other.box.top < box.bottom - slackness)) return false;
  const drop = next.line.baseline - opposite.line.baseline;
  const white = (list: Piece[], first: Piece): number => first.box.top - Math.max(...list.filter(isAbove).map((other) => other.box.bottom));
  return drop > -baselineTolerances.line.ems * size && drop < shifted * size && white(beside, opposite) > alikeWhite * white(own, next);
}

/** The gutter that separates most text, or null if the pieces are one column. `rightToLeft`: the right side is read first. */
export function findGutter(pieces: Piece[], rules: ColumnRule[], rightToLeft: boolean): Gutter | null {
  if (pieces.length < 2 || pieces.length > mostPieces) return null;
  const size = medianSize(pieces);
  let best: Gutter | null = null;
  let most = 0;
  const tryAt = (x: number): void => {
    for (const { run: open, ruled } of ruledRuns(x, openRuns(x, pieces, slack * size), rules, pieces, size)) {
      const run = ruled ? open : untilBlockEnds(x, untilSection(x, withoutHead(x, open, pieces, size, rightToLeft), pieces, size), pieces, size);
      const score = judgeRun(x, run, ruled, pieces, size);
      if (score > most) {
        most = score;
        best = { x, ...run };
      }
    }
  };
  for (const x of [...candidateEdges(pieces), ...wideGaps(pieces, size)]) tryAt(x);
  if (best === null) return null;
  // Text of other widths above and below may extend the strip up or down at another x.
  const { from, to } = strip(best, pieces);
  for (const share of [0.1, 0.3, 0.5, 0.7]) tryAt(from + share * (to - from));
  return best;
}
