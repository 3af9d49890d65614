/** Walls, which no table crosses: edges of running text, lines between text columns, and the white space between these. */
import { sortedNumbers } from '../../../geometry/statistics.js';
import { verticalOverlap, widthOf } from '../../../geometry/box.js';
import { sidePanels } from '../../layout/panels.js';
import type { Chunk } from './chunks.js';
import type { Frame } from './frame.js';
import { blocksOf } from './running-text.js';
import type { Flow } from './running-text.js';
import type { Segment } from './segments.js';

/** A vertical strip that separates the text left of it from the text right of it. */
export interface Wall {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Running text of one column of the page. */
interface TextColumn {
  flows: Flow[];
  left: number;
  right: number;
  lines: number;
}

const SAME_EDGE = 4;
const MIN_COLUMN_LINES = 8;
const MIN_BESIDE_LINES = 6;
const MAX_GUTTER = 70;

/** Whether a wall stands between the two chunks of one line. */
export function isWalled(before: Chunk, chunk: Chunk, walls: Wall[]): boolean {
  return walls.some((wall) => chunk.baseline >= wall.top && chunk.baseline <= wall.bottom && before.right <= wall.right + 1 && chunk.left >= wall.left - 1);
}

/** All walls of a page. Only the edges of the flows in `walling` are walls; they extend a little above and below them. */
export function findWalls(flows: Flow[], verticals: Segment[], chunks: Chunk[], panels: Wall[], walling: Flow[] = flows): Wall[] {
  const walls: Wall[] = [...panels];
  for (const flow of walling) {
    const reach = 3.2 * (flow.chunks[0]?.size ?? 10);
    const [top, bottom] = [flow.top - reach, flow.bottom + reach];
    walls.push({ left: flow.left - 1, right: flow.left, top, bottom }, { left: flow.right, right: flow.right + 1, top, bottom });
  }
  return [...walls, ...drawnWalls(flows, verticals), ...gutterWalls(flows, chunks)];
}

/** The inner edges of panels at a side of the page, which contain a contact or a table of contents: no table crosses them. */
export function panelWalls({ boxes, width, height }: Pick<Frame, 'boxes' | 'width' | 'height'>): Wall[] {
  return sidePanels(boxes, width, height).map(({ x, top, bottom }) => ({ left: x - 0.5, right: x + 0.5, top, bottom }));
}

/** Shares of the page's width: least and largest width of marks that may be a text column; then the least distance of two of them in points. */
const COLUMN_WIDTH = [0.25, 0.48] as const;
const COLUMN_GAP = [5, 60] as const;
/** The number of marks of one extent, and their least distance, that show a text column; a page with more boxes is a drawing. */
const MIN_MARKS = 2;
const MARKS_APART = 20;
const MAX_MARKS = 300;
const SAME_TOP = 0.5;

/** Fills and frames of two extents side by side, each repeated down the page, such as the fills of headings, mark text columns. The white space between these also separates tables, if no text crosses it. */
export function markWalls({ boxes, width }: Pick<Frame, 'boxes' | 'width'>, chunks: Chunk[]): Wall[] {
  const columns: { left: number; right: number; tops: number[]; bottom: number }[] = [];
  for (const { box, fill, stroke } of boxes.length > MAX_MARKS ? [] : boxes) {
    const share = widthOf(box) / width;
    if (share < COLUMN_WIDTH[0] || share > COLUMN_WIDTH[1] || (fill < 0 || fill === 0xffffff) && stroke < 0) continue;
    const column = columns.find(({ left, right }) => Math.abs(left - box.left) < 2 && Math.abs(right - box.right) < 2);
    if (column === undefined) columns.push({ left: box.left, right: box.right, tops: [box.top], bottom: box.bottom });
    else if (column.tops.every((top) => Math.abs(top - box.top) > MARKS_APART)) {
      column.tops.push(box.top);
      column.bottom = Math.max(column.bottom, box.bottom);
    }
  }
  const marked = columns.filter(({ tops }) => tops.length >= MIN_MARKS);
  return marked.flatMap((before) => marked.flatMap((after): Wall[] => {
    const gap = after.left - before.right;
    const level = before.tops.filter((top) => after.tops.some((other) => Math.abs(other - top) < SAME_TOP)).length;
    // The tops of cells in a row are equal; fills of headings in different columns rarely are: two of three were, within a line's rounding.
    if (gap < COLUMN_GAP[0] || gap > COLUMN_GAP[1] || level > 0.5 * Math.min(before.tops.length, after.tops.length)) return [];
    const wall = { left: before.right, right: after.left, top: Math.min(...before.tops, ...after.tops), bottom: Math.max(before.bottom, after.bottom) };
    return chunks.some((chunk) => chunk.baseline > wall.top && chunk.baseline < wall.bottom && chunk.left < wall.right - 2 && chunk.right > wall.left + 2) ? [] : [wall];
  }));
}

/** Vertical lines beside running text, and those of the same height. */
function drawnWalls(flows: Flow[], verticals: Segment[]): Wall[] {
  const long = flows.filter((flow) => flow.chunks.length >= MIN_BESIDE_LINES);
  const beside = verticals.filter((line) => {
    let shared = 0;
    for (const flow of long) {
      const gap = Math.max(flow.left - line.at, line.at - flow.right);
      if (gap > -1 && gap < 30) shared += Math.max(0, Math.min(flow.bottom, line.end) - Math.max(flow.top, line.start));
    }
    return shared > 0.5 * (line.end - line.start);
  });
  const walls: Wall[] = [];
  for (const line of verticals) {
    if (!beside.some((other) => Math.abs(other.start - line.start) < 3 && Math.abs(other.end - line.end) < 3)) continue;
    walls.push({ left: line.at - 0.5, right: line.at + 0.5, top: line.start - 2, bottom: line.end + 2 });
  }
  return walls;
}

/** The white space between two text columns, from one chunk across it to the next, where running text borders it. */
function gutterWalls(flows: Flow[], chunks: Chunk[]): Wall[] {
  const walls: Wall[] = [];
  const columns = textColumns(flows);
  for (const before of columns) {
    for (const after of columns) {
      const gap = after.left - before.right;
      if (gap < 4 || gap > MAX_GUTTER || areCells(before, after)) continue;
      const middle = (before.right + after.left) / 2;
      const across = sortedNumbers(chunks.filter((chunk) => chunk.left < middle - 0.25 * gap && chunk.right > middle + 0.25 * gap).map((chunk) => chunk.baseline));
      const stops = [-Infinity, ...across, Infinity];
      for (let index = 1; index < stops.length; index++) {
        const [top, bottom] = [stops[index - 1] ?? 0, stops[index] ?? 0];
        const bordered = [...before.flows, ...after.flows].some((flow) => flow.top < bottom && flow.bottom > top);
        if (bordered) walls.push({ left: middle - 0.5, right: middle + 0.5, top, bottom });
      }
    }
  }
  return walls;
}

function textColumns(flows: Flow[]): TextColumn[] {
  const columns: TextColumn[] = [];
  for (const flow of flows) {
    const column = columns.find(({ left, right }) => Math.abs(left - flow.left) <= SAME_EDGE && Math.abs(right - flow.right) <= 3 * SAME_EDGE);
    if (column === undefined) columns.push({ flows: [flow], left: flow.left, right: flow.right, lines: flow.chunks.length });
    else {
      column.flows.push(flow);
      column.lines += flow.chunks.length;
      column.right = Math.max(column.right, flow.right);
      column.left = Math.min(column.left, flow.left);
    }
  }
  return columns.filter(({ lines }) => lines >= MIN_COLUMN_LINES);
}

/** Whether the blocks of both columns form pairs, as the cells of a table's rows do. */
function areCells(a: TextColumn, b: TextColumn): boolean {
  const [first, second] = [a, b].map(({ flows }) =>
    flows.flatMap((flow) => {
      const steps = flow.chunks.slice(1).map((chunk, index) => chunk.baseline - (flow.chunks[index]?.baseline ?? 0));
      return blocksOf(flow.chunks, Math.min(...steps));
    }),
  );
  if (first === undefined || second === undefined || first.length + second.length < 4) return false;
  const meets = (block: { top: number; bottom: number }, others: { top: number; bottom: number }[]): number =>
    others.filter((other) => verticalOverlap(other, block) > 2).length;
  const met = first.filter((block) => meets(block, second) === 1).length;
  return met >= 2 && first.every((block) => meets(block, second) <= 1) && second.every((block) => meets(block, first) <= 1);
}
