/** One page's columns, tables and figures as blocks in reading order, with its furniture at its ends. */
import { splitWhere } from '../page/rows.js';
import { heightOf, middleX, middleY } from '../../geometry/box.js';
import type { Box } from '../../pdf/pdf-page.js';
import { splitByFigure } from '../layout/figures.js';
import type { FigureRegion } from '../page/regions.js';
import { orderPage } from '../layout/reading-order.js';
import { rowsOfColumn } from '../layout/column-rows.js';
import type { PageStructure } from '../page/values.js';
import { nominalBox } from '../page/text-line.js';
import type { TextLine } from '../page/text-line.js';
import type { Vocabulary } from '../page/vocabulary.js';
import { textBlock } from './block.js';
import type { Block, TextBlock } from './block.js';
import { columnsOfEdge } from './company-details.js';
import type { FurnitureLabel } from './furniture.js';
import { paragraphsOf } from './paragraphs.js';
import type { BodyStyle, PageLines } from './style.js';

/** The page's pieces of text, those in figures apart. */
export function linesOfPage(structure: PageStructure): PageLines {
  return { structure, ...splitByFigure(structure.pieces, structure.figures) };
}

function furnitureBlocks(lines: TextLine[], label: FurnitureLabel, structure: PageStructure): TextBlock[] {
  const sorted = [...lines].sort((a, b) => a.baseline - b.baseline || a.box.left - b.box.left);
  return sorted.map((line) => {
    const block = textBlock(structure.pageIndex, [line], line.box, { left: 0, right: structure.width });
    block.role = label;
    return block;
  });
}

/** Text in a figure: of one drawing after the other, as they are read, each with what stands nearest to it. */
function figureRows(lines: TextLine[], { parts = [] }: FigureRegion, vocabulary: Vocabulary): TextLine[] {
  if (parts.length < 2) return rowsOfDrawing(lines, vocabulary);
  const rows = splitWhere([...parts].sort((a, b) => a.top - b.top), (row, part) => standsAbove(row[0]!, part));
  const ordered = rows.flatMap((row) => row.sort((a, b) => a.left - b.left));
  const nearest = (line: TextLine): Box => ordered.reduce((best, part) => (distance(line.box, part) < distance(line.box, best) ? part : best));
  const owners = new Map(lines.map((line) => [line, nearest(line)]));
  return ordered.flatMap((part) => rowsOfDrawing(lines.filter((line) => owners.get(line) === part), vocabulary));
}

function standsAbove(a: Box, b: Box): boolean {
  return a.bottom - b.top < 0.3 * Math.min(heightOf(a), heightOf(b));
}

/** From the middle of `inner` to `box`; 0 within it. */
function distance(inner: Box, box: Box): number {
  const [x, y] = [middleX(inner), middleY(inner)];
  return Math.hypot(Math.max(0, box.left - x, x - box.right), Math.max(0, box.top - y, y - box.bottom));
}

/** Labels row by row: they have no columns. What is written upwards or downwards is in no row and follows. */
function rowsOfDrawing(lines: TextLine[], vocabulary: Vocabulary): TextLine[] {
  const turned = lines.filter(({ angle }) => angle !== 0);
  const pieces = lines.filter(({ angle }) => angle === 0).map((line) => ({ box: nominalBox(line), line, object: -1 }));
  return [...rowsOfColumn(pieces, false, vocabulary).items.flatMap((item) => (item.line === null ? [] : [item.line])), ...turned];
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

/** White between neighbours of one column. */
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
  return nominalBox(block.stretches[0]!.lines[0]!).top;
}

function bottomOf(block: TextBlock): number {
  return nominalBox(block.stretches.at(-1)!.lines.at(-1)!).bottom;
}

/** The page's blocks in reading order; of its foot, `details` are read column by column. */
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
