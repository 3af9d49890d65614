/** Cuts chunks where a column ends inside them, and determines the columns of each. */
import { middleX } from '../../../geometry/box.js';
import type { Edge } from './table-area.js';
import { chunkOf, textOf } from './chunks.js';
import type { Chunk, VisualRow } from './chunks.js';
import type { Column } from './columns.js';
import type { Segment } from './segments.js';
import { nearEdge } from './segments.js';
import { isValue } from '../../wording/cell-text.js';

const EDGE_SLACK = 2;

/** The rows with each chunk split at the edges that it crosses at a word space. A line is an edge only where it is drawn: spanning cells have none. */
export function cutRows(rows: VisualRow[], x: Edge[], columns: Column[], verticals: Segment[]): VisualRow[] {
  return rows.map((row) => {
    const here = x.map((edge): Edge => (edge.kind === 'drawn' && !isDrawnAt(verticals, edge.at, row) ? { ...edge, kind: 'white' } : edge));
    return { ...row, chunks: row.chunks.flatMap((chunk) => partChunk(chunk, here, columns)) };
  });
}

function isDrawnAt(verticals: Segment[], x: number, { baseline, size }: VisualRow): boolean {
  const y = baseline - 0.3 * size;
  return verticals.some(({ at, start, end }) => Math.abs(at - x) <= nearEdge && start <= y && end >= y);
}

/** First and last column of the chunk. */
export function columnsOf(chunk: Chunk, x: Edge[]): { first: number; last: number } {
  const [first, last] = [columnAt(x, chunk.left + EDGE_SLACK), columnAt(x, chunk.right - EDGE_SLACK)];
  if (first < last) return { first, last };
  const middle = columnAt(x, middleX(chunk));
  return { first: middle, last: middle };
}

function columnAt(x: Edge[], at: number): number {
  let column = 0;
  while (column + 2 < x.length && (x[column + 1]?.at ?? Infinity) < at) column++;
  return column;
}

function partChunk(chunk: Chunk, x: Edge[], columns: Column[]): Chunk[] {
  const { first, last } = columnsOf(chunk, x);
  for (let column = first; column < last; column++) {
    const at = splitPoint(chunk, x[column + 1] as Edge, columns[column + 1]);
    if (at === null) continue;
    return [...partChunk(chunkOf(chunk.pieces.slice(0, at)), x, columns), ...partChunk(chunkOf(chunk.pieces.slice(at)), x, columns)];
  }
  return [chunk];
}

/** Index of the piece that begins the next column, or null if the chunk continues over the edge as one text. */
function splitPoint(chunk: Chunk, edge: Edge, next: { left: number; right: number } | undefined): number | null {
  for (let index = 1; index < chunk.pieces.length; index++) {
    const [before, piece] = [chunk.pieces[index - 1], chunk.pieces[index]];
    if (before === undefined || piece === undefined || piece.word.glued) continue;
    const gap = piece.left - before.right;
    if (gap < 0.12 * chunk.size || before.right > edge.at + EDGE_SLACK || piece.left < edge.at - EDGE_SLACK) continue;
    if (edge.kind === 'drawn') return index;
    const aligned = next !== undefined && (Math.abs(piece.left - next.left) < 1.5 || Math.abs(chunk.right - next.right) < 1.5);
    // A word space may separate a long label from its value, never two words.
    const parts = aligned && (gap > 0.36 * chunk.size || (gap > 0.2 * chunk.size && isValue(textOf(chunk.pieces.slice(index).map(({ word }) => word)))));
    if (gap > 0.45 * chunk.size || parts) return index;
  }
  return null;
}
