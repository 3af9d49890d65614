/** Justified lines whose white space is stretched as far as that between columns: evenly, and lines above or below run across it. */
import { areLevel, fromTopLeft } from '../page/group-by-baseline.js';
import { baselineTolerances } from '../page/tolerances.js';
import { unionBox, widthOf } from '../../geometry/box.js';
import { lowerMedian } from '../../geometry/statistics.js';
import type { Line, Word } from '../../pdf/pdf-page.js';

/** In ems: white space between words that makes a line a loose one, and white space that parts the lines of two columns whatever stands around. */
const looseGap = 0.45;
const widestGap = 3;
/** White space in parts of the line's median; sentences and clauses end with more of it. */
const least = 0.6;
const most = 1.4;
const mostAfterStop = 2.6;
const stop = /[.,;:!?][)\]”"'’]*$/u;
/** With fewer gaps nothing shows that they are alike. */
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

/** The gaps, where they are those of a line that is stretched evenly; else none. */
function stretchedGaps(words: Word[], size: number): Gap[] {
  const gaps = gapsOf(words);
  if (gaps.length < fewestGaps) return [];
  const middle = lowerMedian(gaps.map(widthOf));
  const isEven = gaps.every(({ left, right, afterStop }) => right - left >= least * middle && right - left <= (afterStop ? mostAfterStop : most) * middle && right - left < widestGap * size);
  return middle >= looseGap * size && isEven ? gaps : [];
}

/** Some line right above or below runs across the white space. */
function isCrossed({ left, right }: Gap, { baseline, size }: Line, around: Line[]): boolean {
  return around.some((other) => {
    const distance = Math.abs(other.baseline - baseline);
    return distance > 0.8 * size && distance < 1.7 * size && Math.abs(other.size - size) < 0.1 * size && other.box.left < left && other.box.right > right
      && other.words.some(({ box }) => box.left < right && box.right > left);
  });
}

/** A line is torn into no more parts. */
const mostParts = 12;

/** Lines from top to bottom with their loose parts joined, and those that are to be taken as a whole. */
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
