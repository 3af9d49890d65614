/** Which blocks are headings: larger, bolder, numbered or set apart from the text they stand over. */
import { middleX, unionBox, widthOf } from '../../geometry/box.js';
import type { OutlineEntry } from '../../pdf/pdf-page.js';
import type { TextLine } from '../page/text-line.js';
import type { Block, TextBlock } from './block.js';
import { linesOf, plainText } from './block.js';
import { isCaptionText } from '../wording/captions.js';
import { markerOf } from '../wording/markers.js';
import { numberingOf } from '../wording/numbering.js';
import { isUnlikely } from '../decide/line-classes.js';
import type { BodyStyle } from './style.js';

/** Letters, folded, for comparing a block with an outline entry. */
export function foldTitle(text: string): string {
  return text.toLowerCase().normalize('NFKC').replace(/[^\p{L}\p{N}]+/gu, '');
}

export interface HeadingEvidence {
  body: BodyStyle;
  /** Folded titles of the outline with their depth from 0, by page index. */
  outline: Map<number, Map<string, number>>;
  /** Share of the running text that stands in blocks of bold: 0..1. */
  boldShare: number;
}

/** Outline entries by page, ready for look-up. */
export function indexOutline(entries: OutlineEntry[]): Map<number, Map<string, number>> {
  const pages = new Map<number, Map<string, number>>();
  for (const entry of entries) {
    const key = foldTitle(entry.title);
    if (key === '' || entry.pageIndex < 0) continue;
    const titles = pages.get(entry.pageIndex) ?? new Map<string, number>();
    if (!titles.has(key)) titles.set(key, entry.depth);
    pages.set(entry.pageIndex, titles);
  }
  return pages;
}

/** Depth of the outline entry that names this block, or -1. Entries often leave the number out. */
export function outlineDepth(block: TextBlock, outline: HeadingEvidence['outline']): number {
  const titles = outline.get(block.stretches[0]!.pageIndex);
  if (titles === undefined) return -1;
  const text = plainText(block);
  const whole = titles.get(foldTitle(text));
  if (whole !== undefined) return whole;
  const numbering = numberingOf(text);
  return numbering === null ? -1 : titles.get(foldTitle(text.slice(numbering.length))) ?? -1;
}

function isUpperCase(text: string): boolean {
  const letters = text.replace(/[^\p{L}]/gu, '');
  return letters.length >= 4 && letters === letters.toUpperCase() && letters !== letters.toLowerCase();
}

function sizeScore(line: TextLine, body: BodyStyle): number {
  const ratio = line.size / body.size;
  if (ratio >= 1.5) return 4;
  if (ratio >= 1.18) return 3.2;
  if (ratio >= 1.12) return 1.6;
  if (ratio >= 1.06) return 1;
  if (ratio < 0.75) return -1.5;
  if (ratio < 0.94) return -0.6;
  return 0;
}

function styleScore(line: TextLine, text: string, evidence: HeadingEvidence): number {
  const { body } = evidence;
  let score = 0;
  if (line.bold && !body.bold) score += evidence.boldShare > 0.2 ? 1.4 : 2.6;
  if (isUpperCase(text)) score += 1.3;
  if (line.italic && !body.italic) score += 0.5;
  if (line.color !== body.color && line.color !== 0) score += 0.7;
  if (line.font !== body.font && !line.bold && !line.italic) score += 0.3;
  return score;
}

function placeScore(block: TextBlock, body: BodyStyle, next: Block | undefined): number {
  const leading = body.leading * body.size;
  const above = block.spaceAbove;
  let score = 0;
  if (above > 0.75 * leading) score += 0.8;
  if (above < 0.25 * leading && above > -5) score -= 0.4;
  if (next === undefined) score -= 1.6;
  else if (next.kind === 'text' && next.role === 'text' && next.spaceAbove > 3.5 * leading) score -= 0.6;
  // A heading stands nearer to what follows than to what it closes.
  if (block.spaceBelow !== Infinity && above > block.spaceBelow + 0.15 * leading) score += 0.5;
  if (next !== undefined && next.kind === 'text' && next.role === 'text' && numberingOf(plainText(next)) === null && (isShort(next) || /@/.test(plainText(next)) && linesOf(next).length < 3)) score -= 0.7;
  return score;
}

