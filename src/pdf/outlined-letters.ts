/** Letters that are drawn as paths: programs convert text to outlines, and the file then has no characters. */
import { heightOf, widthOf } from '../geometry/box.js';
import type { Box } from './pdf-page.js';

/** Sides of a letter in points, and its greatest width in heights. */
const LETTER = { least: 1.5, most: 40, width: 2.5 };
/** Points by which the feet of letters on one baseline differ. */
const BASELINE = 0.6;
/** More shapes on a page are no letters that anyone could read. */
const MOST_LETTERS = 20_000;
/** Letters that stand on one baseline in a line of text at least, and the white space and the overlap between most of them in heights. Rectangles at random places lie further apart. */
const LINE = { letters: 8, gap: 0.8, overlap: 0.3 };

/** The number of curved paths among `strokes` that stand in rows, as the letters of lines do. Points of a chart and hatchings do not stand on one baseline with their feet and differ little in width. */
export function countOutlinedLetters(strokes: Box[]): number {
  const letters = strokes.filter((box) => heightOf(box) >= LETTER.least && heightOf(box) <= LETTER.most && widthOf(box) <= LETTER.width * heightOf(box));
  if (letters.length < LINE.letters || letters.length > MOST_LETTERS) return 0;
  const rows = new Map<number, Box[]>();
  for (const box of letters) {
    const row = Math.round(box.bottom / BASELINE);
    const known = rows.get(row);
    if (known === undefined) rows.set(row, [box]);
    else known.push(box);
  }
  let count = 0;
  for (const row of rows.values()) if (isLine(row)) count += row.length;
  return count;
}

/** Whether the shapes follow each other like letters: close to each other, and of several widths. */
function isLine(row: Box[]): boolean {
  if (row.length < LINE.letters) return false;
  const inOrder = [...row].sort((a, b) => a.left - b.left);
  const near = inOrder.filter((box, index) => {
    const gap = index === 0 ? Infinity : box.left - inOrder[index - 1]!.right;
    return gap < LINE.gap * heightOf(box) && gap > -LINE.overlap * heightOf(box);
  }).length;
  const widths = new Set(inOrder.map((box) => Math.round((2 * widthOf(box)) / Math.max(1, heightOf(box)) * 2)));
  return near >= row.length / 2 && widths.size >= 2;
}
