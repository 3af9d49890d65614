/** Walks over a page's objects, including nested forms: places of texts, paths, images and shadings, in painting order. */
import { intersection } from '../geometry/box.js';
import type { Box } from './pdf-page.js';
import type { Pdfium } from './pdfium.js';
import { concat, identity, transformBox } from './matrix.js';
import type { Matrix } from './matrix.js';

const TEXT = 1;
const PATH = 2;
const IMAGE = 3;
const SHADING = 4;
const FORM = 5;
const MAX_OBJECTS = 300_000;
const MAX_FORM_DEPTH = 12;
const MAX_CLIP_SEGMENTS = 64;
/** Out parameters of FPDFPageObj_GetBounds. */
const BOUNDS = { left: 0, bottom: 1, right: 2, top: 3 };

/** A page object. `toSeen` maps its coordinate system to the displayed page. */
export interface PageObject {
  pointer: number;
  kind: 'text' | 'path' | 'image' | 'shading' | 'form';
  /** Position in the painting order of the page. */
  order: number;
  toSeen: Matrix;
  /** The visible part of the page after clipping, as a box on the displayed page; null: all of it. */
  clip: Box | null;
  mcid: number;
  /** Index of the page's own object that contains it (itself, or the outermost form). */
  top: number;
  depth: number;
  /** Name of the optional-content layer it is marked with, or null. */
  layer: string | null;
}

export interface ObjectWalk {
  objects: PageObject[];
  /** The page had more objects than are read. */
  truncated: boolean;
}

export function walkObjects(pdfium: Pdfium, page: number, toSeen: Matrix): ObjectWalk {
  const walk: ObjectWalk = { objects: [], truncated: false };
  const count = pdfium.call.FPDFPage_CountObjects(page);
  for (let index = 0; index < count && !walk.truncated; index++) {
    const pointer = pdfium.call.FPDFPage_GetObject(page, index);
    if (pointer !== 0) visit(pdfium, walk, pointer, { toSeen, clip: null, mcid: -1, top: index, depth: 0, layer: null });
  }
  return walk;
}

type EnclosingObject = Pick<PageObject, 'toSeen' | 'clip' | 'mcid' | 'top' | 'depth' | 'layer'>;

const kinds: Record<number, PageObject['kind']> = { [TEXT]: 'text', [PATH]: 'path', [IMAGE]: 'image', [SHADING]: 'shading', [FORM]: 'form' };

function visit(pdfium: Pdfium, walk: ObjectWalk, pointer: number, around: EnclosingObject): void {
  if (walk.objects.length >= MAX_OBJECTS) {
    walk.truncated = true;
    return;
  }
  const { call } = pdfium;
  const kind = kinds[call.FPDFPageObj_GetType(pointer)];
  if (kind === undefined) return;
  const ownMcid = call.FPDFPageObj_GetMarkedContentID(pointer);
  const clip = clipBox(pdfium, pointer, around);
  const mcid = ownMcid >= 0 ? ownMcid : around.mcid;
  const layer = layerOf(pdfium, pointer) ?? around.layer;
  const object: PageObject = { pointer, kind, order: walk.objects.length, toSeen: around.toSeen, clip, mcid, top: around.top, depth: around.depth, layer };
  walk.objects.push(object);
  if (kind !== 'form' || around.depth >= MAX_FORM_DEPTH) return;
  const inner: EnclosingObject = { toSeen: concat(objectMatrix(pdfium, pointer), around.toSeen), clip, mcid, top: around.top, depth: around.depth + 1, layer };
  const count = call.FPDFFormObj_CountObjects(pointer);
  for (let index = 0; index < count && !walk.truncated; index++) {
    const child = call.FPDFFormObj_GetObject(pointer, index);
    if (child !== 0) visit(pdfium, walk, child, inner);
  }
}

