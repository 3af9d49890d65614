/** Passes that make blocks in reading order, and find program text among them. */
import { learnWords } from '../../page/vocabulary.js';
import type { Vocabulary } from '../../page/vocabulary.js';
import { blocksOfPage } from '../blocks-of-page.js';
import { joinCode, markCode } from '../code.js';
import { definePass } from '../pass.js';

export const learnVocabulary = definePass({
  name: 'learn the words of the document', reads: ['lines'], writes: ['vocabulary'],
  run: ({ lines }) => {
    const vocabulary: Vocabulary = new Map();
    for (const page of lines) for (const line of page.outside) learnWords(vocabulary, line.text);
    return { vocabulary };
  },
});

export const buildBlocks = definePass({
  name: 'order lines, tables and figures as blocks', reads: ['lines', 'furniture', 'companyDetails', 'body', 'vocabulary'], writes: ['blocks'],
  run: ({ lines, furniture, companyDetails, body, vocabulary }) => ({ blocks: lines.flatMap((page) => blocksOfPage(page, furniture, companyDetails, body, vocabulary)) }),
});

export const markProgramText = definePass({
  name: 'mark program text', reads: ['lines', 'blocks', 'body'], writes: ['blocks', 'code blocks'],
  run: ({ lines, blocks, body }) => {
    markCode(blocks, shareOfMonospace(lines.flatMap((page) => page.outside)));
    return { blocks: joinCode(blocks, body) };
  },
});

/** Of the characters of some lines, the share in monospace lines, 0..1. */
function shareOfMonospace(lines: { text: string; monospace: boolean }[]): number {
  const all = lines.reduce((sum, { text }) => sum + text.length, 0);
  return all === 0 ? 0 : lines.reduce((sum, { text, monospace }) => sum + (monospace ? text.length : 0), 0) / all;
}
