/** How well regions of pages were found: precision and recall together, class by class. */

export interface LabelledBox {
  label: string;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export interface LabelCount {
  right: number;
  found: number;
  there: number;
}

/** A region counts as found where it shares this much, intersection over union, with one of its label. */
export const sharedPart = 0.5;

type Sides = Omit<LabelledBox, 'label'>;

function area({ left, top, right, bottom }: Sides): number {
  return Math.max(0, right - left) * Math.max(0, bottom - top);
}

/** Intersection over union, 0..1. */
export function sharedOf(one: Sides, other: Sides): number {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  if (width <= 0 || height <= 0) return 0;
  return (width * height) / (area(one) + area(other) - width * height);
}

/** Adds one page to the counts by label. `found` is sorted, the surest first: each true region is taken once, by the first for which it is the best. */
export function countPage(counts: Map<string, LabelCount>, found: readonly LabelledBox[], truth: readonly LabelledBox[]): void {
  const of = (label: string): LabelCount => {
    const count = counts.get(label) ?? { right: 0, found: 0, there: 0 };
    counts.set(label, count);
    return count;
  };
  const left = new Set(truth);
  for (const { label } of truth) of(label).there++;
  for (const region of found) {
    of(region.label).found++;
    let best: LabelledBox | null = null;
    for (const one of left) if (one.label === region.label && sharedOf(one, region) >= sharedPart && (best === null || sharedOf(one, region) > sharedOf(best, region))) best = one;
    if (best === null) continue;
    left.delete(best);
    of(region.label).right++;
  }
}

/** 0..1; 0 for what is neither there nor found. */
export function f1Of({ right, found, there }: LabelCount): number {
  return (2 * right) / Math.max(1, found + there);
}
