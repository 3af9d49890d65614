/** Pages, whatever file they come from: what the page pipeline reads of them. */
import type { Bitmap } from '../../bitmap.js';
import type { Box } from '../../geometry/box.js';
import type { OutlineEntry, PageContent, QuarterTurn } from '../../pdf/pdf-page.js';

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
