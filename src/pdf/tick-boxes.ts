/** Finds tick boxes that a page draws: small frames that are empty or contain a mark, or one of the letters that people use as ticks. */
import { boxesOverlap, heightOf, holdsMiddle, horizontalGap, verticalGap, widthOf } from '../geometry/box.js';
import { channelsOf } from './colors.js';
import type { Box, Line, Word } from './pdf-page.js';
import type { Graphics, DrawnMark } from './paths.js';

export interface TickBox {
  box: Box;
  ticked: boolean;
}

/** Points. Smaller frames are points of charts, larger ones contain text. */
const SIDE = { least: 5, most: 16 };
const SQUARE = 1.35;
/** In sides of the frame: an object of this size belongs to the frame; one above the least size is a mark in it. */
const FRAME = 0.85;
const MARK_IN_FRAME = 0.25;
/** Frames nearer to each other are cells: for single letters, of a scale, of a picture. */
const APART = { across: 0.5, down: 0.12 };
/** Points: the largest difference between the sides of a frame of rulings, and the largest shift between opposite rulings. */
const SIDES_DIFFER = 2.5;
const SHIFTED = 0.5;
/** Rulings of a frame. */
const FRAME_RULES = 4;
/** The least channel value of colours that count as paper, including the fills of form fields. */
const PAPER = 0xe8;
const MAX_MARKS = 4000;
/** A page with more is a pattern or a chart. */
const MOST_BOXES = 600;
/** Characters that people and programs use as ticks. */
const tick = /^[xX✓✔✕✖✗✘✅☑☒×⨯●•■]$/u;
/** Those that may also be text. */
const letter = /^[xX×⨯]$/u;

/** A small shape with everything that is painted in it. */
interface TickFrame {
  box: Box;
  parts: DrawnMark[];
}

/** Finds the tick boxes among `graphics`, and the words of `lines` that tick them. */
export function findTickBoxes(lines: Line[], graphics: Graphics): { boxes: TickBox[]; ticks: Set<Word> } {
  const frames = [...framesOf(graphics.marks), ...ruledFrames(graphics)];
  const alone = frames.filter((frame) => !frames.some((other) => other !== frame && isCell(frame.box, other.box)));
  const ticks = new Set<Word>();
  if (alone.length > MOST_BOXES) return { boxes: [], ticks };
  const boxes: TickBox[] = [];
  const lettered: { box: Box; word: Word }[] = [];
  const full: TickFrame[] = [];
  const texts: Box[] = [];
  for (const frame of alone) {
    const words = wordsIn(frame.box, lines);
    const [word] = words;
    if (isColour(frame)) {
      if (word === undefined) full.push(frame);
    } else if (!isOutlined(frame)) continue;
    else if (words.length > 1 || word !== undefined && !tick.test(word.text)) texts.push(frame.box);
    else if (word !== undefined && letter.test(word.text)) lettered.push({ box: frame.box, word });
    else {
      if (word !== undefined) ticks.add(word);
      boxes.push({ box: frame.box, ticked: word !== undefined || isMarked(frame, graphics) });
    }
  }
  const drawn = [...boxes];
  const isAmong = (box: Box): boolean => drawn.some((other) => isAsLarge(other.box, box));
  // A single x may be framed as a result or a key is.
  for (const { box, word } of lettered) {
    if (texts.some((other) => isAsLarge(other, box)) || !isAmong(box) && lettered.length < 2 || isAmidWords(box, lines)) continue;
    ticks.add(word);
    boxes.push({ box, ticked: true });
  }
  // A full square is a bullet or an icon; among hollow squares of its size it is the ticked one. Squares in several colours are a legend, and so are the hollow ones beside them.
  const isLegend = (box: Box): boolean => new Set(full.filter((other) => isAsLarge(other.box, box)).map(groundOf)).size > 1;
  for (const { box } of full) if (drawn.some((other) => !other.ticked && isAsLarge(other.box, box))) boxes.push({ box, ticked: true });
  return { boxes: boxes.filter(({ box }) => !isLegend(box)), ticks };
}

function framesOf(marks: DrawnMark[]): TickFrame[] {
  const large = marks.filter(({ box }) => isSquare(box));
  if (large.length === 0 || large.length > MAX_MARKS) return [];
  const frames: TickFrame[] = [];
  // The largest come first: shapes inside a frame are part of it.
  for (const mark of [...large].sort((a, b) => sideOf(b.box) - sideOf(a.box))) {
    const frame = frames.find(({ box }) => isIn(box, mark.box));
    if (frame === undefined) frames.push({ box: mark.box, parts: [mark] });
    else frame.parts.push(mark);
  }
  for (const mark of marks) if (!isSquare(mark.box)) frames.find(({ box }) => isIn(box, mark.box))?.parts.push(mark);
  return frames;
}

