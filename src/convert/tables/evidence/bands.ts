/** Joins visual rows to table rows: decides which lines are wrapped text of one row, and where the next row begins. */
import { areLevel } from '../../page/group-by-baseline.js';
import { baselineTolerances } from '../../page/tolerances.js';
import { isBullet, isEnumerator } from '../../wording/markers.js';
import { endsSentence } from '../../wording/sentences.js';
import { horizontalOverlap, widthOf } from '../../../geometry/box.js';
import { median, quantile, sortedNumbers } from '../../../geometry/statistics.js';
import { chunkOf } from './chunks.js';
import type { Chunk, VisualRow } from './chunks.js';
import { columnsUnder } from './columns.js';
import type { Column } from './columns.js';
import { hadRoom } from './running-text.js';
import { isValue, startsLowercase, wordCount } from '../../wording/cell-text.js';

/** Visual rows of one table row, from the top. */
export interface RowBand {
  rows: VisualRow[];
  top: number;
  bottom: number;
}

/** The input of every decision about a table's lines. */
interface Setting {
  columns: Column[];
  /** Distance of wrapped lines: the tightest frequent one between lines of one column. */
  leading: number;
  /** Whether chunks of the first column mark the begin of rows. */
  keyColumn: number;
  /** Columns whose texts begin in lower case from their first line on. There lower case does not mean that a line continues. */
  small: Set<number>;
}

/** Two distances whose ratio is at least this are line distance and row distance. */
const CLEAR_STEP = 1.16;
/** The least evidence that joins two lines. */
const JOINING = 0.4;
/** The least evidence that decides on which line of their labels the values stand. */
const LEANING = 1;

/** Groups the visual rows of a table, or of a part of it between two rules, into its rows. */
export function groupRows(rows: VisualRow[], columns: Column[], leading: number): RowBand[] {
  const setting: Setting = { columns, leading, keyColumn: 0, small: new Set() };
  for (const [column, [first]] of cellsOf(rows, columns)) if (startsLowercase(first?.text ?? '')) setting.small.add(column);
  const settled = joinOverlapping(rows, setting);
  if (settled.length <= 1) return settled;
  return groupByGap(settled, setting) ?? groupByContent(settled, setting);
}

/**
 * The tightest frequent distance between lines of one column, limited to that of a cell's text: `usual` is the line
 * distance of the page's text in ems.
 */
export function leadingOf(rows: VisualRow[], columns: Column[], usual: number): number {
  const steps: number[] = [];
  const last = new Map<number, Chunk>();
  for (const row of rows) {
    for (const chunk of row.chunks) {
      const under = columnsUnder(columns, chunk.left, chunk.right);
      if (under === null || under[0] !== under[1]) continue;
      const above = last.get(under[0]);
      if (above !== undefined) {
        const step = (chunk.baseline - above.baseline) / Math.max(above.size, chunk.size);
        if (step >= 0.85 && step < 4) steps.push(chunk.baseline - above.baseline);
      }
      last.set(under[0], chunk);
    }
  }
  const typical = rows.length === 0 ? 10 : median(rows.map(({ size }) => size), 10);
  return Math.min(quantile(steps, 0.15, 1.2 * typical), Math.max(1.42, usual) * typical);
}

/** Joins lines that overlap in height to one row: a cell stands between its neighbours' lines. */
function joinOverlapping(rows: VisualRow[], setting: Setting): RowBand[] {
  const bands: RowBand[] = [];
  for (const row of rows) {
    const open = bands[bands.length - 1];
    const lastRow = open?.rows[open.rows.length - 1];
    const overlap = open === undefined || lastRow === undefined ? -1 : lastRow.bottom - row.top;
    const near = lastRow !== undefined && overlap > 0.24 * Math.min(row.size, lastRow.size) && !stacked(lastRow, row);
    if (open !== undefined && near && stackEvidence(open, row, setting) > -1) {
      open.rows.push(row);
      open.bottom = Math.max(open.bottom, row.bottom);
    } else bands.push({ rows: [row], top: row.top, bottom: row.bottom });
  }
  return bands;
}

/** Whether some chunk of `lower` stands under one of `upper`. */
function stacked(upper: VisualRow, lower: VisualRow): boolean {
  return lower.chunks.some((chunk) => upper.chunks.some((other) => horizontalOverlap(chunk, other) > 1));
}

/** Evidence for or against `row` as the next lines of the cells of `open`; 0 if it stands beside all of them. A label between two rows joins neither to the other. */
function stackEvidence(open: RowBand, row: VisualRow, setting: Setting): number {
  if (headsGroup(open.rows, [row], setting.columns)) return -5;
  const above = cellsOf(open.rows, setting.columns);
  let evidence = 0;
  for (const [column, [chunk]] of cellsOf([row], setting.columns)) {
    const upper = above.get(column)?.at(-1);
    if (chunk !== undefined && upper !== undefined) evidence += wrapEvidence(upper, chunk, setting, column);
  }
  return evidence;
}

