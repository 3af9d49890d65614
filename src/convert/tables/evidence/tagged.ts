/** Tables from the tags of a tagged PDF, used if the places of their words agree with the tags. */
import { heightOf, holdsPoint, horizontalOverlap, middleX, unionBox, widthOf } from '../../../geometry/box.js';
import { lineExtent, middleOfLetters } from '../../../geometry/em.js';
import type { Box, PageContent, StructureNode } from '../../../pdf/pdf-page.js';
import type { FoundTable, TableCell } from '../../page/found-table.js';
import { makeChunks } from './chunks.js';
import { joinedTexts } from '../../decide/table-doubts.js';
import type { Frame, Piece } from './frame.js';
import { inReadingOrder } from './grid.js';

interface TaggedCell {
  row: number;
  column: number;
  rowSpan: number;
  columnSpan: number;
  header: boolean;
  pieces: Piece[];
}

interface TaggedGrid {
  rowCount: number;
  columnCount: number;
  cells: TaggedCell[];
}

const MAX_NODES = 50_000;
const MAX_SPAN = 200;
const MAX_COLUMNS = 1000;
/** Cells are compared in pairs; geometry finds tables with more cells. */
const MAX_CELLS = 3000;
/** A cell with more words than this, and most of the table's words, is a page layout rather than a table cell. */
const LAYOUT_WORDS = 100;
const CONFIDENCE = 0.97;

/** The page's tagged tables with at least two rows and columns, except those that the words' places contradict. */
export function findTagged(page: PageContent, frame: Frame): FoundTable[] {
  const nodes = tableNodes(page.structure);
  if (nodes.length === 0) return [];
  const byMark = new Map<number, Piece[]>();
  for (const piece of frame.pieces) {
    const known = byMark.get(piece.word.mcid);
    if (known === undefined) byMark.set(piece.word.mcid, [piece]);
    else known.push(piece);
  }
  byMark.delete(-1);
  const found: FoundTable[] = [];
  for (const node of nodes) {
    const grid = gridOf(node, byMark);
    if (grid === null || !agrees(grid, frame)) continue;
    found.push(assemble(grid, frame));
    for (const cell of grid.cells) for (const piece of cell.pieces) byMark.delete(piece.word.mcid);
  }
  return found;
}

/** Innermost tables: a table around others is the layout of the page. */
function tableNodes(roots: StructureNode[]): StructureNode[] {
  const found: StructureNode[] = [];
  let visited = 0;
  const visit = (node: StructureNode): boolean => {
    if (++visited > MAX_NODES) return false;
    let inner = false;
    for (const child of node.children) inner = visit(child) || inner;
    if (node.role !== 'Table') return inner;
    if (!inner) found.push(node);
    return true;
  };
  for (const root of roots) visit(root);
  return found;
}

function gridOf(table: StructureNode, byMark: Map<number, Piece[]>): TaggedGrid | null {
  const rows = table.children.flatMap((child) => (child.role === 'TR' ? [child] : child.children.filter((inner) => inner.role === 'TR')));
  const taken = new Set<number>();
  const cells: TaggedCell[] = [];
  let columnCount = 0;
  for (const [row, { children }] of rows.entries()) {
    let column = 0;
    for (const node of children) {
      if (node.role !== 'TD' && node.role !== 'TH') continue;
      while (taken.has(row * MAX_COLUMNS + column)) column++;
      const [rowSpan, columnSpan] = [Math.min(node.rowSpan, rows.length - row, MAX_SPAN), Math.min(node.columnSpan, MAX_SPAN)];
      if (!(rowSpan >= 1) || !(columnSpan >= 1) || column + columnSpan >= MAX_COLUMNS) return null;
      for (let down = 0; down < rowSpan; down++) for (let right = 0; right < columnSpan; right++) taken.add((row + down) * MAX_COLUMNS + column + right);
      cells.push({ row, column, rowSpan, columnSpan, header: node.role === 'TH', pieces: piecesOf(node, byMark) });
      column += columnSpan;
      columnCount = Math.max(columnCount, column);
      if (cells.length > MAX_CELLS) return null;
    }
  }
  const short = rows.flatMap((_, row) => (Array.from({ length: columnCount }, (__, column) => taken.has(row * MAX_COLUMNS + column)).includes(false) ? [row] : []));
  const grid = { rowCount: rows.length, columnCount, cells };
  return short.length === 0 || placeByColumns(grid, new Set(short)) ? trim(grid) : null;
}

