/** What the task table finds when a process comes back to its directory: after a stop, after a crash, after two crashes. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, readdir, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import t from 'tap';
import { processStart } from '../../src/platform/process-start-time.js';
import { lockDirectory } from '../../src/tasks/lock.js';
import { createTaskTable } from '../../src/tasks/table.js';
import type { RunTask, TaskTable } from '../../src/tasks/types.js';
import { deferred } from '../support/deferred.js';
import { ManualClock } from '../support/manual-clock.js';
import { until } from '../support/until.js';

type Run = RunTask<{ name: string }, { page: number }, string>;
type Table = TaskTable<{ name: string }, { page: number }, string>;

function open(directory: string, run: Run, over: { keepMs?: number; clock?: ManualClock; concurrency?: number; maxEnded?: number } = {}): Promise<Table> {
  return createTaskTable({ directory, run, concurrency: 1, maxQueued: 10, keepMs: 60_000, maxEnded: 10, clock: new ManualClock(), ...over });
}

async function submit(table: Table, name: string): Promise<string> {
  const slot = await table.admit('convert', 'default');
  await writeFile(join(slot.inputsDirectory, '0'), `input of ${name}`);
  return (await slot.submit({ name })).id;
}

const read: Run = async ({ payload }, { inputsDirectory, outputsDirectory }) => {
  const input = await readFile(join(inputsDirectory, '0'), 'utf8');
  await writeFile(join(outputsDirectory, 'result.json'), input);
  return payload.name;
};

/** The directory as a process that was killed leaves it: a copy, since the living one still holds the original. */
async function crash(directory: string): Promise<string> {
  const copy = join(directory, '..', 'crashed');
  await cp(directory, copy, { recursive: true });
  await writeFile(join(copy, 'lock'), '999999999 1');
  return copy;
}

t.test('ended tasks are read, unfinished ones run again in their order', async (t) => {
  const directory = join(t.testdir({}), 'spool');
  const began = deferred();
  const first = await open(directory, async (task, context) => {
    if (task.payload.name === 'done') return read(task, context);
    await writeFile(join(context.outputsDirectory, 'half'), 'x');
    await writeFile(join(context.scratchDirectory, 'tmp'), 'x');
    context.setMeta({ page: 7 });
    began.resolve();
    await new Promise((_resolve, reject) => context.signal.addEventListener('abort', () => reject(new Error('stopped'))));
    return '';
  });
  const done = await submit(first, 'done');
  await first.wait(done, 'default', 1e6);
  const names = ['running', 'second', 'third'];
  const ids: string[] = [];
  for (const name of names) ids.push(await submit(first, name));
  const orphan = await first.admit('convert', 'default');
  await writeFile(join(orphan.inputsDirectory, '0'), 'half an upload');
  await began.promise;
  const copy = await crash(directory);
  await writeFile(join(copy, 'notes.txt'), 'not ours');
  await mkdir(join(copy, 'not-a-task'));
  await writeFile(join(copy, done, 'payload.json'), 'left by a crash in the middle of cleaning');
  await first.close();

  const order: [string, number][] = [];
  const gate = deferred();
  const second = await open(copy, async (task, context) => {
    await gate.promise;
    t.strictSame(await readdir(context.outputsDirectory), [], 'outputs begin empty');
    t.strictSame(await readdir(context.scratchDirectory), [], 'scratch begins empty');
    order.push([task.payload.name, task.attempt]);
    return read(task, context);
  });
  t.teardown(() => second.close());
  t.match(second.get(done, 'default'), { status: 'success', summary: 'done' });
  const output = await second.openOutput(done, 'default', 'result.json');
  t.equal(await output.handle.readFile('utf8'), 'input of done');
  await output.handle.close();
  t.match(second.get(ids[2] ?? '', 'default'), { status: 'pending', meta: null });
  gate.resolve();
  for (const id of ids) t.match(await second.wait(id, 'default', 1e6), { status: 'success' });
  t.strictSame(order, [['running', 2], ['second', 1], ['third', 1]]);
  const left = await readdir(copy);
  t.notOk(left.includes(orphan.id), 'an upload without a task is deleted');
  t.ok(left.includes('notes.txt') && left.includes('not-a-task'), 'what is not ours stays');
  t.strictSame((await readdir(join(copy, done))).sort(), ['outputs', 'task.json']);
});

t.test('a task that was running when two processes died is failed', async (t) => {
  const root = t.testdir({ one: {}, two: {} });
  const began = [deferred(), deferred()];
  const hang = (n: number): Run => async (_task, { signal }) => {
    began[n]?.resolve();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    throw new Error('stopped');
  };
  const first = await open(join(root, 'one', 'spool'), hang(0));
  const id = await submit(first, 'killer');
  await began[0]?.promise;
  await cp(join(root, 'one', 'spool'), join(root, 'two', 'spool'), { recursive: true });
  await writeFile(join(root, 'two', 'spool', 'lock'), '');
  await first.close();
  const second = await open(join(root, 'two', 'spool'), hang(1));
  await began[1]?.promise;
  const copy = join(root, 'three');
  await cp(join(root, 'two', 'spool'), copy, { recursive: true });
  await writeFile(join(copy, 'lock'), '1 1');
  await second.close();
  const ran: string[] = [];
  const third = await open(copy, async (task) => { ran.push(task.id); return ''; });
  t.teardown(() => third.close());
  t.match(third.get(id, 'default'), {
    status: 'failure', failure: { code: 'worker_crashed', message: 'The service ended 2 times while it worked on this task.' },
  });
  t.strictSame(ran, []);
  t.strictSame(await readdir(join(copy, id)), ['task.json']);
});

