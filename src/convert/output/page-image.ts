/** Draws one page of a document for people to see, as WebP. */
import { readFile, writeFile } from 'node:fs/promises';
import { LecternError } from '../../errors.js';
import { detectFormat } from '../input/input-format.js';
import { openPages } from '../input/pages.js';

export interface PageImageRequest {
  inputPath: string;
  /** The client's name for the document: formats without marks of their own are found by it. */
  filename: string;
  outputPath: string;
  /** From 1. */
  pageNumber: number;
  /** Pixels. */
  width: number;
}

export interface PageImageOutcome {
  /** Pixels. */
  width: number;
  height: number;
}

/** Pixels of the longer side: a strip of paper is drawn narrower than it was asked for. */
const maxSide = 4096;
/** Of WebP: at 80 the edges of letters show no blocks at 1,000 pixels of width, and a page takes some 70 kB. */
const quality = 80;

/** Writes the image. Rejects with `unsupported_format` for a document without pages of its own, `not_found` for a page that there is not, and as openPages() does. */
export async function drawPageImage({ inputPath, filename, outputPath, pageNumber, width }: PageImageRequest): Promise<PageImageOutcome> {
  const bytes = await readFile(inputPath);
  const { name } = detectFormat(bytes, filename);
  if (name !== 'pdf' && name !== 'image') throw new LecternError('unsupported_format', 'Documents of this format have no pages that could be drawn.');
  const pages = await openPages(name, bytes, null, filename);
  try {
    if (pageNumber > pages.pageCount) throw new LecternError('not_found', `The document has ${pages.pageCount} pages.`);
    const size = await pages.readPage(pageNumber - 1);
    const scale = Math.min(width / size.width, maxSide / Math.max(size.width, size.height));
    const bitmap = await pages.render(pageNumber - 1, { left: 0, top: 0, right: size.width, bottom: size.height }, 72 * scale);
    const { sharp } = await import('../input/image-library.js');
    const whole = sharp(bitmap.data, { raw: { width: bitmap.stride / 4, height: bitmap.height, channels: 4 } });
    const image = whole.extract({ left: 0, top: 0, width: bitmap.width, height: bitmap.height }).removeAlpha();
    await writeFile(outputPath, await image.webp({ quality, effort: 2 }).toBuffer());
    return { width: bitmap.width, height: bitmap.height };
  } finally {
    pages.close();
  }
}
