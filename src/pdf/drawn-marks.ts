/** Converts small drawn shapes to words of the lines beside them: tick boxes, bullets, numbered marks. */
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
  /** Without the sides of tick boxes. */
  rulings: Ruling[];
  fractions: Fraction[];
}

/**
 * Adds the marks to `lines` in place and removes them from `graphics`. `merged` are the merged rulings of `graphics`;
 * `ticks` are the ticked boxes of the form.
 */
export function addDrawnMarks(lines: Line[], graphics: Graphics, merged: Ruling[], ticks: TickBox[], seen: Box): MarkedLines {
  const drawn = graphics.rulings;
  addTickBoxes(lines, graphics, ticks);
  const rulings = graphics.rulings.length === drawn.length ? merged : mergeRulings(graphics.rulings);
  // A single denominator is not a bullet, and its bar does not underline anything.
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
