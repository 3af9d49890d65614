/** Finds cards: boxes whose text is read separately. They stand side by side with the same height, or are filled boxes beside running text. */
import { sortedNumbers } from '../../geometry/statistics.js';
import { boxesOverlap, containsBox, heightOf, middleY, unionBox, widthOf } from '../../geometry/box.js';
import { partitionPoint } from '../../geometry/search.js';
import type { Box, DrawnBox } from '../../pdf/pdf-page.js';
import { isGround, leastHeight, leastWidth, mostBoxes } from './panels.js';
import type { CardRow } from '../page/regions.js';
import type { TextLine } from '../page/text-line.js';

/** Two boxes in two text columns may be cards; cells of a table touch. */
const fewestCards = 3;
const mostCards = 12;
const leastWhite = 2;
/** Points: the largest difference between tops, and between bottoms. */
const level = 1.5;

/** `inner` lies in `box`, within a point. */
const isIn = (box: Box, inner: Box): boolean => containsBox(box, inner, 1);

/** The rows of cards on the page outside of `objects`, which are tables and figures. */
export function cardRows(boxes: DrawnBox[], pieces: TextLine[], objects: Box[]): CardRow[] {
  const drawn = boxes.filter(({ box, fill, stroke }) => (stroke >= 0 || isGround(fill)) && widthOf(box) >= leastWidth && heightOf(box) >= leastHeight && !objects.some((object) => boxesOverlap(object, box)));
  if (drawn.length > mostBoxes) return [];
  const rows: Box[][] = [];
  for (const { box } of drawn) {
    const row = rows.find(([first]) => Math.abs(first!.top - box.top) < level && Math.abs(first!.bottom - box.bottom) < level);
    if (row === undefined) rows.push([box]);
    else if (!row.some((other) => isIn(other, box) && isIn(box, other))) row.push(box);
  }
  const upright = pieces.filter(({ angle }) => angle === 0).sort((a, b) => middleOf(a) - middleOf(b));
  const side = drawn.filter(({ fill, box }) => isGround(fill) && isAside(box, upright)).map(({ box }) => box);
  const outermost = side.filter((box, index) => !side.some((other, at) => other !== box && isIn(other, box) && (at < index || !isIn(box, other))));
  const inRows = rows.flatMap((row) => {
    const cards = row.sort((a, b) => a.left - b.left);
    return cards.length >= fewestCards && cards.length <= mostCards && holdText(cards, pieces) ? [{ box: unionBox(cards), cards }] : [];
  });
  return [...inRows, ...outermost.map((box) => ({ box, cards: [box] }))].reduce<CardRow[]>((kept, row) => (kept.some(({ box }) => boxesOverlap(box, row.box)) ? kept : [...kept, row]), []);
}

/** The fewest lines on a panel (headings on a fill have up to four) and beside it, and the share of its lines that may be level with a line beside it. Table cells are level more often. */
const fewestOwn = 5;
const fewestBeside = 4;
const mostLevel = 0.6;

const middleOf = ({ box }: TextLine): number => middleY(box);

/** The index of the first item in `sorted` whose value is greater than `value`. */
function firstAbove<Item>(sorted: Item[], value: number, of: (item: Item) => number): number {
  return partitionPoint(sorted, (item) => of(item) <= value);
}

/** Whether text lines stand on the box and beside it, none crosses its edges, and they are not rows of one table. `upright` lines are sorted by their middles. */
function isAside(box: Box, upright: TextLine[]): boolean {
  const within = upright.slice(firstAbove(upright, box.top, middleOf), firstAbove(upright, box.bottom - 1e-9, middleOf));
  const own = within.filter((piece) => isIn(box, piece.box));
  const beside = within.filter((piece) => piece.box.right < box.left || piece.box.left > box.right);
  if (own.length + beside.length < within.length || own.length < fewestOwn || beside.length < fewestBeside) return false;
  const baselines = sortedNumbers(beside.map(({ baseline }) => baseline));
  const isLevel = ({ baseline }: TextLine): boolean => (baselines[firstAbove(baselines, baseline - 1, (each) => each)] ?? Infinity) < baseline + 1;
  return own.filter(isLevel).length < mostLevel * own.length;
}

/** Whether white space separates the cards, all text between their outer edges stands in one of them, and each has some. Most must have several lines; otherwise they are cells or buttons. */
function holdText(cards: Box[], pieces: TextLine[]): boolean {
  if (cards.some((card, index) => index > 0 && card.left - cards[index - 1]!.right < leastWhite)) return false;
  const { left, right, top, bottom } = unionBox(cards);
  const within = pieces.filter(({ box }) => box.left < right && box.right > left && middleY(box) > top && middleY(box) < bottom);
  const own = cards.map((card) => within.filter(({ box }) => isIn(card, box)));
  if (own.some(({ length }) => length === 0) || own.reduce((sum, { length }) => sum + length, 0) < within.length) return false;
  const several = own.filter((lines) => lines.some(({ baseline, size }) => Math.abs(baseline - lines[0]!.baseline) > 0.5 * size)).length;
  return several > 0.5 * cards.length;
}
