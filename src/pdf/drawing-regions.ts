/** Finds regions of drawing, in which curves and slanted strokes are close together. */
import { heightOf, intersection, union, widthOf } from '../geometry/box.js';
import type { Box } from './pdf-page.js';

/** The squares of the grid: their side in points at least, and their number along the longer side of the page at most. */
const SQUARE_POINTS = 10;
const SQUARES_OF_PAGE = 150;
/** Sides of a region, in points: smaller ones are symbols. */
const LEAST_SIDE = 12;

/** Regions in which `strokes` lie close together, found on a coarse grid. */
export function clusterStrokes(strokes: Box[], page: Box): Box[] {
  if (strokes.length === 0) return [];
  const square = Math.max(SQUARE_POINTS, Math.max(page.right, page.bottom) / SQUARES_OF_PAGE);
  const columns = Math.ceil(page.right / square) + 1;
  const rows = Math.ceil(page.bottom / square) + 1;
  const regions = new Int32Array(columns * rows);
  const occupied = new Map<number, Box>();
  for (const stroke of strokes) markSquares(occupied, stroke, square, columns, rows);
  const boxes: Box[] = [];
  for (const start of occupied.keys()) {
    if (regions[start] !== 0) continue;
    boxes.push(floodFill(start, occupied, regions, columns, boxes.length + 1));
  }
  return boxes.filter((box) => widthOf(box) >= LEAST_SIDE && heightOf(box) >= LEAST_SIDE);
}

function markSquares(occupied: Map<number, Box>, stroke: Box, square: number, columns: number, rows: number): void {
  const clampTo = (value: number, limit: number) => Math.min(limit - 1, Math.max(0, Math.floor(value / square)));
  for (let row = clampTo(stroke.top, rows); row <= clampTo(stroke.bottom, rows); row++) {
    for (let column = clampTo(stroke.left, columns); column <= clampTo(stroke.right, columns); column++) {
      const key = row * columns + column;
      const part = intersection(stroke, { left: column * square, top: row * square, right: (column + 1) * square, bottom: (row + 1) * square });
      const known = occupied.get(key);
      occupied.set(key, known === undefined ? part : union(known, part));
    }
  }
}

function floodFill(start: number, occupied: Map<number, Box>, regions: Int32Array, columns: number, region: number): Box {
  const pending = [start];
  let box: Box | undefined;
  regions[start] = region;
  for (let key = pending.pop(); key !== undefined; key = pending.pop()) {
    const part = occupied.get(key);
    if (part === undefined) continue;
    box = box === undefined ? part : union(box, part);
    for (const step of [-1, 1, -columns, columns, -columns - 1, -columns + 1, columns - 1, columns + 1]) {
      const next = key + step;
      if (regions[next] !== 0 || !occupied.has(next)) continue;
      regions[next] = region;
      pending.push(next);
    }
  }
  return box ?? { left: 0, top: 0, right: 0, bottom: 0 };
}
