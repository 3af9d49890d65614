/** Which recognised lines are bold, by how thick their strokes are beside the running text's. */
import { weightedMedian } from '../../geometry/statistics.js';
import type { ReadWord } from '../../engine/port.js';
import { isNextLine } from './sizes.js';
import type { SizedLine } from './sizes.js';
import type { Stroke } from './strokes.js';

/**
 * Lines whose strokes take this much more light than the running text's, or are this much wider, are bold. Of 4,156 lines of 72 sample pages, drawn at 150 and 200 dpi, leaned, blurred, with
 * noise and JPEG, all of this finds 193 of the 209 that are bold in their files, and 51 others, most of them large and heavy (width alone, from 1.27 on, found 135 of 201, and 29).
 */
const boldRatio = { ink: 1.22, width: 1.3 };
/** Lines that are only darker than grey text are no wider at all; blur leaves bold ones this much of it. */
const widerAlso = 1.03;
/** Which light a doubtful line's strokes must take: beside a line that is surely bold, and below one that is surely not. */
const inkBeside = { bold: 1.12, regular: 1.32, surely: 1.27, surelyNot: 1.12 };
/** How much of the size strokes grow with: blur widens all alike, and takes nothing of their ink. */
const growth = { ink: 0.6, width: 0.4 };
/** Letters that a line must have for its strokes to be believed, and letters of running text on the page. */
const fewestLetters = { line: 4, page: 120 };

/** How thick a word's strokes are; null where that cannot be measured. */
type StrokeOf = (word: ReadWord) => Stroke | null;

/** The stroke in the middle of the line's; null where too few letters were measured. */
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
  /** Of the running text's strokes, as they would be in its size. */
  ratio: Stroke;
}

/** Whether `below` is the next line of the block that `above` is in; `scale` in points a pixel. */
function follows(above: SizedLine, below: SizedLine, scale: number): boolean {
  return Math.abs(above.size - below.size) <= 0.12 * below.size && isNextLine(above, below, below.size, scale);
}

/** The measure of one line may be a little off; the lines above and below decide. */
function leastInk(line: SizedLine, all: Measured[], scale: number): number {
  const above = all.find((other) => follows(other.line, line, scale));
  const below = all.find((other) => follows(line, other.line, scale));
  if ([above, below].some((other) => other !== undefined && other.ratio.ink > inkBeside.surely)) return inkBeside.bold;
  return above !== undefined && above.ratio.ink < inkBeside.surelyNot ? inkBeside.regular : boldRatio.ink;
}

/** The lines whose strokes are thicker than those of the page's running text, as those of their size would be. `scale` in points a pixel. */
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
    // A word of two letters is as those above and below it are.
    const beside = lines.filter((other) => follows(other, line, scale) || follows(line, other, scale));
    if (beside.length > 0 && beside.every((other) => bold.has(other))) bold.add(line);
  }
  // Headings of one size are of one weight: short ones, which are hard to measure, go with the others.
  for (const size of letters.keys()) {
    if (size < 1.1 * body[0]) continue;
    const alike = lines.filter((line) => line.size === size);
    const share = alike.reduce((sum, line) => sum + (bold.has(line) ? line.letters : 0), 0) / alike.reduce((sum, line) => sum + line.letters, 0);
    for (const line of alike) if (share > 0.6) bold.add(line);
  }
  return bold;
}