/** One line that does not fill its column: an address, a date, no text that a heading would open. */
function isShort(block: TextBlock): boolean {
  const { lines, box, column } = block.stretches[0]!;
  return block.stretches.length === 1 && lines.length === 1 && widthOf(box) < 0.8 * widthOf(column);
}

function wordingScore(text: string, lines: TextLine[], line: TextLine): number {
  let score = 0;
  const numbering = numberingOf(text);
  if (numbering !== null) score += numbering.strong ? 1.6 : 0.9;
  if (/[,;，；、]$/u.test(text) || /^[“"„«].*[”"“»]$/u.test(text)) score -= 3;
  else if (/[.。]$/u.test(text) && numbering === null) score -= 0.7;
  if (/^\p{Ll}/u.test(text)) score -= 1.8;
  if (text.length > 120) score -= 1.5;
  if (text.length > 220) score -= 4;
  if (lines.length > 4 || lines.length === 4 && text.length > 150) score -= 3;
  if (/^(19|20)\d\d$|^\p{L}+ (19|20)\d\d$/u.test(text)) score -= 1.5;
  if (/@|https?:|www\./.test(text)) score -= 2.5;
  const words = text.split(' ');
  if (words.length >= 10 && !line.bold && numbering === null && words.filter((word) => /^\p{Ll}/u.test(word)).length > 0.6 * words.length) score -= 1.5;
  if (line.monospace) score -= 1.5;
  // Words far apart on one line are the head of a table that was not seen as one.
  if (line.pieces.length > 2) score -= 2;
  return score;
}

/** So little of a heading does the layout network see in lines that this speaks against it, on scans: no face is named there, and weight is measured. Where the file tells of its fonts, headings are known better without it. */
const leastHeading = 0.02;

/** A number that stands apart, as before a heading, is a line by itself to the network, and what is behind it no more than a line. */
function seenScore(block: TextBlock, text: string): number {
  const isRead = linesOf(block)[0]!.confidence !== undefined;
  return isRead && numberingOf(text)?.kind !== 'decimal' && isUnlikely(block, leastHeading, 'section_header', 'title') ? -1 : 0;
}

/** A number by itself is a heading only as the number of the one below it; a large figure in a box is no heading. */
function isChapterNumber(text: string, next: Block | undefined, body: BodyStyle): boolean {
  return /^(?:\d{1,2}|[IVXL]{1,6})\.?$/.test(text) && next !== undefined && next.kind === 'text' && linesOf(next)[0]!.size >= 1.15 * body.size;
}

