/** What ONNX files say of themselves: read from whole, cut and damaged files, and held against their cards. */
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { LecternError } from '../../src/errors.js';
import { misfit } from '../../src/models/card-fit.js';
import { readOnnxHeader } from '../../src/models/onnx-header.js';
import { type Card, parseCard } from '../../src/models/vision-card.js';
import { shippedModelsDirectory } from '../../src/platform/package-files.js';
import { declaring, layoutCard, writeLayout, writeTextReader } from '../support/network-files.js';
import { sharedPath } from '../support/shared.js';

const picture = { x: [-1, 3, -1, -1] };

function cardOf(value: object): Card {
  const card = parseCard(JSON.stringify(value));
  if ('reason' in card) throw new Error(card.reason);
  return card;
}

t.test('inputs without initialisers, outputs, opset and metadata', async (t) => {
  const root = t.testdir();
  writeTextReader(root);
  t.match(await readOnnxHeader(join(root, 'rec.onnx')), {
    opset: 17, inputs: [{ name: 'x', element: 1, sizes: [-1, 3, 48, -1] }], outputs: [{ name: 'y', sizes: [-1, -1, 5] }], metadata: new Set(['character']),
  });
  t.match(await readOnnxHeader(join(shippedModelsDirectory(), 'lectern-tables.onnx')), { opset: 13, inputs: [{ name: 'pictures' }], outputs: [{ name: 'rows' }, { name: 'columns' }, { name: 'spans' }] });
  await t.rejects(readOnnxHeader(join(root, 'nobody.onnx')), { code: undefined, message: /cannot be read: ENOENT/ });
});

const nets = sharedPath('conformance/onnx/nets');
t.test('published networks: inputs and outputs are those of their cases', { skip: nets === null }, async (t) => {
  let held = 0;
  for (const name of readdirSync(nets ?? '')) {
    const { inputs, outputs } = await readOnnxHeader(join(nets ?? '', name, 'model.onnx'));
    const known = JSON.parse(readFileSync(join(nets ?? '', name, 'net.json'), 'utf8')) as { cases: { inputs: { name: string; shape: number[] }[]; outputs: { name: string }[] }[] };
    for (const one of known.cases) {
      t.same(inputs.map((port) => port.name), one.inputs.map((port) => port.name), name);
      t.same(outputs.map((port) => port.name), one.outputs.map((port) => port.name), name);
      for (const [index, { shape }] of one.inputs.entries()) t.ok(inputs[index]?.sizes?.every((size, axis) => size === -1 || size === shape[axis]), `${name}: ${String(shape)}`);
      held++;
    }
  }
  t.ok(held >= 10);
});

t.test('a file that is cut anywhere, or is something else, is broken; a damaged one is told or read, and nothing else happens', async (t) => {
  const root = t.testdir();
  writeLayout(root);
  const file = join(root, 'model.onnx');
  const whole = readFileSync(file);
  const failure = async (bytes: Uint8Array): Promise<unknown> => {
    writeFileSync(file, bytes);
    return readOnnxHeader(file).then(() => null, (thrown: unknown) => thrown);
  };
  for (let length = 0; length < whole.length; length += 1 + length % 3) {
    const thrown = await failure(whole.subarray(0, length));
    t.ok(thrown instanceof LecternError && thrown.code === 'invalid_model' && /^it is (broken: |written for)/.test(thrown.message), `${length} bytes: ${String(thrown)}`);
  }
  t.match(await failure(Buffer.from('version https://git-lfs.github.com/spec/v1\noid sha256:00\n')), { message: /^it is broken/ });
  let read = 0;
  for (let at = 0; at < whole.length; at++) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] as number) ^ (1 << at % 8);
    const thrown = await failure(damaged);
    if (thrown === null) read++;
    else if (!(thrown instanceof LecternError && thrown.code === 'invalid_model')) t.fail(`byte ${at}: ${String(thrown)}`);
  }
  t.ok(read > 0 && read < whole.length, `${read} of ${whole.length} are read all the same`);
  t.match(await failure(Buffer.concat([whole, Buffer.from([0x3a, 0xff, 0xff, 0xff, 0xff, 0x0f])])), { message: /bytes behind the end/ });
});

