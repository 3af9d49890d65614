/** The most pixels of an image: a larger one is a decompression bomb or a map, not a page. */
import { LecternError } from '../../errors.js';

/** About 50 times a page at 150 dpi. */
export const maxImagePixels = 100_000_000;

/** Throws LecternError `invalid_document` with the numbers if there are more than `most`. */
export function requireReadableSize(width: number, height: number, most = maxImagePixels): void {
  if (width * height <= most) return;
  const [across, down, bound] = [width, height, most].map((count) => count.toLocaleString('en-US'));
  throw new LecternError('invalid_document', `The image has ${across} x ${down} pixels, more than the ${bound} that are read.`);
}
