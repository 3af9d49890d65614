/** Pages read from their pictures, by a recogniser that knows what the test drew: which pages, which way up, and what is said of them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Test } from 'tap';
import type { Bitmap } from '../../src/bitmap.js';
import { convertDocument } from '../../src/convert/convert.js';
import type { LineVoting } from '../../src/convert/ocr/own.js';
import type { TextRecogniser, TextRecognisers } from '../../src/convert/ocr/recogniser.js';
import { turnQuarter } from '../../src/convert/ocr/rotation.js';
import { findTesseractData, tesseractRecognisers } from '../../src/convert/ocr/tesseract.js';
import { defaultConvertOptions, type ConvertOptions } from '../../src/convert/options.js';
import type { ConvertOutcome } from '../../src/convert/request.js';
import { LecternError } from '../../src/errors.js';
import type { ReadPage } from '../../src/engine/port.js';
import { placed, text } from '../support/pdf-content.js';
import { makePdf, type PageSpec } from '../support/pdf-writer.js';

const sentence = 'A sentence that the recogniser finds in the picture of the page';

/** Where the page's ink is says which way up it stands: a black bar at its top edge. */
function isUpright({ data, width, height, stride }: Bitmap): boolean {
  const dark = (y: number): boolean => (data[y * stride + (width >> 1) * 4] as number) < 100;
  return dark(Math.round(height * 0.05)) && !dark(Math.round(height * 0.95));
}

/** The lines of an upright page vote for it, those of one on its head against it, others for neither. */
const lineVotes: LineVoting = async (bitmap) => ({ upright: isUpright(bitmap) ? 60 : 0, turned: isUpright(await turnQuarter(bitmap, 180)) ? 60 : 0, neither: 4, lines: 3 });

/** Reads two lines of any upright bitmap, a few bad guesses of any other, or as much as `headDown` says. */
class Reader implements TextRecogniser {
  readonly name = 'reader 1';
  readonly bitmaps: Bitmap[] = [];
  constructor(private readonly words = sentence, private readonly sure = 0.9, private readonly headDown: { words: string; sure: number } | null = null) {}

  async read(bitmap: Bitmap, dpi: number): Promise<ReadPage> {
    this.bitmaps.push(bitmap);
    const height = Math.round(dpi / 8);
    const line = (words: string, y: number, confidence: number): ReadPage['lines'][number] => {
      const step = Math.floor((bitmap.width * 0.8) / words.split(' ').length);
      return {
        baseline: [bitmap.width * 0.1, y, bitmap.width * 0.9, y],
        words: words.split(' ').map((word, index) => {
          const left = Math.round(bitmap.width * 0.1 + index * step);
          return { text: word, left, top: y - height, right: left + step - height, bottom: y, confidence };
        }),
      };
    };
    const { headDown } = this;
    if (headDown !== null && !isUpright(bitmap)) return { lines: [line(headDown.words, 400, headDown.sure), line(headDown.words, 600, headDown.sure)], rulings: [] };
    if (!isUpright(bitmap)) return { lines: [line('xq wz', 400, 0.3)], rulings: [] };
    return { lines: [line(this.words, 400, this.sure), line(this.words, 600, this.sure)], rulings: [] };
  }
}

const always = (reader: TextRecogniser): TextRecognisers => ({ find: async () => reader });

interface Converted {
  outcome: ConvertOutcome;
  markdown: string;
  /** The confidences of the lines of each text, where it has any. */
  sure: unknown[];
  meta: Record<string, unknown>;
}

async function convert(t: Test, pages: PageSpec[], recognisers: TextRecognisers, options: Partial<ConvertOptions> = {}, lean = 0): Promise<Converted> {
  const root = t.testdir({ out: {} });
  writeFileSync(join(root, 'input'), makePdf({ pages }));
  const outcome = await convertDocument({
    inputPath: join(root, 'input'), filename: 'made.pdf', outputDirectory: join(root, 'out'), failedPages: [],
    options: { ...defaultConvertOptions, outputs: ['md', 'json'], ...options },
  }, {
    engine: { deskewAngle: async () => lean }, recognisers, lineVotes,
    progress: () => undefined, signal: new AbortController().signal,
  });
  const content = JSON.parse(readFileSync(join(root, 'out', outcome.contentFile), 'utf8')) as { md_content: string; json_content: { body: { meta: Record<string, unknown> | null }; texts: { meta?: Record<string, unknown> | null }[] } };
  const { body, texts } = content.json_content;
  return { outcome, markdown: content.md_content, meta: body.meta ?? {}, sure: texts.flatMap(({ meta }) => meta?.['lectern__line_confidences'] ?? []) };
}

