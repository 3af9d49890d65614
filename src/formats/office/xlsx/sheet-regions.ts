/** A sheet's used cells as tables: cells that touch belong together, and a merged range touches with all of its area. */
import { maximumColumns } from './sheet-cells.js';
import type { CellStore, CellRange } from './sheet-cells.js';

export interface SheetRegion extends CellRange {
  /** Indices into the store, row by row. */
  cells: Int32Array;
  merges: CellRange[];
}

/** A sheet that falls into more pieces than this is one table: scattered numbers, not tables. */
const maximumRegions = 2_000;
/** Rows that merged ranges may add to the runs of filled cells. */
const maximumMergedRows = 500_000;
/** Cells under merged ranges. */
const maximumMergedArea = 2_000_000;

/** Filled cells side by side in one row; `set` is its place in the forest of sets. */
interface ColumnRuns {
  rows: Int32Array;
  starts: Int32Array;
  ends: Int32Array;
  count: number;
}

/** Indices of the cells, row by row. Files keep this order; where one does not, and where cells repeat, the last one counts. */
export function inOrder({ rows, columns, count }: CellStore): Int32Array {
  const order = new Int32Array(count);
  let sorted = true;
  for (let at = 0; at < count; at++) {
    order[at] = at;
    if (at === 0 || !sorted) continue;
    const [row = 0, before = 0] = [rows[at], rows[at - 1]];
    if (row < before || row === before && (columns[at] ?? 0) <= (columns[at - 1] ?? 0)) sorted = false;
  }
  if (sorted) return order;
  order.sort((a, b) => (rows[a] ?? 0) - (rows[b] ?? 0) || (columns[a] ?? 0) - (columns[b] ?? 0) || a - b);
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const [cell = 0, next] = [order[at], order[at + 1]];
    if (next !== undefined && rows[next] === rows[cell] && columns[next] === columns[cell]) continue;
    order[kept++] = cell;
  }
  return order.subarray(0, kept);
}

/** Numbers of a merged range's part in one row: the row, its first and its last column. */
const partNumbers = 3;

/** Runs of filled columns, row by row, those of merged ranges among them; runs that touch within a row are one. */
function runsOf(store: CellStore, order: Int32Array, merges: CellRange[]): ColumnRuns {
  const mergedParts: number[] = [];
  for (const { top, bottom, left, right } of merges) for (let row = top; row <= bottom; row++) mergedParts.push(row, left, right);
  const total = order.length + mergedParts.length / partNumbers;
  const rows = new Int32Array(total);
  const starts = new Int32Array(total);
  const ends = new Int32Array(total);
  let sorted: Int32Array | null = null;
  if (mergedParts.length > 0) {
    sorted = new Int32Array(mergedParts.length / partNumbers).map((_, index) => index);
    sorted.sort((a, b) => (mergedParts[partNumbers * a] ?? 0) - (mergedParts[partNumbers * b] ?? 0) || (mergedParts[partNumbers * a + 1] ?? 0) - (mergedParts[partNumbers * b + 1] ?? 0));
  }
  let count = 0;
  let merged = 0;
  const add = (row: number, start: number, end: number): void => {
    if (count > 0 && rows[count - 1] === row && start <= (ends[count - 1] ?? 0) + 1) {
      ends[count - 1] = Math.max(ends[count - 1] ?? 0, end);
      return;
    }
    rows[count] = row;
    starts[count] = start;
    ends[count++] = end;
  };
  const addMergesUpTo = (row: number, column: number): void => {
    for (; sorted !== null && merged < sorted.length; merged++) {
      const at = partNumbers * (sorted[merged] ?? 0);
      const [mergedRow = 0, left = 0, right = 0] = [mergedParts[at], mergedParts[at + 1], mergedParts[at + 2]];
      if (mergedRow > row || mergedRow === row && left > column) return;
      add(mergedRow, left, right);
    }
  };
  for (const cell of order) {
    const [row = 0, column = 0] = [store.rows[cell], store.columns[cell]];
    addMergesUpTo(row, column);
    add(row, column, column);
  }
  addMergesUpTo(Infinity, Infinity);
  return { rows, starts, ends, count };
}

/** The set of each run: runs that overlap in neighbouring rows are joined. */
function joinRuns({ rows, starts, ends, count }: ColumnRuns): Int32Array {
  const parents = new Int32Array(count).map((_, index) => index);
  const find = (run: number): number => {
    let root = run;
    while (parents[root] !== root) root = parents[root] = parents[parents[root] ?? 0] ?? 0;
    return root;
  };
  let above = 0;
  for (let run = 0; run < count; run++) {
    const row = rows[run] ?? 0;
    while (above < run && ((rows[above] ?? 0) < row - 1 || rows[above] === row - 1 && (ends[above] ?? 0) < (starts[run] ?? 0))) above++;
    for (let other = above; other < run && rows[other] === row - 1 && (starts[other] ?? 0) <= (ends[run] ?? 0); other++) {
      const [a, b] = [find(other), find(run)];
      if (a !== b) parents[Math.max(a, b)] = Math.min(a, b);
    }
  }
  for (let run = 0; run < count; run++) parents[run] = find(run);
  return parents;
}

