/** Determines the levels of headings over the whole document: from the outline, from numbers, and from size and weight. */
import { median, sortedNumbers } from '../../geometry/statistics.js';
import { recognisedFont } from '../ocr/recognised-lines.js';
import type { Block, TextBlock } from './block.js';
import { linesOf, plainText } from './block.js';
import { numberingOf } from '../wording/numbering.js';
import type { Numbering } from '../wording/numbering.js';
import type { HeadingEvidence } from '../decide/heading-score.js';
import { outlineDepth } from './outline.js';

interface Style {
  size: number;
  bold: boolean;
  caps: boolean;
  italic: boolean;
}

interface Heading {
  block: TextBlock;
  style: number;
  numbering: Numbering | null;
  outline: number;
}

function styleOf(block: TextBlock): Style {
  const line = linesOf(block)[0]!;
  const letters = plainText(block).replace(/[^\p{L}]/gu, '');
  return {
    size: line.size, bold: line.bold, italic: line.italic,
    caps: letters.length >= 4 && letters === letters.toUpperCase() && letters !== letters.toLowerCase(),
  };
}

/** Sorts heavier headings first: size counts most, then weight, then capitals. */
function heavier(a: Style, b: Style, tolerance: number): number {
  if (Math.abs(a.size - b.size) > tolerance * Math.max(a.size, b.size)) return b.size - a.size;
  return Number(b.bold) - Number(a.bold) || Number(b.caps) - Number(a.caps) || Number(a.italic) - Number(b.italic);
}

/** More ranks are accidents of a cover page; similar sizes are then merged. */
const mostRanks = 4;

/** The rank of each heading's style, 0 for the heaviest. */
function rankStyles(blocks: TextBlock[]): number[] {
  const styles = blocks.map(styleOf);
  let ranks: number[] = [];
  // Sizes that were measured in a picture are less exact than those of a file.
  const measured = blocks.some((block) => linesOf(block)[0]!.font.startsWith(recognisedFont.name));
  for (const tolerance of measured ? [0.1, 0.15, 0.2] : [0.05, 0.12, 0.2]) {
    const distinct: Style[] = [];
    for (const style of [...styles].sort((a, b) => heavier(a, b, tolerance))) {
      if (distinct.every((other) => heavier(other, style, tolerance) !== 0)) distinct.push(style);
    }
    ranks = styles.map((style) => distinct.findIndex((other) => heavier(other, style, tolerance) === 0));
    if (distinct.length <= mostRanks + 1) break;
  }
  return ranks;
}

/** Whether it is the document's title: the heaviest heading, alone in its style, at the begin of the first page. */
function isTitle(index: number, headings: Heading[], blocks: Block[]): boolean {
  if (index !== 0) return false;
  const first = headings[0]!;
  if (first.numbering !== null && first.numbering.kind !== 'word') return false;
  const before = blocks.slice(0, blocks.indexOf(first.block)).filter((block) => block.kind === 'text' && (block.role === 'text' || block.role === 'heading'));
  if (before.length > 3 || first.block.columnParts[0]!.pageIndex > 1) return false;
  if (headings.length === 1) return false;
  const others = headings.slice(1).filter((heading) => !isNumberAlone(heading.block));
  if (others.every((heading) => heading.style > first.style)) return true;
  // Only a title is lighter than all other headings and precedes them, directly above text, in a style that never occurs again.
  const next = blocks[blocks.indexOf(first.block) + 1];
  if (first.numbering === null && before.length === 0 && others.length >= 2 && others.every((heading) => heading.style < first.style) && next?.kind === 'text' && next.role === 'text') return true;
  // If all other headings are numbered, the unnumbered one is the title even if it is lighter.
  const own = styleOf(first.block);
  if (first.numbering === null && others.length >= 2 && others.every((heading) => heading.numbering !== null && styleOf(heading.block).size <= sameSize * own.size)) return true;
  // Sections in capitals of the same size and weight are heavier only by their capitals: the first heading of a document is not below them.
  const heavierOnes = others.filter((heading) => heading.style < first.style);
  return first.numbering === null && before.length === 0 && next?.kind === 'text' && next.role === 'text'
    && heavierOnes.length >= 2 && heavierOnes.every((heading) => isHeavierByCapitals(styleOf(heading.block), own));
}

/** Factor between font sizes that count as equal. */
const sameSize = 1.02;

function isHeavierByCapitals(style: Style, own: Style): boolean {
  return style.caps && !own.caps && style.bold === own.bold && style.size <= sameSize * own.size && own.size <= sameSize * style.size;
}

/** `4` or `Chapter 4` above a chapter's title, which has no rank of its own. */
function isNumberAlone(block: TextBlock): boolean {
  const text = plainText(block);
  if (numberingOf(`${text} `)?.kind === 'word' && numberingOf(`${text} `)!.length >= text.length) return true;
  return !/\p{L}{2}/u.test(text) && /\d|^[IVXL]+\.?$/.test(text);
}

/** A single number that is lighter than the heading below it gets that heading's level. */
function ranksOf(heads: TextBlock[]): number[] {
  const takesNext = heads.map((block, index) => {
    const next = heads[index + 1];
    return isNumberAlone(block) && next !== undefined && (!/\p{L}{2}/u.test(plainText(block)) || styleOf(block).size < styleOf(next).size);
  });
  const ranks = rankStyles(heads.filter((_, index) => !takesNext[index]));
  let rank = 0;
  const result: number[] = [];
  let index = ranks.length - 1;
  for (const [position] of [...heads.entries()].reverse()) {
    if (takesNext[position] !== true) rank = ranks[index--]!;
    result.unshift(rank);
  }
  return result;
}

