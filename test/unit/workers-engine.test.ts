/** The engine across the process border: a worker's bitmap reaches the main process's engine, and only well-formed calls do. */
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Bitmap } from '../../src/bitmap.js';
import type { ResizeOptions, VisionEngine } from '../../src/engine/port.js';
import type { PageReaders } from '../../src/engine/vision-port.js';
import { answerEngineCall, createRemoteEngine } from '../../src/engine/remote.js';
import { LecternError } from '../../src/errors.js';
import type { RunOptions } from '../../src/workers/types.js';
import { calm, entry, openPool } from '../support/workers.js';

interface Seen { bitmap: Bitmap; options: ResizeOptions | undefined }

function fakeEngine(): { engine: VisionEngine; seen: Seen[] } {
  const seen: Seen[] = [];
  const engine: VisionEngine = {
    deskewAngle: async (bitmap) => { seen.push({ bitmap, options: undefined }); return -1.25; },
    resizeImage: async (bitmap, options) => {
      seen.push({ bitmap, options });
      return Float32Array.from({ length: 3 * options.width * options.height }, (_, i) => i / 7);
    },
  };
  return { engine, seen };
}

function onCall(engine: VisionEngine): NonNullable<RunOptions['onCall']> {
  return ({ verb, request, signal, scratchDirectory }) => answerEngineCall(engine, verb, request, { signal, directory: scratchDirectory });
}

t.test('a worker uses the engine of the main process', async (t) => {
  const { pool } = openPool(t, { command: entry('engine-entry') });
  const { engine, seen } = fakeEngine();
  const answer = await pool.run<null, { angle: number; floats: number[]; left: string[] }>('both', null, { limits: calm, onCall: onCall(engine) });
  t.equal(answer.angle, -1.25);
  t.strictSame(answer.floats, [...Float32Array.from({ length: 24 }, (_, i) => i / 7)]);
  t.strictSame(answer.left, [], 'no file is left');
  t.equal(seen.length, 2);
  for (const { bitmap } of seen) {
    t.match(bitmap, { width: 100, height: 50, stride: 416 });
    t.strictSame(bitmap.data, Uint8Array.from({ length: 416 * 50 }, (_, i) => i % 251), 'every pixel arrived');
  }
  t.match(seen.find(({ options }) => options)?.options, { width: 4, height: 2, mean: [0, 0.5, 1], std: [1, 1, 2] });

  const hung = { ...engine, deskewAngle: (_bitmap: Bitmap, options?: { signal?: AbortSignal }) => new Promise<number>((_resolve, reject) => {
    options?.signal?.addEventListener('abort', () => reject(new LecternError('cancelled')));
  }) };
  t.strictSame(await pool.run('withdrawn', null, { limits: calm, onCall: onCall(hung) }), { code: 'cancelled', left: [] });
  const lost = { ...engine, deskewAngle: () => Promise.reject(new LecternError('device_lost')) };
  await t.rejects(pool.run('both', null, { limits: calm, onCall: onCall(lost) }), { code: 'device_lost' });
});

