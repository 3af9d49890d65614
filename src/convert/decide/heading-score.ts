/** Scores how much one block resembles a heading: its size, weight, numbering, place and words, and the layout network's prediction. headings.ts decides by it which blocks are headings. */
import { widthOf } from '../../geometry/box.js';
import type { TextLine } from '../page/text-line.js';
import type { Block, TextBlock } from '../structure/block.js';
import { linesOf, plainText } from '../structure/block.js';
import { outlineDepth } from '../structure/outline.js';
import type { OutlineIndex } from '../structure/outline.js';
import type { BodyStyle } from '../structure/style.js';
import { isCaptionText } from '../wording/captions.js';
import { markerOf } from '../wording/markers.js';
import { numberingOf } from '../wording/numbering.js';
import { isUnlikely } from './line-classes.js';

/** What blocks are compared with. */
export interface HeadingEvidence {
  body: BodyStyle;
  outline: OutlineIndex;
  /** Share of the running text that stands in blocks of bold: 0..1. */
  boldShare: number;
}

/** Share of the letters of running text that stand in blocks that are bold throughout, 0..1. */
export function shareOfBold(blocks: Block[], body: BodyStyle): number {
  let bold = 0;
  let all = 0;
  for (const block of blocks) {
    if (block.kind !== 'text' || block.role !== 'text') continue;
    const lines = linesOf(block);
    if (Math.abs(lines[0]!.size - body.size) > 0.1 * body.size) continue;
    const letters = lines.reduce((sum, line) => sum + line.text.length, 0);
    all += letters;
    if (lines.every((line) => line.bold)) bold += letters;
  }
  return all === 0 ? 0 : bold / all;
}

/** Letters, at least four, and all of them capitals. */
export function isUpperCase(text: string): boolean {
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
export function isShort(block: TextBlock): boolean {
  const { lines, box, column } = block.columnParts[0]!;
  return block.columnParts.length === 1 && lines.length === 1 && widthOf(box) < 0.8 * widthOf(column);
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
  // Words far apart on one line are the head of a table that was not found.
  if (line.pieces.length > 2) score -= 2;
  return score;
}

/** Probability of a heading below which the layout network's prediction counts against one. It counts on recognised pages alone, which name no fonts: where the file names its fonts, geometry finds more headings rightly without the network. */
const leastHeading = 0.02;

/** -1 for a recognised block that the network predicts to be no heading, else 0. Blocks with a decimal number are exempt: the network is given the number and the title behind it as two lines, and takes neither for a heading. */
function predictedScore(block: TextBlock, text: string): number {
  const isRead = linesOf(block)[0]!.confidence !== undefined;
  return isRead && numberingOf(text)?.kind !== 'decimal' && isUnlikely(block, leastHeading, 'section_header', 'title') ? -1 : 0;
}

/** A number by itself is a heading only where it numbers the heading below it; a large number in a box is none. */
function isChapterNumber(text: string, next: Block | undefined, body: BodyStyle): boolean {
  return /^(?:\d{1,2}|[IVXL]{1,6})\.?$/.test(text) && next !== undefined && next.kind === 'text' && linesOf(next)[0]!.size >= 1.15 * body.size;
}

/** A number with its unit, however large: `212 km`, `€ 1.2 bn`, `99.97 %`. */
const keyFigure = /^[^\p{L}\d]*\d[\d.,'’  ]*\s?(?:[%‰°]\s?\p{L}?|\p{Ll}{1,2}|[kMG]?[A-Z]|bn|[µm]?\p{Ll}\/\p{Ll}{1,2})?[^\p{L}\d]*$/u;

const longestFigure = 24;
const ordinal = /\d(?:st|nd|rd|th)$/;

/** Least score of a heading. */
export const headingThreshold = 2.7;

/** Score of `block` as a heading, from its type, place, words and the layout network; `headingThreshold` and more is a heading. */
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
  return sizeScore(line, evidence.body) + styleScore(line, text, evidence) + placeScore(block, evidence.body, next) + wordingScore(text, lines, line) + predictedScore(block, text);
}
