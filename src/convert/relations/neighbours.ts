/** Which nodes of a page the relation network compares with each: a fixed number, so that its cost is linear in the nodes. */
import type { Box } from '../../geometry/box.js';

/** Of each of the four directions: to the left, to the right, above, below. */
const IN_A_DIRECTION = 4;
/** The nearest of any direction that are not yet among them. */
const NEAREST = 6;
export const NEIGHBOURS = 4 * IN_A_DIRECTION + NEAREST + 2;
/** Nodes that are tried before and behind one in the order of the middles of their heights: four rows of a table with 75 columns. */
const REACH = 300;
/** Overlap in y from which two nodes stand side by side, of the lower of the two. */
const SIDE_BY_SIDE = 0.3;
/** Nearness counts gaps across lines so much more than gaps along them. */
const ACROSS = 2;

/**
 * (nodes, NEIGHBOURS) indices of nodes, -1 for none: IN_A_DIRECTION each to the left, to the right, above and below, the nearest first; the NEAREST others; the node before and the
 * node after in the order given. None is twice in a row, and none its own neighbour.
 */
export function neighboursOf(boxes: readonly Box[]): Int32Array {
  const made = new Int32Array(boxes.length * NEIGHBOURS).fill(-1);
  const order = boxes.map((_, index) => index).sort((a, b) => middleOf(boxes[a]!) - middleOf(boxes[b]!) || a - b);
  for (const [rank, index] of order.entries()) {
    const search = new Search(boxes[index]!, index);
    for (let at = Math.max(0, rank - REACH); at < Math.min(order.length, rank + REACH + 1); at++) if (at !== rank) search.add(order[at]!, boxes[order[at]!]!);
    made.set(search.slots(boxes.length), index * NEIGHBOURS);
  }
  return made;
}

function middleOf({ top, bottom }: Box): number {
  return (top + bottom) / 2;
}

/** The nearest few, in order of their distance; ties go to the lower index. */
class Nearest {
  readonly indices: number[] = [];
  readonly #distances: number[] = [];
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  add(index: number, distance: number): void {
    const { indices } = this;
    let at = indices.length;
    while (at > 0 && (this.#distances[at - 1]! > distance || (this.#distances[at - 1] === distance && indices[at - 1]! > index))) at--;
    if (at >= this.#most) return;
    indices.splice(at, 0, index);
    this.#distances.splice(at, 0, distance);
    if (indices.length > this.#most) {
      indices.pop();
      this.#distances.pop();
    }
  }
}

class Search {
  readonly #box: Box;
  readonly #index: number;
  readonly #directions = [new Nearest(IN_A_DIRECTION), new Nearest(IN_A_DIRECTION), new Nearest(IN_A_DIRECTION), new Nearest(IN_A_DIRECTION)];
  readonly #any = new Nearest(4 * IN_A_DIRECTION + NEAREST);

  constructor(box: Box, index: number) {
    this.#box = box;
    this.#index = index;
  }

  add(index: number, its: Box): void {
    const box = this.#box;
    const overY = Math.min(its.bottom, box.bottom) - Math.max(its.top, box.top);
    const overX = Math.min(its.right, box.right) - Math.max(its.left, box.left);
    const [across, along] = [Math.max(0, -overY), Math.max(0, -overX)];
    this.#any.add(index, along + ACROSS * across);
    if (overY > SIDE_BY_SIDE * Math.min(its.bottom - its.top, box.bottom - box.top)) {
      // What overlaps in both is beside the middle.
      const isLeft = its.left + its.right < box.left + box.right || (its.left + its.right === box.left + box.right && index < this.#index);
      this.#directions[isLeft ? 0 : 1]!.add(index, along);
    } else if (overX > 0) {
      const isAbove = middleOf(its) < middleOf(box);
      this.#directions[isAbove ? 2 : 3]!.add(index, across);
    }
  }

  /** NEIGHBOURS indices; `count` is how many nodes there are. */
  slots(count: number): number[] {
    const made = this.#directions.flatMap(({ indices }) => [...indices, ...new Array<number>(IN_A_DIRECTION - indices.length).fill(-1)]);
    const among = new Set(made);
    const others = this.#any.indices.filter((index) => !among.has(index)).slice(0, NEAREST);
    made.push(...others, ...new Array<number>(NEAREST - others.length).fill(-1));
    for (const index of others) among.add(index);
    for (const next of [this.#index - 1, this.#index + 1]) made.push(next < 0 || next >= count || among.has(next) ? -1 : next);
    return made;
  }
}
