/** The table finder's door. */
export { tablesByNetwork } from './by-network.js';
export type { CellFinder } from './by-network.js';
export { withCentredLabels } from './centred-labels.js';
export { withoutCharts } from './charts.js';
export { findSureAndDoubtful, findTables, tableWords } from './find.js';
export { withoutFractions } from './fractions.js';
export { withoutUnseen } from './unseen.js';
export { shippedCellFinder } from './shipped.js';
