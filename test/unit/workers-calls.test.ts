/** Between a worker and its parent while a job runs: progress, cancel, calls back and files shared. */
import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import t from 'tap';
import { LecternError } from '../../src/errors.js';
import { maxFrameBytes, receive, send } from '../../src/workers/messages.js';
import type { RunOptions, WorkerCall, WorkerError, WorkerPool } from '../../src/workers/types.js';
import { deferred } from '../support/deferred.js';
import { calm, openPool } from '../support/workers.js';

const patient = { silenceMs: 1e6, totalMs: 1e6 };

async function pidOf(pool: WorkerPool): Promise<number> {
  return (await pool.run<null, { pid: number }>('echo', null, { limits: calm })).pid;
}

/** Starts the verb and settles when it says that it works. */
async function started(pool: WorkerPool, verb: string, options: Omit<RunOptions, 'limits'>): Promise<{ end: Promise<unknown> }> {
  let heard!: () => void;
  const works = new Promise<void>((resolve) => { heard = resolve; });
  const end = pool.run(verb, null, { limits: patient, onProgress: () => heard(), ...options }).catch((thrown: unknown) => thrown);
  await works;
  return { end };
}

t.test('cancel asks first and kills only the deaf', async (t) => {
  for (const { verb, name, survives, cancelGraceMs } of [
    { verb: 'wait', name: 'LecternError', survives: true, cancelGraceMs: 60_000 },
    { verb: 'waitDeaf', name: 'WorkerError', survives: false, cancelGraceMs: 250 },
    { verb: 'loop', name: 'WorkerError', survives: false, cancelGraceMs: 250 },
  ]) {
    const { pool } = openPool(t, { cancelGraceMs });
    const before = await pidOf(pool);
    const abort = new AbortController();
    const { end } = await started(pool, verb, { signal: abort.signal });
    abort.abort();
    t.match(await end, { name, code: 'cancelled' }, verb);
    t.equal(await pidOf(pool) === before, survives, survives ? 'the worker is used again' : 'the worker is replaced');
  }
});

t.test('a cancelled job that waits never runs', async (t) => {
  const { pool } = openPool(t);
  const first = new AbortController();
  const { end } = await started(pool, 'wait', { signal: first.signal });
  const second = new AbortController();
  const waiting = pool.run('echo', 'never', { limits: calm, signal: second.signal });
  t.equal(pool.counts().waiting, 1);
  second.abort();
  await t.rejects(waiting, { code: 'cancelled' });
  t.equal(pool.counts().waiting, 0);
  await t.rejects(pool.run('echo', 'never', { limits: calm, signal: AbortSignal.abort() }), { code: 'cancelled' });
  first.abort();
  await end;
  t.match(await pool.run('echo', 'x', { limits: calm }), { jobs: 1 });
});

t.test('progress is throttled in the worker, urgent news are not', async (t) => {
  const { pool } = openPool(t);
  const told: unknown[] = [];
  await pool.run('pages', { pages: 10_000 }, { limits: calm, onProgress: (progress) => told.push(progress) });
  t.strictSame(told[0], { page: 1 });
  t.ok(told.length < 50, `${told.length} messages for 10,000 pages`);
  const urgent: unknown[] = [];
  await pool.run('ticks', { times: 5, everyMs: 1 }, { limits: calm, onProgress: (progress) => urgent.push(progress) });
  t.strictSame(urgent, [{ i: 0 }, { i: 1 }, { i: 2 }, { i: 3 }, { i: 4 }]);
});

t.test('a worker asks its parent, with a file; a refusal reaches it as a coded error', async (t) => {
  const { pool } = openPool(t);
  const answer = await pool.run<unknown, { answer: unknown; scratchDirectory: string }>('ask', { n: 1 }, {
    limits: calm,
    onCall: async ({ verb, request, scratchDirectory }) => {
      t.equal(verb, 'sum');
      const { file, request: inner } = request as { file: string; request: unknown };
      t.strictSame(inner, { n: 1 });
      const path = join(scratchDirectory, file);
      t.equal(statSync(path).mode & 0o777, 0o600, 'nobody else reads it');
      t.equal(statSync(scratchDirectory).mode & 0o777, 0o700);
      return (await readFile(path)).reduce((sum, byte) => sum + byte, 0);
    },
  });
  t.equal(answer.answer, 7000);
  const refusals: { onCall?: RunOptions['onCall']; error: object }[] = [
    { onCall: async () => { throw new LecternError('device_lost'); }, error: { code: 'device_lost', message: 'The GPU is not available any more.' } },
    { onCall: async () => { throw new Error('a secret'); }, error: { code: 'internal', message: 'Internal processing error.', cause: undefined } },
    { error: { code: 'invalid_request' } },
  ];
  for (const { onCall, error } of refusals) {
    const thrown = await pool.run('ask', null, { limits: calm, ...(onCall ? { onCall } : {}) }).catch((thrown: unknown) => thrown);
    t.match(thrown, error);
  }
  t.equal(pool.counts().lost, 0);
  await pool.close();
  t.equal(existsSync(answer.scratchDirectory), false);
});

