/** The parts of a page other than running text: their shapes, in points, as the steps of the page pipeline pass them on. */
import type { Box } from '../../geometry/box.js';
import type { Word } from '../../pdf/pdf-page.js';
import type { FoundTable } from './found-table.js';

/** The tables of contents of a page. */
export interface Contents {
  /** Two columns each, entry and page; several if headings separate them. */
  tables: FoundTable[];
  /** Words of the entries and the dots, which the page's other text does not contain. */
  words: Set<Word>;
}

/** Text that keeps its lines, such as a program or an algorithm: the words of each line, from the left. */
export type Listing = Word[][];

/** A picture, drawing or chart. */
export interface FigureRegion {
  box: Box;
  /** Consists of bars and axes rather than of a bitmap or a free drawing. */
  chart: boolean;
  /** The text inside belongs to it: labels, legends. Otherwise the picture lies behind running text. */
  ownsText: boolean;
  /** Its drawings, each with its labels around it. */
  parts?: Box[];
}

/** A long horizontal ruling outside tables and figures: it may separate footnotes or underline a heading. */
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

/** The cards of one row, from the left: boxes whose text is read separately. */
export interface CardRow {
  box: Box;
  cards: Box[];
}
