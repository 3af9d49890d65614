/** Tables without lines: rows of chunks in the same columns. A growth starts where these are clearest and extends row by row. */
import { isBareCaption, isFigureOrListingCaption, isTableCaption } from '../../wording/captions.js';
import { isListMarker } from '../../wording/markers.js';
import { hasRightToLeftLetter } from '../../wording/scripts.js';
import { middleX, unionBox, widthOf } from '../../../geometry/box.js';
import { median } from '../../../geometry/statistics.js';
import type { Band } from './blocks.js';
import type { Chunk, VisualRow } from './chunks.js';
import { columnsUnder, cutAtColumns, inferColumns } from './columns.js';
import type { Column } from './columns.js';
import { hasLeader, isValue, isYear, wordCount } from '../../wording/cell-text.js';
import { isWalled } from './walls.js';
import type { Wall } from './walls.js';

/** Chunks of one visual row with no running text between them. */
export interface Strip {
  chunks: Chunk[];
  baseline: number;
  top: number;
  bottom: number;
  left: number;
  right: number;
  size: number;
  /** At least two chunks, and not only a list item. */
  core: boolean;
}

export interface Growth {
  strips: Strip[];
  columns: Column[];
}

/** The most white space between two rows of a table, in ems, before its row distance is known. */
const MAX_GAP = 3;
/** Lines that are not rows: the most of them between two rows, and the most if they follow each other closely. */
const MAX_PENDING = 6;
const MAX_CELL_LINES = 24;
/** The number of last rows that define the columns while a table grows. */
const WINDOW = 30;

/** Bands of blocks as strips. A band with blocks one above the other is not a row of a table. */
export function stripsOfBands(bands: Band[]): Strip[] {
  return bands.map((band) => {
    const strip = stripOf(band.blocks);
    return band.stacked ? { ...strip, core: false, chunks: band.blocks } : strip;
  });
}

/** Cuts visual rows at running text and at the edges of its column. */
export function makeStrips(rows: VisualRow[], walls: Wall[], isFree: (chunk: Chunk) => boolean): Strip[] {
  const strips: Strip[] = [];
  for (const row of rows) {
    let open: Chunk[] = [];
    const close = (): void => {
      if (open.length > 0) strips.push(stripOf(open));
      open = [];
    };
    for (const chunk of row.chunks) {
      if (!isFree(chunk)) {
        close();
        continue;
      }
      const last = open.at(-1);
      if (last !== undefined && isWalled(last, chunk, walls)) close();
      open.push(chunk);
    }
    close();
  }
  return strips;
}

function stripOf(chunks: Chunk[]): Strip {
  const list = chunks.length === 2 && isListMarker(chunks[0]?.text ?? '') && !isValue(chunks[1]?.text ?? '');
  return {
    chunks,
    baseline: chunks[0]?.baseline ?? 0,
    ...unionBox(chunks),
    size: Math.max(...chunks.map((chunk) => chunk.size)),
    core: chunks.length >= 2 && !list && !chunks.some((chunk) => hasLeader(chunk.text)),
  };
}

/** All growths on the page, each from at least two core strips. A strip is in at most one of them. */
export function growTables(strips: Strip[]): Growth[] {
  const used = new Set<Strip>();
  const growths: Growth[] = [];
  for (const [index, seed] of strips.entries()) {
    if (!seed.core || used.has(seed)) continue;
    const growth = growDown([seed], strips, index + 1, used);
    for (const strip of growth.strips) used.add(strip);
    if (growth.strips.filter((strip) => strip.core).length >= 2) growths.push(growth);
  }
  return growths;
}

