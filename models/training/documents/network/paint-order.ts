/** Other orders in which the words of a page might be painted. Browsers paint in reading order; many files do not, and a network that saw no others takes the painting order for the reading order. */
import type { NodePage } from '../../../../src/convert/relations/nodes.js';
import { hash, randomNumbers } from '../builder/random.js';

/** Mean number of text lines that are painted together. */
const TOGETHER = 6;

/**
 * New places of the words: an array of all indices of `page.words`, those of a text line together and in their order. Drawn by `seed`: lines from top to bottom over all columns, groups of
 * lines in any order, the groups from the last to the first, or single lines in any order.
 */
export function paintOrder({ words }: Pick<NodePage, 'words'>, seed: string): number[] {
  const random = randomNumbers(hash(`paint ${seed}`));
  const byLine = new Map<number, number[]>();
  for (const [index, { line }] of words.entries()) {
    const own = byLine.get(line);
    if (own === undefined) byLine.set(line, [index]);
    else own.push(index);
  }
  const lines = [...byLine.values()];
  const kind = Math.floor(4 * random());
  if (kind === 0) return lines.sort((a, b) => words[a[0]!]!.baseline - words[b[0]!]!.baseline || words[a[0]!]!.box.left - words[b[0]!]!.box.left || a[0]! - b[0]!).flat();
  if (kind === 1) return shuffled(lines, random).flat();
  const groups: number[][] = [];
  for (const line of lines) {
    if (groups.length === 0 || random() < 1 / TOGETHER) groups.push([...line]);
    else groups.at(-1)!.push(...line);
  }
  return (kind === 2 ? groups.reverse() : shuffled(groups, random)).flat();
}

function shuffled<Entry>(entries: readonly Entry[], random: () => number): Entry[] {
  return entries.map((entry) => ({ entry, key: random() })).sort((a, b) => a.key - b.key).map(({ entry }) => entry);
}
