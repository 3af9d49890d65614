/** Draws a table for the network that finds its cells: words as boxes, rulings and fills. models/training/tables/planes.py draws the same bytes. */
import { widthOf } from '../../../geometry/box.js';
import { lowerMedian } from '../../../geometry/statistics.js';
import type { Bitmap } from '../../../bitmap.js';
import type { Box, Ruling } from '../../../pdf/pdf-page.js';

/** Pixels for one size of the text (the words' median), across and down; margin around the words in such sizes; sides are multiples of `even`. */
const across = 4;
const down = 8;
const margin = 1;
const even = 4;
/** A word's box: from its baseline up, in ems. */
const high = 0.7;
/** Red: words, bold ones brighter. Green: the class of a word's begin and, over its last `tail` sizes (at most half of the word), of its end. Blue: rulings and fills. */
const plain = 170;
const bold = 255;
const rule = 255;
const shade = 64;
const digit = 255;
const capital = 170;
const small = 85;
const other = 40;
const tail = 0.5;
/** Whether a sentence may end here: yes, no, or open. */
const stop = 255;
const goesOn = 30;
const open = 110;

export interface PictureWord {
  text: string;
  left: number;
  right: number;
  baseline: number;
  size: number;
  bold: boolean;
}

export interface TablePicture {
  bitmap: Bitmap;
  /** Median size of the words, points. */
  em: number;
  /** Maps pixels of the bitmap to points. */
  pointX(x: number): number;
  pointY(y: number): number;
}

/** The green value of a word. */
function beginning(text: string): number {
  for (const letter of text) {
    if (/\p{Nd}/u.test(letter)) return digit;
    if (/\p{L}/u.test(letter)) return /\p{Lowercase}/u.test(letter) ? small : capital;
  }
  return other;
}

/** The green value of a word's end. */
function ending(text: string): number {
  const last = text.replace(/[)\]}"'”’»›“]+$/u, '').at(-1) ?? '';
  return '.!?;:…'.includes(last) && last !== '' ? stop : ',-–—/('.includes(last) && last !== '' ? goesOn : open;
}

/** Null for a table whose picture would have sides above `mostPixels`. `words` is not empty. Units other than points are possible. */
export function drawTable(words: PictureWord[], rulings: Pick<Ruling, 'orientation' | 'position' | 'start' | 'end'>[], shades: Box[], mostPixels: number): TablePicture | null {
  const em = lowerMedian(words.map(({ size }) => size), 10);
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const word of words) {
    left = Math.min(left, word.left);
    top = Math.min(top, word.baseline - high * word.size);
    right = Math.max(right, word.right);
    bottom = Math.max(bottom, word.baseline);
  }
  left -= margin * em;
  top -= margin * em;
  const side = (points: number, pixels: number): number => even * Math.ceil(((points + margin * em) * pixels) / em / even);
  const [width, height] = [side(right - left, across), side(bottom - top, down)];
  if (!(width <= mostPixels && height <= mostPixels)) return null;
  const data = new Uint8Array(4 * width * height);
  for (let at = 3; at < data.length; at += 4) data[at] = 255;
  const canvas = { data, width, height };
  const x = (at: number): number => ((at - left) * across) / em;
  const y = (at: number): number => ((at - top) * down) / em;
  for (const box of shades) cover(canvas, 2, shade, x(box.left), y(box.top), x(box.right), y(box.bottom));
  for (const { orientation, position, start, end } of rulings) {
    if (orientation === 'horizontal') cover(canvas, 2, rule, x(start), y(position) - 0.5, x(end), y(position) + 0.5);
    else cover(canvas, 2, rule, x(position) - 0.5, y(start), x(position) + 0.5, y(end));
  }
  for (const word of words) {
    const above = word.baseline - high * Math.min(1.5 * em, Math.max(0.7 * em, word.size));
    cover(canvas, 0, word.bold ? bold : plain, x(word.left), y(above), x(word.right), y(word.baseline));
    const end = word.right - Math.min(tail * em, 0.5 * widthOf(word));
    cover(canvas, 1, beginning(word.text), x(word.left), y(above), x(end), y(word.baseline));
    cover(canvas, 1, ending(word.text), x(end), y(above), x(word.right), y(word.baseline));
  }
  return { bitmap: { data, width, height, stride: 4 * width }, em, pointX: (at) => left + (at * em) / across, pointY: (at) => top + (at * em) / down };
}

/** A partly covered pixel gets that share of the value; the brighter value stays. */
function cover({ data, width, height }: { data: Uint8Array; width: number; height: number }, plane: number, value: number, left: number, top: number, right: number, bottom: number): void {
  const [x0, x1, y0, y1] = [Math.max(0, left), Math.min(width, right), Math.max(0, top), Math.min(height, bottom)];
  if (x1 <= x0 || y1 <= y0) return;
  for (let row = Math.floor(y0); row < Math.ceil(y1); row++) {
    const tall = Math.min(y1, row + 1) - Math.max(y0, row);
    for (let column = Math.floor(x0); column < Math.ceil(x1); column++) {
      const wide = Math.min(x1, column + 1) - Math.max(x0, column);
      const at = 4 * (row * width + column) + plane;
      data[at] = Math.max(data[at] ?? 0, Math.floor(value * tall * wide + 0.5));
    }
  }
}
