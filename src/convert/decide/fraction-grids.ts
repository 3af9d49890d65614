/** Fractions beside each other resemble the rows and columns of a table: numerators, operators, denominators. */
import { fractionsOf } from '../../pdf/index.js';
import type { PageContent } from '../../pdf/pdf-page.js';
import type { FoundTable } from '../page/found-table.js';
import { isSettled, wordsOf } from '../tables/network/extents.js';

/** Of a table's words, how many may be parts of fractions or stand right beside one. */
const mostParts = 0.5;

/** The tables that are more than fractions; rules all around, or the file itself, say that one is a table in any case. */
export function withoutFractions(tables: FoundTable[], { lines, rulings }: Pick<PageContent, 'lines' | 'rulings'>): FoundTable[] {
  if (tables.every(isSettled)) return tables;
  const parts = new Set(fractionsOf(lines, rulings).flatMap(({ over, under, beside }) => [...over, ...under, beside]));
  return tables.filter((table) => {
    const words = wordsOf([table]);
    return isSettled(table) || words.filter((word) => parts.has(word)).length <= mostParts * words.length;
  });
}
