/** The content of one PDF page as plain data: text, drawn lines, pictures, links. No type of the PDF engine leaves this room. */
import type { Box } from '../geometry/box.js';

export type { Bitmap } from '../bitmap.js';
/** On pages in points. The origin is the top left corner of the displayed page (crop box, after /Rotate). */
export type { Box } from '../geometry/box.js';

/** Degrees clockwise. */
export type QuarterTurn = 0 | 90 | 180 | 270;

export interface Font {
  /** The file's name of the font, without the subset prefix: `NimbusRomNo9L-Medi`. */
  name: string;
  /** 100..900; 400 if the file does not give it. */
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
  /** Degrees, counter-clockwise, of the reading direction on the displayed page: 0, 90, 180, 270 or any value between. */
  angle: number;
  /** No space separates this word from the previous one in its line. */
  glued: boolean;
  /** The line ended in a hyphen which the file marks as soft. */
  softHyphen: boolean;
  /** Drawn with render mode 3: invisible, as OCR tools write it. */
  invisible: boolean;
  /** Position in the order in which the page paints its text; stable, unique on the page. */
  order: number;
  /** Index into PageContent.links, or -1. */
  link: number;
  /** A line (or the underline of a link) is drawn under it, or through it. */
  underline: boolean;
  strike: boolean;
  /** Marked-content id that ties the word to the structure tree, or -1. */
  mcid: number;
  /** The confidence of a word that was recognised in the page picture, 0..1; absent if it comes from the file. */
  confidence?: number;
  /** Where its characters have their ink, one box for each (letter with its marks) if the file gives them; absent otherwise. */
  letters?: readonly Box[];
}

/** Receives a word and its characters in reading order: the index of each in the engine's order of the page, and its advance along the line, points. Words of form fields are not passed. */
export type WordTrace = (word: Word, characters: readonly { index: number; u0: number; u1: number }[]) => void;

/** Words on one baseline that belong together: no gap between them is as wide as a column gutter. */
export interface Line {
  words: Word[];
  box: Box;
  baseline: number;
  /** The size of most of its characters. */
  size: number;
  angle: number;
}

/** A drawn straight line, or a filled box thin enough to be one. Ends are ordered; diagonal lines are left out. */
export interface Ruling {
  orientation: 'horizontal' | 'vertical';
  /** y of a horizontal one, x of a vertical one: the middle of the stroke. */
  position: number;
  start: number;
  end: number;
  thickness: number;
  color: number;
  /** Where, between start and end, pieces that the file paints one by one meet: rulings that are painted cell by cell show the cells. */
  joints?: number[];
}

/** A filled or stroked rectangle other than a ruling: a cell's fill, a frame, a bar of a chart. */
export interface DrawnBox {
  box: Box;
  /** 0xRRGGBB, or -1 without a fill. */
  fill: number;
  /** 0xRRGGBB, or -1 without an outline. */
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
  /** Target page, from 0, or -1. */
  pageIndex: number;
}

export interface OutlineEntry {
  title: string;
  /** From 0. */
  depth: number;
  /** From 0; -1 without a target. */
  pageIndex: number;
  /** y on that page (origin at the top left), or -1 if the file does not give it. */
  y: number;
}

/** A node of a tagged PDF's structure tree, restricted to one page. */
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

/** Hidden text of the page, by the reason why it was left out. Counts are characters other than white space. */
export interface HiddenText {
  outsidePage: number;
  clipped: number;
  covered: number;
  /** In the colour of its background. */
  sameColor: number;
  hiddenLayer: number;
  /** Drawn invisibly, or under the image of a scanned page: `words` nevertheless contains such words, marked. */
  invisible: number;
}

export interface PageContent {
  pageIndex: number;
  width: number;
  height: number;
  /** The page's own /Rotate, degrees clockwise. The boxes already include it, and the additional rotation that the caller requested. */
  rotation: 0 | 90 | 180 | 270;
  /** Every visible word once, in painting order. */
  words: Word[];
  lines: Line[];
  rulings: Ruling[];
  boxes: DrawnBox[];
  images: PlacedImage[];
  /** Regions full of curves and strokes that are neither rulings nor boxes: drawings, charts. */
  drawings: Box[];
  /** Curved paths that stand in rows as letters do; absent if there are none. */
  outlinedLetters?: number;
  links: Link[];
  structure: StructureNode[];
  hidden: HiddenText;
  /** Characters without a reliable Unicode value in the file; with a share near 1 the text layer is unusable. */
  unmappedCharacters: number;
  characters: number;
}
