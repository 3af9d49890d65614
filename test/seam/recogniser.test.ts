/** The addon's own reader of text: the network that ships, a page through it, and files that are no such network. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { findOwnNetwork, ownRecognisers, shippedLineVoting } from '../../src/convert/ocr/own.js';
import { readPagePictures } from '../../src/convert/ocr/page-pictures.js';
import { readPicture } from '../../src/convert/ocr/read-picture.js';
import { isRecogniser } from '../../src/convert/ocr/recogniser.js';
import { placeOnPage } from '../../src/convert/ocr/rotation.js';
import { openEngine } from '../../src/engine/engine.js';
import { packageRoot, shippedModelsDirectory } from '../../src/platform/package-files.js';
import { openPdf } from '../../src/pdf/index.js';
import type { Box } from '../../src/pdf/pdf-page.js';
import { line, placed, rectangle, text } from '../support/pdf-content.js';
import { makePdf, type PageSpec } from '../support/pdf-writer.js';

const engine = openEngine();
t.teardown(() => engine.close());
const network = findOwnNetwork(shippedModelsDirectory())?.path ?? '';
const orientation = join(shippedModelsDirectory(), 'lectern-orientation.onnx');
const detector = join(shippedModelsDirectory(), 'lectern-detector.onnx');
/** Grey levels to either side: geometry takes such paper for ink. */
const grain = 60;
const lineVotes = shippedLineVoting(() => engine, shippedModelsDirectory());
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

t.test('a page that does not stand upright is given up after a look at its longest lines; an upright one is read whole, and the same', async (t) => {
  const content = Array.from({ length: 14 }, (_, line) => text(30, 270 - 18 * line, 11, `${'A longer line of text '.repeat(1 + (line % 3))}and its end ${line}.`));
  const pdf = await openPdf(makePdf({ pages: [{ width: 500, height: 300, content }, { width: 500, height: 300, rotate: 180, content }] }), { password: null });
  t.teardown(() => pdf.close());
  const [upright, upsideDown] = [0, 1].map((page) => pdf.renderRegion(page, { left: 0, top: 0, right: 500, bottom: 300 }, 150));
  const whole = await engine.recogniseText(upright!, { network, dpi: 150 });
  t.equal(whole.lines.length, 14);
  t.same(await engine.recogniseText(upright!, { network, dpi: 150, orientation }), whole, 'nothing is lost by asking the lines first');
  t.match(await engine.recogniseText(upsideDown!, { network, dpi: 150, orientation }), { turned: true, lines: [] });
  t.ok((await engine.recogniseText(upsideDown!, { network, dpi: 150 })).lines.length > 10, 'unless it is wanted as it is');
  const [votes, against] = await Promise.all([upright!, upsideDown!].map((page) => engine.lineVotes(page, { network: orientation, dpi: 150 })));
  t.ok(votes!.lines === 14 && votes!.upright > 0.99 * (votes!.upright + votes!.turned + votes!.neither), JSON.stringify(votes));
  t.ok(against!.turned > 0.99 * (against!.upright + against!.turned + against!.neither), JSON.stringify(against));
  t.same(await engine.lineVotes(blank, { network: orientation, dpi: 150 }), { upright: 0, turned: 0, neither: 0, lines: 0 });
});

