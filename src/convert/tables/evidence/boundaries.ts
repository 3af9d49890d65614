/** Finds the boundaries of a table's columns and rows: drawn lines first, then joints and fills, then white space between words. */
import { sortedNumbers } from '../../../geometry/statistics.js';
import { horizontalExtent, horizontalOverlap, middleX, widthOf } from '../../../geometry/box.js';
import { middleOfLetters } from '../../../geometry/em.js';
import type { Box } from '../../../pdf/pdf-page.js';
import { groupRows, leadingOf } from './bands.js';
import { cutRows } from './cuts.js';
import type { Chunk, VisualRow } from './chunks.js';
import { makeRows } from './chunks.js';
import { columnsUnder, inferColumns } from './columns.js';
import type { Column } from './columns.js';
import type { Segment } from './segments.js';
import type { Boundaries, Edge, TableArea } from './table-area.js';
import { isValue, startsLowercase } from '../../wording/cell-text.js';

const SAME_EDGE = 3;

/** Null if the area has fewer than two columns, or no rows. */
export function findBoundaries(area: TableArea): Boundaries | null {
  const found = findColumns(area);
  if (found === null) return null;
  const { x, columns } = found;
  const rows = cutRows(area.rows, x, columns, area.verticals);
  const y = rowEdges({ ...area, rows }, x, columns);
  return y.length < 2 ? null : { x, y, columns, rows };
}

/** The columns alone, if there are at least two. */
export function findColumns(area: TableArea): Pick<Boundaries, 'x' | 'columns'> | null {
  if (area.rows.length === 0) return null;
  const x = columnEdges(area);
  return x.length < 3 ? null : { x, columns: extentsOf(area, x) };
}

function columnEdges(area: TableArea): Edge[] {
  const { box, rows } = area;
  const chunks = rows.flatMap((row) => row.chunks);
  const left = Math.min(box.left, ...chunks.map((chunk) => chunk.left));
  const right = Math.max(box.right, ...chunks.map((chunk) => chunk.right));
  const drawn = cluster(area.verticals.map((line) => line.at)).map((at): Edge => ({ at, kind: 'drawn' }));
  const inner = drawn.filter((edge) => isInner(edge.at, chunks, left, right));
  if (inner.length === 0) inner.push(...jointEdges(area, chunks, left, right));
  const outer = (near: number): number => drawn.find((edge) => Math.abs(edge.at - near) <= SAME_EDGE)?.at ?? near;
  const fixed: Edge[] = [{ at: outer(left), kind: 'drawn' }, ...inner, { at: outer(right), kind: 'drawn' }];
  const edges: Edge[] = [];
  const shaping = overlapping(rows);
  for (const [index, edge] of fixed.entries()) {
    edges.push(edge);
    const next = fixed[index + 1];
    if (next !== undefined) edges.push(...whiteEdges(shaping, edge.at, next.at, inner.length > 1 ? (inner[0]?.kind ?? 'white') : inner.length > 0 ? 'joint' : 'white'));
  }
  return edges;
}

/** The chunks of lines that overlap in height: cells between each other's lines form one row. */
function overlapping(rows: VisualRow[]): Chunk[][] {
  const joined: { chunks: Chunk[]; bottom: number }[] = [];
  for (const row of rows) {
    const open = joined.at(-1);
    const beside = open !== undefined && row.chunks.every((chunk) => !open.chunks.some((other) => horizontalOverlap(chunk, other) > 1));
    if (open !== undefined && beside && open.bottom - row.top > 0.3 * row.size) {
      open.chunks.push(...row.chunks);
      open.bottom = Math.max(open.bottom, row.bottom);
    } else joined.push({ chunks: [...row.chunks], bottom: row.bottom });
  }
  return joined.map(({ chunks }) => chunks.sort((a, b) => a.left - b.left));
}

/** Mean positions of values that lie within SAME_EDGE of each other, ascending. */
export function cluster(values: number[]): number[] {
  const sorted = sortedNumbers(values);
  const means: number[] = [];
  for (let first = 0; first < sorted.length; ) {
    let [last, sum] = [first, sorted[first] ?? 0];
    while (last + 1 < sorted.length && (sorted[last + 1] ?? 0) - (sorted[last] ?? 0) <= SAME_EDGE) sum += sorted[++last] ?? 0;
    means.push(sum / (last - first + 1));
    first = last + 1;
  }
  return means;
}

function isInner(at: number, chunks: Chunk[], left: number, right: number): boolean {
  if (at < left + SAME_EDGE || at > right - SAME_EDGE) return false;
  return chunks.some((chunk) => chunk.right <= at + 2) || chunks.some((chunk) => chunk.left >= at - 2);
}

