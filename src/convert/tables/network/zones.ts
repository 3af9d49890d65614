/** Finds tables of wrapped text, which geometry takes for columns of running text: zones of a page with white space from top to bottom whose texts stand in rows. */
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

/** The fewest words of a zone. */
const leastWords = 12;
/** The most white space between two rows, in ems. */
const mostGap = 3;
/** The largest ratio of sizes to a zone's first row. */
const sizeSlack = 0.15;
/** Lines of running text: the least share of the zone's width, and the number of them that ends a table. */
const acrossWidth = 0.6;
const mostAcross = 2;
/** White space between columns, in ems, and the share of rows that may extend into it. */
const leastGutter = 0.5;
const mostInGutter = 0.03;
/** The largest share of rows in which the emptiest column has text: columns of running text are full. Of 399 zones on 2,700 drawn tables and pages 26 are tables, all with 0.39 or less; 95 of the others have more. */
const mostFull = 0.6;
/** The most white space between the lines of one text, in ems. */
const lineGap = 0.45;

/** Possible tables among the words outside ruled tables, from the top. They do not overlap. */
export function zonesOf(tables: FoundTable[], page: PageContent): Word[][] {
  const ruled = new Set(wordsOf(tables.filter(isSettled)));
  const rows = rowsOf(page.words.filter((word) => !ruled.has(word) && Math.abs(word.angle) <= 3 && word.size > 0));
  return segmentsOf(rows).flatMap((segment) => withoutText(segment)).flatMap((zone) => {
    const words = zone.flatMap((row) => row.words);
    return words.length >= leastWords && isUneven(zone) ? [words] : [];
  });
}

/** Successive rows of one size, without captions. */
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

/** The parts of the segment between lines of running text, without single texts before and behind. */
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

/** Whether the rows are as near as the lines of one text. */
function isNextLine(row: TextRow | undefined, next: TextRow | undefined): boolean {
  return row !== undefined && next !== undefined && next.box.top - row.box.bottom < lineGap * next.size;
}

/** Whether white space from top to bottom splits it into columns, and the blocks of one column leave gaps where others continue. */
function isUneven(zone: TextRow[]): boolean {
  const columns = columnsOf(zone);
  if (columns.length < 2) return false;
  return columns.some(({ left, right }) => {
    const own = zone.filter(({ words }) => words.some(({ box }) => box.left < right && box.right > left));
    const blocks = own.filter((row, at) => !isNextLine(own[at - 1], row)).length;
    return own.length >= 2 && blocks >= 2 && own.length <= mostFull * zone.length;
  });
}

/** Splits at white space in which (nearly) no row has text. */
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

/** Rows with at least two cells: their least share of all rows, and among them the least share that is level in the same way and that has cells of different heights side by side. */
const leastPaired = 0.6;
const leastLevel = 0.75;
const leastOther = 0.3;
const mostFilled = 0.75;
/** In ems: the largest distance of level lines. */
const slack = 0.45;

/** Whether its texts stand in rows: the cells of a row share their top, bottom or middle, although they differ in their numbers of lines. Columns of running text have neither property. */
export function standsInRows(table: FoundTable): boolean {
  const filled = table.cells.filter(({ words }) => words.length > 0);
  const rows = pairedRows(table);
  if (table.rowCount < 3 || rows.length < Math.max(2, leastPaired * table.rowCount) || hasMarks(filled)) return false;
  const ways = [({ top }: Lines) => top, ({ bottom }: Lines) => bottom, ({ top, bottom }: Lines) => (top + bottom) / 2];
  const level = Math.max(...ways.map((way) => rows.filter((row) => isLevel(row, way)).length));
  return level >= leastLevel * rows.length && unevenRows(rows) >= Math.max(2, leastOther * rows.length) && fullness(rows, table.columnCount) <= mostFilled && !filled.some(isCaption);
}

/** Among rows with at least two cells, the share with cells of different heights side by side. */
export function unevenShare(table: FoundTable): number {
  const rows = pairedRows(table);
  return unevenRows(rows) / Math.max(1, rows.length);
}

/** Rows with at least two cells that span no other row or column. */
function pairedRows({ rowCount, cells }: FoundTable): Lines[][] {
  const single = cells.filter(({ words, rowSpan, columnSpan }) => words.length > 0 && rowSpan === 1 && columnSpan === 1);
  return Array.from({ length: rowCount }, (_, row) => single.filter((cell) => cell.row === row)).filter(({ length }) => length > 1).map((row) => row.map(extentOf));
}

function isLevel(row: Lines[], of: (lines: Lines) => number): boolean {
  const values = row.map(of);
  return Math.max(...values) - Math.min(...values) <= slack * (row[0]?.size ?? 10);
}

const unevenRows = (rows: Lines[][]): number => rows.filter((row) => !isLevel(row, ({ top, bottom }) => bottom - top)).length;

/** The lines of text divided by the lines for which the rows have room: columns of running text are full. */
function fullness(rows: Lines[][], columnCount: number): number {
  const [there, room] = rows.reduce(([sum, whole], row) => [sum + row.reduce((lines, { count }) => lines + count, 0), whole + columnCount * Math.max(...row.map(({ count }) => count))], [0, 0]);
  return there / Math.max(1, room);
}

function isCaption({ words }: TableCell): boolean {
  const text = words.map((word) => word.text).join(' ');
  return isFigureOrListingCaption(text) || isTableCaption(text);
}

/** Whether most of its first texts are list markers. */
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
