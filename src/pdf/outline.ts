/** The document's outline (bookmarks), flat, in order. */
import type { OutlineEntry } from './pdf-page.js';
import type { Pdfium } from './pdfium.js';

const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 32;

/** `toSeenY` gives a page's y on the seen page from a point in the page's own space, or -1. */
export function readOutline(pdfium: Pdfium, document: number, toSeenY: (pageIndex: number, x: number, y: number) => number): OutlineEntry[] {
  const { call, scratch } = pdfium;
  const entries: OutlineEntry[] = [];
  const seen = new Set<number>();
  const visit = (parent: number, depth: number): void => {
    let bookmark = call.FPDFBookmark_GetFirstChild(document, parent);
    while (bookmark !== 0 && entries.length < MAX_ENTRIES && !seen.has(bookmark)) {
      seen.add(bookmark);
      const current = bookmark;
      const title = pdfium.readString((buffer, size) => call.FPDFBookmark_GetTitle(current, buffer, size), 'utf16le');
      entries.push({ title: title.replace(/[\p{Cc}\s]+/gu, ' ').trim(), depth, ...target(current) });
      if (depth + 1 < MAX_DEPTH) visit(bookmark, depth + 1);
      bookmark = call.FPDFBookmark_GetNextSibling(document, bookmark);
    }
  };
  const target = (bookmark: number): { pageIndex: number; y: number } => {
    let destination = call.FPDFBookmark_GetDest(document, bookmark);
    if (destination === 0) {
      const action = call.FPDFBookmark_GetAction(bookmark);
      destination = action === 0 ? 0 : call.FPDFAction_GetDest(document, action);
    }
    const pageIndex = destination === 0 ? -1 : call.FPDFDest_GetDestPageIndex(document, destination);
    if (pageIndex < 0) return { pageIndex: -1, y: -1 };
    const known = call.FPDFDest_GetLocationInPage(destination, scratch, scratch + 4, scratch + 8, scratch + 12, scratch + 16, scratch + 20) !== 0;
    const at = scratch >> 2;
    if (!known || pdfium.i32[at + 1] === 0) return { pageIndex, y: -1 };
    return { pageIndex, y: toSeenY(pageIndex, pdfium.f32[at + 3] ?? 0, pdfium.f32[at + 4] ?? 0) };
  };
  visit(0, 0);
  return entries;
}
