/** Cards of vision models, what a directory of them is, and their share of the memory. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { modelRecognisers } from '../../src/convert/ocr/own.js';
import type { OpenVisionOptions, VisionModel } from '../../src/engine/vision-port.js';
import { LecternError } from '../../src/errors.js';
import { visionBytes } from '../../src/models/fit.js';
import { readOnnxHeader } from '../../src/models/onnx-header.js';
import { parseCard } from '../../src/models/vision-card.js';
import { createVisionCatalogue } from '../../src/models/vision-catalogue.js';
import type { VisionEntry } from '../../src/models/vision-entry.js';
import { createPageReaders } from '../../src/program/page-readers.js';
import { settled } from '../support/lease.js';
import { declaring, layoutCard, pageOfBars, writeLayout, writeNetwork, writeTextReader } from '../support/network-files.js';
import { makeResidency, minute, stateOf } from '../support/residency.js';

const mib = 2 ** 20;

t.test('a card says what it does not say by defaults, and what is wrong by its key', async (t) => {
  t.match(parseCard('{"kind":"text_detection"}'), { channels: 'bgr', mean: [0.485, 0.456, 0.406], shortest_side: 736, unclip: 1.5, fit: 'stretch' });
  t.match(parseCard('{"kind":"layout","labels":["text"]}'), { channels: 'rgb', std: [1, 1, 1], answer: 'queries', width: 640, threshold: 0.3 });
  t.match(parseCard('{"kind":"table","dictionary":"words.txt"}'), { fit: 'corner', merged_cells: true, boxes: 'table', width: 488 });
  t.match(parseCard('{"kind":"text_angle"}'), { width: 192, threshold: 0.9 });
  const wrong: [string, RegExp][] = [
    ['{', /no JSON/], ['[]', /"kind"/], ['null', /"kind"/], ['{"kind":"sound"}', /"kind" .*text_detection/], ['{"kind":"text_detection","colour":1}', /the key "colour", which/],
    ['{"kind":"text_detection","threshold":"0.3"}', /"threshold" of its card is wrong/], ['{"kind":"text_detection","threshold":2}', /"threshold"/], ['{"kind":"text_angle","width":1.5}', /"width"/],
    ['{"kind":"text_recognition","mean":[0.5]}', /"mean"/], ['{"kind":"text_recognition","std":[1,0,1]}', /"std\.1"/], ['{"kind":"layout"}', /"labels"/], ['{"kind":"layout","labels":[]}', /"labels"/],
    ['{"kind":"table"}', /"dictionary"/], ['{"kind":"table","dictionary":"../etc/passwd"}', /"dictionary" of its card must be the name of a file beside/], ['{"kind":"table","dictionary":".."}', /"dictionary"/],
    ['{"kind":"text_recognition","most_width":100}', /"most_width" of its card must be no less than least_width/], ['{"kind":"text_recognition","languages":["../x"]}', /"languages\.0"/],
  ];
  for (const [text, reason] of wrong) t.match(parseCard(text), { reason }, text);
});

t.test('a directory of text networks is one model, every other network is one; the rest is told with its reason', async (t) => {
  const root = t.testdir();
  writeTextReader(join(root, 'bars'), { recognition: { languages: ['rus', 'ell'] } });
  writeLayout(join(root, 'deep', 'heron'));
  writeLayout(root, 'pages');
  const picture = { x: [-1, 3, -1, -1] };
  const map = declaring(picture, { y: [-1, 1, -1, -1] });
  writeNetwork(join(root, 'half'), 'det', map, { kind: 'text_detection' });
  writeNetwork(join(root, 'lame'), 'det', map, { kind: 'text_detection' });
  writeNetwork(join(root, 'lame'), 'rec', map.subarray(0, 20), { kind: 'text_recognition' });
  writeNetwork(root, 'bare', Buffer.from('x'), null);
  writeNetwork(root, 'torn', Buffer.from('x'), '{"kind":');
  writeNetwork(root, 'wordless', declaring(picture, { a: [], b: [] }), { kind: 'table', dictionary: 'words.txt' });
  writeNetwork(root, 'dumb', Buffer.from('x'), { kind: 'table' });
  writeNetwork(root, 'lines', declaring(picture, { rows: [], columns: [], spans: [] }), { kind: 'table', answer: 'separators', fit: 'stretch', channels: 'rgb' });
  writeNetwork(join(root, 'blobs'), 'model', Buffer.from('x'), layoutCard);
  writeNetwork(root, 'lectern-recogniser', Buffer.from('x'), { languages: [] });
  mkdirSync(join(root, 'second'));
  writeLayout(join(root, 'second'), 'PAGES');
  const warnings: string[] = [];
  const catalogue = createVisionCatalogue({ directories: [root, join(root, 'nowhere')], log: (level, sentence) => warnings.push(`${level} ${sentence}`) });
  t.match(await catalogue.list(), [{ name: 'bars', kind: 'text', languages: ['rus', 'ell'] }, { name: 'heron', kind: 'layout', languages: null }, { name: 'lines', kind: 'table', networks: { networks: { table: { answer: 'separators', preparation: { bgr: false } } } } }, { name: 'pages', kind: 'layout' }]);
  const reasons = Object.fromEntries((await catalogue.refused()).map(({ name, reason }) => [name, reason]));
  t.match(reasons, {
    half: /one network of the kind text_detection.* this one has 1, 0 and 0$/, bare: /no card bare\.json/, torn: /no JSON: .*\(torn\.json\)$/, dumb: /key "dictionary" of its card must be named .*\(dumb\.json\)$/,
    wordless: /the key "dictionary" of its card wordless\.json names words\.txt, which is not there/, PAGES: /pages\.onnx has this name already/, rec: /^it is broken/, lame: /this one has 1, 0 and 0: rec\.onnx is left out$/,
  });
  t.equal(Object.keys(reasons).length, 8);
  t.equal(warnings.length, 8, 'the log hears of each once, however often somebody looks');
  t.ok(warnings.includes(`warn The model "dumb" of ${join(root, 'dumb.onnx')} is left out: ${String(reasons['dumb'])}.`), warnings.join('\n'));
  writeNetwork(join(root, 'lame'), 'rec', Buffer.from('x'), { kind: 'text_recognition', colour: 1 });
  await catalogue.list();
  t.match(warnings.slice(8), [/"rec" .* its card has the key "colour", which this kind does not know \(rec\.json\)\.$/], 'and of another reason');
  writeLayout(join(root, 'wide'), 'model', { ...layoutCard, work_mib: 900 });
  t.match([await catalogue.find('wide'), await catalogue.find('heron')].map(({ workBytes }) => workBytes / mib), [900, 384], 'what its runs may hold is its card\'s word');
  rmSync(join(root, 'wide'), { recursive: true });
  const bars = await catalogue.find('BARS');
  t.match(bars.networks, { kind: 'text', networks: { detector: { file: join(root, 'bars', 'det.onnx'), unclip: 0, preparation: { bgr: true, std: [1, 1, 1] } }, reader: { logits: true, space: true } } });
  await t.rejects(catalogue.find('half'), { code: 'invalid_model', message: /cannot be used: / });
  await t.rejects(catalogue.find('nobody'), { code: 'model_not_found' });
  writeFileSync(join(root, 'words.txt'), '<tr>\n');
  t.match(await catalogue.find('wordless'), { kind: 'table', networks: { networks: { table: { answer: 'words', dictionary: join(root, 'words.txt'), mergedCells: true } } } }, 'what came is seen at once');
  rmSync(join(root, 'pages.json'));
  await t.rejects(catalogue.find('pages.onnx'), { code: 'model_not_found' });
  t.match(await catalogue.find('pages'), { path: join(root, 'second', 'PAGES.onnx') }, 'what went is gone, and who had the name too may have it');
});

t.test('a file that the system does not let us read is refused until it does', async (t) => {
  const root = t.testdir();
  writeLayout(root, 'pages');
  let [looks, fails] = [0, true];
  const catalogue = createVisionCatalogue({ directories: [root], readHeader: async (path) => {
    looks++;
    if (fails) throw new Error('it cannot be read: EMFILE');
    return readOnnxHeader(path);
  } });
  t.match(await catalogue.refused(), [{ name: 'pages', reason: 'it cannot be read: EMFILE' }]);
  fails = false;
  t.match([await catalogue.refused(), await catalogue.list()], [[], [{ name: 'pages' }]]);
  await catalogue.list();
  t.equal(looks, 2, 'and what was read is not read again');
});

function seeing(name: string, sizeBytes: number, kind: VisionEntry['kind'] = 'table'): VisionEntry {
  return { name, kind, path: `/models/${name}`, digest: name, sizeBytes, workBytes: 256 * 2 ** 20, modifiedAt: new Date(0), languages: null, networks: { kind, networks: {} } as VisionEntry['networks'] };
}

/** A model that opens at once; `opened` has what it was opened with. */
function visionEngine() {
  const opened: OpenVisionOptions[] = [];
  let closed = 0;
  const model: VisionModel = {
    weightBytes: 1, readLines: async () => ({ lines: [], rulings: [] }), findLayout: async () => [{ label: 'text', score: 1, left: 0, top: 0, right: 1, bottom: 1 }],
    findTableCells: async () => ({ rows: 0, columns: 0, score: 0, cells: [] }), classifyLines: async () => ({ classes: new Float32Array(), joined: new Float32Array() }), close: async () => { closed++; },
  };
  return { opened, closed: () => closed, openVision: async (options: OpenVisionOptions) => (opened.push(options), model) };
}

