/** Where the table network is asked: tables of geometry's, torn ones as one, and the words in no table that may belong to them. */
import type { Box, PageContent, Word } from '../../../pdf/pdf-page.js';
import type { FoundTable } from '../../page/found-table.js';
import { isFigureCaption, isTableCaption } from '../../wording/cell-text.js';

/** Words that may be one table. */
export interface Extent {
  /** Tables of geometry's in it, from the top; none where it only doubts. */
  parts: FoundTable[];
  /** Words of no table: what geometry was not sure of, or left out. */
  loose: Word[];
  box: Box;
  /** Geometry's confidence, of the surest part. */
  confidence: number;
}

/** White between two parts of one table, in sizes of its text. */
const mostGap = 2.2;
/** Of the width of both together, what parts of one table share. */
const sharedWidth = 0.72;

/** The extents of a page, from the top. Ruled tables are in none, nor are words that stand askew. */
export function extentsOf(tables: FoundTable[], doubtful: FoundTable[], page: PageContent): Extent[] {
  const taken = new Set(wordsOf(tables));
  const free = page.words.filter((word) => !taken.has(word) && Math.abs(word.angle) <= 3 && word.size > 0);
  const begun = [
    ...tables.filter((table) => !isSettled(table)).map((table): Extent => ({ parts: [table], loose: [], box: inkOf(wordsOf([table])), confidence: table.confidence })),
    ...doubtful.map((table): Extent => ({ parts: [], loose: wordsOf([table]), box: inkOf(wordsOf([table])), confidence: table.confidence })),
  ].sort((a, b) => a.box.top - b.box.top);
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
      if (used.has(word) || !isWithin(word, extent.box)) continue;
      used.add(word);
      extent.loose.push(word);
    }
  }
  return joined;
}

/** Its lines or the file's own structure tell its cells: nobody guesses at them. */
export function isSettled({ evidence }: FoundTable): boolean {
  return evidence === 'ruled' || evidence === 'tagged';
}

export function wordsOf(tables: FoundTable[]): Word[] {
  return tables.flatMap(({ cells }) => cells.flatMap(({ words }) => words));
}

/** What words cover. */
export function inkOf(words: Word[]): Box {
  const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const { box: { left, top, right, bottom } } of words) {
    [box.left, box.top, box.right, box.bottom] = [Math.min(box.left, left), Math.min(box.top, top), Math.max(box.right, right), Math.max(box.bottom, bottom)];
  }
  return box;
}

function isWithin({ box }: Word, { left, top, right, bottom }: Box): boolean {
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  return x > left && x < right && y > top && y < bottom;
}

function unionOf(a: Extent, b: Extent): Extent {
  const box = { left: Math.min(a.box.left, b.box.left), top: Math.min(a.box.top, b.box.top), right: Math.max(a.box.right, b.box.right), bottom: Math.max(a.box.bottom, b.box.bottom) };
  return { parts: [...a.parts, ...b.parts], loose: [...a.loose, ...b.loose], box, confidence: Math.max(a.confidence, b.confidence) };
}

/** `below` may be more of what is above: as wide, close by, nothing but a line or two of its own between, no caption and no head of its own. */
function goOn(above: Extent, below: Extent, free: Word[], ruled: FoundTable[]): boolean {
  const [a, b] = [above.box, below.box];
  const size = sizeOf(below);
  const gap = b.top - a.bottom;
  const shared = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  if (gap > mostGap * size || shared < sharedWidth * (Math.max(a.right, b.right) - Math.min(a.left, b.left)) || Math.abs(sizeOf(above) - size) > 0.15 * size) return false;
  const between = { left: Math.min(a.left, b.left), right: Math.max(a.right, b.right), top: a.bottom, bottom: b.top };
  if (ruled.some(({ box }) => box.top < between.bottom && box.bottom > between.top && box.left < between.right && box.right > between.left)) return false;
  const text = free.filter((word) => isWithin(word, between)).map((word) => word.text).join(' ');
  return !isTableCaption(text) && !isFigureCaption(text) && !areTwo(above, below);
}

/** Each has a head of its own. */
export function areTwo(above: Extent, below: Extent): boolean {
  return (isHeaded(above) && isHeaded(below)) || beginsAlike(above, below);
}

function sizeOf({ parts, loose }: Extent): number {
  const sizes = [...wordsOf(parts), ...loose].map(({ size }) => size).sort((x, y) => x - y);
  return sizes[sizes.length >> 1] ?? 10;
}

/** Both have the same first row: the head of another table. */
function beginsAlike({ parts: [above] }: Extent, { parts: [below] }: Extent): boolean {
  if (above === undefined || below === undefined) return false;
  const [first, second] = [above, below].map(({ cells }) => cells.filter(({ row }) => row === 0).map(({ words }) => words.map(({ text }) => text).join(' ')).join('|'));
  return first === second;
}

/** The first row is bold, the others are not. */
function isHeaded({ parts: [first] }: Extent): boolean {
  if (first === undefined) return false;
  const isBold = (row: boolean): number => {
    const words = first.cells.filter((cell) => (cell.row === 0) === row).flatMap((cell) => cell.words);
    return words.filter(({ font }) => font.bold).length / Math.max(1, words.length);
  };
  return isBold(true) > 0.9 && isBold(false) < 0.5;
}