/** Some programs omit empty cells in the tags: in short rows the words' places define the columns. Returns false if they do not. */
function placeByColumns(grid: TaggedGrid, short: Set<number>): boolean {
  const columns = Array.from({ length: grid.columnCount }, () => ({ left: Infinity, right: -Infinity }));
  for (const { row, column, columnSpan, pieces } of grid.cells) {
    const extent = columns[column];
    if (short.has(row) || columnSpan > 1 || pieces.length === 0 || extent === undefined) continue;
    const box = extentOf(pieces);
    extent.left = Math.min(extent.left, box.left);
    extent.right = Math.max(extent.right, box.right);
  }
  if (columns.some(({ left, right }) => left > right)) return false;
  for (const row of short) {
    let next = 0;
    for (const cell of grid.cells.filter((other) => other.row === row)) {
      if (cell.pieces.length > 0) {
        const box = extentOf(cell.pieces);
        const distances = columns.map(({ left, right }) => Math.max(left - box.right, box.left - right, -Math.min(right, box.right) + Math.max(left, box.left)));
        next = distances.reduce((best, distance, column) => (column >= next && distance < (distances[best] ?? Infinity) ? column : best), next);
      }
      if (next + cell.columnSpan > grid.columnCount) return false;
      cell.column = next;
      next += cell.columnSpan;
    }
    fillRow(grid, row);
  }
  grid.cells.sort((a, b) => a.row - b.row || a.column - b.column);
  return true;
}

/** Adds the empty cells that a row lacks. */
function fillRow(grid: TaggedGrid, row: number): void {
  const covered = new Set<number>();
  for (const cell of grid.cells) {
    if (cell.row > row || cell.row + cell.rowSpan <= row) continue;
    for (let column = cell.column; column < cell.column + cell.columnSpan; column++) covered.add(column);
  }
  for (let column = 0; column < grid.columnCount; column++) {
    if (!covered.has(column)) grid.cells.push({ row, column, rowSpan: 1, columnSpan: 1, header: false, pieces: [] });
  }
}

function piecesOf(node: StructureNode, byMark: Map<number, Piece[]>): Piece[] {
  const own = node.mcids.flatMap((mark) => byMark.get(mark) ?? []);
  return [...own, ...node.children.flatMap((child) => piecesOf(child, byMark))];
}

/** Removes the rows at either end that are on another page, and makes the grid rectangular. */
function trim(grid: TaggedGrid): TaggedGrid | null {
  const rows = grid.cells.filter((cell) => cell.pieces.length > 0).map((cell) => cell.row);
  const [first, last] = [Math.min(...rows), Math.max(...rows)];
  if (rows.length === 0) return null;
  const cells = grid.cells
    .filter((cell) => cell.row >= first && cell.row <= last)
    .map((cell) => ({ ...cell, row: cell.row - first, rowSpan: Math.min(cell.rowSpan, last - cell.row + 1) }));
  return { rowCount: last - first + 1, columnCount: grid.columnCount, cells };
}

/** Whether rows go down, columns go right, cells keep to their column, no other text is among them, and it is not a page layout. */
function agrees(grid: TaggedGrid, frame: Frame): boolean {
  const { rowCount, columnCount, cells } = grid;
  const full = cells.filter((cell) => cell.pieces.length > 0);
  const words = full.reduce((sum, cell) => sum + cell.pieces.length, 0);
  if (rowCount < 2 || columnCount < 2 || full.length < 4 || full.length < 0.3 * cells.length) return false;
  if (full.some((cell) => cell.pieces.length > LAYOUT_WORDS && cell.pieces.length > 0.5 * words)) return false;
  if (new Set(full.flatMap((cell) => cell.pieces)).size !== words) return false;
  const boxes = new Map(full.map((cell) => [cell, extentOf(cell.pieces)]));
  const { right, wrong } = heldAgainstEachOther(boxes);
  const outer = unionBox([...boxes.values()]);
  const own = new Set(full.flatMap((cell) => cell.pieces));
  const foreign = frame.pieces.filter((piece) => !own.has(piece) && holds(outer, piece)).length;
  return right >= 2 && wrong <= 0.05 * (right + wrong) && foreign <= 0.06 * words;
}