function withVision(budgetBytes: number, models: Record<string, number>, more = {}) {
  const vision = visionEngine();
  const made = makeResidency(budgetBytes, models, more);
  // The residency reads its engine when a model is opened.
  Object.assign(made.engine, { openVision: vision.openVision });
  return { ...made, vision };
}

t.test('vision models count against the one memory, leave after their time, and make room for each other', async (t) => {
  const one = visionBytes(seeing('a', 10 * mib));
  t.equal(one, 276 * mib, 'weights twice, and what runs may hold');
  const { residency, clock, vision, budget, ask, lines } = withVision(600 * mib, { chat: 400 * mib });
  const lease = await residency.lendVision(seeing('a', 10 * mib), {});
  t.match(vision.opened, [{ kind: 'table', device: 'cuda', workBytes: 256 * mib }]);
  t.equal(budget.usedBytes, one);
  t.same(residency.list(), [], 'no language model');
  t.match(residency.listVision(), [{ entry: { name: 'a' }, state: 'loaded', uses: 1, bytes: one }]);
  t.equal((await residency.lendVision(seeing('a', 10 * mib), {})).loadMs, 0);
  t.equal(vision.opened.length, 1);
  const second = residency.lendVision(seeing('b', 10 * mib), {});
  t.equal(await stateOf(second), 'there', 'two fit');
  const third = residency.lendVision(seeing('c', 10 * mib), {});
  t.equal(await stateOf(third), 'waits', 'a third waits for one in use');
  (await second).release();
  t.equal((await third).entry.name, 'c');
  t.equal(vision.closed(), 1);
  t.equal(await stateOf(residency.lendVision(seeing('d', 400 * mib), {})), 'out_of_memory');
  lease.release();
  (await third).release();
  clock.advance(5 * minute);
  await settled();
  t.match(residency.listVision().map(({ entry }) => entry.name), ['a'], 'c has gone, a is still lent once');
  t.equal(await stateOf(ask('chat')), 'waits', 'a chat model waits for one in use');
  t.ok(lines.some((line) => /^Loading a: 276/.test(line)), lines.join('\n'));
  await residency.close();
  t.equal(budget.usedBytes, 0);
});

