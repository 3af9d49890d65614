/** Blocks: the parts of a document before they become items, i.e. text with roles, tables and figures. */
import type { Box } from '../../pdf/pdf-page.js';
import type { FigureRegion } from '../page/regions.js';
import type { PageTable } from '../page/page-table.js';
import type { TextLine } from '../page/text-line.js';

export type TextRole = 'text' | 'heading' | 'list_item' | 'caption' | 'footnote' | 'code' | 'formula' | 'page_header' | 'page_footer';

/** The column in which a block stands. */
export interface ColumnEdges {
  left: number;
  right: number;
}

/** Lines that belong together, on one page and in one column. */
export interface ColumnPart {
  pageIndex: number;
  box: Box;
  lines: TextLine[];
  column: ColumnEdges;
}

export interface TextBlock {
  kind: 'text';
  role: TextRole;
  /** One for each page or column the text runs over. */
  columnParts: ColumnPart[];
  /** White space to the previous block in its column, in points; Infinity at the top of a column. */
  spaceAbove: number;
  spaceBelow: number;
  /** For headings: 0 is the title; set after all headings are known. */
  level: number;
  /** For list items: the marker before the text, and the nesting depth, from 0. */
  marker: string;
  enumerated: boolean;
  depth: number;
  /** Offset in the first line at which the text begins, behind the marker. */
  textStart: number;
  checked: boolean | null;
  /** For a caption or source line that keeps its place: its table or figure. */
  about: TableBlock | FigureBlock | null;
}

export interface TableBlock {
  kind: 'table';
  pageIndex: number;
  table: PageTable;
  captions: TextBlock[];
  /** Parts of the same table on later pages that `table` already contains. */
  places: { pageIndex: number; box: Box }[];
  /** Headers and captions that those pages repeat, and lines that say that the table continues. The table has its own once. */
  repeatedHeads: { pageIndex: number; box: Box; text: string }[];
}

export interface FigureBlock {
  kind: 'figure';
  pageIndex: number;
  figure: FigureRegion;
  /** Text inside the picture, row by row. */
  lines: TextLine[];
  captions: TextBlock[];
}

export type Block = TextBlock | TableBlock | FigureBlock;

/** A block of plain text; later passes set its role. */
export function textBlock(pageIndex: number, lines: TextLine[], box: Box, column: ColumnEdges): TextBlock {
  return {
    kind: 'text', role: 'text', columnParts: [{ pageIndex, box, lines, column }], spaceAbove: Infinity, spaceBelow: Infinity,
    level: 1, marker: '', enumerated: false, depth: 0, textStart: 0, checked: null, about: null,
  };
}

/** All lines of a block, in order. */
export function linesOf(block: TextBlock): TextLine[] {
  return block.columnParts.length === 1 ? block.columnParts[0]!.lines : block.columnParts.flatMap((columnPart) => columnPart.lines);
}

/** Its lines with spaces between, for pattern matching; `joinLines` makes the document's text. */
export function plainText(block: TextBlock): string {
  return linesOf(block).map((line) => line.text).join(' ');
}

/** For each block the next one that is not furniture. */
export function nextBlocks(blocks: Block[]): Map<Block, Block | undefined> {
  const next = new Map<Block, Block | undefined>();
  let following: Block | undefined;
  for (const block of [...blocks].reverse()) {
    next.set(block, following);
    if (block.kind !== 'text' || block.role !== 'page_header' && block.role !== 'page_footer') following = block;
  }
  return next;
}
