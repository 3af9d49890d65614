/** The straight lines of a frame as the table finder uses them: joins pieces on one line, and adds outlines and edges of fills. */
import { splitWhere } from '../../page/group-by-baseline.js';
import { heightOf, horizontalOverlap, middleX, middleY, widthOf } from '../../../geometry/box.js';
import type { Box, DrawnBox } from '../../../pdf/pdf-page.js';
import type { Frame } from './frame.js';
import { withoutInlineBoxes } from './inline-marks.js';

/** A horizontal segment has its y in `at` and extends in x; a vertical one has its x in `at` and extends in y. */
export interface Segment {
  at: number;
  start: number;
  end: number;
  thickness: number;
  /** Drawn as a ruling; otherwise only the edge of a filled box. */
  drawn: boolean;
}

/** Places where two pieces of one ruling, or two fills, meet end to end: rulings that are painted cell by cell show the cells. */
export interface Joint {
  x: number;
  top: number;
  bottom: number;
}

export interface LineWork {
  horizontal: Segment[];
  vertical: Segment[];
  joints: Joint[];
  /** Filled boxes that may be a cell, a row or a header, from the top. */
  shades: Shade[];
}

export interface Shade {
  box: Box;
  fill: number;
}

/** The shortest segments beyond this number are dropped: tables do not have so many, but hatched pages do. */
const MAX_SEGMENTS = 3000;
const MAX_SHADES = 3000;
/** Strokes this near to each other across are one line, also pieces this near along it (dots and dashes). */
const SAME_LINE = 1.2;
const DASH_GAP = 4.5;
const JOINT = 1.1;
/** A box no larger than this is a dot. */
const DOT = 2.2;
/** The most fills that are compared with each other to find joints. */
const NEIGHBOURS = 60;

/** Reads the frame's rulings and boxes, except those inside its figures. */
export function readLineWork(frame: Frame): LineWork {
  const horizontal: Segment[] = [];
  const vertical: Segment[] = [];
  const shades: Shade[] = [];
  const joints: Joint[] = [];
  const inFigure = figureTest(frame);
  for (const ruling of frame.rulings) {
    const { position: at, start, end, thickness } = ruling;
    if (ruling.color === 0xffffff) continue;
    if (ruling.orientation === 'horizontal') {
      if (inFigure(start, at, end, at)) continue;
      horizontal.push({ at, start, end, thickness, drawn: true });
      for (const x of ruling.joints ?? []) joints.push({ x, top: at, bottom: at });
    } else if (!inFigure(at, start, at, end)) vertical.push({ at, start, end, thickness, drawn: true });
  }
  const dots = frame.boxes.filter(isDot).map(({ box }) => box);
  horizontal.push(...joinDots(dots, (dot) => [middleY(dot), dot.left, dot.right]));
  vertical.push(...joinDots(dots, (dot) => [middleX(dot), dot.top, dot.bottom]));
  for (const { box, fill, stroke } of withoutInlineBoxes(frame.boxes.filter((drawn) => !isDot(drawn)), frame.pieces)) {
    if (inFigure(box.left, box.top, box.right, box.bottom)) continue;
    if (stroke >= 0 && stroke !== 0xffffff) addEdges(box, true, horizontal, vertical);
    if (fill >= 0 && fill !== 0xffffff && shades.length < MAX_SHADES) shades.push({ box, fill });
  }
  const cells = joinShades(shades, frame);
  if (cells.length > 1) joints.push(...shadeJoints(cells));
  return {
    horizontal: joinSegments(longest(horizontal), (x, y) => joints.push({ x, top: y, bottom: y })),
    vertical: joinSegments(longest(vertical)),
    joints,
    shades: cells,
  };
}

function isDot({ box }: DrawnBox): boolean {
  return widthOf(box) <= DOT && heightOf(box) <= DOT;
}

/** Joins dots in a row to a dotted line; `place` returns their position across it, their start and their end. */
function joinDots(dots: Box[], place: (dot: Box) => [number, number, number]): Segment[] {
  const placed = dots.map(place).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const rows = splitWhere(placed, ([first], dot) => Math.abs(dot[0] - first![0]) > 0.4);
  const segments: Segment[] = [];
  for (const row of rows) {
    row.sort((a, b) => a[1] - b[1]);
    for (let first = 0; first < row.length; ) {
      let last = first;
      while (last + 1 < row.length && (row[last + 1]?.[1] ?? Infinity) - (row[last]?.[2] ?? 0) <= 2 * DOT) last++;
      const [from, to] = [row[first]?.[1] ?? 0, row[last]?.[2] ?? 0];
      if (last - first >= 5) segments.push({ at: row[first]?.[0] ?? 0, start: from, end: to, thickness: 0.5, drawn: true });
      first = last + 1;
    }
  }
  return segments;
}

function figureTest(frame: Frame): (left: number, top: number, right: number, bottom: number) => boolean {
  // A drawing region over most of the page is a background or a map under the text, which is not evidence for lines.
  const figures = frame.figures.filter((box) => widthOf(box) * heightOf(box) < 0.5 * frame.width * frame.height).slice(0, 200);
  return (left, top, right, bottom) =>
    figures.some((box) => left >= box.left - 1 && right <= box.right + 1 && top >= box.top - 1 && bottom <= box.bottom + 1);
}

