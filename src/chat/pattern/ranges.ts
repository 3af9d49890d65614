/** Sets of code points as ranges: ascending, apart from each other, without surrogates. */
import type { Ranges } from '../grammar/expression.js';

export const everything: Ranges = [[0, 0xd7ff], [0xe000, 0x10ffff]];

/** Any ranges, in any order, as a set. */
export function setOf(ranges: Ranges): Ranges {
  const merged: [number, number][] = [];
  for (const [first, last] of [...ranges].sort(([a], [b]) => a - b)) {
    const before = merged.at(-1);
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else merged.push([first, last]);
  }
  return intersect(merged, everything);
}

export function intersect(left: Ranges, right: Ranges): Ranges {
  const both: [number, number][] = [];
  for (let i = 0, j = 0; i < left.length && j < right.length;) {
    const [a, b] = [left[i] as readonly [number, number], right[j] as readonly [number, number]];
    const [first, last] = [Math.max(a[0], b[0]), Math.min(a[1], b[1])];
    if (first <= last) both.push([first, last]);
    if (a[1] < b[1]) i += 1;
    else j += 1;
  }
  return both;
}

export function complement(set: Ranges): Ranges {
  const gaps: [number, number][] = [];
  let next = 0;
  for (const [first, last] of set) {
    if (first > next) gaps.push([next, first - 1]);
    next = last + 1;
  }
  gaps.push([next, 0x10ffff]);
  return intersect(gaps.filter(([first, last]) => first <= last), everything);
}

export function single(point: number): Ranges {
  return [[point, point]];
}