/** Shapes as large as the frame itself. */
function around({ box, parts }: TickFrame): DrawnMark[] {
  return parts.filter((part) => sideOf(part.box) >= FRAME * sideOf(box));
}

/** An outline, or a dark fill visible around a paper-coloured one. */
function isOutlined(frame: TickFrame): boolean {
  return around(frame).some(({ fill, stroke }) => stroke >= 0 && !isPaper(stroke) || fill >= 0 && !isPaper(fill));
}

/** The fill inside its edge: the smallest part as large as the frame with a colour; -1 for none. */
function groundOf(frame: TickFrame): number {
  return around(frame).findLast(({ fill }) => fill >= 0)?.fill ?? -1;
}

/** Whether the fill has another colour than the paper, with or without a light mark on it. */
function isColour(frame: TickFrame): boolean {
  const ground = groundOf(frame);
  return ground >= 0 && !isPaper(ground);
}

function isMarked({ box, parts }: TickFrame, { strokes }: Graphics): boolean {
  const least = MARK_IN_FRAME * sideOf(box);
  const own = new Set(parts.map((part) => part.box));
  return parts.some((part) => sideOf(part.box) < FRAME * sideOf(box) && sideOf(part.box) > least)
    || strokes.some((stroke) => !own.has(stroke) && sideOf(stroke) > least && isIn(box, stroke));
}

/** Squares of four ruled lines, as TeX frames its boxes. */
function ruledFrames({ rulings }: Graphics): TickFrame[] {
  const short = rulings.filter(({ start, end }) => end - start >= SIDE.least && end - start <= SIDE.most);
  if (short.length < FRAME_RULES || short.length > MAX_MARKS) return [];
  const upright = short.filter(({ orientation }) => orientation === 'vertical');
  const level = short.filter(({ orientation }) => orientation === 'horizontal').sort((a, b) => a.position - b.position);
  const frames: TickFrame[] = [];
  for (const top of level) {
    const meets = (x: number): boolean => upright.some(({ position, start, end }) => Math.abs(position - x) < 1 && Math.abs(start - top.position) < 1 && Math.abs(end - start - (top.end - top.start)) < SIDES_DIFFER);
    const bottom = level.find((other) => other.position > top.position + SIDE.least && Math.abs(other.start - top.start) < SHIFTED && Math.abs(other.end - top.end) < SHIFTED);
    if (bottom === undefined || !meets(top.start) || !meets(top.end)) continue;
    const box = { left: top.start, right: top.end, top: top.position, bottom: bottom.position };
    if (isSquare(box) && !frames.some((frame) => isAsLarge(frame.box, box) && isIn(frame.box, box))) frames.push({ box, parts: [{ box, fill: -1, stroke: top.color }] });
  }
  return frames;
}

function wordsIn(box: Box, lines: Line[]): Word[] {
  return lines.filter((line) => boxesOverlap(line.box, box)).flatMap(({ words }) => words.filter((word) => holdsMiddle(box, word.box)));
}

/** Whether words follow closely on both sides, as in a sentence. */
function isAmidWords(box: Box, lines: Line[]): boolean {
  const near = 0.7 * sideOf(box);
  const words = lines.filter((line) => line.box.top < box.bottom && line.box.bottom > box.top).flatMap((line) => line.words);
  return words.some(({ box: { right } }) => right > box.left - near && right < box.left + 1) && words.some(({ box: { left } }) => left > box.right - 1 && left < box.right + near);
}

/** Whether both have the same size and stand side by side or one below the other with almost no gap. */
function isCell(a: Box, b: Box): boolean {
  if (!isAsLarge(a, b)) return false;
  const across = horizontalGap(a, b);
  const down = verticalGap(a, b);
  return (down < 0 && across < APART.across * sideOf(a)) || (across < 0 && down < APART.down * sideOf(a));
}

/** Drawn ones to the point; those found in a picture to a pixel or two. */
export function isAsLarge(a: Box, b: Box): boolean {
  return Math.abs(sideOf(a) - sideOf(b)) < 0.12 * sideOf(a);
}

function isSquare(box: Box): boolean {
  const [across, up] = [widthOf(box), heightOf(box)];
  return Math.min(across, up) >= SIDE.least && Math.max(across, up) <= SIDE.most && Math.max(across, up) <= SQUARE * Math.min(across, up);
}

function isIn(outer: Box, inner: Box): boolean {
  return holdsMiddle(outer, inner) && sideOf(inner) <= 1.5 * sideOf(outer);
}

function sideOf(box: Box): number {
  return Math.max(widthOf(box), heightOf(box));
}

function isPaper(color: number): boolean {
  return Math.min(...channelsOf(color)) >= PAPER;
}
