/** The values of which a page's nodes are made. */
import type { Box } from '../../geometry/box.js';
import type { DrawnLine } from './drawn-index.js';

export interface NodeWord {
  text: string;
  box: Box;
  /** y of the baseline, points. */
  baseline: number;
  /** Points. */
  size: number;
  /** 100 to 900. */
  weight: number;
  bold: boolean;
  italic: boolean;
  monospace: boolean;
  symbolic: boolean;
  underline: boolean;
  strike: boolean;
  link: boolean;
  glued: boolean;
  invisible: boolean;
  /** 0xRRGGBB. */
  color: number;
  /** Degrees, counter-clockwise. */
  angle: number;
  /** Index of its text line. */
  line: number;
}

/** Points from the top left corner. */
export interface NodePage {
  width: number;
  height: number;
  /** Those of a line in reading order. */
  words: readonly NodeWord[];
  rulings: readonly DrawnLine[];
  /** `fill` is 0xRRGGBB, or negative for none. */
  fills: readonly { box: Box; fill: number }[];
  pictures: readonly Box[];
}

export interface PageNode {
  /** Indices of its words; empty for a picture. */
  words: number[];
  box: Box;
}
