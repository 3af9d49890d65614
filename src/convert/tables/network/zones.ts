/** Tables of wrapped text, which geometry takes for columns of running text: zones of a page with white space from top to bottom, and what shows that their texts stand in rows. */
import { isFigureOrListingCaption, isTableCaption } from '../../wording/captions.js';
import { isListMarker } from '../../wording/markers.js';
import type { HorizontalExtent } from '../../../geometry/box.js';
import { horizontalExtent, widthOf } from '../../../geometry/box.js';
import { median } from '../../../geometry/statistics.js';
import type { Box, PageContent, Word } from '../../../pdf/pdf-page.js';
import type { FoundTable, TableCell } from '../../page/found-table.js';
import { isSettled, wordsOf } from './extents.js';
import { isForeign, rowsOf } from '../evidence/text-rows.js';
import type { TextRow } from '../evidence/text-rows.js';

/** Words of a zone, at least. */
const leastWords = 12;
/** White space between two rows, in ems. */
const mostGap = 3;
/** Of the size of a zone's first row, how much larger or smaller another may be. */
const sizeSlack = 0.15;
/** Lines of running text: of the zone's width, what one takes; so many of them are no rows of a table. */
const acrossWidth = 0.6;
const mostAcross = 2;
/** White space between columns, in ems, and of the rows, how many may stand in it. */
const leastGutter = 0.5;
const mostInGutter = 0.03;
/** Of the rows, in how many the emptiest column has text at most: columns of running text are full. Of 399 zones on 2,700 drawn tables and pages 26 are tables, all with 0.39 or less, and 95 of the others have more than this. */
const mostFull = 0.6;
/** White space between the lines of one text, in ems. */
const lineGap = 0.45;

/** Possible tables among the words outside ruled tables, from the top; none overlaps another. */
export function zonesOf(tables: FoundTable[], page: PageContent): Word[][] {
  const ruled = new Set(wordsOf(tables.filter(isSettled)));
  const rows = rowsOf(page.words.filter((word) => !ruled.has(word) && Math.abs(word.angle) <= 3 && word.size > 0));
  return segmentsOf(rows).flatMap((segment) => withoutText(segment)).flatMap((zone) => {
    const words = zone.flatMap((row) => row.words);
    return words.length >= leastWords && isUneven(zone) ? [words] : [];
  });
}

/** Rows that follow each other, of one size, without captions. */
function segmentsOf(rows: TextRow[]): TextRow[][] {
  const segments: TextRow[][] = [];
  let open: TextRow[] = [];
  let bottom = -Infinity;
  for (const row of rows) {
    const size = open[0]?.size ?? row.size;
    const isSmall = row.size < size && row.box.top < bottom - 0.2 * size;
    if (open.length > 0 && (row.box.top - bottom > mostGap * size || (Math.abs(row.size - size) > sizeSlack * size && !isSmall) || isForeign(row))) {
      segments.push(open);
      open = [];
    }
    if (!isForeign(row)) open.push(row);
    bottom = open.length === 1 ? row.box.bottom : Math.max(bottom, row.box.bottom);
  }
  return [...segments, open].filter(({ length }) => length > 1);
}

const sideOf = (rows: TextRow[]): HorizontalExtent => horizontalExtent(rows.map(({ box }) => box));

/** The segment's parts between lines of running text, without single texts before and behind. */
function withoutText(segment: TextRow[]): TextRow[][] {
  const { left, right } = sideOf(segment);
  const isAcross = ({ texts: [only, other], size }: TextRow): boolean => only !== undefined && other === undefined && only.left < left + 2 * size && widthOf(only) > acrossWidth * (right - left);
  const parts: TextRow[][] = [[]];
  let across: TextRow[] = [];
  for (const row of segment) {
    if (isAcross(row)) {
      across.push(row);
      continue;
    }
    if (across.length > mostAcross) parts.push([row]);
    else parts.at(-1)?.push(...across, row);
    across = [];
  }
  return parts.flatMap((part) => {
    const begin = part.findIndex((row) => row.texts.length > 1 || row.box.left > left + 4 * row.size);
    if (begin < 0) return [];
    let end = part.findLastIndex((row) => row.texts.length > 1 || row.box.left > left + 4 * row.size);
    while (isNextLine(part[end], part[end + 1])) end++;
    return [part.slice(begin, end + 1)];
  });
}

/** As near as the lines of one text. */
function isNextLine(row: TextRow | undefined, next: TextRow | undefined): boolean {
  return row !== undefined && next !== undefined && next.box.top - row.box.bottom < lineGap * next.size;
}

