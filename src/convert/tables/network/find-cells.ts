/** Tables of a page by the network: selects the words for it, and decides where its cells replace those of geometry. */
import { unionBox } from '../../../geometry/box.js';
import type { PageContent, Word } from '../../../pdf/pdf-page.js';
import { isBetter, isInOrder, isWrapped, leavesFewerDoubts, seemsTable } from '../../decide/geometry-or-network-cells.js';
import { doubtsOf } from '../../decide/table-doubts.js';
import type { FoundTable, TableCell } from '../../page/found-table.js';
import { fromTop, lastOf, rowsByBaseline } from '../../page/group-by-baseline.js';
import { baselineTolerances } from '../../page/tolerances.js';
import type { FoundTables } from '../find.js';
import type { CellFinder } from './cell-finder.js';
import { tableByNetwork } from './cells-of-table.js';
import { extentsOf, inkOf, isSettled, wordsOf, type Extent } from './extents.js';
import { areasOf, type Area } from './grown-areas.js';
import { zonesOf } from './zones.js';

/** Geometry's confidence in tables that it did not find; doubtful ones have at least this confidence. */
const unseen = 0.1;

/** Share of an area's words that are in tables without it: below this share the area must be a table by itself. */
const leastHeld = 0.5;

/**
 * The tables of a page, from the top. Geometry's tables get the network's cells if these leave fewer doubts, or about as few with a high score. Torn tables are joined, with words that geometry left out.
 * Doubtful areas become tables if the network's result has no faults or resembles a table.
 */
export async function tablesByNetwork({ tables, doubtful }: FoundTables, page: PageContent, find: CellFinder, signal: AbortSignal): Promise<FoundTable[]> {
  const done = tables.filter(isSettled);
  for (const area of areasOf(extentsOf(tables, doubtful, page), tables, page)) done.push(...(await readArea(area, page, find, signal)));
  const whole = await withZones(done, page, find, signal);
  return whole.sort((a, b) => a.box.top - b.box.top || a.box.left - b.box.left);
}

/** Adds tables of wrapped text whose words hardly any table contains. */
async function withZones(tables: FoundTable[], page: PageContent, find: CellFinder, signal: AbortSignal): Promise<FoundTable[]> {
  let done = tables;
  for (const words of zonesOf(tables, page)) {
    const own = new Set(words);
    const met = done.filter((table) => wordsOf([table]).some((word) => own.has(word)));
    const held = wordsOf(met);
    const isHeld = held.length >= leastHeld * words.length;
    if ((isHeld && met.length < 2) || held.some((word) => !own.has(word))) continue;
    const read = await tableByNetwork(gathered({ parts: [], loose: words, box: inkOf(words), confidence: unseen }), page, find, signal);
    if (read === null || !isWrapped(read)) continue;
    if (isHeld && !leavesFewerDoubts(read, doubtsOfAll({ parts: met, loose: words.filter((word) => !held.includes(word)) }), 0)) continue;
    done = [...done.filter((table) => !met.includes(table)), read];
  }
  return done;
}

/** Joins the area to one table if the network's result for the whole leaves fewer doubts than the results for its parts with their remaining words. */
async function readArea({ whole, members }: Area, page: PageContent, find: CellFinder, signal: AbortSignal): Promise<FoundTable[]> {
  const apart: FoundTable[] = [];
  for (const member of members) apart.push(...(await readExtent(member, page, find, signal)));
  if (members.length === 1 && whole === members[0]) return apart;
  const read = await tableByNetwork(gathered(whole), page, find, signal);
  if (read === null) return apart;
  const held = new Set(wordsOf(apart));
  const all = wordsOf([read]);
  if (held.size < leastHeld * all.length && !seemsTable(read)) return apart;
  return leavesFewerDoubts(read, doubtsOfAll({ ...whole, parts: apart, loose: all.filter((word) => !held.has(word)) })) ? [read] : apart;
}

async function readExtent(extent: Extent, page: PageContent, find: CellFinder, signal: AbortSignal): Promise<FoundTable[]> {
  const { parts, loose } = extent;
  const [only] = parts;
  const whole = parts.length === 1 && only !== undefined && loose.length === 0 ? only : gathered(extent);
  const read = await tableByNetwork(whole, page, find, signal);
  if (parts.length === 0) return read !== null && (seemsTable(read) || isWrapped(read) || (extent.confidence >= unseen && isInOrder(read))) ? [read] : [];
  if (read !== null && isBetter(read, doubtsOfAll(extent))) return [read];
  if (whole === only) return parts;
  const done: FoundTable[] = [];
  for (const part of parts) {
    const own = await tableByNetwork(part, page, find, signal);
    done.push(own !== null && isBetter(own, doubtsOf(part)) ? own : part);
  }
  return done;
}

/** All words of an extent as one table without cells. */
function gathered({ parts, loose, box, confidence }: Extent): FoundTable {
  const cells = parts.flatMap((part) => part.cells);
  const rest: TableCell = { row: 0, column: 0, rowSpan: 1, columnSpan: 1, columnHeader: false, rowHeader: false, words: loose, box };
  const boxes = [box, ...parts.map((part) => part.box)];
  return { box: unionBox(boxes), rowCount: 1, columnCount: 1, evidence: parts.some(({ evidence }) => evidence !== 'unruled') ? 'partly-ruled' : 'unruled', confidence, cells: [...cells, rest] };
}

/** The doubts of the parts as geometry has them: one for each tear, and one for each remaining line of text. */
function doubtsOfAll({ parts, loose }: Pick<Extent, 'parts' | 'loose'>): number {
  const filled = parts.map(({ cells }) => cells.filter(({ words }) => words.length > 0).length);
  const odd = parts.reduce((sum, part, at) => sum + doubtsOf(part) * (filled[at] ?? 0), 0) + 2 * (parts.length - 1) + linesIn(loose);
  return odd / Math.max(1, filled.reduce((sum, count) => sum + count, 0));
}

function linesIn(words: Word[]): number {
  return rowsByBaseline(fromTop(words), baselineTolerances.pageRow, lastOf).length;
}
