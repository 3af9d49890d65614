/** The share of a page that pictures cover. */
import type { PageContent } from '../../pdf/pdf-page.js';

/** Share of the page that its pictures cover, 0..1. */
export function pictureCoverage(content: PageContent): number {
  let area = 0;
  for (const { box } of content.images) {
    const width = Math.min(box.right, content.width) - Math.max(box.left, 0);
    const height = Math.min(box.bottom, content.height) - Math.max(box.top, 0);
    if (width > 0 && height > 0) area += width * height;
  }
  return Math.min(1, area / Math.max(1, content.width * content.height));
}
