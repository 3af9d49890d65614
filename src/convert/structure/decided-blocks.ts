/** Makes the blocks of a document of what the relation network's decoder decided for its pages. */
import { unionBox } from '../../geometry/box.js';
import type { Box } from '../../geometry/box.js';
import type { Link, Word } from '../../pdf/pdf-page.js';
import type { FoundTable } from '../page/found-table.js';
import { tableOfPage } from '../page/page-table.js';
import type { PageTable, PageTableCell } from '../page/page-table.js';
import { joinPieces, lineOfWords } from '../page/text-line.js';
import type { TextLine } from '../page/text-line.js';
import type { NodeClass } from '../relations/classes.js';
import type { DecodedBlock, DecodedGrid } from '../relations/decoded.js';
import { isListMarker, markerOf } from '../wording/markers.js';
import { textBlock } from './block.js';
import type { Block, FigureBlock, TableBlock, TextBlock, TextRole } from './block.js';

/** One page: its blocks in reading order, over nodes that are lists of words. */
export interface DecidedPage {
  pageIndex: number;
  width: number;
  height: number;
  links: Link[];
  nodes: readonly { words: readonly Word[]; box: Box }[];
  /** The text line of each word, by number. */
  lineOf: (word: Word) => number;
  blocks: readonly DecodedBlock[];
}

/** A heading with the levels that the network gives it. */
export interface LevelledBlock {
  block: TextBlock;
  levels: Float32Array;
  isTitle: boolean;
}

export interface DecidedBlocks {
  blocks: Block[];
  headings: LevelledBlock[];
  /** What the decoder made each block of. */
  origins: Map<Block, DecodedBlock>;
}

/** The other classes are text. */
const roles: Partial<Record<NodeClass, TextRole>> = {
  title: 'heading', heading: 'heading', 'list-item': 'list_item', caption: 'caption', footnote: 'footnote', code: 'code', 'page-header': 'page_header', 'page-footer': 'page_footer',
};

export function decidedBlocks(pages: readonly DecidedPage[]): DecidedBlocks {
  const made: DecidedBlocks = { blocks: [], headings: [], origins: new Map() };
  for (const page of pages) addPage(page, made);
  return made;
}

function addPage(page: DecidedPage, made: DecidedBlocks): void {
  const floats = new Map<number, TableBlock | FigureBlock>();
  const captions: { caption: TextBlock; of: number }[] = [];
  let marker: TextLine[] = [];
  for (const [index, decoded] of page.blocks.entries()) {
    const block = blockOf(decoded, page, marker);
    marker = [];
    if (isMarkerAlone(block)) {
      marker = block.columnParts[0]!.lines;
      if (page.blocks[index + 1]?.cls === 'list-item') continue;
    }
    made.origins.set(block, decoded);
    if (block.kind !== 'text') floats.set(index, block);
    else if (block.role === 'heading') made.headings.push({ block, levels: decoded.levels!, isTitle: decoded.cls === 'title' });
    else if (block.role === 'list_item') setItem(block, decoded);
    if (decoded.captionOf >= 0) captions.push({ caption: block as TextBlock, of: decoded.captionOf });
    else made.blocks.push(block);
  }
  for (const { caption, of } of captions) floats.get(of)!.captions.push(caption);
}

/** Whether the block holds a list marker and nothing else: its text is a block of its own where the source has a paragraph in the item. */
function isMarkerAlone(block: Block): block is TextBlock {
  return block.kind === 'text' && block.role === 'list_item' && block.columnParts[0]!.lines.length === 1 && isListMarker(block.columnParts[0]!.lines[0]!.text);
}