/** Whether a chunk of `upper` stands over several columns right of the first in which `lower` has separate chunks: a header of a group over theirs. */
function headsGroup(upper: VisualRow[], lower: VisualRow[], columns: Column[]): boolean {
  const under = (chunk: Chunk): [number, number] => columnsUnder(columns, chunk.left, chunk.right) ?? [-1, -1];
  const below = lower.flatMap((row) => row.chunks).filter((chunk) => under(chunk)[0] === under(chunk)[1]);
  return upper.some((row) =>
    row.chunks.some((chunk) => {
      const [first, last] = under(chunk);
      if (first < 1 || last === first) return false;
      const covered = below.filter((other) => horizontalOverlap(other, chunk) > 0.3 * widthOf(other));
      return new Set(covered.map((other) => under(other)[0])).size >= 2;
    }),
  );
}

function gapOf(upper: RowBand, lower: RowBand): number {
  return lower.top - upper.bottom;
}

/** The rows by distance alone, if line distance and row distance differ clearly and the content does not contradict. */
function groupByGap(bands: RowBand[], setting: Setting): RowBand[] | null {
  const gaps = bands.slice(1).map((band, index) => gapOf(bands[index] as RowBand, band));
  const size = bands[0]?.rows[0]?.size ?? 10;
  const sorted = sortedNumbers(gaps);
  const loosest = setting.leading * 1.12 - 0.96 * size;
  let best: RowBand[] | null = null;
  let bestJump = 0;
  for (let index = 1; index < sorted.length; index++) {
    const [low, high] = [sorted[index - 1] ?? 0, sorted[index] ?? 0];
    const jump = high - low;
    // The smaller distance must be line distance, and the larger one greater than that: clearly, or slightly and always.
    const clear = high + 0.96 * size >= Math.max(1.12 * setting.leading, CLEAR_STEP * (Math.max(low, 0) + 0.96 * size));
    const steady = jump >= Math.max(1.1, 0.09 * size) && low - (sorted[0] ?? low) <= 0.3 * jump && high + 0.96 * size >= 1.04 * setting.leading;
    if (jump <= bestJump || low > loosest + 0.12 * size || !(clear || steady)) continue;
    const grouped = split(bands, (at) => (gaps[at] ?? 0) > (low + high) / 2);
    if (isPlausible(grouped, setting)) [best, bestJump] = [grouped, jump];
  }
  return best;
}

function split(bands: RowBand[], isBoundary: (gapIndex: number) => boolean): RowBand[] {
  const grouped: RowBand[] = [];
  for (const [index, band] of bands.entries()) {
    const open = grouped[grouped.length - 1];
    if (open !== undefined && !isBoundary(index - 1)) {
      open.rows.push(...band.rows);
      open.bottom = Math.max(open.bottom, band.bottom);
    } else grouped.push({ rows: [...band.rows], top: band.top, bottom: band.bottom });
  }
  return grouped;
}

/** Whether no cell of a grouped row has two values one above the other, and most joined lines had to wrap. */
function isPlausible(grouped: RowBand[], setting: Setting): boolean {
  let [joins, wrapped, conflicts] = [0, 0, 0];
  for (const band of grouped) {
    if (band.rows.some((row, index) => index > 0 && headsGroup(band.rows.slice(0, index), [row], setting.columns))) return false;
    const cells = cellsOf(band.rows, setting.columns);
    for (const [column, chunks] of cells) {
      for (let index = 1; index < chunks.length; index++) {
        const [above, chunk] = [chunks[index - 1], chunks[index]];
        if (above === undefined || chunk === undefined || chunk.baseline - above.baseline < 0.5 * chunk.size) continue;
        joins++;
        if (isValue(above.text) && isValue(chunk.text)) conflicts++;
        if (!hadRoom(above, chunk, columnWidth(setting, column)) || startsLowercase(chunk.text)) wrapped++;
      }
    }
  }
  return joins > 0 && conflicts <= 0.1 * joins && wrapped >= 0.4 * joins;
}

function columnWidth(setting: Setting, column: number): number {
  const found = setting.columns[column];
  return found === undefined ? 0 : widthOf(found);
}

/** Lines by the column in which they begin, from the top. Chunks side by side in one column are one line. */
function cellsOf(rows: VisualRow[], columns: Column[]): Map<number, Chunk[]> {
  const cells = new Map<number, Chunk[]>();
  for (const row of rows) {
    for (const chunk of row.chunks) {
      const under = columnsUnder(columns, chunk.left, chunk.right);
      if (under === null) continue;
      const known = cells.get(under[0]);
      const last = known?.at(-1);
      if (known === undefined) cells.set(under[0], [chunk]);
      else if (last !== undefined && areLevel(chunk, last, baselineTolerances.line)) known[known.length - 1] = chunkOf([...last.pieces, ...chunk.pieces]);
      else known.push(chunk);
    }
  }
  return cells;
}

