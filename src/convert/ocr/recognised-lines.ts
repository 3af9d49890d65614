/** Converts recognised lines to a page's words and lines: derives sizes from the heights of letters, drops noise, and adds check boxes beside their text. */
import { heightOf, holdsMiddle, unionBox, widthOf } from '../../geometry/box.js';
import { weightedMedian } from '../../geometry/statistics.js';
import type { ReadLine, ReadPage, ReadRuling, ReadFill, ReadWord } from '../../engine/port.js';
import type { Box, DrawnBox, Font, Line, Ruling, Word } from '../../pdf/pdf-page.js';
import { addSeenTickBoxes } from '../../pdf/index.js';
import { boldLines } from './boldness.js';
import { asNumber } from './numbers.js';
import { cutAtRules } from './rules-between.js';
import { lowerLowCapitals, settleSizes, sizeOf } from './sizes.js';
import type { SizedLine } from './sizes.js';
import type { Stroke } from './strokes.js';

/** Maps pixels of the upright bitmap to points of the page. */
export interface PixelFrame {
  /** Points per pixel. */
  scale: number;
  /** Pixels of the bitmap at the page's top left corner. */
  left: number;
  top: number;
}

/** The font of recognised words: a recogniser returns characters, not fonts. The thickness of strokes gives the weight. */
export const recognisedFont: Font = { name: 'recognised', weight: 400, bold: false, italic: false, monospace: false, symbolic: false };
const boldFont: Font = { ...recognisedFont, name: 'recognised bold', weight: 700, bold: true };

/** A word, or the mean of a line, with less confidence is dirt or a drawing. */
const leastWord = 0.15;
const leastLine = 0.45;

function isNoise(words: ReadWord[]): boolean {
  const text = words.map((word) => word.text).join('');
  const letters = text.replace(/[^\p{L}\d]/gu, '').length;
  const mean = words.reduce((sum, word) => sum + word.confidence * word.text.length, 0) / Math.max(1, text.length);
  // A single character may be a bullet or a page number; a row of strokes is a ruling or a texture.
  return mean < leastLine || letters === 0 && (text.length > 2 || mean < 0.8) || letters < 0.3 * text.length && mean < 0.7;
}

/** Whether the lines are the grain of a picture or cloth: hardly any of them is long, and those that are form no words. */
const mostGuesses = 10;

function isGrain(all: ReadLine[], kept: SizedLine[]): boolean {
  if (all.length <= mostGuesses || kept.length > 0.3 * all.length) return false;
  const letters = kept.flatMap(({ words }) => words).reduce((sum, { text }) => sum + (/[\p{L}\d]{3}/u.test(text) ? text.length : 0), 0);
  return letters < 12 || letters < 0.02 * all.flatMap(({ words }) => words).reduce((sum, { text }) => sum + text.length, 0);
}

function boxOf(word: Box, { scale, left, top }: PixelFrame): Box {
  return { left: (word.left - left) * scale, top: (word.top - top) * scale, right: (word.right - left) * scale, bottom: (word.bottom - top) * scale };
}

/** In ems: the height of a bullet and the white space behind it; then its width in heights. */
const bulletShape = { height: { least: 0.15, most: 0.4 }, white: 0.3, width: { least: 0.7, most: 1.4 } };

/** A dot before a line is recognised as a similar letter, which is smaller than any real one. */
function asBullet(words: ReadWord[], size: number, scale: number): void {
  const [first, second] = words;
  if (first === undefined || second === undefined || !/^[eo0°*©®«»¢@.·-]$/u.test(first.text)) return;
  const [height, width] = [heightOf(first) * scale, widthOf(first) * scale];
  const isSmall = height < bulletShape.height.most * size && height > bulletShape.height.least * size;
  const isRound = width > bulletShape.width.least * height && width < bulletShape.width.most * height;
  if (isSmall && isRound && (second.left - first.right) * scale > bulletShape.white * size) first.text = '•';
}