/** Continues below `from` as long as strips fit its columns. `used` strips end it. */
export function growDown(from: Strip[], strips: Strip[], start: number, used: Set<Strip>, fixed: Column[] | null = null): Growth {
  const taken = [...from];
  const read = (): Column[] => fixed ?? inferColumns(taken.slice(-WINDOW).map((strip) => strip.chunks));
  let columns = read();
  let pending: Strip[] = [];
  let pitch = 0;
  for (let index = start; index < strips.length; index++) {
    const strip = strips[index];
    const last = pending.at(-1) ?? taken.at(-1);
    if (strip === undefined || last === undefined) break;
    const [left, right] = [columns[0]?.left ?? 0, columns.at(-1)?.right ?? 0];
    const gap = strip.top - last.bottom;
    if (gap > reachOf(strip, pitch, taken.length)) break;
    if (strip.right <= left || strip.left >= right) continue;
    if (used.has(strip)) break;
    const fit = startsAnew(strip, taken, gap, pitch) ? 'stop' : fitStrip(strip, taken, columns);
    if (fit === 'stop' || pending.length >= (gap < 0.5 * strip.size ? MAX_CELL_LINES : MAX_PENDING)) break;
    pending.push(strip);
    if (fit === 'wait') continue;
    for (const accepted of pending) {
      pitch = Math.max(pitch, accepted.top - (taken.at(-1)?.bottom ?? accepted.top));
      taken.push(accepted);
    }
    pending = [];
    columns = read();
  }
  // Lines that end the last row's cells fit a column and follow directly. Below a ruling their number is unknown.
  const reach = from.length === 1 && fixed === null ? 1.3 * gapOfLines(taken) : 0;
  for (const strip of pending) {
    const last = taken.at(-1);
    if (last === undefined || strip.top - last.bottom > Math.max(0.45 * strip.size, reach) || !isTail(strip, taken, columns)) break;
    taken.push(strip);
  }
  if (taken.length > WINDOW && fixed === null) columns = inferColumns(taken.map((strip) => strip.chunks));
  return trimGrowth({ strips: taken, columns }, from.length > 1 || fixed !== null);
}

/** Removes the first and last strips if they are much farther away than the others are from each other: running headers and footers. */
function trimGrowth(growth: Growth, keepFirst: boolean): Growth {
  const { strips } = growth;
  const gaps = strips.slice(1).map((strip, index) => strip.top - (strips[index]?.bottom ?? 0));
  if (gaps.length < 3) return growth;
  const usual = median(gaps);
  const isFar = (gap: number, size: number): boolean => gap > Math.max(2.5 * usual, usual + 1.2 * size);
  let [first, last] = [0, strips.length - 1];
  if (!keepFirst && isFar(gaps[0] ?? 0, strips[0]?.size ?? 10)) first = 1;
  if (isFar(gaps.at(-1) ?? 0, strips[last]?.size ?? 10)) last--;
  if (first === 0 && last === strips.length - 1) return growth;
  const kept = strips.slice(first, last + 1);
  return { strips: kept, columns: inferColumns(kept.map((strip) => strip.chunks)) };
}

/** Whether it is a header like that of this table, a little further away than its rows are: the next table begins. */
function startsAnew(strip: Strip, taken: Strip[], gap: number, pitch: number): boolean {
  const [first] = taken;
  if (first === undefined || !isHeader(first) || !isHeader(strip) || !taken.some((row) => row.core && !isHeader(row))) return false;
  return gap > 1.15 * pitch || first.chunks.map((chunk) => chunk.text).join() === strip.chunks.map((chunk) => chunk.text).join();
}

function isHeader(strip: Strip): boolean {
  return strip.core && strip.chunks.every((chunk) => chunk.bold) && strip.chunks.filter((chunk) => isValue(chunk.text)).length < 0.5 * strip.chunks.length;
}

/** The most white space before the next strip; after three rows not much more than their distance. */
function reachOf(strip: Strip, pitch: number, rows: number): number {
  return rows >= 3 ? Math.max(1.8 * pitch, pitch + strip.size) : Math.max(MAX_GAP * strip.size, 1.8 * pitch);
}

