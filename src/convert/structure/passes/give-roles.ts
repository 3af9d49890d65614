/** Passes that give text blocks their roles: captions, headings, list items, footnotes. */
import { attachCaptions } from '../../decide/caption-attachment.js';
import { headingScore, headingThreshold, shareOfBold } from '../../decide/heading-score.js';
import { nextBlocks } from '../block.js';
import type { TextBlock } from '../block.js';
import { findCentredHeadings } from '../../decide/centred-headings.js';
import { markFootnotes } from '../footnotes.js';
import { setHeadingLevels } from '../heading-levels.js';
import { findNumberedHeadings, markHeadings } from '../../decide/headings.js';
import { joinHeadingLines } from '../join-heading-lines.js';
import { markAmounts, markListItems } from '../lists.js';
import { indexOutline } from '../outline.js';
import { definePass } from '../pass.js';
import { pagesByIndex } from './pages-by-index.js';

export const tieCaptions = definePass({
  name: 'attach captions', reads: ['blocks', 'body', 'code blocks'], writes: ['blocks', 'captions'],
  run: ({ blocks, body }) => ({ blocks: attachCaptions(blocks, body) }),
});

export const gatherHeadingEvidence = definePass({
  name: 'gather evidence for headings', reads: ['blocks', 'body', 'outline', 'captions'], writes: ['headingEvidence', 'following', 'mayBeItem'],
  run: ({ blocks, body, outline }) => {
    const headingEvidence = { body, outline: indexOutline(outline), boldShare: shareOfBold(blocks, body) };
    const following = nextBlocks(blocks);
    return { headingEvidence, following, mayBeItem: (block: TextBlock) => headingScore(block, following.get(block), headingEvidence) < headingThreshold };
  },
});

export const markAmountLines = definePass({
  name: 'mark lines of amounts', reads: ['blocks', 'mayBeItem', 'captions'], writes: ['amounts'],
  run: ({ blocks, mayBeItem }) => {
    markAmounts(blocks, mayBeItem);
    return {};
  },
});

export const markNotes = definePass({
  name: 'mark footnotes', reads: ['pages', 'blocks', 'body', 'amounts'], writes: ['footnotes'],
  run: ({ pages, blocks, body }) => {
    const pageOf = pagesByIndex(pages);
    markFootnotes(blocks, body, (page) => pageOf(page).height, (page) => pageOf(page).separators.map((separator) => separator.y));
    return {};
  },
});

export const findSureHeadings = definePass({
  name: 'find numbered and centred headings', reads: ['blocks', 'following', 'headingEvidence', 'footnotes'], writes: ['sureHeadings'],
  run: ({ blocks, following, headingEvidence }) => ({
    sureHeadings: new Set([...findNumberedHeadings(blocks, following, headingEvidence), ...findCentredHeadings(blocks, following, headingEvidence)]),
  }),
});

export const markItems = definePass({
  name: 'mark list items', reads: ['blocks', 'mayBeItem', 'sureHeadings', 'footnotes'], writes: ['list items'],
  run: ({ blocks, mayBeItem, sureHeadings }) => {
    markListItems(blocks, (block) => !sureHeadings.has(block) && mayBeItem(block));
    return {};
  },
});

export const markHeadingBlocks = definePass({
  name: 'mark headings', reads: ['blocks', 'following', 'headingEvidence', 'sureHeadings', 'list items'], writes: ['blocks', 'headings'],
  run: ({ blocks, following, headingEvidence, sureHeadings }) => {
    markHeadings(blocks, following, headingEvidence, sureHeadings);
    return { blocks: joinHeadingLines(blocks) };
  },
});

export const rankHeadings = definePass({
  name: 'set heading levels', reads: ['blocks', 'headingEvidence', 'flat', 'headings'], writes: ['heading levels'],
  run: ({ blocks, headingEvidence, flat }) => {
    setHeadingLevels(blocks, headingEvidence, flat);
    return {};
  },
});