t.test('boxes to tick on a picture of a page are words beside what they are for, framed numbers stay numbers', async (t) => {
  const box = (x: number, y: number): string => rectangle(x, y, 9, 9, { stroke: 0x333333, lineWidth: 0.8 });
  const cross = (x: number, y: number): string => [line(x + 2, y + 2, x + 7, y + 7), line(x + 2, y + 7, x + 7, y + 2)].join('\n');
  const content = [
    text(30, 150, 11, 'Have you smoked within the last year?'), box(260, 149), text(274, 150, 11, 'yes'), box(310, 149), cross(310, 149), text(324, 150, 11, 'no'),
    box(30, 119), cross(30, 119), text(46, 120, 11, 'I have read the information sheet.'),
    box(30, 89), text(32.2, 90.5, 9, '7'), text(46, 90, 11, 'Seven is written in this frame.'),
  ];
  const pdf = await openPdf(makePdf({ pages: [{ width: 400, height: 180, content }] }), { password: null });
  t.teardown(() => pdf.close());
  const recogniser = await ownRecognisers(() => engine, shippedModelsDirectory()).find('auto', []);
  if (!isRecogniser(recogniser)) throw new Error(recogniser.reason);
  const read = await readPicture({ render: (_, region, dpi) => pdf.renderRegion(0, region, dpi) }, { ...pdf.readPage(0), words: [], lines: [] }, { recogniser, engine, lineVotes, signal: new AbortController().signal });
  const lines = read.content.lines.map(({ words }) => words.map((word) => word.text).join(' '));
  t.same(lines.slice(0, 4), ['Have you smoked within the last year?', '☐ yes', '☒ no', '☒ I have read the information sheet.']);
  t.notMatch(lines.slice(4).join(' '), /[☐☒]/);
  t.match(lines.slice(4).join(' '), /Seven is written/);
});

/** Points from the middle of one box to that of the other. */
function apart(a: Box, b: Box): number {
  return Math.hypot(a.left + a.right - b.left - b.right, a.top + a.bottom - b.top - b.bottom) / 2;
}

t.test('what leans on its head is read straight, and told where it leans', async (t) => {
  const [cosine, sine] = [Math.cos(Math.PI / 45), Math.sin(Math.PI / 45)];
  const content = [`${cosine} ${sine} ${-sine} ${cosine} 30 -20 cm`, ...Array.from({ length: 8 }, (_, index) => text(40, 250 - 24 * index, 12, ['Seven', 'herons', 'wait', 'beside', 'shallow', 'rivers', 'until', 'evening'].map((word) => `${word}${index}`).join(' ')))];
  const pdf = await openPdf(makePdf({ pages: [{ width: 480, height: 300, content }, { width: 480, height: 300, rotate: 180, content }] }), { password: null });
  t.teardown(() => pdf.close());
  const recogniser = await ownRecognisers(() => engine, shippedModelsDirectory()).find('auto', []);
  if (!isRecogniser(recogniser)) throw new Error(recogniser.reason);
  for (const [index, turn] of [0, 180].entries()) {
    const page = pdf.readPage(index);
    const read = await readPicture({ render: (_, region, dpi) => pdf.renderRegion(index, region, dpi) }, page, { recogniser, engine, lineVotes, signal: new AbortController().signal });
    t.match(read, { turn });
    t.ok(Math.abs(read.lean - 4) < 0.3, `leans by ${read.lean}`);
    const { toPage } = placeOnPage(read.content, read);
    const off = read.content.words.flatMap((word) => {
      const shown = page.words.find(({ text }) => text === word.text);
      return shown === undefined || toPage === null ? [] : [[apart(toPage(word.box), shown.box), apart(word.box, shown.box)] as const];
    });
    const [most, straight] = [Math.max(...off.map(([one]) => one)), Math.max(...off.map(([, other]) => other))];
    t.ok(off.length > 50 && most < 3 && straight > 10, `${off.length} of 64 words, at most ${most.toFixed(1)} points beside their place, ${straight.toFixed(1)} on the straightened page`);
  }
});

