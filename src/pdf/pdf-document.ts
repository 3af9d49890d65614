/** An open PDF: the one door to the PDF engine. Pages are read one at a time and hold nothing when released. */
import type { Bitmap, OutlineEntry, PageContent, QuarterTurn } from './pdf-page.js';

export interface PdfMetadata {
  title: string;
  author: string;
  language: string;
  producer: string;
  tagged: boolean;
}

export interface PdfDocument {
  readonly pageCount: number;
  readonly metadata: PdfMetadata;
  outline(): OutlineEntry[];
  /** Throws LecternError `invalid_document` when the page cannot be read. Pages may be read in any order, more than once; with `turn`, as if the page stood turned by it. */
  readPage(pageIndex: number, turn?: QuarterTurn): PageContent;
  /** The page with annotations and form fields drawn, at `dpi`; white behind. */
  renderPage(pageIndex: number, dpi: number): Bitmap;
  /** One region of the page (points, top-left origin) at `dpi`, of the page turned by `turn`. */
  renderRegion(pageIndex: number, box: { left: number; top: number; right: number; bottom: number }, dpi: number, turn?: QuarterTurn): Bitmap;
  /** Frees the engine's memory; the object is unusable afterwards. */
  close(): void;
}
