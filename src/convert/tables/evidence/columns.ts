/** Finds the columns of rows by the white space that runs down between their chunks. */
import { chunkOf } from './chunks.js';
import type { Chunk } from './chunks.js';

/** The extent of a column's text. */
export interface Column {
  left: number;
  right: number;
}

interface Band {
  column: Column;
  /** Chunks by row; rows without any are left out. */
  rows: Map<number, Chunk[]>;
}

/** The weight of a chunk that crosses a gutter above all rows that respect it: it is a spanning header and hardly counts. */
const HEADER_CROSSING = 0.25;
const MAX_CUTS = 160;
const unitBefore = /^(?:[$€£¥₹₽₩(]|US\$|USD|EUR|GBP|Rs\.?)$/;
const unitAfter = /^(?:[%‰)\]*†‡§]+|[)]?[%*†‡§]+)$/;

/**
 * Finds the columns of rows of chunks, from the left. Chunks that span columns may be among them; only rows of at least two
 * chunks define the columns. With fewer than two such rows the columns are the chunks of the fullest row.
 */
export function inferColumns(rows: Chunk[][]): Column[] {
  const shaping = rows.filter((row) => row.length >= 2);
  if (shaping.length === 0) return [];
  const bands = splitByWhite(shaping);
  const parted = bands.flatMap((band) => splitBand(band, shaping.length, 0));
  return joinUnits(joinExclusive(parted)).map((band) => band.column);
}

/** Ranges of x that any row covers, separated by white space in every row. */
function splitByWhite(rows: Chunk[][]): Band[] {
  const all = rows.flatMap((row, index) => row.map((chunk) => ({ chunk, index })));
  all.sort((a, b) => a.chunk.left - b.chunk.left);
  const bands: Band[] = [];
  for (const { chunk, index } of all) {
    const band = bands[bands.length - 1];
    if (band !== undefined && chunk.left < band.column.right + 0.3) {
      band.column.right = Math.max(band.column.right, chunk.right);
      addTo(band.rows, index, chunk);
    } else bands.push({ column: { left: chunk.left, right: chunk.right }, rows: new Map([[index, [chunk]]]) });
  }
  return bands;
}

function addTo(rows: Map<number, Chunk[]>, index: number, chunk: Chunk): void {
  const known = rows.get(index);
  if (known === undefined) rows.set(index, [chunk]);
  else known.push(chunk);
}

/** Splits a band at a place where many rows have a gap and few chunks cross it. */
function splitBand(band: Band, rowCount: number, depth: number): Band[] {
  if (depth > 8) return [band];
  let best = 0;
  let bestScore = 0;
  for (const at of candidateCuts(band)) {
    const score = cutScore(band, at, rowCount);
    if (score > bestScore) [best, bestScore] = [at, score];
  }
  if (bestScore === 0) return [band];
  const [before, after] = [emptyBand(), emptyBand()];
  for (const [index, chunks] of band.rows) {
    for (const chunk of chunks) {
      // A chunk across the gutter belongs to neither side: it must not extend the columns that it spans.
      if (chunk.left < best && chunk.right > best) continue;
      const side = chunk.right <= best ? before : after;
      addTo(side.rows, index, chunk);
      side.column.left = Math.min(side.column.left, chunk.left);
      side.column.right = Math.max(side.column.right, chunk.right);
    }
  }
  if (before.rows.size === 0 || after.rows.size === 0) return [band];
  return [...splitBand(before, rowCount, depth + 1), ...splitBand(after, rowCount, depth + 1)];
}

function emptyBand(): Band {
  return { column: { left: Infinity, right: -Infinity }, rows: new Map() };
}

/** Places right behind and right before chunks that have a neighbour in their row. */
function candidateCuts(band: Band): number[] {
  const cuts = new Set<number>();
  for (const chunks of band.rows.values()) {
    for (let index = 1; index < chunks.length; index++) {
      const [before, after] = [chunks[index - 1], chunks[index]];
      if (before === undefined || after === undefined || after.left <= before.right) continue;
      cuts.add(Math.round(before.right + 0.9));
      cuts.add(Math.round(after.left - 0.9));
    }
    if (cuts.size > MAX_CUTS) break;
  }
  return [...cuts];
}

