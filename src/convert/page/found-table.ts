/** A table of the table finder: a grid of cells over words of one page. */
import type { Box, Word } from '../../pdf/pdf-page.js';

export interface TableCell {
  row: number;
  column: number;
  rowSpan: number;
  columnSpan: number;
  /** Part of the header rows. */
  columnHeader: boolean;
  /** Names the rest of its row. */
  rowHeader: boolean;
  /** In reading order. Every word of the table is in exactly one cell. */
  words: Word[];
  box: Box;
}

export interface FoundTable {
  box: Box;
  rowCount: number;
  columnCount: number;
  cells: TableCell[];
  /** The source of the grid: the file's own structure or drawn lines, some lines or fills, or only the white space between the words. */
  evidence: 'tagged' | 'ruled' | 'partly-ruled' | 'unruled';
  /** 0..1 */
  confidence: number;
}
