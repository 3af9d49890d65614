/** Running text: stacks of lines that a paragraph fills, one after the other. No table extends beyond them. */
import { quantile } from '../../../geometry/statistics.js';
import { horizontalExtent, horizontalOverlap, widthOf } from '../../../geometry/box.js';
import type { Chunk, VisualRow } from './chunks.js';
import { isValue, letterShare, wordCount } from '../../wording/cell-text.js';

/** Successive text lines in one column. */
export interface Flow {
  chunks: Chunk[];
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** The number of rows below a line that are searched for its continuation. */
const LOOK_AHEAD = 14;
const MIN_LINES = 4;
const MIN_WIDE_LINES = 3;
/** The fewest rows of a table's column of lines in a stack, and the share of the stack's width of a short line. */
const MIN_ROWS = 3;
const shortShare = 0.4;
/** Share of lines on which the next line's first word would not have fitted. */
const FULL_SHARE = 0.72;

/** The running text among `rows`. Stacks whose blocks form rows with their neighbours' blocks are table columns and are left out. */
export function findFlows(rows: VisualRow[]): Flow[] {
  const flows: Flow[] = [];
  const company = companyOf(rows);
  for (const whole of stackChunks(rows).flatMap((stack) => withoutColumns(stack, company))) {
    const stack = trimEnds(whole);
    if (stack.length < (isWide(stack) ? MIN_WIDE_LINES : MIN_LINES) || !isProse(stack)) continue;
    const flow = flowOf(stack);
    if (!isTableColumn(flow, rows)) flows.push(flow);
  }
  return flows;
}

/** The widest other chunk in each chunk's row; chunks that are alone in their row have none. */
function companyOf(rows: VisualRow[]): Map<Chunk, number> {
  const company = new Map<Chunk, number>();
  for (const { chunks } of rows) {
    if (chunks.length < 2) continue;
    for (const chunk of chunks) company.set(chunk, Math.max(...chunks.map((other) => (other === chunk ? 0 : widthOf(other)))));
  }
  return company;
}

/** The parts of the stack without the runs of lines that are a column of a table between two paragraphs: these lines and the chunks beside them are short. */
function withoutColumns(stack: Chunk[], company: Map<Chunk, number>): Chunk[][] {
  const most = shortShare * Math.max(...stack.map((chunk) => widthOf(chunk)));
  const isCell = (chunk: Chunk): boolean => widthOf(chunk) < most && (company.get(chunk) ?? Infinity) < most;
  const parts: Chunk[][] = [];
  let [from, at] = [0, 0];
  while (at < stack.length) {
    let end = at;
    while (end < stack.length && isCell(stack[end] as Chunk)) end++;
    if (end - at >= MIN_ROWS) {
      if (at > from) parts.push(stack.slice(from, at));
      from = end;
    }
    at = Math.max(at + 1, end);
  }
  if (from < stack.length) parts.push(stack.slice(from));
  return parts;
}

function flowOf(chunks: Chunk[]): Flow {
  return {
    chunks,
    ...horizontalExtent(chunks),
    top: chunks[0]?.top ?? 0,
    bottom: chunks[chunks.length - 1]?.bottom ?? 0,
  };
}

/** Chains of chunks, each the only one directly below the previous one. */
function stackChunks(rows: VisualRow[]): Chunk[][] {
  const below = new Map<Chunk, Chunk>();
  const parents = new Map<Chunk, number>();
  for (const [index, row] of rows.entries()) {
    for (const chunk of row.chunks) {
      const next = onlyChunkBelow(rows, index, chunk);
      if (next === null) continue;
      below.set(chunk, next);
      parents.set(next, (parents.get(next) ?? 0) + 1);
    }
  }
  const stacks: Chunk[][] = [];
  for (const row of rows) {
    for (const chunk of row.chunks) {
      if (parents.get(chunk) === 1) continue;
      const stack = [chunk];
      for (let next = below.get(chunk); next !== undefined && parents.get(next) === 1; next = below.get(next)) stack.push(next);
      stacks.push(stack);
    }
  }
  return stacks;
}

function onlyChunkBelow(rows: VisualRow[], index: number, chunk: Chunk): Chunk | null {
  for (let at = index + 1; at < rows.length && at <= index + LOOK_AHEAD; at++) {
    const row = rows[at];
    if (row === undefined || row.baseline - chunk.baseline > 2.6 * chunk.size) return null;
    const under = row.chunks.filter((other) => horizontalOverlap(other, chunk) > 0.5);
    if (under.length === 0) continue;
    const next = under[0];
    if (under.length > 1 || next === undefined) return null;
    const alike = Math.abs(next.size - chunk.size) <= 0.13 * chunk.size && Math.abs(next.left - chunk.left) <= 3.5 * chunk.size;
    return alike ? next : null;
  }
  return null;
}

/** Short separate lines at either end of a stack are a heading, or the first cell of a table below. */
function trimEnds(stack: Chunk[]): Chunk[] {
  const step = usualStep(stack);
  const width = Math.max(...stack.map((chunk) => widthOf(chunk)));
  const isSetOff = (chunk: Chunk | undefined, other: Chunk | undefined): boolean =>
    chunk !== undefined && other !== undefined && widthOf(chunk) < 0.5 * width && Math.abs(chunk.baseline - other.baseline) > 1.22 * step;
  let [first, last] = [0, stack.length - 1];
  while (last > first && isSetOff(stack[last], stack[last - 1])) last--;
  while (first < last && isSetOff(stack[first], stack[first + 1])) first++;
  return stack.slice(first, last + 1);
}

/** Lines with the length of a page's lines, not of a cell's. */
function isWide(stack: Chunk[]): boolean {
  return stack.slice(0, 2).every((chunk) => wordCount(chunk.text) >= 8 && chunk.text.length >= 50);
}

function isProse(stack: Chunk[]): boolean {
  let [letters, words, values] = [0, 0, 0];
  for (const chunk of stack) {
    letters += chunk.text.length;
    words += wordCount(chunk.text);
    if (isValue(chunk.text)) values++;
  }
  const count = stack.length;
  if (letters / count < 16 || words / count < 2.8 || values > 0.15 * count) return false;
  if (letterShare(stack.slice(0, 40).map((chunk) => chunk.text).join('')) < 0.6) return false;
  // Paragraphs have more lines than one; cells often have not.
  if (blocksOf(stack, usualStep(stack)).length > 0.5 * count) return false;
  return fullShare(stack) >= FULL_SHARE;
}

/** Among lines with a next line at line distance, the share that had no room for its first word. */
function fullShare(stack: Chunk[]): number {
  const step = usualStep(stack);
  const width = Math.max(...stack.map((chunk) => widthOf(chunk)));
  let [full, followed] = [0, 0];
  for (let index = 0; index + 1 < stack.length; index++) {
    const [line, next] = [stack[index], stack[index + 1]];
    if (line === undefined || next === undefined || next.baseline - line.baseline > 1.25 * step) continue;
    followed++;
    if (!hadRoom(line, next, width)) full++;
  }
  return followed < (isWide(stack) ? 2 : 3) ? 0 : full / followed;
}

/** Whether the first word of `next` would have fitted behind `line` in a cell or column of this `width`. */
export function hadRoom(line: Chunk, next: Chunk, width: number): boolean {
  const first = next.pieces[0];
  if (first === undefined) return false;
  let end = first.right;
  for (const piece of next.pieces.slice(1)) {
    if (!piece.word.glued) break;
    end = piece.right;
  }
  return widthOf(line) + 0.25 * line.size + (end - first.left) < width - 0.3 * line.size;
}

function usualStep(stack: Chunk[]): number {
  const steps: number[] = [];
  for (let index = 1; index < stack.length; index++) steps.push((stack[index]?.baseline ?? 0) - (stack[index - 1]?.baseline ?? 0));
  return quantile(steps, 0.3);
}

interface Extent {
  top: number;
  bottom: number;
}

/** Splits a stack of lines where their distance exceeds the usual one. */
export function blocksOf(chunks: Chunk[], step: number): Extent[] {
  const blocks: Extent[] = [];
  let last: Chunk | undefined;
  for (const chunk of chunks) {
    const open = blocks[blocks.length - 1];
    if (open !== undefined && last !== undefined && chunk.baseline - last.baseline <= 1.2 * step) open.bottom = chunk.bottom;
    else blocks.push({ top: chunk.top, bottom: chunk.bottom });
    last = chunk;
  }
  return blocks;
}

/**
 * Whether a stack of full lines is a column of a table: it consists of blocks, and the text beside it consists of blocks of the
 * same rows, or enough of its lines share their baseline with short text beside them, on both sides or values.
 */
function isTableColumn(flow: Flow, rows: VisualRow[]): boolean {
  const own = new Set(flow.chunks);
  const step = usualStep(flow.chunks);
  const beside = { left: [] as Chunk[], right: [] as Chunk[] };
  let [shared, short, enclosed, valued] = [0, 0, 0, 0];
  for (const row of rows) {
    if (row.baseline < flow.top - step || row.baseline > flow.bottom + step) continue;
    const at = row.chunks.findIndex((chunk) => own.has(chunk));
    const [before, after] = neighbours(row, flow, at);
    if (before !== undefined) beside.left.push(before);
    if (after !== undefined) beside.right.push(after);
    if (at < 0 || (before === undefined && after === undefined)) continue;
    shared++;
    if (!isShort(before) || !isShort(after)) continue;
    short++;
    if (before !== undefined && after !== undefined) enclosed++;
    if (isValue(before?.text ?? '') || isValue(after?.text ?? '')) valued++;
  }
  const count = flow.chunks.length;
  if (short >= 0.8 * shared && (shared >= 0.75 * count || enclosed >= 0.3 * count || valued >= 0.35 * count)) return true;
  const blocks = blocksOf(flow.chunks, step);
  if (blocks.length < 2) return false;
  return [beside.left, beside.right].some((side) => pairsOff(blocks, side, step));
}

function isShort(chunk: Chunk | undefined): boolean {
  return chunk === undefined || wordCount(chunk.text) <= 3;
}

function neighbours(row: VisualRow, flow: Flow, at: number): [Chunk | undefined, Chunk | undefined] {
  if (at >= 0) return [row.chunks[at - 1], row.chunks[at + 1]];
  const before = row.chunks.filter((chunk) => chunk.right <= flow.left);
  return [before[before.length - 1], row.chunks.find((chunk) => chunk.left >= flow.right)];
}

function pairsOff(blocks: Extent[], side: Chunk[], step: number): boolean {
  if (side.length === 0) return false;
  const others = blocksOf(side, step);
  const met = new Set<number>();
  for (const other of others) {
    const touched = blocks.flatMap((block, index) => (other.top < block.bottom - 1 && other.bottom > block.top + 1 ? [index] : []));
    if (touched.length > 1) return false;
    if (touched[0] !== undefined) met.add(touched[0]);
  }
  return met.size >= 2 && met.size >= 0.6 * blocks.length && others.length <= 1.5 * blocks.length;
}
