/** The programs and networks beside this one that conversion uses where the machine has them. */
export { findLibreOffice } from '../formats/office/legacy-office.js';
export { findOwnNetwork, installedRecognisers } from './ocr/own.js';
export { isRecogniser } from './ocr/recogniser.js';
export { openingLayout, openingTables, shippedNetworks, sizeOfShipped } from './shipped-networks.js';
