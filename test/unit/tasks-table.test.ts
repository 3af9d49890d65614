/** The task table's life of a task: queue, bounds, waiting, pushes, cancel, tenants, expiry. Restarts are in tasks-restart. */
import { existsSync } from 'node:fs';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { LecternError } from '../../src/errors.js';
import { createTaskTable } from '../../src/tasks/table.js';
import type { RunTask, TaskTable, TaskTableOptions, TaskView } from '../../src/tasks/types.js';
import { deferred, type Deferred } from '../support/deferred.js';
import { ManualClock } from '../support/manual-clock.js';
import { until } from '../support/until.js';

interface Payload { name: string }
interface Meta { page: number }
interface Summary { done: string }
type View = TaskView<Meta, Summary>;

const sleepless: RunTask<Payload, Meta, Summary> = async (task) => ({ done: task.payload.name });

async function open(t: Test, over: Partial<TaskTableOptions<Payload, Meta, Summary>> = {}) {
  const directory = join(t.testdir(), 'spool');
  const clock = new ManualClock();
  const table = await createTaskTable<Payload, Meta, Summary>({
    directory, clock, concurrency: 1, maxQueued: 3, keepMs: 60_000, maxEnded: 10, run: sleepless, ...over,
  });
  t.teardown(() => table.close());
  return { table, clock, directory };
}

async function submit(table: TaskTable<Payload, Meta, Summary>, name: string, tenant = 'default'): Promise<View> {
  const slot = await table.admit('convert', tenant);
  await writeFile(join(slot.inputsDirectory, '0'), name, { mode: 0o600 });
  return slot.submit({ name });
}

