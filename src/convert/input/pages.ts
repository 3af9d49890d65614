/** Pages, whatever file they come from: what the pipeline reads of them. */
import type { Bitmap } from '../../bitmap.js';
import { openPdf } from '../../pdf/index.js';
import type { Box, OutlineEntry, PageContent, QuarterTurn } from '../../pdf/index.js';

export interface PageSource {
  readonly pageCount: number;
  readonly title: string;
  outline(): OutlineEntry[];
  /** Throws LecternError `invalid_document` when the page cannot be read. */
  readPage(pageIndex: number): Promise<PageContent> | PageContent;
  /** A region of the page, in its points. */
  render(pageIndex: number, box: Box, dpi: number): Promise<Bitmap> | Bitmap;
  /** The same pages turned clockwise; absent where no text can stand turned on them. */
  turned?(turn: QuarterTurn): Pick<PageSource, 'readPage' | 'render' | 'damage'>;
  /** What was wrong with a page that was drawn all the same: a sentence, or null. */
  damage?(pageIndex: number): string | null;
  close(): void;
}

/** Opens a PDF or an image file. Rejects with LecternError `invalid_document` or `password_required`. */
export async function openPages(format: string, bytes: Uint8Array, password: string | null): Promise<PageSource> {
  if (format === 'image') return (await import('./image-pages.js')).openImage(bytes);
  const pdf = await openPdf(bytes, { password });
  return {
    pageCount: pdf.pageCount,
    title: pdf.metadata.title,
    outline: () => pdf.outline(),
    readPage: (pageIndex) => pdf.readPage(pageIndex),
    render: (pageIndex, box, dpi) => pdf.renderRegion(pageIndex, box, dpi),
    turned: (turn) => ({ readPage: (pageIndex) => pdf.readPage(pageIndex, turn), render: (pageIndex, box, dpi) => pdf.renderRegion(pageIndex, box, dpi, turn) }),
    close: () => pdf.close(),
  };
}
