/** Classifies paths: straight rulings, rectangles, and regions of drawing. */
import { heightOf, intersection, middleX, middleY, widthOf } from '../geometry/box.js';
import type { Box, DrawnBox, Ruling } from './pdf-page.js';
import { alphaOf, OPAQUE, withoutAlpha } from './colors.js';
import { concat, transformBox } from './matrix.js';
import type { Matrix } from './matrix.js';
import { objectBounds, objectMatrix } from './page-objects.js';
import type { PageObject } from './page-objects.js';
import type { Pdfium } from './pdfium.js';
import { readColor } from './text-runs.js';

/** A filled box no thicker than this, and at least three times as long, is a ruling. */
const RULING_THICKNESS = 3;
const STRAIGHT = 0.4;
const MAX_SEGMENTS_OF_PATH = 4000;
const MAX_SEGMENTS = 400_000;
/** Sides of a possible bullet or tick box, in points, and the largest ratio of its sides. */
const MARK = { least: 1, most: 16, ratio: 1.5 };
const MOVE_TO = 2;
const BEZIER_TO = 1;
/** The numbers of points of a possible rectangle: without a closing segment it repeats the first point at its end. */
const RECTANGLE_POINTS = { least: 4, leastOpen: 5, most: 6 };
/** Bits of the corners and of the edges that have points on them. */
const CORNER = { topLeft: 1, bottomLeft: 2, topRight: 4, bottomRight: 8, all: 15 };
const EDGE = { left: 1, right: 2, top: 4, bottom: 8, all: 15 };
/** A rectangle with round corners: its number of points; how far they lie inside, in shorter sides; the length of its straight parts, in sides. */
const ROUNDED = { leastPoints: 12, mostPoints: 40, inset: 0.35, straight: 0.4 };

/** All painted paths, in painting order; `order` is that of the page object. */
export interface Graphics {
  rulings: Ruling[];
  boxes: (DrawnBox & { order: number; opaque: boolean })[];
  /** Extents of curves, diagonals and polygons. */
  strokes: Box[];
  /** Small separate shapes, about as wide as high; except for shadings they are also among boxes or strokes. */
  marks: DrawnMark[];
}

/** A small separate shape: a bullet, a point of a chart. */
export interface DrawnMark {
  /** The same object in `boxes` or `strokes`, if it is there. */
  box: Box;
  /** 0xRRGGBB, or -1 for none. A shading with its many colours has 0. */
  fill: number;
  stroke: number;
}

interface Subpath {
  points: number[];
  curved: boolean;
  closed: boolean;
}

interface Paint {
  fill: number;
  stroke: number;
  width: number;
  opaque: boolean;
}

/** Reads the paths among `objects`, without those outside `page` or their clip. */
export function readPaths(pdfium: Pdfium, objects: PageObject[], page: Box): Graphics {
  const graphics: Graphics = { rulings: [], boxes: [], strokes: [], marks: [] };
  let budget = MAX_SEGMENTS;
  for (const object of objects) {
    if (object.kind !== 'path' && object.kind !== 'shading') continue;
    const limit = object.clip === null ? page : intersection(object.clip, page);
    if (object.kind === 'shading') {
      // A ball with a highlight, as beamer draws its bullets: the part of the shading inside the clip.
      addMark(graphics, limit, { fill: 0, stroke: -1 });
      continue;
    }
    if (limit.right < limit.left || limit.bottom < limit.top) continue;
    const segments = pdfium.call.FPDFPath_CountSegments(object.pointer);
    if (segments <= 0) continue;
    const paint = readPaint(pdfium, object);
    if (paint === null) continue;
    if (segments > MAX_SEGMENTS_OF_PATH || segments > budget) {
      const bounds = objectBounds(pdfium, object);
      if (bounds !== null) addStroke(graphics, bounds, limit);
      continue;
    }
    budget -= segments;
    const matrix = concat(objectMatrix(pdfium, object.pointer), object.toSeen);
    const subpaths = readSubpaths(pdfium, object.pointer, segments, matrix);
    const [boxes, strokes] = [graphics.boxes.length, graphics.strokes.length];
    for (const subpath of subpaths) addSubpath(graphics, subpath, paint, limit, object.order);
    if (subpaths.length === 1) addMark(graphics, graphics.boxes[boxes]?.box ?? graphics.strokes[strokes], paint);
  }
  return graphics;
}

function addMark(graphics: Graphics, box: Box | undefined, { fill, stroke }: Pick<Paint, 'fill' | 'stroke'>): void {
  if (box === undefined) return;
  const [across, up] = [widthOf(box), heightOf(box)];
  if (Math.min(across, up) < MARK.least || Math.max(across, up) > MARK.most || Math.max(across, up) > MARK.ratio * Math.min(across, up)) return;
  graphics.marks.push({ box, fill, stroke });
}

