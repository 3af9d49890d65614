/** Opens files whose pages the page pipeline reads. */
import { openPdf } from '../../pdf/index.js';
import type { PageSource } from './page-source.js';

/** Opens a PDF or an image file. Rejects with LecternError `invalid_document` or `password_required`. */
export async function openPages(format: string, bytes: Uint8Array, password: string | null, filename = ''): Promise<PageSource> {
  if (format === 'image') return (await import('./image-pages.js')).openImage(bytes, filename);
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
