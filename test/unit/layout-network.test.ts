/** What the layout network sees of a page, against what its training code says of the same pages; what is made of its answers. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { contentOf, type DrawnPage, layoutPageOf } from '../../bench/drawn-pages.js';
import { featureCount, itemsOf, pairFeatureCount } from '../../src/convert/layout-network/items.js';
import { predictLayout } from '../../src/convert/layout-network/prediction.js';
import { networkPageOf } from '../../src/convert/layout-network/network-page.js';
import { noOutput, outputOf, rowsOf } from '../../src/convert/layout-network/regions.js';
import { layoutLabels } from '../../src/convert/page/layout-prediction.js';
import { shippedLayoutFinder } from '../../src/convert/layout-network/shipped.js';
import { packageRoot } from '../../src/platform/package-files.js';

interface Known {
  page: DrawnPage;
  features: number[][];
  neighbours: number[][];
  pairs: [number, number][];
  pairFeatures: number[][];
  classes: number[][];
  joined: number[];
  regions: [string, number, number, number, number, number][];
}

const known = JSON.parse(readFileSync(join(packageRoot(), 'test/fixtures/layout-network.json'), 'utf8')) as Known[];
const { signal } = new AbortController();

function farthest(one: number[][], other: number[][]): number {
  if (one.length !== other.length || one.some((row, index) => row.length !== other[index]?.length)) return Infinity;
  return Math.max(0, ...one.flatMap((row, index) => row.map((value, column) => Math.abs(value - (other[index]?.[column] ?? NaN)))));
}

t.test('features, neighbours and pairs are those of the training code', async (t) => {
  t.ok(known.length >= 3);
  for (const { page, features, neighbours, pairs, pairFeatures } of known) {
    const items = itemsOf(layoutPageOf(page));
    t.ok(items.features.length > 15 && items.features.every(({ length }) => length === featureCount) && items.pairFeatures.every(({ length }) => length === pairFeatureCount));
    t.ok(farthest(items.features, features) < 1e-4, 'features');
    t.same(items.neighbours, neighbours);
    t.same(items.pairs, pairs);
    t.ok(farthest(items.pairFeatures, pairFeatures) < 1e-4, 'features of pairs');
  }
});

t.test('the same answers make the same regions, and every line is in one at most', async (t) => {
  for (const { page, classes, joined, regions } of known) {
    const items = itemsOf(layoutPageOf(page));
    const seen = outputOf(items, { classes: Float32Array.from(classes.flat()), joined: Float32Array.from(joined) });
    const shown = (rows: (string | number)[][]): string[] => rows.map(([label, ...box]) => [label, ...box.slice(0, 4).map((value) => Math.round(Number(value)))].join(' ')).sort();
    t.same(shown(seen.regions.map(({ label, left, top, right, bottom }) => [label, left, top, right, bottom])), shown(regions));
    const lines = seen.regions.flatMap((region) => region.lines);
    t.equal(new Set(lines).size, lines.length);
    t.ok(lines.length > 0.8 * page.lines.length);
    t.ok(seen.regions.every(({ score }, index) => score > 0 && score <= 1 && score <= (seen.regions[index - 1]?.score ?? 1)));
    t.equal(seen.odds.length, page.lines.length);
    t.ok(seen.odds.every((odds) => { const sum = layoutLabels.reduce((all, label) => all + odds[label], 0); return sum > 0 && sum < 1 + 1e-6; }));
  }
});

t.test('a page of a document is seen as it was drawn: its lines, and what is drawn on it', async (t) => {
  for (const { page } of known) {
    const { page: seen, words } = networkPageOf(contentOf(page));
    t.same(seen.lines.map(({ text }) => text), page.lines.map(({ text }) => text.trim().replace(/\s+/gu, ' ')));
    t.same(words.map((line) => line.map(({ text }) => text).join(' ')), seen.lines.map(({ text }) => text));
    for (const [index, line] of seen.lines.entries()) {
      const drawn = page.lines[index] as DrawnPage['lines'][number];
      // A reader's tops and sizes are a little off.
      t.ok(Math.abs(line.top - drawn.top) < 0.4 * drawn.size && Math.abs(line.bottom - drawn.bottom) < 0.1 * drawn.size, `${line.top} ${drawn.top} ${line.size} ${drawn.size}`);
      t.equal(line.bold, drawn.bold);
    }
    t.equal(seen.drawn.length, page.drawn.length);
  }
});

t.test('of lines that were read from a picture it is told no weight and no slant, as it learned', async (t) => {
  const content = contentOf((known.find(({ page }) => page.lines.some(({ bold }) => bold)) as Known).page);
  const bold = (of: typeof content): number => networkPageOf(of).page.lines.filter((line) => line.bold || line.italic).length;
  const read = content.lines.map((line) => ({ ...line, words: line.words.map((word) => ({ ...word, confidence: 0.9 })) }));
  t.ok(bold(content) > 0);
  t.equal(bold({ ...content, lines: read, words: read.flatMap(({ words }) => words) }), 0);
});

t.test('what it thinks of a line is asked by the words, and leaning lines are not shown to it', async (t) => {
  const { page, classes, joined } = known[0] as Known;
  const content = contentOf(page);
  const [first] = content.lines;
  const turned = { ...content, lines: content.lines.map((line) => (line === first ? { ...line, angle: 90 } : line)) };
  let shown = 0;
  await predictLayout(turned, async (asked) => { shown = asked.lines.length; return noOutput; }, signal);
  t.equal(shown, page.lines.length - 1);
  const opinion = await predictLayout(content, async (asked) => outputOf(itemsOf(asked), { classes: Float32Array.from(classes.flat()), joined: Float32Array.from(joined) }), signal);
  t.equal(opinion?.lines.size, content.words.length);
  for (const [index, region] of (opinion?.regions ?? []).entries()) {
    for (const word of opinion?.words[index] ?? []) t.equal(opinion?.lines.get(word)?.region, index);
    t.ok(region.lines.length === 0 || (opinion?.words[index] ?? []).length > 0);
  }
  t.equal(await predictLayout(content, async () => noOutput, signal), null, 'nothing is no opinion');
});

t.test('rows for the engine, and no network where there is none', async (t) => {
  const items = itemsOf(layoutPageOf((known[0] as Known).page));
  const rows = rowsOf(items);
  t.same([rows.features.length, rows.neighbours.length, rows.pairs.length, rows.pairFeatures.length], [items.boxes.length * featureCount, items.boxes.length * 5, items.pairs.length * 2, items.pairs.length * pairFeatureCount]);
  t.equal(shippedLayoutFinder(() => { throw new Error('nobody asks'); }, t.testdir()), null);
});

t.test('coordinates and sizes of damaged files: every feature is a number that the network can compute with', (t) => {
  const at = (left: number, top: number, size: number) => ({ left, right: left + size, top, bottom: top + size, size, bold: false, italic: false, text: 'words' });
  for (const lines of [[at(1e38, 0, 1), at(-1e38, 10, 1)], [at(0, 0, 1e38), at(0, 5, 0)], [at(0, 0, Infinity), at(0, 5, 0)], [at(NaN, 0, 1), at(0, 5, 1)], [at(0, 0, 0), at(0, 0, 0)]]) {
    const { features, pairFeatures } = itemsOf({ width: 1, height: 1, lines, drawn: [{ left: -1e38, right: 1e38, top: 0, bottom: 1e38, kind: 'area' }] });
    t.ok([...features, ...pairFeatures].flat().every((feature) => Math.abs(feature) <= 16), JSON.stringify(lines[0]));
  }
  t.end();
});
