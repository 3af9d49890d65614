/** The order of nodes within a block, and of blocks on a page, by the scores of what follows what. */
import { horizontalGap, middleX, middleY, unionBox, verticalGap } from '../../geometry/box.js';
import type { Box } from '../../geometry/box.js';
import { heaviestPath, mostComparedEnds } from './decode-order.js';
import type { Step } from './decode-order.js';
import type { DecodedBlock } from './decoded.js';
import type { PageEvidence } from './page-evidence.js';
import { logSoftmax, neighbourSlots } from './scores.js';
import type { RelationScores } from './scores.js';

/** Added to the logit of the step that the lines of a block suggest. */
const inLinesBonus = 2;
/** Blocks of the margins are set apart: running headers first, running footers last. */
const edges = { 'page-header': 0, 'page-footer': 2 } as const;
const edgeOf = ({ cls }: DecodedBlock): number => (cls === 'page-header' || cls === 'page-footer' ? edges[cls] : 1);

/** The nodes of a block in reading order: line by line, unless the scores lead elsewhere, as over the end of a column. */
export function orderNodes(nodes: readonly number[], scores: RelationScores, evidence: PageEvidence): number[] {
  const inLines = evidence.inLines(nodes);
  if (nodes.length < 2 || evidence.isPicture(nodes[0]!)) return inLines;
  const indexOf = new Map(inLines.map((node, index) => [node, index]));
  const weigh = (from: number, to: number): number => scores.directed('next', inLines[from]!, inLines[to]!) + (to === from + 1 ? inLinesBonus : 0);
  const steps: Step[] = [];
  for (const [from, node] of inLines.entries()) {
    for (let slot = 0; slot < neighbourSlots; slot++) {
      const to = indexOf.get(scores.neighbours[node * neighbourSlots + slot]!);
      if (to !== undefined && to !== from) steps.push({ from, to, weight: weigh(from, to) });
    }
    if (from + 1 < inLines.length) steps.push({ from, to: from + 1, weight: weigh(from, from + 1) });
  }
  return heaviestPath(inLines.length, steps, weigh, (item) => item).map((index) => inLines[index]!);
}

/** The blocks in reading order. Pictures, of which no order is known, stand where their place on the page suggests. */
export function orderBlocks(blocks: readonly DecodedBlock[], scores: RelationScores, evidence: PageEvidence): DecodedBlock[] {
  const boxes = new Map(blocks.map((block) => [block, unionBox(block.nodes.map((node) => evidence.box(node)))]));
  const boxOf = (block: DecodedBlock): Box => boxes.get(block)!;
  const fromTop = [...blocks].sort((a, b) => boxOf(a).top - boxOf(b).top || boxOf(a).left - boxOf(b).left || a.nodes[0]! - b.nodes[0]!);
  const texts = fromTop.filter(({ cls }) => cls !== 'picture');
  const ordered = [0, 1, 2].flatMap((edge) => orderTexts(texts.filter((block) => edgeOf(block) === edge), scores, evidence));
  for (const picture of fromTop.filter(({ cls }) => cls === 'picture')) ordered.splice(placeOf(boxOf(picture), ordered, boxOf), 0, picture);
  return ordered;
}

function orderTexts(blocks: readonly DecodedBlock[], scores: RelationScores, page: PageEvidence): DecodedBlock[] {
  const evidence = new Successors(blocks, scores, page);
  const steps = blocks.length <= mostComparedEnds ? allSteps(blocks.length, (from, to) => evidence.weight(from, to)) : evidence.known();
  return heaviestPath(blocks.length, steps, (from, to) => evidence.weight(from, to), (item) => item).map((index) => blocks[index]!);
}

/** Logits that the way between two blocks costs: for each em, and at most. It decides where the scores are of two minds. */
const wayCosts = { em: 0.1, most: 2 } as const;
/** Ems that a way upwards counts besides. */
const upwards = 10;
/** Below it a probability counts as none. */
const leastProbability = 1e-6;

/** How probable it is that a node of one block follows one of another: the pairs of neighbours, and the last node of one with the first of the other. */
class Successors {
  readonly #sums = new Map<number, number>();
  readonly #count: number;
  /** Logarithm of the sum of powers of the logits to all neighbours, by the last node of each block. */
  readonly #totals: number[];
  readonly #entries: number[];
  readonly #exits: number[];

