/** Vision models through the addon: opened from what their cards say, asked, cancelled, closed; broken ones and wrong calls are refused. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openEngine } from '../../src/engine/engine.js';
import type { OpenVisionOptions } from '../../src/engine/vision-port.js';
import { misfit } from '../../src/models/card-fit.js';
import { readOnnxHeader } from '../../src/models/onnx-header.js';
import { parseCard } from '../../src/models/vision-card.js';
import { createVisionCatalogue } from '../../src/models/vision-catalogue.js';
import { brokenLayouts, layoutCard, pageOfBars, writeCountingLayout, writeLayout, writeTextReader } from '../support/network-files.js';

const engine = openEngine();
t.teardown(() => engine.close());
const place = { device: 'cpu' as const, threads: 1, workBytes: 2 ** 28 };

async function optionsOf(directory: string, name: string): Promise<OpenVisionOptions> {
  return { ...(await createVisionCatalogue({ directories: [directory] }).find(name)).networks, ...place };
}

t.test('a text model reads the lines of a page', async (t) => {
  const directory = t.testdir();
  writeTextReader(join(directory, 'bars'));
  const model = await engine.openVision(await optionsOf(directory, 'bars'));
  const { lines, rulings } = await model.readLines(pageOfBars(['cbaabcbc', 'cbc']), { dpi: 150 });
  t.same(lines.map(({ words }) => words.map(({ text }) => text)), [['cbabcbc'], ['cbc']]);
  t.ok(Array.isArray(rulings));
  const word = lines[0]?.words[0];
  t.ok(word !== undefined && Math.abs(word.left - 100) <= 1 && Math.abs(word.right - 500) <= 1 && Math.abs(word.top - 100) <= 1 && Math.abs(word.bottom - 124) <= 1 && word.confidence > 0, JSON.stringify(word));
  await t.rejects(model.findLayout(pageOfBars([])), { code: 'invalid_request', message: /does not find layouts/ });
  await t.rejects(model.readLines(pageOfBars([]), { dpi: 9 }), { code: 'invalid_request', message: /options\.dpi/ });
  const leave = new AbortController();
  // A small page may be read before this thread comes on to leave.
  const reading = model.readLines(pageOfBars(['cbc'], 3200, 2400), { dpi: 150, signal: leave.signal });
  leave.abort();
  await t.rejects(reading, { code: 'cancelled' });
  await model.close();
  await model.close();
  await t.rejects(model.readLines(pageOfBars([]), { dpi: 150 }), { code: 'invalid_state' });
});

t.test('a layout model sees each page alone, however many are asked about at once', async (t) => {
  const directory = t.testdir();
  writeLayout(join(directory, 'halves'));
  const model = await engine.openVision(await optionsOf(directory, 'halves'));
  t.teardown(() => model.close());
  const sizes = [[640, 480], [100, 900], [333, 10], [64, 64], [1200, 20], [8, 8]] as const;
  const leave = new AbortController();
  // Takes long to make small: what stands behind it cannot be done before it is given up.
  const large = pageOfBars([], 6000, 4000);
  const small = sizes.map(([width, height]) => pageOfBars([], width, height));
  const first = model.findLayout(large);
  const asked = small.map((page) => model.findLayout(page));
  const abandoned = model.findLayout(small[0] as ReturnType<typeof pageOfBars>, { signal: leave.signal });
  leave.abort();
  await t.rejects(abandoned, { code: 'cancelled' });
  t.equal((await first).length, 2);
  const pages = await Promise.all(asked);
  pages.forEach((regions, index) => {
    const [width, height] = sizes[index] as [number, number];
    t.match(regions, [{ label: 'text', left: 0, top: 0, right: width }, { label: 'table', left: 0, right: width, bottom: height }]);
    t.ok(Math.abs((regions[0]?.bottom ?? 0) - height / 2) < 1e-3 && Math.abs((regions[0]?.score ?? 0) - 0.9) < 1e-6);
  });
});

t.test('pages that wait, of whatever document, go through the network together', async (t) => {
  const directory = t.testdir();
  writeCountingLayout(join(directory, 'counting'));
  const model = await engine.openVision(await optionsOf(directory, 'counting'));
  t.teardown(() => model.close());
  const togetherOf = async (page: ReturnType<typeof pageOfBars>): Promise<number> => Math.round((((await model.findLayout(page))[0]?.score ?? 0) - 0.3) * 100);
  t.equal(await togetherOf(pageOfBars([])), 1, 'alone');
  // The first takes long to make small: the others have come by then, if it did not take them along.
  const together = await Promise.all([togetherOf(pageOfBars([], 6000, 4000)), ...Array.from({ length: 7 }, () => togetherOf(pageOfBars([], 100, 100)))]);
  t.ok(Math.max(...together) >= 4, `pages at once, by page: ${together.join(' ')}`);
  // Who went with n pages is one of n.
  for (const size of new Set(together)) t.equal(together.filter((one) => one === size).length % size, 0, `${size} at once`);
});

t.test('lines of two documents at once are read beside each other, and say to the bit what they say alone', async (t) => {
  const directory = t.testdir();
  writeTextReader(join(directory, 'bars'));
  const model = await engine.openVision(await optionsOf(directory, 'bars'));
  t.teardown(() => model.close());
  const documents = [['cbaabcbc', 'cbc'], ['cbcbcbc', 'cbccb', 'cabc'], ['cb']].map((lines) => pageOfBars(lines, 640, 480));
  const alone = [];
  for (const page of documents) alone.push(await model.readLines(page, { dpi: 150 }));
  t.ok(new Set(alone.map((page) => JSON.stringify(page))).size === 3 && alone.every(({ lines }) => lines.length > 0), 'each says something else');
  // The first is a large one: the others wait behind it by the time it is done.
  const [, ...together] = await Promise.all([pageOfBars([], 3000, 3000), ...documents, ...documents].map((page) => model.readLines(page, { dpi: 150 })));
  t.strictSame(together, [...alone, ...alone]);
});

t.test('what is wrong is said with its name, and nothing stays open', async (t) => {
  const directory = t.testdir();
  writeLayout(join(directory, 'three'), 'model', { ...layoutCard, labels: ['one'] });
  const three = await engine.openVision(await optionsOf(directory, 'three'));
  await t.rejects(three.findLayout(pageOfBars([])), { code: 'invalid_model', message: /a label that is none of the 1/ });
  await three.close();
  writeTextReader(join(directory, 'short'), { recognition: { space: false } });
  await t.rejects(engine.openVision(await optionsOf(directory, 'short')), { code: 'invalid_model', message: /"rec.onnx".* has 5 classes, and none with the dictionary make 4/ });
  const good = await optionsOf(directory, 'three');
  if (good.kind !== 'layout') throw new Error('a layout');
  const layout = good.networks.layout;
  await t.rejects(engine.openVision({ ...good, networks: { layout: { ...layout, file: join(directory, 'none.onnx') } } }), { code: 'model_not_found' });
  const wrong: [object, RegExp][] = [
    [{ ...layout, colour: 1 }, /layout\.colour is not a known key/], [{ ...layout, labels: [] }, /layout\.labels/], [{ ...layout, threshold: Number.NaN }, /layout\.threshold/],
    [{ ...layout, preparation: { ...layout.preparation, std: [1, 0, 1] } }, /preparation\.std/], [{ ...layout, width: 0 }, /layout\.width/],
  ];
  for (const [network, message] of wrong) await t.rejects(engine.openVision({ ...good, networks: { layout: network } } as OpenVisionOptions), { code: 'invalid_request', message });
  await t.rejects(engine.openVision({ ...good, kind: 'sound' } as unknown as OpenVisionOptions), { code: 'invalid_request', message: /options\.kind/ });
});

t.test('what the catalogue refuses by its header the engine refuses, too, and both know the same versions of ONNX', async (t) => {
  const root = t.testdir();
  writeLayout(root, 'pages');
  const file = join(root, 'pages.onnx');
  const whole = readFileSync(file);
  const card = parseCard(JSON.stringify(layoutCard));
  if ('reason' in card) throw new Error(card.reason);
  const options = await optionsOf(root, 'pages');
  const byHeader = async (): Promise<string | null> => readOnnxHeader(file).then((header) => misfit(card, header), (thrown: unknown) => (thrown as Error).message);
  const byEngine = async (): Promise<string | null> => {
    const model = await engine.openVision(options).catch((thrown: unknown) => thrown as Error);
    if (model instanceof Error) return model.message;
    return model.findLayout(pageOfBars([])).then(() => null, (thrown: unknown) => (thrown as Error).message).finally(() => model.close());
  };
  t.same([await byHeader(), await byEngine()], [null, null]);
  const damaged: [string, Buffer][] = Object.entries(brokenLayouts()).map(([name, { network }]) => [name, network]);
  for (let at = 0; at < whole.length; at += 3) {
    const flipped = Buffer.from(whole);
    flipped[at] = (flipped[at] as number) ^ (1 << at % 8);
    damaged.push([`byte ${at}`, flipped]);
  }
  let refused = 0;
  for (const [name, bytes] of damaged) {
    writeFileSync(file, bytes);
    const reason = await byHeader();
    if (reason === null) continue;
    refused++;
    if (await byEngine() === null) t.fail(`${name}: refused alone by its header: ${reason}`);
  }
  t.ok(refused > 20, `${refused} of ${damaged.length} are refused by their headers`);
  const opset = whole.indexOf(Buffer.from([0x42, 0x02, 0x10, 17]));
  for (const version of [5, 6, 7, 24, 25]) {
    const other = Buffer.from(whole);
    other[opset + 3] = version;
    writeFileSync(file, other);
    const [header, native] = [await byHeader(), await byEngine()].map((reason) => reason !== null && /opset (5|25)/.test(reason));
    t.same([header, native], version < 6 || version > 24 ? [true, true] : [false, false], `opset ${version}`);
  }
});

t.test('closing the engine closes them too', async (t) => {
  const directory = t.testdir();
  writeLayout(join(directory, 'halves'));
  const other = openEngine();
  const model = await other.openVision(await optionsOf(directory, 'halves'));
  await other.close();
  await t.rejects(model.findLayout(pageOfBars([])), { code: 'invalid_state' });
});
