/** Pages by their index in the document. */
import type { PageStructure } from '../../page/values.js';

/** `pages` may be some of the document's pages. Lookups are valid only for their indices. */
export function pagesByIndex(pages: PageStructure[]): (pageIndex: number) => PageStructure {
  const byIndex = new Map(pages.map((page) => [page.pageIndex, page]));
  return (pageIndex) => byIndex.get(pageIndex)!;
}
