/** Small drawn shapes become words of the lines beside which they stand: boxes to tick, bullets, numbered marks. */
import { addDrawnBullets, replaceLetterBullets } from './bullets.js';
import { clusterStrokes } from './drawing-regions.js';
import { addNumberedMarks } from './numbered-marks.js';
import type { Graphics } from './paths.js';
import type { Box, Line, Ruling } from './pdf-page.js';
import { mergeRulings } from './rulings.js';
import { fractionsOf } from './stacked-fractions.js';
import type { Fraction } from './stacked-fractions.js';
import type { TickBox } from './tick-boxes.js';
import { addTickBoxes } from './tick-words.js';

export interface MarkedLines {
  /** Without the sides of boxes to tick. */
  rulings: Ruling[];
  fractions: Fraction[];
}

/**
 * Adds the marks to `lines` in place and takes them out of `graphics`. `merged` are the rulings of `graphics`, merged;
 * `ticks` are the boxes of the form that are ticked.
 */
export function addDrawnMarks(lines: Line[], graphics: Graphics, merged: Ruling[], ticks: TickBox[], seen: Box): MarkedLines {
  const drawn = graphics.rulings;
  addTickBoxes(lines, graphics, ticks);
  const rulings = graphics.rulings.length === drawn.length ? merged : mergeRulings(graphics.rulings);
  // A denominator by itself is no bullet, and its bar underlines nothing.
  const fractions = fractionsOf(lines, rulings);
  const parts = new Set(fractions.flatMap(({ over, under }) => [...over, ...under]));
  replaceLetterBullets(lines.filter(({ words }) => !words.some((word) => parts.has(word))));
  if (graphics.marks.length > 0) {
    addNumberedMarks(lines, graphics);
    const marks = new Set(graphics.marks.map(({ box }) => box));
    addDrawnBullets(lines, graphics, clusterStrokes(graphics.strokes.filter((stroke) => !marks.has(stroke)), seen));
  }
  return { rulings, fractions };
}
