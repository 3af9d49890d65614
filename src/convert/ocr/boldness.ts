/** Which recognised lines are bold, by how thick their strokes are beside the running text's. */
import type { ReadWord } from '../../engine/port.js';
import type { SizedLine } from './words.js';

/** Strokes this much thicker than the running text's are bold: measured, 1.3 and more where a page's headings are, 0.9 to 1.2 in regular lines. */
const boldRatio = 1.27;
/** Letters that a line must have for its strokes to be believed, and letters of running text on the page. */
const fewestLetters = { line: 4, page: 120 };

/** How thick a word's strokes are, points; null where that cannot be measured. */
type StrokeOf = (word: ReadWord) => number | null;

/** The value in the middle by weight; 0 of nothing. */
export function weightedMedian(values: { value: number; weight: number }[]): number {
  const sorted = [...values].sort((a, b) => a.value - b.value);
  let half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  for (const { value, weight } of sorted) if ((half -= weight) <= 0) return value;
  return sorted.at(-1)?.value ?? 0;
}

/** Mean thickness of the line's strokes, points; null where too few letters were measured. */
function strokeOfLine({ words }: SizedLine, strokeOf: StrokeOf): number | null {
  const measured = words.filter(({ text }) => /\p{L}{2}/u.test(text)).flatMap((word) => {
    const stroke = strokeOf(word);
    return stroke === null ? [] : [{ value: stroke, weight: word.text.length }];
  });
  return measured.reduce((sum, { weight }) => sum + weight, 0) < fewestLetters.line ? null : weightedMedian(measured);
}

/**
 * The lines whose strokes are thicker than those of the page's running text. The blur of a scan widens all strokes alike, so that they
 * grow with only 0.4 of the size: an allowance between strokes that do not grow at all and those of a sharp picture.
 */
export function boldLines(lines: SizedLine[], strokeOf: StrokeOf): Set<SizedLine> {
  const measured = lines.flatMap((line) => {
    const stroke = strokeOfLine(line, strokeOf);
    return stroke === null ? [] : [{ line, stroke }];
  });
  const letters = new Map<number, number>();
  for (const { line } of measured) letters.set(line.size, (letters.get(line.size) ?? 0) + line.letters);
  const [body] = [...letters].sort((a, b) => b[1] - a[1]);
  if (body === undefined || body[1] < fewestLetters.page) return new Set();
  const usual = weightedMedian(measured.filter(({ line }) => line.size === body[0]).map(({ line, stroke }) => ({ value: stroke, weight: line.letters })));
  const bold = new Set(measured.filter(({ line, stroke }) => stroke > boldRatio * usual * (0.6 + (0.4 * line.size) / body[0])).map(({ line }) => line));
  // Headings of one size are of one weight: short ones, which are hard to measure, go with the others.
  for (const size of letters.keys()) {
    if (size < 1.1 * body[0]) continue;
    const alike = lines.filter((line) => line.size === size);
    const share = alike.reduce((sum, line) => sum + (bold.has(line) ? line.letters : 0), 0) / alike.reduce((sum, line) => sum + line.letters, 0);
    for (const line of alike) if (share > 0.6) bold.add(line);
  }
  return bold;
}
