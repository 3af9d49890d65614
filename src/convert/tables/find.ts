/** The table finder: from a page's words, lines and shades to tables of cells, without any network. */
import { isFigureCaption, isTableCaption } from '../wording/captions.js';
import { unionBox } from '../../geometry/box.js';
import type { Box, PageContent, Word } from '../../pdf/pdf-page.js';
import type { ConvertOptions } from '../options.js';
import type { FoundTable, TableCell } from '../page/found-table.js';
import { partAbreast } from './evidence/abreast.js';
import { blockLeading, makeBands, makeBlocks } from './evidence/blocks.js';
import type { Block } from './evidence/blocks.js';
import { findBoundaries, findColumns, rowsInside } from './evidence/boundaries.js';
import type { TableArea } from './evidence/boundaries.js';
import { makeChunks, makeRows, splitFinely } from './evidence/chunks.js';
import type { Chunk } from './evidence/chunks.js';
import type { Frame } from './evidence/frame.js';
import { readingFrames } from './evidence/frame.js';
import { fillGrid } from './evidence/grid.js';
import type { Grid } from './evidence/grid.js';
import { findHeaders } from './evidence/headers.js';
import type { Headers } from './evidence/headers.js';
import { evidenceOf, judge } from '../decide/table-score.js';
import type { Evidence } from '../decide/table-score.js';
import { groupMarks } from './evidence/marks.js';
import type { MarkGroup } from './evidence/marks.js';
import { withoutPageFrames } from './evidence/page-frame.js';
import { withoutProseBeside } from './evidence/prose-beside.js';
import { firstRowAbove } from './evidence/first-row.js';
import { findFlows } from './evidence/running-text.js';
import type { Flow } from './evidence/running-text.js';
import { readLineWork } from './evidence/segments.js';
import type { LineWork } from './evidence/segments.js';
import { widenSpans } from './evidence/spans.js';
import { growDown, growTables, headAbove, makeStrips, stripsOfBands } from './evidence/spread.js';
import { inReadingDirection } from './evidence/reading-direction.js';
import type { Growth, Strip } from './evidence/spread.js';
import { findTagged } from './evidence/tagged.js';
import { hasLeader, wordCount } from '../wording/cell-text.js';
import { withTurnedHeads } from './evidence/rotated-headers.js';
import { findWalls, isWalled, markWalls, panelWalls } from './evidence/walls.js';
import type { Wall } from './evidence/walls.js';

/** A page with fewer words has no table worth the name. */
const MIN_WORDS = 4;
const MIN_CONFIDENCE = 0.5;
const MIN_DOUBTFUL = 0.02;
/** Groups of lines tried on one page, the largest first. */
const MAX_GROUPS = 150;

/** One frame's material and what of it is spoken for. */
interface Scene {
  frame: Frame;
  lines: LineWork;
  chunks: Chunk[];
  flows: Flow[];
  /** What grounds and panels part. */
  panels: Wall[];
  walls: Wall[];
  /** Line distance of the page's text, with a little slack, in parts of its size. */
  leading: number;
  running: Set<Chunk>;
  used: Set<Chunk>;
  /** Confidence that a table must have. */
  least: number;
}

/**
 * Finds the tables of a page, from the top. Every word is in at most one cell of one table; the words of no table are the
 * page's remaining text. Effort is bounded whatever the page holds. With `doTableStructure` off there are no tables.
 */
export function findTables(page: PageContent, options: Pick<ConvertOptions, 'doTableStructure'>): FoundTable[] {
  return findSureAndDoubtful(page, options, false).tables;
}