/** Sets `level` of every heading: 0 for the title, 1 for the highest rank of the others. */
export function setHeadingLevels(blocks: Block[], evidence: HeadingEvidence, flat: boolean): void {
  const heads = blocks.filter((block): block is TextBlock => block.kind === 'text' && block.role === 'heading');
  if (flat) {
    for (const block of heads) block.level = 1;
    return;
  }
  const ranks = ranksOf(heads);
  const headings = heads.map((block, index): Heading => ({
    block, style: ranks[index]!, numbering: numberingOf(plainText(block)), outline: outlineDepth(block, evidence.outline),
  }));
  const lettered = headings.some(({ numbering }) => numbering?.kind === 'letter' && numbering.values[0] === 2);
  for (const heading of headings) if (heading.numbering?.bare === true && !lettered) heading.numbering = null;
  const title = headings.length > 0 && isTitle(0, headings, blocks);
  const below = headings.slice(title ? 1 : 0);
  const levels = levelsByTag(below) ?? levelsByStyle(below);
  for (const [index, heading] of headings.entries()) {
    heading.block.level = title && index === 0 ? 0 : levels.get(heading)!;
  }
  followNumbers(below);
  closeGaps(below);
}

/** The levels in the tags of a tagged PDF, if all headings have one and they differ; otherwise null. */
function levelsByTag(headings: Heading[]): Map<Heading, number> | null {
  const tags = headings.map(({ block }) => Number(/^H([1-6])$/.exec(linesOf(block)[0]!.role)?.[1] ?? NaN));
  if (tags.some(Number.isNaN) || new Set(tags).size < 2) return null;
  const highest = Math.min(...tags);
  return new Map(headings.map((heading, index) => [heading, tags[index]! - highest + 1]));
}

function levelsByStyle(headings: Heading[]): Map<Heading, number> {
  const outlined = headings.filter((heading) => heading.outline >= 0);
  const useOutline = outlined.length >= 2 && outlined.length >= 0.5 * headings.length;
  const used = sortedNumbers(new Set(headings.map((heading) => heading.style)));
  const shallowest = Math.min(...outlined.map((heading) => heading.outline));
  return new Map(headings.map((heading) => {
    if (useOutline && heading.outline >= 0) return [heading, heading.outline - shallowest + 1];
    return [heading, Math.min(5, used.indexOf(heading.style) + 1)];
  }));
}

/**
 * The nesting of kinds of simple numbers: letters that begin again under each roman numeral are nested in it; letters
 * that occur once behind the last number (appendices) have its level.
 */
function nestingOf(headings: Heading[]): Map<string, number> {
  const nesting = new Map<string, number>();
  const begun = new Map<string, number>();
  for (const { numbering } of headings) {
    if (numbering === null || numbering.kind === 'word' || numbering.depth > 1) continue;
    const { kind } = numbering;
    const again = numbering.values[0] === 1;
    if (!nesting.has(kind)) nesting.set(kind, 0);
    if (again) begun.set(kind, (begun.get(kind) ?? 0) + 1);
  }
  const [first, ...others] = [...nesting.keys()];
  const ranks = (kind: string): number[] => headings.flatMap(({ numbering, style }) => (numbering?.kind === kind && numbering.depth === 1 ? [style] : []));
  // Letters in a lighter style than numerals are also nested in them, as in papers with italics under small capitals.
  const isLighter = (kind: string): boolean => first === 'roman' && kind === 'letter' && Math.min(...ranks(kind)) > Math.max(...ranks(first));
  for (const kind of others) if ((begun.get(kind) ?? 0) > Math.max(1, begun.get(first!) ?? 0) || isLighter(kind)) nesting.set(kind, 1);
  return nesting;
}

/** `3.1` is one level deeper than `3`: numbered headings take the level of their number, relative to the shallowest ones. */
function followNumbers(headings: Heading[]): void {
  const nesting = nestingOf(headings);
  const depthOf = (numbering: Numbering): number => numbering.depth + (numbering.depth === 1 ? nesting.get(numbering.kind) ?? 0 : 0);
  const numbered = headings.flatMap(({ numbering, block }) => (numbering === null || numbering.kind === 'word' ? [] : [{ depth: depthOf(numbering), block }]));
  if (numbered.length === 0) return;
  const shallowest = Math.min(...numbered.map(({ depth }) => depth));
  const start = median(numbered.filter(({ depth }) => depth === shallowest).map(({ block }) => block.level));
  for (const { depth, block } of numbered) block.level = Math.max(1, Math.min(5, start + depth - shallowest));
}

/** Closes gaps between the used levels. */
function closeGaps(headings: Heading[]): void {
  const used = sortedNumbers(new Set(headings.map(({ block }) => block.level)));
  const deepest = used.at(-1) ?? 0;
  const numbered = headings.some(({ numbering }) => numbering !== null && numbering.kind !== 'word');
  // Numbers fix the distance of levels: `2.1.1` without `2.1` stays two below `2`.
  if (numbered && used[0] === 1 || deepest === used.length) return;
  const shift = (used[0] ?? 1) - 1;
  for (const { block } of headings) block.level = numbered ? block.level - shift : used.indexOf(block.level) + 1;
}
