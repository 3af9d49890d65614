/** The table finder's public functions. */
export { tablesByNetwork } from './network/find-cells.js';
export type { CellFinder } from './network/cell-finder.js';
export { findSureAndDoubtful, findTables } from './find.js';
export type { FoundTables } from './find.js';
export { shippedCellFinder } from './network/shipped.js';
export { tableWords } from './table-words.js';
