/** The text of a figure in reading order. */
import { splitWhere } from '../page/group-by-baseline.js';
import { heightOf, middleX, middleY } from '../../geometry/box.js';
import type { Box } from '../../geometry/box.js';
import { rowsOfColumn } from '../layout/column-rows.js';
import type { FigureRegion } from '../page/regions.js';
import { nominalBox } from '../page/text-line.js';
import type { TextLine } from '../page/text-line.js';
import type { Vocabulary } from '../page/vocabulary.js';

/** The text lines of a figure: one drawing after the other in reading order, each with the text nearest to it. */
export function figureRows(lines: TextLine[], { parts = [] }: FigureRegion, vocabulary: Vocabulary): TextLine[] {
  if (parts.length < 2) return rowsOfDrawing(lines, vocabulary);
  const rows = splitWhere([...parts].sort((a, b) => a.top - b.top), (row, part) => standsAbove(row[0]!, part));
  const ordered = rows.flatMap((row) => row.sort((a, b) => a.left - b.left));
  const nearest = (line: TextLine): Box => ordered.reduce((best, part) => (distance(line.box, part) < distance(line.box, best) ? part : best));
  const owners = new Map(lines.map((line) => [line, nearest(line)]));
  return ordered.flatMap((part) => rowsOfDrawing(lines.filter((line) => owners.get(line) === part), vocabulary));
}

function standsAbove(a: Box, b: Box): boolean {
  return a.bottom - b.top < 0.3 * Math.min(heightOf(a), heightOf(b));
}

/** Distance from the middle of `inner` to `box`; 0 inside it. */
function distance(inner: Box, box: Box): number {
  const [x, y] = [middleX(inner), middleY(inner)];
  return Math.hypot(Math.max(0, box.left - x, x - box.right), Math.max(0, box.top - y, y - box.bottom));
}

/** Orders labels row by row, because they have no columns. Text that runs upwards or downwards belongs to no row and follows. */
function rowsOfDrawing(lines: TextLine[], vocabulary: Vocabulary): TextLine[] {
  const turned = lines.filter(({ angle }) => angle !== 0);
  const pieces = lines.filter(({ angle }) => angle === 0).map((line) => ({ box: nominalBox(line), line, object: -1 }));
  return [...rowsOfColumn(pieces, false, vocabulary).items.flatMap((item) => (item.line === null ? [] : [item.line])), ...turned];
}
