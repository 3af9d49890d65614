/** Pictures and page images as PNG files below the output directory. */
import { heightOf, widthOf } from '../../geometry/box.js';
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bitmap } from '../../bitmap.js';
import type { DoclingDocument, ImageRef } from '../../document/model.js';
import { LecternError } from '../../errors.js';
import type { FoundPicture } from '../../formats/index.js';
import { imageType } from '../input/input-format.js';
import type { PageSource } from '../input/page-source.js';
import type { PlacedPicture } from '../structure/assemble.js';

/** The first requested picture loads the library. */
const loadSharp = async () => (await import('../input/image-library.js')).sharp;

/** Pixels of one side; a poster at the highest scale would take gigabytes. */
const maxSide = 8192;
const maxPixels = 100_000_000;

async function encode(bitmap: Bitmap): Promise<Buffer> {
  const rows = bitmap.stride / 4;
  const sharp = await loadSharp();
  let image = sharp(bitmap.data, { raw: { width: rows, height: bitmap.height, channels: 4 } });
  if (rows !== bitmap.width) image = image.extract({ left: 0, top: 0, width: bitmap.width, height: bitmap.height });
  return image.removeAlpha().png({ compressionLevel: 6 }).toBuffer();
}

/** Null if the bytes are not a readable bitmap: vector drawings, damaged files, decompression bombs. */
async function asPng(bytes: () => Uint8Array): Promise<{ png: Buffer; width: number; height: number } | null> {
  try {
    const data = bytes();
    if (imageType(data) === null) return null;
    const sharp = await loadSharp();
    const image = sharp(data, { limitInputPixels: maxPixels, failOn: 'none' }).autoOrient().resize({ width: maxSide, height: maxSide, fit: 'inside', withoutEnlargement: true });
    const { data: png, info } = await image.png({ compressionLevel: 6 }).toBuffer({ resolveWithObject: true });
    return { png, width: info.width, height: info.height };
  } catch {
    return null;
  }
}

/** Writes images to `artifacts/`, numbered in the order in which they come. */
export class ImageWriter {
  /** Paths below the output directory. */
  readonly files: string[] = [];
  readonly #directory: string;
  readonly #scale: number;
  #numbers = { image: 0, page: 0 };

  constructor(directory: string, scale: number) {
    this.#directory = directory;
    this.#scale = scale;
  }

  async drawPictures(pages: PageSource, pictures: PlacedPicture[]): Promise<void> {
    for (const { item, pageIndex, box } of pictures) item.image = await this.#draw(pages, 'image', pageIndex, box);
  }

  async drawPages(pages: PageSource, document: DoclingDocument): Promise<void> {
    for (const page of document.pages.values()) {
      const { width, height } = page.size;
      page.image = await this.#draw(pages, 'page', page.page_no - 1, { left: 0, top: 0, right: width, bottom: height });
    }
  }

  /** Pictures that a file contains. Those that are not bitmaps, or are damaged, stay without an image. Rejects with `cancelled`. */
  async storePictures(pictures: FoundPicture[], signal: AbortSignal): Promise<void> {
    for (const { item, bytes, dpi = 72 } of pictures) {
      if (signal.aborted) throw new LecternError('cancelled');
      const found = await asPng(bytes);
      if (found !== null) item.image = await this.#write('image', found.png, found.width, found.height, dpi);
    }
  }

  async #draw(pages: PageSource, kind: 'image' | 'page', pageIndex: number, box: { left: number; top: number; right: number; bottom: number }): Promise<ImageRef> {
    const longest = Math.max(widthOf(box), heightOf(box), 1);
    const dpi = Math.min(72 * this.#scale, (72 * maxSide) / longest);
    const bitmap = await pages.render(pageIndex, box, dpi);
    return this.#write(kind, await encode(bitmap), bitmap.width, bitmap.height, Math.round(dpi));
  }

  async #write(kind: 'image' | 'page', png: Buffer, width: number, height: number, dpi: number): Promise<ImageRef> {
    const hash = createHash('sha256').update(png).digest('hex');
    const path = `artifacts/${kind}_${String(this.#numbers[kind]++).padStart(6, '0')}_${hash}.png`;
    if (this.files.length === 0) await mkdir(join(this.#directory, 'artifacts'), { recursive: true });
    await writeFile(join(this.#directory, path), png);
    this.files.push(path);
    return { mimetype: 'image/png', dpi, size: { width, height }, uri: path };
  }
}