/** White space from top to bottom parts it into columns, and the blocks of one of them leave it empty where others go on. */
function isUneven(zone: TextRow[]): boolean {
  const columns = columnsOf(zone);
  if (columns.length < 2) return false;
  return columns.some(({ left, right }) => {
    const own = zone.filter(({ words }) => words.some(({ box }) => box.left < right && box.right > left));
    const blocks = own.filter((row, at) => !isNextLine(own[at - 1], row)).length;
    return own.length >= 2 && blocks >= 2 && own.length <= mostFull * zone.length;
  });
}

/** Between white space that (nearly) no row stands in. */
function columnsOf(zone: TextRow[]): Pick<Box, 'left' | 'right'>[] {
  const size = median(zone.map((row) => row.size));
  const { left, right } = sideOf(zone);
  const edges = zone.flatMap(({ words }) => words.flatMap(({ box }) => [{ at: box.left, step: 1 }, { at: box.right, step: -1 }])).sort((a, b) => a.at - b.at || b.step - a.step);
  const most = Math.floor(mostInGutter * zone.length);
  const columns: Pick<Box, 'left' | 'right'>[] = [];
  let [count, begin, end] = [0, left, -Infinity];
  for (const { at, step } of edges) {
    count += step;
    if (step < 0 && count === most) end = at;
    if (step > 0 && count === most + 1 && end > -Infinity && at - end > leastGutter * size) {
      columns.push({ left: begin, right: end });
      begin = at;
    }
  }
  return [...columns, { left: begin, right }];
}

/** Rows with two cells at least: of all, how many there must be, and of these, how many stand level in the same way, and how many have cells of other heights beside each other. */
const leastPaired = 0.6;
const leastLevel = 0.75;
const leastOther = 0.3;
const mostFilled = 0.75;
/** In ems, how far level lines may be apart. */
const slack = 0.45;

/** Its texts stand in rows: the cells of each begin, end or have their middles on one line, though they have other numbers of lines. Columns of running text have neither. */
export function standsInRows(table: FoundTable): boolean {
  const filled = table.cells.filter(({ words }) => words.length > 0);
  const rows = pairedRows(table);
  if (table.rowCount < 3 || rows.length < Math.max(2, leastPaired * table.rowCount) || hasMarks(filled)) return false;
  const ways = [({ top }: Lines) => top, ({ bottom }: Lines) => bottom, ({ top, bottom }: Lines) => (top + bottom) / 2];
  const level = Math.max(...ways.map((way) => rows.filter((row) => isLevel(row, way)).length));
  return level >= leastLevel * rows.length && unevenRows(rows) >= Math.max(2, leastOther * rows.length) && fullness(rows, table.columnCount) <= mostFilled && !filled.some(isCaption);
}

/** Of the rows with two cells or more, the share of those with cells of other heights beside each other. */
export function unevenShare(table: FoundTable): number {
  const rows = pairedRows(table);
  return unevenRows(rows) / Math.max(1, rows.length);
}

/** Rows with two cells or more that are in no other row or column. */
function pairedRows({ rowCount, cells }: FoundTable): Lines[][] {
  const single = cells.filter(({ words, rowSpan, columnSpan }) => words.length > 0 && rowSpan === 1 && columnSpan === 1);
  return Array.from({ length: rowCount }, (_, row) => single.filter((cell) => cell.row === row)).filter(({ length }) => length > 1).map((row) => row.map(extentOf));
}

function isLevel(row: Lines[], of: (lines: Lines) => number): boolean {
  const values = row.map(of);
  return Math.max(...values) - Math.min(...values) <= slack * (row[0]?.size ?? 10);
}

const unevenRows = (rows: Lines[][]): number => rows.filter((row) => !isLevel(row, ({ top, bottom }) => bottom - top)).length;

/** Of the lines that the rows have room for, those that there are: columns of running text are full. */
function fullness(rows: Lines[][], columnCount: number): number {
  const [there, room] = rows.reduce(([sum, whole], row) => [sum + row.reduce((lines, { count }) => lines + count, 0), whole + columnCount * Math.max(...row.map(({ count }) => count))], [0, 0]);
  return there / Math.max(1, room);
}

function isCaption({ words }: TableCell): boolean {
  const text = words.map((word) => word.text).join(' ');
  return isFigureOrListingCaption(text) || isTableCaption(text);
}

/** Most of its first texts are list markers. */
function hasMarks(filled: TableCell[]): boolean {
  const firsts = filled.filter(({ column }) => column === 0).map(({ words }) => words.map(({ text }) => text).join(' '));
  return firsts.filter((text) => isListMarker(text)).length > 0.5 * firsts.length;
}

interface Lines {
  /** Baselines of the first and the last line. */
  top: number;
  bottom: number;
  count: number;
  size: number;
}

function extentOf({ words }: TableCell): Lines {
  const baselines = words.map(({ baseline }) => baseline);
  return { top: Math.min(...baselines), bottom: Math.max(...baselines), count: rowsOf(words).length, size: median(words.map(({ size }) => size)) };
}