/** A page whose only content is a white picture with a black bar at one edge. */
function scan(rotate: 0 | 90 | 180 | 270 = 0): PageSpec {
  return { width: 600, height: 800, rotate, content: placed('Im0', 600, 0, 0, 800, 0, 0) + '\n0 g 0 700 600 100 re f', images: { Im0: { width: 40, height: 40, grey: 255 } } };
}

const written: PageSpec = { width: 600, height: 800, content: Array.from({ length: 10 }, (_, line) => text(50, 700 - 14 * line, 11, `What the file itself says in line ${line} of its text.`)) };

t.test('a scan is read, a page with text is not', async (t) => {
  const reader = new Reader();
  const { outcome, markdown, meta, sure } = await convert(t, [written, scan()], always(reader));
  t.same(sure, [0.9, 0.9], 'the lines that were read say how surely, those of the file say nothing');
  t.match(outcome, { status: 'success', errors: [], pageCount: 2, confidence: { ocr_score: 0.9 }, recognisedPages: 1 });
  t.match(markdown, /What the file itself says in line 0/);
  t.match(markdown, new RegExp(sentence));
  t.notMatch(markdown, /<!-- image -->/, 'the picture of the page is no figure of it');
  t.equal(reader.bitmaps.length, 1);
  t.same(meta, { lectern__text_recogniser: 'reader 1', lectern__recognised_pages: [2] });
  t.equal(outcome.timings.read_picture?.count, 1);
});

t.test('pages that stand on their head or lie on a side are turned, leaning ones are straightened', async (t) => {
  for (const rotate of [90, 180, 270] as const) {
    const { outcome, markdown } = await convert(t, [scan(rotate)], always(new Reader()));
    t.match(outcome, { status: 'success' }, `${rotate}`);
    t.match(markdown, new RegExp(sentence), `${rotate}`);
  }
  const reader = new Reader();
  const { markdown } = await convert(t, [scan()], always(reader), {}, 3);
  t.match(markdown, new RegExp(sentence));
  const [straight] = reader.bitmaps;
  t.ok((straight?.width ?? 0) > (600 / 72) * 300, 'the turned picture has room for its corners');
});

t.test('a reader that is fairly sure of letters upside down is not believed', async (t) => {
  const mistaken = { words: '9ou9ues ∀ ley1 9yl J9siu60o9J spuΘ3 UI 9yl amp!d', sure: 0.81 };
  const { outcome, markdown } = await convert(t, [scan(180)], always(new Reader(sentence, 0.99, mistaken)));
  t.match(outcome, { status: 'success' });
  t.match(markdown, new RegExp(sentence));
  t.notMatch(markdown, /9ou9ues/);
});

/** Reads as many lines of `words` as the option says at the top of any bitmap. */
function linesReader(words: string, count: number, sure = 0.95): TextRecogniser & { looks: { width: number; dpi: number; only: boolean | undefined }[] } {
  const looks: { width: number; dpi: number; only: boolean | undefined }[] = [];
  return {
    name: 'reader 2', looks,
    read: async (bitmap, dpi, _, only) => {
      looks.push({ width: bitmap.width, dpi, only });
      const height = Math.round(dpi / 8);
      const lines = Array.from({ length: count }, (_unused, line): ReadPage['lines'][number] => {
        const y = (line + 1) * Math.round(dpi / 4);
        return {
          baseline: [10, y, bitmap.width - 10, y],
          words: words.split(' ').map((text, index, all) => {
            const step = Math.floor((bitmap.width - 20) / all.length);
            return { text, left: 10 + index * step, top: y - height, right: 10 + (index + 1) * step - height, bottom: y, confidence: sure };
          }),
        };
      });
      return { lines, rulings: [] };
    },
  };
}

/** Text above and below a picture of 300 x 200 points whose lower left corner is at 100, 300; `over` is drawn over it. */
const withPicture = (over = '', pixels = 400): PageSpec => ({
  width: 600, height: 800, images: { Im0: { width: pixels, height: pixels, grey: 230 } },
  content: [...(written.content as string[]).slice(0, 8), placed('Im0', 300, 0, 0, 200, 100, 300), text(50, 200, 11, 'The last words of the page stand below its picture.'), over],
});

t.test('a picture of text on a page of text is read in its place, the page itself is not', async (t) => {
  const reader = linesReader('Words that only the picture has', 6);
  const { outcome, markdown, meta } = await convert(t, [withPicture()], always(reader));
  t.match(outcome, { status: 'success', errors: [], recognisedPages: 1, confidence: { ocr_score: 0.95 } });
  t.match(meta, { lectern__recognised_pages: [1], lectern__text_recogniser: 'reader 2' });
  t.match(markdown, /line 7 of its text[^]*Words that only the picture has[^]*The last words of the page/u, 'where the picture stands');
  t.equal(markdown.split('What the file itself says').length - 1, 8, 'the file is believed about its own text');
  t.notMatch(markdown, /<!-- image -->/, 'what is nothing but text is no figure');
  t.match(reader.looks, [{ dpi: 300, width: 1250 }], 'one look, at the picture alone');
});

