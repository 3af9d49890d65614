/** What the decoder makes of a page: its blocks in reading order, over the nodes of the page. Every node with words is in exactly one block, and in a table in exactly one cell. */
import type { NodeClass } from './classes.js';

export interface DecodedCell {
  row: number;
  column: number;
  rowSpan: number;
  columnSpan: number;
  columnHeader: boolean;
  rowHeader: boolean;
  /** In reading order. */
  nodes: number[];
}

/** Cells do not overlap and lie within the grid. Places without words have no cell. */
export interface DecodedGrid {
  rowCount: number;
  columnCount: number;
  /** Row by row, from the first column. */
  cells: DecodedCell[];
}

export interface DecodedBlock {
  /** `cell` for a table. */
  cls: NodeClass;
  /** In reading order. */
  nodes: number[];
  grid: DecodedGrid | null;
  /** For a caption: the block of its table or picture, by index; -1 for none. */
  captionOf: number;
  /** Sum over the nodes of the natural logarithm of each level's probability, for headings and list items; else null. */
  levels: Float32Array | null;
  /** Estimated probability that class and extent are right, 0..1. */
  confidence: number;
}
