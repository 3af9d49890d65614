/** The order in which a page is read: cut along the tallest gutter, above it, its sides, below it, until one column is left. */
import type { PageSketch } from './sketch.js';
import { findGutter } from './gutters.js';
import type { Piece } from './gutters.js';
import { nominalBox } from './text-line.js';
import type { TextLine } from './text-line.js';
import { rowsOfColumn } from './rows.js';
import type { ColumnItem } from './rows.js';

/** A stretch of the page that is read from top to bottom. */
export interface Column {
  left: number;
  right: number;
  items: ColumnItem[];
}

const maxDepth = 24;

function isRightToLeft(pieces: Piece[]): boolean {
  let rtl = 0;
  let all = 0;
  for (const { line } of pieces) {
    if (line === null) continue;
    all += line.text.length;
    if (/[\u0590-\u08ff\ufb1d-\ufefc]/.test(line.text)) rtl += line.text.length;
  }
  return rtl > 0.5 * all;
}

function cut(pieces: Piece[], rightToLeft: boolean, depth: number, leaves: Piece[][]): void {
  if (pieces.length === 0) return;
  const gutter = depth < maxDepth ? findGutter(pieces) : null;
  if (gutter === null) {
    leaves.push(pieces);
    return;
  }
  const above: Piece[] = [];
  const left: Piece[] = [];
  const right: Piece[] = [];
  const below: Piece[] = [];
  for (const piece of pieces) {
    const middle = (piece.box.top + piece.box.bottom) / 2;
    if (middle <= gutter.top) above.push(piece);
    else if (middle >= gutter.bottom) below.push(piece);
    else if (piece.box.left + piece.box.right <= 2 * gutter.x) left.push(piece);
    else right.push(piece);
  }
  const sides = rightToLeft ? [right, left] : [left, right];
  for (const part of [above, ...sides, below]) cut(part, rightToLeft, depth + 1, leaves);
}

/**
 * The columns of a page in reading order. `lines` are the pieces to place, without furniture and without what stands in
 * figures; tables and figures of the sketch take their place among them.
 */
export function orderPage(sketch: PageSketch, lines: TextLine[]): Column[] {
  const objects = [...sketch.tables.map((table) => table.box), ...sketch.figures.map((figure) => figure.box)];
  const pieces: Piece[] = [
    ...lines.map((line) => ({ box: nominalBox(line), line, object: -1 })),
    ...objects.map((box, object) => ({ box, line: null, object })),
  ];
  const rightToLeft = isRightToLeft(pieces);
  const leaves: Piece[][] = [];
  cut(pieces, rightToLeft, 0, leaves);
  return leaves.map((leaf) => rowsOfColumn(leaf, rightToLeft));
}
