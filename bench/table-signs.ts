/** What the table network reads where geometry sees no table, on drawn tables and on drawn pages: the signs by which it is known for a table, and whether it is one. models/training/tables/signs.py finds the signs' weights. */
import { extentsOf, inkOf, wordsOf } from '../src/convert/tables/network/extents.js';
import { tableByNetwork } from '../src/convert/tables/network/cells-of-table.js';
import { type CellFinder, findSureAndDoubtful } from '../src/convert/tables/index.js';
import { areasOf } from '../src/convert/tables/network/grown-areas.js';
import { signsOf } from '../src/convert/decide/geometry-or-network-cells.js';
import { zonesOf } from '../src/convert/tables/network/zones.js';
import { defaultConvertOptions } from '../src/convert/options.js';
import type { Box, PageContent, Word } from '../src/pdf/pdf-page.js';
import { sharedOf } from './region-f1.js';

/** A reading of words is a table from so much of intersection over union with one, and none below so much. */
const isOne = 0.7;
const isNone = 0.5;
/** Of a drawn table with so many rules, what geometry sees. */
const manyRules = 3;

export interface Sign {
  table: boolean;
  signs: Record<string, number>;
}

/**
 * Of the words that geometry takes for no table, as tablesByNetwork asks the network about them. `tables` are the page's true ones. A page that is one table by itself has no reading that is none, and all of it
 * counts, too, where it has hardly any rules.
 */
export async function signsOfPage(page: PageContent, tables: Box[], isTable: boolean, find: CellFinder): Promise<Sign[]> {
  const { signal } = new AbortController();
  const found = findSureAndDoubtful(page, defaultConvertOptions);
  const sure = new Set(wordsOf(found.tables));
  const candidates: Word[][] = zonesOf(found.tables, page);
  for (const { whole, members } of areasOf(extentsOf(found.tables, found.doubtful, page), found.tables, page)) {
    candidates.push(...members.filter(({ parts }) => parts.length === 0).map(({ loose }) => loose), ...(members.length > 1 || whole !== members[0] ? [[...wordsOf(whole.parts), ...whole.loose]] : []));
  }
  const asked = candidates.filter((words) => words.filter((word) => sure.has(word)).length < 0.5 * words.length);
  if (isTable && page.rulings.length < manyRules) asked.push(page.words);
  const signs: Sign[] = [];
  for (const words of asked) {
    const box = inkOf(words);
    const read = await tableByNetwork({ box, rowCount: 1, columnCount: 1, evidence: 'unruled', confidence: 1, cells: [{ row: 0, column: 0, rowSpan: 1, columnSpan: 1, columnHeader: false, rowHeader: false, words, box }] }, page, find, signal);
    const share = Math.max(0, ...tables.map((table) => sharedOf(box, table)));
    if (read !== null && (share > isOne || (!isTable && share < isNone))) signs.push({ table: share > isOne, signs: signsOf(read) });
  }
  return signs;
}
