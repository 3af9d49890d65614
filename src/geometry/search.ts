/** Binary search in sorted lists. */

/** The index of the first item for which `isBefore` is false, or the list's length. `isBefore` must be true for a first part of `items` and false for all others. */
export function partitionPoint<Item>(items: readonly Item[], isBefore: (item: Item) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(items[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}
