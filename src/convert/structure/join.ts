/** Paragraphs that run on in the next column or on the next page become one again. */
import type { Block, TextBlock } from './block.js';
import { linesOf } from './block.js';
import { endsOpen, goesOnAfterAbbreviation } from './sentences.js';

/** Blocks that may stand between the halves of a paragraph: they were put there by the page, not by the author. */
function isFloating(block: Block): boolean {
  return block.kind !== 'text' || block.role === 'caption' || block.role === 'footnote' || block.role === 'page_header' || block.role === 'page_footer';
}

const sentenceEnd = /[.!?:…。！？]["'”’»)\]]*\d{0,3}$/;

function continuesText(first: TextBlock, second: TextBlock): boolean {
  const above = linesOf(first).at(-1)!;
  const below = linesOf(second)[0]!;
  const [from, to] = [first.stretches.at(-1)!, second.stretches[0]!];
  if (Math.abs(above.size - below.size) > 0.08 * above.size || above.bold !== below.bold || above.italic !== below.italic && below.boldPrefix > 0) return false;
  if (from.pageIndex === to.pageIndex && to.box.top >= from.box.bottom && Math.abs(from.column.left - to.column.left) < 20) return false;
  if (to.pageIndex - from.pageIndex > 1) return false;
  if (above.softHyphen || /\p{L}[-\u00ad\u2010]$/u.test(above.text)) return /^\p{Ll}/u.test(below.text);
  if (sentenceEnd.test(above.text) && !goesOnAfterAbbreviation(above.text, below.text)) return false;
  const full = above.box.right > from.column.right - 0.2 * (from.column.right - from.column.left);
  if (!full) return false;
  return /^[\p{Ll}\p{Lo}(]/u.test(below.text) || /[,;–—]$/.test(above.text) || endsOpen(above.text)
    || /^[\p{L}\d“"'‘]/u.test(below.text) && linesOf(first).length > 1 && linesOf(second).length > 1;
}

/** Joins the halves; the joined block stands where the first half stood. */
export function joinAcrossColumns(blocks: Block[]): Block[] {
  const result: Block[] = [];
  for (const block of blocks) {
    if (block.kind === 'text' && block.role === 'text') {
      let at = result.length - 1;
      while (at >= 0 && isFloating(result[at]!) && result.length - at < 12) at--;
      const earlier = at >= 0 ? result[at]! : undefined;
      const mayJoin = earlier !== undefined && earlier.kind === 'text' && (earlier.role === 'text' || earlier.role === 'list_item');
      if (mayJoin && continuesText(earlier, block)) {
        earlier.stretches.push(...block.stretches);
        earlier.spaceBelow = block.spaceBelow;
        continue;
      }
    }
    result.push(block);
  }
  return result;
}