function sized(line: ReadLine, frame: PixelFrame): SizedLine | null {
  const words = line.words.filter((word) => word.confidence >= leastWord && word.text.trim() !== '').map((word) => ({ ...word }));
  if (words.length === 0 || isNoise(words)) return null;
  const sizes = words.map((word) => ({ value: sizeOf(word.text, heightOf(word) * frame.scale) ?? 0, weight: word.text.length })).filter(({ value }) => value > 0);
  const tallest = Math.max(...words.map((word) => heightOf(word))) * frame.scale;
  const size = sizes.length === 0 ? tallest : weightedMedian(sizes);
  asBullet(words, size, frame.scale);
  return { words, baseline: line.baseline, size, letters: words.reduce((sum, word) => sum + word.text.length, 0) };
}

/** Upright strokes as high as several lines are the bars of a chart, whatever letters the recogniser returned. */
function withoutBars(lines: SizedLine[]): SizedLine[] {
  const size = weightedMedian(lines.map((line) => ({ value: line.size, weight: line.letters })));
  return lines.filter((line) => line.size < 2.5 * size || !line.words.every((word) => /^[Iil1|!ſ\-–—_.,;:'"]+$/u.test(word.text)));
}

export interface RecognisedText {
  words: Word[];
  lines: Line[];
  /** Mean over the letters, 0..1; null for none. */
  confidence: number | null;
}

/** `strokeOf` measures the thickness of a word's strokes; it returns null where it cannot. */
export function recognisedText(page: ReadPage, frame: PixelFrame, strokeOf: (word: ReadWord) => Stroke | null = () => null): RecognisedText {
  const plausible = page.lines.flatMap((line) => cutAtRules(line, page.rulings)).map((line) => sized(line, frame)).filter((line) => line !== null);
  const kept = isGrain(page.lines, plausible) ? [] : withoutBars(plausible);
  settleSizes(kept);
  lowerLowCapitals(kept, frame.scale);
  const bold = boldLines(kept, strokeOf, frame.scale);
  const lines: Line[] = [];
  let [letters, sure, order] = [0, 0, 0];
  for (const line of kept) {
    const [x1, y1, x2, y2] = line.baseline;
    const slope = x2 > x1 ? (y2 - y1) / (x2 - x1) : 0;
    const words = line.words.map((word): Word => {
      letters += word.text.length;
      sure += word.confidence * word.text.length;
      const y = y1 + slope * (word.left - x1);
      return {
        text: asNumber(word.text.normalize('NFC')), box: boxOf(word, frame), baseline: (y - frame.top) * frame.scale, font: bold.has(line) ? boldFont : recognisedFont, size: line.size, color: 0,
        angle: 0, glued: false, softHyphen: false, invisible: false, order: order++, link: -1, underline: false, strike: false, mcid: -1, confidence: word.confidence,
      };
    });
    // All words get the line's baseline: a remaining skew must not make them superscripts.
    const baseline = words[words.length >> 1]!.baseline;
    for (const word of words) word.baseline = baseline;
    lines.push({ words, box: unionBox(words.map(({ box }) => box)), baseline, size: line.size, angle: 0 });
  }
  addSeenTickBoxes(lines, recognisedRulings(page.rulings, frame), (page.tickBoxes ?? []).map((seen) => ({ box: boxOf(seen, frame), ticked: seen.ticked })));
  return { words: lines.flatMap((line) => line.words), lines, confidence: letters === 0 ? null : sure / letters };
}

export function recognisedRulings(rulings: ReadRuling[], { scale, left, top }: PixelFrame): Ruling[] {
  return rulings.map(({ horizontal, position, start, end, thickness }) => {
    const [across, along] = horizontal ? [top, left] : [left, top];
    return {
      orientation: horizontal ? 'horizontal' : 'vertical', position: (position - across) * scale, start: (start - along) * scale, end: (end - along) * scale,
      thickness: thickness * scale, color: 0,
    };
  });
}

/** A box wider than this, in points, is a fill even without text on it. */
const widestBar = 100;

/** Drops the bars of charts. */
export function recognisedFills(fills: ReadFill[], words: Word[], frame: PixelFrame): DrawnBox[] {
  return fills.map((fill) => ({ box: boxOf(fill, frame), fill: fill.grey * 0x010101, stroke: -1 })).filter(({ box }) => widthOf(box) > widestBar || words.some((word) => holdsMiddle(box, word.box)));
}
