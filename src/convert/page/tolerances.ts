/**
 * The tolerances by which words and text lines are grouped: one table. Values are in ems, the size of the type, unless a name ends in `Points`.
 * The glyphs of a PDF were joined to words and fragments before, with the distances in pdf/glyphs-to-lines.ts and pdf/spacing.ts.
 *
 * A comment names the origin of a value where one is on record; the others came with the first version of their rule, without a measurement. Two later measurements show how
 * much room they have:
 * - 56 small sample PDFs were converted without networks, with one value changed at a time, and the documents whose markdown changes were counted. At 1.8 times the value:
 *   `styleShares.most` 13, `nominalLine.ascent` 9, `nominalLine.descent` 2, all others 0 (`sameTopPoints` was not tried). At half the value: `gapTolerances.alwaysOneChunk` 5,
 *   `baselineTolerances.furnitureRow` 2, the other baseline tolerances and the gaps from `fragment` to `alwaysTwoChunks` 0 (the others were not tried).
 * - 37 files of unit tests on tables, layout and structure ran with 0.6 and 1.6 times each value, and after a failure with 0.8 and 1.25 times. The comments give
 *   the smallest and the largest value with which all passed, and a test that fails beyond.
 */

/** How far the baselines of items on one line may be apart. */
export interface BaselineTolerance {
  ems: number;
  /** The em of the added item, or the smaller or larger one of that item and its reference. */
  of: 'own' | 'smaller' | 'larger';
}

export const baselineTolerances = {
  /** Joins fragments of text lines to one line of a column, and words to lines of a listing. Passes: 0.18 to 0.48. */
  line: { ems: 0.3, of: 'own' },
  /** Joins words to one row of the page, across its columns, superscripts included. Passes: 0.21 to 0.56. */
  pageRow: { ems: 0.35, of: 'own' },
  /** Joins lines of running headers and footers to one row. Passes: 0.21 to 0.56. */
  furnitureRow: { ems: 0.35, of: 'smaller' },
  /** Joins words to one chunk of a table; superscripts are attached later. Passes: 0.132 to 0.352. */
  chunk: { ems: 0.22, of: 'own' },
  /** Joins chunks to one row of a table. Passes: 0.18 to 0.48. */
  chunkRow: { ems: 0.3, of: 'smaller' },
  /** Joins chunks to one line of a cell. Passes: 0.24 to 0.64. */
  cellLine: { ems: 0.4, of: 'own' },
  /** Splits the words of a cell into lines: a word that is lower or higher by more opens a new line. Passes: 0.3 to 0.8. */
  wrappedLine: { ems: 0.5, of: 'larger' },
  /** Joins the parts of a justified line with wide word spaces; set with test/unit/loose-lines.test.ts. Passes: 0.06 to 0.16. */
  looseLine: { ems: 0.1, of: 'own' },
} as const satisfies Record<string, BaselineTolerance>;

/** White space between words on one line. */
export const gapTolerances = {
  /** Wider white space splits a text line into fragments. Passes: 0.48 to 1. 1.28 fails test/unit/convert-printed-listings.test.ts. */
  fragment: 0.8,
  /** The same behind a list marker, in the input of the layout network. Passes: 1.2 to 3.2. */
  afterMarker: 2,
  /** Wider white space splits a row of the page into texts. Passes: 0.69 to 1.84. */
  rowText: 1.15,
  /** In tables: nearer words always form one chunk. Passes: 0.44 to 0.88. 0.33 fails test/unit/tables-heads.test.ts. */
  alwaysOneChunk: 0.55,
  /** In tables: words farther apart form two chunks, unless the line is justified. Passes: 0.69 to 1.84. */
  alwaysTwoChunks: 1.15,
  /** In tables: words farther apart form two chunks in justified lines, too. Passes: 1.32 to 3.52. */
  farApart: 2.2,
  /** The largest word space beside a box inside a line of text (tables/evidence/inline-marks.ts). Passes: 0.252 to 0.672. */
  wordSpace: 0.42,
  /** Joins fragments of different sizes to one word. Passes: 0.072 to 0.192. */
  tight: 0.12,
  /** The same for ideographs, whose brackets and stops are half white; set with the vertical lines in test/unit/convert-reading-order.test.ts. Passes: 0.72 to 1.92. */
  tightIdeographs: 1.2,
} as const;

/**
 * Conditions of a superscript or subscript, beside the neighbour that it is compared with. Set with `bench scripts`: the set-ups that are inspected write scripts in 0.5 (script of a script) to 0.84 (browsers) of the size, raised by
 * 0.3 to 0.5 em and lowered by 0.08 to 0.25 em.
 */
export const scriptTolerances = {
  /** Share of the neighbour's size: scripts are smaller. 0.68 fails test/unit/convert-formulas.test.ts. */
  size: 0.88,
  /** The least share: smaller words beside a drop capital or a large sign are text of their own. */
  least: 0.38,
  /** The least height of a superscript above the neighbour's baseline, and the greatest. */
  raised: 0.12,
  highest: 0.75,
  /** The least depth of a subscript below it, and the greatest. */
  lowered: 0.06,
  lowest: 0.5,
  /** The least height of a number in the size of the text. */
  raisedInFullSize: 0.22,
  /** The least height of the ink of superior figures above the baseline. Figures of text stand on it, or reach below. */
  superiorFigure: 0.2,
  /** The largest white space between a note mark and its neighbour, in ems of that. */
  apart: 0.6,
  /** The largest difference of sizes and of baselines within one text. */
  alike: 0.06,
} as const;

/** Shares (0..1) of a line's characters. */
export const styleShares = {
  /** A line is bold, italic or monospace, or has one font, if this share of its characters is or has. Passes: 0.51 to 0.85. With a value above 1 no line is bold. */
  most: 0.85,
} as const;

/** The nominal height of a text line for the reading order, equal for an `A` and a full stop. Passes: ascent 0.6 to 1.2, descent 0.12 to 0.32. An ascent of 0.45 fails test/unit/convert-structure.test.ts. */
export const nominalLine = { ascent: 0.75, descent: 0.2 } as const;

/** Two pieces of text form one row of their column if they share this part of the lower one's height, and at most the other part of the narrower one's width. Passes: height 0.33 to 0.6875, width 0.15 to 0.4. A height of 0.88 fails test/unit/convert-structure.test.ts. */
export const rowOverlap = { height: 0.55, width: 0.25 } as const;

/** The largest distance between the tops of tables and figures side by side, in points; set with such tables in test/unit/convert-reading-order.test.ts. Passes: 7.2 to 19.2. */
export const sameTopPoints = 12;
