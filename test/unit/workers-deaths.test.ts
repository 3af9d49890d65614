/** The pool of child processes in trouble: whatever a worker does to itself costs its own job and nothing else. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { createPool } from '../../src/workers/pool.js';
import type { WorkerError } from '../../src/workers/types.js';
import { until } from '../support/until.js';
import { calm, entry, lives, mebibyte, openPool } from '../support/workers.js';

interface Echo { pid: number }

const deaths: { verb: string; limits?: object; error: object }[] = [
  { verb: 'segfault', error: { code: 'worker_crashed', exitSignal: 'SIGSEGV', progress: { page: 7 }, limit: null } },
  { verb: 'exit', error: { code: 'worker_crashed', exitCode: 3, exitSignal: null } },
  { verb: 'loop', limits: { silenceMs: 2000 }, error: { code: 'timeout', limit: 'silence', exitSignal: 'SIGKILL', progress: { page: 2 } } },
  { verb: 'loop', limits: { totalMs: 300 }, error: { code: 'timeout', limit: 'total', exitSignal: 'SIGKILL' } },
  { verb: 'allocate', limits: { residentBytes: 200 * mebibyte }, error: { code: 'out_of_memory', limit: 'resident', progress: { page: Number } } },
  { verb: 'fillHeap', error: { code: 'out_of_memory', limit: 'resident' } },
  { verb: 'garbage', error: { code: 'worker_crashed', limit: null } },
  { verb: 'giant', error: { code: 'worker_crashed', limit: null } },
];

t.test('death costs one job: the neighbour goes on, the next job finds a new worker', async (t) => {
  const scratchDirectory = t.testdir();
  const { pool } = openPool(t, { size: 2, spare: 2, maxResidentBytes: 250 * mebibyte, scratchDirectory });
  const stop = new AbortController();
  let heard!: () => void;
  const neighbourRuns = new Promise<void>((resolve) => { heard = resolve; });
  const neighbour = pool.run('wait', null, { limits: { silenceMs: 1e6, totalMs: 1e6 }, signal: stop.signal, onProgress: () => heard() });
  await neighbourRuns;
  let dead = 0;
  for (const { verb, limits, error } of deaths) {
    const before = await pool.run<null, Echo>('echo', null, { limits: calm });
    const thrown = await pool.run(verb, null, { limits: { ...calm, ...limits } }).catch((thrown: unknown) => thrown as WorkerError);
    t.match(thrown, { name: 'WorkerError', ...error }, `${verb} ${JSON.stringify(limits ?? {})}`);
    const after = await pool.run<null, Echo>('echo', null, { limits: calm });
    t.not(after.pid, before.pid, 'another process answers');
    t.equal(lives(before.pid), false, 'the old one is gone');
    t.equal(pool.counts().lost, ++dead);
  }
  t.equal(dead, deaths.length);
  const { starting, idle, busy } = pool.counts();
  const directories = readdirSync(join(scratchDirectory, readdirSync(scratchDirectory)[0] ?? ''));
  t.equal(directories.length, starting + idle + busy, 'the shared files of the dead are gone');
  stop.abort();
  await t.rejects(neighbour, { code: 'cancelled' }, 'the neighbour ran all the time');
});

t.test('V8\'s own bound is a second fence', async (t) => {
  const { pool } = openPool(t, { watchMs: 60_000, maxResidentBytes: 100 * mebibyte });
  await t.rejects(pool.run('fillHeap', null, { limits: calm }), { name: 'WorkerError', exitSignal: /SIG(ABRT|TRAP|ILL)/ });
});

t.test('silence is measured from the last sign of life', async (t) => {
  const { pool } = openPool(t);
  t.equal(await pool.run('ticks', { times: 10, everyMs: 250 }, { limits: { silenceMs: 2000, totalMs: 60_000 } }), 'done');
  await t.rejects(pool.run('ticks', { times: 100, everyMs: 60 }, { limits: { silenceMs: 20_000, totalMs: 400 } }), { name: 'WorkerError', limit: 'total' });
});

t.test('a program that cannot start is not started for ever', async (t) => {
  for (const command of [{ execPath: '/nonexistent/node', args: [] }, { execPath: process.execPath, args: ['-e', 'process.exit(1)'] }]) {
    const pool = createPool({ command, size: 2, maxResidentBytes: 100 * mebibyte });
    await t.rejects(pool.run('echo', null, { limits: calm }), { code: 'worker_crashed', message: 'The process that works on documents cannot be started.' });
    t.ok(pool.counts().started <= 4, `${pool.counts().started} starts`);
    await pool.close();
  }
});

t.test('workers die with their parent, and its shared files go at the next start', async (t) => {
  const scratchDirectory = t.testdir();
  const { execPath, args } = entry('worker-parent');
  const parent = spawn(execPath, [...args, scratchDirectory], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [text] = await once(parent.stdout, 'data') as [Buffer];
  const pid = Number(text.toString().trim());
  t.equal(lives(pid), true);
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  // No event tells of a stranger's end.
  await until('the worker is gone, although it computes without end', () => !lives(pid));
  t.equal(readdirSync(scratchDirectory).length, 1);
  const { pool } = openPool(t, { scratchDirectory });
  await until('a worker has started', () => pool.counts().idle === 1);
  t.equal(readdirSync(scratchDirectory).filter((name) => !name.startsWith(`lectern-workers-${process.pid}-`)).length, 0, 'swept');
});
