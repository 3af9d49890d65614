/** Groups items with a baseline (words, chunks, text lines) into rows, and cuts sequences into runs: the helpers of everything that regroups text. The lines of a page come from pdf/glyphs-to-lines.ts or ocr/recognised-lines.ts. */
import type { Box, VerticalExtent } from '../../geometry/box.js';
import type { BaselineTolerance } from './tolerances.js';

export interface OnBaseline {
  /** y of the baseline, points. */
  baseline: number;
  /** Size of the type, points. */
  size: number;
}

/** The baselines of `item` and `reference` differ by at most the tolerance. */
export function areLevel(item: OnBaseline, reference: OnBaseline, { ems, of }: BaselineTolerance): boolean {
  const size = of === 'own' ? item.size : of === 'smaller' ? Math.min(item.size, reference.size) : Math.max(item.size, reference.size);
  return Math.abs(item.baseline - reference.baseline) <= ems * size;
}

export const firstOf = <Item>(row: readonly Item[]): Item => row[0]!;
export const lastOf = <Item>(row: readonly Item[]): Item => row.at(-1)!;

/** Rows of items: each item joins the previous row if it is level with that row's reference item; otherwise it opens a new row. The order of `items` is kept. */
export function rowsByBaseline<Item extends OnBaseline>(items: Iterable<Item>, tolerance: BaselineTolerance, referenceOf: (row: readonly Item[]) => OnBaseline = firstOf): Item[][] {
  return splitWhere(items, (row, item) => !areLevel(item, referenceOf(row), tolerance));
}

/** Runs of items: a run ends before each item for which `isParted` is true. `open` is the current run, which is not empty. */
export function splitWhere<Item>(items: Iterable<Item>, isParted: (open: readonly Item[], item: Item, index: number) => boolean): Item[][] {
  const runs: Item[][] = [];
  let index = 0;
  for (const item of items) {
    const open = runs.at(-1);
    if (open === undefined || isParted(open, item, index)) runs.push([item]);
    else open.push(item);
    index++;
  }
  return runs;
}

/** A copy, from the top baseline to the lowest one. */
export function fromTop<Item extends { baseline: number }>(items: Iterable<Item>): Item[] {
  return [...items].sort((a, b) => a.baseline - b.baseline);
}

/** A copy, from the top baseline to the lowest one; on one baseline from the left edge. */
export function fromTopLeft<Item extends { baseline: number; box: Pick<Box, 'left'> }>(items: Iterable<Item>): Item[] {
  return [...items].sort((a, b) => a.baseline - b.baseline || a.box.left - b.box.left);
}

/** A copy, by the top edges of the boxes from the top. */
export function fromTopEdge<Item extends { box: Pick<Box, 'top'> }>(items: Iterable<Item>): Item[] {
  return [...items].sort((a, b) => a.box.top - b.box.top);
}

/** A copy, by the left edges of the boxes from the left. */
export function fromLeft<Item extends { box: Pick<Box, 'left'> }>(items: Iterable<Item>): Item[] {
  return [...items].sort((a, b) => a.box.left - b.box.left);
}

/** Items whose heights overlap, and the heights that they take together. */
export interface Band<Item> {
  items: Item[];
  /** The same unit as the items' boxes. */
  top: number;
  bottom: number;
}

/** Bands of items from the top: a new band begins where an item begins below all items of the band so far, or overlaps them by `slack` at most. */
export function bandsFromTop<Item extends { box: VerticalExtent }>(items: Iterable<Item>, slack = 0): Band<Item>[] {
  const bands: Band<Item>[] = [];
  for (const item of fromTopEdge(items)) {
    const { top, bottom } = item.box;
    const open = bands.at(-1);
    if (open !== undefined && top < open.bottom - slack) {
      open.items.push(item);
      open.bottom = Math.max(open.bottom, bottom);
    } else bands.push({ items: [item], top, bottom });
  }
  return bands;
}

/** White space from one item to the next one at its right, in ems of the larger one. */
export function gapInEms(before: { right: number; size: number }, item: { left: number; size: number }): number {
  return (item.left - before.right) / Math.max(before.size, item.size);
}
