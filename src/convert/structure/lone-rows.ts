/** Finds one row of a table that the end of a page or column separates from the others: its header before, or its last row behind. Such a row resembles text; only the columns of the other rows identify it. */
import { fromTopLeft, rowsByBaseline } from '../page/group-by-baseline.js';
import { baselineTolerances } from '../page/tolerances.js';
import { middleX, unionBox, widthOf } from '../../geometry/box.js';
import type { PageTableCell, PageTable } from '../page/page-table.js';
import type { Separator } from '../page/regions.js';
import type { PageStructure } from '../page/values.js';
import { nominalBox } from '../page/text-line.js';
import type { TextLine } from '../page/text-line.js';
import type { Box } from '../../pdf/pdf-page.js';
import type { PageLines } from './style.js';

/** Tables with fewer columns agree with too many texts that stand side by side. */
const leastColumns = 3;
/** The most lines of text in a lone header and in a lone row. */
const mostHeadLines = 4;
const mostRowLines = 14;
/** From one line of a row to the next, in ems. */
const mostStep = 1.5;
/** The largest relative difference between the sizes of the table and the row. */
const sizeSlack = 0.12;
/** The largest relative difference between the widths of the table and the rulings around its header. */
const ruleSlack = 0.1;
/** How far a text may extend beyond its column, in points. */
const slack = 2;
/** How far a row may be shifted in addition to the shift of its text column, in sizes of the table. */
const mostOff = 1.5;
/** The largest width of the next text column with the white space between, in widths of a text column. */
const pitch = 1.15;

interface Side {
  left: number;
  right: number;
}

/** Lines at one height. */
interface LoneLine {
  pieces: TextLine[];
  baseline: number;
}

/** Lines of furniture: likely ones by their kind or place, certain ones because other pages repeat them. */
export interface KnownFurniture {
  isLikely: (line: TextLine) => boolean;
  isSure: (line: TextLine) => boolean;
}

/**
 * Replaces each lone row on the pages by a table of one row (`lone`), whose lines are then not text; joinTables() joins it to its table. The lines of a page are examined only if a table is the first or
 * last object of a column. A row at the top of a page may resemble a running header: if nothing else continues the table, only certain running headers are excluded.
 */
export function withLoneRows(pages: PageLines[], { isLikely, isSure }: KnownFurniture): PageLines[] {
  const found = new Map<number, LoneRow[]>();
  const taken = new Set<TextLine>();
  const linesWithout = (isFurniture: (line: TextLine) => boolean) => ({ outside }: PageLines): TextLine[] => outside.filter((line) => line.angle === 0 && line.latex === undefined && !taken.has(line) && !isFurniture(line));
  const overPages = (side: -1 | 1) => (side < 0 ? [isLikely] : [isLikely, isSure]).map(linesWithout);
  for (const [at, page] of pages.entries()) {
    for (const table of page.structure.tables) {
      if (table.index || table.columnCount < leastColumns || !table.columnLefts.every(Number.isFinite)) continue;
      for (const side of [-1, 1] as const) {
        const lines = linesWithout(isLikely)(page);
        if (!isOutermost(side, table, lines, page.structure)) continue;
        const place = besides(side, table, lines, page.structure);
        const row = place !== null ? rowIn(side, place, table, lines) : overPages(side).map((linesOf) => rowIn(side, overPage(side, table, lines, pages, at, linesOf), table, lines)).find((one) => one !== null) ?? null;
        if (row === null) continue;
        for (const line of row.lines) taken.add(line);
        found.set(row.page, [...(found.get(row.page) ?? []), row]);
      }
    }
  }
  return pages.map((page, at) => {
    const rows = found.get(at);
    if (rows === undefined) return page;
    return { ...page, structure: { ...page.structure, tables: [...page.structure.tables, ...rows.map(({ table }) => table)] }, outside: page.outside.filter((line) => !taken.has(line)) };
  });
}

interface LoneRow {
  table: PageTable;
  lines: TextLine[];
}

/** The row of the table at the end of the place, if there is one; `lines` are those of the table's page. */
function rowIn(side: -1 | 1, place: Place | null, table: PageTable, lines: TextLine[]): (LoneRow & { page: number }) | null {
  if (place === null) return null;
  const shift = leftOf(place.lines) - Math.min(table.box.left, leftOf(columnLines(table, lines)));
  const row = side < 0 ? headAt(place, table, shift) : rowAt(place.lines, table, shift);
  return row === null || isHidden(side, row, place.objects) ? null : { ...row, page: place.page };
}