t.test('a page is read alike in all four orientations', async (t) => {
  const told = ['A ship that leaves the harbour in the morning', 'carries letters, coal and bread to the islands', 'where nobody has seen a doctor since October', 'because the ice was too thick for small boats.',
    'Two men on the bridge look out for the light', 'that stands upon the southern point of the bay', 'and count its flashes: one long, then two short'];
  const content = told.map((line, index) => text(40, 250 - 22 * index, 12, line));
  const pdf = await openPdf(makePdf({ pages: ([0, 90, 180, 270] as const).map((rotate) => ({ width: 480, height: 290, rotate, content })) }), { password: null });
  t.teardown(() => pdf.close());
  const recogniser = await ownRecognisers(() => engine, shippedModelsDirectory()).find('auto', []);
  if (!isRecogniser(recogniser)) throw new Error(recogniser.reason);
  const dpis: [number, boolean | undefined][] = [];
  const counting = { name: 'counting', read: (...[bitmap, dpi, signal, least]: Parameters<typeof recogniser.read>) => (dpis.push([dpi, least]), recogniser.read(bitmap, dpi, signal, least)) };
  const seen: string[][] = [];
  for (const [index, turn] of [0, 270, 180, 90].entries()) {
    dpis.length = 0;
    const read = await readPicture({ render: (_, region, dpi) => pdf.renderRegion(index, region, dpi) }, pdf.readPage(index), { recogniser: counting, engine, lineVotes, signal: new AbortController().signal });
    t.equal(read.turn, turn);
    t.match(read.content, { width: 480, height: 290 }, 'the upright page');
    seen.push(read.content.lines.map((line) => line.words.map((word) => word.text).join(' ')));
    const first = read.content.words[0];
    t.ok(Math.abs((first?.box.left ?? 0) - 41) < 2 && Math.abs((first?.baseline ?? 0) - 40) < 1.5, `the first word stands where it was drawn on the upright page: ${first?.box.left}, ${first?.baseline}`);
    // The file's own words are where the page shows them.
    const { size, toPage } = placeOnPage(read.content, read);
    t.match(size, { width: pdf.readPage(index).width, height: pdf.readPage(index).height });
    const off = read.content.words.flatMap((word) => {
      const shown = pdf.readPage(index).words.filter(({ text }) => text === word.text);
      return shown.length === 1 ? [apart(toPage?.(word.box) ?? word.box, shown[0]!.box)] : [];
    });
    t.ok(off.length > 20 && Math.max(...off) < 3, `${off.length} words, at most ${Math.max(...off).toFixed(1)} points beside their place on the page as the file shows it`);
    t.equal(dpis.filter(([, least]) => least === undefined).length, turn === 0 ? 0 : 1, 'what is turned is read whole but once');
    t.equal(dpis.length, turn === 0 ? 1 : 2, 'and looked at once before');
  }
  for (const lines of seen) t.same(lines, told);
});