t.test('a call is aborted when the worker takes it back, when the job is cancelled, when the worker dies', async (t) => {
  const { pool } = openPool(t);
  const aborted: unknown[] = [];
  const onCall: RunOptions['onCall'] = ({ signal }) => new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      aborted.push((signal.reason as LecternError).code);
      reject(signal.reason as Error);
    });
  });
  t.equal(await pool.run('askAndWithdraw', null, { limits: calm, onCall }), 'cancelled');
  t.strictSame(aborted, ['cancelled'], 'taken back');

  const abort = new AbortController();
  const asked = pool.run('ask', null, { limits: calm, signal: abort.signal, onCall: (call) => {
    const answer = onCall(call);
    abort.abort();
    return answer;
  } });
  await t.rejects(asked, { code: 'cancelled' });
  t.equal(aborted.length, 2, 'cancelled');

  const died = await pool.run('askThenDie', null, { limits: calm, onCall }).catch((thrown: unknown) => thrown as WorkerError);
  t.match(died, { code: 'out_of_memory', exitSignal: 'SIGKILL' }, 'only the kernel kills what the pool did not');
  t.equal(aborted.length, 3, 'the worker died');
});

t.test('time spent in calls is not the worker\'s silence; too many calls are refused', async (t) => {
  const { pool } = openPool(t);
  const after = (ms: number) => (): Promise<number> => new Promise((resolve) => setTimeout(() => resolve(1), ms));
  t.match(await pool.run('ask', null, { limits: { silenceMs: 2000, totalMs: 60_000 }, onCall: after(3000) }), { answer: 1 });
  const answer = deferred<number>();
  // No call returns before the last one is refused.
  const onProgress = (progress: unknown): void => { if ((progress as { refused: number }).refused === 36) answer.resolve(1); };
  t.equal(await pool.run('askMany', { count: 100 }, { limits: calm, onProgress, onCall: () => answer.promise }), 64);
});

t.test('frames: any cut of the bytes gives the same messages; what is no frame is refused', async (t) => {
  const sent = [{ type: 'a', text: 'ü'.repeat(300) }, { type: 'b' }, { type: 'c', list: [1, 2, 3] }];
  const whole = new PassThrough();
  for (const message of sent) send(whole, message as never);
  const bytes = await buffer(whole.end());
  for (const size of [1, 2, 3, 5, 64, bytes.length]) {
    const channel = new PassThrough();
    const got: unknown[] = [];
    receive(channel, (message) => got.push(message), () => got.push('garbage'));
    for (let at = 0; at < bytes.length; at += size) channel.write(bytes.subarray(at, at + size));
    await new Promise((resolve) => channel.end(resolve));
    t.strictSame(got, sent, `${size} bytes at a time`);
  }
  const tooLong = Buffer.alloc(4);
  tooLong.writeUInt32LE(maxFrameBytes + 1, 0);
  for (const bad of [tooLong, Buffer.from([2, 0, 0, 0, 0x7b, 0x7b]), Buffer.from([1, 0, 0, 0, 0x31]), Buffer.from([4, 0, 0, 0, ...Buffer.from('null')])]) {
    const channel = new PassThrough();
    const got: unknown[] = [];
    receive(channel, (message) => got.push(message), () => got.push('garbage'));
    channel.write(bad);
    channel.write(bytes);
    await new Promise((resolve) => channel.end(resolve));
    t.strictSame(got, ['garbage'], bad.toString('hex'));
  }
});

t.test('the parent may ask for what a worker keeps, between jobs and in the midst of one, and knows when a job has ended', async (t) => {
  const { pool } = openPool(t);
  const calls: WorkerCall[] = [];
  const onCall = async (call: WorkerCall): Promise<number> => calls.push(call);
  await pool.run('hold', { bytes: 1000 }, { limits: calm });
  await pool.run('ask', null, { limits: calm, onCall });
  const [{ worker, jobEnd }] = calls as [WorkerCall];
  t.equal(jobEnd.aborted, true);
  t.equal(await pool.run('kept', null, { limits: calm }), 1);
  await worker.release();
  t.equal(await pool.run('kept', null, { limits: calm }), 0);
  await pool.run('hold', { bytes: 1000 }, { limits: calm });
  const abort = new AbortController();
  const { end } = await started(pool, 'wait', { signal: abort.signal });
  await Promise.all([worker.release(), worker.release()]);
  abort.abort();
  await end;
  t.equal(await pool.run('kept', null, { limits: calm }), 0);
  const { end: deaf } = await started(pool, 'loop', {});
  const told = worker.release();
  await pool.close();
  await told;
  await worker.ended;
  t.match(await deaf, { code: 'cancelled' });
});