/** `take`: a row of the table; `wait`: possibly a line of a cell or a section row, if the table continues; `stop`: not part of it. */
function fitStrip(strip: Strip, taken: Strip[], columns: Column[]): 'take' | 'wait' | 'stop' {
  if (!strip.core && strip.size > 1.14 * (taken.at(-1)?.size ?? strip.size)) return 'stop';
  if (strip.chunks.some((chunk) => isTableCaption(chunk.text) || isFigureOrListingCaption(chunk.text))) return 'stop';
  if (strip.core) return fitsColumns(strip, taken, columns) ? 'take' : 'stop';
  if (strip.chunks.length > 1) return 'stop';
  const chunk = strip.chunks[0];
  if (chunk === undefined) return 'stop';
  const under = columnsUnder(columns, chunk.left, chunk.right);
  if (under === null) return 'wait';
  if (under[0] === under[1]) return 'wait';
  const width = (columns.at(-1)?.right ?? 0) - (columns[0]?.left ?? 0);
  return wordCount(chunk.text) <= 9 && widthOf(chunk) < 0.75 * width ? 'wait' : 'stop';
}

function fitsColumns(strip: Strip, taken: Strip[], columns: Column[]): boolean {
  const matched = new Set<number>();
  let crossing = 0;
  for (const chunk of strip.chunks) {
    const under = columnsUnder(columns, chunk.left, chunk.right);
    if (under === null) continue;
    if (under[0] !== under[1]) crossing++;
    matched.add(under[0]);
  }
  if (crossing === 0 && matched.size >= Math.min(2, columns.length)) return true;
  // The strips so far may be a spanning header: tests whether the columns of all together are still separate.
  const together = inferColumns([...taken.slice(-WINDOW), strip].map((item) => item.chunks));
  const rows = taken.filter((item) => item.core).length;
  if (rows >= 2 && matched.size < 0.5 * Math.max(strip.chunks.length, columns.length)) return false;
  if (rows <= 3) return together.length >= 2 && together.length >= Math.min(columns.length, strip.chunks.length);
  return matched.size >= 2 && crossing <= 1 && together.length >= 0.8 * columns.length;
}

/** White space between the lines of the cells, if it is clearly less than between rows; otherwise 0. */
function gapOfLines(strips: Strip[]): number {
  const gaps = strips.slice(1).map((strip, index) => strip.top - (strips[index]?.bottom ?? 0));
  const [least, most] = [Math.min(...gaps), Math.max(...gaps)];
  return gaps.length > 1 && least < 0.6 * most ? least : 0;
}

function isTail(strip: Strip, taken: Strip[], columns: Column[]): boolean {
  return strip.chunks.every((chunk) => {
    const under = columnsUnder(columns, chunk.left, chunk.right);
    if (under === null || under[0] !== under[1]) return false;
    const above = taken.at(-1)?.chunks.find((other) => Math.min(other.right, chunk.right) > Math.max(other.left, chunk.left));
    return above !== undefined && Math.abs(above.left - chunk.left) < 1.5 * chunk.size && !isValue(chunk.text) && wordCount(above.text) >= 2;
  });
}

/** Adds the header lines directly above a growth or area. Their chunks stand over one column or span several. */
export function headAbove(strips: Strip[], columns: Column[], top: number, size: number, used: Set<Strip>): Strip[] {
  const above = strips.filter((strip) => strip.bottom <= top + 0.5 * size && !used.has(strip)).sort((a, b) => b.baseline - a.baseline);
  const [left, right] = [columns[0]?.left ?? 0, columns.at(-1)?.right ?? 0];
  const found: Strip[] = [];
  // Lines of one text over one column: they belong to a header if a line with several texts follows above.
  let pending: Strip[] = [];
  let edge = top;
  for (const whole of above) {
    const strip = partOver(whole, left, right);
    if (strip === null) continue;
    if (edge - strip.bottom > 1.3 * size || found.length + pending.length >= 8) break;
    const cut = { ...strip, chunks: strip.chunks.flatMap((chunk) => cutAtColumns(chunk, columns)) };
    edge = strip.top;
    if (isHeadStrip(cut, columns, left, right)) {
      found.unshift(strip, ...pending);
      pending = [];
    } else if (cut.chunks.length === 1 && pending.length < 3 && isOverOne(cut, columns)) pending.unshift(strip);
    else break;
  }
  while (found[0] !== undefined && found[0].chunks.flatMap((chunk) => cutAtColumns(chunk, columns)).length === 1 && !standsOverLater(found[0], columns)) found.shift();
  return withoutTitle(found, above);
}

