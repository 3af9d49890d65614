/** Medians and quantiles of short lists of measures. No function changes its argument. */

export function sortedNumbers(values: Iterable<number>): number[] {
  return [...values].sort((a, b) => a - b);
}

/** The value in the middle, the upper one of two; `ofNone` for an empty list. */
export function median(values: Iterable<number>, ofNone = 0): number {
  const sorted = sortedNumbers(values);
  return sorted[sorted.length >> 1] ?? ofNone;
}

/** The value in the middle, the lower one of two; `ofNone` for an empty list. */
export function lowerMedian(values: Iterable<number>, ofNone = 0): number {
  const sorted = sortedNumbers(values);
  return sorted[(sorted.length - 1) >> 1] ?? ofNone;
}

/** The smallest value that more than `share` (0..1, below 1) of the values do not exceed; `ofNone` for an empty list. */
export function quantile(values: Iterable<number>, share: number, ofNone = 0): number {
  const sorted = sortedNumbers(values);
  return sorted[Math.floor(share * sorted.length)] ?? ofNone;
}

/** The value at `share` (0..1) of the way from the first to the last of the sorted values, rounded down; `ofNone` for an empty list. */
export function quantileInside(values: Iterable<number>, share: number, ofNone = 0): number {
  const sorted = sortedNumbers(values);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? ofNone;
}

/** The value in the middle by weight; 0 for an empty list. */
export function weightedMedian(values: { value: number; weight: number }[]): number {
  const sorted = [...values].sort((a, b) => a.value - b.value);
  let half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  for (const { value, weight } of sorted) if ((half -= weight) <= 0) return value;
  return sorted.at(-1)?.value ?? 0;
}