/** Rows and columns that a merged range keeps past the used cells. */
const keptPastUse = 64;

/** Those of the merged ranges that begin with a filled cell and lie within what is used; all within a bound on their rows. */
function usefulMerges(store: CellStore, order: Int32Array, merges: CellRange[]): CellRange[] {
  if (merges.length === 0) return [];
  let [lastRow, lastColumn] = [0, 0];
  const filled = new Set<number>();
  const wanted = new Set(merges.map(({ top, left }) => top * maximumColumns + left));
  for (const cell of order) {
    const [row = 0, column = 0] = [store.rows[cell], store.columns[cell]];
    lastRow = Math.max(lastRow, row);
    lastColumn = Math.max(lastColumn, column);
    if (wanted.has(row * maximumColumns + column)) filled.add(row * maximumColumns + column);
  }
  for (const merge of merges) lastColumn = Math.max(lastColumn, Math.min(merge.right, lastColumn + keptPastUse));
  const kept: CellRange[] = [];
  let rows = 0;
  let area = 0;
  for (const merge of merges) {
    if (!filled.has(merge.top * maximumColumns + merge.left)) continue;
    const clipped = { ...merge, bottom: Math.min(merge.bottom, Math.max(lastRow, merge.top) + keptPastUse), right: Math.min(merge.right, lastColumn) };
    rows += clipped.bottom - clipped.top + 1;
    area += (clipped.bottom - clipped.top + 1) * (clipped.right - clipped.left + 1);
    if (rows > maximumMergedRows || area > maximumMergedArea) break;
    kept.push(clipped);
  }
  return kept;
}

/** The regions of a sheet in the order of their first cells, from the top left. */
export function findRegions(store: CellStore, allMerges: CellRange[]): SheetRegion[] {
  const order = inOrder(store);
  if (order.length === 0) return [];
  const merges = usefulMerges(store, order, allMerges);
  const runs = runsOf(store, order, merges);
  const sets = joinRuns(runs);
  const numbers = new Map<number, number>();
  for (let run = 0; run < runs.count; run++) {
    const set = sets[run] ?? 0;
    if (!numbers.has(set)) numbers.set(set, numbers.size);
  }
  const scattered = numbers.size > maximumRegions;
  return gather(store, order, merges, runs, (run) => (scattered ? 0 : numbers.get(sets[run] ?? 0) ?? 0), scattered ? 1 : numbers.size);
}

/** Deals cells and merged ranges out to their regions. */
function gather(store: CellStore, order: Int32Array, merges: CellRange[], runs: ColumnRuns, regionOf: (run: number) => number, count: number): SheetRegion[] {
  const bounds = Array.from({ length: count }, (): CellRange => ({ top: Infinity, left: Infinity, bottom: 0, right: 0 }));
  for (let run = 0; run < runs.count; run++) {
    const bound = bounds[regionOf(run)] as CellRange;
    bound.top = Math.min(bound.top, runs.rows[run] ?? 0);
    bound.bottom = Math.max(bound.bottom, runs.rows[run] ?? 0);
    bound.left = Math.min(bound.left, runs.starts[run] ?? 0);
    bound.right = Math.max(bound.right, runs.ends[run] ?? 0);
  }
  const owners = new Int32Array(order.length);
  const sizes = new Int32Array(count);
  const byStart = new Map<number, number>();
  for (let at = 0, run = 0; at < order.length; at++) {
    const cell = order[at] ?? 0;
    const [row = 0, column = 0] = [store.rows[cell], store.columns[cell]];
    while ((runs.rows[run] ?? 0) < row || (runs.ends[run] ?? 0) < column) run++;
    const region = regionOf(run);
    owners[at] = region;
    sizes[region] = (sizes[region] ?? 0) + 1;
    if (merges.length > 0) byStart.set(row * 16_384 + column, region);
  }
  const regions = bounds.map((bound, index): SheetRegion => ({ ...bound, cells: new Int32Array(sizes[index] ?? 0), merges: [] }));
  const filled = new Int32Array(count);
  for (let at = 0; at < order.length; at++) {
    const region = owners[at] ?? 0;
    (regions[region] as SheetRegion).cells[filled[region] ?? 0] = order[at] ?? 0;
    filled[region] = (filled[region] ?? 0) + 1;
  }
  for (const merge of merges) {
    const region = byStart.get(merge.top * 16_384 + merge.left);
    if (region !== undefined) regions[region]?.merges.push(merge);
  }
  return regions;
}
