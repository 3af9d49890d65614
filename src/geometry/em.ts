/** Measures of text in ems: an em is the size of the type. */
import type { VerticalExtent } from './box.js';

/** How far letters reach above and below their baseline, in ems: ascenders of Helvetica and Times reach 0.72 and 0.68, their descenders 0.21 and 0.22. */
export const ASCENT = 0.74;
export const DESCENT = 0.22;
/** From the baseline to the middle of letters, in ems: half of a letter between x-height and capital height. */
export const MIDDLE_HEIGHT = 0.3;

interface OnBaseline {
  baseline: number;
  size: number;
}

/** The vertical range of a line of this size, whatever ink its letters have. */
export function lineExtent({ baseline, size }: OnBaseline): VerticalExtent {
  return { top: baseline - ASCENT * size, bottom: baseline + DESCENT * size };
}

/** y of the middle of a text's letters. */
export function middleOfLetters({ baseline, size }: OnBaseline): number {
  return baseline - MIDDLE_HEIGHT * size;
}