t.test('a task runs and its result can be read again and again', async (t) => {
  const { table, directory } = await open(t, {
    run: async (task, context) => {
      t.match(await readdir(context.inputsDirectory), ['0']);
      await writeFile(join(context.scratchDirectory, 'tmp'), 'x');
      await writeFile(join(context.outputsDirectory, 'result.json'), `{"${task.payload.name}":1}`, { mode: 0o600 });
      return { done: task.payload.name };
    },
  });
  const submitted = await submit(table, 'a');
  t.match(submitted.id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  t.match(submitted, { kind: 'convert', tenant: 'default', status: 'pending', position: 1, meta: null, summary: null, failure: null });
  const ended = await table.wait(submitted.id, 'default', 10_000);
  t.match(ended, { status: 'success', position: null, summary: { done: 'a' }, failure: null });
  t.equal(ended.expiresAt, (ended.endedAt ?? 0) + 60_000);
  for (let i = 0; i < 2; i++) {
    const output = await table.openOutput(submitted.id, 'default', 'result.json');
    t.equal(output.sizeBytes, 7);
    t.equal(await output.handle.readFile('utf8'), '{"a":1}');
    await output.handle.close();
  }
  for (const name of ['other', '../task.json', '', '.', '..']) {
    await t.rejects(table.openOutput(submitted.id, 'default', name), { code: 'not_found' }, `no output ${JSON.stringify(name)}`);
  }
  t.strictSame((await readdir(join(directory, submitted.id))).sort(), ['outputs', 'task.json'], 'inputs, payload and scratch are gone');
  t.equal((await stat(directory)).mode & 0o777, 0o700);
  t.equal((await stat(join(directory, submitted.id))).mode & 0o777, 0o700);
  t.equal((await stat(join(directory, submitted.id, 'task.json'))).mode & 0o777, 0o600);
});

t.test('order, concurrency and positions', async (t) => {
  const gates = new Map<string, Deferred<void>>();
  const starts = new Map<string, Deferred<void>>();
  const order: string[] = [];
  let running = 0;
  let most = 0;
  const { table } = await open(t, {
    concurrency: 2, maxQueued: 10,
    run: async ({ payload: { name } }) => {
      order.push(name);
      most = Math.max(most, ++running);
      starts.get(name)?.resolve();
      await gates.get(name)?.promise;
      running--;
      return { done: name };
    },
  });
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const ids = new Map<string, string>();
  for (const name of names) {
    gates.set(name, deferred());
    starts.set(name, deferred());
    ids.set(name, (await submit(table, name)).id);
    // A task's inputs are read from disk before its work begins: two that get their slots together may begin in either order.
    if (ids.size <= 2) await starts.get(name)?.promise;
  }
  const view = (name: string): View => table.get(ids.get(name) ?? '', 'default');
  const positions = (): (number | null)[] => names.map((name) => view(name).position);
  t.strictSame(positions(), [null, null, 1, 2, 3, 4]);
  t.match(table.counts(), { waiting: 4, running: 2 });
  const seen: (number | null | string)[] = [];
  table.subscribe(ids.get('e') ?? '', 'default', (task) => seen.push(task.position ?? task.status));

  await table.cancel(ids.get('c') ?? '', 'default');
  t.strictSame(positions(), [null, null, null, 1, 2, 3], 'a cancelled one lets the others move up');
  for (const [ends, begins] of [['a', 'd'], ['b', 'e'], ['d', 'f']] as const) {
    gates.get(ends)?.resolve();
    await starts.get(begins)?.promise;
  }
  for (const name of names) gates.get(name)?.resolve();
  for (const name of names) await table.wait(ids.get(name) ?? '', 'default', 10_000);
  t.strictSame(order, ['a', 'b', 'd', 'e', 'f'], 'in the order of submission, without the cancelled one');
  t.equal(most, 2, 'never more than two at once');
  t.strictSame(seen, [2, 1, 'started', 'success'], 'a subscriber sees each move');
  t.match(view('c'), { status: 'failure', failure: { code: 'cancelled' } });
});

t.test('the queue is bounded at admission, reserved slots included', async (t) => {
  const gate = deferred();
  const { table, directory } = await open(t, { concurrency: 1, maxQueued: 2, run: async () => { await gate.promise; return { done: '' }; } });
  await submit(table, 'a');
  await submit(table, 'b');
  const slot = await table.admit('convert', 'default');
  t.match(table.counts(), { reserved: 1, waiting: 1, running: 1 });
  await t.rejects(table.admit('convert', 'default'), { code: 'queue_full', retryable: true });
  await slot.discard();
  await slot.discard();
  t.match(table.counts(), { reserved: 0 }, 'discarding twice gives one place back');
  t.equal((await readdir(directory)).includes(slot.id), false, 'the upload is gone');
  await t.rejects(slot.submit({ name: 'x' }), { code: 'invalid_state' });
  await submit(table, 'c');
  await t.rejects(table.admit('convert', 'default'), { code: 'queue_full' });
  gate.resolve();
  await table.close();
});

t.test('parallel admissions do not pass the bound', async (t) => {
  const { table } = await open(t, { concurrency: 1, maxQueued: 4 });
  const slots = await Promise.allSettled(Array.from({ length: 20 }, () => table.admit('convert', 'default')));
  t.equal(slots.filter((slot) => slot.status === 'fulfilled').length, 5);
  t.equal(table.counts().reserved, 5);
});

t.test('cancelling waiting tasks gives their places back', async (t) => {
  const gate = deferred();
  const { table } = await open(t, { maxQueued: 1, maxEnded: 5, run: async () => { await gate.promise; return { done: '' }; } });
  const first = await submit(table, 'first');
  for (let i = 0; i < 30; i++) {
    const { id } = await submit(table, `n${i}`);
    t.match(await table.cancel(id, 'default'), { status: 'failure' });
  }
  t.match(table.counts(), { waiting: 0, running: 1, ended: 5 });
  gate.resolve();
  t.match(await table.wait(first.id, 'default', 10_000), { status: 'success' });
});

t.test('wait ends with the task, with its time or with its signal', async (t) => {
  const gate = deferred();
  const { table, clock } = await open(t, { run: async () => { await gate.promise; return { done: 'x' }; } });
  const { id } = await submit(table, 'a');
  t.match(await table.wait(id, 'default', 0), { status: /pending|started/ });
  const timed = table.wait(id, 'default', 5000);
  clock.advance(4999);
  clock.advance(1);
  t.match(await timed, { status: 'started' }, 'time over');
  const gone = new AbortController();
  const aborted = table.wait(id, 'default', 5000, gone.signal);
  gone.abort();
  t.match(await aborted, { status: 'started' }, 'the client went');
  t.equal(clock.pending, 0, 'no timer is left behind');

  gate.resolve();
  t.match(await table.wait(id, 'default', 1_000_000), { status: 'success' }, 'an ended task answers at once');
});

t.test('all waiters go on in the turn of the event loop in which the task ends', async (t) => {
  const gate = deferred();
  const { table } = await open(t, { run: async () => { await gate.promise; return { done: 'x' }; } });
  const { id } = await submit(table, 'a');
  let wentOn = 0;
  for (let i = 0; i < 50; i++) void table.wait(id, 'default', 1_000_000).then(({ status }) => { if (status === 'success') wentOn++; });
  const inThatTurn = new Promise<number>((resolve) => {
    table.subscribe(id, 'default', ({ status }) => { if (status === 'success') setImmediate(() => resolve(wentOn)); });
  });
  gate.resolve();
  t.equal(await inThatTurn, 50);
});

t.test('progress is pushed, but not at every step', async (t) => {
  const gate = deferred();
  const { table, clock } = await open(t, {
    run: async (_task, { setMeta }) => {
      for (let page = 1; page <= 100; page++) {
        setMeta({ page });
        clock.advance(10);
      }
      await gate.promise;
      return { done: '' };
    },
  });
  const seen: View[] = [];
  const slot = await table.admit('convert', 'default');
  const { id } = await slot.submit({ name: 'a' });
  const stop = table.subscribe(id, 'default', (view) => { seen.push(view); });
  table.subscribe(id, 'default', () => { throw new Error('a bad listener'); });
  gate.resolve();
  t.match(await table.wait(id, 'default', 60_000), { meta: { page: 100 } });
  t.equal(seen[0]?.status, 'started');
  t.equal(seen.at(-1)?.status, 'success', 'the end comes last');
  const pages = seen.filter((view) => view.status === 'started' && view.meta).map((view) => view.meta?.page ?? 0);
  t.ok(pages.length >= 4 && pages.length <= 7, `a second of work gives ${pages.length} pushes`);
  stop();
});

t.test('a running task is cancelled; its files are gone; the place is free', async (t) => {
  const began = deferred();
  const stopped: string[] = [];
  const { table, directory } = await open(t, {
    run: async ({ payload }, { signal, outputsDirectory }) => {
      if (payload.name !== 'endless') return { done: payload.name };
      await writeFile(join(outputsDirectory, 'half'), 'x');
      began.resolve();
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
      throw new Error('not reached');
    },
  });
  const { id } = await submit(table, 'endless');
  const next = await submit(table, 'next');
  await began.promise;
  table.subscribe(id, 'default', (view) => stopped.push(view.failure?.code ?? view.status));
  const waiting = table.wait(id, 'default', 60_000);
  const [one, two] = await Promise.all([table.cancel(id, 'default'), table.cancel(id, 'default')]);
  t.match(one, { status: 'failure', failure: { code: 'cancelled', message: 'The work was cancelled.' } });
  t.match(two, { failure: { code: 'cancelled' } });
  t.match(await waiting, { failure: { code: 'cancelled' } });
  t.strictSame(stopped, ['cancelled']);
  t.strictSame(await readdir(join(directory, id)), ['task.json']);
  t.match(await table.wait(next.id, 'default', 60_000), { status: 'success' }, 'the next one runs');
  t.match(await table.cancel(next.id, 'default'), { status: 'success' }, 'an ended task stays as it is');
});

t.test('failures: expected ones speak, defects do not', async (t) => {
  const logged: unknown[] = [];
  const { table, directory } = await open(t, {
    log: (_level, _message, cause) => logged.push(cause),
    run: async ({ payload }, { outputsDirectory }) => {
      await writeFile(join(outputsDirectory, 'half'), 'x');
      throw payload.name === 'expected' ? new LecternError('invalid_document', 'Page 3 is missing.') : new Error('secret path');
    },
  });
  const expected = await submit(table, 'expected');
  const defect = await submit(table, 'defect');
  t.match(await table.wait(expected.id, 'default', 1e6), { status: 'failure', failure: { code: 'invalid_document', message: 'Page 3 is missing.' } });
  t.match(await table.wait(defect.id, 'default', 1e6), { status: 'failure', failure: { code: 'internal', message: 'Internal processing error.' } });
  t.match(logged, [{ message: 'secret path' }], 'only the defect is logged');
  t.strictSame(await readdir(join(directory, expected.id)), ['task.json']);
  await t.rejects(table.openOutput(expected.id, 'default', 'half'), { code: 'not_found' });
});

t.test('tenants do not see each other', async (t) => {
  const { table } = await open(t);
  const { id } = await submit(table, 'a', 'red');
  await table.wait(id, 'red', 1e6);
  const unseen = { code: 'not_found', message: 'Task not found.' };
  t.throws(() => table.get(id, 'blue'), unseen);
  t.throws(() => table.subscribe(id, 'blue', () => undefined), unseen);
  await t.rejects(table.wait(id, 'blue', 10), unseen);
  await t.rejects(table.cancel(id, 'blue'), unseen);
  await t.rejects(table.remove(id, 'blue'), unseen);
  await t.rejects(table.openOutput(id, 'blue', 'result.json'), unseen);
  t.equal(await table.clear('blue', 0), 0);
  t.match(table.get(id, 'red'), { status: 'success' });
  for (const bad of ['', '../x', '__proto__', id.toUpperCase()]) t.throws(() => table.get(bad, 'red'), unseen);
});

t.test('tasks expire, are cleared, are removed', async (t) => {
  const { table, clock, directory } = await open(t, { maxQueued: 9, keepMs: 10_000 });
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c', 'd']) {
    const { id } = await submit(table, name);
    await table.wait(id, 'default', 1e6);
    ids.push(id);
    clock.advance(1000);
  }
  const [a = '', b = '', c = '', d = ''] = ids;
  const onDisk = async (): Promise<string[]> => (await readdir(directory)).filter((name) => name !== 'lock').sort();
  clock.advance(5999);
  t.match(table.get(a, 'default'), { status: 'success' }, 'kept for its whole time');
  clock.advance(1);
  t.throws(() => table.get(a, 'default'), { code: 'not_found' });
  t.equal(await table.clear('default', 8.5), 1, 'older than 8.5 s is only the second');
  t.throws(() => table.get(b, 'default'), { code: 'not_found' });
  await table.remove(c, 'default');
  t.throws(() => table.get(c, 'default'), { code: 'not_found' });
  t.notOk([b, c].some((id) => existsSync(join(directory, id))), 'gone when it is answered');
  await until('the first goes, too', async () => (await onDisk()).join() === d);
  clock.advance(3000);
  await until('the last goes', async () => (await onDisk()).length === 0);
  t.match(table.counts(), { reserved: 0, waiting: 0, running: 0, ended: 0, endedBytes: 0, begun: 4, succeeded: 4, failed: 0, cancelled: 0 });
  t.equal(clock.pending, 0);
});

