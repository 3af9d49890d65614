/** The document-wide passes in order: from the structures of all pages to blocks with roles, in reading order. */
import type { OutlineEntry } from '../../pdf/pdf-page.js';
import type { PageStructure } from '../page/values.js';
import type { DocumentState } from './document-state.js';
import { inOrder, runPasses } from './pass.js';
import { buildBlocks, learnVocabulary, markProgramText } from './passes/build-blocks.js';
import { findEdgeLines, findSmallPrint, labelFurniture, restoreLoneRows } from './passes/find-furniture.js';
import { findSureHeadings, gatherHeadingEvidence, markAmountLines, markHeadingBlocks, markItems, markNotes, rankHeadings, tieCaptions } from './passes/give-roles.js';
import { joinParts, readCompanyDetails } from './passes/join-parts.js';
import { measureBodyStyle, measureCommonStyle, splitFigureText } from './passes/measure-style.js';

/** The order is checked when this file is loaded: each pass reads only fields that the input or an earlier pass provides. */
export const documentPasses = inOrder([
  splitFigureText,
  measureCommonStyle,
  findEdgeLines,
  findSmallPrint,
  measureBodyStyle,
  labelFurniture,
  restoreLoneRows,
  learnVocabulary,
  buildBlocks,
  markProgramText,
  tieCaptions,
  gatherHeadingEvidence,
  markAmountLines,
  markNotes,
  findSureHeadings,
  markItems,
  markHeadingBlocks,
  rankHeadings,
  joinParts,
  readCompanyDetails,
], ['pages', 'outline', 'flat']);

/** The structured document. */
export type Structure = Pick<DocumentState, 'blocks' | 'body' | 'vocabulary'>;

/** The blocks of the whole document. `flat` gives all headings one level. */
export function structureDocument(pages: PageStructure[], outline: OutlineEntry[], flat: boolean): Structure {
  return runPasses(documentPasses, { pages, outline, flat });
}
