/** Long rulings outside tables and figures: horizontal separators, and vertical rules between columns. */
import type { Box } from '../../geometry/box.js';
import type { PageContent } from '../../pdf/pdf-page.js';
import type { ColumnRule, Separator } from '../page/regions.js';
import { sidePanels } from './panels.js';

function inside(x: number, y: number, boxes: Box[]): boolean {
  return boxes.some((box) => x >= box.left - 2 && x <= box.right + 2 && y >= box.top - 2 && y <= box.bottom + 2);
}

/** At most 100, from the top; `objects` are the boxes of tables and figures. */
export function findSeparators(content: PageContent, objects: Box[]): Separator[] {
  const separators: Separator[] = [];
  for (const ruling of content.rulings) {
    if (ruling.orientation !== 'horizontal' || ruling.end - ruling.start < 0.1 * content.width) continue;
    if (inside((ruling.start + ruling.end) / 2, ruling.position, objects)) continue;
    separators.push({ y: ruling.position, left: ruling.start, right: ruling.end });
    if (separators.length >= 100) break;
  }
  return separators;
}

/** The edges of panels at the sides of the page, and at most 60 vertical rulings; `objects` are the boxes of tables and figures. */
export function findColumnRules(content: PageContent, objects: Box[]): ColumnRule[] {
  const rules = content.rulings.filter(({ orientation, position, start, end }) => orientation === 'vertical' && end - start > 0.03 * content.height
    && position > 0.05 * content.width && position < 0.95 * content.width && !inside(position, (start + end) / 2, objects));
  return [...sidePanels(content.boxes, content.width, content.height), ...rules.slice(0, 60).map(({ position, start, end }) => ({ x: position, top: start, bottom: end }))];
}
