/** The table finder's door. */
export { tablesByNetwork } from './network/find-cells.js';
export type { CellFinder } from './network/find-cells.js';
export { withCentredLabels } from './centred-labels.js';
export { withoutCharts } from '../decide/charts.js';
export { findSureAndDoubtful, findTables, tableWords } from './find.js';
export { withoutFractions } from '../decide/fraction-grids.js';
export { withoutUnseen } from '../decide/predicted-tables.js';
export { shippedCellFinder } from './network/shipped.js';