/** Joints are edges if hardly any row has text across them. */
function jointEdges(area: TableArea, chunks: Chunk[], left: number, right: number): Edge[] {
  return cluster(area.joints.map((joint) => joint.x))
    .filter((at) => isInner(at, chunks, left, right))
    .filter((at) => {
      const crossing = area.rows.filter((row) => row.chunks.some((chunk) => chunk.left < at - 1.5 && chunk.right > at + 1.5)).length;
      return crossing <= Math.max(1, 0.34 * area.rows.length);
    })
    .map((at) => ({ at, kind: 'joint' }));
}

/** Gutters between two fixed edges. Beside rulings between columns most rows must show them. */
function whiteEdges(rows: Chunk[][], left: number, right: number, amid: Edge['kind']): Edge[] {
  const inside = rows.map((row) => row.filter((chunk) => chunk.left >= left - 2 && chunk.right <= right + 2)).filter((row) => row.length > 0);
  const columns = inferColumns(inside);
  const edges: Edge[] = [];
  for (const [index, column] of columns.entries()) {
    const next = columns[index + 1];
    if (next === undefined) break;
    const middle = (column.right + next.left) / 2;
    if (amid !== 'white') {
      const both = inside.filter((row) => row.some((chunk) => chunk.right <= middle) && row.some((chunk) => chunk.left >= middle)).length;
      if (readsOn(inside, middle)) continue;
      if (amid === 'drawn' ? both < 3 || both < 0.6 * inside.length : both < 2 || both < 0.3 * inside.length) continue;
    }
    edges.push({ at: middle, kind: 'white' });
  }
  return edges;
}

/** Text right of the place that continues at the left of the next line consists of words of stretched lines, not of cells. */
function readsOn(rows: Chunk[][], at: number): boolean {
  let [broken, small, lines] = [0, 0, 0];
  for (const [index, row] of rows.entries()) {
    const [last, next] = [row.findLast((chunk) => chunk.left >= at), rows[index + 1]?.[0]];
    if (last === undefined || next === undefined || next.right > at) continue;
    lines++;
    if (/\p{Ll}-$/u.test(last.text)) broken++;
    if (startsLowercase(next.text)) small++;
  }
  return broken > 0 && small > 0.6 * lines;
}

/** Extent of the text in this column alone; the whole column without any. */
function extentsOf(area: TableArea, x: Edge[]): Column[] {
  const columns: Column[] = [];
  for (let index = 0; index + 1 < x.length; index++) {
    const [left, right] = [x[index]?.at ?? 0, x[index + 1]?.at ?? 0];
    const column = horizontalExtent(area.rows.flatMap((row) => row.chunks.filter((chunk) => chunk.left >= left - 2 && chunk.right <= right + 2)));
    columns.push(column.left < column.right ? column : { left: left + 1, right: right - 1 });
  }
  return columns;
}

interface RowRange {
  top: Edge;
  bottom: Edge;
  rows: VisualRow[];
}

function rowEdges(area: TableArea, x: Edge[], columns: Column[]): Edge[] {
  const lines = rowLines(area, x);
  const chunks = area.rows.flatMap((row) => row.chunks);
  const top = Math.min(area.box.top, ...chunks.map((chunk) => chunk.top));
  const bottom = Math.max(area.box.bottom, ...chunks.map((chunk) => chunk.bottom));
  const fixed: Edge[] = [...lines];
  if ((fixed[0]?.at ?? Infinity) > top + SAME_EDGE) fixed.unshift({ at: top, kind: 'white' });
  if ((fixed.at(-1)?.at ?? -Infinity) < bottom - SAME_EDGE) fixed.push({ at: bottom, kind: 'white' });
  const ranges: RowRange[] = [];
  for (let index = 0; index + 1 < fixed.length; index++) {
    const [from, to] = [fixed[index] as Edge, fixed[index + 1] as Edge];
    const rows = area.rows.flatMap((row) => rowBetween(row, from.at, to.at));
    ranges.push({ top: from, bottom: to, rows });
  }
  return edgesOfRanges(area, ranges, x, columns);
}

function rowBetween(row: VisualRow, top: number, bottom: number): VisualRow[] {
  const y = row.baseline - 0.3 * row.size;
  return y > top && y <= bottom ? [row] : [];
}

/** Positions of lines and fill edges that separate rows: they run along at least one column and not through text. */
function rowLines(area: TableArea, x: Edge[]): Edge[] {
  const narrowest = Math.min(...x.slice(1).map((edge, index) => edge.at - (x[index]?.at ?? 0)));
  const found = area.horizontals.filter((line) => line.end - line.start >= 0.7 * narrowest && !strikes(line, area.rows));
  const shadeEdges = area.shades.filter((shade) => widthOf(shade.box) >= 0.7 * narrowest).flatMap((shade) => [shade.box.top, shade.box.bottom]);
  return cluster([...found.map((line) => line.at), ...shadeEdges]).map((at) => ({
    at,
    kind: found.some((line) => Math.abs(line.at - at) <= SAME_EDGE) ? 'drawn' : 'joint',
  }));
}