t.test('close gives running work back without blame, or waits for it', async (t) => {
  const directory = join(t.testdir(), 'spool');
  const began = deferred();
  const first = await open(directory, async (_task, { signal }) => {
    began.resolve();
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    return '';
  });
  const id = await submit(first, 'long');
  const waiting = await submit(first, 'waiting');
  await began.promise;
  const wait = first.wait(id, 'default', 1e9);
  await first.close();
  t.match(await wait, { status: 'pending' }, 'an open wait is answered');
  await t.rejects(first.admit('convert', 'default'), { code: 'invalid_state' });
  await t.rejects(first.cancel(waiting, 'default'), { code: 'invalid_state' });
  t.match(JSON.parse(await readFile(join(directory, id, 'task.json'), 'utf8')), { status: 'pending', attempts: 0 });

  const gate = deferred();
  const second = await open(directory, async (task, context) => {
    if (task.payload.name === 'long') await gate.promise;
    return read(task, context);
  });
  const closing = second.close({ waitMs: 60_000 });
  gate.resolve();
  await closing;
  t.match(second.get(id, 'default'), { status: 'success' }, 'it was given its time');
  t.match(second.get(waiting, 'default'), { status: 'pending' }, 'nothing new was begun');
  t.match(JSON.parse(await readFile(join(directory, id, 'task.json'), 'utf8')), { status: 'success', attempts: 1 });
});

t.test('a directory belongs to one process', async (t) => {
  const directory = join(t.testdir(), 'spool');
  const first = await open(directory, read);
  await t.rejects(open(directory, read), { code: 'invalid_state', message: new RegExp(`in use by process ${process.pid}\\.`) });
  await first.close();
  t.strictSame(await readdir(directory), []);
  const again = await open(directory, read);
  t.equal((await stat(join(directory, 'lock'))).mode & 0o777, 0o600);
  await again.close();
});

t.test('a lock whose process has not yet written who it is is no abandoned one', async (t) => {
  const directory = t.testdir({ lock: '' });
  const second = t.rejects(open(directory, read), { code: 'invalid_state', message: new RegExp(`in use by process ${process.pid}\\.`) });
  // Before its last look, whatever the machine's pace: it waits for twenty such timers, one after the other.
  await wait(100);
  await writeFile(join(directory, 'lock'), `${process.pid} ${processStart(process.pid)}`);
  await second;
});

t.test('an owner whose process number tells nothing is asked: in another container, on another machine, before a reboot', async (t) => {
  const directory = t.testdir();
  const lock = join(directory, 'lock');
  const unlock = await lockDirectory(directory, 20);
  const [pid = '', start = '', place = ''] = (await readFile(lock, 'utf8')).split(' ');
  t.strictSame([pid, start], [String(process.pid), processStart(process.pid)]);
  t.match(place, /^[0-9a-f]{16}$/);
  const elsewhere = place.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
  for (const [other, why] of [['999999999 1', 'in another container'], [`${process.pid} 1`, 'a number that means another process here']] as const) {
    await writeFile(lock, `${other} ${elsewhere}`);
    await t.rejects(lockDirectory(directory, 20), { code: 'invalid_state', message: new RegExp(`in use by process ${other.split(' ')[0]}\\.`) }, why);
  }
  const before = (await stat(lock)).mtimeMs;
  await wait(100);
  t.equal((await stat(lock)).mtimeMs, before, 'nobody asks, nothing is written');
  await unlock();
  t.match(await readFile(lock, 'utf8'), `${process.pid} 1 `, 'whoever lost it leaves it to the one that has it');
  await writeFile(lock, `${process.pid} ${processStart(process.pid)} ${elsewhere}`);
  await (await lockDirectory(directory, 20))();
  t.strictSame(await readdir(directory), [], 'nobody answered for the one before a reboot');
});

t.test('of those that find a dead lock at once one has the directory', async (t) => {
  for (let attempt = 0; attempt < 60; attempt++) {
    const directory = t.testdir({ lock: '999999999 1', ...(attempt === 0 && { 'lock.taking': '' }) });
    // Left by one that was killed as it took a lock away.
    if (attempt === 0) await utimes(join(directory, 'lock.taking'), 1, 1);
    const taken = await Promise.allSettled(Array.from({ length: 4 }, () => lockDirectory(directory)));
    const won = taken.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    t.equal(won.length, 1);
    for (const one of taken) if (one.status === 'rejected') t.match(one.reason, { code: 'invalid_state' });
    for (const unlock of won) await unlock();
    t.strictSame(await readdir(directory), []);
  }
});

