/** Converts one page's columns, tables and figures to blocks in reading order, with its furniture at both ends. */
import { fromTopLeft } from '../page/group-by-baseline.js';
import { splitByFigure } from '../layout/figures.js';
import { orderPage } from '../layout/reading-order.js';
import type { PageStructure } from '../page/values.js';
import { nominalBox } from '../page/text-line.js';
import type { TextLine } from '../page/text-line.js';
import type { Vocabulary } from '../page/vocabulary.js';
import { textBlock } from './block.js';
import type { Block, TextBlock } from './block.js';
import { columnsOfEdge } from './company-details.js';
import { figureRows } from './figure-text.js';
import type { FurnitureLabel } from './furniture.js';
import { paragraphsOf } from './paragraphs.js';
import type { BodyStyle, PageLines } from './style.js';

/** Splits the page's pieces of text into those inside figures and the others. */
export function linesOfPage(structure: PageStructure): PageLines {
  return { structure, ...splitByFigure(structure.pieces, structure.figures) };
}

function furnitureBlocks(lines: TextLine[], label: FurnitureLabel, structure: PageStructure): TextBlock[] {
  const sorted = fromTopLeft(lines);
  return sorted.map((line) => {
    const block = textBlock(structure.pageIndex, [line], line.box, { left: 0, right: structure.width });
    block.role = label;
    return block;
  });
}

function objectBlock(text: PageLines, object: number, vocabulary: Vocabulary): Block {
  const { structure } = text;
  const table = structure.tables[object];
  if (table !== undefined) {
    const { pageIndex } = structure;
    return { kind: 'table', pageIndex, table, captions: [], places: [{ pageIndex, box: table.box }], repeatedHeads: [] };
  }
  const index = object - structure.tables.length;
  const figure = structure.figures[index]!;
  return { kind: 'figure', pageIndex: structure.pageIndex, figure, lines: figureRows(text.inside[index]!, figure, vocabulary), captions: [] };
}

/** White space between neighbours of one column. */
function measureSpace(blocks: Block[]): void {
  for (let i = 1; i < blocks.length; i++) {
    const [above, below] = [blocks[i - 1]!, blocks[i]!];
    const bottom = above.kind === 'text' ? bottomOf(above) : above.kind === 'table' ? above.table.box.bottom : above.figure.box.bottom;
    const top = below.kind === 'text' ? topOf(below) : below.kind === 'table' ? below.table.box.top : below.figure.box.top;
    if (above.kind === 'text') above.spaceBelow = top - bottom;
    if (below.kind === 'text') below.spaceAbove = top - bottom;
  }
}

function topOf(block: TextBlock): number {
  return nominalBox(block.columnParts[0]!.lines[0]!).top;
}

function bottomOf(block: TextBlock): number {
  return nominalBox(block.columnParts.at(-1)!.lines.at(-1)!).bottom;
}

/** The page's blocks in reading order; `details` at its foot are read column by column. */
export function blocksOfPage(text: PageLines, furniture: Map<TextLine, FurnitureLabel>, details: Map<TextLine, FurnitureLabel>, body: BodyStyle, vocabulary: Vocabulary): Block[] {
  const { structure } = text;
  const lines = text.outside.filter((line) => !furniture.has(line));
  const blocks: Block[] = [];
  for (const column of orderPage(structure, lines, vocabulary)) {
    const own: Block[] = [];
    let rows: TextLine[] = [];
    const flush = (): void => {
      own.push(...paragraphsOf(column, rows, structure.pageIndex, body));
      rows = [];
    };
    for (const item of column.items) {
      if (item.line !== null) {
        rows.push(item.line);
        continue;
      }
      flush();
      own.push(objectBlock(text, item.object, vocabulary));
    }
    flush();
    measureSpace(own);
    blocks.push(...own);
  }
  const labelled = (label: FurnitureLabel): TextLine[] => text.outside.filter((line) => furniture.get(line) === label && !details.has(line));
  const detailsAt = (label: FurnitureLabel): Block[] => columnsOfEdge(text.outside.filter((line) => furniture.get(line) === label && details.has(line)), label, structure);
  return [
    ...furnitureBlocks(labelled('page_header'), 'page_header', structure), ...detailsAt('page_header'), ...blocks,
    ...detailsAt('page_footer'), ...furnitureBlocks(labelled('page_footer'), 'page_footer', structure),
  ];
}
