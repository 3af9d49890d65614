/** The layout network that ships, run by the real engine, against what its training code says of the same pages. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { contentOf, type DrawnPage, layoutPageOf } from '../../bench/drawn-pages.js';
import { convertedRegions } from '../../bench/layout-conversion.js';
import { countPage, f1Of, type LabelCount } from '../../bench/region-f1.js';
import { itemsOf } from '../../src/convert/layout-network/items.js';
import { rowsOf } from '../../src/convert/layout-network/regions.js';
import { mostItems, shippedLayoutFinder } from '../../src/convert/layout-network/shipped.js';
import { openEngine } from '../../src/engine/engine.js';
import { packageRoot, shippedModelsDirectory } from '../../src/platform/package-files.js';

interface Known {
  page: DrawnPage;
  classes: number[][];
  joined: number[];
  regions: [string, number, number, number, number, number][];
}

const known = JSON.parse(readFileSync(join(packageRoot(), 'test/fixtures/layout-network.json'), 'utf8')) as Known[];
const { signal } = new AbortController();
const engine = openEngine();
t.teardown(() => engine.close());
const find = shippedLayoutFinder(() => engine, shippedModelsDirectory())!;

t.test('logits and regions are those of the training code, the same ones every time', async (t) => {
  const model = await engine.openVision({ kind: 'lines', networks: { lines: { file: join(shippedModelsDirectory(), 'lectern-layout.onnx') } }, device: 'cpu', threads: 1, workBytes: 64 * 2 ** 20 });
  for (const { page, classes, joined, regions } of known) {
    const rows = rowsOf(itemsOf(layoutPageOf(page)));
    const found = await model.classifyLines(rows);
    // Weights are kept as halves, and these logits are of whole ones.
    const off = (one: Float32Array, other: number[]): number => (one.length !== other.length ? Infinity : Math.max(0, ...other.map((value, index) => Math.abs(value - (one[index] as number)) / (1 + Math.abs(value)))));
    t.ok(off(found.classes, classes.flat()) < 0.03, `classes off by ${off(found.classes, classes.flat())}`);
    t.ok(off(found.joined, joined) < 0.03, `pairs off by ${off(found.joined, joined)}`);
    t.same(await model.classifyLines(rows), found);
    const seen = await find(layoutPageOf(page), signal);
    const shown = (boxes: (string | number)[][]): string[] => boxes.map(([label, ...box]) => [label, ...box.slice(0, 4).map((value) => Math.round(Number(value)))].join(' ')).sort();
    t.same(shown(seen.regions.map(({ label, left, top, right, bottom }) => [label, left, top, right, bottom])), shown(regions));
    await t.rejects(model.classifyLines({ ...rows, features: rows.features.subarray(1) }), { code: 'invalid_request' });
    await t.rejects(model.classifyLines({ ...rows, pairs: Int32Array.from(rows.pairs, () => 1e6) }), { code: 'invalid_request' });
    await t.rejects(model.classifyLines({ ...rows, neighbours: rows.features as unknown as Int32Array }), { code: 'invalid_request' });
  }
  await t.rejects(model.findTableCells({ data: new Uint8Array(36), width: 3, height: 3, stride: 12 }), { code: 'invalid_request' });
  await t.rejects(find(layoutPageOf(known[0]!.page), AbortSignal.abort()), { code: 'cancelled' });
  await model.close();
});

t.test('scale does not matter, and pages of nothing or of too much have no regions', async (t) => {
  for (const { page } of known) {
    const scaled = 2.5;
    const shown = layoutPageOf(page);
    const larger = <Box extends { left: number; top: number; right: number; bottom: number }>(box: Box): Box => ({ ...box, left: box.left * scaled, top: box.top * scaled, right: box.right * scaled, bottom: box.bottom * scaled });
    const { regions } = await find({ width: page.width * scaled, height: page.height * scaled, lines: shown.lines.map((line) => ({ ...larger(line), size: line.size * scaled })), drawn: shown.drawn.map(larger) }, signal);
    const counts = new Map<string, LabelCount>();
    countPage(counts, regions, (await find(shown, signal)).regions.map(larger));
    t.ok(counts.size > 2 && [...counts.values()].every((count) => f1Of(count) === 1), JSON.stringify([...counts]));
  }
  t.same((await find({ width: 500, height: 700, lines: [], drawn: [] }, signal)).regions, []);
  const line = { left: 100, right: 300, size: 10, bold: false, italic: false, text: 'A line of text' };
  const rows = (count: number) => ({ width: 500, height: 700, drawn: [], lines: Array.from({ length: count }, (_, row) => ({ ...line, top: row / 2, bottom: row / 2 + 9.6 })) });
  t.ok((await find(rows(200), signal)).regions.length > 0);
  t.same((await find(rows(mostItems + 1), signal)).regions, []);
});

t.test('conversion makes more of drawn pages with it than without', async (t) => {
  const [without, with_] = [new Map<string, LabelCount>(), new Map<string, LabelCount>()];
  for (const { page, regions } of known) {
    const truth = regions.map(([label, left, top, right, bottom]) => ({ label, left, top, right, bottom }));
    countPage(without, await convertedRegions(contentOf(page), { layout: null }), truth);
    countPage(with_, await convertedRegions(contentOf(page), { layout: find }), truth);
  }
  const right = (counts: Map<string, LabelCount>): number => [...counts.values()].reduce((sum, count) => sum + count.right, 0);
  t.ok(right(with_) > right(without), `${right(with_)} and ${right(without)}`);
});
