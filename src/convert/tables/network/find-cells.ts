/** A table's cells by the network: it proposes rows, columns and spans, the words say where they are. Words are those of the table that geometry found, each once. */
import { fromTop, lastOf, rowsByBaseline } from '../../page/rows.js';
import { baselineTolerances } from '../../page/tolerances.js';
import { boxesOverlap, unionBox } from '../../../geometry/box.js';
import type { Bitmap } from '../../../bitmap.js';
import type { TableCells } from '../../../engine/vision-port.js';
import type { PageContent, Word } from '../../../pdf/pdf-page.js';
import type { FoundTable, TableCell } from '../../page/found-table.js';
import { withBareColumns } from './bare-headers.js';
import { doubtsOf } from '../../decide/table-doubts.js';
import { makeChunks } from '../evidence/chunks.js';
import type { Chunk } from '../evidence/chunks.js';
import { extentsOf, inkOf, isSettled, wordsOf } from './extents.js';
import type { Extent } from './extents.js';
import type { Piece } from '../evidence/frame.js';
import { inReadingOrder } from '../evidence/grid.js';
import { areasOf } from './grown-areas.js';
import type { Area } from './grown-areas.js';
import { drawTable } from './picture.js';
import type { TablePicture } from './picture.js';
import { inReadingDirection } from '../evidence/reading-direction.js';
import { isBetter, isInOrder, isWrapped, seemsTable } from '../../decide/network-tables.js';
import type { Reading } from '../../decide/network-tables.js';
import { zonesOf } from './zones.js';

/** Finds the cells of a drawn table; null where it cannot. */
export type CellFinder = (picture: Bitmap, signal: AbortSignal) => Promise<TableCells | null>;

/** Sides of the picture; larger tables are left to geometry. */
const mostPixels = 1600;
/** Below it the network does not know. */
const leastScore = 0.1;

/** Geometry's confidence in what it does not see; of what it doubts it is as sure at least. */
const unseen = 0.1;

/** Of the words of an area, how many are in tables without it: with fewer it must be one by itself. */
const leastHeld = 0.5;

/** What geometry found on a page: tables, and what it doubts (findSureAndDoubtful). */
export interface FoundTables {
  tables: FoundTable[];
  doubtful: FoundTable[];
}

/**
 * The tables of a page, from the top: geometry's, with the cells that the network gives them where those leave fewer doubts, or about as few and it is sure; torn ones as one, with words that geometry left out, and
 * what geometry doubts, where the network's reading is in order or seems one.
 */
export async function tablesByNetwork({ tables, doubtful }: FoundTables, page: PageContent, find: CellFinder, signal: AbortSignal): Promise<FoundTable[]> {
  const done = tables.filter(isSettled);
  for (const area of areasOf(extentsOf(tables, doubtful, page), tables, page)) done.push(...(await readArea(area, page, find, signal)));
  const whole = await withZones(done, page, find, signal);
  return whole.sort((a, b) => a.box.top - b.box.top || a.box.left - b.box.left);
}

/** The tables, and tables of wrapped text of the words that few of them hold. */
async function withZones(tables: FoundTable[], page: PageContent, find: CellFinder, signal: AbortSignal): Promise<FoundTable[]> {
  let done = tables;
  for (const words of zonesOf(tables, page)) {
    const own = new Set(words);
    const met = done.filter((table) => wordsOf([table]).some((word) => own.has(word)));
    const held = wordsOf(met);
    const isHeld = held.length >= leastHeld * words.length;
    if ((isHeld && met.length < 2) || held.some((word) => !own.has(word))) continue;
    const read = await tableByNetwork(gathered({ parts: [], loose: words, box: inkOf(words), confidence: unseen }), page, find, signal);
    if (read === null || !isWrapped(read)) continue;
    if (isHeld && doubtsOf(read) >= doubtsOfAll({ parts: met, loose: words.filter((word) => !held.includes(word)) })) continue;
    done = [...done.filter((table) => !met.includes(table)), read];
  }
  return done;
}

