/** Pages of vertical writing: its lines follow each other from the right, and characters that were painted upright by themselves are lines of it, too. */
import { fromTop, fromTopEdge } from '../page/group-by-baseline.js';
import { middleX } from '../../geometry/box.js';
import { joinPieces } from '../page/text-line.js';
import { hasIdeographic } from '../wording/scripts.js';
import type { TextLine } from '../page/text-line.js';

export const isVertical = (line: TextLine): boolean => line.angle === 270 && hasIdeographic(line.text);

/** Most of the letters run downwards. */
export function isVerticalText(lines: TextLine[]): boolean {
  let [vertical, all] = [0, 0];
  for (const line of lines) {
    all += line.text.length;
    if (isVertical(line)) vertical += line.text.length;
  }
  return all > 0 && vertical > 0.7 * all;
}

/** In ems: how far apart characters of one line stand at most, and from where on there is a space between them. */
const widestStep = 3.5;
const spaceStep = 1.6;

/** In ems: brackets take half of their square, so that what follows them may begin above the square's end; more white ends a line. */
const sameLine = 0.8;

/** Pieces of one line as the line. */
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

/** The lines of vertical writing whole, with single upright characters below each other as such lines, where most of the page is written so; else as they are. */
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
