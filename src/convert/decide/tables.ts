/** Which of the tables found on a page stay: charts (charts.ts), fractions (fraction-grids.ts) and tables that the layout network predicts to be none (layout-network-veto.ts) do not. */
import type { PageContent } from '../../pdf/pdf-page.js';
import type { FoundTable } from '../page/found-table.js';
import type { LayoutPrediction } from '../page/layout-prediction.js';
import { withCentredLabels } from '../tables/centred-labels.js';
import { withoutCharts } from './charts.js';
import { withoutFractions } from './fraction-grids.js';
import { withPredictedTables } from './layout-network-veto.js';

/** The tables that remain, with labels between two rows as cells over both. */
export function decideTables(found: FoundTable[], prediction: LayoutPrediction | null, content: PageContent): FoundTable[] {
  const predicted = prediction === null ? found : withPredictedTables(found, prediction);
  return withCentredLabels(withoutFractions(withoutCharts(predicted, content), content));
}
