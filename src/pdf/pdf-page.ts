/** What one PDF page holds, as plain data: text, lines drawn, pictures, links. No PDF engine type leaves this room. */
import type { Box } from '../geometry/box.js';

export type { Bitmap } from '../bitmap.js';
/** In pages: points. The origin is the top left corner of the page as it is seen (crop box, after /Rotate). */
export type { Box } from '../geometry/box.js';

/** Degrees clockwise. */
export type QuarterTurn = 0 | 90 | 180 | 270;

export interface Font {
  /** As the file names it, without the subset prefix: `NimbusRomNo9L-Medi`. */
  name: string;
  /** 100..900; 400 where the file does not say it. */
  weight: number;
  bold: boolean;
  italic: boolean;
  monospace: boolean;
  /** The font's own flag for symbol sets: its letters may be bullets or symbols. */
  symbolic: boolean;
}

/**
 * A run of characters without white space that share font, size, colour and baseline: `H`, `2` and `O` of H2O are
 * three words, the second and third with `glued`.
 */
export interface Word {
  text: string;
  /** Advance box: left and right from glyph boxes, top and bottom from the ink of the run. */
  box: Box;
  /** y of the baseline at the word's start. */
  baseline: number;
  font: Font;
  /** Effective size in points, after the text matrix. */
  size: number;
  /** 0xRRGGBB. */
  color: number;
  /** Degrees, counter-clockwise, of the reading direction as seen on the page: 0, 90, 180, 270 or anything between. */
  angle: number;
  /** No space stands between this word and the one before it in its line. */
  glued: boolean;
  /** The line ended in a hyphen which the file marks as soft. */
  softHyphen: boolean;
  /** Drawn with render mode 3: invisible, as OCR tools write it. */
  invisible: boolean;
  /** Position in the order in which the page paints its text; stable, unique on the page. */
  order: number;
  /** Index into PageContent.links, or -1. */
  link: number;
  /** A line is drawn under it (or a link's underline), or through it. */
  underline: boolean;
  strike: boolean;
  /** Marked-content id that ties the word to the structure tree, or -1. */
  mcid: number;
  /** How sure its reader is of a word that was read from the page's picture, 0..1; absent where it is in the file. */
  confidence?: number;
}

/** Words on one baseline that belong together: no gap between them wider than a column gutter would be. */
export interface Line {
  words: Word[];
  box: Box;
  baseline: number;
  /** The size of most of its characters. */
  size: number;
  angle: number;
}

/** A drawn straight line, or a filled box thin enough to be one. Ends are ordered; diagonals are left out. */
export interface Ruling {
  orientation: 'horizontal' | 'vertical';
  /** y of a horizontal one, x of a vertical one: the middle of the stroke. */
  position: number;
  start: number;
  end: number;
  thickness: number;
  color: number;
  /** Where, between start and end, pieces that the file paints one by one meet: rules painted cell by cell show the cells. */
  joints?: number[];
}

/** A filled or stroked rectangle that is no ruling: cell shading, a frame, a bar of a chart. */
export interface DrawnBox {
  box: Box;
  /** 0xRRGGBB, or -1 where it is not filled. */
  fill: number;
  /** 0xRRGGBB, or -1 where it has no outline. */
  stroke: number;
}

export interface PlacedImage {
  box: Box;
  /** Pixels of the image in the file. */
  width: number;
  height: number;
  /** Index of the page object, to fetch its pixels by. */
  object: number;
}

export interface Link {
  box: Box;
  /** An address outside, or null for a jump inside the document. */
  uri: string | null;
  /** Page it jumps to, from 0, or -1. */
  pageIndex: number;
}

export interface OutlineEntry {
  title: string;
  /** From 0. */
  depth: number;
  /** From 0; -1 where it leads nowhere. */
  pageIndex: number;
  /** y on that page (top-left origin), or -1 where the file does not say. */
  y: number;
}

/** A node of a tagged PDF's structure tree, as far as it concerns one page. */
export interface StructureNode {
  /** Standard role after the role map: `H1`, `P`, `Table`, `TR`, `TH`, `TD`, `L`, `LI`, `Lbl`, `LBody`, `Figure`, `Artifact` … */
  role: string;
  mcids: number[];
  alt: string;
  actualText: string;
  rowSpan: number;
  columnSpan: number;
  children: StructureNode[];
}

/** Text that the page holds and does not show, by why it was left out. Counts are characters other than white space. */
export interface HiddenText {
  outsidePage: number;
  clipped: number;
  covered: number;
  /** In the colour of what lies behind it. */
  sameColor: number;
  hiddenLayer: number;
  /** Drawn invisibly, or under the image of a scanned page: such words are in `words` all the same, marked. */
  invisible: number;
}

export interface PageContent {
  pageIndex: number;
  width: number;
  height: number;
  /** The page's own /Rotate, degrees clockwise; boxes here have it applied already, and the turn that the caller asked for besides. */
  rotation: 0 | 90 | 180 | 270;
  /** Every visible word once, in painting order. */
  words: Word[];
  lines: Line[];
  rulings: Ruling[];
  boxes: DrawnBox[];
  images: PlacedImage[];
  /** Regions full of curves and strokes that are neither rulings nor boxes: drawings, charts. */
  drawings: Box[];
  links: Link[];
  structure: StructureNode[];
  hidden: HiddenText;
  /** Characters whose Unicode value is not reliable in the file; a share near 1 means the text layer is unusable. */
  unmappedCharacters: number;
  characters: number;
}
