/** The layout network on scans: it is asked about what was read from a page's picture, and what it sees counts. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Test } from 'tap';
import { convertDocument } from '../../src/convert/convert.js';
import type { NetworkOutput } from '../../src/convert/layout-network/regions.js';
import { layoutLabels, type LayoutLabel, type LayoutRegion } from '../../src/convert/page/layout-prediction.js';
import type { LayoutFinder } from '../../src/convert/layout-network/shipped.js';
import type { TextRecogniser } from '../../src/convert/ocr/recogniser.js';
import { defaultConvertOptions, type ConvertOptions } from '../../src/convert/options.js';
import type { ReadRuling } from '../../src/engine/port.js';
import { placed } from '../support/pdf-content.js';
import { makePdf } from '../support/pdf-writer.js';

/** Where a line's baseline begins, in points of a page of 600 by 800. */
interface Printed {
  y: number;
  text: string;
  /** Of its letters, 10 unless told. */
  height?: number;
}

const body = (from: number, count: number): Printed[] => Array.from({ length: count }, (_, index) => ({ y: from + 12 * index, text: `The keeper of the gate wrote in line ${index} of what rain had done to the road and its wall.` }));

/** Reads what was printed, whatever the picture shows: letters as high as those of common faces. */
function reader(printed: Printed[], rules: { y: number; left: number; right: number }[]): TextRecogniser {
  return {
    name: 'reader 1',
    read: async (bitmap) => {
      const scale = bitmap.width / 600;
      const lines = printed.map(({ y, text, height = 10 }) => {
        let at = 50;
        const words = text.split(' ').map((word) => {
          const from = at;
          at += 0.5 * height * word.length + 3;
          return { text: word, left: from * scale, right: (at - 3) * scale, top: (y - (/[A-Z\dbdfhiklt]/u.test(word) ? 0.69 : 0.46) * height) * scale, bottom: (y + (/[gjpqy,]/u.test(word) ? 0.21 : 0) * height) * scale, confidence: 0.95 };
        });
        return { baseline: [50 * scale, y * scale, at * scale, y * scale] as [number, number, number, number], words };
      });
      const rulings = rules.map(({ y, left, right }): ReadRuling => ({ horizontal: true, position: y * scale, start: left * scale, end: right * scale, thickness: 3 }));
      return { lines, rulings };
    },
  };
}

/** Lines as `labelOf` says, each label's in one region, and what is drawn in a picture's. */
function seeing(labelOf: (text: string) => LayoutLabel): LayoutFinder {
  return async (page): Promise<NetworkOutput> => {
    const labels = page.lines.map(({ text }) => labelOf(text));
    const regions = [...new Set(labels)].map((label): LayoutRegion => {
      const lines = labels.flatMap((other, index) => (other === label ? [index] : []));
      const boxes = [...lines.map((line) => page.lines[line]!), ...(label === 'picture' ? page.drawn : [])];
      return {
        label, score: 0.99, lines, drawn: label === 'picture', left: Math.min(...boxes.map(({ left }) => left)), right: Math.max(...boxes.map(({ right }) => right)),
        top: Math.min(...boxes.map(({ top }) => top)), bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
      };
    });
    return { regions, odds: labels.map((label) => Object.fromEntries(layoutLabels.map((each) => [each, each === label ? 0.99 : 0.0005])) as NetworkOutput['odds'][number]) };
  };
}

async function convert(t: Test, recogniser: TextRecogniser, layout: LayoutFinder | null, options: Partial<ConvertOptions> = {}): Promise<[label: string, text: string][]> {
  const root = t.testdir({ out: {} });
  writeFileSync(join(root, 'scan.pdf'), makePdf({ pages: [{ width: 600, height: 800, content: placed('Im0', 600, 0, 0, 800, 0, 0), images: { Im0: { width: 40, height: 40, grey: 255 } } }] }));
  const { status, contentFile } = await convertDocument({
    inputPath: join(root, 'scan.pdf'), filename: 'scan.pdf', outputDirectory: join(root, 'out'), failedPages: [], options: { ...defaultConvertOptions, outputs: ['json'], ...options },
  }, {
    engine: { deskewAngle: async () => 0 }, recognisers: { find: async () => recogniser }, layout, progress: () => undefined, signal: new AbortController().signal,
  });
  t.equal(status, 'success');
  const { texts, pictures } = (JSON.parse(readFileSync(join(root, 'out', contentFile), 'utf8')) as { json_content: Record<'texts' | 'pictures', { label: string; text?: string }[]> }).json_content;
  return [...texts, ...pictures].map(({ label, text = '' }) => [label, text]);
}

const labelsOf = (items: [string, string][]): string[] => items.map(([label]) => label).sort();

t.test('a note and a running foot without a number, and a picture without ink, are known by the network alone', async (t) => {
  const printed = [...body(100, 14), { y: 300, text: 'See the road books of the province, third shelf, under gates.' }, ...body(630, 6), { y: 716, text: 'Report of the keeper' }];
  const recogniser = reader(printed, [{ y: 400, left: 60, right: 540 }, { y: 600, left: 60, right: 540 }]);
  const layout = seeing((text) => (/^The keeper/u.test(text) ? 'text' : /^See/u.test(text) ? 'footnote' : 'page_footer'));
  const withPicture: LayoutFinder = async (page, signal) => {
    const seen = await layout(page, signal);
    return { ...seen, regions: [...seen.regions, { label: 'picture', score: 0.99, lines: [], drawn: true, left: 60, right: 540, top: 400, bottom: 600 }] };
  };
  const without = await convert(t, recogniser, null);
  t.notMatch(labelsOf(without).join(' '), /footnote|page_footer|picture/u);
  const seen = await convert(t, recogniser, withPicture);
  t.same(labelsOf(seen), ['footnote', 'page_footer', 'picture', 'text', 'text']);
  t.match(seen.find(([label]) => label === 'footnote'), ['footnote', /^See the road books/u]);
  t.same(await convert(t, recogniser, withPicture, { tableMode: 'fast' }), without, 'who asks for haste is not kept waiting for it');
});

t.test('it parts paragraphs that stand line below line', async (t) => {
  const recogniser = reader(body(100, 16), []);
  const count = async (layout: LayoutFinder | null): Promise<number> => (await convert(t, recogniser, layout)).length;
  t.equal(await count(null), 1);
  t.equal(await count(seeing((text) => (/line [0-7] /u.test(text) ? 'text' : 'footnote'))), 2);
});

t.test('it speaks against headings, and is not heard where more speaks for them', async (t) => {
  const headings = async (label: LayoutLabel | null, height: number, text = 'Walls and roads'): Promise<string[]> => {
    const recogniser = reader([...body(100, 8), { y: 212, text, height }, ...body(229, 8)], []);
    const found = await convert(t, recogniser, label === null ? null : seeing((line) => (line === text ? label : 'text')));
    return found.filter(([each]) => each === 'section_header').map(([, words]) => words);
  };
  const one = ['Walls and roads'];
  const [doubtful, clear] = [13, 16];
  t.same([await headings(null, doubtful), await headings('text', doubtful), await headings('section_header', doubtful)], [one, [], one]);
  t.same([await headings(null, clear), await headings('text', clear)], [one, one]);
  const numbered = '2.1 Walls and roads';
  t.same(await headings('text', 11.5, numbered), [numbered], 'a number stands apart from its heading');
});
