/** What the decoder knows of a page besides scores: the boxes of the nodes, their lines, the drawn lines between them. */
import { horizontalOverlap, middleX, middleY, verticalOverlap, widthOf, heightOf } from '../../geometry/box.js';
import type { Box } from '../../geometry/box.js';
import { countRightToLeftLetters } from '../wording/scripts.js';
import type { NodePage, PageNode } from './nodes.js';

/** Share of the narrower of two boxes that a ruling between them must cover, and points by which it may reach into one of them. */
const rulingTolerances = { share: 0.5, slack: 1.5 } as const;
/** Share of the lower of two boxes by which two pieces of one text line overlap. */
const sameLine = 0.5;
const mostlyRightToLeft = 0.5;

export class PageEvidence {
  readonly #horizontal: NodePage['rulings'];
  readonly #vertical: NodePage['rulings'];

  constructor(readonly page: NodePage, readonly nodes: readonly PageNode[], readonly em: number) {
    const sorted = (which: 'horizontal' | 'vertical'): NodePage['rulings'] => page.rulings.filter(({ orientation }) => orientation === which).sort((a, b) => a.position - b.position);
    this.#horizontal = sorted('horizontal');
    this.#vertical = sorted('vertical');
  }

  box(node: number): Box {
    return this.nodes[node]!.box;
  }

  isPicture(node: number): boolean {
    return this.nodes[node]!.words.length === 0;
  }

  /** Characters, at least 1. */
  letters(node: number): number {
    return Math.max(1, this.nodes[node]!.words.reduce((sum, word) => sum + this.page.words[word]!.text.length, 0));
  }

  /** Whether most letters of the nodes are read from the right. */
  isRightToLeft(nodes: readonly number[]): boolean {
    const text = nodes.flatMap((node) => this.nodes[node]!.words.map((word) => this.page.words[word]!.text)).join('').replace(/[^\p{L}]/gu, '');
    return countRightToLeftLetters(text) > mostlyRightToLeft * text.length;
  }

  /** Whether a drawn line parts two boxes one of which stands above the other. */
  isRuledBetweenRows(one: Box, other: Box): boolean {
    const [above, below] = middleY(one) <= middleY(other) ? [one, other] : [other, one];
    const { slack, share } = rulingTolerances;
    return between(this.#horizontal, Math.max(above.bottom - slack, middleY(above)), Math.min(below.top + slack, middleY(below))).some(({ start, end }) => [one, other].every((box) => Math.min(end, box.right) - Math.max(start, box.left) >= share * widthOf(box)));
  }

  /** Whether a drawn line parts two boxes that stand side by side. */
  isRuledBetweenColumns(one: Box, other: Box): boolean {
    const [before, after] = middleX(one) <= middleX(other) ? [one, other] : [other, one];
    const { slack, share } = rulingTolerances;
    return between(this.#vertical, Math.max(before.right - slack, middleX(before)), Math.min(after.left + slack, middleX(after))).some(({ start, end }) => [one, other].every((box) => Math.min(end, box.bottom) - Math.max(start, box.top) >= share * heightOf(box)));
  }

  isRuledBetween(one: Box, other: Box): boolean {
    return this.isRuledBetweenRows(one, other) || this.isRuledBetweenColumns(one, other);
  }

  /** The nodes line by line, within a line from the left, or from the right where the text is read so. */
  inLines(nodes: readonly number[]): number[] {
    if (nodes.length < 2) return [...nodes];
    const rightToLeft = this.isRightToLeft(nodes);
    const lines: number[][] = [];
    for (const node of [...nodes].sort((a, b) => this.box(a).top - this.box(b).top || a - b)) {
      const line = lines.findLast((each) => each.some((other) => this.#isBeside(node, other)));
      if (line === undefined) lines.push([node]);
      else line.push(node);
    }
    return lines.flatMap((line) => line.sort((a, b) => (rightToLeft ? this.box(b).right - this.box(a).right : this.box(a).left - this.box(b).left) || a - b));
  }

  #isBeside(one: number, other: number): boolean {
    const [a, b] = [this.box(one), this.box(other)];
    return verticalOverlap(a, b) > sameLine * Math.min(heightOf(a), heightOf(b)) && horizontalOverlap(a, b) < sameLine * Math.min(widthOf(a), widthOf(b));
  }
}

/** The rulings, which are sorted by position, whose position lies between two. */
function between(rulings: NodePage['rulings'], from: number, to: number): NodePage['rulings'] {
  let [low, high] = [0, rulings.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rulings[middle]!.position < from) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end < rulings.length && rulings[end]!.position <= to) end++;
  return rulings.slice(low, end);
}
