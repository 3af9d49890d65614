/** Matrices, and the mapping from a PDF page's user space to the displayed page. */
import type { Box } from '../geometry/box.js';

/** x' = a x + c y + e, y' = b x + d y + f. */
export interface Matrix {
  a: number;
  b: number;
  c: number;
  d: number;
  e: number;
  f: number;
}

export const identity: Matrix = { a: 1, b: 0, c: 0, d: 1, e: 0, f: 0 };

/** First `m`, then `n`. */
export function concat(m: Matrix, n: Matrix): Matrix {
  return {
    a: m.a * n.a + m.b * n.c,
    b: m.a * n.b + m.b * n.d,
    c: m.c * n.a + m.d * n.c,
    d: m.c * n.b + m.d * n.d,
    e: m.e * n.a + m.f * n.c + n.e,
    f: m.e * n.b + m.f * n.d + n.f,
  };
}

/** The box around a transformed rectangle; corners in any order. */
export function transformBox(m: Matrix, x0: number, y0: number, x1: number, y1: number): Box {
  const ax = m.a * x0 + m.e;
  const bx = m.a * x1 + m.e;
  const cx = m.c * y0;
  const dx = m.c * y1;
  const ay = m.b * x0 + m.f;
  const by = m.b * x1 + m.f;
  const cy = m.d * y0;
  const dy = m.d * y1;
  return {
    left: Math.min(ax, bx) + Math.min(cx, dx),
    top: Math.min(ay, by) + Math.min(cy, dy),
    right: Math.max(ax, bx) + Math.max(cx, dx),
    bottom: Math.max(ay, by) + Math.max(cy, dy),
  };
}

export interface PageFrame {
  width: number;
  height: number;
  rotation: 0 | 90 | 180 | 270;
  /** Clockwise quarter turns for reading and drawing the page, in addition to its own /Rotate. */
  turned: number;
  /** From the page's user space to the displayed page: origin at the top left, y down, points. */
  toSeen: Matrix;
}

type SeenPage = Pick<PageFrame, 'width' | 'height' | 'toSeen'>;

/** `left..top` is the crop box in user space, y up. `quarterTurns` is /Rotate / 90, clockwise; `turned` is the additional rotation of the page, also clockwise. */
export function pageFrame(left: number, bottom: number, right: number, top: number, quarterTurns: number, turned = 0): PageFrame {
  const rotation = modulo(quarterTurns) * 90 as PageFrame['rotation'];
  return { ...seenAfter(left, bottom, right, top, modulo(quarterTurns + turned)), rotation, turned: modulo(turned) };
}

function modulo(quarterTurns: number): number {
  return ((quarterTurns % 4) + 4) % 4;
}

function seenAfter(left: number, bottom: number, right: number, top: number, quarterTurns: number): SeenPage {
  const across = right - left;
  const up = top - bottom;
  switch (quarterTurns) {
    case 1:
      return { width: up, height: across, toSeen: { a: 0, b: 1, c: 1, d: 0, e: -bottom, f: -left } };
    case 2:
      return { width: across, height: up, toSeen: { a: -1, b: 0, c: 0, d: 1, e: right, f: -bottom } };
    case 3:
      return { width: up, height: across, toSeen: { a: 0, b: -1, c: -1, d: 0, e: top, f: right } };
    default:
      return { width: across, height: up, toSeen: { a: 1, b: 0, c: 0, d: -1, e: -left, f: top } };
  }
}