function readPaint(pdfium: Pdfium, object: PageObject): Paint | null {
  const { call, scratch } = pdfium;
  if (call.FPDFPath_GetDrawMode(object.pointer, scratch, pdfium.out32(1)) === 0) return null;
  const filled = pdfium.int(0) !== 0;
  const stroked = pdfium.int(1) !== 0;
  const fill = filled ? readColor(pdfium, object.pointer, 'fill') : 0;
  const stroke = stroked ? readColor(pdfium, object.pointer, 'stroke') : 0;
  if (alphaOf(fill) === 0 && alphaOf(stroke) === 0) return null;
  let width = 0;
  if (alphaOf(stroke) !== 0 && call.FPDFPageObj_GetStrokeWidth(object.pointer, scratch) !== 0) {
    const m = concat(objectMatrix(pdfium, object.pointer), object.toSeen);
    call.FPDFPageObj_GetStrokeWidth(object.pointer, scratch);
    width = pdfium.float(0) * Math.sqrt(Math.abs(m.a * m.d - m.b * m.c));
  }
  const visible = (color: number): number => (alphaOf(color) === 0 ? -1 : withoutAlpha(color));
  return { fill: visible(fill), stroke: visible(stroke), width, opaque: alphaOf(fill) === OPAQUE && call.FPDFPageObj_HasTransparency(object.pointer) === 0 };
}

function readSubpaths(pdfium: Pdfium, path: number, segments: number, m: Matrix): Subpath[] {
  const { call, scratch } = pdfium;
  const subpaths: Subpath[] = [];
  let current: Subpath | undefined;
  for (let index = 0; index < segments; index++) {
    const segment = call.FPDFPath_GetPathSegment(path, index);
    if (call.FPDFPathSegment_GetPoint(segment, scratch, scratch + 4) === 0) continue;
    const px = pdfium.f32[scratch >> 2] ?? 0;
    const py = pdfium.f32[(scratch >> 2) + 1] ?? 0;
    const type = call.FPDFPathSegment_GetType(segment);
    if (current === undefined || type === MOVE_TO) subpaths.push((current = { points: [], curved: false, closed: false }));
    if (type === BEZIER_TO) current.curved = true;
    current.points.push(m.a * px + m.c * py + m.e, m.b * px + m.d * py + m.f);
    if (call.FPDFPathSegment_GetClose(segment) !== 0) current.closed = true;
  }
  return subpaths;
}

function addSubpath(graphics: Graphics, subpath: Subpath, paint: Paint, limit: Box, order: number): void {
  const { points } = subpath;
  if (points.length < 4) return;
  const extent = extentOf(points);
  const rectangle = subpath.curved ? isRounded(points, extent) : isRectangle(points, extent, subpath.closed || paint.fill >= 0);
  if (rectangle) addRectangle(graphics, extent, paint, limit, order);
  else if (subpath.curved) addStroke(graphics, extent, limit);
  else if (paint.stroke >= 0) addSegments(graphics, subpath, paint, limit);
  else if (isThin(extent)) addRuling(graphics, extent, paint.fill, limit);
  else addStroke(graphics, extent, limit);
}

function addRectangle(graphics: Graphics, extent: Box, paint: Paint, limit: Box, order: number): void {
  if (isThin(extent)) {
    addRuling(graphics, extent, paint.fill >= 0 ? paint.fill : paint.stroke, limit);
    return;
  }
  const box = intersection(extent, limit);
  if (widthOf(box) <= 0 || heightOf(box) <= 0) return;
  // Clipping may leave only an edge of the box.
  if (isThin(box) && !isThin(extent) && paint.fill >= 0) addRuling(graphics, box, paint.fill, limit);
  else graphics.boxes.push({ box, fill: paint.fill, stroke: paint.stroke, order, opaque: paint.opaque && paint.fill >= 0 });
}

function addSegments(graphics: Graphics, subpath: Subpath, paint: Paint, limit: Box): void {
  const { points } = subpath;
  const count = points.length / 2;
  let diagonal = false;
  for (let index = 1; index < count + (subpath.closed ? 1 : 0); index++) {
    const from = (index - 1) * 2;
    const to = (index % count) * 2;
    const segment = extentOf([points[from] ?? 0, points[from + 1] ?? 0, points[to] ?? 0, points[to + 1] ?? 0]);
    const [across, up] = [widthOf(segment), heightOf(segment)];
    if (Math.min(across, up) > STRAIGHT) diagonal = true;
    else if (Math.max(across, up) > 0) addRuling(graphics, thicken(segment, paint.width), paint.stroke, limit);
  }
  if (diagonal) addStroke(graphics, extentOf(points), limit);
}

