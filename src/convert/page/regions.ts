/** The parts of a page that are no running text by themselves: their shapes, in points, as the steps of the page pipeline pass them on. */
import type { Box } from '../../geometry/box.js';
import type { Word } from '../../pdf/pdf-page.js';
import type { FoundTable } from './found-table.js';

/** The tables of contents of a page. */
export interface Contents {
  /** Two columns each, entry and page; several where headings part them. */
  tables: FoundTable[];
  /** Words of the entries and the dots: the page's other text is without them. */
  words: Set<Word>;
}

/** Text that keeps its lines, such as a program or an algorithm: the words of each line, from the left. */
export type Listing = Word[][];

/** A picture, drawing or chart. */
export interface FigureRegion {
  box: Box;
  /** Made of bars and axes rather than of a bitmap or a free drawing. */
  chart: boolean;
  /** The text in it is its own: labels, legends. Otherwise the picture lies behind running text. */
  ownsText: boolean;
  /** The drawings that it is put together of: each has its labels around it. */
  parts?: Box[];
}

/** A long horizontal ruling outside tables and figures: it may set footnotes apart or underline a heading. */
export interface Separator {
  y: number;
  left: number;
  right: number;
}

/** A long vertical ruling outside tables and figures, as newspapers draw between columns, or the edge of a panel at a side of the page. */
export interface ColumnRule {
  x: number;
  top: number;
  bottom: number;
}

/** The cards of one row, from the left: boxes whose text is read by itself. */
export interface CardRow {
  box: Box;
  cards: Box[];
}
