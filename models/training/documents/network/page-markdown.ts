/** Writes decided pages as markdown, as conversion does. */
import { DocumentBuilder } from '../../../../src/document/builder.js';
import type { DoclingDocument } from '../../../../src/document/model.js';
import { writeMarkdown } from '../../../../src/document/markdown.js';
import { learnWords } from '../../../../src/convert/page/vocabulary.js';
import type { Vocabulary } from '../../../../src/convert/page/vocabulary.js';
import { assemble } from '../../../../src/convert/structure/assemble.js';
import { decidedBlocks, mostProbable } from '../../../../src/convert/structure/decided-blocks.js';
import type { DecidedBlocks, DecidedPage } from '../../../../src/convert/structure/decided-blocks.js';
import { setDecidedLevels } from '../../../../src/convert/structure/decided-levels.js';
import { linesOf } from '../../../../src/convert/structure/block.js';
import type { Block } from '../../../../src/convert/structure/block.js';

/** Markdown without the places of pictures, which the truth of a page does not order. */
export function withoutPictures(markdown: string): string {
  return markdown.replaceAll(/^<!-- image -->\n*/gm, '').trim();
}

/** The document of some pages. `exactLevels`: headings have the most probable level each; `join` joins blocks that pages split. */
export function documentOf(pages: readonly DecidedPage[], exactLevels: boolean, join: (blocks: Block[], origins: DecidedBlocks['origins']) => Block[] = (blocks) => blocks): DoclingDocument {
  const { blocks, headings, origins } = decidedBlocks(pages);
  if (exactLevels) for (const { block, levels } of headings) block.level = Math.max(0, mostProbable(levels) - 1);
  else setDecidedLevels(headings, [], false);
  const vocabulary: Vocabulary = new Map();
  for (const block of blocks) if (block.kind === 'text') for (const { text } of linesOf(block)) learnWords(vocabulary, text);
  const builder = new DocumentBuilder({ name: 'page' });
  for (const { pageIndex, width, height } of pages) if (!builder.document.pages.has(pageIndex + 1)) builder.addPage(pageIndex + 1, { width, height });
  assemble(builder, { blocks: join(blocks, origins), vocabulary }, false);
  return builder.document;
}

export function markdownOf(document: DoclingDocument): string {
  return withoutPictures([...writeMarkdown(document)].join(''));
}

export function pagesAsMarkdown(pages: readonly DecidedPage[], exactLevels: boolean): string {
  return markdownOf(documentOf(pages, exactLevels));
}
