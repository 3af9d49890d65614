/** Finds lines under or through words: marks the words and removes the lines from the rulings. */
import { widthOf } from '../geometry/box.js';
import { partitionPoint } from '../geometry/search.js';
import type { Fraction } from './stacked-fractions.js';
import type { Line, Ruling, Word } from './pdf-page.js';

/** In ems: the place of such a stroke relative to the baseline (down is positive), and its largest thickness. */
const UNDER = { from: 0.02, to: 0.35 };
const THROUGH = { from: -0.45, to: -0.14 };
const MOST_THICKNESS = 0.16;
/** The largest distance between the ends of a stroke and of its text; the ruling of a table continues. */
const OVERHANG = 0.25;
const LEAST_COVERAGE = 0.6;

/** Sets `underline` and `strike` in place; returns the remaining rulings. Text above the bar of a fraction, or of a root in the next line, is not underlined. */
export function markUnderlines(lines: Line[], rulings: Ruling[], fractions: Fraction[]): Ruling[] {
  const horizontal = rulings.filter((ruling) => ruling.orientation === 'horizontal').sort((a, b) => a.position - b.position);
  if (horizontal.length === 0) return rulings;
  const used = new Set<Ruling>();
  const bars = new Set(fractions.flatMap(({ bar, inner }) => [bar, ...inner]));
  const roots = lines.flatMap((line) => line.words.filter(({ text }) => text.endsWith('√')));
  const strokes = horizontal.filter((ruling) => !bars.has(ruling) && !roots.some((sign) => isBarOf(ruling, sign)));
  for (const line of lines) {
    if (line.angle !== 0) continue;
    const around = within(strokes, line.baseline - line.size, line.baseline + line.size);
    for (const band of [UNDER, THROUGH]) markBand(line, around, band, used);
  }
  return used.size === 0 ? rulings : rulings.filter((ruling) => !used.has(ruling));
}

/** The bar of a root begins at the end of its sign, at its upper edge. */
function isBarOf({ position, start }: Ruling, { box, size }: Word): boolean {
  return Math.abs(start - box.right) < 0.3 * size && box.top < position + 0.3 * size && box.bottom > position;
}

function within(sorted: Ruling[], from: number, to: number): Ruling[] {
  return sorted.slice(partitionPoint(sorted, ({ position }) => position < from), partitionPoint(sorted, ({ position }) => position <= to));
}

function markBand(line: Line, rulings: Ruling[], band: { from: number; to: number }, used: Set<Ruling>): void {
  const strokes = rulings.filter((ruling) => {
    const offset = (ruling.position - line.baseline) / line.size;
    return offset >= band.from && offset <= band.to && ruling.thickness <= Math.max(0.8, MOST_THICKNESS * line.size) && endsWithText(ruling, line);
  });
  if (strokes.length === 0 || line.words.every((word) => coverage(word, strokes) < LEAST_COVERAGE || isInFormula(word)) && line.words.some((word) => MATH_FACE.test(word.font.name))) return;
  let marked = false;
  for (const word of line.words) {
    if (coverage(word, strokes) < LEAST_COVERAGE) continue;
    marked = true;
    if (band === UNDER) word.underline = true;
    else word.strike = true;
  }
  if (marked) for (const stroke of strokes) used.add(stroke);
}

/** Fonts of mathematics: what they set above a stroke is part of a fraction. */
const MATH_FACE = /^(?:CM(?:MI|SY|EX|BSY|MIB)|LM(?:Math|MathI)|EU(?:R|F|S)M|MSBM|(?:New|r?tx|ntx|px)\w*mi|STIX\w*Math)|Math/i;

/** In a font of mathematics, or no word: a number, a letter, signs. */
function isInFormula({ text, font }: Word): boolean {
  return MATH_FACE.test(font.name) || !/\p{L}{2}/u.test(text);
}

/** Whether the stroke starts and ends where words do, within a quarter of an em. */
function endsWithText(ruling: Ruling, line: Line): boolean {
  const slack = OVERHANG * line.size;
  const covered = line.words.filter((word) => word.box.right > ruling.start + slack && word.box.left < ruling.end - slack);
  const [first, last] = [covered[0], covered[covered.length - 1]];
  if (first === undefined || last === undefined) return false;
  const left = Math.min(first.box.left, last.box.left);
  const right = Math.max(first.box.right, last.box.right);
  return ruling.start >= left - slack && ruling.end <= right + slack;
}

function coverage(word: Word, strokes: Ruling[]): number {
  let covered = 0;
  for (const { start, end } of strokes) covered += Math.max(0, Math.min(end, word.box.right) - Math.max(start, word.box.left));
  return covered / Math.max(widthOf(word.box), 0.1);
}