t.test('labels, guesses, icons, coarse pictures and such that the file tells the text of are left as they are', async (t) => {
  const cases: [string, ReturnType<typeof linesReader>, PageSpec, number][] = [
    ['two labels', linesReader('Sales of May', 2), withPicture(), 1],
    ['grain', linesReader('iI1l nM rnm Wvv ll1 uun', 9, 0.7), withPicture(), 1],
    ['coarse', linesReader('Words that only the picture has', 6), withPicture('', 40), 0],
    ['with the text over it', linesReader('Words that only the picture has', 6), withPicture(text(150, 400, 11, 'Text over the picture')), 0],
    ['a figure with its caption below', linesReader('Words that only the picture has', 6), withPicture(text(110, 285, 9, 'Figure 2-1 A window with words in it')), 0],
    ['and above', linesReader('Words that only the picture has', 6), withPicture(text(110, 505, 9, 'Abbildung 3: Ein Fenster')), 0],
    ['an icon', linesReader('Words that only the picture has', 6), { ...withPicture(), content: [...(written.content as string[]), placed('Im0', 60, 0, 0, 60, 100, 300)] }, 0],
  ];
  for (const [name, reader, page, looks] of cases) {
    const { outcome, markdown } = await convert(t, [page], always(reader));
    t.match(outcome, { status: 'success', recognisedPages: 0 }, name);
    t.notMatch(markdown, /Words that only|Sales|iI1l/u, name);
    t.match(markdown, /<!-- image -->/u, name);
    t.equal(reader.looks.length, looks, `${name}: looks`);
  }
  for (const caption of ['Table 2: A table as a picture', 'Figure 2-1 shows a window with words in it, and']) {
    const table = await convert(t, [withPicture(text(110, 285, 9, caption))], always(linesReader('Words that only the picture has', 6)));
    t.match(table.markdown, /Words that only the picture has/u, `${caption}: what it names is no figure`);
  }
  const drawn = Array.from({ length: 40 }, (_, at) => `${110 + 4 * at} ${540 + 30 * (at % 3)} m ${114 + 4 * at} ${540 + 30 * ((at + 1) % 3)} l S`).join(' ');
  const below = await convert(t, [withPicture(`${drawn} ${text(110, 520, 9, 'Figure 3: What is drawn above it')}`)], always(linesReader('Words that only the picture has', 6)));
  t.match(below.markdown, /Words that only the picture has/u, 'a caption is of one figure: what follows it is none');
  const off = linesReader('Words that only the picture has', 6);
  await convert(t, [withPicture()], always(off), { doOcr: false });
  t.equal(off.looks.length, 0);
});

t.test('a reader that fails at a picture leaves the page its own text', async (t) => {
  const broken: TextRecogniser = { name: 'broken', read: () => Promise.reject(new LecternError('invalid_document', 'The reader cannot read this.')) };
  const { outcome, markdown } = await convert(t, [withPicture()], always(broken));
  t.match(outcome, { status: 'partial_success', errors: [{ page_no: 1, error_message: 'The reader cannot read this.' }] });
  t.match(markdown, /The last words of the page/u);
});

t.test('a text layer that makes no words is read from the picture, unless the page shows the same or the reader is not sure', async (t) => {
  const secret = 'Wkh kduerxu ri wkh wrzq zdv exlow lq wkh odvw fhqwxub dqg lv vwloo xvhg eb vpdoo erdwv';
  const page: PageSpec = { width: 600, height: 800, content: ['0 g 0 700 600 100 re f', ...Array.from({ length: 5 }, (_, line) => text(50, 660 - 14 * line, 11, secret))] };
  const read = await convert(t, [page], always(new Reader()));
  t.match(read.outcome, { status: 'success', recognisedPages: 1 });
  t.match(read.markdown, new RegExp(sentence));
  t.notMatch(read.markdown, /Wkh kduerxu/u);
  for (const [name, reader] of [['it shows the same', new Reader(secret)], ['a guess', new Reader(sentence, 0.7)]] as const) {
    const { outcome, markdown } = await convert(t, [page], always(reader));
    t.match(outcome, { status: 'success', errors: [], recognisedPages: 0 }, name);
    t.match(markdown, /Wkh kduerxu/u, name);
  }
  const { outcome } = await convert(t, [page], tesseractRecognisers(() => { throw new Error('never asked'); }, { TESSDATA_PREFIX: t.testdirName }));
  t.match(outcome, { status: 'success', errors: [] }, 'without a reader nothing is said against it');
});

