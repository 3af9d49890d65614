/** Frames around a whole page: decoration that would join everything inside it. */
import { heightOf, widthOf } from '../../../geometry/box.js';
import type { LineWork, Segment } from './segments.js';

/** The least share of the page in width, height and area. */
const LEAST_SIDE = 0.6;
const LEAST_AREA = 0.42;
/** In points: the largest distance between the lines at a corner. Double and triple lines are removed one frame after another. */
const CORNER = 4;
/** A line this near to a side touches it, as the cells of a table do. */
const TOUCH = 2.6;
/** The most long rulings that are examined; a page has few. */
const MAX_LONG = 60;

interface Rectangle {
  top: Segment;
  bottom: Segment;
  left: Segment;
  right: Segment;
}

/** The line work without frames around most of the page that no line inside touches, and without fills of that size. */
export function withoutPageFrames(lines: LineWork, page: { width: number; height: number }): LineWork {
  const long = (segments: Segment[], side: number): Segment[] => segments.filter(({ start, end }) => end - start >= LEAST_SIDE * side).slice(0, MAX_LONG);
  const [across, upright] = [long(lines.horizontal, page.width), long(lines.vertical, page.height)];
  const gone = new Set<Segment>();
  for (const top of across) {
    for (const bottom of across) {
      if (bottom.at - top.at < LEAST_SIDE * page.height || Math.abs(top.start - bottom.start) > CORNER || Math.abs(top.end - bottom.end) > CORNER) continue;
      const sides = upright.filter((side) => Math.abs(side.start - top.at) <= CORNER && Math.abs(side.end - bottom.at) <= CORNER);
      const [left, right] = [top.start, top.end].map((x) => sides.find((side) => Math.abs(side.at - x) <= CORNER));
      if (left === undefined || right === undefined || (top.end - top.start) * (bottom.at - top.at) < LEAST_AREA * page.width * page.height) continue;
      if (!isTouched({ top, bottom, left, right }, lines)) for (const segment of [top, bottom, left, right]) gone.add(segment);
    }
  }
  const kept = (segment: Segment): boolean => !gone.has(segment);
  const isLarge = ({ box }: LineWork['shades'][number]): boolean => widthOf(box) * heightOf(box) > LEAST_AREA * page.width * page.height && heightOf(box) > LEAST_SIDE * page.height;
  if (gone.size === 0 && !lines.shades.some(isLarge)) return lines;
  return { ...lines, horizontal: lines.horizontal.filter(kept), vertical: lines.vertical.filter(kept), shades: lines.shades.filter((shade) => !isLarge(shade)) };
}

/** Whether a line outside the frame begins, ends or crosses on one of its sides. */
function isTouched({ top, bottom, left, right }: Rectangle, { horizontal, vertical }: LineWork): boolean {
  const meets = (line: Segment, from: number, to: number, at: number): boolean => at > from + CORNER && at < to - CORNER && [top, bottom, left, right].every((side) => side !== line);
  return vertical.some((line) => meets(line, left.at, right.at, line.at) && (reaches(line, top.at) || reaches(line, bottom.at)))
    || horizontal.some((line) => meets(line, top.at, bottom.at, line.at) && (reaches(line, left.at) || reaches(line, right.at)));
}

function reaches(line: Segment, at: number): boolean {
  return at >= line.start - TOUCH && at <= line.end + TOUCH;
}
