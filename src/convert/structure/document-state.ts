/** The state of the document-wide passes. Each field has one meaning; structure-document.ts lists the passes that write it. */
import type { OutlineEntry } from '../../pdf/pdf-page.js';
import type { HeadingEvidence } from '../decide/heading-score.js';
import type { TextLine } from '../page/text-line.js';
import type { PageStructure } from '../page/values.js';
import type { Vocabulary } from '../page/vocabulary.js';
import type { Block, TextBlock } from './block.js';
import type { Furniture, FurnitureLabel } from './furniture.js';
import type { BodyStyle, PageLines } from './style.js';

/** The input of the passes. */
export interface DocumentInput {
  /** The pages of the document, in order. */
  pages: PageStructure[];
  /** The file's own outline. */
  outline: OutlineEntry[];
  /** Give all headings one level. */
  flat: boolean;
}

export interface DocumentState extends DocumentInput {
  /** The text lines of each page, those in figures apart. */
  lines: PageLines[];
  /** The style of most text, with furniture. */
  commonStyle: BodyStyle;
  /** Lines at the edges of pages that may be running headers or footers, and those that other pages repeat. */
  edgeLines: Furniture;
  /** Small print of letters and invoices: account, register and tax numbers. It is text. */
  companyDetails: Map<TextLine, FurnitureLabel>;
  /** The style of running text, with which headings, notes and captions are compared. */
  body: BodyStyle;
  /** Lines outside the document's text: running headers and footers, page and line numbers, text in margins. */
  furniture: Map<TextLine, FurnitureLabel>;
  /** Words that the document also writes without a hyphen at a line end. */
  vocabulary: Vocabulary;
  /** Text, tables and figures in reading order. */
  blocks: Block[];
  headingEvidence: HeadingEvidence;
  /** For each block the next one that is not furniture. */
  following: Map<Block, Block | undefined>;
  /** Blocks that are headings because of their numbers or because they are centred. */
  sureHeadings: Set<Block>;
  /** Whether a block may be a list item; such a block does not score as a heading. */
  mayBeItem: (block: TextBlock) => boolean;
}

/** The properties that passes write into the blocks themselves: roles, levels, joins. */
export type BlockFact = 'code blocks' | 'captions' | 'amounts' | 'footnotes' | 'list items' | 'headings' | 'heading levels' | 'joined blocks';
