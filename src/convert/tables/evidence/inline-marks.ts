/** Boxes and strokes inside a line of text: highlights, keys, outlined words. They frame words, not cells. */
import { fromTop } from '../../page/group-by-baseline.js';
import { gapTolerances } from '../../page/tolerances.js';
import { heightOf, holdsPoint, horizontalExtent, horizontalGap, middleX } from '../../../geometry/box.js';
import { middleOfLetters } from '../../../geometry/em.js';
import { partitionPoint } from '../../../geometry/search.js';
import type { Box, DrawnBox } from '../../../pdf/pdf-page.js';
import type { Piece } from './frame.js';

const MAX_TESTED = 2000;

/** Drops boxes no higher than a line that contain words and have words of the same line outside any box a word space away. */
export function withoutInlineBoxes(boxes: DrawnBox[], pieces: Piece[]): DrawnBox[] {
  if (boxes.length === 0 || boxes.length > MAX_TESTED) return boxes;
  const sorted = fromTop(pieces);
  const low = boxes.filter(({ box }) => heightOf(box) < 40);
  const isBoxed = (piece: Piece): boolean => low.some(({ box }) => holds(box, piece));
  return boxes.filter(({ box }) => !low.some((drawn) => drawn.box === box) || !isInline(box, sorted, isBoxed));
}

function holds(box: Box, piece: Piece): boolean {
  return holdsPoint(box, middleX(piece), middleOfLetters(piece));
}

function isInline(box: Box, sorted: Piece[], isBoxed: (piece: Piece) => boolean): boolean {
  const inside: Piece[] = [];
  for (let at = firstBelow(sorted, box.top); at < sorted.length; at++) {
    const piece = sorted[at];
    if (piece === undefined || piece.baseline > box.bottom + 0.6 * piece.size) break;
    if (holds(box, piece)) inside.push(piece);
  }
  const [first] = inside;
  if (first === undefined || heightOf(box) > 1.9 * first.size) return false;
  const text = horizontalExtent(inside);
  for (let at = firstBelow(sorted, first.baseline - 1); at < sorted.length; at++) {
    const piece = sorted[at];
    if (piece === undefined || piece.baseline > first.baseline + 1) break;
    if (inside.includes(piece)) continue;
    const gap = horizontalGap(text, piece);
    if (gap > -0.3 && gap < gapTolerances.wordSpace * first.size && !isBoxed(piece)) return true;
  }
  return false;
}

function firstBelow(sorted: Piece[], baseline: number): number {
  return partitionPoint(sorted, (piece) => piece.baseline < baseline);
}