t.test('weights are passed over, however many', async (t) => {
  const file = join(t.testdir(), 'large.onnx');
  const varint = (value: number): number[] => (value < 128 ? [value] : [value & 127 | 128, ...varint(Math.floor(value / 128))]);
  // A second graph behind the ports: an initialiser of 32 GiB of raw bytes, which the disk holds as a hole.
  const raw = [0x4a, ...varint(2 ** 35)];
  const initialiser = [0x2a, ...varint(raw.length + 2 ** 35), ...raw];
  const head = Buffer.concat([declaring(picture, { y: [-1, 1, -1, -1] }), Buffer.from([0x3a, ...varint(initialiser.length + 2 ** 35), ...initialiser])]);
  writeFileSync(file, head);
  truncateSync(file, head.length + 2 ** 35);
  t.match(await readOnnxHeader(file), { opset: 17, inputs: [], outputs: [] }, 'of two graphs the last counts');
  truncateSync(file, head.length + 2 ** 35 - 1);
  await t.rejects(readOnnxHeader(file), { message: /ends 1 bytes behind the end/ });
});

t.test('a network that is not what its card says is told with the key', async (t) => {
  const root = t.testdir();
  const told = async (card: object, network: Buffer): Promise<string | null> => {
    writeFileSync(join(root, 'a.onnx'), network);
    return misfit(cardOf(card), await readOnnxHeader(join(root, 'a.onnx')));
  };
  const map = { y: [-1, 1, -1, -1] };
  const classes = { y: [-1, -1, 97] };
  const layout = { kind: 'layout', labels: ['text', 'table'] };
  const whole: [object, Record<string, number[]>][] = [
    [{ kind: 'text_detection' }, map], [{ kind: 'text_recognition', dictionary: 'a' }, classes], [{ kind: 'text_angle' }, { y: [-1, 2] }], [layout, { logits: [1, 300, 2], pred_boxes: [1, 300, 4] }],
    [{ ...layout, answer: 'finished_boxes' }, { scores: [], labels: [], boxes: [] }], [{ ...layout, answer: 'places' }, { y: [1, 6, 8400] }], [{ ...layout, answer: 'finished_rows' }, { y: [1, 300, 6] }],
    [{ ...layout, answer: 'selected' }, { selected: [], scores: [], boxes: [] }], [{ kind: 'table', dictionary: 'a' }, { a: [], b: [] }], [{ kind: 'table', answer: 'separators' }, { rows: [], columns: [], spans: [] }],
  ];
  for (const [card, outputs] of whole) t.equal(await told(card, declaring(picture, outputs)), null, JSON.stringify(card));
  const wrong: [object, Record<string, number[]>, RegExp][] = [
    [{ kind: 'text_detection' }, classes, /^the key "kind" of its card is "text_detection", which gives one map \(n, 1, h, w\), and its outputs are y \(any, any, 97\)$/],
    [{ kind: 'text_recognition', dictionary: 'a' }, map, /"kind" .* "text_recognition", which gives rows of classes/], [{ kind: 'text_recognition' }, classes, /key "dictionary" of its card is missing.*\("character"\)$/],
    [{ kind: 'text_angle' }, { y: [-1, 4] }, /"text_angle", which gives two classes/], [layout, { y: [1, 300, 6] }, /^the key "answer" of its card is "queries", which gives logits, and its outputs are y/],
    [layout, { logits: [1, 300, 17], boxes: [1, 300, 4] }, /key "labels" of its card names 2, and the network knows 17$/], [{ ...layout, answer: 'places' }, { y: [1, 84, 8400] }, /"labels" of its card names 2, .* 80$/],
    [{ ...layout, answer: 'finished_rows' }, { y: [1, 300, 7] }, /"finished_rows", which gives rows of 6 numbers/], [{ ...layout, answer: 'selected' }, { boxes: [], scores: [] }, /"selected", which gives selected, and/],
    [{ kind: 'table', answer: 'separators' }, { rows: [], spans: [] }, /which gives columns, and/], [{ kind: 'table', dictionary: 'a' }, map, /"words", which gives boxes and words/], [layoutCard, {}, /it gives nothing/],
  ];
  for (const [card, outputs, says] of wrong) t.match(await told(card, declaring(picture, outputs)), says, JSON.stringify(card));
  t.match(await told(layoutCard, declaring({ x: [1, 1, 16, 16] }, { y: [1, -1, 6] })), /its input x \(1, 1, 16, 16\) is not \(n, 3, h, w\) of floats/);
  t.match(await told(layoutCard, declaring({ ...picture, more: [1] }, { y: [1, -1, 6] })), /takes other tensors .* more \(1\)/);
  t.equal(await told({ ...layout, answer: 'finished_boxes' }, declaring({ ...picture, orig_target_sizes: [-1, 2] }, { labels: [], boxes: [], scores: [] })), null);
  t.equal(await told({ kind: 'text_recognition' }, declaring(picture, classes, { character: 'a' })), null);
});
