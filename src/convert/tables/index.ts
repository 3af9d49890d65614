/** The table finder's door. */
export { tablesByNetwork } from './network/find-cells.js';
export type { CellFinder, FoundTables } from './network/find-cells.js';
export { findSureAndDoubtful, findTables, tableWords } from './find.js';
export { shippedCellFinder } from './network/shipped.js';
