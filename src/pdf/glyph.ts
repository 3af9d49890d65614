/** One character of a page with its place: the value that all steps from the text page to the lines pass on. */
import type { Box } from './pdf-page.js';
import type { TextRun } from './text-runs.js';

/**
 * A character in the frame of its reading direction: u runs along the line, v downwards across it
 * (u = x cos - y sin, v = x sin + y cos on the displayed page, by the run's angle).
 */
export interface Glyph {
  text: string;
  /** The file's value, before any correction. */
  code: number;
  space: boolean;
  run: TextRun;
  /** Advance along the line. */
  u0: number;
  u1: number;
  /** Baseline. */
  v: number;
  /** Ink on the displayed page; a space has none and gets its advance. */
  ink: Box;
  /** Position in PDFium's text order, which is logical order for right-to-left script. */
  index: number;
  rightToLeft: boolean;
  softHyphen: boolean;
}
