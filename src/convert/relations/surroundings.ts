/** Where the nodes of a page stand, and what is drawn around them: a part of the relation network's numbers. */
import type { Box } from '../../geometry/box.js';
import { unionBox } from '../../geometry/box.js';
import type { DrawnIndex } from './drawn-index.js';
import type { NodePage, PageNode } from './node-values.js';

/** Ems at which distances are as good as endless. */
const FAR = 20;
/** Ems within which edges are aligned. */
export const ALIGNED = 0.2;
/** Of the page: a fill of this share is its colour. */
const WHOLE_PAGE = 0.95;

interface Drawn {
  left: number;
  above: number;
  right: number;
  below: number;
  aboveThickness: number;
  belowThickness: number;
  aboveWidth: number;
  belowWidth: number;
}

export class Surroundings {
  readonly #page: NodePage;
  readonly #nodes: readonly PageNode[];
  readonly #em: number;
  /** Of all text. */
  readonly #area: Box;
  readonly #fillOf: number[];
  readonly #drawn: Drawn[];
  /** The gaps of neighbours.ts. */
  readonly #between: Float64Array;
  /** Left edges, right edges and middles in ascending order. */
  readonly #lefts: number[];
  readonly #rights: number[];
  readonly #middles: number[];

  constructor(page: NodePage, nodes: readonly PageNode[], em: number, index: DrawnIndex, gaps: Float64Array) {
    this.#page = page;
    this.#nodes = nodes;
    this.#em = em;
    this.#area = unionBox(nodes.filter(({ words }) => words.length > 0).map(({ box }) => box));
    const mostFill = WHOLE_PAGE * page.width * page.height;
    this.#fillOf = nodes.map(({ box }) => index.fillAt((box.left + box.right) / 2, (box.top + box.bottom) / 2, mostFill));
    this.#drawn = nodes.map(({ box }) => this.#drawnAround(box, index));
    this.#between = gaps;
    const sorted = (of: (box: Box) => number): number[] => nodes.map(({ box }) => of(box)).sort((a, b) => a - b);
    this.#lefts = sorted(({ left }) => left);
    this.#rights = sorted(({ right }) => right);
    this.#middles = sorted(({ left, right }) => (left + right) / 2);
  }

  /** GEOMETRY numbers. */
  geometry(index: number): number[] {
    const { box, words } = this.#nodes[index]!;
    const main = words.length === 0 ? undefined : this.#page.words[words[0]!]!;
    const { left, above, right, below } = this.#drawn[index]!;
    return [box.left, box.top, box.right, box.bottom, main?.baseline ?? box.bottom, main?.size ?? 0, left, above, right, below].map((value) => value / this.#em).concat(this.#fillOf[index]! + 1);
  }

  /** 30 numbers. */
  describe(index: number): number[] {
    const { box } = this.#nodes[index]!;
    const { width, height, fills } = this.#page;
    const area = this.#area.left < this.#area.right ? this.#area : { left: 0, top: 0, right: width, bottom: height };
    const across = Math.max(1, area.right - area.left);
    const down = Math.max(1, area.bottom - area.top);
    const drawn = this.#drawn[index]!;
    const fill = fills[this.#fillOf[index]!];
    return [
      box.left / width, box.right / width, box.top / height, box.bottom / height,
      (box.left - area.left) / across, (area.right - box.right) / across, (box.top - area.top) / down, (area.bottom - box.bottom) / down,
      (box.left + box.right - area.left - area.right) / across,
      Math.log2(1 + (box.right - box.left) / this.#em) / 5, Math.log2(1 + (box.bottom - box.top) / this.#em) / 3,
      ...this.#gaps(index), ...this.#aligned(box),
      near(box.left - drawn.left, this.#em), near(box.top - drawn.above, this.#em), near(drawn.right - box.right, this.#em), near(drawn.below - box.bottom, this.#em),
      drawn.aboveThickness, drawn.belowThickness, drawn.aboveWidth / width, drawn.belowWidth / width,
      fill === undefined ? 1 : luminance(fill.fill), fill === undefined ? 0 : 1, fill === undefined ? 0 : (fill.box.right - fill.box.left) / width, fill === undefined ? 0 : Math.log2(1 + (fill.box.bottom - fill.box.top) / this.#em) / 5,
    ];
  }

  /** Nearness of the nearest nodes to the left, above, to the right, below. */
  #gaps(index: number): number[] {
    return [...this.#between.subarray(4 * index, 4 * index + 4)].map((gap) => near(Math.min(FAR * this.#em, gap), this.#em));
  }

  /** How many other nodes share the left edge, the right edge, the middle. */
  #aligned({ left, right }: Box): number[] {
    const slack = ALIGNED * this.#em;
    return [within(this.#lefts, left, slack), within(this.#rights, right, slack), within(this.#middles, (left + right) / 2, slack)].map((count) => Math.log2(Math.max(1, count)) / 5);
  }

  /** The nearest drawn lines; as far away as FAR where there are none. */
  #drawnAround(box: Box, index: DrawnIndex): Drawn {
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    const far = FAR * this.#em;
    const [left, right] = [index.nearest('vertical', x, y, -1), index.nearest('vertical', x, y, 1)];
    const [above, below] = [index.nearest('horizontal', y, x, -1), index.nearest('horizontal', y, x, 1)];
    const isAbove = above !== null && above.position > box.top - far;
    const isBelow = below !== null && below.position < box.bottom + far;
    return {
      left: Math.max(box.left - far, left?.position ?? -Infinity), right: Math.min(box.right + far, right?.position ?? Infinity),
      above: isAbove ? above.position : box.top - far, below: isBelow ? below.position : box.bottom + far,
      aboveThickness: isAbove ? above.thickness : 0, belowThickness: isBelow ? below.thickness : 0, aboveWidth: isAbove ? above.end - above.start : 0, belowWidth: isBelow ? below.end - below.start : 0,
    };
  }
}

/** How many of the ascending values are nearer to `value` than `slack`. */
function within(values: readonly number[], value: number, slack: number): number {
  return firstFrom(values, value + slack) - firstFrom(values, value - slack);
}

/** Index of the first value that is not less. */
function firstFrom(values: readonly number[], value: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** 1 at no distance, about 0 from FAR on. */
function near(distance: number, em: number): number {
  return 1 / (1 + Math.max(0, distance) / em);
}

/** 0 (black) to 1. */
export function luminance(color: number): number {
  return (0.299 * ((color >> 16) & 255) + 0.587 * ((color >> 8) & 255) + 0.114 * (color & 255)) / 255;
}
