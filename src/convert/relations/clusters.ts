/**
 * Correlation clustering by greedy additive edge contraction (Keuper et al. 2015): the pair of clusters with the largest sum of weights is joined as long as that sum is
 * positive. The weights are integers, so that sums do not depend on their order and equal scores give equal clusters on every machine.
 */

/** An undirected edge: positive where both ends belong together. */
export interface WeightedEdge {
  a: number;
  b: number;
  /** A logit, or -Infinity for two that may never be joined. */
  weight: number;
}

/** Steps of a logit that is rounded to an integer, and the largest logit that counts: one mistaken pair must not outweigh all others. */
const rounding = { steps: 64, most: 8 } as const;
/** Below every sum of weights that a page can have. */
const forbidden = -(2 ** 45);

interface Candidate {
  weight: number;
  a: number;
  b: number;
}

/** Whether the first is contracted before the second: the heavier one, then the one of lower numbers. */
function precedes(one: Candidate, other: Candidate): boolean {
  if (one.weight !== other.weight) return one.weight > other.weight;
  return one.a !== other.a ? one.a < other.a : one.b < other.b;
}

/** A binary heap, the heaviest candidate first. */
class CandidateHeap {
  readonly #items: Candidate[] = [];

  push(item: Candidate): void {
    const items = this.#items;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!precedes(item, items[parent]!)) break;
      items[at] = items[parent]!;
      at = parent;
    }
    items[at] = item;
  }

  pop(): Candidate | undefined {
    const items = this.#items;
    const [first] = items;
    const last = items.pop();
    if (last === undefined || items.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && precedes(items[child + 1]!, items[child]!)) child++;
      if (!precedes(items[child]!, last)) break;
      items[at] = items[child]!;
      at = child;
    }
    items[at] = last;
    return first;
  }
}

/** The clusters of `count` items: for each item the lowest item of its cluster. Parallel edges add up. Cost: edges times the logarithm of their number. */
export function correlationClusters(count: number, edges: Iterable<WeightedEdge>): Int32Array {
  const weights = Array.from({ length: count }, () => new Map<number, number>());
  for (const { a, b, weight } of edges) {
    if (a === b) continue;
    const rounded = weight === -Infinity ? forbidden : Math.round(Math.max(-rounding.most, Math.min(rounding.most, weight)) * rounding.steps);
    weights[a]!.set(b, (weights[a]!.get(b) ?? 0) + rounded);
    weights[b]!.set(a, (weights[b]!.get(a) ?? 0) + rounded);
  }
  const heap = new CandidateHeap();
  const offer = (a: number, b: number, weight: number): void => {
    if (weight > 0) heap.push(a < b ? { weight, a, b } : { weight, a: b, b: a });
  };
  for (const [a, others] of weights.entries()) for (const [b, weight] of others) if (a < b) offer(a, b, weight);
  const parents = Int32Array.from({ length: count }, (_, item) => item);
  for (let best = heap.pop(); best !== undefined; best = heap.pop()) {
    const { a, b, weight } = best;
    // Entries of clusters that were joined since, or whose sum has changed, are out of date.
    if (parents[a] !== a || parents[b] !== b || weights[a]!.get(b) !== weight) continue;
    parents[b] = a;
    weights[a]!.delete(b);
    for (const [other, own] of weights[b]!) {
      if (other === a) continue;
      const sum = (weights[a]!.get(other) ?? 0) + own;
      weights[a]!.set(other, sum);
      weights[other]!.delete(b);
      weights[other]!.set(a, sum);
      offer(a, other, sum);
    }
    weights[b]!.clear();
  }
  return rootsOf(parents);
}

function rootsOf(parents: Int32Array): Int32Array {
  return parents.map((_, item) => {
    let at = item;
    while (parents[at] !== at) at = parents[at]!;
    return at;
  });
}

/** The items of each cluster, ordered by the cluster's lowest item. */
export function clusterMembers(roots: Int32Array): number[][] {
  const members = new Map<number, number[]>();
  for (const [item, root] of roots.entries()) {
    const known = members.get(root);
    if (known === undefined) members.set(root, [item]);
    else known.push(item);
  }
  return [...members.values()];
}