const meets = (a: Side, b: Side): boolean => a.left < b.right && a.right > b.left;

function objectsOf({ tables, figures }: PageStructure): Box[] {
  return [...tables.map(({ box }) => box), ...figures.map(({ box }) => box)];
}

/** Whether nothing stands above (-1) or below (1) the table in its text column. */
function isOutermost(side: -1 | 1, table: PageTable, lines: TextLine[], structure: PageStructure): boolean {
  const { box } = table;
  const isBeyond = (other: Box): boolean => meets(other, box) && (side < 0 ? other.top < box.top - 2 && other.bottom < box.bottom : other.bottom > box.bottom + 2 && other.top > box.top);
  return !lines.some((line) => isBeyond(nominalBox(line))) && !objectsOf(structure).some((other) => other !== box && isBeyond(other));
}

/** The objects of the table's text column. */
function columnLines({ box }: PageTable, lines: TextLine[]): TextLine[] {
  return lines.filter((line) => meets(line.box, box) && line.box.left > box.left - 12);
}

function columnWidth(table: PageTable, lines: TextLine[]): number {
  return Math.max(table.box.right, ...columnLines(table, lines).map(({ box }) => box.right)) - table.box.left;
}

const leftOf = (lines: TextLine[]): number => Math.min(...lines.map(({ box }) => box.left));

interface Place {
  page: number;
  /** In one text column. */
  lines: TextLine[];
  /** Tables and figures in it. */
  objects: Box[];
  /** Its strokes from side to side. */
  rules: Separator[];
}

function placeIn(page: number, range: Side, lines: TextLine[], structure: PageStructure): Place | null {
  const own = lines.filter((line) => isIn(line, range));
  const objects = objectsOf(structure).filter((box) => meets(box, range));
  return own.length === 0 && objects.length === 0 ? null : { page, lines: own, objects, rules: structure.separators.filter((rule) => meets(rule, range)) };
}

/** The text column before (-1) or behind (1) that of the table on its page; null for none. */
function besides(side: -1 | 1, table: PageTable, lines: TextLine[], structure: PageStructure): Place | null {
  const { box } = table;
  const width = pitch * columnWidth(table, lines);
  const range = side < 0 ? { left: box.left - width - slack, right: box.left - slack } : { left: box.right, right: box.left + 2 * width };
  return placeIn(structure.pageIndex, range, lines, structure);
}

/** The last text column of the previous page, or the first one of the next page. */
function overPage(side: -1 | 1, table: PageTable, lines: TextLine[], pages: PageLines[], at: number, linesOf: (page: PageLines) => TextLine[]): Place | null {
  const other = pages[at + side];
  if (other === undefined) return null;
  const own = linesOf(other);
  const width = pitch * columnWidth(table, lines);
  const end = side < 0 ? Math.max(...own.map(({ box }) => box.right)) : Math.min(...own.map(({ box }) => box.left));
  const range = side < 0 ? { left: end - width, right: end } : { left: end, right: end + width };
  return placeIn(at + side, range, own, other.structure);
}

/** Whether a table or figure stands between the row and the column's end. */
function isHidden(side: -1 | 1, { table: { box } }: LoneRow, objects: Box[]): boolean {
  return objects.some((other) => (side < 0 ? other.bottom > box.top : other.top < box.bottom));
}

function linesFrom(side: -1 | 1, pieces: TextLine[]): LoneLine[] {
  const sorted = [...pieces].sort((a, b) => side * (b.baseline - a.baseline));
  return rowsByBaseline(sorted, baselineTolerances.line).map((line) => ({ pieces: line, baseline: line[0]!.baseline }));
}

const isOfSize = (line: LoneLine, { size }: PageTable): boolean => line.pieces.every((piece) => Math.abs(piece.size - size) <= sizeSlack * size);

