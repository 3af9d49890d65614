/** Calls of a worker to the main process: a worker's bitmap reaches the text models there, and only well-formed calls do. */
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Bitmap } from '../../src/bitmap.js';
import type { ReadLine } from '../../src/engine/port.js';
import type { ModelCall, PageReaders, ReadLinesOptions } from '../../src/engine/vision-port.js';
import { answerEngineCall, createRemoteEngine } from '../../src/engine/remote.js';
import { LecternError } from '../../src/errors.js';
import type { RunOptions } from '../../src/workers/types.js';
import { calm, entry, openPool } from '../support/workers.js';

interface Seen { bitmap: Bitmap; options: Omit<ReadLinesOptions & ModelCall, 'signal'>; signal: AbortSignal | undefined }

const line: ReadLine = { baseline: [0, 1, 9, 1], words: [{ text: 'x', left: 0, top: 0, right: 9, bottom: 2, confidence: 1 }] };

function fakeReaders(): { readers: PageReaders; seen: Seen[] } {
  const seen: Seen[] = [];
  const readers: PageReaders = {
    textModels: async () => [{ name: 'bars', languages: null }],
    readLines: async (bitmap, { signal, ...options }) => (seen.push({ bitmap, options, signal }), { lines: [line], rulings: [] }),
  };
  return { readers, seen };
}

function onCall(readers: PageReaders): NonNullable<RunOptions['onCall']> {
  return ({ verb, request, signal, scratchDirectory }) => answerEngineCall(readers, verb, request, { signal, directory: scratchDirectory });
}

t.test('a worker uses the text models of the main process', async (t) => {
  const { pool } = openPool(t, { command: entry('engine-entry') });
  const { readers, seen } = fakeReaders();
  const answer = await pool.run<null, { lines: number[]; left: string[] }>('twice', null, { limits: calm, onCall: onCall(readers) });
  t.strictSame(answer.lines, [1, 1]);
  t.strictSame(answer.left, [], 'no file is left');
  t.equal(seen.length, 2);
  for (const { bitmap } of seen) {
    t.match(bitmap, { width: 100, height: 50, stride: 416 });
    t.strictSame(bitmap.data, Uint8Array.from({ length: 416 * 50 }, (_, i) => i % 251), 'every pixel arrived');
  }
  t.strictSame(seen.map(({ options }) => options).toSorted((one, other) => one.dpi - other.dpi), [{ model: 'bars', dpi: 200, oneLine: true }, { model: 'bars', dpi: 300 }]);
  t.ok(seen.every(({ signal }) => signal instanceof AbortSignal));

  const hung: PageReaders = { ...readers, readLines: (_bitmap, { signal }) => new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(new LecternError('cancelled')));
  }) };
  t.strictSame(await pool.run('withdrawn', null, { limits: calm, onCall: onCall(hung) }), { code: 'cancelled', left: [] });
  const lost: PageReaders = { ...readers, readLines: () => Promise.reject(new LecternError('device_lost')) };
  await t.rejects(pool.run('twice', null, { limits: calm, onCall: onCall(lost) }), { code: 'device_lost' });
});

t.test('malformed calls are refused before a model receives them', async (t) => {
  const root = t.testdir();
  const directory = join(root, 'shared');
  mkdirSync(directory);
  writeFileSync(join(root, '1.pixels'), Buffer.alloc(16));
  writeFileSync(join(directory, '1.pixels'), Buffer.alloc(16));
  symlinkSync(join(root, '1.pixels'), join(directory, '2.pixels'));
  mkdirSync(join(directory, '3.pixels'));
  const { readers, seen } = fakeReaders();
  const call = (verb: string, request: unknown): Promise<unknown> => answerEngineCall(readers, verb, request, { signal: new AbortController().signal, directory });
  const good = { file: '1.pixels', width: 2, height: 2, stride: 8 };
  const options = { model: 'bars', dpi: 300 };
  t.match(await call('readLines', { bitmap: good, options }), { lines: [line] });
  t.equal(seen.length, 1);
  const bad: [string, unknown][] = [
    ['close', { bitmap: good }], ['constructor', { bitmap: good }], ['deskewAngle', { bitmap: good }], ['readLines', null], ['readLines', { options }], ['readLines', { bitmap: 'x', options }],
    ...[
      { file: '../1.pixels' }, { file: '/etc/passwd' }, { file: '2.pixels' }, { file: '3.pixels' }, { file: '9.pixels' }, { file: 1 }, { file: '' },
      { width: 3 }, { width: 0 }, { width: -1 }, { width: 1.5 }, { width: '2' }, { height: 3 }, { height: 1 }, { stride: 7 }, { stride: 2 ** 40 }, { height: 2 ** 53 },
    ].map((wrong): [string, unknown] => ['readLines', { bitmap: { ...good, ...wrong }, options }]),
    ...[
      { dpi: 0 }, { dpi: 2401 }, { dpi: 1.5 }, { oneLine: 1 }, { model: 7 }, { model: 'x'.repeat(201) }, { model: undefined },
    ].map((wrong): [string, unknown] => ['readLines', { bitmap: good, options: { ...options, ...wrong } }]),
  ];
  for (const [verb, request] of bad) await t.rejects(call(verb, request), { code: 'invalid_request' }, `${verb} ${JSON.stringify(request)}`);
  t.equal(seen.length, 1, 'the model received none of them');
});

t.test('the list of text models, and a main process without any', async (t) => {
  const directory = t.testdir();
  const { readers } = fakeReaders();
  const signal = new AbortController().signal;
  const remoteOf = (there: PageReaders | undefined) => createRemoteEngine(async (verb, request) => JSON.parse(JSON.stringify(await answerEngineCall(there, verb, request, { signal, directory }))), directory);
  const bitmap = { data: new Uint8Array(2 * 8), width: 2, height: 2, stride: 8 };
  t.same(await remoteOf(readers).textModels(), [{ name: 'bars', languages: null }]);
  t.same(await remoteOf(undefined).textModels(), []);
  await t.rejects(remoteOf(undefined).readLines(bitmap, { model: 'bars', dpi: 300 }), { code: 'model_not_found' });
  t.same(readdirSync(directory), [], 'no file is left');
});