function thicken(segment: Box, width: number): Box {
  const half = width / 2;
  return widthOf(segment) >= heightOf(segment)
    ? { ...segment, top: segment.top - half, bottom: segment.bottom + half }
    : { ...segment, left: segment.left - half, right: segment.right + half };
}

function addRuling(graphics: Graphics, extent: Box, color: number, limit: Box): void {
  const box = intersection(extent, limit);
  if (box.right < box.left || box.bottom < box.top) return;
  const horizontal = widthOf(extent) >= heightOf(extent);
  graphics.rulings.push(
    horizontal
      ? { orientation: 'horizontal', position: middleY(box), start: box.left, end: box.right, thickness: heightOf(box), color }
      : { orientation: 'vertical', position: middleX(box), start: box.top, end: box.bottom, thickness: widthOf(box), color },
  );
}

function addStroke(graphics: Graphics, extent: Box, limit: Box): void {
  const box = intersection(extent, limit);
  if (box.right >= box.left && box.bottom >= box.top) graphics.strokes.push(box);
}

function isThin(box: Box): boolean {
  const [across, up] = [widthOf(box), heightOf(box)];
  return Math.min(across, up) <= RULING_THICKNESS && Math.max(across, up) >= 3 * Math.min(across, up);
}

function extentOf(points: number[]): Box {
  const box: Box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (let at = 0; at < points.length; at += 2) {
    const x = points[at] ?? 0;
    const y = points[at + 1] ?? 0;
    if (x < box.left) box.left = x;
    if (x > box.right) box.right = x;
    if (y < box.top) box.top = y;
    if (y > box.bottom) box.bottom = y;
  }
  return box;
}

/** Four corners on the extent's corners, going round. */
function isRectangle(points: number[], box: Box, closed: boolean): boolean {
  const count = points.length / 2;
  if (count < RECTANGLE_POINTS.least || count > RECTANGLE_POINTS.most || (!closed && count < RECTANGLE_POINTS.leastOpen)) return false;
  let corners = 0;
  for (let at = 0; at < count; at++) {
    const x = points[at * 2] ?? 0;
    const y = points[at * 2 + 1] ?? 0;
    const left = Math.abs(x - box.left) <= STRAIGHT;
    const right = Math.abs(x - box.right) <= STRAIGHT;
    const top = Math.abs(y - box.top) <= STRAIGHT;
    const bottom = Math.abs(y - box.bottom) <= STRAIGHT;
    if (!(left || right) || !(top || bottom)) return false;
    if (left) corners |= top ? CORNER.topLeft : CORNER.bottomLeft;
    if (right) corners |= top ? CORNER.topRight : CORNER.bottomRight;
  }
  return corners === CORNER.all || widthOf(box) <= STRAIGHT * 2 || heightOf(box) <= STRAIGHT * 2;
}

/** A rectangle with round corners: every point lies near one of the extent's edges, and each edge has points on it. */
function isRounded(points: number[], box: Box): boolean {
  const across = widthOf(box);
  const up = heightOf(box);
  const count = points.length / 2;
  if (count < ROUNDED.leastPoints || count > ROUNDED.mostPoints || Math.min(across, up) < 2) return false;
  let edges = 0;
  let straight = 0;
  for (let at = 0; at < count; at++) {
    const x = points[at * 2] ?? 0;
    const y = points[at * 2 + 1] ?? 0;
    const dx = Math.min(x - box.left, box.right - x);
    const dy = Math.min(y - box.top, box.bottom - y);
    if (Math.min(dx, dy) > Math.min(across, up) * ROUNDED.inset) return false;
    edges |= x - box.left <= STRAIGHT ? EDGE.left : 0;
    edges |= box.right - x <= STRAIGHT ? EDGE.right : 0;
    edges |= y - box.top <= STRAIGHT ? EDGE.top : 0;
    edges |= box.bottom - y <= STRAIGHT ? EDGE.bottom : 0;
    if (at > 0 && (Math.abs(x - (points[at * 2 - 2] ?? 0)) > across * ROUNDED.straight || Math.abs(y - (points[at * 2 - 1] ?? 0)) > up * ROUNDED.straight)) straight++;
  }
  return edges === EDGE.all && straight >= 2;
}

/** Box of a page object that fills its unit square, such as an image. */
export function unitSquare(pdfium: Pdfium, object: PageObject): Box {
  return transformBox(concat(objectMatrix(pdfium, object.pointer), object.toSeen), 0, 0, 1, 1);
}
