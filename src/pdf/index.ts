/** The PDF room's door: bytes in, pages of plain data out. */
export { openPdf } from './open.js';
export type { OpenOptions } from './open.js';
export { fractionsOf, standsBeside } from './fractions.js';
export type { Fraction } from './fractions.js';
export { addSeenTickBoxes } from './tick-words.js';
export type { PdfDocument, PdfMetadata } from './document.js';
export type * from './page.js';
