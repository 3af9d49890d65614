/** The evidence of a filled grid: counts and shares from which the score follows. */
import { sortedNumbers } from '../../../geometry/statistics.js';
import { isBullet, isListMarker } from '../../wording/markers.js';
import { middleX } from '../../../geometry/box.js';
import type { TableArea } from './table-area.js';
import type { Chunk } from './chunks.js';
import type { Grid, GridCell } from './grid.js';
import type { Segment } from './segments.js';
import { coveredLength } from './segments.js';
import { hasLeader, isFormula, isMathFont, isValue, letterShare, looksLikeCode, wordCount } from '../../wording/cell-text.js';

export interface Findings {
  rows: number;
  columns: number;
  filled: number;
  /** Filled cells outside the first column with a value. */
  values: number;
  words: number;
  /** Words of the longest cell. */
  longest: number;
  /** Cells that end like a sentence and have the length of one. */
  sentences: number;
  /** 0..1: the agreement of the chunks in a column on an edge or a middle. */
  aligned: number;
  /** The style of the first row differs. */
  headed: boolean;
  /** Columns that contain only list markers. */
  markers: number;
  leaders: number;
  symbols: number;
  monospace: number;
  code: number;
  bullets: number;
  formulas: number;
  /** 0..1: the share of neighbouring words on one line, a word space apart, that column edges separate. */
  torn: number;
  /** Rows whose first cells count lines. */
  numbered: boolean;
  contents: boolean;
  /** Rows that begin like file entries of `ls -l`. */
  listed: boolean;
  /** Rows with at least two filled cells. */
  paired: number;
  /** Columns with a single filled cell. */
  lonely: number;
}

const WORD_SPACE = 0.4;

/** `verticals`: the lines drawn in the table's area. */
export function findingsOf(grid: Grid, verticals: Segment[]): Findings {
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
    markers: countMarkers(grid, full),
    leaders: 0,
    symbols: 0,
    monospace: 0,
    code: 0,
    bullets: 0,
    formulas: 0,
    torn: tornShare(full, verticals),
    numbered: isNumberedText(full),
    contents: isContents(grid, full),
    listed: isListing(full),
    paired: countPaired(full),
    lonely: countLonely(full),
  };
  for (const cell of full) countCell(found, cell);
  return found;
}

function countCell(found: Findings, cell: GridCell): void {
  const text = textOfCell(cell);
  const words = wordCount(text);
  found.words += words;
  found.longest = Math.max(found.longest, words);
  if (cell.column > 0 && isValue(text) && !isListMarker(text)) found.values++;
  if (words >= 7 && /[.;]$/.test(text)) found.sentences++;
  if (hasLeader(text)) found.leaders++;
  if (looksLikeCode(text)) found.code++;
  if (isBullet(text.slice(0, 1)) && words > 1) found.bullets++;
  if (isValue(text)) return;
  if (letterShare(text) < 0.4) found.symbols++;
  const pieces = cell.chunks.flatMap((chunk) => chunk.pieces);
  if (pieces.every((piece) => piece.word.font.monospace)) found.monospace++;
  if (isFormula(text) || pieces.filter((piece) => isMathFont(piece.word.font.name)).length > 0.4 * pieces.length) found.formulas++;
}

function countMarkers(grid: Grid, full: GridCell[]): number {
  let markers = 0;
  for (let column = 0; column + 1 < grid.columnCount; column++) {
    const texts = full.filter((cell) => cell.column === column).map(textOfCell);
    const marked = texts.filter(isListMarker).length;
    if (texts.length >= 2 && marked >= 0.7 * texts.length) markers++;
  }
  return markers;
}

/** Whether most cells of the first column begin with file permissions. */
function isListing(full: GridCell[]): boolean {
  const firsts = full.filter((cell) => cell.column === 0).map(textOfCell);
  return firsts.filter((text) => /^[-bcdlps](?:[-r][-w][-xsStT]){3}[.+@]?(?:\s|$)/u.test(text)).length > 0.5 * firsts.length;
}

function countPaired(full: GridCell[]): number {
  const seen = new Map<number, number>();
  for (const cell of full) for (let row = cell.row; row < cell.row + cell.rowSpan; row++) seen.set(row, (seen.get(row) ?? 0) + 1);
  return [...seen.values()].filter((count) => count >= 2).length;
}

function countLonely(full: GridCell[]): number {
  const seen = new Map<number, number>();
  for (const cell of full) seen.set(cell.column, (seen.get(cell.column) ?? 0) + 1);
  return [...seen.values()].filter((count) => count === 1).length;
}

export function textOfCell(cell: GridCell): string {
  return cell.chunks.map((chunk) => chunk.text).join(' ');
}

