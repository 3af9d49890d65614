/** The pool of child processes: whatever a worker does to itself costs its own job and nothing else. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import t from 'tap';
import { createPool } from '../../src/workers/pool.js';
import type { WorkerError } from '../../src/workers/types.js';
import { calm, entry, lives, mebibyte, openPool } from '../support/workers.js';

interface Echo { request: unknown; pid: number; jobs: number }

t.test('jobs run in another process, which is used again', async (t) => {
  const { pool } = openPool(t);
  const first = await pool.run<unknown, Echo>('echo', { a: [1, null, 'ü'] }, { limits: calm });
  const second = await pool.run<unknown, Echo>('echo', 2, { limits: calm });
  t.strictSame(first.request, { a: [1, null, 'ü'] });
  t.not(first.pid, process.pid);
  t.equal(second.pid, first.pid);
  t.equal(second.jobs, 2);
  t.strictSame(pool.counts(), { starting: 0, idle: 1, busy: 0, waiting: 0, started: 1, lost: 0 });
  await t.rejects(pool.run('nonsense', null, { limits: calm }), { code: 'invalid_request', message: 'A worker has no verb nonsense.' });
  await t.rejects(pool.run('toString', null, { limits: calm }), { code: 'invalid_request' });
});

t.test('a worker gets none of the parent\'s secrets and no GPU, and gives way', async (t) => {
  process.env['LECTERN_API_KEY'] = 'secret';
  t.teardown(() => { delete process.env['LECTERN_API_KEY']; });
  const { pool } = openPool(t, { maxResidentBytes: 300 * mebibyte });
  const { pid } = await pool.run<null, Echo>('echo', null, { limits: calm });
  const { env, umask, flags } = await pool.run<null, { env: Record<string, string>; umask: number; flags: string[] }>('environment', null, { limits: calm });
  const allowed = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'LD_LIBRARY_PATH', 'HOME', 'TMPDIR', 'CUDA_VISIBLE_DEVICES', 'UV_THREADPOOL_SIZE', 'MALLOC_ARENA_MAX', 'NO_COLOR'];
  // The test runner adds its own names to every process that is started below it.
  const runner = Object.keys(process.env).some((name) => name.startsWith('_TAPJS')) ? /^_TAPJS|^NODE_OPTIONS$/ : /^$/;
  t.strictSame(Object.keys(env).filter((name) => !allowed.includes(name) && !runner.test(name)), []);
  t.equal(env['CUDA_VISIBLE_DEVICES'], '');
  t.equal(umask, 0o077);
  t.ok(flags.includes('--max-old-space-size=300'), flags.join(' '));
  t.equal(statSync(env['HOME'] ?? '').mode & 0o777, 0o700);
  t.equal(readFileSync(`/proc/${pid}/oom_score_adj`, 'latin1').trim(), '800');
});

t.test('errors keep their code; a defect keeps its stack for the log only; the terminal\'s signals are the parent\'s business', async (t) => {
  const { pool } = openPool(t);
  t.equal(await pool.run('signals', null, { limits: calm }), 'alive');
  await t.rejects(pool.run('fail', null, { limits: calm }), { name: 'LecternError', code: 'invalid_document', message: 'Page 3 is missing.' });
  const defect = await pool.run('defect', null, { limits: calm }).catch((thrown: unknown) => thrown as Error);
  t.match(defect, { code: 'internal', message: 'Internal processing error.' });
  t.match((defect as Error).cause, { message: /a secret[^]*worker-entry/ });
  t.match(pool.counts(), { idle: 1, lost: 0, started: 1 }, 'the worker lives on');
});

const deaths: { verb: string; limits?: object; error: object }[] = [
  { verb: 'segfault', error: { code: 'worker_crashed', exitSignal: 'SIGSEGV', progress: { page: 7 }, limit: null } },
  { verb: 'exit', error: { code: 'worker_crashed', exitCode: 3, exitSignal: null } },
  { verb: 'loop', limits: { silenceMs: 300 }, error: { code: 'timeout', limit: 'silence', exitSignal: 'SIGKILL', progress: { page: 2 } } },
  { verb: 'loop', limits: { totalMs: 300 }, error: { code: 'timeout', limit: 'total', exitSignal: 'SIGKILL' } },
  { verb: 'allocate', limits: { residentBytes: 200 * mebibyte }, error: { code: 'out_of_memory', limit: 'resident', progress: { page: Number } } },
  { verb: 'fillHeap', error: { code: 'out_of_memory', limit: 'resident' } },
  { verb: 'garbage', error: { code: 'worker_crashed', limit: null } },
  { verb: 'giant', error: { code: 'worker_crashed', limit: null } },
];

t.test('death costs one job: the neighbour goes on, the next job finds a new worker', async (t) => {
  const { pool } = openPool(t, { size: 2, spare: 2, maxResidentBytes: 250 * mebibyte });
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
  stop.abort();
  await t.rejects(neighbour, { code: 'cancelled' }, 'the neighbour ran all the time');
});

t.test('V8\'s own bound is a second fence', async (t) => {
  const { pool } = openPool(t, { watchMs: 60_000, maxResidentBytes: 100 * mebibyte });
  await t.rejects(pool.run('fillHeap', null, { limits: calm }), { name: 'WorkerError', exitSignal: /SIG(ABRT|TRAP|ILL)/ });
});

t.test('silence is measured from the last sign of life', async (t) => {
  const { pool } = openPool(t);
  t.equal(await pool.run('ticks', { times: 6, everyMs: 80 }, { limits: { silenceMs: 350, totalMs: 60_000 } }), 'done');
  await t.rejects(pool.run('ticks', { times: 100, everyMs: 60 }, { limits: { silenceMs: 20_000, totalMs: 400 } }), { name: 'WorkerError', limit: 'total' });
});

t.test('jobs wait in order; workers are started as they are needed', async (t) => {
  const { pool } = openPool(t, { size: 3 });
  await pool.ready();
  t.match(pool.counts(), { started: 1, idle: 1 }, 'one is warm before the first job');
  const ended: number[] = [];
  const answers = await Promise.all(Array.from({ length: 10 }, (_, i) =>
    pool.run<number, Echo>('echo', i, { limits: calm }).then((answer) => { ended.push(i); return answer; })));
  t.strictSame(answers.map(({ request }) => request), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 'each got its own answer');
  t.equal(ended.length, 10);
  const pids = new Set(answers.map(({ pid }) => pid));
  t.ok(pids.size <= 3 && pool.counts().started <= 3, `${pids.size} processes for ten jobs`);
});

t.test('one worker takes one job at a time, first come first served', async (t) => {
  const { pool } = openPool(t);
  const order: unknown[] = [];
  const stop = new AbortController();
  const blocked = new Promise<void>((resolve) => {
    pool.run('wait', null, { limits: calm, signal: stop.signal, onProgress: () => resolve() }).catch(() => order.push('wait'));
  });
  await blocked;
  const rest = ['a', 'b', 'c'].map((name) => pool.run<string, Echo>('echo', name, { limits: calm }).then(({ request }) => order.push(request)));
  t.match(pool.counts(), { busy: 1, waiting: 3 });
  stop.abort();
  await Promise.all(rest);
  t.strictSame(order, ['wait', 'a', 'b', 'c']);
});

t.test('a worker is replaced when it is worn', async (t) => {
  const { pool } = openPool(t, { maxJobs: 2, maxResidentBytes: 300 * mebibyte });
  const pids: number[] = [];
  for (let i = 0; i < 5; i++) pids.push((await pool.run<null, Echo>('echo', null, { limits: calm })).pid);
  t.equal(new Set(pids).size, 3, 'after two jobs each');
  t.equal(pids[0], pids[1]);
  const heavy = await pool.run('hold', { bytes: 150 * mebibyte }, { limits: calm });
  const { pid } = await pool.run<null, Echo>('echo', null, { limits: calm });
  t.not(pid, heavy, 'or when it does not give its memory back');
  t.equal(pool.counts().lost, 0);
});

t.test('what a worker prints is logged, within bounds', async (t) => {
  const { pool, lines } = openPool(t);
  await pool.run('print', null, { limits: calm });
  await pool.close();
  t.ok(lines.some((line) => /^info worker [0-9]+: to stdout$/.test(line)));
  t.ok(lines.every((line) => line.length < 1100), 'long lines are cut');
  t.ok(lines.length < 120 && lines.some((line) => line.endsWith('(more lines dropped)')), `${lines.length} lines of 502`);
});

t.test('close ends everything', async (t) => {
  const { pool } = openPool(t);
  const { pid } = await pool.run<null, Echo>('echo', null, { limits: calm });
  const { env } = await pool.run<null, { env: Record<string, string> }>('environment', null, { limits: calm });
  const started = new Promise<void>((resolve) => {
    t.rejects(pool.run('loop', null, { limits: calm, onProgress: () => resolve() }), { code: 'cancelled' });
  });
  t.rejects(pool.run('echo', null, { limits: calm }), { code: 'cancelled' });
  await started;
  await pool.close();
  t.equal(lives(pid), false);
  t.equal(existsSync(env['HOME'] ?? ''), false, 'its files are gone');
  await t.rejects(pool.run('echo', null, { limits: calm }), { code: 'invalid_state' });
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
  for (let i = 0; i < 200 && lives(pid); i++) await new Promise((resolve) => setTimeout(resolve, 25));
  t.equal(lives(pid), false, 'although it computes without end');
  t.equal(readdirSync(scratchDirectory).length, 1);
  const { pool } = openPool(t, { scratchDirectory });
  await pool.ready();
  t.match(readdirSync(scratchDirectory), [new RegExp(`^lectern-workers-${process.pid}-`)]);
});