/** As findTables(), and what might be tables among the words that are in none: of a confidence below the one that makes a table, for a second prediction. */
export function findSureAndDoubtful(page: PageContent, options: Pick<ConvertOptions, 'doTableStructure'>, wantsDoubtful = true): { tables: FoundTable[]; doubtful: FoundTable[] } {
  if (!options.doTableStructure || page.words.length < MIN_WORDS) return { tables: [], doubtful: [] };
  const found: { tables: FoundTable[]; doubtful: FoundTable[] }[] = [];
  for (const [index, frame] of readingFrames(page).entries()) {
    const tagged = index === 0 ? findTagged(page, frame) : [];
    const taken = tableWords(found.flatMap((one) => one.tables));
    const rest = index === 0 ? withoutTables(frame, tagged) : { ...frame, pieces: frame.pieces.filter(({ word }) => !taken.has(word)) };
    const { tables, doubtful } = findInFrame(rest, wantsDoubtful);
    found.push({ tables: index === 0 ? [...tagged, ...withTurnedHeads(tables, page)] : tables, doubtful });
  }
  const inOrder = (tables: FoundTable[]): FoundTable[] => tables.map(inReadingDirection).sort((a, b) => a.box.top - b.box.top || a.box.left - b.box.left);
  return { tables: inOrder(found.flatMap(({ tables }) => tables)), doubtful: inOrder(found.flatMap(({ doubtful }) => doubtful)) };
}

/** The words that `tables` hold: what a page's text is without. */
export function tableWords(tables: FoundTable[]): Set<Word> {
  return new Set(tables.flatMap((table) => table.cells.flatMap((cell) => cell.words)));
}

/** The frame without the tables' words and the lines that run in their boxes. */
function withoutTables(frame: Frame, tables: FoundTable[]): Frame {
  if (tables.length === 0) return frame;
  const words = tableWords(tables);
  const isClear = (box: Box): boolean => !tables.some((table) => overlaps(table.box, box));
  return {
    ...frame,
    pieces: frame.pieces.filter((piece) => !words.has(piece.word)),
    rulings: frame.rulings.filter(({ orientation, position: at, start, end }) => isClear(orientation === 'horizontal' ? { left: start, right: end, top: at, bottom: at } : { left: at, right: at, top: start, bottom: end })),
    boxes: frame.boxes.filter(({ box }) => isClear(box)),
  };
}

function overlaps(table: Box, box: Box): boolean {
  return box.left < table.right + 3 && box.right > table.left - 3 && box.top < table.bottom + 6 && box.bottom > table.top - 6;
}

function findInFrame(frame: Frame, wantsDoubtful: boolean): { tables: FoundTable[]; doubtful: FoundTable[] } {
  const lines = withoutPageFrames(readLineWork(frame), frame);
  const coarse = makeChunks(frame.pieces, lines.vertical);
  const flows = findFlows(makeRows(coarse));
  const running = new Set(flows.flatMap((flow) => flow.chunks));
  const chunks = coarse.flatMap((chunk) => (running.has(chunk) ? [chunk] : splitFinely(chunk)));
  const panels = [...panelWalls(frame), ...markWalls(frame, chunks)];
  const scene: Scene = { frame, lines, chunks, flows, leading: blockLeading(flows), panels, walls: findWalls(flows, lines.vertical, chunks, panels), running, used: new Set(), least: MIN_CONFIDENCE };
  const tables = [...findMarked(scene), ...findSpread(scene)];
  if (!wantsDoubtful) return { tables, doubtful: [] };
  scene.least = MIN_DOUBTFUL;
  return { tables, doubtful: [...findMarked(scene), ...findSpread(scene)] };
}

/** Tables that lines or shades show. */
function findMarked(scene: Scene): FoundTable[] {
  const groups = groupMarks(scene.lines, makeRows(scene.chunks), (chunk) => scene.running.has(chunk), scene.leading).filter(isPromising);
  groups.sort((a, b) => sizeOf(b.box) - sizeOf(a.box));
  const found: FoundTable[] = [];
  let material = freeMaterial(scene);
  for (const group of groups.slice(0, MAX_GROUPS)) {
    if (isPartial(group, material.strips, groups)) continue;
    const table = tryArea(scene, areaOfGroup(scene, group, material));
    if (table === null) continue;
    found.push(table);
    material = freeMaterial(scene);
  }
  return found;
}

/** What no table holds yet. */
interface Material {
  chunks: Chunk[];
  strips: Strip[];
}

function freeMaterial(scene: Scene): Material {
  const chunks = scene.chunks.filter((chunk) => !scene.used.has(chunk));
  return { chunks, strips: makeStrips(makeRows(chunks), scene.walls, (chunk) => !scene.running.has(chunk)) };
}

function sizeOf(box: Box): number {
  return (box.right - box.left) * (box.bottom - box.top);
}

