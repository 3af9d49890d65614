/** Whether a filled grid is a table, and how surely. Running text, lists, contents pages, formulas and code are none. */
import type { TableArea } from './boundaries.js';
import type { Chunk } from './chunks.js';
import type { Grid, GridCell } from './grid.js';
import { hasLeader, isBullet, isEnumerator, isValue, letterShare, wordCount } from './text-kind.js';

export type Evidence = 'ruled' | 'partly-ruled' | 'unruled';

export interface Surroundings {
  /** A line that begins like a table's caption stands right above or below. */
  captioned: boolean;
  /** Share of the area's chunks that are running text. */
  running: number;
  /** Rows of blocks side by side that the area was found by. */
  bands: number;
}

/** What the grid shows, counted once. */
export interface Findings {
  rows: number;
  columns: number;
  filled: number;
  /** Filled cells outside the first column that hold a value. */
  values: number;
  words: number;
  longest: number;
  sentences: number;
  aligned: number;
  headed: boolean;
  listed: number;
  leaders: number;
  symbols: number;
  monospace: number;
}

export function evidenceOf(area: TableArea, grid: Grid): Evidence {
  const inner = grid.x.slice(1, -1).filter((edge) => edge.kind === 'drawn').length;
  const lines = grid.y.filter((edge) => edge.kind === 'drawn').length;
  if (inner > 0 && lines >= 2) return 'ruled';
  return area.horizontals.length > 0 || area.verticals.length > 0 || area.shades.length > 0 ? 'partly-ruled' : 'unruled';
}

/** 0..1; below 0.5 the grid is no table. */
export function judge(area: TableArea, grid: Grid, evidence: Evidence, around: Surroundings): number {
  const found = findingsOf(grid);
  if (found.columns < 2 || found.filled < 2) return 0;
  const score = evidence === 'ruled' ? judgeRuled(found, area, grid) : judgeOpen(found, evidence, area, around);
  return 1 / (1 + Math.exp(-score));
}

function judgeRuled(found: Findings, area: TableArea, grid: Grid): number {
  const cells = found.rows * found.columns;
  const areaSize = (area.box.right - area.box.left) * (area.box.bottom - area.box.top);
  let score = 1.5;
  if (found.rows === 1) score -= found.columns === 2 && found.longest > 40 ? 1.6 : 0.8;
  if (found.filled < 0.3 * cells) score -= found.filled < 4 ? 2 : 0.6;
  // Boxes that hold most of a page's text are its layout.
  if (cells <= 6 && found.longest > 120 && found.longest > 0.5 * found.words) score -= 2;
  if (areaSize <= 0 || grid.cells.length < 2) score -= 3;
  return score;
}

function judgeOpen(found: Findings, evidence: Evidence, area: TableArea, around: Surroundings): number {
  const { rows, columns, filled } = found;
  if (rows < 2) return -2;
  const rules = area.horizontals.length;
  let score = evidence === 'partly-ruled' ? 0.4 + 0.5 * Math.min(3, rules) + (area.shades.length >= 2 ? 1 : 0) : -1;
  score += columns >= 4 ? 1.2 : columns === 3 ? 0.8 : 0;
  score += rows >= 5 ? 0.8 : rows >= 3 ? 0.5 : rows === 2 && evidence === 'unruled' ? -0.8 : 0;
  score += 2.2 * (found.values / Math.max(1, filled - rows));
  score += 1.6 * (found.aligned - 0.6);
  if (around.captioned) score += 1.2;
  if (found.headed) score += 0.7;
  // Blocks that keep to rows and columns over many rows are cells, however much text they hold.
  if (columns >= 3 && around.bands >= 4) score += Math.min(2.5, 0.4 * around.bands);
  if (columns === 2 && around.bands >= 5) score += Math.min(2.2, 0.36 * around.bands);
  const meanWords = found.words / Math.max(1, filled);
  const wordy = 0.25 * Math.max(0, meanWords - 6) * (evidence === 'unruled' ? 1.6 : 1);
  score -= around.bands >= 5 ? Math.min(1.2, wordy) : wordy;
  if (filled < 0.45 * rows * columns) score -= 1;
  if (columns === 2 && found.values < 0.5 * rows) score -= evidence === 'unruled' ? 1.6 : 0.5;
  if (columns === 2 && found.listed > 0.6 * rows) score -= 2;
  score -= 3 * (found.leaders / rows) + 2.5 * (found.sentences / filled) * (evidence === 'unruled' ? 1 : 0.4);
  score -= 2.5 * Math.max(0, found.symbols / filled - 0.25) + 1.5 * (found.monospace / filled);
  score -= 4 * Math.max(0, around.running - 0.15) * (evidence === 'unruled' ? 1.5 : 1);
  return score;
}

export function findingsOf(grid: Grid): Findings {
  const full = grid.cells.filter((cell) => cell.chunks.length > 0);
  const found: Findings = {
    rows: new Set(full.map((cell) => cell.row)).size,
    columns: new Set(full.map((cell) => cell.column)).size,
    filled: full.length,
    values: 0,
    words: 0,
    longest: 0,
    sentences: 0,
    aligned: alignment(grid),
    headed: hasHeadStyle(grid),
    listed: 0,
    leaders: 0,
    symbols: 0,
    monospace: 0,
  };
  for (const cell of full) {
    const text = textOfCell(cell);
    const words = wordCount(text);
    found.words += words;
    found.longest = Math.max(found.longest, words);
    if (cell.column > 0 && isValue(text)) found.values++;
    if (words >= 7 && /[.;]$/.test(text)) found.sentences++;
    if (cell.column === 0 && (isBullet(text) || isEnumerator(text))) found.listed++;
    if (hasLeader(text)) found.leaders++;
    if (!isValue(text) && letterShare(text) < 0.4) found.symbols++;
    if (cell.chunks.every((chunk) => chunk.pieces.every((piece) => piece.word.font.monospace))) found.monospace++;
  }
  return found;
}

export function textOfCell(cell: GridCell): string {
  return cell.chunks.map((chunk) => chunk.text).join(' ');
}

/** Mean over the columns of the largest share of chunks that agree on a left edge, a right edge or a middle. */
function alignment(grid: Grid): number {
  const byColumn = new Map<number, Chunk[]>();
  for (const cell of grid.cells) {
    if (cell.columnSpan > 1) continue;
    byColumn.set(cell.column, [...(byColumn.get(cell.column) ?? []), ...cell.chunks]);
  }
  const shares: number[] = [];
  for (const chunks of byColumn.values()) {
    if (chunks.length < 2) continue;
    const edges = [chunks.map((chunk) => chunk.left), chunks.map((chunk) => chunk.right), chunks.map((chunk) => (chunk.left + chunk.right) / 2)];
    shares.push(Math.max(...edges.map(agreement)));
  }
  return shares.length === 0 ? 0 : shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

function agreement(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  let best = 0;
  let first = 0;
  for (const [index, value] of sorted.entries()) {
    while (value - (sorted[first] ?? value) > 2) first++;
    best = Math.max(best, index - first + 1);
  }
  return best / values.length;
}

/** The first row is set in bold, or in another colour, and hardly any row below is. */
function hasHeadStyle(grid: Grid): boolean {
  const styled = (rows: (row: number) => boolean): number => {
    const chunks = grid.cells.filter((cell) => rows(cell.row) && cell.column > 0).flatMap((cell) => cell.chunks);
    return chunks.length === 0 ? 0 : chunks.filter((chunk) => chunk.bold).length / chunks.length;
  };
  return styled((row) => row === 0) > 0.7 && styled((row) => row > 0) < 0.4;
}