  constructor(blocks: readonly DecodedBlock[], private readonly scores: RelationScores, private readonly evidence: PageEvidence) {
    this.#count = blocks.length;
    this.#entries = blocks.map(({ nodes }) => nodes[0]!);
    this.#exits = blocks.map(({ nodes }) => nodes.at(-1)!);
    const blockOf = new Map(blocks.flatMap(({ nodes }, index) => nodes.map((node) => [node, index] as const)));
    for (const [node, from] of blockOf) this.#addNeighbours(node, from, blockOf);
    this.#totals = this.#exits.map((exit) => logSum(this.#slots(exit).map((other) => scores.directed('next', exit, other))));
  }

  /** Logarithm of a probability. */
  weight(from: number, to: number): number {
    const beside = this.#sums.get(from * this.#count + to) ?? 0;
    const logit = this.scores.directed('next', this.#exits[from]!, this.#entries[to]!);
    const apart = Math.exp(Math.min(0, logit - logSum([logit, this.#totals[from]!])));
    return Math.log(Math.max(leastProbability, beside, apart)) - this.#distance(from, to);
  }

  /** The steps between blocks that are neighbours. */
  known(): Step[] {
    return [...this.#sums.keys()].map((key): Step => {
      const [from, to] = [Math.floor(key / this.#count), key % this.#count];
      return { from, to, weight: this.weight(from, to) };
    });
  }

  /** What the way from the end of one block to the begin of the other costs. */
  #distance(from: number, to: number): number {
    const [end, begin] = [this.evidence.box(this.#exits[from]!), this.evidence.box(this.#entries[to]!)];
    const ems = (Math.max(0, horizontalGap(end, begin)) + Math.max(0, verticalGap(end, begin)) + (begin.bottom < end.top ? upwards * this.evidence.em : 0)) / this.evidence.em;
    return Math.min(wayCosts.most, wayCosts.em * ems);
  }

  #addNeighbours(node: number, from: number, blockOf: Map<number, number>): void {
    const others = this.#slots(node);
    const logits = others.map((other) => this.scores.directed('next', node, other));
    const total = logSum([...logits, 0]);
    for (const [at, other] of others.entries()) {
      const to = blockOf.get(other);
      if (to === undefined || to === from) continue;
      const key = from * this.#count + to;
      this.#sums.set(key, (this.#sums.get(key) ?? 0) + Math.exp(logits[at]! - total));
    }
  }

  #slots(node: number): number[] {
    return [...this.scores.neighbours.subarray(node * neighbourSlots, (node + 1) * neighbourSlots)].filter((other) => other >= 0);
  }
}

function logSum(logits: readonly number[]): number {
  const most = Math.max(...logits, -Infinity);
  return most === -Infinity ? -Infinity : most + Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - most), 0));
}

/** Each with each; the weight is the logarithm of the probability among all that may follow `from`, and among all that may precede `to`. */
function allSteps(count: number, weigh: (from: number, to: number) => number): Step[] {
  const logits = Array.from({ length: count }, (_, from) => Float32Array.from({ length: count }, (__, to) => (from === to ? -Infinity : weigh(from, to))));
  const after = logits.map((row) => logSoftmax(row));
  const before = logits.map((_, to) => logSoftmax(Float32Array.from(logits, (row) => row[to]!)));
  return logits.flatMap((_, from) => logits.flatMap((__, to): Step[] => (from === to ? [] : [{ from, to, weight: after[from]![to]! + before[to]![from]! }])));
}

/** The index at which a picture stands: before the next block below it in its column, or behind the last one above it. */
function placeOf(box: Box, ordered: readonly DecodedBlock[], boxOf: (block: DecodedBlock) => Box): number {
  const isBeside = (other: Box): boolean => other.left < box.right && other.right > box.left;
  let [below, distance] = [-1, Infinity];
  let [above, height] = [-1, Infinity];
  for (const [index, block] of ordered.entries()) {
    const other = boxOf(block);
    if (edgeOf(block) !== 1 || !isBeside(other)) continue;
    const step = middleY(other) - middleY(box);
    if (step >= 0 && step < distance) [below, distance] = [index, step];
    if (step < 0 && -step < height) [above, height] = [index, -step];
  }
  if (below >= 0) return below;
  if (above >= 0) return above + 1;
  const next = ordered.findIndex((block) => edgeOf(block) === 2 || edgeOf(block) === 1 && (middleY(boxOf(block)) > middleY(box) || middleX(boxOf(block)) > middleX(box) && boxOf(block).top > box.top));
  return next < 0 ? ordered.length : next;
}