function isPromising(group: MarkGroup): boolean {
  const { horizontals, verticals, shades, box } = group;
  if (box.right - box.left < 20) return false;
  if (horizontals.length >= 2 || shades.length >= 2 || (shades.length === 1 && horizontals.length === 1)) return true;
  const [rule] = horizontals;
  // A rule that uprights stand on or cross away from its ends: under the header, beside the labels.
  return rule !== undefined && verticals.some((line) => line.at > rule.start + 8 && line.at < rule.end - 8);
}

/** The group's box with the rows that belong to it above and below. */
function areaOfGroup(scene: Scene, group: MarkGroup, { chunks, strips }: Material): TableArea {
  const first = areaOf(scene, group.box, rowsInside(chunks, group.box), group);
  const found = findColumns(first);
  if (found === null) return first;
  const box = { ...group.box };
  const { columns, x } = found;
  const inside = strips.filter((strip) => strip.baseline > box.top && strip.baseline <= box.bottom + 1 && strip.left >= box.left - 4 && strip.right <= box.right + 4);
  const size = inside[0]?.size ?? 10;
  const head = headAbove(strips, columns, box.top, size, new Set(inside));
  const row = head.length > 0 ? null : firstRowAbove(group, strips, inside, columns);
  for (const strip of row === null ? head : [row]) box.top = Math.min(box.top, strip.top);
  const last = inside.at(-1);
  if (last !== undefined && isOpenBelow(group)) {
    const fixed = x.some((edge, index) => index > 0 && index + 1 < x.length && edge.kind !== 'white') ? columns : null;
    const seed = inside.filter((strip) => strip.core && strip !== last);
    const grown = growDown([...seed, { ...last, bottom: Math.max(last.bottom, box.bottom) }], strips, strips.indexOf(last) + 1, new Set(), fixed);
    for (const strip of grown.strips) box.bottom = Math.max(box.bottom, strip.bottom);
  }
  return areaOf(scene, box, rowsInside(chunks, box), group);
}

/** Text of more words beside a table's rules is no cell of its rows but text of another column. */
const MOST_WORDS_BEYOND = 7;

/** Rules under some columns only, as under sums: most rows reach beyond them to where no other lines are, so that the rows tell the table. */
function isPartial(group: MarkGroup, strips: Strip[], groups: MarkGroup[]): boolean {
  const { box, verticals, shades } = group;
  if (verticals.length > 0 || shades.length > 0) return false;
  const beside = groups.filter((other) => other !== group && other.box.top < box.bottom && other.box.bottom > box.top);
  const isOwn = (chunk: Chunk): boolean => beside.some((other) => other.box.left < chunk.right && other.box.right > chunk.left);
  const inside = strips.filter((strip) => strip.core && strip.baseline > box.top && strip.baseline < box.bottom + 2 && strip.right > box.left && strip.left < box.right);
  const beyond = inside.filter((strip) => strip.chunks.some((chunk) => (chunk.right < box.left - chunk.size || chunk.left > box.right + chunk.size) && wordCount(chunk.text) <= MOST_WORDS_BEYOND && !isOwn(chunk)));
  return inside.length > 0 && beyond.length > 0.6 * inside.length;
}

/** Nothing drawn ends the group below: stripes, or the rules of a header alone. */
function isOpenBelow({ horizontals, verticals, shades, box }: MarkGroup): boolean {
  const closed = verticals.length >= 2 && verticals.some((line) => Math.abs(line.end - box.bottom) < 4);
  return !closed && (horizontals.length < 3 || shades.some((shade) => Math.abs(shade.box.bottom - box.bottom) < 2));
}

function areaOf(scene: Scene, box: Box, rows: TableArea['rows'], group: Omit<MarkGroup, 'box'>): TableArea {
  const joints = scene.lines.joints.filter((joint) => joint.x >= box.left - 1 && joint.x <= box.right + 1 && joint.top >= box.top - 2 && joint.bottom <= box.bottom + 2);
  return { box, rows, horizontals: group.horizontals, verticals: group.verticals, shades: group.shades, joints, leading: scene.leading };
}