t.test('force_ocr reads every page, do_ocr: false none', async (t) => {
  const forced = await convert(t, [written], always(new Reader()), { forceOcr: true });
  t.notMatch(forced.markdown, /What the file itself says/);
  const { outcome, markdown } = await convert(t, [scan()], always(new Reader()), { doOcr: false });
  t.match(outcome, { status: 'success', errors: [], confidence: { ocr_score: null } });
  t.match(markdown, /<!-- image -->/);
});

t.test('a picture in which nothing is read stays a picture', async (t) => {
  const { outcome, markdown, meta } = await convert(t, [scan()], always(new Reader('——', 0.2)));
  t.match(outcome, { status: 'success', recognisedPages: 0 });
  t.same(meta, { lectern__pages_without_recognised_text: [1] }, 'and the document says that nothing was found');
  t.match(markdown, /<!-- image -->/);
});

t.test('a recogniser that fails costs its page', async (t) => {
  const broken: TextRecogniser = { name: 'broken', read: () => Promise.reject(new LecternError('invalid_document', 'Tesseract cannot read this page.')) };
  const { outcome, markdown } = await convert(t, [written, scan()], always(broken));
  t.match(outcome, { status: 'partial_success', errors: [{ page_no: 2, error_message: 'Tesseract cannot read this page.' }] });
  t.match(markdown, /What the file itself says/);
});

t.test('without a recogniser the answer says what is missing', async (t) => {
  const none = tesseractRecognisers(() => { throw new Error('never asked'); }, { TESSDATA_PREFIX: t.testdirName });
  const { outcome } = await convert(t, [scan()], none);
  t.match(outcome, { status: 'partial_success', errors: [{ page_no: 1, error_message: 'Page 1 has no text layer, and no text recogniser is installed: it is kept as a picture.' }] });
  const asked = await convert(t, [written], none, { forceOcr: true, ocrPreset: 'tesseract' });
  t.match(asked.outcome.errors, [{ error_message: 'Page 1 was to be read from its picture, and Tesseract or its language data is not installed: its text layer is used as it is.' }]);
  t.match(asked.markdown, /What the file itself says/);
});

t.test('a Tesseract without languages is told from none', async (t) => {
  const bare = tesseractRecognisers(() => ({ tesseractVersion: async () => '5.3.0', readText: async () => ({ lines: [], rulings: [] }) }), { TESSDATA_PREFIX: t.testdir({}) });
  for (const preset of ['auto', 'tesseract']) t.match(await bare.find(preset, []), { reason: /^Tesseract has no language data .*tesseract-ocr-eng/ }, preset);
  t.match(await bare.find('tesseract', ['ru', 'zh']), { reason: /install tesseract-ocr-rus tesseract-ocr-chi-sim\)/ }, 'the package of what was asked');
});

t.test('Tesseract: data and languages are found where they lie', async (t) => {
  const directory = t.testdir({ 'eng.traineddata': '', 'deu.traineddata': '', 'osd.traineddata': '', 'readme': '' });
  t.same(findTesseractData({ TESSDATA_PREFIX: directory }), { directory, languages: ['deu', 'eng'] });
  const seen: unknown[] = [];
  const recognisers = tesseractRecognisers(() => ({
    tesseractVersion: async () => '5.3.0', readText: async (_, options) => { seen.push(options); return { lines: [], rulings: [] }; },
  }), { TESSDATA_PREFIX: directory });
  const bitmap = { data: new Uint8Array(4), width: 1, height: 1, stride: 4 };
  const signal = new AbortController().signal;
  for (const [asked, languages] of [[[], 'eng'], [['de', 'en'], 'deu+eng'], [['de', 'fr'], 'deu']] as const) {
    const found = await recognisers.find('auto', asked) as TextRecogniser;
    t.equal(found.name, `tesseract 5.3.0 (${languages})`);
    await found.read(bitmap, 300, signal);
    t.match(seen.at(-1), { dataDirectory: directory, languages, dpi: 300 });
  }
  t.same(await recognisers.find('auto', ['fr']), { reason: 'Tesseract has no data for fr, only for deu, eng (Debian: apt-get install tesseract-ocr-fra)' });
  const absent = tesseractRecognisers(() => ({
    tesseractVersion: async () => { throw new LecternError('not_found', 'Tesseract is not installed: no libtesseract was found.'); }, readText: async () => ({ lines: [], rulings: [] }),
  }), { TESSDATA_PREFIX: directory });
  t.same(await absent.find('tesseract', []), { reason: 'Tesseract is not installed: no libtesseract was found' });
});
