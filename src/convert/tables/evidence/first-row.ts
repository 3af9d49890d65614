/** Finds the row above the first ruling or stripe of a table with one below each row, or below every other row. Nothing is drawn above it, and it need not be a header. */
import { median } from '../../../geometry/statistics.js';
import type { Column } from './columns.js';
import { columnsUnder, cutAtColumns } from './columns.js';
import type { MarkGroup } from './table-area.js';
import type { Strip } from './spread.js';

/** In ems: the largest difference between the edges of texts in one column. */
const sameEdge = 0.35;
/** How much the distance to the first row may differ, as a share of the row distance. */
const slack = 0.15;

/** The row above the marks at row distance, between their ends, whose texts each stand at the edge of a different column; null if there is none. */
export function firstRowAbove({ horizontals, verticals, shades, box }: MarkGroup, strips: Strip[], inside: Strip[], columns: Column[]): Strip | null {
  if (verticals.length > 0 || horizontals.length < 3 && shades.length < 2 || inside.length < 3) return null;
  const [first] = inside;
  const step = median(inside.slice(1).map(({ baseline }, index) => baseline - inside[index]!.baseline));
  const row = strips.filter(({ baseline }) => baseline < first!.baseline && baseline <= box.top + 1).sort((a, b) => b.baseline - a.baseline)[0];
  if (row === undefined || Math.abs(first!.baseline - row.baseline - step) > slack * step || row.left < box.left - 4 || row.right > box.right + 4) return null;
  const others = inside.flatMap(({ chunks }) => chunks.flatMap((chunk) => cutAtColumns(chunk, columns)));
  const texts = row.chunks.flatMap((chunk) => cutAtColumns(chunk, columns));
  const owners = texts.map((text) => columnsUnder(columns, text.left, text.right));
  const areCells = texts.every((text, index) => {
    const owner = owners[index];
    if (owner === null || owner === undefined || owner[0] !== owner[1]) return false;
    const column = columns[owner[0]]!;
    const own = others.filter(({ left, right }) => left < column.right && right > column.left);
    const near = sameEdge * row.size;
    return own.filter(({ left, right }) => Math.abs(left - text.left) < near || Math.abs(right - text.right) < near).length >= 0.5 * own.length;
  });
  return areCells && texts.length >= 2 && new Set(owners.map((owner) => owner![0])).size === texts.length ? row : null;
}
