/** Areas for the table network that are larger than the tables of geometry: an extent with the rows above and below it that keep to its width, and the other extents among them. */
import { widthOf } from '../../../geometry/box.js';
import { median } from '../../../geometry/statistics.js';
import type { Box, PageContent, Word } from '../../../pdf/pdf-page.js';
import type { FoundTable } from '../../page/found-table.js';
import { areTwo, inkOf, isSettled, wordsOf } from './extents.js';
import type { Extent } from './extents.js';
import { isForeign, rowsOf } from '../evidence/text-rows.js';
import type { TextRow } from '../evidence/text-rows.js';

/** An area: all of it as one extent, and the extents from which it was made. */
export interface Area {
  whole: Extent;
  members: Extent[];
}

/** The most white space before the next row, in ems; if the rows of the extent stand farther apart, this share of their largest distance. */
const reach = 2.2;
const ownReach = 1.25;
/** How far a row may extend beyond the area on either side, in ems. */
const overhang = 3;
/** A text from the left edge with at least this share of the width is a line of running text or spans all columns; this many of them end the table. */
const acrossWidth = 0.6;
const mostAcross = 2;
/** The most lines of one text between two rows with several texts. */
const mostPending = 24;
/** The largest ratio of sizes to a line of the extent. */
const sizeSlack = 0.15;
/** In ems: the most white space between the lines of a text, and the least distance from the left edge at which a text stands in another column than the first. */
const lineGap = 0.64;
const inner = 4;

/** The areas of a page, from the largest extent on; each extent is in one of them. */
export function areasOf(extents: Extent[], tables: FoundTable[], page: PageContent): Area[] {
  const taken = new Set([...wordsOf(tables), ...extents.flatMap(({ loose }) => loose)]);
  const free = page.words.filter((word) => !taken.has(word) && Math.abs(word.angle) <= 3 && word.size > 0);
  const rest = new Set(extents);
  const used = new Set<Word>();
  const areas: Area[] = [];
  for (const extent of [...extents].sort((a, b) => allOf(b).length - allOf(a).length)) {
    if (!rest.delete(extent)) continue;
    const area = { whole: extent, members: [extent] };
    for (const side of [-1, 1] as const) growTo(side, area, rest, free.filter((word) => !used.has(word)), tables);
    for (const word of area.whole.loose) used.add(word);
    areas.push(area);
  }
  return areas;
}

function allOf({ parts, loose }: Extent): Word[] {
  return [...wordsOf(parts), ...loose];
}

/** Adds rows above (-1) or below (1) until one does not belong to the table. */
function growTo(side: -1 | 1, area: Area, rest: Set<Extent>, free: Word[], tables: FoundTable[]): void {
  const { whole: first } = area;
  const own = allOf(first);
  const size = median(own.map((word) => word.size));
  const { left, right } = first.box;
  const owner = new Map([...rest].flatMap((extent) => allOf(extent).map((word) => [word, extent] as const)));
  const rows = rowsOf([...free, ...owner.keys()], first.box).filter(({ box }) => (side < 0 ? box.bottom < first.box.top + 0.32 * size : box.bottom > first.box.bottom + 0.22 * size));
  if (side < 0) rows.reverse();
  const most = Math.max(reach * size, ownReach * largestStep(own));
  let [edge, across] = [side < 0 ? first.box.top : first.box.bottom, 0];
  let pending: TextRow[] = [];
  const taken: TextRow[] = [];
  for (const row of rows) {
    const gap = side < 0 ? edge - row.box.bottom : row.box.top - edge;
    if (gap > most || Math.abs(row.size - size) > sizeSlack * size || row.box.left < left - overhang * size || row.box.right > right + overhang * size) break;
    if (isRuled(row, edge, side, tables) || isForeign(row)) break;
    const others = row.words.flatMap((word) => owner.get(word) ?? []);
    if (others.some((other) => (side < 0 ? areTwo(other, first) : areTwo(first, other)))) break;
    edge = side < 0 ? row.box.top : row.box.bottom;
    const [only] = row.texts;
    const isAcross = row.texts.length === 1 && only !== undefined && only.left < left + 2 * size && widthOf(only) > acrossWidth * (right - left);
    across = isAcross ? across + 1 : 0;
    if (across > mostAcross || pending.length >= mostPending) break;
    pending.push(row);
    if (row.texts.length < 2 && !row.words.some((word) => owner.has(word))) continue;
    taken.push(...pending);
    pending = [];
  }
  taken.push(...endOf(pending, side, taken.at(-1)?.box ?? first.box, { left, size }));
  add(area, taken, rest, owner);
}

/** The lines of one text beyond the last row with several texts that belong to the area: below, those that end a cell's text; above, one that stands over other columns than the first. */
function endOf(pending: TextRow[], side: -1 | 1, from: Box, { left, size }: { left: number; size: number }): TextRow[] {
  const kept: TextRow[] = [];
  let edge = side < 0 ? from.top : from.bottom;
  for (const row of pending) {
    const step = side < 0 ? edge - row.box.bottom : row.box.top - edge;
    if (step > lineGap * size || row.box.left < left + inner * size) break;
    kept.push(row);
    edge = side < 0 ? row.box.top : row.box.bottom;
  }
  return kept;
}

/** Adds the rows' words to the area, and all words of the extents that contain any of them. */
function add(area: Area, rows: TextRow[], rest: Set<Extent>, owner: Map<Word, Extent>): void {
  const { whole } = area;
  const words = rows.flatMap((row) => row.words);
  const met = new Set(words.flatMap((word) => owner.get(word) ?? []));
  for (const extent of met) rest.delete(extent);
  area.members.push(...met);
  const parts = [...whole.parts, ...[...met].flatMap((extent) => extent.parts)];
  const loose = [...whole.loose, ...[...met].flatMap((extent) => extent.loose), ...words.filter((word) => !owner.has(word))];
  if (rows.length > 0) area.whole = { parts, loose, box: inkOf([...wordsOf(parts), ...loose]), confidence: Math.max(whole.confidence, ...[...met].map(({ confidence }) => confidence)) };
}

/** Whether a table with known cells stands in the row or before it. */
function isRuled({ box }: TextRow, edge: number, side: -1 | 1, tables: FoundTable[]): boolean {
  const [top, bottom] = side < 0 ? [box.top, edge] : [edge, box.bottom];
  return tables.some((table) => isSettled(table) && table.box.top < bottom && table.box.bottom > top && table.box.left < box.right && table.box.right > box.left);
}

/** The largest white space between two lines of the words. */
function largestStep(words: Word[]): number {
  const rows = rowsOf(words);
  return Math.max(0, ...rows.map(({ box }, at) => (at === 0 ? 0 : box.top - (rows[at - 1]?.box.bottom ?? box.top))));
}