function groupByContent(bands: RowBand[], setting: Setting): RowBand[] {
  const labels = labelSide(bands, setting);
  const grouped: RowBand[] = [];
  for (const band of bands) {
    const open = grouped[grouped.length - 1];
    if (open !== undefined && evidenceToJoin(open, band, setting, labels) > JOINING) {
      open.rows.push(...band.rows);
      open.bottom = Math.max(open.bottom, band.bottom);
    } else grouped.push({ rows: [...band.rows], top: band.top, bottom: band.bottom });
  }
  return grouped;
}

/**
 * If labels of several lines stand beside values of one line: above 0 if the values stand on the first line, below 0 if on
 * the last, as in balance sheets; 0 if the table does not show it.
 */
function labelSide(bands: RowBand[], setting: Setting): number {
  const { keyColumn } = setting;
  const cells = bands.map((band) => cellsOf(band.rows, setting.columns));
  let side = 0;
  for (const [index, here] of cells.entries()) {
    const label = here.get(keyColumn);
    if (here.size > 1 || label === undefined) continue;
    const [before, after] = [cells[index - 1], cells[index + 1]];
    const [upper, lower] = [before?.get(keyColumn)?.at(-1), after?.get(keyColumn)?.[0]];
    const [first, last] = [label[0], label.at(-1)];
    if (first !== undefined && upper !== undefined && before !== undefined && before.size > 1) side += wrapEvidence(upper, first, setting, keyColumn);
    if (last !== undefined && lower !== undefined && after !== undefined && after.size > 1) side -= wrapEvidence(last, lower, setting, keyColumn);
  }
  return side;
}

/** The weight of the evidence that `band` continues the row `open`. The steps were chosen so that stronger evidence outweighs weaker. */
function evidenceToJoin(open: RowBand, band: RowBand, setting: Setting, labels: number): number {
  const { keyColumn, leading } = setting;
  const above = cellsOf(open.rows, setting.columns);
  const below = cellsOf(band.rows, setting.columns);
  const lastRow = open.rows[open.rows.length - 1];
  const firstRow = band.rows[0];
  if (lastRow === undefined || firstRow === undefined) return 0;
  if (headsGroup(open.rows, band.rows, setting.columns)) return -5;
  const step = (firstRow.baseline - lastRow.baseline) / leading;
  let score = step > 1.35 ? -3 : step > 1.18 ? -1 : 0;
  const onlyLabel = above.size === 1 && above.has(keyColumn) && below.size > 1 && below.has(keyColumn);
  const goesOn = [...below].some(([column, [chunk]]) => above.has(column) && startsLowercase(chunk?.text ?? ''));
  for (const [column, chunks] of below) {
    const chunk = chunks[0];
    const upper = above.get(column)?.at(-1);
    if (chunk === undefined) continue;
    if (upper === undefined) {
      // Values on the last line of their label are not evidence of a new row.
      if (!(onlyLabel && labels < -LEANING)) score -= (column === keyColumn ? 0.8 : 0.4) * (goesOn ? 0.4 : 1);
      continue;
    }
    // Lines of one cell follow each other. After a gap in its column, a line begins another cell.
    if (chunk.baseline - upper.baseline > 1.7 * leading) score -= column === keyColumn ? 4 : 1.5;
    else score += wrapEvidence(upper, chunk, setting, column);
  }
  if (below.size === 1 && below.has(keyColumn) && above.size > 1 && labels < -LEANING) score -= 1.6;
  if (!below.has(keyColumn) && above.has(keyColumn)) score += 1;
  // A row of the table hardly ever consists of one cell in its middle.
  if (below.size === 1 && setting.columns.length >= 3 && !below.has(keyColumn)) score += 1.5;
  const fullRows = Math.min(above.size, below.size) >= 0.7 * setting.columns.length && setting.columns.length >= 3;
  return score - (fullRows ? 0.8 : 0);
}

/** Evidence for (above 0) or against `chunk` as the next line of the cell of `upper`. */
function wrapEvidence(upper: Chunk, chunk: Chunk, setting: Setting, column: number): number {
  const key = column === setting.keyColumn;
  const small = startsLowercase(chunk.text) && !setting.small.has(column);
  if (isValue(chunk.text) && isValue(upper.text)) return -3;
  if (isEnumerator(chunk.text.split(' ')[0] ?? '')) return key ? -2 : -1.3;
  if (isBullet(chunk.text.slice(0, 1))) return key ? -2 : -0.3;
  if (chunk.bold !== upper.bold) return -1.2;
  const unfinished = /[-–,&/]$/.test(upper.text);
  if (isValue(chunk.text) && !unfinished && !/^[([]/.test(chunk.text)) return -1;
  // If both lines are single words, the column is as wide as its words and everything appears wrapped.
  const words = Math.max(wordCount(upper.text), wordCount(chunk.text));
  let score = hadRoom(upper, chunk, columnWidth(setting, column)) ? -1.5 : words === 1 ? 0.3 : 1.2;
  if (small) score += 1.1;
  else if (endsSentence(upper.text)) score -= 0.3;
  if (unfinished || /\b(?:of|and|the|for|in|to|or|with|by|from|on|at|per)$/.test(upper.text)) score += 0.8;
  if (key && score > 0 && chunk.left < upper.left - 0.4 * chunk.size) score -= 1;
  return score;
}
