/** Derives the font size of recognised lines from the heights of their letters. */
import { weightedMedian } from '../../geometry/statistics.js';
import type { ReadLine, ReadWord } from '../../engine/port.js';

export interface SizedLine {
  words: ReadWord[];
  baseline: ReadLine['baseline'];
  size: number;
  letters: number;
}

/** Character classes after decomposition (NFD): letters with accents rise, those with a cedilla or an ogonek descend. */
const ascender = /[\p{Lu}bdfhikl\d!?&%$§€£()[\]{}/|\\"'’”“ß\u0300-\u030f]/u;
const descender = /[gjpqyQ()[\]{}/|§\u0327\u0328]/u;
/** Heights in common text faces, in ems: lower-case letters, t, other letters above the baseline, and descenders below it; below it also a comma, which may be a misread full stop. */
const heights = { small: 0.46, t: 0.58, tall: 0.69, below: 0.21, comma: 0.12 };

/** The font size, in points, that gives the word's ink this height; null if it cannot be derived (dashes, dots). */
export function sizeOf(word: string, inkHeight: number): number | null {
  const text = word.normalize('NFD');
  if (!/[\p{L}\d]/u.test(text)) return null;
  return inkHeight / ((ascender.test(text) ? heights.tall : text.includes('t') ? heights.t : heights.small) + (descender.test(text) ? heights.below : /[,;]/.test(text) ? heights.comma : 0));
}

/** Relative differences of sizes that count as one value, and that are changed to it; then the decimals of points that a size keeps. */
const sizeSlack = { counts: 0.08, becomes: 0.12 };
const perPoint = 10;

/** Heights vary by a pixel from line to line. Sizes near the most frequent one become equal to it, then those near the next most frequent one, and so on. */
export function settleSizes(lines: SizedLine[]): void {
  let open = [...lines];
  while (open.length > 0) {
    const weightNear = (size: number): number => open.reduce((sum, line) => sum + (Math.abs(line.size - size) <= sizeSlack.counts * size ? line.letters : 0), 0);
    const middle = open.map((line) => ({ size: line.size, weight: weightNear(line.size) })).reduce((best, one) => (one.weight > best.weight ? one : best)).size;
    const near = open.filter((line) => Math.abs(line.size - middle) <= sizeSlack.becomes * middle);
    const size = Math.round(weightedMedian(near.map((line) => ({ value: line.size, weight: line.letters }))) * perPoint) / perPoint;
    for (const line of near) line.size = size;
    open = open.filter((line) => !near.includes(line));
  }
}

/** The largest distance between two baselines of one block, in sizes. */
const widestLeading = 1.6;

/** Whether `below` stands where the line after `above` would, in type of `size`; `scale` in points per pixel. */
export function isNextLine(above: SizedLine, below: SizedLine, size: number, scale: number): boolean {
  const distance = (below.baseline[1] - above.baseline[1]) * scale;
  if (distance < 0.5 * size || distance > widestLeading * size) return false;
  return above.words[0]!.left < below.words.at(-1)!.right && above.words.at(-1)!.right > below.words[0]!.left;
}

/** Capitals that differ from their lower-case letters only in height. */
const alike = /[COSUVWXZ]/gu;

/** With fewer letters (`Co`, `X`, a grade, a numeral) the recognised case is probably right. */
const fewestToLower = 3;

/** Whether the height must decide if the capitals are capitals: `Contents` may be `contents` in larger type. Words of capitals alone are kept. */
function isDoubtful(words: string[]): boolean {
  const text = words.join('');
  return text.replace(/\P{L}/gu, '').length >= fewestToLower && /[COSUVWXZ]/u.test(text) && !ascender.test(text.normalize('NFD').replace(alike, '')) && !words.some((word) => /^\p{Lu}+$/u.test(word.replace(/\P{L}/gu, '')));
}

/** Whether the letters are too low for the recognised capitals, and as high as lower-case letters of that size. */
function areSmall(words: ReadWord[], size: number, scale: number): boolean {
  const sizeAs = (of: (text: string) => string): number =>
    weightedMedian(words.map(({ text, top, bottom }) => ({ value: sizeOf(of(text), (bottom - top) * scale) ?? 0, weight: text.length })).filter(({ value }) => value > 0));
  return sizeAs((text) => text) < 0.88 * size && Math.abs(sizeAs((text) => text.toLowerCase()) - size) <= 0.1 * size;
}

/**
 * A recogniser of single lines cannot know the height of lower-case letters in a line without any. In such a line, capitals that are as low as lower-case letters of the lines above and
 * below become lower case, and the line gets their size. Within a line the heights of single words are too inexact for this.
 */
export function lowerLowCapitals(lines: SizedLine[], scale: number): void {
  const doubtful = new Set(lines.filter(({ words }) => isDoubtful(words.map(({ text }) => text))));
  for (const line of doubtful) {
    const areNeighbours = (other: SizedLine, size: number): boolean => isNextLine(other, line, size, scale) || isNextLine(line, other, size, scale);
    const beside = lines.filter((other) => !doubtful.has(other) && areNeighbours(other, other.size)).map((other) => other.size);
    const [size] = beside;
    if (size === undefined || beside.some((other) => Math.abs(other - size) > 0.06 * size)) continue;
    // Another line of the same small size confirms both.
    if ([...doubtful].some((other) => other !== line && Math.abs(other.size - line.size) <= 0.06 * line.size && areNeighbours(other, size))) continue;
    if (!areSmall(line.words, size, scale)) continue;
    line.size = size;
    for (const word of line.words) word.text = word.text.replace(alike, (letter) => letter.toLowerCase());
  }
}
