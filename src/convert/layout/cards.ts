/** Boxes of one height side by side with a few lines in each, such as key figures: each is read by itself. */
import type { Box, DrawnBox } from '../../pdf/page.js';
import { unionBox } from './text-line.js';
import type { TextLine } from './text-line.js';

/** The cards of one row, from the left. */
export interface CardRow {
  box: Box;
  cards: Box[];
}

/** Two boxes may stand in two text columns; cells of a table touch. */
const fewestCards = 3;
const mostCards = 12;
const leastWhite = 2;
/** Points: how far tops and bottoms may differ, and the least that is no mark or bar. */
const level = 1.5;
const leastWidth = 30;
const leastHeight = 16;
/** More on a page are a drawing. */
const mostBoxes = 400;

const isIn = (box: Box, { left, right, top, bottom }: Box): boolean => left >= box.left - 1 && right <= box.right + 1 && top >= box.top - 1 && bottom <= box.bottom + 1;

/** Rows of cards on the page, outside of `objects`, which are tables and figures. */
export function cardRows(boxes: DrawnBox[], pieces: TextLine[], objects: Box[]): CardRow[] {
  const isFree = (box: Box): boolean => !objects.some((object) => object.left < box.right && object.right > box.left && object.top < box.bottom && object.bottom > box.top);
  const drawn = boxes.filter(({ box, fill, stroke }) => (stroke >= 0 || fill >= 0 && fill !== 0xffffff) && box.right - box.left >= leastWidth && box.bottom - box.top >= leastHeight && isFree(box));
  const rows: Box[][] = [];
  for (const { box } of drawn.length > mostBoxes ? [] : drawn) {
    const row = rows.find(([first]) => Math.abs(first!.top - box.top) < level && Math.abs(first!.bottom - box.bottom) < level);
    if (row === undefined) rows.push([box]);
    else if (!row.some((other) => isIn(other, box) && isIn(box, other))) row.push(box);
  }
  return rows.flatMap((row) => {
    const cards = row.sort((a, b) => a.left - b.left);
    return cards.length >= fewestCards && cards.length <= mostCards && holdText(cards, pieces) ? [{ box: unionBox(cards), cards }] : [];
  });
}

/** White is between the cards, and all text between their outer edges stands in one of them, some in each; more than one line in most, or they are cells or buttons. */
function holdText(cards: Box[], pieces: TextLine[]): boolean {
  if (cards.some((card, index) => index > 0 && card.left - cards[index - 1]!.right < leastWhite)) return false;
  const { left, right, top, bottom } = unionBox(cards);
  const within = pieces.filter(({ box }) => box.left < right && box.right > left && (box.top + box.bottom) / 2 > top && (box.top + box.bottom) / 2 < bottom);
  const own = cards.map((card) => within.filter(({ box }) => isIn(card, box)));
  if (own.some(({ length }) => length === 0) || own.reduce((sum, { length }) => sum + length, 0) < within.length) return false;
  const several = own.filter((lines) => lines.some(({ baseline, size }) => Math.abs(baseline - lines[0]!.baseline) > 0.5 * size)).length;
  return several > 0.5 * cards.length;
}
