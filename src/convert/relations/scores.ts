/** The scores of the relation network for the nodes of a page, by node and by pair. */
import { nodeClasses, relations } from './classes.js';
import { NEIGHBOURS } from './neighbours.js';
import type { Relation } from './classes.js';

/** Neighbours of each node, which the network compares it with. */
export const neighbourSlots = NEIGHBOURS;
/** Heading levels and nesting of lists, from 0. */
export const levelCount = 7;

/** Logits are natural logarithms of odds. Nodes count from 0 in the order of the page's nodes. */
export interface RelationScores {
  readonly count: number;
  /** Nodes beside each node, `neighbourSlots` a node, -1 for none: the pairs that are decided first. */
  readonly neighbours: Int32Array;
  /** Natural logarithm of the probability of each class, in the order of `nodeClasses`. */
  classes(node: number): Float32Array;
  /** Natural logarithm of the probability of each level: of a heading from 1, of a list item its nesting from 1. */
  levels(node: number): Float32Array;
  /** Logit: the node is the first of its block. */
  start(node: number): number;
  /** Logit: the node is of a cell of several rows. */
  rowSpan(node: number): number;
  /** Logit: the node is of a cell of several columns. */
  columnSpan(node: number): number;
  /** Logit of a relation from one node to another. */
  directed(relation: Relation, from: number, to: number): number;
  /** The same for a relation without a direction. */
  mutual(relation: Relation, one: number, other: number): number;
}

/** Width of a vector that is compared with that of a node which is not a neighbour. */
const pairWidth = 16;
const flagNames = ['start', 'rowSpan', 'columnSpan'] as const;

/** Where each part of a row of the network's output begins. */
const levelsAt = nodeClasses.length;
const flagsAt = levelsAt + levelCount;
const edgesAt = flagsAt + flagNames.length;
const fromAt = edgesAt + neighbourSlots * relations.length;
const toAt = fromAt + relations.length * pairWidth;
/** Numbers that the network returns for each node. */
export const outputWidth = toAt + relations.length * pairWidth;

const relationIndex = new Map<Relation, number>(relations.map((relation, index) => [relation, index]));

/** The network's output for one page, `outputWidth` numbers a node. */
export class NetworkScores implements RelationScores {
  readonly count: number;

  constructor(private readonly output: Float32Array, readonly neighbours: Int32Array) {
    this.count = output.length / outputWidth;
    if (!Number.isInteger(this.count) || neighbours.length !== this.count * neighbourSlots) throw new Error(`The network's output has ${output.length} numbers for ${neighbours.length} neighbours.`);
  }

  classes(node: number): Float32Array {
    // Class 0 is never trained.
    return logSoftmax(this.#row(node, 0, nodeClasses.length), 1);
  }

  levels(node: number): Float32Array {
    return logSoftmax(this.#row(node, levelsAt, levelCount), 1);
  }

  start(node: number): number {
    return this.#flag(node, 'start');
  }

  rowSpan(node: number): number {
    return this.#flag(node, 'rowSpan');
  }

  columnSpan(node: number): number {
    return this.#flag(node, 'columnSpan');
  }

  directed(relation: Relation, from: number, to: number): number {
    const index = relationIndex.get(relation)!;
    const slot = this.#slot(from, to);
    return slot < 0 ? this.#product(index, from, to) : this.#edge(index, from, slot);
  }

  mutual(relation: Relation, one: number, other: number): number {
    const index = relationIndex.get(relation)!;
    const [there, back] = [this.#slot(one, other), this.#slot(other, one)];
    if (there < 0 && back < 0) return (this.#product(index, one, other) + this.#product(index, other, one)) / 2;
    if (there < 0) return this.#edge(index, other, back);
    if (back < 0) return this.#edge(index, one, there);
    return (this.#edge(index, one, there) + this.#edge(index, other, back)) / 2;
  }

  #row(node: number, from: number, length: number): Float32Array {
    const start = node * outputWidth + from;
    return this.output.subarray(start, start + length);
  }

  #flag(node: number, name: (typeof flagNames)[number]): number {
    return this.output[node * outputWidth + flagsAt + flagNames.indexOf(name)]!;
  }

  #slot(from: number, to: number): number {
    const start = from * neighbourSlots;
    for (let slot = 0; slot < neighbourSlots; slot++) if (this.neighbours[start + slot] === to) return slot;
    return -1;
  }

  #edge(relation: number, node: number, slot: number): number {
    return this.output[node * outputWidth + edgesAt + slot * relations.length + relation]!;
  }

  #product(relation: number, from: number, to: number): number {
    const a = from * outputWidth + fromAt + relation * pairWidth;
    const b = to * outputWidth + toAt + relation * pairWidth;
    let sum = 0;
    for (let at = 0; at < pairWidth; at++) sum += this.output[a + at]! * this.output[b + at]!;
    return sum;
  }
}

/** Of the values from index `first` on; the others become -Infinity. */
export function logSoftmax(logits: Float32Array, first = 0): Float32Array {
  let most = -Infinity;
  for (let at = first; at < logits.length; at++) most = Math.max(most, logits[at]!);
  let sum = 0;
  for (let at = first; at < logits.length; at++) sum += Math.exp(logits[at]! - most);
  const shift = most + Math.log(sum);
  return logits.map((logit, at) => (at < first ? -Infinity : logit - shift));
}