/** The number of pairs of neighbouring cells whose places agree with their rows and columns, and of those that disagree. */
function heldAgainstEachOther(boxes: Map<TaggedCell, Box>): { right: number; wrong: number } {
  let [right, wrong] = [0, 0];
  for (const [cell, box] of boxes) {
    for (const [other, beside] of boxes) {
      if (cell === other || Math.abs(cell.row - other.row) > 1) continue;
      const sameRow = cell.row === other.row && cell.column + cell.columnSpan <= other.column;
      const sameColumn = cell.column === other.column && cell.row + cell.rowSpan <= other.row;
      if (sameRow || sameColumn) {
        if (sameRow ? box.right <= beside.left + 2 : box.bottom <= beside.top + 0.3 * heightOf(beside)) right++;
        else wrong++;
      }
      if (cell.columnSpan > 1 || other.columnSpan > 1 || other.row !== cell.row - 1 || other.column === cell.column) continue;
      // A cell stands under one of its own column, not under one of another.
      const shared = horizontalOverlap(box, beside);
      if (shared > 0.5 * Math.min(widthOf(box), widthOf(beside))) wrong++;
    }
  }
  return { right, wrong };
}

function holds(box: Box, piece: Piece): boolean {
  return holdsPoint(box, middleX(piece), middleOfLetters(piece));
}

function extentOf(pieces: Piece[]): Box {
  return unionBox(pieces.map((piece) => ({ left: piece.left, right: piece.right, ...lineExtent(piece) })));
}

function assemble(grid: TaggedGrid, frame: Frame): FoundTable {
  const outer = unionBox(grid.cells.filter((cell) => cell.pieces.length > 0).map((cell) => extentOf(cell.pieces)));
  const x = edges(grid, grid.columnCount, outer.left, outer.right, (cell) => [cell.column, cell.columnSpan], (box) => [box.left, box.right]);
  const y = edges(grid, grid.rowCount, outer.top, outer.bottom, (cell) => [cell.row, cell.rowSpan], (box) => [box.top, box.bottom]);
  const headerRows = countHeaderRows(grid);
  const cells = grid.cells.map((cell): TableCell => {
    const columnHeader = cell.row < headerRows;
    return {
      row: cell.row,
      column: cell.column,
      rowSpan: cell.rowSpan,
      columnSpan: cell.columnSpan,
      columnHeader,
      rowHeader: !columnHeader && cell.header && cell.column === 0,
      words: inReadingOrder(makeChunks(cell.pieces, [])).flatMap((chunk) => chunk.pieces.map((piece) => piece.word)),
      box: frame.toPage({ left: x[cell.column] ?? outer.left, top: y[cell.row] ?? outer.top, right: x[cell.column + cell.columnSpan] ?? outer.right, bottom: y[cell.row + cell.rowSpan] ?? outer.bottom }),
    };
  });
  // Programs that guess tags merge columns: texts far apart in one cell may belong to different cells.
  const evidence = joinedTexts(cells) === 0 ? 'tagged' : 'partly-ruled';
  return { box: frame.toPage(outer), rowCount: grid.rowCount, columnCount: grid.columnCount, cells, evidence, confidence: CONFIDENCE };
}

/** Edges between the lines of cells in one direction: midway between the cells before and after. */
function edges(grid: TaggedGrid, count: number, start: number, end: number, place: (cell: TaggedCell) => [number, number], span: (box: Box) => [number, number]): number[] {
  const from = new Array<number>(count).fill(Infinity);
  const to = new Array<number>(count).fill(-Infinity);
  for (const cell of grid.cells) {
    const [at, length] = place(cell);
    if (length > 1 || cell.pieces.length === 0) continue;
    const [low, high] = span(extentOf(cell.pieces));
    from[at] = Math.min(from[at] ?? Infinity, low);
    to[at] = Math.max(to[at] ?? -Infinity, high);
  }
  const found = [start];
  for (let index = 1; index < count; index++) {
    const before = Math.max(found[index - 1] ?? start, ...to.slice(0, index).filter(Number.isFinite));
    const after = Math.min(end, ...from.slice(index).filter(Number.isFinite));
    found.push(Math.max(found[index - 1] ?? start, (before + after) / 2));
  }
  return [...found, end];
}

/** The number of rows at the top with header cells alone; if no row is tagged so, the first one if its neighbour below is not a header either. */
function countHeaderRows(grid: TaggedGrid): number {
  let rows = 0;
  while (rows < grid.rowCount - 1 && isHeaderRow(grid, rows)) rows++;
  return rows;
}

function isHeaderRow(grid: TaggedGrid, row: number): boolean {
  const cells = grid.cells.filter((cell) => cell.row === row && cell.pieces.length > 0);
  return cells.length > 0 && cells.every((cell) => cell.header);
}
