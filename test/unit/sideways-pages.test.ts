/** Pages whose text the file has sideways or upside down: read upright, told where the page shows it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import t, { type Test } from 'tap';
import { convertDocument } from '../../src/convert/convert.js';
import { turnOf } from '../../src/convert/layout/sideways.js';
import { noRecognisers } from '../../src/convert/ocr/recogniser.js';
import { defaultConvertOptions, type ConvertOptions } from '../../src/convert/options.js';
import { openPdf, type Line, type PageContent, type Word } from '../../src/pdf/index.js';
import { placed, text } from '../support/pdf-content.js';
import { makePdf, type PageSpec } from '../support/pdf-writer.js';

const size = { width: 600, height: 800 };
const paragraph = ['The harbour was built after long talks, and served only the fishers', 'who sought shelter from storms. Later came larger ships as well, and', 'the town grew with every quay by some streets and a market.'];
const heading = 'Eastlock Growing';
const content = [text(72, 740, 20, heading, { font: 'Helvetica-Bold' }), ...paragraph.map((line, index) => text(72, 700 - 14 * index, 11, line))];
/** What stands on an upright page, on a page of the other format without /Rotate: its top at the left edge. */
const onItsSide = (upright: string[]): PageSpec & { content: string[] } => ({ width: size.height, height: size.width, content: ['q', '0 1 -1 0 800 0 cm', ...upright, 'Q'] });

interface Bounds { l: number; t: number; r: number; b: number }
interface Item { text: string; prov: { bbox: Bounds }[] }
interface Json { texts: Item[]; pictures: Item[]; pages: Record<string, { size: { width: number; height: number } }> }

async function convert(t: Test, page: PageSpec, options: Partial<ConvertOptions> = {}) {
  const root = t.testdir({ out: {} });
  const input = join(root, 'made.pdf');
  const bytes = makePdf({ pages: [page] });
  writeFileSync(input, bytes);
  const directory = join(root, 'out');
  const outcome = await convertDocument(
    { inputPath: input, filename: 'made.pdf', outputDirectory: directory, failedPages: [], options: { ...defaultConvertOptions, ...options, outputs: ['md', 'json'] } },
    { engine: { deskewAngle: async () => 0 }, recognisers: noRecognisers, progress: () => undefined, signal: new AbortController().signal },
  );
  const of = (format: 'md' | 'json'): string => readFileSync(join(directory, outcome.files[format] as string), 'utf8');
  return { bytes, directory, outcome, markdown: of('md').trim(), json: JSON.parse(of('json')) as Json };
}

/** Around the words of a page as it stands, from its lower left corner. */
async function shown(bytes: Uint8Array, words: string): Promise<Bounds> {
  const pdf = await openPdf(bytes, {});
  const page = pdf.readPage(0);
  pdf.close();
  const boxes = page.words.filter((word) => words.split(' ').includes(word.text)).map(({ box }) => box);
  const [left, top, right, bottom] = [boxes.map((box) => box.left), boxes.map((box) => box.top), boxes.map((box) => box.right), boxes.map((box) => box.bottom)];
  return { l: Math.min(...left), t: page.height - Math.min(...top), r: Math.max(...right), b: page.height - Math.max(...bottom) };
}

t.test('however the page is turned, its text is the upright page\'s, and lies where it is shown', async (t) => {
  const upright = await convert(t, { ...size, content });
  t.equal(upright.markdown, `## ${heading}\n\n${paragraph.join(' ')}`);
  for (const page of [...[90, 180, 270].map((rotate) => ({ ...size, rotate, content })), onItsSide(content)]) {
    const { bytes, markdown, json, outcome } = await convert(t, page);
    t.equal(markdown, upright.markdown);
    const [is, wanted] = [json.texts[0]!.prov[0]!.bbox, await shown(bytes, heading)];
    t.ok((['l', 't', 'r', 'b'] as const).every((side) => Math.abs(is[side] - wanted[side]) < 3), `${JSON.stringify(is)} is ${JSON.stringify(wanted)}`);
    t.match(json.pages['1']?.size, page.rotate === 180 ? size : { width: 800, height: 600 });
    t.equal(outcome.recognisedPages, 0, 'no picture was read');
  }
});

t.test('a running head that stands upright beside it is none of the text, nor is what nobody sees', async (t) => {
  const page = onItsSide([...content, text(72, 500, 11, 'White on white.', { color: 0xffffff }), '/Fm0 Do']);
  const forms = { Fm0: { content: text(72, 448, 11, 'What a form says.') } };
  const { markdown } = await convert(t, { ...page, forms, content: [...page.content, text(300, 570, 9, 'Harbour board'), text(400, 20, 9, '12')] });
  t.equal(markdown, `## ${heading}\n\n${paragraph.join(' ')}\n\nWhat a form says.`);
});

t.test('a scan whose invisible text lies on its side', async (t) => {
  const hidden = [text(72, 740, 20, heading, { mode: 3 }), ...paragraph.map((line, index) => text(72, 700 - 14 * index, 11, line, { mode: 3 }))];
  const page = onItsSide(hidden);
  const { markdown } = await convert(t, { ...page, content: [placed('Im0', 800, 0, 0, 600, 0, 0), ...page.content], images: { Im0: { width: 80, height: 60, grey: 220 } } });
  t.equal(markdown, `## ${heading}\n\n${paragraph.join(' ')}`);
});

t.test('a picture is drawn as the page shows it, and lies there', async (t) => {
  const page = onItsSide([...content, placed('Im0', 200, 0, 0, 100, 72, 400)]);
  const grey = Uint8Array.from({ length: 200 }, (_, at) => (at % 20 < 10 ? 0 : 200));
  const { json, directory, outcome } = await convert(t, { ...page, images: { Im0: { width: 20, height: 10, grey: 0, pixels: grey } } }, { imageExportMode: 'referenced', includeImages: true });
  t.strictSame(json.pictures[0]?.prov[0]?.bbox, { l: 300, t: 272, r: 400, b: 72, coord_origin: 'BOTTOMLEFT' });
  const drawn = sharp(join(directory, outcome.artifacts[0] as string)).greyscale();
  const { data, info } = await drawn.raw().toBuffer({ resolveWithObject: true });
  t.ok(info.height > 1.9 * info.width, 'taller than wide');
  const at = (x: number, y: number): number => data[Math.floor(y * info.height) * info.width + Math.floor(x * info.width)] as number;
  t.ok(at(0.5, 0.9) < 50 && at(0.5, 0.1) > 150, 'its left half below');
});

const line = (words: string, angle: number): Line => ({ words: [{ text: words } as Word], box: { left: 0, top: 0, right: 1, bottom: 1 }, baseline: 0, size: 10, angle });
const turn = (...lines: Line[]): number => turnOf({ lines } as PageContent);

t.test('what is turned by itself on a page turns nothing', async (t) => {
  const long = 'a line of text that is long enough to be read';
  t.equal(turn(line(long, 90), line(long, 90), line(long, 90)), 90);
  t.equal(turn(line(long, 90), line(long, 90), line(long, 90), line('a head', 0)), 90);
  t.equal(turn(line(long, 90), line(long, 90), line(long, 90), line(long, 0)), 0, 'half is upright');
  t.equal(turn(line(long, 90), line(long, 90)), 0, 'two labels');
  t.equal(turn(line('depth in m', 90), line('height in m', 90), line('width in m', 90)), 0, 'labels of axes');
  t.equal(turn(line(long, 45), line(long, 45), line(long, 45)), 0);
  t.equal(turn(...Array.from({ length: 9 }, () => line('港の歴史と町の成長について', 270))), 0, 'vertical writing');
});
