/** Joins the lines of one heading into one block, after decide/headings.ts has marked them as headings. */
import { middleX, unionBox, widthOf } from '../../geometry/box.js';
import { markerOf } from '../wording/markers.js';
import { numberingOf } from '../wording/numbering.js';
import type { Block, TextBlock } from './block.js';
import { linesOf } from './block.js';

/** Joins lines of one heading that are too far apart for a paragraph, as in titles. */
export function joinHeadingLines(blocks: Block[]): Block[] {
  const result: Block[] = [];
  for (const block of blocks) {
    const last = result.at(-1);
    if (last !== undefined && isHeading(last) && isHeading(block) && areOneHeading(last, block)) {
      const [above, below] = [last.columnParts[0]!, block.columnParts[0]!];
      above.lines = [...above.lines, ...below.lines];
      above.box = unionBox([above.box, below.box]);
      last.spaceBelow = block.spaceBelow;
    } else {
      result.push(block);
    }
  }
  return result;
}

function isHeading(block: Block): block is TextBlock {
  return block.kind === 'text' && block.role === 'heading';
}

function areOneHeading(first: TextBlock, second: TextBlock): boolean {
  const above = linesOf(first).at(-1)!;
  const below = linesOf(second)[0]!;
  if (first.columnParts[0]!.pageIndex !== second.columnParts[0]!.pageIndex || second.spaceAbove === Infinity) return false;
  if (Math.abs(above.size - below.size) > 0.03 * above.size || above.bold !== below.bold || above.italic !== below.italic || above.color !== below.color) return false;
  if (numberingOf(below.text) !== null || markerOf(below.text) !== null || /[.!?:]$/.test(above.text)) return false;
  if (second.spaceAbove > 0.75 * above.size) return false;
  const { left, right } = first.columnParts[0]!.column;
  const middle = (box: { left: number; right: number }): number => middleX(box);
  const centred = Math.abs(middle(above.box) - middle(below.box)) < 0.5 * above.size;
  // A full line continues; a line that ends early ends because the words are set in lines.
  const full = widthOf(above.box) > 0.6 * (right - left);
  return centred || full && Math.abs(above.box.left - below.box.left) < 0.5 * above.size;
}