t.test('malformed calls are refused before the engine sees them', async (t) => {
  const root = t.testdir();
  const directory = join(root, 'shared');
  mkdirSync(directory);
  writeFileSync(join(root, '1.pixels'), Buffer.alloc(16));
  writeFileSync(join(directory, '1.pixels'), Buffer.alloc(16));
  symlinkSync(join(root, '1.pixels'), join(directory, '2.pixels'));
  mkdirSync(join(directory, '3.pixels'));
  const { engine, seen } = fakeEngine();
  const ask = (verb: string, request: unknown): Promise<unknown> => answerEngineCall(engine, verb, request, { signal: new AbortController().signal, directory });
  const good = { file: '1.pixels', width: 2, height: 2, stride: 8 };
  const options = { width: 2, height: 2, mean: [0, 0, 0], std: [1, 1, 1] };
  t.equal(await ask('deskewAngle', { bitmap: good }), -1.25);
  t.equal(await ask('resizeImage', { bitmap: good, options }), null);
  t.equal(seen.length, 2);
  const bad: [string, unknown][] = [
    ['close', { bitmap: good }], ['constructor', { bitmap: good }], ['deskewAngle', null], ['deskewAngle', {}], ['deskewAngle', { bitmap: 'x' }],
    ...[
      { file: '../1.pixels' }, { file: '/etc/passwd' }, { file: '2.pixels' }, { file: '3.pixels' }, { file: '9.pixels' }, { file: 1 }, { file: '' },
      { width: 3 }, { width: 0 }, { width: -1 }, { width: 1.5 }, { width: '2' }, { height: 3 }, { height: 1 }, { stride: 7 }, { stride: 2 ** 40 }, { height: 2 ** 53 },
    ].map((wrong): [string, unknown] => ['deskewAngle', { bitmap: { ...good, ...wrong } }]),
    ...[
      { width: 0 }, { width: 2 ** 20, height: 2 ** 20 }, { mean: [0, 0] }, { std: [1, 1, null] }, { mean: 'abc' },
    ].map((wrong): [string, unknown] => ['resizeImage', { bitmap: good, options: { ...options, ...wrong } }]),
  ];
  for (const [verb, request] of bad) await t.rejects(ask(verb, request), { code: 'invalid_request' }, `${verb} ${JSON.stringify(request)}`);
  t.equal(seen.length, 2, 'the engine saw none of them');
});

t.test('a worker asks for the vision models of the main process by name, and gets no more than what is asked', async (t) => {
  const directory = t.testdir();
  const asked: unknown[] = [];
  const engine: VisionEngine & PageReaders = {
    ...fakeEngine().engine,
    textModels: async () => [{ name: 'bars', languages: null }],
    readLines: async (bitmap, { signal, ...options }) => (asked.push([bitmap.width, bitmap.data.length, options, signal instanceof AbortSignal]), { lines: [], rulings: [] }),
    findLayout: async (_, { model }) => (asked.push(model), [{ label: 'text', score: 1, left: 0, top: 0, right: 1, bottom: 1 }]),
    findTableCells: async (_, { model }) => (asked.push(model), { rows: 1, columns: 2, score: 1, cells: [] }),
  };
  const signal = new AbortController().signal;
  const remote = createRemoteEngine(async (verb, request, withdraw) => JSON.parse(JSON.stringify(await answerEngineCall(engine, verb, JSON.parse(JSON.stringify(request)), { signal: withdraw ?? signal, directory }))), directory);
  const bitmap = { data: new Uint8Array(2 * 8), width: 2, height: 2, stride: 8 };
  t.same(await remote.textModels(), [{ name: 'bars', languages: null }]);
  t.same(await remote.readLines(bitmap, { model: 'bars', dpi: 300, oneLine: true, signal }), { lines: [], rulings: [] });
  t.match(await remote.findLayout(bitmap, { model: 'heron' }), [{ label: 'text' }]);
  t.match(await remote.findTableCells(bitmap, { model: 'slanet' }), { rows: 1, columns: 2 });
  t.same(asked, [[2, 16, { model: 'bars', dpi: 300, oneLine: true }, true], 'heron', 'slanet']);
  t.same(readdirSync(directory), [], 'no file is left');
  writeFileSync(join(directory, '9.pixels'), bitmap.data);
  const shared = { file: '9.pixels', width: 2, height: 2, stride: 8 };
  const refused: [string, object][] = [['readLines', { model: 'bars', dpi: 0 }], ['readLines', { model: 'bars', dpi: 300, oneLine: 1 }], ['readLines', { model: 7, dpi: 300 }], ['findLayout', { model: 'x'.repeat(201) }], ['findTableCells', {}]];
  for (const [verb, options] of refused) await t.rejects(answerEngineCall(engine, verb, { bitmap: shared, options }, { signal, directory }), { code: 'invalid_request' }, verb);
  await t.rejects(answerEngineCall(fakeEngine().engine, 'findLayout', { bitmap: shared, options: { model: 'heron' } }, { signal, directory }), { code: 'model_not_found' }, 'where there are none');
  t.same(await answerEngineCall(fakeEngine().engine, 'textModels', {}, { signal, directory }), []);
});
