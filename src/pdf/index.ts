/** The public interface of the PDF room: takes bytes, returns pages as plain data. */
export { openPdf } from './open-pdf.js';
export type { OpenOptions } from './open-pdf.js';
export { fractionsOf, standsBeside } from './stacked-fractions.js';
export type { Fraction } from './stacked-fractions.js';
export { addSeenTickBoxes } from './tick-words.js';
export { NO_COLOR } from './page-paint.js';
export type { PagePaint } from './page-paint.js';
export type { PdfDocument, PdfMetadata } from './pdf-document.js';
export type * from './pdf-page.js';
