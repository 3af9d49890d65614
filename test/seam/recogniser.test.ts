/** The addon's own reader of text: the network that ships, a page through it, and files that are no such network. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { findOwnNetwork } from '../../src/convert/ocr/own.js';
import { openEngine } from '../../src/engine/engine.js';
import { packageRoot, shippedModelsDirectory } from '../../src/package-files.js';
import { openPdf } from '../../src/pdf/index.js';
import { text } from '../support/pdf-content.js';
import { makePdf } from '../support/pdf-writer.js';

const engine = openEngine();
t.teardown(() => engine.close());
const network = findOwnNetwork(shippedModelsDirectory())?.path ?? '';
const blank = { data: new Uint8Array(64 * 64 * 4).fill(255), width: 64, height: 64, stride: 256 };

t.test('a page is read', async (t) => {
  const pdf = await openPdf(readFileSync(join(packageRoot(), 'test/fixtures/pdf/annual-sidebar.pdf')), { password: null });
  t.teardown(() => pdf.close());
  const page = pdf.readPage(0);
  // Its upper third: enough to judge by, and a tenth of the time with the plain kernels.
  const bottom = page.height / 3;
  const written = page.words.filter(({ box }) => box.bottom < bottom - 5);
  const bitmap = pdf.renderRegion(0, { left: 0, top: 0, right: page.width, bottom }, 200);
  const { lines } = await engine.recogniseText(bitmap, { network, dpi: 200 });
  const read = new Set(lines.flatMap(({ words }) => words.map(({ text }) => text)));
  const truth = [...new Set(written.map(({ text }) => text))].filter((text) => /^[a-z]{4,}$/iu.test(text));
  const share = truth.filter((text) => read.has(text)).length / truth.length;
  t.ok(truth.length > 20 && share > 0.9, `${(100 * share).toFixed(1)} % of ${truth.length} words are read`);
  const words = lines.flatMap((line) => line.words);
  t.ok(words.every((word) => word.right > word.left && word.bottom > word.top && word.confidence > 0 && word.confidence <= 1), 'boxes and confidences');
  // Where a word was read is where the file has it.
  const scale = 200 / 72;
  const places = truth.flatMap((text) => {
    const [here, there] = [words.filter((word) => word.text === text), written.filter((word) => word.text === text)];
    return here.length === 1 && there.length === 1 ? [Math.max(Math.abs(here[0]!.left - there[0]!.box.left * scale), Math.abs(here[0]!.right - there[0]!.box.right * scale))] : [];
  });
  t.ok(places.length > 10 && places.filter((off) => off < 6).length > 0.9 * places.length, `${places.filter((off) => off >= 6).length} of ${places.length} words are elsewhere`);
  t.same((await engine.recogniseText(blank, { network, dpi: 300 })).lines, [], 'a blank page holds nothing');
  const cancel = new AbortController();
  const reading = engine.recogniseText(bitmap, { network, dpi: 200, signal: cancel.signal });
  cancel.abort();
  await t.rejects(reading, { code: 'cancelled' });
});

t.test('white text on dark bars is read beside black text on paper', async (t) => {
  const bar = (y: number, height: number): string => `0.1 0.2 0.4 rg 30 ${y} 340 ${height} re f`;
  const content = [text(40, 250, 12, 'Black letters stand on the paper above'), bar(190, 40), text(40, 204, 14, 'White letters on a dark bar', { color: 0xffffff }), bar(120, 20), text(70, 126, 10, 'Month', { color: 0xffffff }),
    text(200, 126, 10, 'Arrivals', { color: 0xffffff }), text(40, 90, 12, 'and more black ones below it')];
  const pdf = await openPdf(makePdf({ pages: [{ width: 400, height: 300, content }] }), { password: null });
  t.teardown(() => pdf.close());
  const { lines } = await engine.recogniseText(pdf.renderRegion(0, { left: 0, top: 0, right: 400, bottom: 300 }, 200), { network, dpi: 200 });
  const read = lines.map(({ words }) => words.map((word) => word.text).join(' '));
  t.same(read.slice(0, 2), ['Black letters stand on the paper above', 'White letters on a dark bar']);
  t.same(read.slice(2, 4).sort(), ['Arrivals', 'Month']);
  t.same(read.slice(4), ['and more black ones below it'], 'nothing is read twice');
});

t.test('a single line, and the same line on a page with others, say the same', async (t) => {
  const pdf = await openPdf(readFileSync(join(packageRoot(), 'test/fixtures/pdf/annual-sidebar.pdf')), { password: null });
  t.teardown(() => pdf.close());
  const line = pdf.readPage(0).lines.filter(({ words }) => words.length >= 5).sort((a, b) => b.words.length - a.words.length)[0]!;
  const region = { left: line.box.left - 2, top: line.box.top - 1, right: line.box.right + 2, bottom: line.box.bottom + 1 };
  const { lines } = await engine.recogniseText(pdf.renderRegion(0, region, 200), { network, dpi: 200, oneLine: true });
  const words = lines.flatMap((one) => one.words.map(({ text }) => text));
  t.equal(lines.length, 1);
  t.same((await engine.recogniseText(pdf.renderRegion(0, region, 200), { network, dpi: 200, oneLine: true })).lines, lines, 'twice the same');
  const truth = line.words.map(({ text }) => text);
  t.ok(words.filter((word) => truth.includes(word)).length >= 0.8 * truth.length, `${words.join(' ')} | ${truth.join(' ')}`);
});

t.test('what is no recogniser of lines is refused, and the next page is read all the same', async (t) => {
  const directory = t.testdir({ 'text.onnx': 'no network', 'empty.onnx': '' });
  await t.rejects(engine.recogniseText(blank, { network: join(directory, 'none.onnx'), dpi: 200 }), { code: 'model_not_found' });
  for (const name of ['text.onnx', 'empty.onnx']) await t.rejects(engine.recogniseText(blank, { network: join(directory, name), dpi: 200 }), { code: 'invalid_model' }, name);
  const bytes = readFileSync(network);
  // The same network under another name for its alphabet.
  const at = bytes.indexOf('alphabet');
  bytes.write('alphabat', at, 'latin1');
  writeFileSync(join(directory, 'nameless.onnx'), bytes);
  await t.rejects(engine.recogniseText(blank, { network: join(directory, 'nameless.onnx'), dpi: 200 }), { code: 'invalid_model', message: /alphabet/u });
  t.same((await engine.recogniseText(blank, { network, dpi: 200 })).lines, []);
  for (const options of [{ network: '', dpi: 200 }, { network: 'a\0', dpi: 200 }, { network, dpi: 10 }, { network, dpi: 200, oneLine: 1 as unknown as boolean }]) await t.rejects(engine.recogniseText(blank, options), { code: 'invalid_request' });
  const pixel = { data: new Uint8Array(4).fill(0), width: 1, height: 1, stride: 4 };
  for (const oneLine of [false, true]) t.ok(Array.isArray((await engine.recogniseText(pixel, { network, dpi: 200, oneLine })).lines), 'one black pixel');
});