/** Tables that only the white between their words shows; where two readings overlap the larger one goes first. */
function findSpread(scene: Scene): FoundTable[] {
  const isFree = (chunk: Chunk): boolean => !scene.used.has(chunk);
  const strips = makeStrips(makeRows(scene.chunks), scene.walls, (chunk) => isFree(chunk) && !scene.running.has(chunk));
  const growths = growTables(strips);
  // The lines of one table are not the head of the next.
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
    const table = tryArea(scene, area, bands);
    if (table !== null) found.push(table);
  }
  return found;
}

interface Candidate {
  chunks: Chunk[];
  /** Rows of blocks it was found by; 0 where it was found by its lines. */
  bands: number;
}

function candidateOf(growth: Growth, heads: Strip[], bands: number): Candidate {
  const body = unionBox(growth.strips);
  const head = headAbove(heads, growth.columns, body.top, growth.strips[0]?.size ?? 10, new Set(growth.strips));
  const chunks = [...head, ...growth.strips].flatMap((strip) => strip.chunks.flatMap((chunk) => ('lines' in chunk ? (chunk as Block).lines : [chunk])));
  return { chunks: [...new Set(chunks)], bands };
}

/** Text of more lines than this is no cell, or no cell even where it begins level with its neighbours. */
const MAX_CELL_LINES = 10;
const MAX_ROW_LINES = 30;

/** Something short beside the flow's first line begins where it begins. */
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

/** The growth's bands, as far as they show wrapped text: twice as many as have a block of several lines. */
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

/** The table in an area, or null; its chunks are used afterwards. */
function tryArea(scene: Scene, area: TableArea, bands = 0): FoundTable | null {
  if (area.rows.length === 0) return null;
  const boundaries = findBoundaries(area);
  if (boundaries === null) return null;
  const grid = fillGrid(area, boundaries);
  const evidence = evidenceOf(area, grid);
  const members = area.rows.flatMap((row) => row.chunks);
  const running = bands > 0 ? 0 : members.filter((chunk) => scene.running.has(chunk)).length / members.length;
  const confidence = judge(area, grid, evidence, { captioned: isBeside(scene, area, 5, isTableCaption), figure: isBeside(scene, area, 4, isFigureCaption), leaders: isBeside(scene, area, 2, hasLeader), running, bands });
  if (confidence < scene.least) return null;
  for (const chunk of members) scene.used.add(chunk);
  const headers = findHeaders(area, grid);
  widenSpans(grid, boundaries.columns, headers.rows);
  return assemble(scene.frame, area, grid, headers, evidence, confidence);
}

/** A chunk right above or below the area, at most `reach` times its size away, passes the test. */
function isBeside(scene: Scene, { box }: TableArea, reach: number, test: (text: string) => boolean): boolean {
  return scene.chunks.some((chunk) => {
    if (chunk.right < box.left - 20 || chunk.left > box.right + 20) return false;
    const gap = Math.max(box.top - chunk.bottom, chunk.top - box.bottom);
    return gap < reach * chunk.size && gap > -chunk.size && test(chunk.text);
  });
}

function assemble(frame: Frame, area: TableArea, grid: Grid, headers: Headers, evidence: Evidence, confidence: number): FoundTable {
  const cells = grid.cells.map((cell): TableCell => {
    const [left, right] = [grid.x[cell.column]?.at ?? 0, grid.x[cell.column + cell.columnSpan]?.at ?? 0];
    const [top, bottom] = [grid.y[cell.row]?.at ?? 0, grid.y[cell.row + cell.rowSpan]?.at ?? 0];
    const columnHeader = cell.row < headers.rows;
    return {
      row: cell.row,
      column: cell.column,
      rowSpan: cell.rowSpan,
      columnSpan: cell.columnSpan,
      columnHeader,
      rowHeader: !columnHeader && headers.firstColumn && cell.column === 0,
      words: cell.chunks.flatMap((chunk) => chunk.pieces.map((piece) => piece.word)),
      box: frame.toPage({ left, top, right, bottom }),
    };
  });
  const outer = {
    left: grid.x[0]?.at ?? area.box.left,
    top: grid.y[0]?.at ?? area.box.top,
    right: grid.x.at(-1)?.at ?? area.box.right,
    bottom: grid.y.at(-1)?.at ?? area.box.bottom,
  };
  return { box: frame.toPage(outer), rowCount: grid.rowCount, columnCount: grid.columnCount, cells, evidence, confidence };
}
