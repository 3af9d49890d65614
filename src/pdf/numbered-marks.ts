/** Small drawn marks with a number on them directly before a line of text: the number begins a list item. */
import { containsBox, middleY } from '../geometry/box.js';
import type { Box, Line, Word } from './pdf-page.js';
import type { Graphics, DrawnMark } from './paths.js';

/** In ems of the text: the largest size of the number, the largest distance between the mark and its line, and the largest difference of their middles. */
const NUMBER = 0.8;
const GAP = 1.5;
const OFF = 0.35;
/** Points by which the ink of a number may extend beyond its mark. */
const OUT = 1;
const MAX_NUMBERS = 300;

interface Numbered {
  mark: DrawnMark;
  /** The line that contains only the number. */
  own: Line;
  host: Line;
  value: number;
}

/** Makes numbers on marks the first words of the lines behind them, with a full stop, if at least two below each other count on. Removes their marks from `graphics`. */
export function addNumberedMarks(lines: Line[], graphics: Graphics): void {
  const found = numbersOnMarks(lines, graphics.marks);
  const counted = found.filter((each) => found.some((other) => isNext(each, other) || isNext(other, each)));
  if (counted.length === 0) return;
  const own = new Set(counted.map((each) => each.own));
  const used = new Set(counted.map(({ mark }) => mark.box));
  for (const { mark, own: number, host } of counted) {
    host.words.unshift(numberOf(number.words[0]!, host, mark.box));
    host.box = { ...host.box, left: mark.box.left };
  }
  lines.splice(0, lines.length, ...lines.filter((line) => !own.has(line)));
  graphics.strokes = graphics.strokes.filter((box) => !used.has(box));
  graphics.boxes = graphics.boxes.filter(({ box }) => !used.has(box));
  graphics.marks = graphics.marks.filter(({ box }) => !used.has(box));
}

function numbersOnMarks(lines: Line[], marks: DrawnMark[]): Numbered[] {
  const numbers = lines.filter(({ angle, words }) => angle === 0 && words.length === 1 && /^\d{1,2}$/.test(words[0]!.text)).slice(0, MAX_NUMBERS);
  const found: Numbered[] = [];
  for (const own of numbers) {
    const mark = marks.find(({ box, fill }) => fill >= 0 && containsBox(box, own.box, OUT));
    const host = mark === undefined ? null : lineBehind(mark.box, own, lines);
    if (mark !== undefined && host !== null) found.push({ mark, own, host, value: Number(own.words[0]!.text) });
  }
  return found;
}

function lineBehind(mark: Box, own: Line, lines: Line[]): Line | null {
  const middle = middleY(mark);
  let nearest: Line | null = null;
  for (const line of lines) {
    const gap = line.box.left - mark.right;
    if (line === own || line.angle !== 0 || gap < 0 || gap > GAP * line.size || own.size > NUMBER * line.size || !line.words.some(({ text }) => /\p{L}/u.test(text))) continue;
    // Letters without ascenders are half an em high.
    if (Math.abs(line.baseline - 0.3 * line.size - middle) <= OFF * line.size && (nearest === null || line.box.left < nearest.box.left)) nearest = line;
  }
  return nearest;
}

function isNext(first: Numbered, second: Numbered): boolean {
  return second.value === first.value + 1 && Math.abs(second.mark.box.left - first.mark.box.left) < 1 && second.host.baseline > first.host.baseline;
}

function numberOf(number: Word, host: Line, box: Box): Word {
  const first = host.words[0]!;
  return { ...number, text: `${number.text}.`, box, baseline: first.baseline, font: { ...first.font, bold: false, italic: false }, size: first.size, color: first.color, order: first.order - 0.5, glued: false };
}
