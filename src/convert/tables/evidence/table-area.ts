/** The values that the search for a table passes on: groups of marks, an area of the page, and its boundaries. */
import type { Box } from '../../../geometry/box.js';
import type { VisualRow } from './chunks.js';
import type { Column } from './columns.js';
import type { Joint, Segment, Shade } from './segments.js';

/** Rulings and fills that belong together. */
export interface MarkGroup {
  box: Box;
  horizontals: Segment[];
  verticals: Segment[];
  shades: Shade[];
}

/** A part of the page that may be a table, with all its content. */
export interface TableArea {
  box: Box;
  rows: VisualRow[];
  horizontals: Segment[];
  verticals: Segment[];
  shades: Shade[];
  joints: Joint[];
  /** Line distance of the page's running text, in ems. */
  leading: number;
}

/** The begin or end of a column or row, in points of the frame, with its evidence. */
export interface Edge {
  at: number;
  kind: 'drawn' | 'joint' | 'white';
}

/** The boundaries of columns and rows. */
export interface Boundaries {
  /** Edges of the columns from the left, one more than there are columns. */
  x: Edge[];
  /** Edges of the rows from the top, one more than there are rows. */
  y: Edge[];
  columns: Column[];
  /** The area's rows, their chunks cut at the columns' edges. */
  rows: VisualRow[];
}