/** Mean over the columns of the largest share of chunks that agree on a left edge, a right edge or a middle. */
function alignment(grid: Grid): number {
  const byColumn = new Map<number, Chunk[]>();
  for (const cell of grid.cells) {
    if (cell.columnSpan > 1) continue;
    const known = byColumn.get(cell.column);
    if (known === undefined) byColumn.set(cell.column, [...cell.chunks]);
    else known.push(...cell.chunks);
  }
  const shares: number[] = [];
  for (const chunks of byColumn.values()) {
    if (chunks.length < 2) continue;
    const edges = [chunks.map((chunk) => chunk.left), chunks.map((chunk) => chunk.right), chunks.map((chunk) => middleX(chunk))];
    shares.push(Math.max(...edges.map(agreement)));
  }
  return shares.length === 0 ? 0 : shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

function agreement(values: number[]): number {
  const sorted = sortedNumbers(values);
  let best = 0;
  let first = 0;
  for (const [index, value] of sorted.entries()) {
    while (value - (sorted[first] ?? value) > 2) first++;
    best = Math.max(best, index - first + 1);
  }
  return best / values.length;
}

/** Whether the first row is bold and hardly any row below is. */
function hasHeadStyle(grid: Grid): boolean {
  const styled = (rows: (row: number) => boolean): number => {
    const chunks = grid.cells.filter((cell) => rows(cell.row) && cell.column > 0).flatMap((cell) => cell.chunks);
    return chunks.length === 0 ? 0 : chunks.filter((chunk) => chunk.bold).length / chunks.length;
  };
  return styled((row) => row === 0) > 0.7 && styled((row) => row > 0) < 0.4;
}

/** Among chunks on both sides of a column edge on one baseline, the share with at most a word space between them and no ruling in it. */
function tornShare(full: GridCell[], verticals: Segment[]): number {
  const lines = new Map<number, { chunk: Chunk; column: number }[]>();
  for (const cell of full) {
    for (const chunk of cell.chunks) {
      const key = Math.round(chunk.baseline);
      const line = lines.get(key);
      if (line === undefined) lines.set(key, [{ chunk, column: cell.column }]);
      else line.push({ chunk, column: cell.column });
    }
  }
  let [torn, pairs] = [0, 0];
  for (const line of lines.values()) {
    line.sort((a, b) => a.chunk.left - b.chunk.left);
    for (const [index, { chunk, column }] of line.entries()) {
      const before = line[index - 1];
      if (before === undefined || before.column === column) continue;
      pairs++;
      const gap = chunk.left - before.chunk.right;
      if (gap < WORD_SPACE * chunk.size && gap > -0.2 * chunk.size && !isLineBetween(before.chunk, chunk, verticals)) torn++;
    }
  }
  return pairs === 0 ? 0 : torn / pairs;
}

function isLineBetween(before: Chunk, chunk: Chunk, verticals: Segment[]): boolean {
  const y = chunk.baseline - 0.3 * chunk.size;
  return verticals.some(({ at, start, end }) => at > before.right - 1 && at < chunk.left + 1 && start <= y && end >= y);
}

/** Whether the first column counts on by one from row to row, without a header, beside text: numbered lines. */
function isNumberedText(full: GridCell[]): boolean {
  const first = full.filter((cell) => cell.column === 0);
  const numbers = first.map((cell) => Number(/^\d{1,5}(?=\s|$)/.exec(textOfCell(cell))?.[0] ?? NaN));
  if (numbers.length < 3) return false;
  const steps = numbers.slice(1).filter((value, index) => value === (numbers[index] ?? NaN) + 1).length;
  const others = full.filter((cell) => cell.column > 0);
  const values = others.filter((cell) => isValue(textOfCell(cell))).length;
  return steps >= 0.8 * (numbers.length - 1) && values < 0.25 * others.length;
}

/** Whether it is a table of contents: entries, numbered or not, whose last column counts pages upwards. */
function isContents(grid: Grid, full: GridCell[]): boolean {
  if (full.some((cell) => /^(?:table of )?contents$|^inhalt(?:sverzeichnis)?$|^sommaire$|^table des mati.res$|^.ndice$|^содержание$|^目录$|^目次$/i.test(textOfCell(cell)))) return true;
  if (grid.columnCount > 4) return false;
  const ends = full.filter((cell) => cell.column + cell.columnSpan === grid.columnCount && cell.column > 0).map(textOfCell);
  const pages = ends.filter((text) => /^\d{1,4}$/.test(text)).map(Number);
  if (pages.length < 2 || pages.length < 0.75 * ends.length) return false;
  const rising = pages.slice(1).every((page, index) => page >= (pages[index] ?? 0));
  const titles = full.filter((cell) => cell.column + cell.columnSpan < grid.columnCount && letterShare(textOfCell(cell)) > 0.5);
  const marks = /^(?:[A-Z]|\d{1,2})(?:\.\d{1,2})*\.?(?:\s|$)|^(?:chapter|section|part|appendix|kapitel|teil)\b/i;
  const numbered = full.filter((cell) => cell.column === 0 && marks.test(textOfCell(cell))).length;
  if (!rising || titles.length < pages.length - 1) return false;
  return numbered >= 0.5 * grid.rowCount || (grid.columnCount === 2 && pages.length >= 3 && pages[0] !== pages.at(-1));
}

/** Share of the grid's inner edges along which a line is drawn. */
export function drawnShare(area: TableArea, grid: Grid): number {
  const [left, right] = [grid.x[0]?.at ?? 0, grid.x.at(-1)?.at ?? 0];
  const [top, bottom] = [grid.y[0]?.at ?? 0, grid.y.at(-1)?.at ?? 0];
  let [drawn, all] = [0, 0];
  for (const edge of grid.x.slice(1, -1)) {
    all += bottom - top;
    drawn += coveredLength(area.verticals, edge.at, top, bottom);
  }
  for (const edge of grid.y.slice(1, -1)) {
    all += right - left;
    drawn += coveredLength(area.horizontals, edge.at, left, right);
  }
  return all === 0 ? 1 : drawn / all;
}