t.test('a chat model is never unloaded for a vision model', async (t) => {
  const { residency, lend } = withVision(600 * mib, { chat: 400 * mib });
  (await lend('chat')).release();
  t.equal(await stateOf(residency.lendVision(seeing('a', 10 * mib), {})), 'out_of_memory');
  t.match(residency.list(), [{ entry: { name: 'chat' }, state: 'loaded' }]);
  await residency.close();
});

t.test('page readers find by name, lend for one call, and say what is of the wrong kind', async (t) => {
  const root = t.testdir();
  writeLayout(join(root, 'halves'));
  writeTextReader(join(root, 'bars'));
  const { residency } = withVision(4096 * mib, {});
  const readers = createPageReaders(createVisionCatalogue({ directories: [root] }), () => residency);
  t.same(await readers.textModels(), [{ name: 'bars', languages: null }]);
  t.same(await readers.readLines(pageOfBars([]), { model: 'bars', dpi: 300 }), { lines: [], rulings: [] });
  t.match(residency.listVision(), [{ entry: { name: 'bars' }, uses: 0 }]);
  await t.rejects(readers.readLines(pageOfBars([]), { model: 'halves', dpi: 300 }), { code: 'invalid_request', message: /of the kind layout, not text/ });
  await t.rejects(readers.readLines(pageOfBars([]), { model: 'absent', dpi: 300 }), { code: 'model_not_found' });
  await residency.close();
});

t.test('a text model is taken by its name, or for languages that it says it knows', async (t) => {
  const asked: string[] = [];
  const pages = {
    textModels: async () => [{ name: 'silent', languages: null }, { name: 'greek', languages: ['ell', 'eng'] }],
    readLines: async (_: unknown, { model }: { model: string }) => (asked.push(model), { lines: [], rulings: [] }),
  };
  const recognisers = modelRecognisers(pages);
  const find = async (preset: string, languages: string[]) => {
    const found = await recognisers.find(preset, languages);
    return 'reason' in found ? found.reason : found.name;
  };
  t.equal(await find('Silent', ['ja']), 'silent');
  t.equal(await find('greek', ['el', 'en']), 'greek');
  t.equal(await find('greek', ['ja']), 'greek does not read ja, only ell, eng');
  t.equal(await find('auto', ['el']), 'greek');
  t.equal(await find('auto', ['ja']), 'no installed text model knows the languages');
  const found = await recognisers.find('silent', []);
  if ('read' in found) await found.read(pageOfBars([]), 300, new AbortController().signal);
  t.same(asked, ['silent']);
  const broken = modelRecognisers({ ...pages, textModels: async () => { throw new LecternError('internal'); } });
  await t.rejects(broken.find('auto', []), { code: 'internal' });
});
