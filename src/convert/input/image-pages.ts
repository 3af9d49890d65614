/** Image files as pages: one picture that fills the page and no text. A TIFF has as many pages as it holds. */
import type { Bitmap } from '../../bitmap.js';
import { LecternError } from '../../errors.js';
import type { Box, PageContent } from '../../pdf/index.js';
import { decodeBmp } from './bmp.js';
import { sharp, type Metadata, type OutputInfo, type Sharp, type SharpOptions } from './image-library.js';
import { maxImagePixels, requireReadableSize } from './image-size.js';
import { imageType } from './input-format.js';
import { isSvg } from './svg.js';
import type { PageSource } from './page-source.js';

const maxPages = 10_000;

type Input = { data: Uint8Array; name: string; raw?: { width: number; height: number; channels: 4 } };

function input(bytes: Uint8Array, filename: string): Input {
  const name = nameOf(bytes, filename);
  const bitmap = decodeBmp(bytes, maxImagePixels, name);
  if (bitmap === null) return { data: bytes, name };
  return { data: bitmap.data, name, raw: { width: bitmap.width, height: bitmap.height, channels: 4 } };
}

/** The library's own limit gives no number: headers are read without it and checked here. */
function picture({ data, raw }: Input, page: number, { bounded = true, strict = false } = {}): Sharp {
  const options: SharpOptions = { limitInputPixels: bounded && maxImagePixels, failOn: strict ? 'truncated' : 'none', page };
  return sharp(data, raw === undefined ? options : { raw });
}

/** The subject of an error: "The GIF image", with the file's name if it is known. */
function nameOf(bytes: Uint8Array, filename: string): string {
  const kind = imageType(bytes)?.replace('image/', '').toUpperCase() ?? 'unknown';
  return filename === '' ? `The ${kind} image` : `The ${kind} image ${filename}`;
}

/** The image library's error in one line: `VipsJpeg: premature end of JPEG image`. */
function damageOf(thrown: unknown): string {
  const [first = ''] = (thrown as Error).message.replace(/^Input buffer has corrupt header: /, '').split('\n');
  return first.trim().slice(0, 200);
}

async function readSize(source: Input): Promise<{ width: number; height: number; pages: number }> {
  if (source.raw !== undefined) return { width: source.raw.width, height: source.raw.height, pages: 1 };
  const { width, height, pages, format } = await readHeader(source, 0, `${source.name} could not be read: it is damaged`);
  // Frames of an animation are not pages.
  return { width, height, pages: format === 'tiff' ? Math.min(pages ?? 1, maxPages) : 1 };
}

/** The properties of a page before any pixel is decoded. Rejects with `invalid_document` for damage (`failure`) or too many pixels. */
async function readHeader(source: Input, page: number, failure: string): Promise<{ width: number; height: number; pages: number | undefined; format: string }> {
  let header: Metadata;
  try {
    header = await picture(source, page, { bounded: false }).metadata();
  } catch (cause) {
    throw new LecternError('invalid_document', `${failure} (${damageOf(cause)}).`, { cause });
  }
  const { width, height } = header.autoOrient;
  requireReadableSize(width, height);
  return { width, height, pages: header.pages, format: header.format };
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
  /** Pages that were drawn in spite of damage, with a description of it. */
  readonly #damaged = new Map<number, string>();

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
    // More pixels than the file has add no detail.
    const scale = Math.min(1, dpi / 72);
    const draw = (strict: boolean): Promise<{ data: Buffer; info: OutputInfo }> => picture(this.#source, pageIndex, { strict }).autoOrient().extract(region)
      .resize({ width: Math.max(1, Math.round(region.width * scale)) }).flatten({ background: '#ffffff' }).toColorspace('srgb').ensureAlpha()
      .raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
    const { data, info } = await draw(!this.#damaged.has(pageIndex)).catch(async (first: unknown) => {
      // Draws the part before the damage, and reports the damage.
      this.#damaged.set(pageIndex, damageOf(first));
      return draw(false).catch((cause: unknown) => {
        throw new LecternError('invalid_document', `${this.#source.name} is damaged, and nothing of page ${pageIndex + 1} can be shown (${damageOf(cause)}).`, { cause });
      });
    });
    return { data, width: info.width, height: info.height, stride: info.width * 4 };
  }

  damage(pageIndex: number): string | null {
    const damage = this.#damaged.get(pageIndex);
    return damage === undefined ? null : `${this.#source.name} is damaged or ends early: only the undamaged part of page ${pageIndex + 1} was read (${damage}).`;
  }

  close(): void {
    this.#source.data = new Uint8Array(0);
  }

  async #size(pageIndex: number): Promise<{ width: number; height: number }> {
    if (this.#source.raw !== undefined) return this.#source.raw;
    return readHeader(this.#source, pageIndex, `Page ${pageIndex + 1} of ${this.#source.name.replace(/^The/, 'the')} could not be read`);
  }
}

/** Throws unless the bytes are a bitmap: only bitmaps reach the image library. */
function requireBitmap(bytes: Uint8Array, filename: string): void {
  if (bytes.length === 0) throw new LecternError('invalid_document', 'The file is empty.');
  if (imageType(bytes) !== null) return;
  const file = filename === '' ? 'The file' : `The file ${filename}`;
  if (isSvg(bytes)) throw new LecternError('unsupported_format', `${file} is an SVG drawing, whatever its name says; drawings are not converted, pictures are (PNG, JPEG, TIFF, WebP, GIF, BMP).`);
  throw new LecternError('invalid_document', `${file} could not be read as an image: it is damaged from its first bytes on, or of an unknown kind.`);
}

/** Opens an image file from its bytes; `filename` is for error messages. Rejects with LecternError `invalid_document`, `unsupported_format`. */
export async function openImage(bytes: Uint8Array, filename = ''): Promise<PageSource> {
  requireBitmap(bytes, filename);
  const source = input(bytes, filename);
  const { width, height, pages } = await readSize(source);
  if (!(width > 0 && height > 0)) throw new LecternError('invalid_document', 'The image has no pixels.');
  return new ImagePages(source, pages);
}
