/** Detects bold lines among recognised ones by the thickness of their strokes, compared with the running text. */
import { weightedMedian } from '../../geometry/statistics.js';
import type { ReadWord } from '../../engine/port.js';
import { isNextLine } from './sizes.js';
import type { SizedLine } from './sizes.js';
import type { Stroke } from './strokes.js';

/**
 * A line is bold if its strokes have this many times the ink, or the width, of those of the running text. Of 4,156 lines of 72 sample pages, drawn at 150 and 200 dpi, skewed, blurred, with
 * noise and JPEG, all rules together find 193 of the 209 lines that are bold in their files, and 51 others, most of them large and heavy (width alone, from 1.27 on, found 135 of 201, and 29 others).
 */
const boldRatio = { ink: 1.22, width: 1.3 };
/** The least width of a bold line, in widths of the running text. Lines that are only darker than grey text are no wider; blurred bold lines keep this much. */
const widerAlso = 1.03;
/** The ink that a doubtful line needs: beside a line that is surely bold, and below one that is surely not. */
const inkBeside = { bold: 1.12, regular: 1.32, surely: 1.27, surelyNot: 1.12 };
/** The part of the size with which strokes grow: blur widens all strokes by the same amount and keeps their ink. */
const growth = { ink: 0.6, width: 0.4 };
/** The fewest letters of a line whose strokes are reliable, and of the page's running text. */
const fewestLetters = { line: 4, page: 120 };

/** The thickness of a word's strokes; null if it cannot be measured. */
type StrokeOf = (word: ReadWord) => Stroke | null;

/** The median stroke of the line; null if too few letters were measured. */
function strokeOfLine({ words }: SizedLine, strokeOf: StrokeOf): Stroke | null {
  const measured = words.filter(({ text }) => /\p{L}{2}/u.test(text)).flatMap((word) => {
    const stroke = strokeOf(word);
    return stroke === null ? [] : [{ ...stroke, weight: word.text.length }];
  });
  return measured.reduce((sum, { weight }) => sum + weight, 0) < fewestLetters.line ? null : middleOf(measured);
}

function middleOf(strokes: (Stroke & { weight: number })[]): Stroke {
  const middle = (of: keyof Stroke): number => weightedMedian(strokes.map((stroke) => ({ value: stroke[of], weight: stroke.weight })));
  return { width: middle('width'), ink: middle('ink') };
}

interface Measured {
  line: SizedLine;
  /** The running text's strokes, scaled to the line's size. */
  ratio: Stroke;
}

/** Whether `below` is the next line in the block of `above`; `scale` in points per pixel. */
function follows(above: SizedLine, below: SizedLine, scale: number): boolean {
  return Math.abs(above.size - below.size) <= 0.12 * below.size && isNextLine(above, below, below.size, scale);
}

/** The measure of one line may be inexact, so that the lines above and below decide. */
function leastInk(line: SizedLine, all: Measured[], scale: number): number {
  const above = all.find((other) => follows(other.line, line, scale));
  const below = all.find((other) => follows(line, other.line, scale));
  if ([above, below].some((other) => other !== undefined && other.ratio.ink > inkBeside.surely)) return inkBeside.bold;
  return above !== undefined && above.ratio.ink < inkBeside.surelyNot ? inkBeside.regular : boldRatio.ink;
}

/** The lines whose strokes are thicker than those of the page's running text, scaled to the line's size. `scale` in points per pixel. */
export function boldLines(lines: SizedLine[], strokeOf: StrokeOf, scale: number): Set<SizedLine> {
  const strokes = lines.flatMap((line) => {
    const stroke = strokeOfLine(line, strokeOf);
    return stroke === null ? [] : [{ line, stroke }];
  });
  const letters = new Map<number, number>();
  for (const { line } of strokes) letters.set(line.size, (letters.get(line.size) ?? 0) + line.letters);
  const [body] = [...letters].sort((a, b) => b[1] - a[1]);
  if (body === undefined || body[1] < fewestLetters.page) return new Set();
  const usual = middleOf(strokes.filter(({ line }) => line.size === body[0]).map(({ line, stroke }) => ({ ...stroke, weight: line.letters })));
  const measured = strokes.map(({ line, stroke }): Measured => {
    const of = (by: keyof Stroke): number => stroke[by] / (usual[by] * (1 - growth[by] + (growth[by] * line.size) / body[0]));
    return { line, ratio: { ink: of('ink'), width: of('width') } };
  });
  const bold = new Set(measured.filter(({ line, ratio }) => ratio.width > boldRatio.width || ratio.width > widerAlso && ratio.ink > inkBeside.bold && ratio.ink > leastInk(line, measured, scale)).map(({ line }) => line));
  const known = new Set(measured.map(({ line }) => line));
  const unknown = lines.filter((line) => !known.has(line) && line.words.some(({ text }) => /\p{L}/u.test(text)));
  for (const line of unknown) {
    // A word of two letters takes the weight of the lines above and below it.
    const beside = lines.filter((other) => follows(other, line, scale) || follows(line, other, scale));
    if (beside.length > 0 && beside.every((other) => bold.has(other))) bold.add(line);
  }
  // Headings of one size have one weight: short ones, which are hard to measure, take that of the others.
  for (const size of letters.keys()) {
    if (size < 1.1 * body[0]) continue;
    const alike = lines.filter((line) => line.size === size);
    const share = alike.reduce((sum, line) => sum + (bold.has(line) ? line.letters : 0), 0) / alike.reduce((sum, line) => sum + line.letters, 0);
    for (const line of alike) if (share > 0.6) bold.add(line);
  }
  return bold;
}