function addEdges(box: Box, drawn: boolean, horizontal: Segment[], vertical: Segment[]): void {
  for (const at of [box.top, box.bottom]) horizontal.push({ at, start: box.left, end: box.right, thickness: 0.5, drawn });
  for (const at of [box.left, box.right]) vertical.push({ at, start: box.top, end: box.bottom, thickness: 0.5, drawn });
}

function longest(segments: Segment[]): Segment[] {
  if (segments.length <= MAX_SEGMENTS * 8) return segments;
  return segments.sort((a, b) => b.end - b.start - (a.end - a.start)).slice(0, MAX_SEGMENTS * 8);
}

/** Joins pieces on one line that touch or nearly touch; calls `onJoint` for pieces that meet exactly. */
function joinSegments(segments: Segment[], onJoint?: (along: number, across: number) => void): Segment[] {
  const joined: Segment[] = [];
  const sorted = segments.sort((a, b) => a.at - b.at);
  for (let first = 0; first < sorted.length; ) {
    let last = first;
    const origin = sorted[first];
    if (origin === undefined) break;
    while (last + 1 < sorted.length && (sorted[last + 1]?.at ?? Infinity) - origin.at <= SAME_LINE) last++;
    const group = sorted.slice(first, last + 1).sort((a, b) => a.start - b.start);
    let open: Segment | undefined;
    for (const segment of group) {
      if (open !== undefined && segment.start <= open.end + DASH_GAP) {
        if (Math.abs(segment.start - open.end) <= JOINT && segment.end > open.end + 3) onJoint?.(segment.start, segment.at);
        open.end = Math.max(open.end, segment.end);
        open.thickness = Math.max(open.thickness, segment.thickness);
        open.drawn ||= segment.drawn;
      } else joined.push((open = { ...segment }));
    }
    first = last + 1;
  }
  const useful = joined.filter((segment) => segment.end - segment.start >= 4);
  if (useful.length <= MAX_SEGMENTS) return useful;
  return useful.sort((a, b) => b.end - b.start - (a.end - a.start)).slice(0, MAX_SEGMENTS);
}

/** Drops page backgrounds and specks. Boxes that are painted twice count once. */
function joinShades(shades: Shade[], frame: Frame): Shade[] {
  const kept = shades.filter(({ box }) => {
    const [across, up] = [widthOf(box), heightOf(box)];
    // A box that extends beyond the page is decoration.
    const bleeds = box.left < 1 || box.top < 1 || box.right > frame.width - 1 || box.bottom > frame.height - 1;
    return across >= 6 && up >= 4 && !bleeds && !(across > 0.9 * frame.width && up > 0.5 * frame.height);
  });
  kept.sort((a, b) => a.box.top - b.box.top || a.box.left - b.box.left);
  return withoutGrounds(withoutRepeats(kept));
}

/** Paragraphs in a filled cell often have fills of their own: fills stacked inside another one of the same colour do not separate rows. */
function withoutGrounds(shades: Shade[]): Shade[] {
  const gone = new Set<Shade>();
  for (const [index, outer] of shades.entries()) {
    const inside: Shade[] = [];
    for (let at = index + 1; at < shades.length && at <= index + NEIGHBOURS && (shades[at]?.box.top ?? Infinity) < outer.box.bottom; at++) {
      const inner = shades[at];
      if (inner !== undefined && inner.fill === outer.fill && holds(outer.box, inner.box)) inside.push(inner);
    }
    const [first] = inside;
    if (first !== undefined && inside.every(({ box }) => Math.abs(box.left - first.box.left) < 1 && Math.abs(box.right - first.box.right) < 1)) for (const shade of inside) gone.add(shade);
  }
  return gone.size === 0 ? shades : shades.filter((shade) => !gone.has(shade));
}

/** Whether it is inset on both sides, so that neither is the edge of a cell. */
function holds(outer: Box, inner: Box): boolean {
  return inner.left > outer.left + 1.5 && inner.right < outer.right - 1.5 && inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
}

function withoutRepeats(kept: Shade[]): Shade[] {
  const seen = new Set<string>();
  return kept.filter(({ box }) => {
    const key = [box.left, box.top, box.right, box.bottom].map((value) => Math.round(value)).join();
    return seen.has(key) ? false : seen.add(key) !== undefined;
  });
}

function shadeJoints(shades: Shade[]): Joint[] {
  const joints: Joint[] = [];
  for (const [index, { box }] of shades.entries()) {
    for (let other = index + 1; other < shades.length && other <= index + NEIGHBOURS; other++) {
      const next = shades[other]?.box;
      if (next === undefined || next.top > box.top + 2) break;
      if (Math.abs(next.bottom - box.bottom) > 2 && Math.abs(next.top - box.top) > 2) continue;
      const gap = -horizontalOverlap(next, box);
      if (gap > -1.5 && gap < 4) {
        const x = (Math.max(next.left, box.left) + Math.min(next.right, box.right)) / 2;
        joints.push({ x, top: Math.max(box.top, next.top), bottom: Math.min(box.bottom, next.bottom) });
      }
    }
  }
  return joints;
}

/** A line this near to an edge of a table's grid is drawn at it. */
export const nearEdge = 3.5;

/** The length of the range that the segments at `at` cover. */
export function coveredLength(segments: Segment[], at: number, from: number, to: number): number {
  let length = 0;
  for (const segment of segments) {
    if (Math.abs(segment.at - at) <= nearEdge) length += Math.max(0, Math.min(segment.end, to) - Math.max(segment.start, from));
  }
  return Math.min(length, to - from);
}
