/** The cells of one table by the network: it proposes rows, columns and spans, and each word goes to the cell at its place. */
import type { TableCells } from '../../../engine/vision-port.js';
import { boxesOverlap } from '../../../geometry/box.js';
import type { PageContent } from '../../../pdf/pdf-page.js';
import type { Reading } from '../../decide/geometry-or-network-cells.js';
import type { FoundTable, TableCell } from '../../page/found-table.js';
import { makeChunks, type Chunk } from '../evidence/chunks.js';
import type { Piece } from '../evidence/frame.js';
import { inReadingOrder } from '../evidence/grid.js';
import { inReadingDirection } from '../evidence/reading-direction.js';
import { withBareColumns } from './bare-headers.js';
import type { CellFinder } from './cell-finder.js';
import { drawTable, type TablePicture } from './picture.js';

/** Pixels: the largest sides of the picture. Larger tables keep geometry's cells. */
const mostPixels = 1600;
/** The least score of the network at which its result is used. */
const leastScore = 0.1;

/** Null if the network does not run or its score is below `leastScore`. The words are those of `table`, each in one cell. */
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
  /** For the lines of the grid, in points. */
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

/** The interval that contains `at`. */
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

/** A chunk goes to the cell at its middle. A chunk that extends far into columns outside its cell is split into words. */
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

/** New indices of rows (or columns) and of the end, without those in which no cell with words begins. */
function used(places: Place[], count: number, of: (one: Place) => [number, number]): number[] {
  const filled = new Set(places.filter(({ chunks }) => chunks.length > 0).map((one) => of(one)[0]));
  const numbers = [0];
  for (let index = 0; index < count; index++) numbers.push((numbers[index] ?? 0) + (filled.has(index) ? 1 : 0));
  return numbers;
}
