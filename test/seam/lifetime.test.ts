/** The addon and the lives around it: many engines, worker threads, and processes that end while a job is in flight. */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { join } from 'node:path';
import t from 'tap';
import { openEngine } from '../../src/engine/engine.js';
import type { LanguageModel } from '../../src/engine/port.js';
import type { Engine } from '../../src/engine/engine-port.js';
import type { LecternError } from '../../src/errors.js';
import { packageRoot } from '../../src/platform/package-files.js';
import { madeModels } from '../support/made-model.js';
import { textBitmap } from '../support/text-bitmap.js';
import { until } from '../support/until.js';

const addonPath = join(packageRoot(), 'build', 'native', 'lectern.node');

/** Plain JavaScript, so that a child or a worker starts in milliseconds; `job()` is one that lasts some 100 ms. */
const prelude = `
  const addon = require(${JSON.stringify(addonPath)});
  const side = 4000;
  // Rows of dark rectangles that rise by 2 degrees, as the letters of a page do that leans.
  const bitmap = { data: new Uint8Array(side * side * 4).fill(200), width: side, height: side, stride: side * 4 };
  for (let top = 100; top + 20 < side; top += 50) {
    for (let left = 100; left + 12 < side; left += 20) {
      const rise = Math.round(left * Math.tan(2 * Math.PI / 180));
      for (let y = Math.max(0, top - rise); y < top + 20 - rise; y++) bitmap.data.fill(0, (y * side + left) * 4, (y * side + left + 12) * 4);
    }
  }
  const engine = new addon.Engine({});
  const job = () => engine.deskewAngle(bitmap);
`;

interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
  output: string;
}

function runChild(code: string, flags: string[] = [], environment: Record<string, string> = {}): Promise<Ending> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...flags, '-e', prelude + code], {
      stdio: ['ignore', 'pipe', 'pipe'], timeout: 120_000, env: { ...process.env, ...environment },
    });
    let output = '';
    child.stdout.on('data', (text: Buffer) => { output += text.toString(); });
    child.stderr.on('data', (text: Buffer) => { output += text.toString(); });
    child.on('error', reject);
    child.on('close', (exitCode, signal) => resolve({ code: exitCode, signal, output }));
  });
}

function numberFromStatus(key: string): number {
  const line = readFileSync('/proc/self/status', 'utf8').split('\n').find((entry) => entry.startsWith(`${key}:`));
  return Number(line?.replace(/\D/g, ''));
}

t.test('200 engines, one after another, leave neither threads nor memory behind', async (t) => {
  const page = textBitmap(620, 400, 1);
  // Held on to: close has to free, not the garbage collector.
  const engines: Engine[] = [];
  const cycle = async (): Promise<void> => {
    const engine = openEngine({ log: () => undefined });
    engines.push(engine);
    await Promise.all([engine.deskewAngle(page), engine.deskewAngle(page)]);
    await engine.close();
  };
  for (let i = 0; i < 30; i += 1) await cycle();
  const threads = numberFromStatus('Threads');
  const before = numberFromStatus('VmRSS');
  const mappedBefore = numberFromStatus('VmSize');
  for (let i = 0; i < 200; i += 1) await cycle();
  const grownKb = numberFromStatus('VmRSS') - before;
  t.ok(grownKb < 40_000, `resident memory grew by ${grownKb} kB`);
  // One that was joined is counted until the kernel has put it away.
  await until('no thread more', () => numberFromStatus('Threads') <= threads);
  // The stack of a thread that was not joined stays mapped: 8 MB each.
  const mappedKb = numberFromStatus('VmSize') - mappedBefore;
  t.ok(mappedKb < 400_000, `mapped memory grew by ${mappedKb} kB`);
  t.equal(engines.length, 230);
});

t.test('200 models opened and closed on one engine, some given up while they load or write, leave nothing behind', async (t) => {
  const { folder, chat, embedder } = madeModels(t, { context: 2048 });
  const damaged = join(folder, 'damaged.gguf');
  const whole = readFileSync(chat);
  writeFileSync(damaged, whole.subarray(0, whole.length - 1000));
  const engine = openEngine();
  t.teardown(() => engine.close());
  // Held on to: close has to free, not the garbage collector.
  const models: LanguageModel[] = [];
  const outcome = (work: Promise<unknown>): Promise<string> => work.then(() => 'done', (thrown: unknown) => (thrown as LecternError).code);
  const cycle = async (turn: number): Promise<void> => {
    const [writer, vectors] = await Promise.all([engine.openModel(chat, { device: 'cpu', threads: 2 }), engine.openModel(embedder, { device: 'cpu', threads: 2 })]);
    models.push(writer, vectors);
    await Promise.all([writer.generate('all the world', { maxTokens: 3 }), vectors.embed('all the world')]);
    const unfinished = [writer.generate('x'.repeat(1000), { maxTokens: 500, ignoreEnd: true }), vectors.embed('x')].map(outcome);
    const gaveUp = new AbortController();
    const loads = [outcome(engine.openModel(damaged)), outcome(engine.openModel(chat, { signal: gaveUp.signal }).then((model) => model.close()))];
    if (turn % 2 === 0) gaveUp.abort();
    await Promise.all([writer.close(), vectors.close()]);
    t.ok((await Promise.all(unfinished)).every((code) => code === 'done' || code === 'cancelled'));
    t.match(await Promise.all(loads), ['invalid_model', /^(done|cancelled)$/]);
  };
  for (let turn = 0; turn < 20; turn += 1) await cycle(turn);
  const threads = numberFromStatus('Threads');
  const before = numberFromStatus('VmRSS');
  for (let turn = 0; turn < 100; turn += 1) await cycle(turn);
  const grownKb = numberFromStatus('VmRSS') - before;
  // One in five that stayed would be more; threads tell of a single one.
  t.ok(grownKb < 30_000, `resident memory grew by ${grownKb} kB`);
  // One that was joined is counted until the kernel has put it away.
  await until('no thread more', () => numberFromStatus('Threads') <= threads);
  t.equal(models.length, 240);
});

