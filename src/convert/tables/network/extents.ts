/** The areas for the table network: the tables of geometry, with torn ones joined, and the words outside tables that may belong to them. */
import { fromTopEdge } from '../../page/group-by-baseline.js';
import { isFigureOrListingCaption, isTableCaption } from '../../wording/captions.js';
import { boxesOverlap, holdsMiddle, horizontalExtent, horizontalOverlap, union, unionBox, widthOf } from '../../../geometry/box.js';
import { median } from '../../../geometry/statistics.js';
import type { Box, PageContent, Word } from '../../../pdf/pdf-page.js';
import type { FoundTable } from '../../page/found-table.js';

/** Words that may be one table. */
export interface Extent {
  /** The tables that geometry found in it, from the top; none if geometry was in doubt. */
  parts: FoundTable[];
  /** Words outside tables: those about which geometry was not certain, or that it left out. */
  loose: Word[];
  box: Box;
  /** Geometry's confidence in its most certain part. */
  confidence: number;
}

/** The most white space between two parts of one table, in ems. */
const mostGap = 2.2;
/** The share of the width of both together that parts of one table have in common. */
const sharedWidth = 0.72;

/** The extents of a page, from the top, without ruled tables and without skewed words. */
export function extentsOf(tables: FoundTable[], doubtful: FoundTable[], page: PageContent): Extent[] {
  const taken = new Set(wordsOf(tables));
  const free = page.words.filter((word) => !taken.has(word) && Math.abs(word.angle) <= 3 && word.size > 0);
  const begun = fromTopEdge([
    ...tables.filter((table) => !isSettled(table)).map((table): Extent => ({ parts: [table], loose: [], box: inkOf(wordsOf([table])), confidence: table.confidence })),
    ...doubtful.map((table): Extent => ({ parts: [], loose: wordsOf([table]), box: inkOf(wordsOf([table])), confidence: table.confidence })),
  ]);
  const ruled = tables.filter(isSettled);
  const joined: Extent[] = [];
  for (const extent of begun) {
    const above = joined.findLast((other) => goOn(other, extent, free, ruled));
    if (above === undefined) joined.push(extent);
    else Object.assign(above, unionOf(above, extent));
  }
  const used = new Set(joined.flatMap(({ loose }) => loose));
  for (const extent of joined) {
    for (const word of free) {
      if (used.has(word) || !holdsMiddle(extent.box, word.box)) continue;
      used.add(word);
      extent.loose.push(word);
    }
  }
  return joined;
}

/** Rulings or the tags of the file define its cells. */
export function isSettled({ evidence }: FoundTable): boolean {
  return evidence === 'ruled' || evidence === 'tagged';
}

export function wordsOf(tables: FoundTable[]): Word[] {
  return tables.flatMap(({ cells }) => cells.flatMap(({ words }) => words));
}

/** The box around the ink of words. */
export function inkOf(words: Word[]): Box {
  return unionBox(words.map(({ box }) => box));
}

function unionOf(a: Extent, b: Extent): Extent {
  return { parts: [...a.parts, ...b.parts], loose: [...a.loose, ...b.loose], box: union(a.box, b.box), confidence: Math.max(a.confidence, b.confidence) };
}

/** Whether `below` may continue the extent above: the same width, close by, at most a line or two between them, without a caption or a header of its own. */
function goOn(above: Extent, below: Extent, free: Word[], ruled: FoundTable[]): boolean {
  const [a, b] = [above.box, below.box];
  const size = sizeOf(below);
  const gap = b.top - a.bottom;
  const both = horizontalExtent([a, b]);
  if (gap > mostGap * size || horizontalOverlap(a, b) < sharedWidth * widthOf(both) || Math.abs(sizeOf(above) - size) > 0.15 * size) return false;
  const between = { ...both, top: a.bottom, bottom: b.top };
  if (ruled.some(({ box }) => boxesOverlap(box, between))) return false;
  const text = free.filter((word) => holdsMiddle(between, word.box)).map((word) => word.text).join(' ');
  return !isTableCaption(text) && !isFigureOrListingCaption(text) && !areTwo(above, below);
}

/** Whether each has its own header. */
export function areTwo(above: Extent, below: Extent): boolean {
  return (isHeaded(above) && isHeaded(below)) || beginsAlike(above, below);
}

function sizeOf({ parts, loose }: Extent): number {
  return median([...wordsOf(parts), ...loose].map(({ size }) => size), 10);
}

/** Whether both have the same first row, which is then the header of another table. */
function beginsAlike({ parts: [above] }: Extent, { parts: [below] }: Extent): boolean {
  if (above === undefined || below === undefined) return false;
  const [first, second] = [above, below].map(({ cells }) => cells.filter(({ row }) => row === 0).map(({ words }) => words.map(({ text }) => text).join(' ')).join('|'));
  return first === second;
}

/** Whether only the first row is bold. */
function isHeaded({ parts: [first] }: Extent): boolean {
  if (first === undefined) return false;
  const isBold = (row: boolean): number => {
    const words = first.cells.filter((cell) => (cell.row === 0) === row).flatMap((cell) => cell.words);
    return words.filter(({ font }) => font.bold).length / Math.max(1, words.length);
  };
  return isBold(true) > 0.9 && isBold(false) < 0.5;
}
