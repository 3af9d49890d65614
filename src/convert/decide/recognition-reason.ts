/** Pages whose text is only to be seen: which they are, and what is said of one that cannot be read. */
import type { PageContent } from '../../pdf/pdf-page.js';
import { conversionError } from '../failures.js';
import type { ConvertOptions } from '../options.js';
import { isNoLanguage } from '../ocr/plausible.js';
import type { ConversionError } from '../result.js';

/**
 * Why a page is read from its picture: `scan` where pictures are all it has, `stamped` where a little text stands on a picture of a
 * page, `garbled` where the file does not tell what its letters are, `suspect` where they make no words, `forced` where the request wants it.
 */
export type PictureReason = 'scan' | 'stamped' | 'garbled' | 'suspect' | 'forced';

/** Share of the page that its pictures cover, 0..1. */
export function pictureCoverage(content: PageContent): number {
  let area = 0;
  for (const { box } of content.images) {
    const width = Math.min(box.right, content.width) - Math.max(box.left, 0);
    const height = Math.min(box.bottom, content.height) - Math.max(box.top, 0);
    if (width > 0 && height > 0) area += width * height;
  }
  return Math.min(1, area / Math.max(1, content.width * content.height));
}

/** Null where the page's own text is used, or it is blank. */
export function whyPicture(content: PageContent, options: ConvertOptions): PictureReason | null {
  if (!options.doOcr) return null;
  if (options.forceOcr) return 'forced';
  const coverage = pictureCoverage(content);
  if (content.characters < 8 && content.lines.length < 3) return coverage > 0.3 ? 'scan' : null;
  if (content.characters < 150 && coverage > 0.6 && !content.words.some((word) => word.invisible)) return 'stamped';
  if (content.characters > 40 && content.unmappedCharacters > 0.3 * content.characters) return 'garbled';
  return isNoLanguage(content.words) ? 'suspect' : null;
}

/** The error entry of a page that nobody could read. */
export function unreadPage(pageIndex: number, why: Exclude<PictureReason, 'suspect'>, reason: string): ConversionError {
  const what = {
    scan: 'has no text layer', stamped: 'is a picture with little text on it', garbled: 'has a text layer whose letters the file does not tell', forced: 'was to be read from its picture',
  }[why];
  const left = why === 'scan' ? 'it is kept as a picture' : 'its text layer is used as it is';
  return conversionError('model', 'text_recogniser', 'inference_failure', `Page ${pageIndex + 1} ${what}, and ${reason}: ${left}.`, pageIndex + 1);
}