t.test('engines that nobody closed, two threads each, end when they are collected', async (t) => {
  const ending = await runChild(`
    const threads = () => Number(/Threads:\\s+(\\d+)/.exec(require('fs').readFileSync('/proc/self/status', 'utf8'))[1]);
    const before = threads();
    (async () => {
      for (let i = 0; i < 50; i++) new addon.Engine({});
      const most = threads();
      for (let i = 0; i < 1500 && threads() > before; i++) { global.gc(); await new Promise((done) => setTimeout(done, 20)); }
      console.log(most - before, threads() - before);
    })();
  `, ['--expose-gc']);
  t.same(ending, { code: 0, signal: null, output: '100 0\n' });
});

t.test('a process ends by itself when its engine idles, and waits for a job in flight', async (t) => {
  t.same(await runChild('console.log("idle")'), { code: 0, signal: null, output: 'idle\n' });
  t.same(await runChild('job().then((r) => console.log(r.toFixed(1))); console.log("begun")'), { code: 0, signal: null, output: 'begun\n2.0\n' });
});

t.test('a process may exit or fall with jobs in flight', async (t) => {
  const endings = await Promise.all([0, 1, 3, 10, 40].map((delayMs) => runChild(`
    for (let i = 0; i < 3; i++) job();
    setTimeout(() => process.exit(7), ${delayMs});
  `)));
  t.same(endings, endings.map(() => ({ code: 7, signal: null, output: '' })), 'process.exit');
  const closing = await runChild('job().catch(() => {}); engine.close(); setTimeout(() => process.exit(7), 1)');
  t.same(closing, { code: 7, signal: null, output: '' }, 'while it closes');
  const fallen = await runChild('job(); throw new Error("a defect")');
  t.match(fallen, { code: 1, signal: null, output: /a defect/ }, 'an uncaught exception');
});

t.test('worker threads have engines of their own', async (t) => {
  const ask = (code: string): Promise<unknown> => new Promise((resolve, reject) => {
    const worker = new Worker(`const { parentPort } = require('node:worker_threads'); ${prelude} ${code}`, { eval: true });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  for (let round = 0; round < 3; round += 1) {
    const answers = await Promise.all([1, 2].map(() => ask(`
      job().then((r) => engine.close().then(() => parentPort.postMessage(r.toFixed(1))));
    `)));
    t.same(answers, ['2.0', '2.0'], 'both at once');
  }
  t.equal(await createAndAsk(), 0, 'this thread has noticed nothing');
});

t.test('a worker may be stopped at any moment', async (t) => {
  // Long jobs are in flight when it ends, or of small ones results arrive all the while. In a child whose allocator spoils
  // what is freed: a lane that outlived its environment would not go unnoticed.
  const ending = await runChild(`
    const { Worker } = require('node:worker_threads');
    const long = 'for (let i = 0; i < 3; i++) job();';
    const small = 'const dot = { ...bitmap, width: 1, height: 1 }; for (let i = 0; i < 20000; i++) engine.deskewAngle(dot);';
    (async () => {
      for (const [delayMs, jobs] of [[0, long], [0, small], [2, long], [2, small], [10, long], [5, small], [30, long]]) {
        const code = 'const { parentPort } = require("node:worker_threads");' + ${JSON.stringify(prelude)} + jobs + 'parentPort.postMessage(0)';
        const worker = new Worker(code, { eval: true });
        await new Promise((resolve) => worker.once('message', resolve));
        await new Promise((resolve) => setTimeout(resolve, delayMs));
        await worker.terminate();
      }
      console.log('all stopped', (await job()).toFixed(1));
    })();
  `, [], { MALLOC_PERTURB_: '165' });
  t.same(ending, { code: 0, signal: null, output: 'all stopped 2.0\n' });
});

t.test('the pixels that a job reads are kept while it runs', async (t) => {
  const ending = await runChild(`
    let result = engine.deskewAngle({ ...bitmap, data: bitmap.data.slice() });
    const collecting = setInterval(() => { global.gc(); new Uint8Array(side * side * 4).fill(255); }, 1);
    result.then((angle) => {
      clearInterval(collecting);
      console.log(angle.toFixed(1));
    });
    result = undefined;
  `, ['--expose-gc']);
  t.same(ending, { code: 0, signal: null, output: '2.0\n' });
});

async function createAndAsk(): Promise<number> {
  const engine = openEngine();
  const angle = await engine.deskewAngle({ data: new Uint8Array(400), width: 10, height: 10, stride: 40 });
  await engine.close();
  return angle;
}
