/** Third step of a page: its tables of contents, listings and tables, and the layout network's prediction. */
import { setImmediate } from 'node:timers/promises';
import { decideTables } from '../decide/tables.js';
import { findContents } from '../layout/contents.js';
import { findListings, tableContent } from '../layout/listings.js';
import { predictLayout } from '../layout-network/prediction.js';
import type { FoundTable } from '../page/found-table.js';
import type { PageRegions, RecognisedPage } from '../page/values.js';
import { findSureAndDoubtful, tablesByNetwork } from '../tables/index.js';
import type { FoundTables } from '../tables/index.js';
import { orByGeometry } from './step-context.js';
import type { StepContext } from './step-context.js';

/** A value that networks have not finished. */
export interface Pending<Value> {
  /** False if no network runs: finish() has nothing to wait for. */
  isPending: boolean;
  /** Waits for the networks and does the remaining work. May be called once; rejects as the networks do after the conversion is cancelled. */
  finish: () => Promise<Value>;
}

/**
 * Starts the networks on a page and runs geometry meanwhile. If a network fails, geometry alone processes the page.
 */
export async function findRegions({ content: page, ...origin }: RecognisedPage, context: StepContext): Promise<Pending<PageRegions>> {
  const { options, ports, timings } = context;
  const { tableCells = null, layout = null, signal } = ports;
  const contents = options.doTableStructure ? findContents(page) : null;
  const found = findListings(page, contents);
  const { content, listings } = found;
  const asksLayout = layout !== null && options.tableMode !== 'fast';
  // Reserves memory once for both networks, because otherwise neither could begin while this thread is busy. Without memory each network is refused separately and reports it.
  const free = asksLayout ? await ports.holdNetworks?.(signal).catch(() => undefined) : undefined;
  const predicting = asksLayout ? predictLayout(page, layout, signal) : null;
  // It may fail before finish() waits for it.
  predicting?.catch(() => undefined);
  const asked = options.tableMode === 'fast' ? null : tableCells;
  let byGeometry: FoundTables;
  let byNetwork: Promise<FoundTable[]> | null = null;
  try {
    // The layout network runs before this thread searches for tables.
    if (asksLayout) await setImmediate();
    const body = tableContent(found);
    byGeometry = timings.measure('find_tables', 'page', () => findSureAndDoubtful(body, options, asked !== null));
    if (asked !== null && byGeometry.tables.length + byGeometry.doubtful.length > 0) byNetwork = tablesByNetwork(byGeometry, body, asked, signal);
  } finally {
    void Promise.allSettled([predicting, byNetwork]).then(free);
  }
  const finish = async (): Promise<PageRegions> => {
    // The measured time is the wait.
    const prediction = predicting === null ? null : await orByGeometry(null, page.pageIndex, context, timings.measure('predict_layout', 'page', () => predicting));
    const tables = byNetwork === null ? byGeometry.tables : await orByGeometry(byGeometry.tables, page.pageIndex, context, timings.measure('find_table_cells', 'page', () => byNetwork));
    return { ...origin, content, contents, listings, tables: decideTables(tables, prediction, content), prediction };
  };
  return { isPending: predicting !== null || byNetwork !== null, finish };
}
