/** The reading order as one path over all items of a page. */

/** A step from one item to another; the heavier one is more probable. */
export interface Step {
  from: number;
  to: number;
  weight: number;
}

/** Up to so many loose ends, each is compared with each. */
export const mostComparedEnds = 256;

/** Logits that it costs if a chain is set between an item and the one that follows it. */
const interruption = 1;

/**
 * A path over `count` items: the heaviest steps are taken first, each item has one step in and one out, and no step closes a circle. Each chain that remains is set behind the
 * item that `weigh` prefers; too many chains follow each other by `rank`. Equal weights are taken by `rank`, so that the path is always the same permutation.
 */
export function heaviestPath(count: number, steps: readonly Step[], weigh: (from: number, to: number) => number, rank: (item: number) => number): number[] {
  const path = new Path(count);
  path.take(sorted(steps, rank));
  const starts = path.starts();
  if (starts.length > 1 && starts.length <= mostComparedEnds) {
    const joints: Step[] = [];
    for (const to of starts) for (let from = 0; from < count; from++) joints.push({ from, to, weight: weigh(from, to) - (path.isEnd(from) ? 0 : interruption) });
    path.insert(sorted(joints, rank));
  }
  return path.starts().sort((a, b) => rank(a) - rank(b) || a - b).flatMap((start) => path.chainFrom(start));
}

function sorted(steps: readonly Step[], rank: (item: number) => number): Step[] {
  return [...steps].sort((a, b) => b.weight - a.weight || rank(a.from) - rank(b.from) || rank(a.to) - rank(b.to) || a.from - b.from || a.to - b.to);
}

/** Chains of items. */
class Path {
  readonly #after: Int32Array;
  readonly #before: Int32Array;
  /** For the first item of a chain its last, and the other way round. */
  readonly #otherEnd: Int32Array;

  constructor(count: number) {
    this.#after = new Int32Array(count).fill(-1);
    this.#before = new Int32Array(count).fill(-1);
    this.#otherEnd = Int32Array.from({ length: count }, (_, item) => item);
  }

  take(steps: readonly Step[]): void {
    for (const { from, to } of steps) {
      if (from === to || this.#after[from] !== -1 || this.#before[to] !== -1 || this.#otherEnd[from] === to) continue;
      this.#after[from] = to;
      this.#before[to] = from;
      const [first, last] = [this.#otherEnd[from]!, this.#otherEnd[to]!];
      this.#otherEnd[first] = last;
      this.#otherEnd[last] = first;
    }
  }

  starts(): number[] {
    return [...this.#before.keys()].filter((item) => this.#before[item] === -1);
  }

  isEnd(item: number): boolean {
    return this.#after[item] === -1;
  }

  /** Sets chains behind items of other chains. */
  insert(joints: readonly Step[]): void {
    const chains = this.#after.map((_, item) => item);
    for (const start of this.starts()) for (const item of this.chainFrom(start)) chains[item] = start;
    const chainOf = (item: number): number => {
      let at = item;
      while (chains[at] !== at) at = chains[at]!;
      return at;
    };
    for (const { from, to } of joints) {
      if (this.#before[to] !== -1 || chainOf(from) === to) continue;
      const end = this.chainFrom(to).at(-1)!;
      const next = this.#after[from]!;
      this.#after[from] = to;
      this.#before[to] = from;
      this.#after[end] = next;
      if (next >= 0) this.#before[next] = end;
      chains[to] = chainOf(from);
    }
  }

  chainFrom(start: number): number[] {
    const chain: number[] = [];
    for (let at = start; at >= 0; at = this.#after[at]!) chain.push(at);
    return chain;
  }
}
