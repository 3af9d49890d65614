/** Whether a page must be recognised from its picture, and why. */
import type { PageContent } from '../../pdf/pdf-page.js';
import { isNoLanguage } from '../ocr/plausible.js';
import type { ConvertOptions } from '../options.js';
import { pictureCoverage } from '../page/picture-coverage.js';
import type { RecognitionReason } from '../page/recognition-reason.js';

/** Letters drawn as paths: a page with fewer is a drawing with a caption in it; a page with this many times its characters is text as outlines with a few real words, such as a page number. */
const leastOutlined = 60;
const mostlyOutlined = 8;

/** Null where the page's own text is used, or the page is blank. */
export function recognitionReason(content: PageContent, options: Pick<ConvertOptions, 'doOcr' | 'forceOcr'>): RecognitionReason | null {
  if (!options.doOcr) return null;
  if (options.forceOcr) return 'forced';
  const coverage = pictureCoverage(content);
  const outlined = (content.outlinedLetters ?? 0) >= leastOutlined;
  if (content.characters < 8 && content.lines.length < 3) return coverage > 0.3 ? 'scan' : outlined ? 'outlines' : null;
  if (outlined && (content.outlinedLetters ?? 0) > mostlyOutlined * content.characters && !content.words.some((word) => word.invisible)) return 'outlines';
  if (content.characters < 150 && coverage > 0.6 && !content.words.some((word) => word.invisible)) return 'stamped';
  if (content.characters > 40 && content.unmappedCharacters > 0.3 * content.characters) return 'garbled';
  return isNoLanguage(content.words) ? 'suspect' : null;
}
