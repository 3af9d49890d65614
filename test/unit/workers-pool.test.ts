/** The pool of child processes at peace: who works, who waits, who is replaced. How workers die is in workers-deaths. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import t from 'tap';
import { until } from '../support/until.js';
import { calm, lives, mebibyte, openPool } from '../support/workers.js';

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
  const allowed = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'LD_LIBRARY_PATH', 'HOME', 'TMPDIR', 'CUDA_VISIBLE_DEVICES', 'UV_THREADPOOL_SIZE', 'UV_USE_IO_URING', 'OPENSSL_CONF', 'MALLOC_ARENA_MAX', 'OMP_THREAD_LIMIT', 'TESSDATA_PREFIX', 'NO_COLOR'];
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

t.test('a job that waits while all workers are busy gets one beyond them, which ends with it', async (t) => {
  const { pool } = openPool(t, { size: 1, guests: 1 });
  const stop = new AbortController();
  const long = pool.run('wait', null, { limits: calm, signal: stop.signal }).catch(() => undefined);
  await until('the worker is busy', () => pool.counts().busy === 1);
  t.match(pool.counts(), { starting: 0, idle: 0, started: 1 }, 'none is kept beyond the usual ones');
  const first = await pool.run<number, Echo>('echo', 1, { limits: calm });
  t.equal(first.request, 1);
  await until('it is gone', () => !lives(first.pid));
  t.match(pool.counts(), { starting: 0, idle: 0, busy: 1, started: 2, lost: 0 });
  stop.abort();
  await long;
});

t.test('jobs wait in order; workers are started as they are needed', async (t) => {
  const { pool } = openPool(t, { size: 3 });
  await until('a worker has started', () => pool.counts().idle === 1);
  t.match(pool.counts(), { started: 1, idle: 1 }, 'one is warm before the first job');
  const ended: number[] = [];
  const answers = await Promise.all(Array.from({ length: 10 }, (_, i) =>
    pool.run<number, Echo>('echo', i, { limits: calm }).then((answer) => { ended.push(i); return answer; })));
  t.strictSame(answers.map(({ request }) => request), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 'each got its own answer');
  t.equal(ended.length, 10);
  const pids = new Set(answers.map(({ pid }) => pid));
  t.ok(pids.size <= 3 && pool.counts().started <= 3, `${pids.size} processes for ten jobs`);
});

t.test('jobs one after the other go to the worker that had the last one, whose code is warm; without spares no other is started', async (t) => {
  const { pool } = openPool(t, { size: 2, spare: 2 });
  await Promise.all([0, 1].map((i) => pool.run<number, Echo>('echo', i, { limits: calm })));
  // The first may have done both jobs while the second was still starting; that one would then be who came last.
  await until('both workers idle', () => pool.counts().idle === 2);
  const pids: number[] = [];
  for (let i = 0; i < 5; i++) pids.push((await pool.run<number, Echo>('echo', i, { limits: calm })).pid);
  t.match(pool.counts(), { idle: 2, started: 2 }, 'there is another one');
  t.equal(new Set(pids).size, 1);
  const { pool: lean } = openPool(t, { size: 2, spare: 0 });
  await until('a worker has started', () => lean.counts().idle === 1);
  t.match(lean.counts(), { idle: 1, started: 1 }, 'the first one is started all the same');
  for (let i = 0; i < 3; i++) await lean.run<number, Echo>('echo', i, { limits: calm });
  t.match(lean.counts(), { idle: 1, started: 1 });
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