/** The area as one table where the network's reading of all of it leaves fewer doubts than those of its parts do, with what they leave out. */
async function readArea({ whole, members }: Area, page: PageContent, find: CellFinder, signal: AbortSignal): Promise<FoundTable[]> {
  const apart: FoundTable[] = [];
  for (const member of members) apart.push(...(await readExtent(member, page, find, signal)));
  if (members.length === 1 && whole === members[0]) return apart;
  const read = await tableByNetwork(gathered(whole), page, find, signal);
  if (read === null) return apart;
  const held = new Set(wordsOf(apart));
  const all = wordsOf([read]);
  if (held.size < leastHeld * all.length && !seemsTable(read)) return apart;
  return doubtsOf(read) < doubtsOfAll({ ...whole, parts: apart, loose: all.filter((word) => !held.has(word)) }) - 1e-9 ? [read] : apart;
}

async function readExtent(extent: Extent, page: PageContent, find: CellFinder, signal: AbortSignal): Promise<FoundTable[]> {
  const { parts, loose } = extent;
  const [only] = parts;
  const whole = parts.length === 1 && only !== undefined && loose.length === 0 ? only : gathered(extent);
  const read = await tableByNetwork(whole, page, find, signal);
  if (parts.length === 0) return read !== null && (seemsTable(read) || isWrapped(read) || (extent.confidence >= unseen && isInOrder(read))) ? [read] : [];
  if (read !== null && isBetter(read, doubtsOfAll(extent))) return [read];
  if (whole === only) return parts;
  const done: FoundTable[] = [];
  for (const part of parts) {
    const own = await tableByNetwork(part, page, find, signal);
    done.push(own !== null && isBetter(own, doubtsOf(part)) ? own : part);
  }
  return done;
}

/** All words of an extent as one table that is not read yet. */
function gathered({ parts, loose, box, confidence }: Extent): FoundTable {
  const cells = parts.flatMap((part) => part.cells);
  const rest: TableCell = { row: 0, column: 0, rowSpan: 1, columnSpan: 1, columnHeader: false, rowHeader: false, words: loose, box };
  const boxes = [box, ...parts.map((part) => part.box)];
  return { box: unionBox(boxes), rowCount: 1, columnCount: 1, evidence: parts.some(({ evidence }) => evidence !== 'unruled') ? 'partly-ruled' : 'unruled', confidence, cells: [...cells, rest] };
}

/** Of the parts as geometry has them: that they are torn is one for each, each line of text left out one more. */
function doubtsOfAll({ parts, loose }: Pick<Extent, 'parts' | 'loose'>): number {
  const filled = parts.map(({ cells }) => cells.filter(({ words }) => words.length > 0).length);
  const odd = parts.reduce((sum, part, at) => sum + doubtsOf(part) * (filled[at] ?? 0), 0) + 2 * (parts.length - 1) + linesIn(loose);
  return odd / Math.max(1, filled.reduce((sum, count) => sum + count, 0));
}

function linesIn(words: Word[]): number {
  return rowsByBaseline(fromTop(words), baselineTolerances.pageRow, lastOf).length;
}

/** Null where the network is not asked or does not know. The words are the same, each in one cell. */
export async function tableByNetwork(table: FoundTable, page: PageContent, find: CellFinder, signal: AbortSignal): Promise<Reading | null> {
  const pieces = table.cells.flatMap(({ words }) => words).map((word): Piece => ({ word, left: word.box.left, right: word.box.right, baseline: word.baseline, size: word.size }));
  if (table.evidence === 'ruled' || pieces.length < 4 || pieces.some(({ word, size }) => Math.abs(word.angle) > 3 || !(size > 0))) return null;
  const picture = drawTable(
    pieces.map(({ word, left, right, baseline, size }) => ({ text: word.text, left, right, baseline, size, bold: word.font.bold })),
    page.rulings, page.boxes.filter(({ box, fill }) => fill >= 0 && fill !== 0xffffff && boxesOverlap(box, table.box)).map(({ box }) => box), mostPixels,
  );
  if (picture === null) return null;
  const found = await find(picture.bitmap, signal);
  if (found === null || !(found.score >= leastScore) || found.columns < 2 || found.rows < 2) return null;
  const read = assemble(table, makeChunks(pieces, []), gridOf(found, picture));
  return read === null ? null : { ...inReadingDirection(withBareColumns(read)), certainty: found.score };
}

interface Place {
  row: number;
  column: number;
  rowSpan: number;
  columnSpan: number;
  header: boolean;
  chunks: Chunk[];
}