/** The lines at the column's end that are bold, or words between two rulings, if all of them (or all but the first) stand over the table's columns. */
function headAt({ lines: pieces, rules }: Place, table: PageTable, shift: number): LoneRow | null {
  const lines: LoneLine[] = [];
  const isRuled = betweenRules(rules, table);
  for (const line of linesFrom(1, pieces)) {
    const below = lines.at(-1);
    if (!line.pieces.every((piece) => piece.bold || (isRuled(piece) && !/\d/u.test(piece.text))) || !isOfSize(line, table) || (below !== undefined && below.baseline - line.baseline > mostStep * table.size)) break;
    lines.push(line);
    if (lines.length > mostHeadLines) return null;
  }
  return rowOf(lines, table, shift, true);
}

/** Whether a line stands between the column's last two rulings, which must be about as long as the table is wide. */
function betweenRules(rules: Separator[], { box }: PageTable): (line: TextLine) => boolean {
  const [last, before] = rules.filter(({ left, right }) => Math.abs(right - left - widthOf(box)) < ruleSlack * widthOf(box)).sort((a, b) => b.y - a.y);
  return ({ baseline }) => last !== undefined && before !== undefined && baseline < last.y && baseline > before.y;
}

/** The lines at the begin of the column, down to wider white space. */
function rowAt(pieces: TextLine[], table: PageTable, shift: number): LoneRow | null {
  const lines: LoneLine[] = [];
  for (const line of linesFrom(-1, pieces)) {
    const above = lines.at(-1);
    if (above !== undefined && line.baseline - above.baseline > mostStep * table.size) break;
    if (!isOfSize(line, table) || lines.length >= mostRowLines) return null;
    lines.push(line);
  }
  const [first] = lines;
  const row = first === undefined || first.pieces.length < leastColumns ? null : rowOf(lines, table, shift, false);
  return row !== null && row.table.cells[0]?.lines.length !== 0 ? row : null;
}

/** Assigns each text to one column of the table, with one shift for all texts; null if they do not fit, or leave more than one column empty. */
function rowOf(lines: LoneLine[], table: PageTable, expected: number, columnHeader: boolean): LoneRow | null {
  const pieces = fromTopLeft(lines.flatMap((line) => line.pieces));
  if (pieces.length < leastColumns) return null;
  // If the header extends to the ends of the rulings, only the texts of the first column define its edge.
  const lefts = table.columnLefts.map((left, column) => (column === 0 ? Math.min(left, table.box.left) : left));
  const edges = [...lefts, table.box.right];
  const shift = shiftOf(pieces, edges, expected, mostOff * table.size);
  if (shift === null) return null;
  const box = unionBox(pieces.map(nominalBox));
  const cells = lefts.map((left, column): PageTableCell => {
    const range = { left: left + shift, right: (edges[column + 1] ?? 0) + shift };
    const own = pieces.filter((piece) => isIn(piece, range));
    return { row: 0, column, rowSpan: 1, columnSpan: 1, columnHeader, rowHeader: false, lines: own.map(({ text, softHyphen }) => ({ text, softHyphen })), box: { ...range, top: box.top, bottom: box.bottom } };
  });
  if (cells.filter((cell) => cell.lines.length > 0).length < table.columnCount - 1) return null;
  const letters = pieces.reduce((sum, { text }) => sum + text.length, 0);
  const { columnCount, size, evidence, confidence } = table;
  return { lines: pieces, table: { box, rowCount: 1, columnCount, cells, columnLefts: lefts.map((left) => left + shift), size, letters, index: false, evidence, confidence, lone: true } };
}

function isIn({ box }: TextLine, { left, right }: Side): boolean {
  const middle = middleX(box);
  return middle >= left && middle < right;
}

/** The shift at which every text stands in one column: the one nearest to the distance of the text columns, at most `most` off; null if there is none. */
function shiftOf(pieces: TextLine[], edges: number[], expected: number, most: number): number | null {
  const fits = (shift: number): boolean => pieces.every(({ box }) => edges.some((left, at) => at + 1 < edges.length && box.left > left + shift - slack && box.right < (edges[at + 1] ?? 0) + shift + slack));
  const tried = [expected, ...pieces.flatMap(({ box }) => edges.slice(0, -1).flatMap((left, at) => [box.left - left, box.right - (edges[at + 1] ?? 0)]))];
  const off = (shift: number): number => Math.abs(shift - expected);
  return tried.filter((shift) => off(shift) <= most && fits(shift)).sort((a, b) => off(a) - off(b))[0] ?? null;
}
