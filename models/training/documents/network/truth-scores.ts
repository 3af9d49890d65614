/** The scores of a network that is never wrong: made of the truth of a page, to see what the decoder alone loses. A share of the pairs can be turned round. */
import { nodeClasses } from '../../../../src/convert/relations/classes.js';
import type { NodeClass, Relation } from '../../../../src/convert/relations/classes.js';
import type { PageNodes } from '../../../../src/convert/relations/nodes.js';
import { levelCount } from '../../../../src/convert/relations/scores.js';
import type { RelationScores } from '../../../../src/convert/relations/scores.js';
import { hash } from '../builder/random.js';
import { enclosing } from './shard-page.js';
import type { ShardPage, StructureTruth } from './shard-page.js';

/** The logit of what is true. */
const SURE = 6;
const UNSURE = Math.log(1 / (nodeClasses.length * Math.exp(SURE)));

export interface NodeTruth {
  cls: NodeClass;
  /** Structure nodes of the page: the block (a cell, or the innermost node), the table of a cell, the cell itself; -1 for none. */
  block: number;
  table: number;
  cell: number;
  order: number;
  level: number;
}

/** What most characters of each node say. */
export function nodeTruths({ content, words, structure, pictures }: ShardPage, { nodes }: Pick<PageNodes, 'nodes'>): NodeTruth[] {
  const boxes = [...content.images.map(({ box }) => box), ...content.drawings];
  return nodes.map(({ words: own, box }): NodeTruth => {
    if (own.length === 0) {
      const picture = pictures[boxes.findIndex(({ left, top, right, bottom }) => left === box.left && top === box.top && right === box.right && bottom === box.bottom)] ?? -1;
      return { cls: picture >= 0 ? 'picture' : 'decoration', block: picture, table: -1, cell: -1, order: -1, level: 0 };
    }
    const majority = <Value>(value: (word: number) => Value): Value => {
      const votes = new Map<Value, number>();
      for (const word of own) votes.set(value(word), (votes.get(value(word)) ?? 0) + Math.max(1, content.words[word]!.text.length));
      return [...votes].reduce((a, b) => (b[1] > a[1] ? b : a))[0];
    };
    const cell = majority((word) => words[word]!.cell);
    const node = majority((word) => words[word]!.node);
    // A repeated head stands for itself: nothing on the page holds it and the first one together.
    const isRepeated = majority((word) => words[word]!.repeated);
    return {
      cls: majority((word) => words[word]!.cls), block: isRepeated ? -1 : cell >= 0 ? cell : node, cell, table: cell < 0 ? -1 : enclosing(structure, cell, 'table'), order: Math.min(...own.map((word) => words[word]!.order)),
      level: node < 0 ? 0 : levelOf(structure, node),
    };
  });
}

/** The level of a heading, or the nesting of the list item around a node. */
export function levelOf(structure: readonly StructureTruth[], node: number): number {
  for (let at = node; at >= 0; at = structure[at]!.parent) if (structure[at]!.level > 0) return Math.min(structure[at]!.level, levelCount - 1);
  return 1;
}

/** `flips` of the pairs of each relation have the contrary score; which ones is fixed by `seed`. */
export class TruthScores implements RelationScores {
  readonly count: number;
  readonly #next: Int32Array;
  readonly #first: Set<number>;

  constructor(private readonly page: ShardPage, private readonly truths: readonly NodeTruth[], readonly neighbours: Int32Array, private readonly flips = 0, private readonly seed = '') {
    this.count = truths.length;
    const ranked = [...truths.keys()].filter((node) => truths[node]!.order >= 0).sort((a, b) => truths[a]!.order - truths[b]!.order || a - b);
    this.#next = new Int32Array(this.count).fill(-1);
    for (const [at, node] of ranked.entries()) this.#next[node] = ranked[at + 1] ?? -1;
    const seen = new Set<number>();
    this.#first = new Set(ranked.filter((node) => truths[node]!.block < 0 || !seen.has(truths[node]!.block) && seen.add(truths[node]!.block)));
  }

  classes(node: number): Float32Array {
    return Float32Array.from(nodeClasses, (name) => (name === this.truths[node]!.cls ? Math.log(1 - Math.exp(-SURE)) : UNSURE));
  }

  levels(node: number): Float32Array {
    const level = Math.max(1, this.truths[node]!.level);
    return Float32Array.from({ length: levelCount }, (_, at) => (at === level ? Math.log(1 - Math.exp(-SURE)) : -SURE));
  }

  start(node: number): number {
    return this.#first.has(node) ? SURE : -SURE;
  }

  rowSpan(node: number): number {
    return this.#cell(node) !== undefined && this.#cell(node)!.rowSpan > 1 ? SURE : -SURE;
  }

  columnSpan(node: number): number {
    return this.#cell(node) !== undefined && this.#cell(node)!.columnSpan > 1 ? SURE : -SURE;
  }

  directed(relation: Relation, from: number, to: number): number {
    const isTrue = relation === 'next' ? this.#next[from] === to : relation === 'caption' ? this.#isCaptionOf(from, to) : this.#isTrue(relation, Math.min(from, to), Math.max(from, to));
    const [one, other] = relation === 'next' || relation === 'caption' ? [from, to] : [Math.min(from, to), Math.max(from, to)];
    const isFlipped = this.flips > 0 && hash(`${this.seed} ${relation} ${one} ${other}`) / 2 ** 32 < this.flips;
    return isTrue !== isFlipped ? SURE : -SURE;
  }

  mutual(relation: Relation, one: number, other: number): number {
    return this.directed(relation, one, other);
  }

  #cell(node: number): StructureTruth['cell'] | undefined {
    const { cell } = this.truths[node]!;
    return cell < 0 ? undefined : this.page.structure[cell]!.cell;
  }

  #isTrue(relation: Relation, one: number, other: number): boolean {
    const [a, b] = [this.truths[one]!, this.truths[other]!];
    if (relation === 'block') return a.block >= 0 && a.block === b.block;
    if (a.table < 0 || a.table !== b.table) return false;
    if (relation === 'table') return true;
    const [first, second] = [this.#cell(one)!, this.#cell(other)!];
    return relation === 'row' ? first.row < second.row + second.rowSpan && second.row < first.row + first.rowSpan : first.column < second.column + second.columnSpan && second.column < first.column + first.columnSpan;
  }

  #isCaptionOf(from: number, to: number): boolean {
    const { structure } = this.page;
    const { block } = this.truths[from]!;
    const target = block < 0 ? -1 : structure[block]!.target;
    if (target < 0 || this.truths[from]!.cell >= 0) return false;
    for (let at = this.truths[to]!.block; at >= 0; at = structure[at]!.parent) if (at === target) return this.truths[to]!.cls !== 'caption';
    return false;
  }
}
