/** Finds footnotes: small text at the foot of a page or column that begins with a number or character. */
import type { Block, TextBlock } from './block.js';
import { linesOf, plainText } from './block.js';
import { isLikely, isUnlikely } from '../decide/line-classes.js';
import type { BodyStyle } from './style.js';

const noteStart = /^(?:\d{1,3}[.)]?\s*(?=[\p{L}“"'‘(\[])|[*†‡§¶#∗]{1,3}\s*(?=\S)|\([a-z\d]{1,2}\)\s+)/u;

/** A number or character followed by some words, or an address alone. */
export function beginsNote(text: string): boolean {
  return noteStart.test(text) && (text.split(' ').length >= 4 || isAddressNote(text));
}

/** A number or character followed by an address; running footers have no numbers of their own before addresses. */
export function isAddressNote(text: string): boolean {
  return /^(?:\d{1,3}|[*†‡§])\s*(?:https?:\/\/|www\.)\S+$/u.test(text);
}

/** Marks footnotes. At least two of three signs are needed: small, low on the page, and numbered. Small is always needed. */
export function markFootnotes(blocks: Block[], body: BodyStyle, pageHeight: (pageIndex: number) => number, separators: (pageIndex: number) => number[]): void {
  for (const [index, block] of blocks.entries()) {
    if (block.kind !== 'text' || block.role !== 'text') continue;
    if (!isFootnote(block, blocks[index - 1], body, pageHeight, separators)) continue;
    block.role = 'footnote';
    setMarkApart(block);
  }
}

/** The number at the begin of a note; NaN for characters. */
function numberOf(block: TextBlock): number {
  return parseInt(plainText(block), 10);
}

/** Some programs set a note's mark as high as its text and directly before it. */
function setMarkApart(block: TextBlock): void {
  const { lines } = block.columnParts[0]!;
  const [first] = lines;
  const mark = /^(?:\d{1,3}|[*†‡§]{1,3})(?=[\p{Lu}“"„«(]\p{L}*\p{Ll})/u.exec(first?.text ?? '')?.[0];
  if (first === undefined || mark === undefined || isotopeAhead.test(first.text)) return;
  const shifted = (at: number): number => (at > mark.length ? at + 1 : at);
  lines[0] = {
    ...first, text: `${mark} ${first.text.slice(mark.length)}`,
    spans: first.spans.map((span) => ({ ...span, start: span.start >= mark.length ? span.start + 1 : span.start, end: shifted(span.end) })),
  };
}

/** `3D` and `14C` are words, and so is a formula. */
const isotopeAhead = /^\d{1,3}\p{Lu}(?:\p{Lu}|\d|\b)/u;

function isFootnote(block: TextBlock, before: Block | undefined, body: BodyStyle, pageHeight: (pageIndex: number) => number, separators: (pageIndex: number) => number[]): boolean {
  const { pageIndex, box } = block.columnParts[0]!;
  const lines = linesOf(block);
  const small = lines[0]!.size <= 0.92 * body.size;
  const height = pageHeight(pageIndex);
  const low = box.top > 0.5 * height;
  const numbered = noteStart.test(plainText(block));
  const ruled = separators(pageIndex).some((y) => y < box.top && y > box.top - 0.35 * height && y > 0.4 * height);
  if (isLikely(block, 0.8, 'footnote') && box.top > 0.3 * height) return true;
  const follows = before !== undefined && before.kind === 'text' && before.role === 'footnote' && before.columnParts[0]!.pageIndex === pageIndex;
  if (follows && low && numbered && numberOf(block) === numberOf(before) + 1) return true;
  if (!small || !low || isUnlikely(block, 0.02, 'footnote')) return false;
  return numbered && (ruled || box.top > 0.6 * height) || ruled && follows;
}
