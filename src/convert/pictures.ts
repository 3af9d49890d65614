/** Pictures and page images as PNG files below the output directory. */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { Bitmap } from '../bitmap.js';
import type { DoclingDocument, ImageRef } from '../document/model.js';
import type { PageSource } from './pages.js';
import type { PlacedPicture } from './structure/assemble.js';

/** Pixels of one side; a poster at the highest scale would take gigabytes. */
const maxSide = 8192;

async function encode(bitmap: Bitmap): Promise<Buffer> {
  const rows = bitmap.stride / 4;
  let image = sharp(bitmap.data, { raw: { width: rows, height: bitmap.height, channels: 4 } });
  if (rows !== bitmap.width) image = image.extract({ left: 0, top: 0, width: bitmap.width, height: bitmap.height });
  return image.removeAlpha().png({ compressionLevel: 6 }).toBuffer();
}

/** Writes images to `artifacts/`, numbered in the order in which they come. */
export class ImageWriter {
  /** Paths below the output directory. */
  readonly files: string[] = [];
  readonly #directory: string;
  readonly #pages: PageSource;
  readonly #scale: number;
  #numbers = { image: 0, page: 0 };

  constructor(directory: string, pages: PageSource, scale: number) {
    this.#directory = directory;
    this.#pages = pages;
    this.#scale = scale;
  }

  async drawPictures(pictures: PlacedPicture[]): Promise<void> {
    for (const { item, pageIndex, box } of pictures) item.image = await this.#write('image', pageIndex, box);
  }

  async drawPages(document: DoclingDocument): Promise<void> {
    for (const page of document.pages.values()) {
      const { width, height } = page.size;
      page.image = await this.#write('page', page.page_no - 1, { left: 0, top: 0, right: width, bottom: height });
    }
  }

  async #write(kind: 'image' | 'page', pageIndex: number, box: { left: number; top: number; right: number; bottom: number }): Promise<ImageRef> {
    const longest = Math.max(box.right - box.left, box.bottom - box.top, 1);
    const dpi = Math.min(72 * this.#scale, (72 * maxSide) / longest);
    const bitmap = await this.#pages.render(pageIndex, box, dpi);
    const png = await encode(bitmap);
    const hash = createHash('sha256').update(png).digest('hex');
    const path = `artifacts/${kind}_${String(this.#numbers[kind]++).padStart(6, '0')}_${hash}.png`;
    if (this.files.length === 0) await mkdir(join(this.#directory, 'artifacts'), { recursive: true });
    await writeFile(join(this.#directory, path), png);
    this.files.push(path);
    return { mimetype: 'image/png', dpi: Math.round(dpi), size: { width: bitmap.width, height: bitmap.height }, uri: path };
  }
}
