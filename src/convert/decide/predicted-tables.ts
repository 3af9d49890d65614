/** A layout network's veto: what geometry takes for a table, and the network does not, is a form's fields, a chart's labels or a list more often than a table. */
import { shareWithin } from '../../geometry/box.js';
import type { Box } from '../../pdf/pdf-page.js';
import type { FoundTable } from '../page/found-table.js';
import { inkOf, wordsOf } from '../tables/network/extents.js';

/** Of a table's words' extent, what regions must cover for it to stay. */
const leastCovered = 0.2;

/** The tables that a layout network sees, too: those of which `regions` of the class table (points) cover enough. Only where it was asked. */
export function withoutUnseen(tables: FoundTable[], regions: Box[]): FoundTable[] {
  return tables.filter((table) => {
    const box = inkOf(wordsOf([table]));
    return regions.reduce((sum, region) => sum + shareWithin(box, region), 0) >= leastCovered;
  });
}
