/** Whether a filled grid is a table, and how surely. Running text, lists, contents pages, formulas and code are none. */
import type { TableArea } from '../tables/evidence/table-area.js';
import { drawnShare, findingsOf } from '../tables/evidence/findings.js';
import type { Findings } from '../tables/evidence/findings.js';
import type { Grid } from '../tables/evidence/grid.js';

export type Evidence = 'ruled' | 'partly-ruled' | 'unruled';

export interface Surroundings {
  /** A line that begins like a table's caption stands right above or below. */
  captioned: boolean;
  /** Share of the area's chunks that are running text. */
  running: number;
  /** Rows of blocks side by side that the area was found by. */
  bands: number;
  /** A line that begins like a figure's caption stands right above or below. */
  figure: boolean;
  /** Lines with leaders, as in a table of contents, stand right above or below. */
  leaders: boolean;
}

/** Of the edges between cells, the share that must be drawn for the lines alone to make a table. */
const MOSTLY_DRAWN = 0.45;

export function evidenceOf(area: TableArea, grid: Grid): Evidence {
  const inner = grid.x.slice(1, -1).filter((edge) => edge.kind === 'drawn').length;
  const lines = grid.y.filter((edge) => edge.kind === 'drawn').length;
  if (inner > 0 && lines >= 2 && drawnShare(area, grid) >= MOSTLY_DRAWN) return 'ruled';
  return area.horizontals.length > 0 || area.verticals.length > 0 || area.shades.length > 0 ? 'partly-ruled' : 'unruled';
}

/** 0..1; below 0.5 the grid is no table. The weights are log odds, set by pages where one of them decides. */
export function scoreTable(area: TableArea, grid: Grid, evidence: Evidence, around: Surroundings): number {
  const found = findingsOf(grid, area.verticals);
  if (found.columns < 2 || found.filled < 2) return 0;
  const score = (evidence === 'ruled' ? judgeRuled(found) : judgeOpen(found, evidence, area, around)) - (around.figure && !around.captioned ? (evidence === 'ruled' ? 1.6 : 2.5) : 0);
  return 1 / (1 + Math.exp(-score));
}

function judgeRuled(found: Findings): number {
  const cells = found.rows * found.columns;
  let score = 1.5;
  if (found.rows === 1) score -= found.columns === 2 && found.longest > 40 ? 1.6 : 0.8;
  if (found.filled < 0.3 * cells) score -= found.filled < 4 ? 2 : cells >= 12 && found.filled < 0.2 * cells ? 2.5 : 0.6;
  // Boxes that hold most of a page's text are its layout.
  if (cells <= 6 && found.longest > 120 && found.longest > 0.5 * found.words) score -= 2;
  score -= 4 * Math.max(0, found.torn - 0.3);
  if (found.numbered && found.columns <= 3) score -= 2;
  return score;
}

function judgeOpen(found: Findings, evidence: Evidence, area: TableArea, around: Surroundings): number {
  if (found.rows < 2) return -2;
  return judgeShape(found, evidence, area, around) + judgeText(found, evidence, around);
}

/** What speaks for a table: lines, rows, columns, values, alignment, a caption, a header. */
function judgeShape(found: Findings, evidence: Evidence, area: TableArea, around: Surroundings): number {
  const { rows, filled } = found;
  const white = evidence === 'unruled';
  // A marker and its text are one column.
  const columns = found.columns - found.markers;
  let score = white ? -1 : 0.4 + 0.5 * Math.min(3, area.horizontals.length) + (area.shades.length >= 2 ? 1 : 0);
  score += columns >= 4 ? 1.2 : columns === 3 ? 0.8 : 0;
  score += rows >= 5 ? 0.8 : rows >= 3 ? 0.5 : 0;
  if (rows === 2 && found.values === 0 && !found.headed) score -= 0.8;
  if (rows === 2 && white) score -= 0.8;
  score += 2.2 * (found.values / Math.max(1, filled - rows));
  score += 1.6 * (found.aligned - 0.6);
  if (around.captioned) score += 1.2;
  if (found.headed) score += 0.7;
  // Blocks that keep to rows and columns over many rows are cells, however much text they hold.
  if (columns >= 3 && around.bands >= 4) score += Math.min(2.5, 0.4 * around.bands);
  if (columns <= 2 && around.bands >= 5) score += Math.min(2.2, 0.36 * around.bands);
  if (filled < 0.45 * rows * columns) score -= 1;
  if (columns <= 2 && found.values < 0.5 * rows) score -= white ? 1.6 : 0.5;
  if (white && rows <= 4 && found.values === 0 && !found.headed && !around.captioned) score -= 1.2;
  if (found.lonely >= 0.5 * found.columns) score -= white ? 1.5 : 1;
  if (area.joints.length === 0) score -= found.paired < 2 ? 3 : 4 * Math.max(0, 0.5 - found.paired / rows);
  return score;
}

/** What speaks against one: prose, lists, leaders, code, formulas, columns that tear lines of text. */
function judgeText(found: Findings, evidence: Evidence, around: Surroundings): number {
  const { rows, columns, filled } = found;
  const white = evidence === 'unruled';
  const wordy = 0.25 * Math.max(0, found.words / filled - 6) * (white ? 1.6 : 1);
  let score = -(around.bands >= 5 ? Math.min(1.2, wordy) : wordy);
  if (found.markers > 0 && found.values < 0.5 * rows) score -= 2 * found.markers;
  if (found.contents || found.listed) score -= 4;
  if (found.numbered) score -= columns <= 3 ? 3 : 2.5;
  if (around.leaders && found.values >= rows - 1) score -= 2.5;
  score -= 3 * (found.leaders / rows) + 2.5 * (found.sentences / filled) * (white ? 1 : 0.4);
  score -= 4 * Math.max(0, found.code / filled - 0.2) + 3 * Math.max(0, found.bullets / filled - 0.2);
  score -= 2.5 * Math.max(0, found.symbols / filled - 0.25) + 1.5 * (found.monospace / filled) + (found.monospace > 0.7 * filled ? 2 : 0);
  score -= 5 * Math.max(0, found.formulas / filled - 0.2) + (found.formulas >= 0.4 * filled ? 2 : 0) + 5 * Math.max(0, found.torn - 0.25);
  return score - 4 * Math.max(0, around.running - 0.15) * (white ? 1.5 : 1);
}