t.test('a process that has ended holds nothing, although nobody has asked how it ended', async (t) => {
  // `sleep` in the place of the shell asks after no child of its.
  const parent = spawn('/bin/sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
  t.teardown(() => parent.kill());
  const [line] = await once(parent.stdout, 'data') as [Buffer];
  const pid = line.toString().trim();
  await until('it has ended', async () => /\) Z /.test(await readFile(`/proc/${pid}/stat`, 'utf8')));
  const start = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(' ')[21] ?? '';
  const directory = t.testdir({ lock: `${pid} ${start}` });
  await (await lockDirectory(directory))();
  t.strictSame(await readdir(directory), []);
});

t.test('expiry counts from the end, also across a restart', async (t) => {
  const directory = join(t.testdir(), 'spool');
  const clock = new ManualClock();
  const first = await open(directory, read, { clock, keepMs: 10_000 });
  const ids = [await submit(first, 'a')];
  await first.wait(ids[0] ?? '', 'default', 1e9);
  clock.advance(6000);
  ids.push(await submit(first, 'b'));
  await first.wait(ids[1] ?? '', 'default', 1e9);
  await first.close();
  t.equal(clock.pending, 0);
  clock.advance(5000);
  const second = await open(directory, read, { clock, keepMs: 10_000 });
  t.throws(() => second.get(ids[0] ?? '', 'default'), { code: 'not_found' });
  t.match(second.get(ids[1] ?? '', 'default'), { status: 'success' });
  await second.close();
  t.strictSame(await readdir(directory), [ids[1]]);
});

t.test('a damaged record costs only its own task', async (t) => {
  const directory = join(t.testdir(), 'spool');
  const first = await open(directory, read);
  const good = await submit(first, 'good');
  const bad = await submit(first, 'bad');
  await first.wait(bad, 'default', 1e9);
  await first.close();
  await writeFile(join(directory, bad, 'task.json'), '{"version":1,"id":');
  const second = await open(directory, read);
  t.match(second.get(good, 'default'), { status: 'success' });
  t.throws(() => second.get(bad, 'default'), { name: 'DamagedTask' });
  await second.close();
  t.strictSame((await readdir(directory)).sort(), [good, 'set-aside'].sort());
  t.strictSame(await readdir(join(directory, 'set-aside')), [bad]);
});

/** As many ended tasks as copies of a real one; the answer names them, oldest first. */
async function keptTasks(directory: string, count: number): Promise<string[]> {
  const table = await open(directory, read);
  const model = await submit(table, 'kept');
  await table.wait(model, 'default', 1e9);
  await table.close();
  const record = JSON.parse(await readFile(join(directory, model, 'task.json'), 'utf8')) as { endedAt: number };
  const ids = Array.from({ length: count }, () => randomUUID());
  for (const [index, id] of ids.entries()) {
    await cp(join(directory, model), join(directory, id), { recursive: true });
    await writeFile(join(directory, id, 'task.json'), JSON.stringify({ ...record, id, sequence: index + 2, endedAt: record.endedAt + index + 1 }));
  }
  return ids;
}

t.test('a start does not wait for what goes: thousands of results that are over are deleted meanwhile, and by the next process', async (t) => {
  const directory = join(t.testdir(), 'spool');
  const ids = await keptTasks(directory, 1000);
  const left = async (): Promise<string[]> => (await readdir(directory)).filter((name) => name !== 'lock');
  const first = await open(directory, read, { maxEnded: 5 });
  t.ok((await left()).length > 500, 'it takes work while they are there');
  t.equal(first.counts().ended, 5);
  t.throws(() => first.get(ids[994] ?? '', 'default'), { code: 'not_found' });
  await first.remove(ids[999] ?? '', 'default');
  await first.clear('default', -1000);
  t.strictSame(ids.slice(995).filter((id) => existsSync(join(directory, id))), [], 'what somebody deletes waits for no turn');
  await first.close();
  t.ok((await left()).length > 100, 'nor does the end wait for them');
  const second = await open(directory, read, { maxEnded: 5 });
  t.teardown(() => second.close());
  await until('the rest goes', async () => (await left()).length <= 5);
  t.match(second.counts(), { ended: 5 });
});

t.test('a task that cannot be read is no orphan', async (t) => {
  const directory = join(t.testdir(), 'spool');
  const [id = ''] = await keptTasks(directory, 1);
  const record = join(directory, id, 'task.json');
  const bytes = await readFile(record);
  await rm(record);
  // What a failing disk says of a file, a directory says, too.
  await mkdir(record);
  await (await open(directory, read)).close();
  await rmdir(record);
  await writeFile(record, bytes);
  const again = await open(directory, read);
  t.teardown(() => again.close());
  t.match(again.get(id, 'default'), { status: 'success' });
});
