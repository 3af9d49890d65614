/** The document's outline (bookmarks), flat, in order. */
import type { OutlineEntry } from './pdf-page.js';
import type { Pdfium } from './pdfium.js';

const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 32;
/** Out parameters of FPDFDest_GetLocationInPage: whether x, y and zoom are present, then their values. */
const LOCATION = { hasX: 0, hasY: 1, hasZoom: 2, x: 3, y: 4, zoom: 5 };

/** `toSeenY` maps a point in a page's user space to y on the displayed page, or to -1. */
export function readOutline(pdfium: Pdfium, document: number, toSeenY: (pageIndex: number, x: number, y: number) => number): OutlineEntry[] {
  const { call } = pdfium;
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
    const { hasX, hasY, hasZoom, x, y, zoom } = LOCATION;
    const out = [hasX, hasY, hasZoom, x, y, zoom].map((place) => pdfium.out32(place));
    const known = call.FPDFDest_GetLocationInPage(destination, ...out) !== 0;
    if (!known || pdfium.int(hasY) === 0) return { pageIndex, y: -1 };
    return { pageIndex, y: toSeenY(pageIndex, pdfium.float(x), pdfium.float(y)) };
  };
  visit(0, 0);
  return entries;
}
