/** Finds tables that only white space between their words shows. */
import { unionBox } from '../../geometry/box.js';
import type { FoundTable } from '../page/found-table.js';
import { partAbreast } from './evidence/abreast.js';
import { makeBands, makeBlocks, type Block } from './evidence/blocks.js';
import { makeRows, type Chunk } from './evidence/chunks.js';
import { withoutProseBeside } from './evidence/prose-beside.js';
import type { Flow } from './evidence/running-text.js';
import { growTables, headAbove, makeStrips, stripsOfBands, type Growth, type Strip } from './evidence/spread.js';
import { findWalls, isWalled } from './evidence/walls.js';
import { areaOf, type Scene } from './scene.js';
import { tableInArea } from './table-in-area.js';

/** Finds the tables and marks their chunks as used. Of two overlapping candidates the larger one is tried first. */
export function findSpread(scene: Scene): FoundTable[] {
  const isFree = (chunk: Chunk): boolean => !scene.used.has(chunk);
  const strips = makeStrips(makeRows(scene.chunks), scene.walls, (chunk) => isFree(chunk) && !scene.running.has(chunk));
  const growths = growTables(strips);
  // The lines of one table are not the header of the next.
  const taken = new Set(growths.filter((growth) => growth.strips.length >= 4).flatMap((growth) => growth.strips));
  const heads = strips.filter((strip) => !taken.has(strip));
  const candidates = [...growths.map((growth) => candidateOf(growth, heads, 0)), ...bandCandidates(scene, heads)].flatMap(({ chunks, bands }) => (
    partAbreast(makeRows(withoutProseBeside(chunks)), scene.lines.horizontal).map((part): Candidate => ({ chunks: part, bands }))
  ));
  candidates.sort((a, b) => b.chunks.length - a.chunks.length);
  const found: FoundTable[] = [];
  for (const { chunks, bands } of candidates) {
    if (chunks.some((chunk) => scene.used.has(chunk))) continue;
    const box = unionBox([stripAround(chunks)]);
    const width = box.right - box.left;
    const horizontals = scene.lines.horizontal.filter((line) => line.at > box.top + 3 && line.at < box.bottom - 3 && line.start > box.left - 20 && line.end < box.right + 20 && line.end - line.start > 0.5 * width);
    const verticals = scene.lines.vertical.filter((line) => line.at > box.left && line.at < box.right && line.start > box.top - 12 && line.end < box.bottom + 12);
    const area = areaOf(scene, box, makeRows(chunks), { horizontals, verticals, shades: [] });
    const table = tableInArea(scene, area, bands);
    if (table !== null) found.push(table);
  }
  return found;
}

interface Candidate {
  chunks: Chunk[];
  /** The rows of blocks by which it was found; 0 if it was found by its lines. */
  bands: number;
}

function candidateOf(growth: Growth, heads: Strip[], bands: number): Candidate {
  const body = unionBox(growth.strips);
  const head = headAbove(heads, growth.columns, body.top, growth.strips[0]?.size ?? 10, new Set(growth.strips));
  const chunks = [...head, ...growth.strips].flatMap((strip) => strip.chunks.flatMap((chunk) => ('lines' in chunk ? (chunk as Block).lines : [chunk])));
  return { chunks: [...new Set(chunks)], bands };
}

/** A text with more lines is not a cell. With still more lines it is not, even if it begins level with its neighbours. */
const MAX_CELL_LINES = 10;
const MAX_ROW_LINES = 30;

/** Whether a short text beside the flow's first line begins at the same height. */
function beginsRow({ chunks: [first] }: Flow, chunks: Chunk[]): boolean {
  if (first === undefined) return false;
  return chunks.some((chunk) => {
    const gap = Math.max(first.left - chunk.right, chunk.left - first.right);
    return Math.abs(chunk.baseline - first.baseline) < 1.5 && gap > 3 && gap < 60 && chunk.right - chunk.left < first.right - first.left;
  });
}

/** Rows of blocks that stand side by side: tables whose cells are wrapped text. */
function bandCandidates(scene: Scene, heads: Strip[]): Candidate[] {
  const long = scene.flows.filter((flow) => flow.chunks.length > (beginsRow(flow, scene.chunks) ? MAX_ROW_LINES : MAX_CELL_LINES));
  const barred = new Set(long.flatMap((flow) => flow.chunks));
  const walls = findWalls(scene.flows, scene.lines.vertical, scene.chunks, scene.panels, long);
  const rows = makeRows(scene.chunks.filter((chunk) => !scene.used.has(chunk) && !barred.has(chunk)));
  const bands = makeBands(makeBlocks(rows, scene.leading), (left, right) => isWalled(left, right, walls));
  const wrapped = stripsOfBands(bands);
  return growTables(wrapped).filter((growth) => growth.strips.length >= 3).map((growth) => candidateOf(growth, heads, wrappedBands(growth)));
}

/** The growth's bands that show wrapped text: up to twice as many as have a block of several lines. */
function wrappedBands({ strips }: Growth): number {
  const wrapped = strips.filter((strip) => strip.chunks.some((chunk) => 'lines' in chunk && (chunk as Block).lines.length > 1)).length;
  return Math.min(strips.length, 2 * wrapped);
}

function stripAround(chunks: Chunk[]): Strip {
  return {
    chunks,
    baseline: 0,
    top: Math.min(...chunks.map((chunk) => chunk.top)),
    bottom: Math.max(...chunks.map((chunk) => chunk.bottom)),
    left: Math.min(...chunks.map((chunk) => chunk.left)),
    right: Math.max(...chunks.map((chunk) => chunk.right)),
    size: 0,
    core: true,
  };
}
