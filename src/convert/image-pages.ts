/** Image files as pages: one picture that fills the page and no text. A TIFF has as many pages as it holds. */
import sharp from 'sharp';
import type { Sharp, SharpOptions } from 'sharp';
import type { Bitmap } from '../bitmap.js';
import { LecternError } from '../errors.js';
import type { Box, PageContent } from '../pdf/index.js';
import { decodeBmp } from './bmp.js';
import type { PageSource } from './pages.js';

/** Pixels; about 20 times a page at 150 dpi. A larger picture is a bomb or a map, and neither is a page. */
const maxPixels = 100_000_000;
const maxPages = 10_000;

type Input = { data: Uint8Array; raw?: { width: number; height: number; channels: 4 } };

function input(bytes: Uint8Array): Input {
  const bitmap = decodeBmp(bytes, maxPixels);
  if (bitmap === null) return { data: bytes };
  return { data: bitmap.data, raw: { width: bitmap.width, height: bitmap.height, channels: 4 } };
}

function picture({ data, raw }: Input, page: number): Sharp {
  const options: SharpOptions = { limitInputPixels: maxPixels, failOn: 'none', page };
  return sharp(data, raw === undefined ? options : { raw });
}

async function readSize(source: Input): Promise<{ width: number; height: number; pages: number }> {
  if (source.raw !== undefined) return { width: source.raw.width, height: source.raw.height, pages: 1 };
  try {
    const { autoOrient, pages, format } = await picture(source, 0).metadata();
    // Frames of an animation are not pages.
    return { width: autoOrient.width, height: autoOrient.height, pages: format === 'tiff' ? Math.min(pages ?? 1, maxPages) : 1 };
  } catch (cause) {
    throw new LecternError('invalid_document', 'The image could not be read: it is damaged, too large or of an unknown kind.', { cause });
  }
}

function emptyPage(pageIndex: number, width: number, height: number): PageContent {
  return {
    pageIndex, width, height, rotation: 0, words: [], lines: [], rulings: [], boxes: [], drawings: [], links: [], structure: [],
    images: [{ box: { left: 0, top: 0, right: width, bottom: height }, width, height, object: 0 }],
    hidden: { outsidePage: 0, clipped: 0, covered: 0, sameColor: 0, hiddenLayer: 0, invisible: 0 }, unmappedCharacters: 0, characters: 0,
  };
}

class ImagePages implements PageSource {
  readonly pageCount: number;
  readonly title = '';
  readonly #source: Input;

  constructor(source: Input, pageCount: number) {
    this.#source = source;
    this.pageCount = pageCount;
  }

  outline(): [] {
    return [];
  }

  /** A page is as many points wide as the picture has pixels. */
  async readPage(pageIndex: number): Promise<PageContent> {
    const { width, height } = await this.#size(pageIndex);
    return emptyPage(pageIndex, width, height);
  }

  async render(pageIndex: number, box: Box, dpi: number): Promise<Bitmap> {
    const { width, height } = await this.#size(pageIndex);
    const left = Math.max(0, Math.floor(box.left));
    const top = Math.max(0, Math.floor(box.top));
    const region = { left, top, width: Math.max(1, Math.min(width, Math.ceil(box.right)) - left), height: Math.max(1, Math.min(height, Math.ceil(box.bottom)) - top) };
    // More pixels than the file has show nothing more.
    const scale = Math.min(1, dpi / 72);
    const { data, info } = await picture(this.#source, pageIndex).autoOrient().extract(region)
      .resize({ width: Math.max(1, Math.round(region.width * scale)) }).flatten({ background: '#ffffff' }).toColorspace('srgb').ensureAlpha()
      .raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
    return { data, width: info.width, height: info.height, stride: info.width * 4 };
  }

  close(): void {
    this.#source.data = new Uint8Array(0);
  }

  async #size(pageIndex: number): Promise<{ width: number; height: number }> {
    if (this.#source.raw !== undefined) return this.#source.raw;
    try {
      const { autoOrient } = await picture(this.#source, pageIndex).metadata();
      return autoOrient;
    } catch (cause) {
      throw new LecternError('invalid_document', `Page ${pageIndex + 1} of the image could not be read.`, { cause });
    }
  }
}

/** Opens an image file from its bytes. Rejects with LecternError `invalid_document`. */
export async function openImage(bytes: Uint8Array): Promise<PageSource> {
  if (bytes.length === 0) throw new LecternError('invalid_document', 'The file is empty.');
  const source = input(bytes);
  const { width, height, pages } = await readSize(source);
  if (!(width > 0 && height > 0)) throw new LecternError('invalid_document', 'The image has no pixels.');
  return new ImagePages(source, pages);
}
