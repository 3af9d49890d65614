/** Splits tables side by side with level rows at the place where one ends and the next begins, without a ruling between them. */
import { isTableCaption } from '../../wording/captions.js';
import type { Chunk, VisualRow } from './chunks.js';
import { inferColumns } from './columns.js';
import type { Column } from './columns.js';
import type { Segment } from './segments.js';
import { isValue } from '../../wording/cell-text.js';

/** The largest difference in height between rulings at one height, in points. */
const level = 1.5;
/** In ems: the white space between the rulings of two tables, and between tables without rulings. */
const betweenRules = 0.6;
const betweenTables = 5;
/** How many times wider the white space between two tables is than any inside them, and than their column distances. */
const wider = 3;
const further = 1.7;
/** The fewest rows of each table. */
const fewestRows = 3;

/** The end of one table's columns and the begin of the next one's. */
type Divide = [end: number, begin: number];

/**
 * The chunks of one table, or of two side by side, the left one first; a caption above each belongs to neither. The tables are two if each has its own ruling
 * at the same height, or its own caption in the same row, or if the white space between them is far wider than any other and both begin with a column of words.
 */
export function partAbreast(rows: VisualRow[], rules: Segment[]): Chunk[][] {
  const captions = rows.flatMap(({ chunks }) => (chunks.length === 2 && chunks.every(({ text }) => isTableCaption(text)) ? chunks : []));
  const body = rows.filter(({ chunks: [first] }) => first === undefined || !captions.includes(first));
  const whole = body.flatMap(({ chunks }) => chunks);
  const columns = inferColumns(body.map(({ chunks }) => chunks));
  // Each has at least two columns.
  const last = columns.findIndex(({ right }, index) => {
    if (index < 1 || index > columns.length - 3) return false;
    const at: Divide = [right, (columns[index + 1] as Column).left];
    return isFree(at, whole) && (areCaptioned(at, captions) || areRuled(at, columns, body, rules) || areFarApart(index, columns, body));
  });
  if (last < 0) return [rows.flatMap(({ chunks }) => chunks)];
  const begin = (columns[last + 1] as Column).left;
  return [whole.filter(({ left }) => left < begin - 1), whole.filter(({ left }) => left >= begin - 1)];
}

function isFree([end, begin]: Divide, chunks: Chunk[]): boolean {
  return chunks.every(({ left, right }) => right <= end + 1 || left >= begin - 1);
}

function areCaptioned([end, begin]: Divide, [left, right]: Chunk[]): boolean {
  return left !== undefined && right !== undefined && left.left < end && left.right < begin && right.left > end && right.right > begin;
}

/** Whether each has a ruling at the same height over all its columns, and none runs over both. Rulings under grouped headers have headers of several columns above them. */
function areRuled([end, begin]: Divide, columns: Column[], rows: VisualRow[], rules: Segment[]): boolean {
  const [first, last, size] = [columns[0] as Column, columns.at(-1) as Column, rows[0]?.size ?? 10];
  const [top, bottom] = [(rows[0]?.top ?? 0) - size, (rows.at(-1)?.bottom ?? 0) + size];
  const near = rules.filter(({ at, start, end: to }) => at > top && at < bottom && to > first.left && start < last.right);
  if (near.some(({ start, end: to }) => start < end && to > begin)) return false;
  return near.some((one) => {
    if (one.start > first.left + 2 || one.end < end - 2) return false;
    const other = near.find(({ at, start, end: to }) => Math.abs(at - one.at) < level && start < begin + 2 && to > last.right - 2);
    const over = rows.filter(({ baseline }) => baseline < one.at).at(-1);
    return other !== undefined && other.start - one.end > betweenRules * size && (over === undefined || hasBoth(over, end));
  });
}

/** At least two chunks on either side. */
function hasBoth({ chunks }: VisualRow, end: number): boolean {
  const left = chunks.filter(({ right }) => right <= end + 1).length;
  return left >= 2 && chunks.length - left >= 2;
}

/** `index` of the column before the white space. */
function areFarApart(index: number, columns: Column[], rows: VisualRow[]): boolean {
  const gap = (at: number): number => (columns[at + 1] as Column).left - (columns[at] as Column).right;
  const step = (at: number): number => (columns[at + 1] as Column).left - (columns[at] as Column).left;
  const others = columns.slice(1).map((_, at) => at).filter((at) => at !== index);
  if (gap(index) < betweenTables * (rows[0]?.size ?? 10) || others.some((at) => gap(index) < wider * gap(at) || step(index) < further * step(at))) return false;
  return [columns[0] as Column, columns[index + 1] as Column].every((column) => {
    const texts = rows.flatMap(({ chunks }) => chunks.filter(({ left, right }) => left < column.right && right > column.left));
    return texts.length >= fewestRows && texts.every(({ text }) => !isValue(text));
  });
}
