/** Makes tick boxes words of the lines beside them: ☐ and ☒. */
import { boxesOverlap, heightOf, middleX, middleY, union, widthOf } from '../geometry/box.js';
import { isReadFromRight } from './bidi.js';
import type { Box, Line, Ruling, Word } from './pdf-page.js';
import type { Graphics } from './paths.js';
import { findTickBoxes, isAsLarge } from './tick-boxes.js';
import type { TickBox } from './tick-boxes.js';

const EMPTY = '☐';
const TICKED = '☒';
/** In ems of the text: white space between a box and its text, the side of the box, and the distance of its middle from that of lower-case letters. */
const GAP = 1.6;
const SIDE = { least: 0.45, most: 1.9 };
const OFF = 0.55;
const MIDDLE = 0.33;
/** In sides: twice the largest distance of middles in a row or column. */
const ALIGNED = 0.5;

/**
 * Adds the tick boxes in `graphics`, and `fields` of the page's form, to the lines beside them, or as separate lines if they form a
 * row or column; removes them from `graphics`, and their ticks from `lines`.
 */
export function addTickBoxes(lines: Line[], graphics: Graphics, fields: TickBox[]): void {
  const drawn = findTickBoxes(lines, graphics);
  // A field stands on the box that the page draws for it, and holds the true state.
  const [below, printed] = [drawn.boxes.filter(({ box }) => isUnder(box, fields)), drawn.boxes.filter(({ box }) => !isUnder(box, fields))];
  const text = lines.filter(({ words }) => words.some((word) => !drawn.ticks.has(word)));
  const placed = placesOf([...fields, ...printed], text, graphics.rulings, new Set(fields));
  if (placed.length === 0) return;
  takeOut(lines, graphics, drawn.ticks, [...placed.map(({ tickBox }) => tickBox.box), ...below.map(({ box }) => box)]);
  insertAll(placed, lines);
}

/** The same for boxes that were found in a page picture. */
export function addSeenTickBoxes(lines: Line[], rulings: Ruling[], seen: TickBox[]): void {
  insertAll(placesOf(seen, lines, rulings, new Set()), lines);
}

interface PlacedTickBox {
  tickBox: TickBox;
  /** Null: it forms a separate line. */
  place: Line | null;
}

/**
 * The `sure` ones, those beside text, in cells of one row, or in rows and columns that contain only boxes and words. Single hollow ones at the ends of their lines mark the end of a
 * proof.
 */
function placesOf(boxes: TickBox[], text: Line[], rulings: Ruling[], sure: Set<TickBox>): PlacedTickBox[] {
  const placed = boxes.map((tickBox) => ({ tickBox, place: placeOf(tickBox.box, text, rulings) }));
  const isProof = !boxes.some(({ ticked }) => ticked) && placed.every(({ tickBox, place }) => place === null || endsLine(tickBox.box, place));
  const othersOf = (box: Box): Box[] => boxes.filter((other) => other.box !== box && isAsLarge(other.box, box)).map((other) => other.box);
  const isInGrid = (box: Box): boolean => othersOf(box).some((other) => isInRow(other, box)) && othersOf(box).some((other) => isInColumn(other, box))
    && text.some((line) => line.angle === 0 && isBeside(line, box));
  const areInGrid = placed.every(({ tickBox, place }) => place !== null || sure.has(tickBox) || isInGrid(tickBox.box));
  return placed.filter(({ tickBox, place }) => {
    if (sure.has(tickBox)) return true;
    if (place !== null) return !isProof;
    return areInGrid || othersOf(tickBox.box).some((other) => isInRow(other, tickBox.box) && isParted(other, tickBox.box, rulings));
  });
}

function endsLine(box: Box, { box: line, words }: Line): boolean {
  return box.left >= line.right && !/[?:]$/u.test(words.at(-1)!.text);
}

function insertAll(placed: PlacedTickBox[], lines: Line[]): void {
  for (const { tickBox, place } of placed) if (place !== null) insert(place, tickBox);
  lines.push(...placed.filter(({ place }) => place === null).map(({ tickBox }, index) => lineOf(tickBox, lines, index)));
}

function isUnder(box: Box, fields: TickBox[]): boolean {
  return fields.some((field) => boxesOverlap(field.box, box));
}

/** The line of a box: the one around it, the one behind it, or else the one before it. */
function placeOf(box: Box, lines: Line[], rulings: Ruling[]): Line | null {
  let best: Line | null = null;
  let least = Infinity;
  for (const line of lines) {
    if (line.angle !== 0 || !isBeside(line, box)) continue;
    const [behind, before] = [line.box.left - box.right, box.left - line.box.right];
    const gap = Math.max(behind, before, 0);
    if (gap > GAP * line.size || isParted(line.box, box, rulings)) continue;
    // The text that follows in reading order belongs to the box, except for a box at the end of a row.
    const isAfter = isReadFromRight(line.words) ? behind > 0 : before > 0;
    const cost = gap + (isAfter ? 100 : 0);
    if (cost < least) [best, least] = [line, cost];
  }
  return best;
}