/** Above 0 if the place is a gutter: rows that have a gap there outweigh rows with text across it. */
function cutScore(band: Band, at: number, rowCount: number): number {
  let first = Infinity;
  let support = 0;
  let [edgeBefore, edgeAfter] = [-Infinity, Infinity];
  const crossings: number[] = [];
  for (const [index, chunks] of band.rows) {
    let [before, after, across] = [false, false, false];
    for (const chunk of chunks) {
      if (chunk.right <= at + 0.3) {
        before = true;
        if (chunk.right > edgeBefore) edgeBefore = chunk.right;
      } else if (chunk.left >= at - 0.3) {
        after = true;
        if (chunk.left < edgeAfter) edgeAfter = chunk.left;
      } else across = true;
    }
    if (across) crossings.push(index);
    else if (before && after) {
      support++;
      first = Math.min(first, index);
    }
  }
  let cost = 0;
  for (const index of crossings) cost += index < first && index < 4 ? HEADER_CROSSING : 1;
  const needed = rowCount <= 3 ? 1 : 1.2;
  // Of equally good places the one in the widest white space.
  return support - 3 * cost - needed + Math.min(0.1, (edgeAfter - edgeBefore) / 200);
}

/** Two neighbours that no row has both of are one column whose header and values are aligned differently. */
function joinExclusive(bands: Band[]): Band[] {
  const joined: Band[] = [];
  for (const band of bands) {
    const before = joined[joined.length - 1];
    if (before !== undefined && bands.length > 1 && !shareRow(before, band)) merge(before, band);
    else joined.push(band);
  }
  return joined;
}

function shareRow(a: Band, b: Band): boolean {
  for (const index of a.rows.keys()) if (b.rows.has(index)) return true;
  return false;
}

function merge(into: Band, other: Band): void {
  into.column.left = Math.min(into.column.left, other.column.left);
  into.column.right = Math.max(into.column.right, other.column.right);
  for (const [index, chunks] of other.rows) for (const chunk of chunks) addTo(into.rows, index, chunk);
}

/** Currency signs, percent signs and brackets in a column of their own belong to their number. */
function joinUnits(bands: Band[]): Band[] {
  const joined: Band[] = [];
  let pending: Band | null = null;
  for (const band of bands) {
    if (pending !== null) {
      merge(pending, band);
      joined.push(pending);
      pending = null;
    } else if (consistsOf(band, unitBefore) && band !== bands[bands.length - 1]) pending = band;
    else if (consistsOf(band, unitAfter) && joined.length > 0) merge(joined[joined.length - 1] as Band, band);
    else joined.push(band);
  }
  return joined;
}

function consistsOf(band: Band, pattern: RegExp): boolean {
  let [hits, all] = [0, 0];
  for (const chunks of band.rows.values()) {
    for (const chunk of chunks) {
      all++;
      if (pattern.test(chunk.text)) hits++;
    }
  }
  return hits > 0 && hits >= all - (all > 4 ? 1 : 0);
}

/** Indices of the first and last column that a chunk covers; null if it covers none. */
export function columnsUnder(columns: Column[], left: number, right: number): [number, number] | null {
  let first = -1;
  let last = -1;
  for (const [index, column] of columns.entries()) {
    const overlap = Math.min(right, column.right) - Math.max(left, column.left);
    if (overlap <= Math.min(1.5, 0.25 * (right - left))) continue;
    if (first < 0) first = index;
    last = index;
  }
  return first < 0 ? null : [first, last];
}

/** Splits a chunk over several columns at its spaces above the white space between them. */
export function cutAtColumns(chunk: Chunk, columns: Column[]): Chunk[] {
  const under = columnsUnder(columns, chunk.left, chunk.right);
  if (under === null || under[0] === under[1]) return [chunk];
  const parts: Chunk[] = [];
  let from = 0;
  for (let column = under[0]; column < under[1]; column++) {
    const [before, after] = [columns[column], columns[column + 1]];
    if (before === undefined || after === undefined) break;
    const at = chunk.pieces.findIndex((piece, index) => {
      const last = chunk.pieces[index - 1];
      if (index <= from || last === undefined || piece.left - last.right < 0.45 * piece.size) return false;
      return last.right < after.left + 1 && piece.left > before.right - 1;
    });
    if (at < 0) continue;
    parts.push(chunkOf(chunk.pieces.slice(from, at)));
    from = at;
  }
  if (from === 0) return [chunk];
  parts.push(chunkOf(chunk.pieces.slice(from)));
  return parts;
}