t.test('a scanned paragraph in a page of text is read, a photograph is looked at in vain', async (t) => {
  const told = ['The first line of a paragraph that was scanned', 'before it was pasted into a page of new text,', 'so that no file knows what its letters are.'];
  const source = await openPdf(makePdf({ pages: [{ width: 320, height: 80, content: told.map((line, index) => text(12, 58 - 18 * index, 11, line)) }] }), { password: null });
  t.teardown(() => source.close());
  const drawn = source.renderRegion(0, { left: 0, top: 0, right: 320, bottom: 80 }, 200);
  const scan = { width: drawn.width, height: drawn.height, grey: 0, pixels: new Uint8Array(drawn.width * drawn.height).map((_, at) => drawn.data[Math.floor(at / drawn.width) * drawn.stride + (at % drawn.width) * 4]!) };
  const photograph = { width: 400, height: 100, grey: 0, pixels: new Uint8Array(40_000).map((_, at) => 128 + 90 * Math.sin(at / 700) + ((at * 7919) % 37)) };
  const page = (image: typeof scan): PageSpec => ({ width: 400, height: 300, images: { Im0: image }, content: [text(40, 270, 11, 'What the file tells of this page.'), placed('Im0', 320, 0, 0, 80, 40, 120)] });
  const pdf = await openPdf(makePdf({ pages: [page(scan), page(photograph)] }), { password: null });
  t.teardown(() => pdf.close());
  const recogniser = await ownRecognisers(() => engine, shippedModelsDirectory()).find('auto', []);
  if (!isRecogniser(recogniser)) throw new Error(recogniser.reason);
  const look = (index: number) => readPagePictures({ render: (_, region, dpi) => pdf.renderRegion(index, region, dpi) }, pdf.readPage(index), { recogniser, engine, lineVotes, signal: new AbortController().signal });
  const read = await look(0);
  // The network takes a small letter for its capital now and then.
  const texts = read?.content.lines.map((line) => line.words.map((word) => word.text).join(' ').toLowerCase());
  t.same(texts, ['What the file tells of this page.', ...told].map((line) => line.toLowerCase()));
  const [left, top] = [read?.content.lines[1]?.box.left ?? 0, read?.content.lines[1]?.baseline ?? 0];
  t.ok(Math.abs(left - 52.5) < 2 && Math.abs(top - (300 - 120 - 58)) < 1.5, `in its place on the page: ${left}, ${top}`);
  t.equal(await look(1), null);
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

t.test('on a page full of grain the detector finds the lines, on a clean one nothing changes', async (t) => {
  const told = ['The harbour master kept a list of every ship', 'that came in before the frost, and of all those', 'which had been expected and did not arrive.', 'Nobody read it until the spring of that year,', 'when a clerk began to copy it into a new book.'];
  const pdf = await openPdf(makePdf({ pages: [{ width: 400, height: 200, content: told.map((line, index) => text(40, 160 - 28 * index, 13, line)) }] }), { password: null });
  t.teardown(() => pdf.close());
  const clean = pdf.renderRegion(0, { left: 0, top: 0, right: 400, bottom: 200 }, 200);
  t.same(await engine.recogniseText(clean, { network, dpi: 200, detector }), await engine.recogniseText(clean, { network, dpi: 200 }), 'a page that is white and read well');
  const grainy = { ...clean, data: new Uint8Array(clean.data) };
  let seed = 1;
  const noise = (): number => ((seed = (seed * 48271) % 2147483647) / 2147483647) - 0.5;
  for (let at = 0; at < grainy.data.length; at += 4) {
    const grey = Math.max(0, Math.min(255, 60 + (clean.data[at] as number) * 0.45 + 2 * grain * noise()));
    grainy.data.fill(grey, at, at + 3);
  }
  const found = async (options: { detector?: string }): Promise<{ right: number; lines: number }> => {
    const { lines } = await engine.recogniseText(grainy, { network, dpi: 200, ...options });
    const words = lines.flatMap((line) => line.words.map((word) => word.text));
    return { right: told.join(' ').split(' ').filter((word) => words.includes(word)).length, lines: lines.length };
  };
  const [without, withIt] = [await found({}), await found({ detector })];
  t.comment(JSON.stringify({ without, withIt }));
  t.ok(withIt.right > without.right + 5 && withIt.lines < 20, `${withIt.right} words in ${withIt.lines} lines, without it ${without.right} in ${without.lines}`);
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
  for (const options of [{ network: '', dpi: 200 }, { network: 'a\0', dpi: 200 }, { network, dpi: 10 }, { network, dpi: 200, oneLine: 1 as unknown as boolean }, { network, dpi: 200, orientation: '' }, { network, dpi: 200, orientation: 1 as unknown as string }]) await t.rejects(engine.recogniseText(blank, options), { code: 'invalid_request' });
  await t.rejects(engine.recogniseText(blank, { network, dpi: 200, orientation: network }), { code: 'invalid_model', message: /which way up lines stand/u });
  t.same((await engine.recogniseText(blank, { network, dpi: 200, detector })).lines, [], 'nothing on a blank page');
  const grey = { ...blank, data: new Uint8Array(blank.data.length).fill(128) };
  t.same((await engine.recogniseText(grey, { network, dpi: 200, detector })).lines, [], 'nor on a grey one');
  await t.rejects(engine.recogniseText(grey, { network, dpi: 200, detector: network }), { code: 'invalid_model', message: /no detector of pages/u });
  await t.rejects(engine.lineVotes(blank, { network: join(directory, 'none.onnx'), dpi: 200 }), { code: 'model_not_found' });
  await t.rejects(engine.lineVotes(blank, { network, dpi: 200 }), { code: 'invalid_model', message: /which way up lines stand/u });
  await t.rejects(engine.lineVotes(blank, { network: orientation, dpi: 10 }), { code: 'invalid_request' });
  const pixel = { data: new Uint8Array(4).fill(0), width: 1, height: 1, stride: 4 };
  for (const oneLine of [false, true]) t.ok(Array.isArray((await engine.recogniseText(pixel, { network, dpi: 200, oneLine })).lines), 'one black pixel');
});
