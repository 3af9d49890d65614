/** Fourth step of a page: makes text lines and tables without words, figures and separators. */
import type { Word } from '../../pdf/pdf-page.js';
import { withProposedFigures } from '../decide/figure-proposals.js';
import { findFormulas } from '../formulas/find.js';
import { withoutFormulas } from '../formulas/tables-in-formulas.js';
import { cardRows } from '../layout/cards.js';
import { findFigures, withAxisTitles } from '../layout/figures.js';
import { textPanels } from '../layout/panels.js';
import { findColumnRules, findSeparators } from '../layout/separators.js';
import { textLinesOf } from '../layout/make-text-lines.js';
import { tableOfPage } from '../page/page-table.js';
import { pictureCoverage } from '../page/picture-coverage.js';
import type { PageRegions, PageStructure } from '../page/values.js';

/** No text line contains words of tables or of tables of contents. */
export function structurePage(regions: PageRegions): PageStructure {
  const { content, contents, listings, prediction, ...origin } = regions;
  const taken = new Set<Word>(listings.flat(2));
  const tables = withoutFormulas(regions.tables, content, (word) => taken.has(word));
  for (const table of tables) for (const cell of table.cells) for (const word of cell.words) taken.add(word);
  const formulas = findFormulas(content, (word) => taken.has(word));
  for (const formula of formulas) for (const word of formula.words) taken.add(word);
  const pieces = textLinesOf(content, { taken, formulas, listings, prediction });
  const tablesOfContents = contents?.tables ?? [];
  const tableBoxes = [...tables, ...tablesOfContents].map((table) => table.box);
  const notFigures = [...tableBoxes, ...formulas.map(({ box }) => box)];
  const figures = withAxisTitles(withProposedFigures(findFigures(content, notFigures, pieces), prediction, notFigures, pieces), tableBoxes, pieces);
  const objects = [...tableBoxes, ...figures.map((figure) => figure.box)];
  return {
    ...origin,
    pageIndex: content.pageIndex,
    width: content.width,
    height: content.height,
    pieces,
    tables: [...tablesOfContents.map((table) => tableOfPage(table, content.links, true)), ...tables.map((table) => tableOfPage(table, content.links, false))],
    figures,
    separators: findSeparators(content, objects),
    columnRules: findColumnRules(content, objects),
    cardRows: cardRows(content.boxes, pieces, objects),
    panels: textPanels(content.boxes),
    hidden: content.hidden,
    characters: content.characters,
    unmappedCharacters: content.unmappedCharacters,
    pictureCoverage: pictureCoverage(content),
  };
}