t.test('a clock that is set lets nothing live on, and silences no progress', async (t) => {
  const hour = 3_600_000;
  const gate = deferred();
  const { table, clock, directory } = await open(t, {
    keepMs: hour,
    run: async ({ payload: { name } }, { setMeta }) => {
      if (name !== 'long') return { done: name };
      for (let page = 1; page <= 100; page++) {
        if (page === 50) clock.set(-10 * hour);
        setMeta({ page });
        clock.advance(300);
      }
      await gate.promise;
      return { done: name };
    },
  });
  const end = async (name: string): Promise<string> => {
    const { id } = await submit(table, name);
    await table.wait(id, 'default', 1e6);
    return id;
  };
  const onDisk = async (): Promise<string[]> => (await readdir(directory)).filter((name) => name !== 'lock');
  const early = await end('early');
  const pages: number[] = [];
  const slot = await table.admit('convert', 'default');
  const { id: long } = await slot.submit({ name: 'long' });
  table.subscribe(long, 'default', ({ meta }) => { pages.push(meta?.page ?? 0); });
  gate.resolve();
  await table.wait(long, 'default', 1e6);
  t.ok(pages.filter((page) => page > 51 && page < 100).length >= 2, `${pages.join()}`);
  t.ok(table.counts().waitMs >= 0);
  clock.advance(hour);
  await until('what ended later goes first, by the clock as it is now', async () => (await onDisk()).join() === early);
  clock.set(10 * hour);
  clock.advance(60_000);
  t.throws(() => table.get(early, 'default'), { code: 'not_found' });
  await until('it goes within a minute of what the clock says', async () => (await onDisk()).length === 0);
});