function isBeside({ baseline, size, words }: Line, box: Box): boolean {
  const side = heightOf(box);
  const off = Math.abs(baseline - MIDDLE * size - middleY(box));
  return off < OFF * size && side >= SIDE.least * size && side <= SIDE.most * size && words.some(({ text }) => /[\p{L}\p{N}]/u.test(text));
}

/** Whether a line is drawn from top to bottom between them, so that they are in two cells. */
function isParted(text: Box, box: Box, rulings: Ruling[]): boolean {
  const [from, to] = text.left > box.right ? [box.right, text.left] : [text.right, box.left];
  const y = middleY(box);
  return rulings.some(({ orientation, position, start, end }) => orientation === 'vertical' && position > from && position < to && start < y && end > y);
}

function isInRow(a: Box, b: Box): boolean {
  return Math.abs(a.top + a.bottom - b.top - b.bottom) < ALIGNED * heightOf(b);
}

function isInColumn(a: Box, b: Box): boolean {
  return Math.abs(a.left + a.right - b.left - b.right) < ALIGNED * widthOf(b);
}

/** Points by which the parts of a box may extend beyond it. */
const REACHES_OUT = 1.5;

/** Boxes may be drawn in several ways at once: everything inside is removed. */
function takeOut(lines: Line[], graphics: Graphics, ticks: Set<Word>, boxes: Box[]): void {
  const isUsed = (part: Box): boolean => boxes.some((box) => part.left > box.left - REACHES_OUT && part.right < box.right + REACHES_OUT && part.top > box.top - REACHES_OUT && part.bottom < box.bottom + REACHES_OUT);
  graphics.strokes = graphics.strokes.filter((stroke) => !isUsed(stroke));
  graphics.boxes = graphics.boxes.filter(({ box }) => !isUsed(box));
  graphics.marks = graphics.marks.filter(({ box }) => !isUsed(box));
  graphics.rulings = graphics.rulings.filter(({ orientation, position, start, end }) => !isUsed(orientation === 'horizontal'
    ? { left: start, right: end, top: position, bottom: position } : { left: position, right: position, top: start, bottom: end }));
  const ticking = [...ticks].filter((word) => isUsed(word.box) || boxes.some((box) => boxesOverlap(box, word.box)));
  if (ticking.length === 0) return;
  const gone = new Set(ticking);
  for (const line of lines) if (line.words.some((word) => gone.has(word))) line.words = line.words.filter((word) => !gone.has(word));
  lines.splice(0, lines.length, ...lines.filter(({ words }) => words.length > 0));
}

function insert(line: Line, tickBox: TickBox): void {
  const middle = middleX(tickBox.box);
  const fromRight = isReadFromRight(line.words);
  const at = line.words.findIndex(({ box }) => (fromRight ? box.right <= middle : box.left >= middle));
  const [next, last] = [line.words[at], line.words.at(-1)!];
  const word = wordOf(tickBox, next ?? last, next === undefined ? 0.5 : -0.5);
  if (next !== undefined) next.glued = false;
  line.words.splice(at < 0 ? line.words.length : at, 0, word);
  line.box = union(line.box, { ...word.box, top: line.box.top, bottom: line.box.bottom });
}

/** `index` among those with separate lines: every word has its own painting order. */
function lineOf(tickBox: TickBox, lines: Line[], index: number): Line {
  const { box } = tickBox;
  const side = heightOf(box);
  // The text of its row gives size and baseline; without text it has the height of the box.
  const beside = lines.find((line) => line.angle === 0 && isBeside(line, box));
  const [size, baseline] = beside === undefined ? [side, box.bottom - 0.15 * side] : [beside.size, beside.baseline];
  const first = lines[0]?.words[0];
  const word = wordOf(tickBox, { ...(beside?.words[0] ?? first ?? nothing), size, baseline, mcid: -1 }, 0.5 + 0.4 * index / (index + 1));
  return { words: [word], box, baseline, size, angle: 0 };
}

const nothing: Word = {
  text: '', box: { left: 0, top: 0, right: 0, bottom: 0 }, baseline: 0, size: 0, order: 0, color: 0, angle: 0, glued: false, softHyphen: false,
  invisible: false, link: -1, underline: false, strike: false, mcid: -1, font: { name: '', weight: 400, bold: false, italic: false, monospace: false, symbolic: false },
};

/** `model` is the word beside it; `step` is the difference in painting order. */
function wordOf({ box, ticked }: TickBox, model: Word, step: number): Word {
  const { size, baseline, color, mcid, order, font } = model;
  return {
    ...nothing, text: ticked ? TICKED : EMPTY, box: { ...box, top: baseline - 0.75 * size, bottom: baseline + 0.1 * size }, baseline, size, color, mcid,
    order: order + step, font: { ...font, bold: false, italic: false },
  };
}
