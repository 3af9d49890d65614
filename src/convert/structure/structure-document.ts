/** The document-wide steps: from structures of all pages to blocks with their roles, in reading order. */
import type { OutlineEntry } from '../../pdf/pdf-page.js';
import type { PageStructure } from '../page/values.js';
import type { TextLine } from '../page/text-line.js';
import { learnWords } from '../page/vocabulary.js';
import type { Vocabulary } from '../page/vocabulary.js';
import type { Block, TextBlock } from './block.js';
import { linesOf, nextBlocks } from './block.js';
import { blocksOfPage, linesOfPage } from './blocks-of-page.js';
import { attachCaptions } from '../decide/caption-attachment.js';
import { findCentredHeadings } from './centred-headings.js';
import { findCompanyDetails, readDetails } from './company-details.js';
import { joinCode, joinCodeOverPages, markCode } from './code.js';
import { markFootnotes } from './footnotes.js';
import { findFurniture, findSideText, withoutLoneText } from './furniture.js';
import { setHeadingLevels } from './heading-levels.js';
import { findNumberedHeadings, headingScore, headingThreshold, indexOutline, joinHeadingLines, markHeadings } from './headings.js';
import type { HeadingEvidence } from './headings.js';
import { joinAcrossColumns } from './join.js';
import { findLineNumbers } from './line-numbers.js';
import { markAmounts, markListItems } from './lists.js';
import { withLoneRows } from './lone-rows.js';
import { findSignRules } from './character-rules.js';
import { findBodyStyle, markMonospace } from './style.js';
import type { BodyStyle, PageLines } from './style.js';
import { joinTables } from './table-parts.js';

export interface Structure {
  blocks: Block[];
  body: BodyStyle;
  vocabulary: Vocabulary;
}

/** Of the letters of running text, how many stand in blocks that are bold throughout. */
function shareOfBold(blocks: Block[], body: BodyStyle): number {
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

/** The style of the running text where what pages repeat and small print are left out, which may be most of what short pages such as slides or invoices say; null where they say nothing else. */
function styleWithout(others: Set<TextLine>, pages: PageLines[]): BodyStyle | null {
  if (others.size === 0) return null;
  const style = findBodyStyle(pages.map((page) => ({ ...page, outside: page.outside.filter((line) => !others.has(line)) })));
  return style.letters === 0 ? null : style;
}

/** Blocks of the whole document. `flat` puts all headings on one level. */
export function structureDocument(structures: PageStructure[], outline: OutlineEntry[], flat: boolean): Structure {
  let pages = structures.map(linesOfPage);
  markMonospace(pages);
  const first = findBodyStyle(pages);
  const { labels, repeated } = findFurniture(pages, first);
  const details = findCompanyDetails(pages, labels);
  const body = styleWithout(new Set([...repeated, ...details.keys()]), pages) ?? first;
  const furniture = withoutLoneText(pages, new Map([...findSideText(pages), ...[...findLineNumbers(pages), ...findSignRules(pages)].map((line) => [line, 'page_header'] as const), ...labels]), repeated);
  for (const line of details.keys()) furniture.set(line, details.get(line)!);
  pages = withLoneRows(pages, { isLikely: (line) => furniture.has(line), isSure: (line) => furniture.has(line) && (!labels.has(line) || repeated.has(line)) });
  const vocabulary: Vocabulary = new Map();
  for (const page of pages) for (const line of page.outside) learnWords(vocabulary, line.text);
  let blocks = pages.flatMap((page) => blocksOfPage(page, furniture, details, body, vocabulary));
  const heights = new Map(structures.map((structure) => [structure.pageIndex, structure]));
  const heightOf = (page: number): number => heights.get(page)!.height;
  markCode(blocks, share(pages.flatMap((page) => page.outside), (line) => line.monospace));
  blocks = joinCode(blocks, body);
  blocks = attachCaptions(blocks, body);
  const evidence: HeadingEvidence = { body, outline: indexOutline(outline), boldShare: shareOfBold(blocks, body) };
  const next = nextBlocks(blocks);
  const mayBeItem = (block: TextBlock): boolean => headingScore(block, next.get(block), evidence) < headingThreshold;
  markAmounts(blocks, mayBeItem);
  markFootnotes(blocks, body, heightOf, (page) => heights.get(page)!.separators.map((separator) => separator.y));
  const numbered = new Set([...findNumberedHeadings(blocks, next, evidence), ...findCentredHeadings(blocks, next, evidence)]);
  markListItems(blocks, (block) => !numbered.has(block) && mayBeItem(block));
  markHeadings(blocks, next, evidence, numbered);
  blocks = joinHeadingLines(blocks);
  setHeadingLevels(blocks, evidence, flat);
  blocks = joinTables(joinCodeOverPages(joinAcrossColumns(blocks, (page) => heights.get(page)!.panels), heightOf), heightOf);
  readDetails(blocks, details);
  return { blocks, body, vocabulary };
}

function share(lines: { text: string; monospace: boolean }[], has: (line: { monospace: boolean }) => boolean): number {
  let all = 0;
  let those = 0;
  for (const line of lines) {
    all += line.text.length;
    if (has(line)) those += line.text.length;
  }
  return all === 0 ? 0 : those / all;
}
