/** The table finder's door. */
export { findTables, tableWords } from './find.js';
