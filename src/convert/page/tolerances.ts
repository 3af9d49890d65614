/**
 * The tolerances by which words and lines of text are grouped: one table. Values are in ems, the size of the type, unless a name ends in `Points`.
 *
 * No measurement is on record that set a value. What each one decides was measured on 56 small sample PDFs, converted without networks, by the number of documents whose markdown changes.
 * At 1.8 times its value: `styleShares.most` 13, `nominalLine.ascent` 9, `nominalLine.descent` 2, every other one of this table (but for `sameTopPoints`, which was not tried) 0.
 * At half its value: `gapTolerances.alwaysOneChunk` 5, `baselineTolerances.furnitureRow` 2, the other baseline tolerances and the gaps from `fragment` to `alwaysTwoChunks` 0; the rest was not tried.
 * So documents leave room around most values; unit tests hold them in the cases that made them necessary.
 */

/** How far the baselines of items on one line may be apart. */
export interface BaselineTolerance {
  ems: number;
  /** Whose em: that of the item that is added, the smaller or the larger one of that item and its reference. */
  of: 'own' | 'smaller' | 'larger';
}

export const baselineTolerances = {
  /** Fragments of text lines that stand on one line of a column, and words of a listing. */
  line: { ems: 0.3, of: 'own' },
  /** Words that stand in one row of the page, across its columns: superscripts among them. */
  pageRow: { ems: 0.35, of: 'own' },
  /** Lines of running headers and footers in one row. */
  furnitureRow: { ems: 0.35, of: 'smaller' },
  /** Words of one chunk of a table; superscripts are attached later. */
  chunk: { ems: 0.22, of: 'own' },
  /** Chunks of one row of a table. */
  chunkRow: { ems: 0.3, of: 'smaller' },
  /** Chunks on one line of a cell. */
  cellLine: { ems: 0.4, of: 'own' },
  /** Words of a cell in the order of its lines: one that stands lower or higher than this opens a new line. */
  wrappedLine: { ems: 0.5, of: 'larger' },
  /** Parts of one line that wide white tore apart. */
  looseLine: { ems: 0.1, of: 'own' },
} as const satisfies Record<string, BaselineTolerance>;

/** White space between words on one line. */
export const gapTolerances = {
  /** Wider white space parts two fragments of a text line. */
  fragment: 0.8,
  /** The same behind a list marker, for the layout network. */
  afterMarker: 2,
  /** Wider white space parts two texts of a row of the page. */
  rowText: 1.15,
  /** In tables: nearer words are always one chunk. */
  alwaysOneChunk: 0.55,
  /** In tables: words farther apart are two chunks, unless the line is justified. */
  alwaysTwoChunks: 1.15,
  /** In tables: words farther apart are two chunks in justified lines, too. */
  farApart: 2.2,
  /** A word stands this near to the next one of its line. */
  wordSpace: 0.42,
  /** Fragments of different sizes that are nearer belong to one word. */
  tight: 0.12,
  /** The same for ideographs, whose brackets and stops are half white. */
  tightIdeographs: 1.2,
} as const;

/** When a word is a superscript or a subscript of its line. */
export const scriptTolerances = {
  /** Scripts are smaller than this share of the line's size. */
  size: 0.85,
  /** How far above the line's baseline a superscript stands at least. */
  raised: 0.12,
  /** How far below it a subscript stands at least. */
  lowered: 0.06,
} as const;

/** Shares (0..1) of a line's characters. */
export const styleShares = {
  /** As many characters must be bold, italic, monospace, or of one font for the line to be so. */
  most: 0.85,
} as const;

/** The height of a line of text for the reading order: an `A` and a full stop are as high. */
export const nominalLine = { ascent: 0.75, descent: 0.2 } as const;

/** Two pieces of text are one row of their column if they share this part of the lower one's height, and at most the other part of the narrower one's width. */
export const rowOverlap = { height: 0.55, width: 0.25 } as const;

/** Points between the tops of tables and figures that are set side by side. */
export const sameTopPoints = 12;
