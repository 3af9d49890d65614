/** Binary search in sorted lists. */

/** The index of the first item that is not before what is sought, or the list's length. `isBefore` holds for a first part of `items` and for none behind it. */
export function partitionPoint<Item>(items: readonly Item[], isBefore: (item: Item) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(items[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}
