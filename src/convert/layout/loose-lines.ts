/** Finds justified lines whose word spaces are as wide as a gutter: the spaces are even, and lines above or below cross them. */
import { areLevel, fromTopLeft } from '../page/group-by-baseline.js';
import { baselineTolerances } from '../page/tolerances.js';
import { unionBox, widthOf } from '../../geometry/box.js';
import { lowerMedian } from '../../geometry/statistics.js';
import type { Line, Word } from '../../pdf/pdf-page.js';

/** In ems: the least word space of a loose line, and the white space that always separates the lines of two columns. */
const looseGap = 0.45;
const widestGap = 3;
/** Word spaces in medians of the line; the spaces behind sentences and clauses are wider. */
const least = 0.6;
const most = 1.4;
const mostAfterStop = 2.6;
const stop = /[.,;:!?][)\]”"'’]*$/u;
/** Fewer gaps do not show that they are even. */
const fewestGaps = 3;

interface Gap {
  left: number;
  right: number;
  afterStop: boolean;
}

function gapsOf(words: Word[]): Gap[] {
  return words.flatMap((word, index): Gap[] => {
    const before = words[index - 1];
    return before === undefined || word.glued ? [] : [{ left: before.box.right, right: word.box.left, afterStop: stop.test(before.text) }];
  });
}

/** The gaps of an evenly stretched line; none for other lines. */
function stretchedGaps(words: Word[], size: number): Gap[] {
  const gaps = gapsOf(words);
  if (gaps.length < fewestGaps) return [];
  const middle = lowerMedian(gaps.map(widthOf));
  const isEven = gaps.every(({ left, right, afterStop }) => right - left >= least * middle && right - left <= (afterStop ? mostAfterStop : most) * middle && right - left < widestGap * size);
  return middle >= looseGap * size && isEven ? gaps : [];
}

/** Whether a line right above or below crosses the white space. */
function isCrossed({ left, right }: Gap, { baseline, size }: Line, around: Line[]): boolean {
  return around.some((other) => {
    const distance = Math.abs(other.baseline - baseline);
    return distance > 0.8 * size && distance < 1.7 * size && Math.abs(other.size - size) < 0.1 * size && other.box.left < left && other.box.right > right
      && other.words.some(({ box }) => box.left < right && box.right > left);
  });
}

/** The most parts of one line. */
const mostParts = 12;

/** The lines from top to bottom with their loose parts joined, and those that are kept whole. */
export function withLooseLines(lines: Line[]): { lines: Line[]; whole: Set<Line> } {
  const upright = fromTopLeft(lines.filter(({ angle }) => angle === 0));
  const whole = new Set<Line>();
  const joined = new Map<Line, Line | null>();
  for (const [index, line] of upright.entries()) {
    if (joined.has(line)) continue;
    const row = [line];
    for (let at = index + 1; at < upright.length && row.length < mostParts; at++) {
      const next = upright[at]!;
      if (!areLevel(line, next, baselineTolerances.looseLine)) break;
      const gap = next.box.left - row.at(-1)!.box.right;
      if (gap >= 0 && gap < widestGap * line.size && Math.abs(next.size - line.size) < 0.1 * line.size && !joined.has(next)) row.push(next);
    }
    for (let count = row.length; count > 0; count--) {
      const parts = row.slice(0, count);
      const words = parts.flatMap((part) => part.words);
      const gaps = stretchedGaps(words, line.size);
      if (gaps.length === 0 || !gaps.every((gap) => widthOf(gap) < 0.8 * line.size || isCrossed(gap, line, upright))) continue;
      const all = count === 1 ? line : { ...line, words, box: unionBox(parts.map(({ box }) => box)) };
      whole.add(all);
      for (const part of parts) joined.set(part, null);
      joined.set(line, all);
      break;
    }
  }
  return whole.size === 0 ? { lines, whole } : { lines: lines.flatMap((line) => { const now = joined.get(line); return now === undefined ? [line] : now === null ? [] : [now]; }), whole };
}
