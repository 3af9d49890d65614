/** A labelled page as a scan: its picture with a scanner's faults, the words that the program recognises in it, and the truth by the overlap with the words of the file. */
import { faultsOf, scanned } from '../../../../bench/as-scans.js';
import type { Bitmap } from '../../../../src/bitmap.js';
import { readPicture } from '../../../../src/convert/ocr/read-picture.js';
import type { PictureReader } from '../../../../src/convert/ocr/read-picture.js';
import { defaultConvertOptions } from '../../../../src/convert/options.js';
import { installedRecognisers, isRecogniser } from '../../../../src/convert/installed.js';
import { openEngine } from '../../../../src/engine/engine.js';
import type { Engine } from '../../../../src/engine/engine-port.js';
import { areaOf, intersection } from '../../../../src/geometry/box.js';
import type { Box, PageContent } from '../../../../src/pdf/index.js';
import { shippedModelsDirectory } from '../../../../src/platform/package-files.js';
import type { Drop, LabelledPage, LabelledWord } from './label-page.js';

/** Draws a region of the plain print, points, in dots per inch. */
export type PageDrawing = (box: Box, dpi: number) => Bitmap;

/** Share of a recognised word's box that words of the file must cover. */
const LEAST_COVERED = 0.2;
/** Points: the height of a band of words in the search for overlaps. */
const BAND = 20;

let opened: Engine | null = null;
let found: Promise<PictureReader> | null = null;

async function findReader(): Promise<PictureReader> {
  const engine = (): Engine => (opened ??= openEngine());
  const recogniser = await installedRecognisers(engine, process.env, shippedModelsDirectory()).find(defaultConvertOptions.ocrPreset, defaultConvertOptions.ocrLanguages);
  if (!isRecogniser(recogniser)) throw new Error(`Pages cannot be recognised: ${recogniser.reason}`);
  return { recogniser, engine: { deskewAngle: (...given) => engine().deskewAngle(...given) }, signal: new AbortController().signal, lineVotes: null };
}

/** Ends the threads of recognition. */
export async function closeReader(): Promise<void> {
  await opened?.close();
  [opened, found] = [null, null];
}

export async function scanPage(page: LabelledPage, random: () => number, draw: PageDrawing): Promise<LabelledPage | Drop> {
  const reader = await (found ??= findReader());
  // A page that leans would be turned upright around its middle, and its boxes would not lie over those of the file.
  const faults = { ...faultsOf(random), lean: 0 };
  const { width, height } = page.content;
  const picture = await scanned(draw({ left: 0, top: 0, right: width, bottom: height }, faults.dpi), faults, random);
  const bitmap = rgbaOf(picture);
  const empty: PageContent = { ...page.content, words: [], lines: [], rulings: [], boxes: [], images: [{ box: { left: 0, top: 0, right: width, bottom: height }, width: bitmap.width, height: bitmap.height, object: 0 }], drawings: [], links: [], structure: [], characters: 0 };
  const read = await readPicture({ render: () => bitmap }, empty, reader);
  if (read.content.words.length === 0 || read.turn !== 0) return 'no-words';
  return { ...page, content: read.content, words: joinTruth(read.content, page.words) };
}

function rgbaOf({ data, width, height }: { data: Buffer; width: number; height: number }): Bitmap {
  const out = new Uint8Array(4 * width * height);
  for (const [at, grey] of data.entries()) out.set([grey, grey, grey, 255], 4 * at);
  return { data: out, width, height, stride: 4 * width };
}

/** The leaf of a recognised word is that of the words of the file that cover most of it. */
function joinTruth(content: PageContent, words: readonly LabelledWord[]): LabelledWord[] {
  const bands = new Map<number, LabelledWord[]>();
  for (const labelled of words) {
    const { top, bottom } = labelled.word.box;
    for (let band = Math.floor(top / BAND); band <= Math.floor(bottom / BAND); band++) bands.set(band, [...(bands.get(band) ?? []), labelled]);
  }
  const lineOf = new Map(content.lines.flatMap((line, at) => line.words.map((word) => [word, at] as const)));
  return content.words.map((word) => {
    const { box } = word;
    const near = new Set<LabelledWord>();
    for (let band = Math.floor(box.top / BAND); band <= Math.floor(box.bottom / BAND); band++) for (const each of bands.get(band) ?? []) near.add(each);
    const shares = new Map<number, number>();
    let [covered, mixed] = [0, false];
    for (const each of near) {
      const shared = intersection(box, each.word.box);
      if (shared.right <= shared.left || shared.bottom <= shared.top) continue;
      covered += areaOf(shared);
      if (each.mixed) mixed = true;
      shares.set(each.leaf, (shares.get(each.leaf) ?? 0) + areaOf(shared));
    }
    const [best] = [...shares].sort(([, a], [, b]) => b - a);
    const known = best !== undefined && covered >= LEAST_COVERED * areaOf(box);
    return { word, line: lineOf.get(word) ?? -1, leaf: known ? best[0] : -1, mixed: mixed || best !== undefined && best[1] < 0.8 * covered, characters: word.text.length, spacing: 0 };
  });
}
