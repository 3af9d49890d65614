/** Merges rulings and boxes: segments, dashes and repetitions of one drawn line become one ruling, fill and outline one box. */
import { heightOf, widthOf } from '../geometry/box.js';
import type { DrawnBox, Ruling } from './pdf-page.js';

/** In points. */
const SAME_POSITION = 0.7;
const JOIN_GAP = 0.8;
/** The longest dash, the widest gap in dashes, and the fewest dashes of a line: fewer are bars of fractions. */
const DASH_LENGTH = 14;
const LEAST_DASHES = 4;
const LEAST_LENGTH = 2;
const MOST_KEPT = 20_000;
/** Pieces that meet as exactly as this were painted end to end. */
const MEETING = 0.6;

export function mergeRulings(rulings: Ruling[]): Ruling[] {
  const sorted = [...rulings].sort((a, b) => (a.orientation < b.orientation ? -1 : a.orientation > b.orientation ? 1 : a.position - b.position));
  const merged: Ruling[] = [];
  let start = 0;
  for (let index = 1; index <= sorted.length; index++) {
    const [first, here] = [sorted[start], sorted[index]];
    if (first !== undefined && here !== undefined && here.orientation === first.orientation && here.position - first.position <= SAME_POSITION) continue;
    merged.push(...joinAlong(sorted.slice(start, index)));
    start = index;
  }
  return largest(merged.filter((ruling) => ruling.end - ruling.start >= LEAST_LENGTH), ({ start, end }) => end - start);
}

/** Fill and outline of one rectangle, painted one after the other, become one box, and so do repetitions. */
export function mergeBoxes(boxes: DrawnBox[]): DrawnBox[] {
  const merged = new Map<string, DrawnBox>();
  for (const { box, fill, stroke } of boxes) {
    const key = [box.left, box.top, box.right, box.bottom].map((value) => Math.round(value * 2)).join(' ');
    const known = merged.get(key);
    if (known === undefined) merged.set(key, { box, fill, stroke });
    else {
      if (fill >= 0) known.fill = fill;
      if (stroke >= 0) known.stroke = stroke;
    }
  }
  return largest([...merged.values()], ({ box }) => widthOf(box) * heightOf(box));
}

/** Limits the work of later steps: keeps the largest of very many boxes, in their order. */
function largest<T>(items: T[], size: (item: T) => number): T[] {
  if (items.length <= MOST_KEPT) return items;
  const least = items.map(size).sort((a, b) => b - a)[MOST_KEPT - 1] ?? 0;
  let ties = MOST_KEPT - items.filter((item) => size(item) > least).length;
  return items.filter((item) => size(item) > least || (size(item) === least && ties-- > 0));
}

/** Merges rulings at one position: pieces that touch, and many dashes. */
function joinAlong(rulings: Ruling[]): Ruling[] {
  if (rulings.length === 1) return rulings;
  const solid = chainsAlong(rulings, () => JOIN_GAP).map(joined);
  return chainsAlong(solid, allowedGap).flatMap((dashes) => (dashes.length < LEAST_DASHES ? dashes : [joined(dashes)]));
}

/** Chains of one colour with at most `gap` between a chain and the next piece. */
function chainsAlong(rulings: Ruling[], gap: (last: Ruling, next: Ruling) => number): Ruling[][] {
  const chains: { color: number; end: number; pieces: [Ruling, ...Ruling[]] }[] = [];
  for (const ruling of [...rulings].sort((a, b) => a.start - b.start)) {
    const last = chains.findLast((candidate) => candidate.color === ruling.color);
    if (last === undefined || ruling.start - last.end > gap(last.pieces.at(-1) ?? ruling, ruling)) {
      chains.push({ color: ruling.color, end: ruling.end, pieces: [ruling] });
      continue;
    }
    last.end = Math.max(last.end, ruling.end);
    last.pieces.push(ruling);
  }
  return chains.map(({ pieces }) => pieces);
}

function joined([first, ...rest]: Ruling[]): Ruling {
  const line = { ...(first as Ruling) };
  const joints = [...(line.joints ?? [])];
  for (const ruling of rest) {
    if (Math.abs(ruling.start - line.end) <= MEETING && ruling.end - line.end > LEAST_LENGTH) joints.push(ruling.start);
    for (const joint of ruling.joints ?? []) joints.push(joint);
    const [before, added] = [line.end - line.start, ruling.end - ruling.start];
    line.position = (line.position * before + ruling.position * added) / Math.max(before + added, 1e-6);
    line.thickness = Math.max(line.thickness, ruling.thickness);
    line.end = Math.max(line.end, ruling.end);
  }
  return joints.length === 0 ? line : { ...line, joints };
}

function allowedGap(last: Ruling, next: Ruling): number {
  const dash = next.end - next.start;
  return dash <= DASH_LENGTH && last.end - last.start <= DASH_LENGTH ? Math.max(JOIN_GAP, 2 * dash) : JOIN_GAP;
}
