/** Long rulings outside tables and figures: horizontal separators, and vertical rules between columns. */
import { containsPoint } from '../../geometry/box.js';
import type { Box } from '../../geometry/box.js';
import type { PageContent } from '../../pdf/pdf-page.js';
import type { ColumnRule, Separator } from '../page/regions.js';
import { sidePanels } from './panels.js';

/** Shares of the page's width and height: the shortest separator, the shortest vertical ruling, and the margin in which no ruling separates columns. */
const least = { separator: 0.1, columnRule: 0.03, margin: 0.05 };
/** A page with more has a drawing or a table. */
const most = { separators: 100, columnRules: 60 };

function inside(x: number, y: number, boxes: Box[]): boolean {
  return boxes.some((box) => containsPoint(box, x, y, 2));
}

/** At most 100, from the top; `objects` are the boxes of tables and figures. */
export function findSeparators(content: PageContent, objects: Box[]): Separator[] {
  const separators: Separator[] = [];
  for (const ruling of content.rulings) {
    if (ruling.orientation !== 'horizontal' || ruling.end - ruling.start < least.separator * content.width) continue;
    if (inside((ruling.start + ruling.end) / 2, ruling.position, objects)) continue;
    separators.push({ y: ruling.position, left: ruling.start, right: ruling.end });
    if (separators.length >= most.separators) break;
  }
  return separators;
}

/** The edges of panels at the sides of the page, and at most 60 vertical rulings; `objects` are the boxes of tables and figures. */
export function findColumnRules(content: PageContent, objects: Box[]): ColumnRule[] {
  const rules = content.rulings.filter(({ orientation, position, start, end }) => orientation === 'vertical' && end - start > least.columnRule * content.height
    && position > least.margin * content.width && position < (1 - least.margin) * content.width && !inside(position, (start + end) / 2, objects));
  return [...sidePanels(content.boxes, content.width, content.height), ...rules.slice(0, most.columnRules).map(({ position, start, end }) => ({ x: position, top: start, bottom: end }))];
}
