/** Boxes with sides along the axes, and the relations between them: the only place for their arithmetic. */

/** Any unit; in pages points (1/72 inch). The origin is at the top left, y grows downwards. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** The range from left to right. */
export type HorizontalExtent = Pick<Box, 'left' | 'right'>;
/** The range from top to bottom. */
export type VerticalExtent = Pick<Box, 'top' | 'bottom'>;

export function widthOf(box: HorizontalExtent): number {
  return box.right - box.left;
}

export function heightOf(box: VerticalExtent): number {
  return box.bottom - box.top;
}

/** 0 for an inverted box. */
export function areaOf(box: Box): number {
  return Math.max(0, box.right - box.left) * Math.max(0, box.bottom - box.top);
}

export function middleX(box: HorizontalExtent): number {
  return (box.left + box.right) / 2;
}

export function middleY(box: VerticalExtent): number {
  return (box.top + box.bottom) / 2;
}

/** The smallest extent around all of them; from Infinity to -Infinity around none. */
export function horizontalExtent(items: Iterable<HorizontalExtent>): HorizontalExtent {
  const all = { left: Infinity, right: -Infinity };
  for (const { left, right } of items) {
    all.left = Math.min(all.left, left);
    all.right = Math.max(all.right, right);
  }
  return all;
}

/** The smallest box around all of them; inverted (from Infinity to -Infinity) around none. */
export function unionBox(boxes: Iterable<Box>): Box {
  const all = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const box of boxes) {
    all.left = Math.min(all.left, box.left);
    all.top = Math.min(all.top, box.top);
    all.right = Math.max(all.right, box.right);
    all.bottom = Math.max(all.bottom, box.bottom);
  }
  return all;
}

/** The smallest box around two. */
export function union(a: Box, b: Box): Box {
  return {
    left: Math.min(a.left, b.left),
    top: Math.min(a.top, b.top),
    right: Math.max(a.right, b.right),
    bottom: Math.max(a.bottom, b.bottom),
  };
}

/** The area that both share; inverted if they share none. */
export function intersection(a: Box, b: Box): Box {
  return {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  };
}

/** Length that both cover from left to right; negative is the gap between them. */
export function horizontalOverlap(a: HorizontalExtent, b: HorizontalExtent): number {
  return Math.min(a.right, b.right) - Math.max(a.left, b.left);
}

/** Length that both cover from top to bottom; negative is the gap between them. */
export function verticalOverlap(a: VerticalExtent, b: VerticalExtent): number {
  return Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
}

/** Gap between two that stand side by side; negative if they overlap: the distance by which the nearer pair of sides would have to move. */
export function horizontalGap(a: HorizontalExtent, b: HorizontalExtent): number {
  return Math.max(b.left - a.right, a.left - b.right);
}

/** Gap between two of which one stands above the other; negative if they overlap. */
export function verticalGap(a: VerticalExtent, b: VerticalExtent): number {
  return Math.max(b.top - a.bottom, a.top - b.bottom);
}

/** Whether they share an area, or would if each side of one moved out by `slack`. */
export function boxesOverlap(a: Box, b: Box, slack = 0): boolean {
  return a.left < b.right + slack && a.right > b.left - slack && a.top < b.bottom + slack && a.bottom > b.top - slack;
}

/** Whether `inner` lies in `outer`, or extends beyond it by at most `slack`. */
export function containsBox(outer: Box, inner: Box, slack = 0): boolean {
  return inner.left >= outer.left - slack && inner.right <= outer.right + slack && inner.top >= outer.top - slack && inner.bottom <= outer.bottom + slack;
}

/** Whether the point lies in the box or on its edge, or at most `slack` outside. */
export function containsPoint(box: Box, x: number, y: number, slack = 0): boolean {
  return x >= box.left - slack && x <= box.right + slack && y >= box.top - slack && y <= box.bottom + slack;
}

/** Share of `inner` that lies in `outer`, 0..1. */
export function shareWithin(inner: Box, outer: Box): number {
  const wide = horizontalOverlap(inner, outer);
  const high = verticalOverlap(inner, outer);
  const area = widthOf(inner) * heightOf(inner);
  return wide <= 0 || high <= 0 || area <= 0 ? 0 : (wide * high) / area;
}

/** The box moved by these distances. */
export function translated(box: Box, right: number, down: number): Box {
  return { left: box.left + right, top: box.top + down, right: box.right + right, bottom: box.bottom + down };
}

/** Whether the point lies inside the box (not on its edge), or nearer than `slack` beside it. */
export function holdsPoint(box: Box, x: number, y: number, slack = 0): boolean {
  return x > box.left - slack && x < box.right + slack && y > box.top - slack && y < box.bottom + slack;
}

/** Whether the middle of `inner` lies inside `outer`, or nearer than `slack` beside it. */
export function holdsMiddle(outer: Box, inner: Box, slack = 0): boolean {
  return holdsPoint(outer, middleX(inner), middleY(inner), slack);
}
