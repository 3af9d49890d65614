/** Joins paragraphs that continue in the next column, on the next page or around inserted objects. */
import { containsBox, widthOf } from '../../geometry/box.js';
import type { Box } from '../../pdf/pdf-page.js';
import type { TextLine } from '../page/text-line.js';
import type { Block, TextBlock } from './block.js';
import { linesOf } from './block.js';
import { numberingOf } from '../wording/numbering.js';
import { endsOpen, goesOnAfterAbbreviation } from '../wording/sentences.js';

/** Blocks that may stand between the halves of a paragraph: the page layout put them there, not the author. */
function isFloating(block: Block): boolean {
  return block.kind !== 'text' || block.role === 'caption' || block.role === 'footnote' || block.role === 'page_header' || block.role === 'page_footer';
}

const sentenceEnd = /[.!?:…。！？]["'”’»)\]]*\d{0,3}$/;
/** A box in a paragraph has no more blocks. */
const mostBetween = 12;
/** Running text has a line with at least this many letters: addresses, names and dates side by side do not. */
const lettersOfText = 24;
/** In ems: the largest distance to the next line, and the largest difference of their left edges. */
const nextLine = 1.7;
const sameEdge = 0.5;

/** The halves of a possible paragraph, and the blocks between them. */
interface Halves {
  first: TextBlock;
  second: TextBlock;
  above: TextLine;
  below: TextLine;
}

function halvesOf(first: TextBlock, second: TextBlock): Halves {
  return { first, second, above: linesOf(first).at(-1)!, below: linesOf(second)[0]! };
}

/** `mayStandBelow`: the halves may be in one column. */
function continuesText({ first, second, above, below }: Halves, mayStandBelow: boolean): boolean {
  const [from, to] = [first.columnParts.at(-1)!, second.columnParts[0]!];
  if (Math.abs(above.size - below.size) > 0.08 * above.size || above.bold !== below.bold || above.italic !== below.italic && below.boldPrefix > 0) return false;
  if (!mayStandBelow && from.pageIndex === to.pageIndex && to.box.top >= from.box.bottom && Math.abs(from.column.left - to.column.left) < 20) return false;
  if (to.pageIndex - from.pageIndex > 1) return false;
  if (above.softHyphen || /\p{L}[-\u00ad\u2010]$/u.test(above.text)) return /^\p{Ll}/u.test(below.text);
  if (sentenceEnd.test(above.text) && !goesOnAfterAbbreviation(above.text, below.text)) return false;
  const full = above.box.right > from.column.right - 0.2 * widthOf(from.column);
  if (!full) return false;
  return /^[\p{Ll}\p{Lo}(]/u.test(below.text) || /[,;–—]$/.test(above.text) || endsOpen(above.text)
    || /^[\p{L}\d“"'‘]/u.test(below.text) && [first, second].every((half) => linesOf(half).length > 1 && linesOf(half).some(({ text }) => text.length >= lettersOfText));
}

/** Whether the second half continues in the line below the first one; beside a box at the left it begins further out. */
function standsRightBelow({ first, second, above, below }: Halves, between: Block[]): boolean {
  const { pageIndex } = first.columnParts.at(-1)!;
  const distance = below.baseline - above.baseline;
  if (pageIndex !== second.columnParts[0]!.pageIndex || distance < 0.5 * above.size || distance > nextLine * above.size) return false;
  const step = above.box.left - below.box.left;
  return Math.abs(step) < sameEdge * above.size || step > 0 && between.some((block) => boxesOf(block).some(({ box }) => box.right <= above.box.left && box.left >= below.box.left - 1));
}

function boxesOf(block: Block): { pageIndex: number; box: Box }[] {
  if (block.kind === 'text') return block.columnParts;
  return [{ pageIndex: block.pageIndex, box: block.kind === 'table' ? block.table.box : block.figure.box }];
}

/** Within a point. */
const isIn = (inner: Box, outer: Box): boolean => containsBox(outer, inner, 1);

/** A title above its text; no sentence continues around it. */
function standsOver(heading: TextBlock, below: TextBlock): boolean {
  const [over, under] = [heading.columnParts.at(-1)!, below.columnParts[0]!];
  return over.pageIndex === under.pageIndex && over.box.bottom <= under.box.top + 1 && over.box.left < under.box.right && over.box.right > under.box.left;
}

/** Whether the page set these blocks into the paragraph: on a fill or in a frame, beside lines that continue below, or in larger or smaller letters within a sentence. */
function isSetApart(block: TextBlock, { first, second, above, below }: Halves, isRightBelow: boolean, panelsOf: (pageIndex: number) => Box[]): boolean {
  const outside = (panel: Box, pageIndex: number): boolean => ![{ line: above, pageIndex: first.columnParts.at(-1)!.pageIndex }, { line: below, pageIndex: second.columnParts[0]!.pageIndex }].some((half) => half.pageIndex === pageIndex && isIn(half.line.box, panel));
  if (block.columnParts.every(({ pageIndex, box }) => panelsOf(pageIndex).some((panel) => isIn(box, panel) && outside(panel, pageIndex)))) return true;
  const { box } = first.columnParts.at(-1)!;
  if (isRightBelow && block.columnParts.every((columnPart) => columnPart.box.left >= box.right - 1 || columnPart.box.right <= box.left + 1)) return true;
  if (block.role === 'heading' && standsOver(block, second)) return false;
  const [{ size, text }] = linesOf(block) as [TextLine];
  return numberingOf(text) === null && (block.role === 'text' || block.role === 'heading') && Math.abs(size - above.size) > 0.08 * above.size && linesOf(first).length > 1 && /^\p{Ll}/u.test(below.text);
}

/** A box with a title, or words in larger letters, within a sentence, unless it is a program, formula or small print to which the sentence refers. */
function partsSentence(apart: TextBlock[], { above, below }: Halves): boolean {
  const isLarger = (block: TextBlock): boolean => linesOf(block)[0]!.size > 1.08 * above.size;
  return /^\p{Ll}/u.test(below.text) && apart.some((block) => block.role === 'heading' || isLarger(block)) && apart.every(({ role }) => role !== 'code' && role !== 'formula');
}

/** The block among the previous ones that `block` continues; null if it begins a paragraph. */
function beginningOf(block: TextBlock, before: Block[], panelsOf: (pageIndex: number) => Box[]): TextBlock | null {
  const between: Block[] = [];
  const apart: TextBlock[] = [];
  for (let at = before.length - 1; at >= 0 && between.length < mostBetween; at--) {
    const earlier = before[at]!;
    if (isFloating(earlier)) {
      between.push(earlier);
      continue;
    }
    const candidate = earlier as TextBlock;
    const halves = halvesOf(candidate, block);
    const isRightBelow = between.length > 0 && standsRightBelow(halves, between);
    const mayJoin = candidate.role === 'text' || candidate.role === 'list_item';
    // A block that begins with a capital continues an earlier block than the previous one only if it stands directly below that.
    const goesOn = apart.length === 0 || isRightBelow || /^[\p{Ll}\p{Lo}(]/u.test(halves.below.text);
    if (mayJoin && goesOn && continuesText(halves, isRightBelow || partsSentence(apart, halves)) && apart.every((one) => isSetApart(one, halves, isRightBelow, panelsOf))) return candidate;
    between.push(candidate);
    apart.push(candidate);
  }
  return null;
}

/** Joins the halves at the place of the first half. `panelsOf`: fills and frames of a page. */
export function joinAcrossColumns(blocks: Block[], panelsOf: (pageIndex: number) => Box[]): Block[] {
  const result: Block[] = [];
  for (const block of blocks) {
    const beginning = block.kind === 'text' && block.role === 'text' ? beginningOf(block, result, panelsOf) : null;
    if (beginning === null) {
      result.push(block);
      continue;
    }
    const { columnParts, spaceBelow } = block as TextBlock;
    beginning.columnParts.push(...columnParts);
    beginning.spaceBelow = spaceBelow;
  }
  return result;
}
