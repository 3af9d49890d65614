/** The truth of pages as decoded blocks whose nodes are single words, so that truth and answers are written by the same code. */
import type { DecodedBlock, DecodedCell } from '../../../../src/convert/relations/decoded.js';
import type { DecidedPage } from '../../../../src/convert/structure/decided-blocks.js';
import { levelCount } from '../../../../src/convert/relations/scores.js';
import type { Block, TableBlock } from '../../../../src/convert/structure/block.js';
import type { DoclingDocument } from '../../../../src/document/model.js';
import { documentOf } from './page-markdown.js';
import { enclosing } from './shard-page.js';
import type { ShardPage } from './shard-page.js';
import { levelOf } from './truth-scores.js';

/** Blocks of one page in reading order, with the numbers of their nodes in the document. Rows that the page does not show are left out, and without `repeats` those that repeat a head or foot of another page. */
export function truthBlocks(page: ShardPage, repeats = true): { blocks: DecodedBlock[]; ids: Map<DecodedBlock, number> } {
  const { words, structure } = page;
  const groups = new Map<number, number[]>();
  const shown = new Set(!repeats ? words.map(({ cell }) => cell) : words.flatMap(({ cell, repeated }) => (repeated ? [] : [cell])));
  // A head is left out where it is drawn again beside the first one.
  const ranked = [...words.keys()].filter((word) => !words[word]!.repeated || !shown.has(words[word]!.cell)).sort((a, b) => words[a]!.order - words[b]!.order);
  for (const word of ranked) {
    const { node, cell } = words[word]!;
    const key = node < 0 ? -1 - word : cell >= 0 ? enclosing(structure, cell, 'table') : node;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [word]);
    else group.push(word);
  }
  const blocks: DecodedBlock[] = [];
  const ids = new Map<DecodedBlock, number>();
  const blockOf = new Map<number, number>();
  for (const [key, own] of groups) {
    blockOf.set(key, blocks.length);
    blocks.push(words[own[0]!]!.cell >= 0 ? tableOf(own, page) : textOf(own, page));
    if (key >= 0) ids.set(blocks.at(-1)!, structure[key]!.id);
  }
  for (const [key, index] of blockOf) {
    const target = key < 0 ? -1 : structure[key]!.target;
    if (target >= 0 && blocks[index]!.cls === 'caption') blocks[index]!.captionOf = blockOf.get(target) ?? -1;
  }
  return { blocks, ids };
}

function textOf(own: number[], { words, structure }: ShardPage): DecodedBlock {
  const counts = new Map<DecodedBlock['cls'], number>();
  for (const word of own) counts.set(words[word]!.cls, (counts.get(words[word]!.cls) ?? 0) + 1);
  const [most] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a));
  const cls = most === 'list-marker' ? 'list-item' : most;
  const level = levelOf(structure, words[own[0]!]!.node);
  const levels = Float32Array.from({ length: levelCount }, (_, at) => (at === level ? 0 : -100));
  return { cls, nodes: own, grid: null, captionOf: -1, levels: cls === 'title' || cls === 'heading' || cls === 'list-item' ? levels : null, confidence: 1 };
}

function tableOf(own: number[], { words, structure }: ShardPage): DecodedBlock {
  const cells = new Map<number, DecodedCell>();
  for (const word of own) {
    const { cell } = words[word]!;
    const known = cells.get(cell);
    if (known === undefined) cells.set(cell, { ...structure[cell]!.cell, nodes: [word] });
    else known.nodes.push(word);
  }
  const all = [...cells.values()];
  const rows = rowNumbers(all);
  const placed = all.map((cell) => ({ ...cell, row: rows.get(cell.row)!, rowSpan: Array.from({ length: cell.rowSpan }, (_, step) => cell.row + step).filter((row) => rows.has(row)).length }));
  return {
    cls: 'cell', nodes: own, captionOf: -1, levels: null, confidence: 1,
    grid: { rowCount: rows.size, columnCount: Math.max(...all.map(({ column, columnSpan }) => column + columnSpan)), cells: placed.sort((a, b) => a.row - b.row || a.column - b.column) },
  };
}

/** New numbers of the rows in which a cell of the page begins. */
function rowNumbers(cells: readonly DecodedCell[]): Map<number, number> {
  return new Map([...new Set(cells.map(({ row }) => row))].sort((a, b) => a - b).map((row, index) => [row, index]));
}

/** The page for decidedBlocks(), each word a node. */
export function truthPage(page: ShardPage, blocks = truthBlocks(page).blocks): DecidedPage {
  const { content } = page;
  const lineOf = new Map(content.lines.flatMap((line, index) => line.words.map((word) => [word, index] as const)));
  return {
    pageIndex: content.pageIndex, width: content.width, height: content.height, links: content.links, lineOf: (word) => lineOf.get(word) ?? -1,
    nodes: content.words.map((word) => ({ words: [word], box: word.box })), blocks,
  };
}

/** The truth of a whole document: blocks that pages split are joined by the numbers of their nodes. */
export function truthDocument(pages: readonly ShardPage[]): DoclingDocument {
  const ids = new Map<DecodedBlock, number>();
  const decided = pages.map((page) => {
    const made = truthBlocks(page, false);
    for (const [block, id] of made.ids) ids.set(block, id);
    return truthPage(page, made.blocks);
  });
  return documentOf(decided, true, (blocks, origins) => joinById(blocks, (block) => ids.get(origins.get(block)!)));
}

function joinById(blocks: readonly Block[], idOf: (block: Block) => number | undefined): Block[] {
  const first = new Map<number, Block>();
  return blocks.filter((block) => {
    const id = idOf(block);
    const known = id === undefined ? undefined : first.get(id);
    if (known === undefined) {
      if (id !== undefined) first.set(id, block);
      return true;
    }
    if (known.kind === 'text' && block.kind === 'text') known.columnParts.push(...block.columnParts);
    else if (known.kind === 'table' && block.kind === 'table') appendRows(known, block);
    else return true;
    return false;
  });
}

function appendRows(table: TableBlock, { table: below, captions }: TableBlock): void {
  const above = table.table;
  table.captions.push(...captions);
  table.table = {
    ...above, rowCount: above.rowCount + below.rowCount, columnCount: Math.max(above.columnCount, below.columnCount),
    cells: [...above.cells, ...below.cells.map((cell) => ({ ...cell, row: cell.row + above.rowCount }))],
  };
}
