/** The pages of any file, as the page pipeline reads them. */
import type { Bitmap } from '../../bitmap.js';
import type { Box } from '../../geometry/box.js';
import type { OutlineEntry, PageContent, QuarterTurn } from '../../pdf/pdf-page.js';

export interface PageSource {
  readonly pageCount: number;
  readonly title: string;
  outline(): OutlineEntry[];
  /** Throws LecternError `invalid_document` if the page cannot be read. */
  readPage(pageIndex: number): Promise<PageContent> | PageContent;
  /** A region of the page, in its points. */
  render(pageIndex: number, box: Box, dpi: number): Promise<Bitmap> | Bitmap;
  /** The same pages rotated clockwise; absent if the format cannot contain rotated text. */
  turned?(turn: QuarterTurn): Pick<PageSource, 'readPage' | 'render' | 'damage'>;
  /** The damage of a page that was drawn nevertheless: a sentence, or null. */
  damage?(pageIndex: number): string | null;
  close(): void;
}
