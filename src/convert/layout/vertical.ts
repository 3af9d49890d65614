/** Joins the lines of pages in vertical writing. The lines follow each other from the right; single characters that the file painted upright also form lines. */
import { fromTop, fromTopEdge } from '../page/group-by-baseline.js';
import { middleX } from '../../geometry/box.js';
import { joinPieces } from '../page/text-line.js';
import { hasIdeographic } from '../wording/scripts.js';
import type { TextLine } from '../page/text-line.js';

export const isVertical = (line: TextLine): boolean => line.angle === 270 && hasIdeographic(line.text);

/** Whether most of the letters run downwards. */
export function isVerticalText(lines: TextLine[]): boolean {
  let [vertical, all] = [0, 0];
  for (const line of lines) {
    all += line.text.length;
    if (isVertical(line)) vertical += line.text.length;
  }
  return all > 0 && vertical > 0.7 * all;
}

/** In ems: the largest distance between characters of one line, and the least distance that is a space. */
const widestStep = 3.5;
const spaceStep = 1.6;

/** In ems: brackets take half of their square, so that the next character may begin above the end of the square. A larger gap ends a line. */
const sameLine = 0.8;

/** Joins the pieces of each line. A piece joins any line above it, not only the last one, so that `splitWhere` does not fit. */
function joinDownwards(lines: TextLine[]): TextLine[] {
  const joined: TextLine[] = [];
  for (const line of fromTopEdge(lines)) {
    const at = joined.findIndex((above) => Math.abs(above.box.left + above.box.right - line.box.left - line.box.right) < 0.6 * line.size && Math.abs(above.size - line.size) < 0.1 * line.size
      && Math.abs(line.box.top - above.box.bottom) < sameLine * line.size);
    if (at < 0) joined.push(line);
    else joined[at] = { ...joinPieces([joined[at]!, line], () => true), angle: 270, pieces: [] };
  }
  return joined;
}

/** The lines of vertical writing, with single upright characters below each other joined to lines, if most of the page is vertical; otherwise the lines unchanged. */
export function wholeVerticalLines(lines: TextLine[]): TextLine[] {
  if (!isVerticalText(lines)) return lines;
  const isSign = (line: TextLine): boolean => line.angle === 0 && [...line.text].length === 1 && hasIdeographic(line.text);
  const stacks: TextLine[][] = [];
  for (const sign of fromTop(lines.filter(isSign))) {
    const middle = middleX(sign.box);
    const stack = stacks.find((each) => {
      const last = each.at(-1)!;
      return Math.abs(middleX(last.box) - middle) < 0.3 * sign.size && Math.abs(last.size - sign.size) < 0.1 * sign.size && sign.baseline - last.baseline < widestStep * sign.size;
    });
    if (stack === undefined) stacks.push([sign]);
    else stack.push(sign);
  }
  const joined = stacks.map((stack) => {
    const line = joinPieces(stack, (above, below) => below.baseline - above.baseline < spaceStep * below.size);
    return { ...line, angle: 270, baseline: line.box.top, pieces: [] };
  });
  return [...lines.filter((line) => !isSign(line) && !isVertical(line)), ...joinDownwards([...lines.filter(isVertical), ...joined])];
}
