/** An open PDF: the only interface to the PDF engine. Pages are read one at a time and hold no memory after their release. */
import type { PagePaint } from './page-paint.js';
import type { Bitmap, OutlineEntry, PageContent, QuarterTurn, WordTrace } from './pdf-page.js';

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
  /** Throws LecternError `invalid_document` if the page cannot be read. Pages may be read in any order and repeatedly; with `turn`, as if the page were rotated by it; `trace` receives each word with its characters. */
  readPage(pageIndex: number, turn?: QuarterTurn, trace?: WordTrace): PageContent;
  /** Characters and paths with their colours, before any correction: for the training data, which finds the source of each character by its colour. */
  readPaint(pageIndex: number, withPaths: boolean, turn?: QuarterTurn): PagePaint;
  /** The page with annotations and form fields, at `dpi`, on white. */
  renderPage(pageIndex: number, dpi: number): Bitmap;
  /** One region of the page (points, origin at the top left) at `dpi`, of the page rotated by `turn`. */
  renderRegion(pageIndex: number, box: { left: number; top: number; right: number; bottom: number }, dpi: number, turn?: QuarterTurn): Bitmap;
  /** Frees the engine's memory; the object must not be used afterwards. */
  close(): void;
}
