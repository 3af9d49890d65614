/** Opens files whose pages the page pipeline reads. */
import { openPdf } from '../../pdf/index.js';
import type { ReadOptions } from '../../formats/index.js';
import type { PageSource } from './page-source.js';

const unwatched = { signal: new AbortController().signal, alive: (): void => undefined };

/** Opens a PDF, a DjVu or an image file. Rejects with LecternError `invalid_document`, `password_required`, `unsupported_format`. */
export async function openPages(format: string, bytes: Uint8Array, password: string | null, filename = '', running: Pick<ReadOptions, 'signal' | 'alive'> = unwatched): Promise<PageSource> {
  if (format === 'djvu') return (await import('./djvu-pages.js')).openDjvu(bytes, running);
  if (format === 'image') return (await import('./image-pages.js')).openImage(await (await import('./foreign-pictures.js')).readablePicture(bytes, running), filename);
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
