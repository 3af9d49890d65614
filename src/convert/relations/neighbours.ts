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

export interface Neighbourhood {
  /**
   * (nodes, NEIGHBOURS) indices of nodes, -1 for none: IN_A_DIRECTION each to the left, to the right, above and below, the nearest first; the NEAREST others; the node before and the
   * node after in the order given. None is twice in a row, and none its own neighbour.
   */
  neighbours: Int32Array;
  /** (nodes, 4) widths of the gaps to the nearest node to the left, above, to the right and below; Infinity for none. */
  gaps: Float64Array;
}

export function neighboursOf(boxes: readonly Box[]): Int32Array {
  return neighbourhoodOf(boxes, 0).neighbours;
}

/** `slack` is by how much two nodes may overlap and have a gap between them all the same. */
export function neighbourhoodOf(boxes: readonly Box[], slack: number): Neighbourhood {
  const count = boxes.length;
  const made = { neighbours: new Int32Array(count * NEIGHBOURS).fill(-1), gaps: new Float64Array(4 * count).fill(Infinity) };
  const search = new Search(boxes, slack);
  for (let rank = 0; rank < count; rank++) search.run(rank, made);
  return made;
}

/** The nearest few, in order of their distance; what came first wins a tie. */
class Nearest {
  readonly indices: Int32Array;
  readonly #distances: Float64Array;
  count = 0;
  /** What is not nearer is not taken. */
  worst = Infinity;

  constructor(most: number) {
    this.indices = new Int32Array(most);
    this.#distances = new Float64Array(most);
  }

  clear(): void {
    this.count = 0;
    this.worst = Infinity;
  }

  add(index: number, distance: number): void {
    if (distance >= this.worst) return;
    const most = this.indices.length;
    let at = Math.min(this.count, most - 1);
    while (at > 0 && this.#distances[at - 1]! > distance) {
      this.#distances[at] = this.#distances[at - 1]!;
      this.indices[at] = this.indices[at - 1]!;
      at--;
    }
    this.#distances[at] = distance;
    this.indices[at] = index;
    if (this.count < most) this.count++;
    if (this.count === most) this.worst = this.#distances[most - 1]!;
  }
}

/** The boxes in the order of their middles, as columns of numbers. */
class Search {
  readonly #order: Int32Array;
  readonly #left: Float64Array;
  readonly #top: Float64Array;
  readonly #right: Float64Array;
  readonly #bottom: Float64Array;
  /** The lowest bottom up to a rank, and the highest top from it on: how near what was not yet tried can be. */
  readonly #lowest: Float64Array;
  readonly #highest: Float64Array;
  readonly #slack: number;
  readonly #directions = [0, 1, 2, 3].map(() => new Nearest(IN_A_DIRECTION)) as [Nearest, Nearest, Nearest, Nearest];
  readonly #any = new Nearest(4 * IN_A_DIRECTION + NEAREST);
  readonly #gaps = new Float64Array(4);

  constructor(boxes: readonly Box[], slack: number) {
    const twice = ({ top, bottom }: Box): number => top + bottom;
    this.#order = Int32Array.from(boxes.keys()).sort((a, b) => twice(boxes[a]!) - twice(boxes[b]!) || a - b);
    const column = (of: (box: Box) => number): Float64Array => Float64Array.from(this.#order, (index) => of(boxes[index]!));
    this.#left = column(({ left }) => left);
    this.#top = column(({ top }) => top);
    this.#right = column(({ right }) => right);
    this.#bottom = column(({ bottom }) => bottom);
    this.#lowest = this.#bottom.slice();
    this.#highest = this.#top.slice();
    for (let rank = 1; rank < boxes.length; rank++) this.#lowest[rank] = Math.max(this.#lowest[rank]!, this.#lowest[rank - 1]!);
    for (let rank = boxes.length - 2; rank >= 0; rank--) this.#highest[rank] = Math.min(this.#highest[rank]!, this.#highest[rank + 1]!);
    this.#slack = slack;
  }

  run(rank: number, made: Neighbourhood): void {
    const [, , above, below] = this.#directions;
    for (const nearest of [...this.#directions, this.#any]) nearest.clear();
    this.#gaps.fill(Infinity);
    for (let at = rank - 1; at >= Math.max(0, rank - REACH); at--) {
      if (this.#isEnough(this.#top[rank]! - this.#lowest[at]!, above, this.#gaps[1]!)) break;
      this.#try(rank, at);
    }
    for (let at = rank + 1; at < Math.min(this.#order.length, rank + REACH + 1); at++) {
      if (this.#isEnough(this.#highest[at]! - this.#bottom[rank]!, below, this.#gaps[3]!)) break;
      this.#try(rank, at);
    }
    const index = this.#order[rank]!;
    made.gaps.set(this.#gaps, 4 * index);
    made.neighbours.set(this.#slots(index), NEIGHBOURS * index);
  }

  /** Whether nothing at least so far away can be one of the nearest. */
  #isEnough(distance: number, direction: Nearest, gap: number): boolean {
    return distance > 0 && distance > direction.worst && ACROSS * distance > this.#any.worst && distance > gap;
  }

  #try(rank: number, at: number): void {
    const [left, top, right, bottom] = [this.#left[rank]!, this.#top[rank]!, this.#right[rank]!, this.#bottom[rank]!];
    const [itsLeft, itsTop, itsRight, itsBottom] = [this.#left[at]!, this.#top[at]!, this.#right[at]!, this.#bottom[at]!];
    const overY = Math.min(itsBottom, bottom) - Math.max(itsTop, top);
    const overX = Math.min(itsRight, right) - Math.max(itsLeft, left);
    const [across, along] = [Math.max(0, -overY), Math.max(0, -overX)];
    const index = this.#order[at]!;
    this.#any.add(index, along + ACROSS * across);
    const gaps = this.#gaps;
    if (overY > SIDE_BY_SIDE * Math.min(itsBottom - itsTop, bottom - top)) {
      // What overlaps in both is beside the middle.
      const isLeft = itsLeft + itsRight < left + right || (itsLeft + itsRight === left + right && at < rank);
      this.#directions[isLeft ? 0 : 1].add(index, along);
      if (itsRight <= left + this.#slack) gaps[0] = Math.min(gaps[0]!, left - itsRight);
      if (itsLeft >= right - this.#slack) gaps[2] = Math.min(gaps[2]!, itsLeft - right);
    } else if (overX > 0) {
      this.#directions[at < rank ? 2 : 3].add(index, across);
    }
    if (overX > 0) {
      if (itsBottom <= top + this.#slack) gaps[1] = Math.min(gaps[1]!, top - itsBottom);
      if (itsTop >= bottom - this.#slack) gaps[3] = Math.min(gaps[3]!, itsTop - bottom);
    }
  }

  /** NEIGHBOURS indices. */
  #slots(index: number): Int32Array {
    const made = new Int32Array(NEIGHBOURS).fill(-1);
    for (const [at, { indices, count }] of this.#directions.entries()) made.set(indices.subarray(0, count), at * IN_A_DIRECTION);
    let next = 4 * IN_A_DIRECTION;
    for (let at = 0; at < this.#any.count && next < NEIGHBOURS - 2; at++) if (!made.includes(this.#any.indices[at]!)) made[next++] = this.#any.indices[at]!;
    for (const [at, near] of [index - 1, index + 1].entries()) if (near >= 0 && near < this.#order.length && !made.includes(near)) made[NEIGHBOURS - 2 + at] = near;
    return made;
  }
}