t.test('what has ended is bounded by count and by bytes, the newest stays', async (t) => {
  const { table, directory } = await open(t, {
    maxEnded: 3, maxEndedBytes: 250,
    run: async ({ payload }, { outputsDirectory }) => {
      await writeFile(join(outputsDirectory, 'r'), Buffer.alloc(Number(payload.name)));
      return { done: '' };
    },
  });
  const make = async (bytes: number): Promise<string> => {
    const { id } = await submit(table, String(bytes));
    await table.wait(id, 'default', 1e6);
    return id;
  };
  for (let i = 0; i < 8; i++) await make(10);
  t.match(table.counts(), { ended: 3, endedBytes: 30 });
  await make(240);
  t.match(table.counts(), { ended: 2, endedBytes: 250 });
  const big = await make(1000);
  t.match(table.counts(), { ended: 1, endedBytes: 1000 });
  t.match(table.get(big, 'default'), { status: 'success' });
  await until('only the lock and one task are left', async () => (await readdir(directory)).length === 2);
});

t.test('remove ends what runs', async (t) => {
  const began = deferred();
  const { table, directory } = await open(t, {
    run: async (_task, { signal }) => {
      began.resolve();
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
      return { done: '' };
    },
  });
  const { id } = await submit(table, 'a');
  await began.promise;
  await table.remove(id, 'default');
  t.throws(() => table.get(id, 'default'), { code: 'not_found' });
  t.strictSame(await readdir(directory), ['lock']);
});