/** The most marks that are read of an object: usual objects have a few, and more would be an attack. */
const MAX_MARKS = 16;
/** 'OC' as UTF-16, and its size with its terminator. */
const OC = [0x4f, 0, 0x43, 0];
const OC_BYTES = 6;
const MOST_NAME_BYTES = 64;

function layerOf(pdfium: Pdfium, pointer: number): string | null {
  const { call, scratch } = pdfium;
  const buffer = pdfium.out64(1);
  const count = Math.min(MAX_MARKS, call.FPDFPageObj_CountMarks(pointer));
  for (let index = 0; index < count; index++) {
    const mark = call.FPDFPageObj_GetMark(pointer, index);
    if (call.FPDFPageObjMark_GetName(mark, buffer, MOST_NAME_BYTES, scratch) === 0 || pdfium.int(0) !== OC_BYTES) continue;
    const u8 = pdfium.u8;
    if (u8[buffer] !== OC[0] || u8[buffer + 2] !== OC[2]) continue;
    return pdfium.readCounted((buffer, size, counted) => call.FPDFPageObjMark_GetParamStringValue(mark, pdfium.names.Name, buffer, size, counted)) || 'unnamed';
  }
  return null;
}

/** The object's own matrix: of a path's points, of an image's unit square, of a form's contents. */
export function objectMatrix(pdfium: Pdfium, pointer: number): Matrix {
  if (pdfium.call.FPDFPageObj_GetMatrix(pointer, pdfium.scratch) === 0) return identity;
  const f32 = pdfium.f32;
  const at = pdfium.scratch >> 2;
  return { a: f32[at] ?? 1, b: f32[at + 1] ?? 0, c: f32[at + 2] ?? 0, d: f32[at + 3] ?? 1, e: f32[at + 4] ?? 0, f: f32[at + 5] ?? 0 };
}

/** The box around the object's ink on the displayed page, or null if PDFium has none. */
export function objectBounds(pdfium: Pdfium, object: PageObject): Box | null {
  const { left, bottom, right, top } = BOUNDS;
  const hasBounds = pdfium.call.FPDFPageObj_GetBounds(object.pointer, pdfium.out32(left), pdfium.out32(bottom), pdfium.out32(right), pdfium.out32(top)) !== 0;
  return hasBounds ? transformBox(object.toSeen, pdfium.float(left), pdfium.float(bottom), pdfium.float(right), pdfium.float(top)) : null;
}

function clipBox(pdfium: Pdfium, pointer: number, around: EnclosingObject): Box | null {
  const { call } = pdfium;
  const clipPath = call.FPDFPageObj_GetClipPath(pointer);
  if (clipPath === 0) return around.clip;
  const paths = call.FPDFClipPath_CountPaths(clipPath);
  let clip = around.clip;
  for (let index = 0; index < paths; index++) {
    const box = clipPathBox(pdfium, clipPath, index, around.toSeen);
    if (box !== null) clip = clip === null ? box : intersection(clip, box);
  }
  return clip;
}

function clipPathBox(pdfium: Pdfium, clipPath: number, index: number, toSeen: Matrix): Box | null {
  const { call, scratch } = pdfium;
  const segments = call.FPDFClipPath_CountPathSegments(clipPath, index);
  // A clip of many segments is the outline of a drawing; only its rough extent is available, and takes long.
  if (segments <= 0 || segments > MAX_CLIP_SEGMENTS) return null;
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = 0; at < segments; at++) {
    const segment = call.FPDFClipPath_GetPathSegment(clipPath, index, at);
    if (call.FPDFPathSegment_GetPoint(segment, scratch, scratch + 4) === 0) return null;
    const x = pdfium.f32[scratch >> 2] ?? 0;
    const y = pdfium.f32[(scratch >> 2) + 1] ?? 0;
    x0 = Math.min(x0, x);
    x1 = Math.max(x1, x);
    y0 = Math.min(y0, y);
    y1 = Math.max(y1, y);
  }
  return transformBox(toSeen, x0, y0, x1, y1);
}
