/** Writes pages of a batch as HTML to check the truth by eye: `node --import tsx models/training/documents/view.ts DIRECTORY --split train --seed S --pages 40`, with `--pictures` also as PNG. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { openPdf } from '../../../src/pdf/index.js';
import { Chromium } from './builder/chromium.js';
import { choose, DocumentFailure, makeDocument } from './builder/make-document.js';
import type { Damage } from './builder/damage.js';
import { pageView } from './builder/page-view.js';
import { Programs } from './builder/programs.js';
import type { Split } from './builder/programs.js';
import { hash } from './builder/random.js';
import { closeReader } from './builder/scan.js';
import { rendererOf } from './builder/renderers/index.js';

const DOTS_PER_INCH = 110;
/** CSS pixels in a point; the header of the view, in pixels. */
const PIXELS_PER_POINT = 96 / 72;
const HEADER_PIXELS = 90;

const { values, positionals: [out = 'view'] } = parseArgs({
  allowPositionals: true,
  options: {
    split: { type: 'string', default: 'train' }, seed: { type: 'string', default: '1' }, pages: { type: 'string', default: '40' }, renderer: { type: 'string', default: 'chromium' }, shard: { type: 'string', default: '0' }, damage: { type: 'string', default: 'none' },
    pictures: { type: 'boolean', default: false }, pdf: { type: 'boolean', default: false }, only: { type: 'string' }, root: { type: 'string', default: new URL('.', import.meta.url).pathname },
  },
});
mkdirSync(out, { recursive: true });
const programs = { sources: new Programs(values.root, 'sources'), styles: new Programs(values.root, 'styles') };
const sources = programs.sources.origins.filter(({ origin, program }) => values.only === undefined || origin === values.only || program === values.only);
const renderer = await rendererOf(values.renderer);
const browser = values.pictures ? new Chromium() : null;
const tab = await browser?.openTab();

async function view(key: string, name: string): Promise<boolean> {
  const choice = choose(sources, renderer.styles ?? programs.styles.origins, values.split as Split, key);
  if (choice === undefined) throw new Error(`The split '${values.split}' has no source, or no style for one.`);
  const made = await makeDocument(choice, programs, renderer, values.damage as Damage);
  for (const { index, reason } of made.drops) process.stdout.write(`${name}: page ${index + 1} dropped: ${reason}: ${choice.source.origin} in ${choice.style.origin}\n`);
  const chosen = made.pages[hash(key) % Math.max(1, made.pages.length)];
  if (chosen === undefined) return false;
  if (values.pdf) writeFileSync(join(out, `${name}.pdf`), made.plain);
  const document = await openPdf(made.plain);
  const bitmap = document.renderPage(chosen.index, DOTS_PER_INCH);
  document.close();
  const { data, width, height } = bitmap;
  const picture = await sharp(data, { raw: { width, height, channels: 4 } }).png().toBuffer();
  const html = pageView(chosen.page, made.truth, made.info, chosen.index, picture);
  writeFileSync(join(out, `${name}.html`), html);
  if (tab !== undefined) {
    const { content } = chosen.page;
    writeFileSync(join(out, `${name}.png`), await tab.photograph(html, Math.ceil(content.width * PIXELS_PER_POINT) + 16, Math.ceil(content.height * PIXELS_PER_POINT) + HEADER_PIXELS));
  }
  process.stdout.write(`${name}: ${choice.source.origin} in ${choice.style.origin}, page ${chosen.index + 1} of ${made.pages.length}\n`);
  return true;
}

let shown = 0;
for (let at = 0; shown < Number(values.pages); at++) {
  try {
    if (await view(`${values.seed} ${values.split} ${values.renderer} ${values.shard} ${at}`, String(shown).padStart(3, '0'))) shown++;
  } catch (thrown) {
    if (!(thrown instanceof DocumentFailure)) throw thrown;
    process.stdout.write(`${thrown.stage}: ${thrown.origin} in ${thrown.style}: ${thrown.message}\n`);
  }
}
programs.sources.close();
programs.styles.close();
await renderer.close();
await browser?.close();
await closeReader();