/** A number with its unit, however large: `212 km`, `€ 1.2 bn`, `99.97 %`. */
const keyFigure = /^[^\p{L}\d]*\d[\d.,'’  ]*\s?(?:[%‰°]\s?\p{L}?|\p{Ll}{1,2}|[kMG]?[A-Z]|bn|[µm]?\p{Ll}\/\p{Ll}{1,2})?[^\p{L}\d]*$/u;

const longestFigure = 24;
const ordinal = /\d(?:st|nd|rd|th)$/;

/** Enough to be a heading. */
export const headingThreshold = 2.7;

/** How much speaks for `block` being a heading. */
export function headingScore(block: TextBlock, next: Block | undefined, evidence: HeadingEvidence): number {
  const lines = linesOf(block);
  const line = lines[0]!;
  const text = plainText(block);
  if (isCaptionText(text) || line.angle !== 0) return -10;
  if (text.length <= longestFigure && keyFigure.test(text) && /\p{L}/u.test(text) && !ordinal.test(text)) return -10;
  if (!/\p{L}{2}/u.test(text) && !isChapterNumber(text, next, evidence.body)) return -10;
  const marker = markerOf(text);
  if (marker !== null && (marker.kind === 'bullet' || marker.kind === 'check' || marker.shape === '[#]')) return -10;
  if (/^H[1-6]?$|^Title$/.test(line.role)) return 10;
  if (outlineDepth(block, evidence.outline) >= 0 && text.length < 250) return 5;
  return sizeScore(line, evidence.body) + styleScore(line, text, evidence) + placeScore(block, evidence.body, next) + wordingScore(text, lines, line) + seenScore(block, text);
}

/** Style of a block as headings of one rank share it; '' for what looks like running text. */
export function faceOf(block: TextBlock, body: BodyStyle): string {
  const line = linesOf(block)[0]!;
  const caps = isUpperCase(plainText(block));
  if (!caps && line.font === body.font && line.bold === body.bold && line.italic === body.italic && Math.abs(line.size - body.size) < 0.06 * body.size) return '';
  return [line.font, Math.round(line.size * 2), line.bold, line.italic, caps, line.color].join('|');
}

/** What is missing to the threshold may be made up for by looking exactly like other headings. */
const likelyFrom = 1.3;

/** Running text, not numbered itself, that is set as far out as the block, but for the indent of its first line. */
function opensText(block: TextBlock, next: Block | undefined): boolean {
  if (next?.kind !== 'text' || next.role !== 'text' || isShort(next) && !isSentence(plainText(next)) || numberingOf(plainText(next)) !== null) return false;
  const line = linesOf(block)[0]!;
  const [first, second] = linesOf(next);
  const left = second === undefined ? first!.box.left : Math.min(first!.box.left, second.box.left);
  return Math.abs(line.box.left - left) < 0.6 * line.size || second === undefined && left > line.box.left && left - line.box.left < widestIndent * line.size;
}

/** In sizes, of a paragraph's first line. */
const widestIndent = 2.5;

/** A whole one, or what a formula below it ends. */
function isSentence(text: string): boolean {
  const words = text.split(' ');
  return /[.!?]$/.test(text) && words.length >= 5 || words.length >= 7 && words.filter((word) => /^\p{Ll}/u.test(word)).length > 0.5 * words.length;
}

const leastLettered = 0.5;

/** A heading's number in the count of its face. */
interface Counted {
  block: Block;
  value: number;
  /** It looks like one by itself. */
  sure: boolean;
}

/**
 * Blocks of one line that go on with the count of a heading in its face, each over text that is set as far out: headings, though the white around
 * them may not say so, where a list would have its items below one another or its text set in. A count of letters in italics, as in many papers, begins with what need not look like one.
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

/** Those that go on with the count from a heading; `mayBegin`: also from its first member, which is then one. */
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

/** Marks the headings among `blocks`, which are in reading order, with captions and list items found already; `numbered` are some by their numbers. */
export function markHeadings(blocks: Block[], next: Map<Block, Block | undefined>, evidence: HeadingEvidence, numbered: Set<Block>): void {
  const likely: { block: TextBlock; face: string }[] = [];
  const faces = new Map<string, { headings: number; others: number }>();
  for (const block of blocks) {
    if (block.kind !== 'text' || block.role !== 'text' || block.stretches.length > 1) continue;
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

/** Lines of one heading that stand too far apart to be one paragraph, as titles do. */
export function joinHeadingLines(blocks: Block[]): Block[] {
  const result: Block[] = [];
  for (const block of blocks) {
    const last = result.at(-1);
    if (last !== undefined && isHeading(last) && isHeading(block) && areOneHeading(last, block)) {
      const [above, below] = [last.stretches[0]!, block.stretches[0]!];
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
  if (first.stretches[0]!.pageIndex !== second.stretches[0]!.pageIndex || second.spaceAbove === Infinity) return false;
  if (Math.abs(above.size - below.size) > 0.03 * above.size || above.bold !== below.bold || above.italic !== below.italic || above.color !== below.color) return false;
  if (numberingOf(below.text) !== null || markerOf(below.text) !== null || /[.!?:]$/.test(above.text)) return false;
  if (second.spaceAbove > 0.75 * above.size) return false;
  const { left, right } = first.stretches[0]!.column;
  const middle = (box: { left: number; right: number }): number => middleX(box);
  const centred = Math.abs(middle(above.box) - middle(below.box)) < 0.5 * above.size;
  // A line that is full goes on; one that ends early does so because the words are set in lines.
  const full = widthOf(above.box) > 0.6 * (right - left);
  return centred || full && Math.abs(above.box.left - below.box.left) < 0.5 * above.size;
}
