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

/** A value that networks are still at work on. */
export interface Pending<Value> {
  /** False where no network was asked: finish() has nothing to wait for. */
  isPending: boolean;
  /** Waits for the networks and does the remaining work. To be called at most once; rejects as the networks do once the conversion is cancelled. */
  finish: () => Promise<Value>;
}

/**
 * Starts the networks on a page and does what geometry can do meanwhile. A network that fails leaves the page to geometry.
 */
export async function findRegions({ content: page, ...origin }: RecognisedPage, context: StepContext): Promise<Pending<PageRegions>> {
  const { options, ports, timings } = context;
  const { tableCells = null, layout = null, signal } = ports;
  const contents = options.doTableStructure ? findContents(page) : null;
  const found = findListings(page, contents);
  const { content, listings } = found;
  const asksLayout = layout !== null && options.tableMode !== 'fast';
  // Memory is asked for once for both networks, or neither could begin while this thread is busy. Where there is none, each network is refused by itself and reports it.
  const free = asksLayout ? await ports.holdNetworks?.(signal).catch(() => undefined) : undefined;
  const predicting = asksLayout ? predictLayout(page, layout, signal) : null;
  // It may fail before finish() waits for it.
  predicting?.catch(() => undefined);
  const asked = options.tableMode === 'fast' ? null : tableCells;
  let byGeometry: FoundTables;
  let byNetwork: Promise<FoundTable[]> | null = null;
  try {
    // The layout network is at work before this thread searches for tables.
    if (asksLayout) await setImmediate();
    const body = tableContent(found);
    byGeometry = timings.measure('find_tables', 'page', () => findSureAndDoubtful(body, options, asked !== null));
    if (asked !== null && byGeometry.tables.length + byGeometry.doubtful.length > 0) byNetwork = tablesByNetwork(byGeometry, body, asked, signal);
  } finally {
    void Promise.allSettled([predicting, byNetwork]).then(free);
  }
  const finish = async (): Promise<PageRegions> => {
    // The time that is measured is the wait.
    const prediction = predicting === null ? null : await orByGeometry(null, page.pageIndex, context, timings.measure('predict_layout', 'page', () => predicting));
    const tables = byNetwork === null ? byGeometry.tables : await orByGeometry(byGeometry.tables, page.pageIndex, context, timings.measure('find_table_cells', 'page', () => byNetwork));
    return { ...origin, content, contents, listings, tables: decideTables(tables, prediction, content), prediction };
  };
  return { isPending: predicting !== null || byNetwork !== null, finish };
}
