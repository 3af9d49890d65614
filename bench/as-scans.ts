/** Born-digital pages as an office's scanner gives them: 150 or 200 dpi, grey, most of them leaning, out of focus, with grain and JPEG's blocks. The same seed gives the same faults. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { openPages } from '../src/convert/pages.js';
import { makePdf, type PageSpec } from '../test/support/pdf-writer.js';
import { randomFrom } from '../test/support/random.js';
import type { BenchDocument } from './corpora.js';

const resolutions = [150, 200];
const qualities = [50, 65, 80];
/** Degrees to either side, and the share of documents that lean; pixels of blur; grey levels of grain; the paper's light. */
const most = { lean: 1.2, leaning: 0.7, blur: 0.8, grain: 9, darkening: 0.07 };

interface Faults {
  dpi: number;
  lean: number;
  blur: number;
  grain: number;
  light: number;
  quality: number;
}

function faultsOf(random: () => number): Faults {
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

async function scanned(bitmap: { data: Uint8Array; width: number; height: number; stride: number }, faults: Faults, random: () => number): Promise<{ data: Buffer; width: number; height: number }> {
  const { lean, blur, grain, light, quality } = faults;
  const upright = sharp(bitmap.data, { raw: { width: bitmap.stride / 4, height: bitmap.height, channels: 4 } }).extract({ left: 0, top: 0, width: bitmap.width, height: bitmap.height }).flatten({ background: '#fff' }).greyscale();
  const leaning = await upright.rotate(lean, { background: '#fff' }).raw().toBuffer({ resolveWithObject: true });
  // The glass is no larger than the page.
  const { width, height } = leaning.info;
  const cut = { left: (width - bitmap.width) >> 1, top: (height - bitmap.height) >> 1, width: bitmap.width, height: bitmap.height };
  const page = sharp(leaning.data, { raw: { width, height, channels: leaning.info.channels } }).extract(cut).greyscale();
  const { data } = await (blur >= 0.3 ? page.blur(blur) : page).raw().toBuffer({ resolveWithObject: true });
  const step = data.length / (bitmap.width * bitmap.height);
  const grey = Buffer.alloc(bitmap.width * bitmap.height);
  for (let at = 0; at < grey.length; at++) grey[at] = Math.max(0, Math.min(255, Math.round(data[at * step]! * light + grain * deviation(random))));
  const jpeg = await sharp(grey, { raw: { width: bitmap.width, height: bitmap.height, channels: 1 } }).jpeg({ quality }).toBuffer();
  const shown = await sharp(jpeg).greyscale().raw().toBuffer({ resolveWithObject: true });
  const plain = Buffer.alloc(grey.length);
  for (let at = 0; at < plain.length; at++) plain[at] = shown.data[at * shown.info.channels]!;
  return { data: plain, width: bitmap.width, height: bitmap.height };
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