/** A title of several lines below the label, which is a line by itself. */
const MAX_TITLE_LINES = 3;

/** The header without the lines below `TABLE II` that name the table. */
function withoutTitle(head: Strip[], above: Strip[]): Strip[] {
  const [first] = head;
  if (first === undefined) return head;
  const label = above.find((strip) => strip.baseline < first.baseline - 0.5 * first.size && overlaps(strip, first));
  const [name] = label?.chunks ?? [];
  if (label === undefined || name === undefined || label.chunks.length > 1 || !isBareCaption(name.text) || first.top - label.bottom > 0.8 * first.size) return head;
  const titles = [...head, null].findIndex((strip) => strip === null || strip.chunks.length > 1 || !standsUnder(strip, label));
  return titles > MAX_TITLE_LINES ? head : head.slice(titles);
}

const overlaps = (one: Strip, other: Strip): boolean => one.left < other.right && one.right > other.left;

/** Whether its begin or its middle is that of the label. */
function standsUnder(strip: Strip, label: Strip): boolean {
  return Math.abs(strip.left - label.left) < strip.size || Math.abs(middleX(strip) - middleX(label)) < strip.size;
}

/** The part of a strip over the columns from `left` to `right`, if white space as wide as between tables separates it from the remaining part. */
function partOver(strip: Strip, left: number, right: number): Strip | null {
  const over = strip.chunks.filter((chunk) => chunk.right > left && chunk.left < right);
  const [first, last] = [over[0], over.at(-1)];
  if (first === undefined || last === undefined) return null;
  if (over.length === strip.chunks.length) return strip;
  const apart = strip.chunks.every((chunk) => over.includes(chunk) || chunk.right < first.left - 1.5 * strip.size || chunk.left > last.right + 1.5 * strip.size);
  return apart ? stripOf(over) : strip;
}

function isHeadStrip(strip: Strip, columns: Column[], left: number, right: number): boolean {
  const beyond = Math.max(12, 2 * strip.size);
  if (strip.left < left - beyond || strip.right > right + beyond) return false;
  // Text that closes a bracket opened above is the end of a header: `(n =` over `31)`.
  const values = strip.chunks.filter(({ text }) => isValue(text) && !isYear(text) && !/^[^([]*[)\]]$/.test(text)).length;
  if (values > 0.5 * strip.chunks.length) return false;
  if (strip.chunks.some((chunk) => wordCount(chunk.text) > 9 || isTableCaption(chunk.text) || isFigureOrListingCaption(chunk.text) || hasLeader(chunk.text))) return false;
  const taken = new Set<number>();
  for (const chunk of strip.chunks) {
    const under = columnsUnder(columns, chunk.left, chunk.right);
    if (under === null) return false;
    for (let column = under[0]; column <= under[1]; column++) {
      if (taken.has(column)) return false;
      taken.add(column);
    }
    if (under[0] === 0 && under[1] > 0 && (under[1] >= 2 || columns.length === 2)) return false;
  }
  return strip.chunks.length >= 2 || standsOverLater(strip, columns);
}

function isOverOne({ chunks: [chunk], size }: Strip, columns: Column[]): boolean {
  const under = chunk === undefined ? null : columnsUnder(columns, chunk.left, chunk.right);
  return chunk !== undefined && under !== null && under[0] === under[1] && chunk.size < 1.14 * size + 0.01 && wordCount(chunk.text) <= 9 && !isTableCaption(chunk.text) && !isFigureOrListingCaption(chunk.text);
}

/** A single chunk heads a group of columns, or the second of two, only if it leaves the first column free. */
function standsOverLater(strip: Strip, columns: Column[]): boolean {
  const second = columns[1];
  // In text that is read from the right, the second is the first.
  if (columns.length === 2 && strip.chunks.some((chunk) => hasRightToLeftLetter(chunk.text))) return false;
  return second !== undefined && strip.left >= (columns[0]?.right ?? 0) - 2 && strip.left > second.left - 30;
}