interface Places {
  places: Place[];
  /** Of the lines of the grid, points. */
  x: number[];
  y: number[];
  em: number;
}

function gridOf({ cells, rows, columns }: TableCells, picture: TablePicture): Places {
  const x = new Array<number>(columns + 1).fill(0);
  const y = new Array<number>(rows + 1).fill(0);
  for (const { row, column, rowSpan, columnSpan, box } of cells) {
    [x[column], y[row], x[column + columnSpan], y[row + rowSpan]] = [picture.pointX(box[0] ?? 0), picture.pointY(box[1] ?? 0), picture.pointX(box[4] ?? 0), picture.pointY(box[5] ?? 0)];
  }
  const places = cells.map(({ row, column, rowSpan, columnSpan, header }): Place => ({ row, column, rowSpan, columnSpan, header, chunks: [] }));
  return { places, x, y, em: picture.em };
}

/** The interval that `at` lies in. */
function indexAt(edges: number[], at: number): number {
  let index = 0;
  while (index + 2 < edges.length && (edges[index + 1] ?? Infinity) < at) index++;
  return index;
}

function assemble(table: FoundTable, chunks: Chunk[], grid: Places): FoundTable | null {
  for (const chunk of chunks) place(chunk, grid);
  const { places, x, y } = grid;
  const keptRows = used(places, y.length - 1, (one) => [one.row, one.rowSpan]);
  const keptColumns = used(places, x.length - 1, (one) => [one.column, one.columnSpan]);
  const [rowCount, columnCount] = [keptRows.at(-1) ?? 0, keptColumns.at(-1) ?? 0];
  if (rowCount < 2 || columnCount < 2) return null;
  const named = table.cells.some(({ rowHeader }) => rowHeader);
  const cells = places.flatMap((one): TableCell[] => {
    const [row, column] = [keptRows[one.row] ?? 0, keptColumns[one.column] ?? 0];
    const [rowSpan, columnSpan] = [(keptRows[one.row + one.rowSpan] ?? 0) - row, (keptColumns[one.column + one.columnSpan] ?? 0) - column];
    if (rowSpan === 0 || columnSpan === 0) return [];
    const words = inReadingOrder(one.chunks).flatMap((chunk) => chunk.pieces.map((piece) => piece.word));
    const box = { left: x[one.column] ?? 0, top: y[one.row] ?? 0, right: x[one.column + one.columnSpan] ?? 0, bottom: y[one.row + one.rowSpan] ?? 0 };
    return [{ row, column, rowSpan, columnSpan, columnHeader: one.header, rowHeader: named && !one.header && column === 0, words, box }];
  });
  return { ...table, rowCount, columnCount, cells };
}

/** A chunk goes where its middle is; one that reaches far into other columns than its cell's goes word by word. */
function place(chunk: Chunk, { places, x, y, em }: Places): void {
  const row = indexAt(y, chunk.baseline - 0.35 * chunk.size);
  const cellAt = (at: number): Place | undefined => {
    const column = indexAt(x, at);
    return places.find((one) => one.row <= row && row < one.row + one.rowSpan && one.column <= column && column < one.column + one.columnSpan);
  };
  const middle = cellAt((chunk.left + chunk.right) / 2);
  if (middle === undefined) return;
  const beyond = Math.max((x[middle.column] ?? 0) - chunk.left, chunk.right - (x[middle.column + middle.columnSpan] ?? 0));
  if (beyond < 0.8 * em || chunk.pieces.length === 1) middle.chunks.push(chunk);
  else for (const piece of chunk.pieces) (cellAt((piece.left + piece.right) / 2) ?? middle).chunks.push({ ...chunk, pieces: [piece], left: piece.left, right: piece.right });
}

/** New numbers of rows (or columns) and of the end, without those in which no cell with words begins. */
function used(places: Place[], count: number, of: (one: Place) => [number, number]): number[] {
  const filled = new Set(places.filter(({ chunks }) => chunks.length > 0).map((one) => of(one)[0]));
  const numbers = [0];
  for (let index = 0; index < count; index++) numbers.push((numbers[index] ?? 0) + (filled.has(index) ? 1 : 0));
  return numbers;
}
