/** Finds the ends of sections of columns that no text across the gutter shows: at headings over all columns, and at rows of headings. */
import { bandsFromTop, fromLeft } from '../page/group-by-baseline.js';
import type { Band } from '../page/group-by-baseline.js';
import { sortedNumbers } from '../../geometry/statistics.js';
import { baselineTolerances } from '../page/tolerances.js';
import { middleY, unionBox } from '../../geometry/box.js';
import type { TextLine } from '../page/text-line.js';
import { headingSize, shifted } from './gutters.js';
import type { Piece } from './sides.js';
import { breaksSentences } from './sides.js';

/** In ems: white space above a section's first row; between headings beside each other; the distance of a row from the left edge. */
const whiteAbove = 0.5;
const whiteBetween = 0.9;
const atEdge = 1;
/** In ems: balanced columns end within a line and a half of each other; a text of at most eight lines is not a column of running text. */
const balanced = 1.9;
const shortColumn = 10;
/** The next column begins at least this far from the left edge, as a share of the width. */
const nextColumn = 0.2;
/** In ems: text that begins this far below belongs to a later section. */
const laterSection = 2;
/** A page with more has no headings. */
const mostHeadings = 60;
/** A page with more pieces is not text. */
const mostPieces = 4000;

/** Common measures of a set of pieces. */
interface Measure {
  size: number;
  /** Most of the characters are bold. */
  bold: boolean;
  left: number;
  right: number;
  rightToLeft: boolean;
}

function standsOut({ line }: Piece, { size, bold }: Measure): boolean {
  return line !== null && line.angle === 0 && /\p{L}/u.test(line.text) && (line.size >= headingSize * size || line.bold && !bold && line.size >= 0.95 * size);
}

const overlapsX = (one: Piece, other: Piece): boolean => one.box.left < other.box.right && one.box.right > other.box.left;

/** The first row of a band, if it stands out, is level, and plain text follows below each of its pieces; otherwise null. */
function headRow(bands: Band<Piece>[], index: number, measure: Measure): Piece[] | null {
  const { items: pieces } = bands[index]!;
  const first = pieces[0]!;
  const row = pieces.filter(({ box }) => box.top < first.box.bottom - 0.3 * measure.size);
  if (!row.every((piece) => standsOut(piece, measure) || piece.line !== null && /^[\dIVX]+\.?$/.test(piece.line.text))) return null;
  const { baseline } = first.line ?? { baseline: 0 };
  return first.line !== null && row.some((piece) => standsOut(piece, measure)) && row.every(({ line }) => Math.abs(line!.baseline - baseline) <= baselineTolerances.line.ems * measure.size) ? row : null;
}

/** Whether the row holds headings of columns that begin side by side: each has its own text below it. */
function areHeadsSideBySide(row: Piece[], bands: Band<Piece>[], index: number, measure: Measure): boolean {
  const sorted = fromLeft(row);
  if (sorted.length < 2 || sorted.some((piece, at) => at > 0 && piece.box.left - sorted[at - 1]!.box.right < whiteBetween * measure.size)) return false;
  const below = [...bands[index]!.items.filter((piece) => !row.includes(piece)), ...(bands[index + 1]?.items ?? [])];
  return sorted.every((head) => below.some((piece) => piece.line !== null && overlapsX(piece, head) && Math.abs(piece.box.left - head.box.left) < measure.size && !standsOut(piece, measure)
    && piece.box.top - head.box.bottom < 1.5 * measure.size));
}

