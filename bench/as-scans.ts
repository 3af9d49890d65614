/** Born-digital pages as an office's scanner gives them: 150 or 200 dpi, grey, most of them leaning, out of focus, with grain and JPEG's blocks. The same seed gives the same faults. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import type { Bitmap } from '../src/bitmap.js';
import { openPages } from '../src/convert/input/pages.js';
import { makePdf, type PageSpec } from '../test/support/pdf-writer.js';
import { randomFrom } from '../test/support/random.js';
import type { BenchDocument } from './corpora.js';

const resolutions = [150, 200];
const qualities = [50, 65, 80];
/** Degrees to either side, and the share of documents that lean; pixels of blur; grey levels of grain; the paper's light. */
const most = { lean: 1.2, leaning: 0.7, blur: 0.8, grain: 9, darkening: 0.07 };

/** Sharp blurs by no less. */
const leastBlur = 0.3;

export interface Faults {
  dpi: number;
  lean: number;
  blur: number;
  grain: number;
  light: number;
  quality: number;
}

export function faultsOf(random: () => number): Faults {
  const one = (values: number[]): number => values[Math.floor(random() * values.length)]!;
  return {
    dpi: one(resolutions), lean: random() < most.leaning ? (2 * random() - 1) * most.lean : 0, blur: random() * most.blur,
    grain: random() * most.grain, light: 1 - random() * most.darkening, quality: one(qualities),
  };
}

/** Near enough to a normal deviation of one. */
function deviation(random: () => number): number {
  return (random() + random() + random() + random() - 2) * Math.sqrt(3);
}

/** One grey a pixel. */
export interface Greys {
  data: Buffer;
  width: number;
  height: number;
}

function picture({ data, width, height }: Greys): Sharp {
  return sharp(data, { raw: { width, height, channels: 1 } });
}

async function greysOf(given: Sharp): Promise<Greys> {
  const { data, info } = await given.toColourspace('b-w').raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** The picture of a page with these faults, as large as before. */
export async function scanned({ data, width, height, stride }: Bitmap, { lean, blur, grain, light, quality }: Faults, random: () => number): Promise<Greys> {
  const upright = sharp(data, { raw: { width: stride / 4, height, channels: 4 } }).extract({ left: 0, top: 0, width, height }).flatten({ background: '#fff' });
  const leaning = await greysOf(upright.greyscale().rotate(lean, { background: '#fff' }));
  // The glass is no larger than the page.
  const cut = picture(leaning).extract({ left: (leaning.width - width) >> 1, top: (leaning.height - height) >> 1, width, height });
  const page = await greysOf(blur >= leastBlur ? cut.blur(blur) : cut);
  for (const [at, grey] of page.data.entries()) page.data[at] = Math.max(0, Math.min(255, Math.round(grey * light + grain * deviation(random))));
  return greysOf(sharp(await picture(page).jpeg({ quality }).toBuffer()));
}

/** The document with a PDF of pictures in `directory` in place of its own. */
export async function asScan(document: BenchDocument, seed: number, directory: string): Promise<BenchDocument> {
  const random = randomFrom(seed);
  const faults = faultsOf(random);
  const source = await openPages('pdf', readFileSync(document.pdf), document.password);
  const pages: PageSpec[] = [];
  for (let index = 0; index < source.pageCount; index++) {
    const { width, height } = await source.readPage(index);
    const { data, ...size } = await scanned(await source.render(index, { left: 0, top: 0, right: width, bottom: height }, faults.dpi), faults, random);
    pages.push({ width, height, content: `q ${width} 0 0 ${height} 0 0 cm /Scan Do Q`, images: { Scan: { ...size, grey: 255, pixels: data } } });
  }
  source.close();
  const pdf = join(directory, `${document.id}.pdf`);
  writeFileSync(pdf, makePdf({ pages }));
  return { ...document, pdf, password: null };
}
