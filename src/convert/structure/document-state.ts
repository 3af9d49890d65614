/** What the document-wide passes know of a document: each field has one meaning, and the passes that write it are listed in structure-document.ts. */
import type { OutlineEntry } from '../../pdf/pdf-page.js';
import type { HeadingEvidence } from '../decide/heading-score.js';
import type { TextLine } from '../page/text-line.js';
import type { PageStructure } from '../page/values.js';
import type { Vocabulary } from '../page/vocabulary.js';
import type { Block, TextBlock } from './block.js';
import type { Furniture, FurnitureLabel } from './furniture.js';
import type { BodyStyle, PageLines } from './style.js';

/** What the passes begin with. */
export interface DocumentInput {
  /** The pages of the document, in order. */
  pages: PageStructure[];
  /** The file's own outline. */
  outline: OutlineEntry[];
  /** All headings get one level. */
  flat: boolean;
}

export interface DocumentState extends DocumentInput {
  /** The text lines of each page, those in figures apart. */
  lines: PageLines[];
  /** The style of most text, furniture included. */
  commonStyle: BodyStyle;
  /** Lines at the edges of pages that may be running headers or footers, and those that other pages repeat. */
  edgeLines: Furniture;
  /** Small print of letters and invoices: account, register and tax numbers. It is text. */
  companyDetails: Map<TextLine, FurnitureLabel>;
  /** The style of running text: what headings, notes and captions are compared with. */
  body: BodyStyle;
  /** Lines that are no text of the document: running headers and footers, page and line numbers, text in margins. */
  furniture: Map<TextLine, FurnitureLabel>;
  /** Words that the document writes whole. */
  vocabulary: Vocabulary;
  /** Text, tables and figures in reading order. */
  blocks: Block[];
  headingEvidence: HeadingEvidence;
  /** For each block the next one that is no furniture. */
  following: Map<Block, Block | undefined>;
  /** Blocks that are headings by their numbers or by how they are centred. */
  sureHeadings: Set<Block>;
  /** Whether a block may be a list item: it does not score as a heading. */
  mayBeItem: (block: TextBlock) => boolean;
}

/** What passes write into the blocks themselves: roles, levels, and which blocks are one. */
export type BlockFact = 'code blocks' | 'captions' | 'amounts' | 'footnotes' | 'list items' | 'headings' | 'heading levels' | 'joined blocks';
