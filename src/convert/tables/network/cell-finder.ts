/** The port of the table network. */
import type { Bitmap } from '../../../bitmap.js';
import type { TableCells } from '../../../engine/vision-port.js';

/** Finds the cells of a drawn table; null if it cannot. */
export type CellFinder = (picture: Bitmap, signal: AbortSignal) => Promise<TableCells | null>;
