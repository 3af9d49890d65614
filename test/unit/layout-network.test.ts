/** The layout network in TypeScript against what its training code in Python says of the same pages; broken files of weights. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { countPage, f1Of, type LabelCount } from '../../bench/region-f1.js';
import { type DrawnItem, featureCount, itemsOf, type LayoutPage, pairFeatureCount } from '../../src/convert/layout-network/items.js';
import { LineNetwork, mostItems } from '../../src/convert/layout-network/network.js';
import { findLayoutNetwork } from '../../src/convert/layout-network/own.js';
import { packageRoot, shippedModelsDirectory } from '../../src/package-files.js';

interface Known {
  page: Omit<LayoutPage, 'drawn'> & { drawn: [number, number, number, number, number][] };
  features: number[][];
  neighbours: number[][];
  pairs: [number, number][];
  pairFeatures: number[][];
  classes: number[][];
  joined: number[];
  regions: [string, number, number, number, number, number][];
}

const kinds: DrawnItem['kind'][] = ['stroke', 'area', 'image'];
const known = (JSON.parse(readFileSync(join(packageRoot(), 'test/fixtures/layout-network.json'), 'utf8')) as Known[])
  .map((one) => ({ ...one, page: { ...one.page, drawn: one.page.drawn.map(([left, top, right, bottom, kind]) => ({ left, top, right, bottom, kind: kinds[kind] as DrawnItem['kind'] })) } }));
const network = findLayoutNetwork(shippedModelsDirectory()) as LineNetwork;

function farthest(one: number[][], other: number[][]): number {
  if (one.length !== other.length || one.some((row, index) => row.length !== other[index]?.length)) return Infinity;
  return Math.max(0, ...one.flatMap((row, index) => row.map((value, column) => Math.abs(value - (other[index]?.[column] ?? NaN)))));
}

t.test('features, neighbours, logits and regions are those of the training code', (t) => {
  t.ok(known.length >= 3);
  for (const { page, features, neighbours, pairs, pairFeatures, classes, joined, regions } of known) {
    const items = itemsOf(page);
    t.ok(items.features.length > 20 && items.features.every(({ length }) => length === featureCount) && items.pairFeatures.every(({ length }) => length === pairFeatureCount));
    t.ok(farthest(items.features, features) < 1e-4, 'features');
    t.same(items.neighbours, neighbours);
    t.same(items.pairs, pairs);
    t.ok(farthest(items.pairFeatures, pairFeatures) < 1e-4, 'features of pairs');
    const ran = network.run(items);
    t.ok(farthest(ran.classes.map((row) => [...row]), classes) < 2e-3, 'classes');
    t.ok(farthest([ran.joined], [joined]) < 2e-3, 'pairs');
    const shown = (rows: (string | number)[][]): string[] => rows.map(([label, ...box]) => [label, ...box.slice(0, 4).map((value) => Math.round(Number(value)))].join(' ')).sort();
    t.same(shown(network.find(page).map(({ label, left, top, right, bottom }) => [label, left, top, right, bottom])), shown(regions));
  }
  t.end();
});

t.test('every line is in one region at most, and the same page gives the same regions', (t) => {
  for (const { page } of known) {
    const regions = network.find(page);
    const lines = regions.flatMap((region) => region.lines);
    t.equal(new Set(lines).size, lines.length);
    t.ok(lines.length > 0.9 * page.lines.length);
    t.same(network.find(page), regions);
    t.ok(regions.every(({ score }, index) => score > 0 && score <= 1 && score <= (regions[index - 1]?.score ?? 1)));
  }
  t.same(network.find({ width: 500, height: 700, lines: [], drawn: [] }), [], 'an empty page has none');
  const alone = network.find({ width: 500, height: 700, lines: [], drawn: [{ left: 100, top: 100, right: 400, bottom: 300, kind: 'image' }] });
  t.same(alone.map(({ label, lines }) => [label, lines]), [['picture', []]]);
  const line = { left: 100, right: 300, size: 10, bold: false, italic: false, text: 'A line of text' };
  const rows = (count: number): LayoutPage => ({ width: 500, height: 700, drawn: [], lines: Array.from({ length: count }, (_, row) => ({ ...line, top: row / 2, bottom: row / 2 + 9.6 })) });
  t.ok(network.find(rows(200)).length > 0);
  t.same(network.find(rows(mostItems + 1)), [], 'too many to look at');
  t.end();
});

t.test('scale does not matter: the page in points and in pixels has the same regions', (t) => {
  for (const { page } of known) {
    const scaled = 2.5;
    const larger = <Box extends { left: number; top: number; right: number; bottom: number }>(box: Box): Box => ({ ...box, left: box.left * scaled, top: box.top * scaled, right: box.right * scaled, bottom: box.bottom * scaled });
    const regions = network.find({ width: page.width * scaled, height: page.height * scaled, lines: page.lines.map((line) => ({ ...larger(line), size: line.size * scaled })), drawn: page.drawn.map(larger) });
    const counts = new Map<string, LabelCount>();
    countPage(counts, regions, network.find(page).map(larger));
    t.ok([...counts.values()].every((count) => f1Of(count) === 1), JSON.stringify([...counts]));
  }
  t.end();
});

t.test('a file that is none is refused', (t) => {
  const good = JSON.parse(readFileSync(join(shippedModelsDirectory(), 'lectern-layout.json'), 'utf8')) as { first: { weights: string; rows: number }; rounds: object[]; joined: object; labels: string[] };
  const refused = (value: unknown): void => { t.throws(() => new LineNetwork(typeof value === 'string' ? value : JSON.stringify(value)), { code: 'invalid_model' }); };
  refused('');
  refused('{}');
  refused({ ...good, first: { ...good.first, weights: good.first.weights.slice(4) } });
  refused({ ...good, first: { ...good.first, rows: good.first.rows - 1 } });
  refused({ ...good, rounds: [] });
  refused({ ...good, rounds: [good.joined] });
  refused({ ...good, labels: good.labels.slice(1) });
  t.equal(findLayoutNetwork(t.testdir()), null);
  t.end();
});