/** Whether `next` may continue `last`: text behind a full stop does not begin in the middle of a sentence. */
function goesOnFrom(last: TextLine | null | undefined, next: TextLine | null | undefined): boolean {
  return last === null || last === undefined || next === null || next === undefined || !(/[.!?:。！？]["'”’»)]?$/u.test(last.text) && /^\p{Ll}/u.test(next.text));
}

const highest = (pieces: Piece[]): Piece | undefined => pieces.reduce<Piece | undefined>((best, piece) => (best === undefined || piece.box.top < best.box.top ? piece : best), undefined);
const lowest = (pieces: Piece[]): Piece | undefined => pieces.reduce<Piece | undefined>((best, piece) => (best === undefined || piece.box.bottom > best.box.bottom ? piece : best), undefined);

/** The edge at which most of the pieces begin; of several equal ones the outermost, because words of a loose line stand anywhere. */
function commonEdge(pieces: Piece[], rightToLeft: boolean): number {
  const edges = sortedNumbers(pieces.map(({ box }) => (rightToLeft ? -box.right : box.left)));
  let [best, most, from, to] = [edges[0]!, 0, 0, 0];
  for (const edge of edges) {
    while (edge - edges[from]! >= 2) from++;
    while (to < edges.length && edges[to]! - edge < 2) to++;
    if (to - from > most) [best, most] = [edge, to - from];
  }
  return rightToLeft ? -best : best;
}

/** Whether the columns above a single heading end there: it stands at the edge where lines begin, with nothing beside it. */
function endsColumns(row: Piece[], bands: Band<Piece>[], index: number, measure: Measure): boolean {
  const { size, left, right, rightToLeft } = measure;
  const head = unionBox(row.map(({ box }) => box));
  if (row.filter((piece) => standsOut(piece, measure)).length > 1) return false;
  const isBeyond = ({ box }: Piece): boolean => (rightToLeft ? box.right <= Math.min(head.left, right - nextColumn * (right - left)) : box.left >= Math.max(head.right, left + nextColumn * (right - left)));
  if (bands[index]!.items.length > row.length || (rightToLeft ? right - head.right : head.left - left) > atEdge * size) return false;
  const above = bands.slice(0, index).flatMap(({ items }) => items);
  const below = bands.slice(index + 1).flatMap(({ items }) => items);
  const outside = above.filter(isBeyond);
  if (outside.length === 0) return false;
  const edge = commonEdge(outside, rightToLeft);
  const beyond = outside.filter(({ box }) => (rightToLeft ? box.right <= edge + atEdge * size : box.left >= edge - atEdge * size));
  const own = above.filter(({ box }) => (rightToLeft ? box.left >= edge : box.right <= edge));
  if (own.length === 0) return false;
  const end = rightToLeft ? Math.min(...own.map(({ box }) => box.left)) : Math.max(...own.map(({ box }) => box.right));
  const reaches = ({ box }: Piece): boolean => (rightToLeft ? box.right > end + size && box.left < edge - size : box.left < end - size && box.right > edge + size);
  const crossing = below.filter(reaches);
  const until = Math.min(...crossing.map(({ box }) => box.top));
  const opposite = highest(below.filter((piece) => isBeyond(piece) && piece.box.top < until));
  const underneath = below.filter(({ box }) => (rightToLeft ? box.left >= edge : box.right <= edge) && box.top < until);
  // Without text below it the heading opens no section: it may be the header of a table that continues in the next column.
  if (underneath.length > 0 && underneath.every((piece) => piece.line === null || standsOut(piece, measure))) return false;
  const next = highest(underneath);
  // Text that begins lines below belongs to a later section of columns.
  if (opposite !== undefined && (next === undefined || opposite.box.top < next.box.bottom + laterSection * size)) {
    const drop = next === undefined || next.line === null || opposite.line === null ? Infinity : next.line.baseline - opposite.line.baseline;
    return drop > -baselineTolerances.line.ems * size && drop < shifted * size && !standsOut(opposite, measure) && !standsOut(next!, measure);
  }
  if (!goesOnFrom(lowest(own)!.line, highest(beyond)!.line)) return false;
  if (bands[index + 1]?.items.some(reaches) === true) return true;
  const { top, bottom } = unionBox(beyond.map(({ box }) => box));
  return bottom > lowest(own)!.box.bottom - balanced * size || crossing.length > 0 && bottom - top < shortColumn * size;
}

/** The columns below headings side by side, then everything from the first piece on that spans two of them; null if no broken sentences show that they are columns. */
function columnsBelow(heads: Piece[], pieces: Piece[], size: number): Piece[][] | null {
  const lefts = sortedNumbers(heads.map(({ box }) => box.left));
  const columnOf = ({ box }: Piece): number => Math.max(0, lefts.findLastIndex((left) => left <= box.left + 0.5 * size));
  const reaches = pieces.filter((piece) => piece.box.right > (lefts[columnOf(piece) + 1] ?? Infinity) - 0.3 * size || piece.box.left < lefts[0]! - size);
  const until = Math.min(...reaches.map(({ box }) => middleY(box)));
  const isRest = ({ box }: Piece): boolean => middleY(box) >= until;
  const columns = lefts.map((_, column) => pieces.filter((piece) => !isRest(piece) && columnOf(piece) === column));
  if (columns.filter((column) => breaksSentences(column)).length < 2) return null;
  return [...columns, pieces.filter(isRest)].filter((part) => part.length > 0);
}

/** A section, or one column of it. */
export interface Section {
  pieces: Piece[];
  /** In the order of their headings, followed by the remaining pieces; empty if white space must decide. */
  columns: Piece[][];
}

/** The pieces, split at the ends of sections of columns; one part if there is none. */
export function sectionsOf(pieces: Piece[], size: number, rightToLeft: boolean): Section[] {
  if (pieces.length < 4 || pieces.length > mostPieces) return [{ pieces, columns: [] }];
  const letters = { all: 0, bold: 0 };
  for (const { line } of pieces) {
    letters.all += line?.text.length ?? 0;
    if (line?.bold === true) letters.bold += line.text.length;
  }
  const { left, right } = unionBox(pieces.map(({ box }) => box));
  const measure = { size, left, right, rightToLeft, bold: letters.bold > 0.5 * letters.all };
  const bands = bandsFromTop(pieces, 0.1 * size);
  const sections: { pieces: Piece[]; heads: Piece[] }[] = [];
  let rows = 0;
  for (const [index, band] of bands.entries()) {
    const isApart = index === 0 || band.top - bands[index - 1]!.bottom >= whiteAbove * size;
    const row = isApart && rows < mostHeadings ? headRow(bands, index, measure) : null;
    if (row !== null) rows++;
    const heads = row !== null && areHeadsSideBySide(row, bands, index, measure) ? row : [];
    const begins = heads.length > 0 || index > 0 && row !== null && endsColumns(row, bands, index, measure);
    if (index === 0 || begins) sections.push({ pieces: [...band.items], heads });
    else sections.at(-1)!.pieces.push(...band.items);
  }
  return sections.map(({ pieces: own, heads }) => {
    const columns = heads.length === 0 ? null : columnsBelow(heads, own, size);
    return { pieces: own, columns: columns === null ? [] : rightToLeft ? rightFirst(columns, heads.length) : columns };
  });
}

/** The columns from the right; the pieces behind them keep their place. */
function rightFirst(columns: Piece[][], count: number): Piece[][] {
  return [...columns.slice(0, count).reverse(), ...columns.slice(count)];
}
