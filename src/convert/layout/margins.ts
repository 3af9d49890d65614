/** Finds the words in the outermost margins of a page. No table extends there, so that the table finder does not receive them. */
import { bandsFromTop } from '../page/group-by-baseline.js';
import { sortedNumbers } from '../../geometry/statistics.js';
import { middleX, middleY } from '../../geometry/box.js';
import type { Box, Line, PageContent, Ruling, Word } from '../../pdf/pdf-page.js';

/** Share of the page's height. */
const margin = 0.085;

interface Row {
  lines: Line[];
  words: Word[];
  top: number;
  bottom: number;
  size: number;
}

function rowsFromTop(lines: Line[]): Row[] {
  return bandsFromTop(lines.filter(({ angle }) => angle === 0))
    .map(({ items, top, bottom }) => ({ lines: items, words: items.flatMap(({ words }) => words), top, bottom, size: items[0]!.size }));
}

/** Whether vertical rulings run between the row and the next one inwards: three bound at least two columns; two with a horizontal ruling between the rows bound cells. */
function isInGrid(row: Row, next: Row, rulings: Ruling[]): boolean {
  const [upper, lower] = row.top < next.top ? [row, next] : [next, row];
  const [from, to] = [middleY(upper), middleY(lower)];
  const walls = sortedNumbers(rulings.filter(({ orientation, start, end }) => orientation === 'vertical' && start <= from && end >= to).map(({ position }) => position));
  const [left, right] = [walls[0], walls.at(-1)];
  if (left === undefined || right === undefined || !row.lines.every(({ box }) => box.left > left - 1 && box.right < right + 1)) return false;
  const across = (y0: number, y1: number): boolean => rulings.some(({ orientation, position, start, end }) =>
    orientation === 'horizontal' && position > y0 && position < y1 && start < left + 2 && end > right - 2);
  const isClosed = row === upper ? across(row.top - 1.5 * row.size, row.top + 1) : across(row.bottom - 1, row.bottom + 1.5 * row.size);
  return across(upper.bottom - 1, lower.top + 1) && (walls.length >= 3 || isClosed);
}

/** Whether the rows inwards repeat the distances of the first rows, and each line shares an edge or its middle with a line of the next row: columns of a table. */
function continuesColumns(rows: Row[], gaps: number[]): boolean {
  const [first, second, third, fourth] = rows;
  if (first === undefined || second === undefined || third === undefined || fourth === undefined || first.lines.length < 2) return false;
  if (gaps.slice(0, 3).some((gap) => Math.abs(gap - gaps[0]!) > 0.25 * first.size)) return false;
  const edges = [(box: Box) => box.left, (box: Box) => box.right, (box: Box) => middleX(box)];
  return [second, third, fourth].every((other) => first.lines.every((line) => other.lines.some(({ box }) => edges.some((edge) => Math.abs(edge(box) - edge(line.box)) < 1.5))));
}

/** The rows, outermost first, up to the first wide gap, if that gap comes before the margin ends; none if they are rows of a table. */
function outermost(rows: Row[], rulings: Ruling[], ends: (row: Row) => boolean, gap: (row: Row, next: Row) => number): Word[] {
  const words: Word[] = [];
  const gaps = rows.slice(1, 8).map((next, index) => gap(rows[index]!, next));
  for (const [index, row] of rows.slice(0, 4).entries()) {
    if (!ends(row)) return [];
    const next = rows[index + 1];
    if (next !== undefined && isInGrid(row, next, rulings) || continuesColumns(rows.slice(index), gaps.slice(index))) return words;
    words.push(...row.words);
    if (next === undefined || gaps[index]! > 1.1 * row.size) return words;
  }
  return [];
}

/** The words of the rows at the very top and bottom that wide white space separates from the others, except for rows of tables there. */
export function marginWords(content: PageContent): Set<Word> {
  const rows = rowsFromTop(content.lines);
  if (rows.length < 3) return new Set();
  const { height, rulings } = content;
  return new Set([
    ...outermost(rows, rulings, (row) => row.bottom < margin * height, (row, next) => next.top - row.bottom),
    ...outermost([...rows].reverse(), rulings, (row) => row.top > (1 - margin) * height, (row, next) => row.top - next.bottom),
  ]);
}
