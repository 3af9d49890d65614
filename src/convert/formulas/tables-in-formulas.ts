/** Matrices and systems of equations that resemble tables without rulings. */
import type { FoundTable } from '../page/found-table.js';
import type { PageContent, Word } from '../../pdf/pdf-page.js';
import { isMathWord } from '../page/script-characters.js';
import { findFormulas } from './find.js';

/** The share of a table's characters in fonts of mathematics or in numbers from which it may be a formula. */
const mostlyMath = 0.5;

function isMathematical(words: Word[]): boolean {
  const count = (chosen: Word[]): number => chosen.reduce((sum, word) => sum + word.text.length, 0);
  return words.some(isMathWord) && count(words.filter((word) => isMathWord(word) || /^[\d\p{S}\p{P}]+$/u.test(word.text))) >= mostlyMath * count(words);
}

/** The tables without those whose words are all in one formula. Tables that the file tags or rules stay. */
export function withoutFormulas(tables: FoundTable[], content: PageContent, isTaken: (word: Word) => boolean): FoundTable[] {
  const doubtful = tables.filter((table) => (table.evidence === 'unruled' || table.evidence === 'partly-ruled') && isMathematical(table.cells.flatMap((cell) => cell.words)));
  if (doubtful.length === 0) return tables;
  const settled = new Set(tables.filter((table) => !doubtful.includes(table)).flatMap((table) => table.cells.flatMap((cell) => cell.words)));
  const formulas = findFormulas(content, (word) => isTaken(word) || settled.has(word)).map(({ words }) => new Set(words));
  return tables.filter((table) => !doubtful.includes(table) || !formulas.some((words) => table.cells.every((cell) => cell.words.every((word) => words.has(word)))));
}
