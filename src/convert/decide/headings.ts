/** Decides which blocks are headings (`markHeadings`): those whose score (heading-score.ts) reaches the threshold, those that continue the numbering of a heading (`findNumberedHeadings`), those that stand centred in a repeated style (centred-headings.ts), and those in exactly the style of other headings. */
import { headingScore, headingThreshold, isShort, isUpperCase } from './heading-score.js';
import type { HeadingEvidence } from './heading-score.js';
import { numberingOf } from '../wording/numbering.js';
import type { Block, TextBlock } from '../structure/block.js';
import { linesOf, plainText } from '../structure/block.js';
import type { BodyStyle } from '../structure/style.js';

/** The style of a block, which headings of one rank share; '' for the style of running text. */
export function faceOf(block: TextBlock, body: BodyStyle): string {
  const line = linesOf(block)[0]!;
  const caps = isUpperCase(plainText(block));
  if (!caps && line.font === body.font && line.bold === body.bold && line.italic === body.italic && Math.abs(line.size - body.size) < 0.06 * body.size) return '';
  return [line.font, Math.round(line.size * 2), line.bold, line.italic, caps, line.color].join('|');
}

/** Least score of a heading in exactly the style of other headings; it is below `headingThreshold`. */
const likelyFrom = 1.3;

/** Running text without a number follows, which begins as far left as the block, except for the indent of its first line. */
function opensText(block: TextBlock, next: Block | undefined): boolean {
  if (next?.kind !== 'text' || next.role !== 'text' || isShort(next) && !isSentence(plainText(next)) || numberingOf(plainText(next)) !== null) return false;
  const line = linesOf(block)[0]!;
  const [first, second] = linesOf(next);
  const left = second === undefined ? first!.box.left : Math.min(first!.box.left, second.box.left);
  return Math.abs(line.box.left - left) < 0.6 * line.size || second === undefined && left > line.box.left && left - line.box.left < widestIndent * line.size;
}

/** Widest indent of a paragraph's first line, in ems. */
const widestIndent = 2.5;

/** A whole sentence, or one that ends in a formula below it. */
function isSentence(text: string): boolean {
  const words = text.split(' ');
  return /[.!?]$/.test(text) && words.length >= 5 || words.length >= 7 && words.filter((word) => /^\p{Ll}/u.test(word)).length > 0.5 * words.length;
}

/** Least score of a heading that is lettered and in italics. */
const leastLettered = 0.5;

/** A block with a number, among the numbered blocks of its style. */
interface Counted {
  block: Block;
  value: number;
  /** Its own score reaches `headingThreshold`. */
  sure: boolean;
}

/**
 * Blocks of one line that continue the numbering of a heading in its style, each over text that begins as far left. They are headings even with little white space around them:
 * the items of a list would follow each other directly, or have indented text. A numbering by letters in italics, as in many papers, may begin with a block whose own score is low.
 */
export function findNumberedHeadings(blocks: Block[], next: Map<Block, Block | undefined>, evidence: HeadingEvidence): Set<Block> {
  const series = new Map<string, Counted[]>();
  for (const block of blocks) {
    if (block.kind !== 'text' || block.role !== 'text' || linesOf(block).length > 1 || !opensText(block, next.get(block))) continue;
    const numbering = numberingOf(plainText(block));
    const face = faceOf(block, evidence.body);
    if (numbering === null || numbering.depth > 1 || face === '') continue;
    const score = headingScore(block, next.get(block), evidence);
    // The short line that introduces a formula below a letter in italics speaks against any heading.
    if (score < (numbering.kind === 'letter' && linesOf(block)[0]!.italic && !evidence.body.italic ? leastLettered : likelyFrom)) continue;
    const key = `${numbering.kind}|${face}`;
    const counted = series.get(key) ?? [];
    counted.push({ block, value: numbering.values[0]!, sure: score >= headingThreshold });
    series.set(key, counted);
  }
  const found = new Set<Block>();
  for (const counted of series.values()) {
    const isLettered = numberingOf(plainText(counted[0]!.block as TextBlock))!.kind === 'letter' && linesOf(counted[0]!.block as TextBlock)[0]!.italic && !evidence.body.italic;
    for (const block of goingOn(counted, isLettered)) found.add(block);
  }
  return found;
}

/** The blocks that continue the numbering from a heading. `mayBegin`: the numbering may also begin at its first member (1, A), which is then a heading too. */
function goingOn(counted: Counted[], mayBegin: boolean): Block[] {
  const found: Block[] = [];
  const begins: Block[] = [];
  let [value, begin] = [NaN, null as Block | null];
  for (const each of counted) {
    const goesOn = each.value === value + 1;
    if (goesOn) found.push(each.block);
    if (goesOn && begin !== null) begins.push(begin);
    begin = null;
    if (!goesOn && !each.sure && mayBegin && each.value === 1) begin = each.block;
    if (goesOn || each.sure || begin !== null) value = each.value;
  }
  return [...begins, ...found];
}

/** Gives the headings among `blocks` their role. The blocks are in reading order, and captions and list items are marked already. Blocks of `numbered` are headings whatever their score is. */
export function markHeadings(blocks: Block[], next: Map<Block, Block | undefined>, evidence: HeadingEvidence, numbered: Set<Block>): void {
  const likely: { block: TextBlock; face: string }[] = [];
  const faces = new Map<string, { headings: number; others: number }>();
  for (const block of blocks) {
    if (block.kind !== 'text' || block.role !== 'text' || block.columnParts.length > 1) continue;
    const score = headingScore(block, next.get(block), evidence);
    const face = faceOf(block, evidence.body);
    const count = faces.get(face) ?? { headings: 0, others: 0 };
    faces.set(face, count);
    if (score >= headingThreshold || numbered.has(block)) {
      block.role = 'heading';
      count.headings++;
    } else if (score >= likelyFrom) likely.push({ block, face });
    else count.others++;
  }
  for (const { block, face } of likely) {
    const { headings, others } = faces.get(face)!;
    if (face !== '' && headings >= 2 && headings >= 2 * others) block.role = 'heading';
  }
}
