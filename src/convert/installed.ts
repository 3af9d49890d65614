/** Installed programs and networks that conversion uses if the machine has them. */
export { findLibreOffice } from '../formats/office/legacy-office.js';
export { findReader } from '../formats/external.js';
export { missingOfficeParts } from '../formats/office/office-parts.js';
export { findOwnNetwork, installedRecognisers } from './ocr/own.js';
export { isRecogniser } from './ocr/recogniser.js';
export { openingLayout, openingTables, shippedNetworks, sizeOfShipped } from './shipped-networks.js';
