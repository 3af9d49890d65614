/** The value in the middle by weight; 0 of nothing. */
export function weightedMedian(values: { value: number; weight: number }[]): number {
  const sorted = [...values].sort((a, b) => a.value - b.value);
  let half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  for (const { value, weight } of sorted) if ((half -= weight) <= 0) return value;
  return sorted.at(-1)?.value ?? 0;
}
