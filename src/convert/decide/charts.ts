/** Charts whose grid resembles that of a table: bars stand across its lines, or curves run over it, where the fills of cells keep to lines. */
import { shareWithin } from '../../geometry/box.js';
import type { Box, PageContent } from '../../pdf/pdf-page.js';
import type { FoundTable } from '../page/found-table.js';

/** Points: a bar reaches that far beyond a line on both sides, and ends that far from any. */
const beyond = 3;
const onLine = 1.5;
/** One may be a mark of a reviser. */
const leastBars = 2;
/** Of the box, how much of it a drawing takes. */
const leastDrawn = 0.4;

/** The tables without charts. */
export function withoutCharts(tables: FoundTable[], page: Pick<PageContent, 'boxes' | 'rulings' | 'drawings'>): FoundTable[] {
  return tables.filter((table) => !isChart(table.box, page));
}

function isChart(table: Box, { boxes, rulings, drawings }: Pick<PageContent, 'boxes' | 'rulings' | 'drawings'>): boolean {
  const lines = rulings.filter(({ orientation, position, start, end }) => orientation === 'horizontal' && position > table.top - onLine && position < table.bottom + onLine && start < table.right && end > table.left);
  if (lines.length < 3) return false;
  const bars = boxes.filter(({ box, fill }) => fill >= 0 && fill !== 0xffffff && isIn(box, table)
    && lines.some(({ position, start, end }) => position > box.top + beyond && position < box.bottom - beyond && start < box.left - beyond && end > box.right + beyond)
    && lines.every(({ position }) => Math.abs(position - box.top) > onLine));
  return bars.length >= leastBars || drawings.some((drawing) => shareWithin(table, drawing) > leastDrawn);
}

const isIn = (inner: Box, outer: Box): boolean => inner.left > outer.left - onLine && inner.right < outer.right + onLine && inner.top > outer.top - onLine && inner.bottom < outer.bottom + onLine;
