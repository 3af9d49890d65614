/** The blocks of a document whose pages the relation network has decided. Pages on which it failed keep what the rules make of them. */
import type { OutlineEntry } from '../../pdf/pdf-page.js';
import { learnWords } from '../page/vocabulary.js';
import type { Vocabulary } from '../page/vocabulary.js';
import type { PageStructure } from '../page/values.js';
import type { Block } from './block.js';
import { linesOf } from './block.js';
import { joinCodeOverPages } from './code.js';
import { decidedBlocks } from './decided-blocks.js';
import { setDecidedLevels } from './decided-levels.js';
import type { LevelledBlock } from './decided-blocks.js';
import { joinAcrossColumns } from './join.js';
import { pagesByIndex } from './passes/pages-by-index.js';
import { structureDocument } from './structure-document.js';
import type { Structure } from './structure-document.js';
import { joinTables } from './table-parts.js';

/** As structureDocument(). */
export function structureDecided(pages: PageStructure[], outline: OutlineEntry[], flat: boolean): Pick<Structure, 'blocks' | 'vocabulary'> {
  const headings: LevelledBlock[] = [];
  const blocks = pages.flatMap((page): Block[] => {
    const { decision, links = [], pageIndex, width, height } = page;
    if (decision === undefined) return structureDocument([page], outline, flat).blocks;
    const made = decidedBlocks([{ ...decision, links, pageIndex, width, height }]);
    headings.push(...made.headings);
    return made.blocks;
  });
  setDecidedLevels(headings, outline, flat);
  const vocabulary: Vocabulary = new Map();
  for (const block of blocks) if (block.kind === 'text') for (const { text } of linesOf(block)) learnWords(vocabulary, text);
  const pageOf = pagesByIndex(pages);
  const heightOf = (page: number): number => pageOf(page).height;
  return { blocks: joinTables(joinCodeOverPages(joinAcrossColumns(blocks, (page) => pageOf(page).panels), heightOf), heightOf), vocabulary };
}