/** `before` are lines that stand before those of the block. */
function blockOf(decoded: DecodedBlock, page: DecidedPage, before: readonly TextLine[]): Block {
  const { pageIndex, width } = page;
  const box = unionBox(decoded.nodes.map((node) => page.nodes[node]!.box));
  if (decoded.grid !== null) {
    return { kind: 'table', pageIndex, captions: [], places: [{ pageIndex, box }], ...withoutRepeatedHeads(tableOfPage(foundTable(decoded.grid, decoded, page), page.links, false), pageIndex) };
  }
  if (decoded.cls === 'picture') return { kind: 'figure', pageIndex, figure: { box, chart: false, ownsText: false }, lines: [], captions: [] };
  const lines = linesOfNodes(decoded.nodes, page);
  const [first, ...others] = lines;
  const block = textBlock(pageIndex, before.length > 0 ? [joinPieces([...before, first!]), ...others] : lines, box, { left: 0, right: width });
  block.role = roles[decoded.cls] ?? 'text';
  return block;
}

/** The words of the nodes in their order, a line for each text line that they are pieces of. */
function linesOfNodes(nodes: readonly number[], { nodes: all, lineOf, links }: DecidedPage): TextLine[] {
  const lines: { number: number; words: Word[] }[] = [];
  for (const node of nodes) {
    for (const word of all[node]!.words) {
      const last = lines.at(-1);
      if (last !== undefined && last.number === lineOf(word)) last.words.push(word);
      else lines.push({ number: lineOf(word), words: [word] });
    }
  }
  return lines.map(({ words }) => lineOfWords(words, links, () => ''));
}

function foundTable({ rowCount, columnCount, cells }: DecodedGrid, { confidence }: DecodedBlock, { nodes }: DecidedPage): FoundTable {
  const made = cells.map(({ nodes: own, ...cell }) => ({ ...cell, words: own.flatMap((node) => nodes[node]!.words), box: unionBox(own.map((node) => nodes[node]!.box)) }));
  return { box: unionBox(made.map(({ box }) => box)), rowCount, columnCount, cells: made, evidence: 'unruled', confidence };
}

/** Takes out rows that repeat the first one, which the parts of a table in several text columns have. */
function withoutRepeatedHeads(table: PageTable, pageIndex: number): Pick<TableBlock, 'table' | 'repeatedHeads'> {
  const rows = Array.from({ length: table.rowCount }, (_, row) => table.cells.filter((cell) => cell.row === row));
  const textOf = (cells: readonly PageTableCell[]): string => cells.map(({ lines }) => lines.map(({ text }) => text).join(' ')).join(' | ');
  const isHead = (cells: readonly PageTableCell[]): boolean => cells.length > 1 && cells.every(({ columnHeader, rowSpan }) => columnHeader && rowSpan === 1);
  const isRepeated = rows.map((cells, row) => row > 0 && isHead(cells) && isHead(rows[0]!) && textOf(cells) === textOf(rows[0]!));
  if (!isRepeated.includes(true)) return { table, repeatedHeads: [] };
  const before = rows.map((_, row) => isRepeated.slice(0, row).filter(Boolean).length);
  const cells = table.cells.filter(({ row }) => !isRepeated[row]).map((cell) => ({
    ...cell, row: cell.row - before[cell.row]!, rowSpan: cell.rowSpan - isRepeated.slice(cell.row, cell.row + cell.rowSpan).filter(Boolean).length,
  }));
  const repeatedHeads = rows.flatMap((own, row) => (isRepeated[row] ? [{ pageIndex, box: unionBox(own.map(({ box }) => box)), text: textOf(own) }] : []));
  return { table: { ...table, cells, rowCount: table.rowCount - repeatedHeads.length }, repeatedHeads };
}

/** Marker, number and nesting of a list item. */
function setItem(block: TextBlock, { levels }: DecodedBlock): void {
  const marker = markerOf(block.columnParts[0]!.lines[0]!.text);
  block.depth = Math.max(0, mostProbable(levels!) - 1);
  if (marker === null) return;
  block.marker = marker.text;
  block.textStart = marker.length;
  block.enumerated = marker.kind !== 'bullet' && marker.kind !== 'check';
  block.checked = marker.checked;
}

/** Index of the largest value. */
export function mostProbable(odds: Float32Array): number {
  let best = 0;
  for (const [index, value] of odds.entries()) if (value > odds[best]!) best = index;
  return best;
}
