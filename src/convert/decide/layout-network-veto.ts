/** The layout network's veto on tables: drops a table of geometry that the network predicts to be none. Such a table is more often the fields of a form, the labels of a chart or a list. */
import { shareWithin } from '../../geometry/box.js';
import type { Box } from '../../geometry/box.js';
import type { FoundTable } from '../page/found-table.js';
import type { LayoutPrediction } from '../page/layout-prediction.js';
import { inkOf, wordsOf } from '../tables/network/extents.js';

/** Share of the extent of a table's words that regions must cover for the table to stay. */
const leastCovered = 0.2;
/** Geometry's confidence in rows with rulings or fills from which such a table stays, also where the layout network predicts none. */
const sureOfTable = 0.99;

/** The tables of which `regions` of the class table (points) cover enough. Only where the network was asked. */
export function coveredTables(tables: FoundTable[], regions: Box[]): FoundTable[] {
  return tables.filter((table) => {
    const box = inkOf(wordsOf([table]));
    return regions.reduce((sum, region) => sum + shareWithin(box, region), 0) >= leastCovered;
  });
}

/** The tables that the layout network predicts, too. Ruled tables stay, and so do tables with words that the network was not given. */
export function withPredictedTables(tables: FoundTable[], { regions, lines }: LayoutPrediction): FoundTable[] {
  const covered = new Set(coveredTables(tables, regions.filter(({ label }) => label === 'table')));
  const isSure = ({ evidence, confidence }: FoundTable): boolean => evidence === 'ruled' || evidence === 'partly-ruled' && confidence >= sureOfTable;
  return tables.filter((table) => covered.has(table) || isSure(table) || table.cells.some(({ words }) => words.some((word) => !lines.has(word))));
}