function strikes(line: Segment, rows: VisualRow[]): boolean {
  return rows.some((row) =>
    row.chunks.some((chunk) => line.at > chunk.top + 0.2 * chunk.size && line.at < chunk.baseline - 0.05 * chunk.size && chunk.left < line.end - 2 && chunk.right > line.start + 2),
  );
}

function edgesOfRanges(area: TableArea, ranges: RowRange[], x: Edge[], columns: Column[]): Edge[] {
  const leading = leadingOf(area.rows, columns, area.leading);
  const grouped = ranges.map((range) => groupRows(range.rows, columns, leading));
  const filled = grouped.filter((bands) => bands.length > 0);
  const single = filled.filter((bands) => bands.length === 1).length;
  // If most ranges between rulings contain one row, there is a ruling for every row, and the other ranges also contain one.
  const trusted = filled.length >= 3 && single >= 0.5 * filled.length;
  const latticed = filled.length >= 3 && x.some((edge, index) => index > 0 && index + 1 < x.length && edge.kind === 'drawn');
  const edges: Edge[] = [];
  for (const [index, range] of ranges.entries()) {
    const bands = grouped[index] ?? [];
    if (bands.length === 0 && !keepsEmpty(range, latticed)) continue;
    if (edges.length === 0 || (edges.at(-1)?.at ?? 0) < range.top.at - 0.1) edges.push(range.top);
    if (bands.length > 1 && ((!trusted && !latticed) || ((!trusted || bands.length >= 3) && isStronglySplit(bands.map((band) => band.rows), columns)) || holdsFullRows(bands.map((band) => band.rows), columns))) {
      for (let at = 1; at < bands.length; at++) edges.push({ at: ((bands[at - 1]?.bottom ?? 0) + (bands[at]?.top ?? 0)) / 2, kind: 'white' });
    }
    edges.push(range.bottom);
  }
  return dropEmptyRows(edges, area, latticed);
}

function keepsEmpty(range: RowRange, latticed: boolean): boolean {
  return latticed && range.top.kind === 'drawn' && range.bottom.kind === 'drawn' && range.bottom.at - range.top.at >= 7;
}

/** White space between a ruling and the next range is not a row. */
function dropEmptyRows(edges: Edge[], area: TableArea, latticed: boolean): Edge[] {
  const kept: Edge[] = [];
  for (const edge of edges) {
    const last = kept.at(-1);
    if (last === undefined || (latticed && last.kind === 'drawn' && edge.kind === 'drawn' && edge.at - last.at >= 7)) {
      kept.push(edge);
      continue;
    }
    const empty = !area.rows.some((row) => rowBetween(row, last.at, edge.at).length > 0);
    if (!empty) kept.push(edge);
    else if (kept.length > 1) kept[kept.length - 1] = edge;
    else kept[0] = edge;
  }
  return kept;
}

/** Inside drawn cells only rows of values on shared baselines are separate rows; other lines are a cell's text. */
function isStronglySplit(bands: VisualRow[][], columns: Column[]): boolean {
  let valued = 0;
  for (const rows of bands) {
    const used = new Set<number>();
    let values = 0;
    for (const chunk of rows.flatMap((row) => row.chunks)) {
      const under = columnsUnder(columns, chunk.left, chunk.right);
      if (under === null) continue;
      used.add(under[0]);
      if (isValue(chunk.text)) values++;
    }
    if (used.size < 2) return false;
    if (values > 0) valued++;
  }
  return valued >= 0.6 * bands.length;
}

/** Whether each band fills nearly all of at least four columns on one baseline, half of them with values: wrapped cells do not wrap in the same way. */
function holdsFullRows(bands: VisualRow[][], columns: Column[]): boolean {
  return columns.length >= 4 && bands.every((rows) => {
    const [row] = rows;
    if (row === undefined || rows.length !== 1) return false;
    const under = row.chunks.flatMap((chunk) => columnsUnder(columns, chunk.left, chunk.right) ?? []);
    return new Set(under).size >= 0.85 * columns.length && row.chunks.filter((chunk) => isValue(chunk.text)).length >= 0.5 * columns.length;
  });
}

/** Visual rows of the chunks whose middle lies in `box`. */
export function rowsInside(chunks: Chunk[], box: Box): VisualRow[] {
  return makeRows(
    chunks.filter((chunk) => {
      const [x, y] = [middleX(chunk), middleOfLetters(chunk)];
      return x >= box.left - 2 && x <= box.right + 2 && y >= box.top - 1 && y <= box.bottom + 1;
    }),
  );
}
