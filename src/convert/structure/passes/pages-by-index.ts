/** Pages by their index in the document. */
import type { PageStructure } from '../../page/values.js';

/** The pages need not be all of the document's: only indices of `pages` may be asked for. */
export function pagesByIndex(pages: PageStructure[]): (pageIndex: number) => PageStructure {
  const byIndex = new Map(pages.map((page) => [page.pageIndex, page]));
  return (pageIndex) => byIndex.get(pageIndex)!;
}
