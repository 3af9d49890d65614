// The spool's disk: its quota, a disk that is full at any step, and what is on it before an id is answered.
import t, { type Test } from 'tap';
import { existsSync } from 'node:fs';
import { cp, mkdir, open as openFile, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { DiskFull } from '../../src/platform/disk-full.js';
import type { DiskRoom } from '../../src/platform/disk-space.js';
import type { OpenedFile, OpenFile } from '../../src/tasks/types.js';
import type { TaskRecord } from '../../src/tasks/record-format.js';
import { TaskFolder } from '../../src/tasks/task-folder.js';
import { createTaskTable } from '../../src/tasks/table.js';
import type { InputFile, TaskTable, TaskTableOptions } from '../../src/tasks/types.js';
import { deferred } from '../support/deferred.js';
import { form, startTestService } from '../support/http-service.js';
import { ManualClock } from '../support/manual-clock.js';
import { until } from '../support/until.js';

type Table = TaskTable<string, unknown, string>;
type Options = TaskTableOptions<string, unknown, string>;

async function open(t: Test, over: Partial<Options> = {}): Promise<{ table: Table; directory: string }> {
  const directory = over.directory ?? join(t.testdir(), 'spool');
  const table = await createTaskTable<string, unknown, string>({
    directory, concurrency: 1, maxQueued: 5, keepMs: 60_000, maxEnded: 10, run: async () => 'done', ...over,
  });
  t.teardown(() => table.close());
  return { table, directory };
}

async function upload(table: Table, bytes: number): Promise<Awaited<ReturnType<Table['admit']>>> {
  const slot = await table.admit('convert', 'default');
  let file: InputFile | undefined;
  try {
    file = await slot.createInput('0');
    for (let sent = 0; sent < bytes; sent += 100) await file.write(Buffer.alloc(Math.min(100, bytes - sent)));
    await file.finish();
  } catch (thrown) {
    await file?.close();
    await slot.discard();
    throw thrown;
  }
  return slot;
}

// The timers of a table keep no process alive.
const alive = setInterval(() => undefined, 1000);
t.teardown(() => clearInterval(alive));

const full = { code: 'out_of_memory', status: 507, name: 'DiskFull' };

const roomy: DiskRoom = { state: 'roomy', lackingBytes: 0 };
const low: DiskRoom = { state: 'low', lackingBytes: 0 };
const noRoom: DiskRoom = { state: 'full', lackingBytes: 2 ** 20 };

t.test('uploads count while they come, results as long as they are kept', async (t) => {
  let size = 300;
  const { table, directory } = await open(t, {
    maxBytes: 1000, maxEndedBytes: 500,
    run: async (_task, { outputsDirectory }) => {
      const file = await openFile(join(outputsDirectory, 'result'), 'w');
      await file.writeFile(Buffer.alloc(size));
      await file.close();
      return 'done';
    },
  });
  await t.rejects(upload(table, 501), full, 'half is for what becomes of uploads');
  t.strictSame((await readdir(directory)).filter((name) => name !== 'lock'), [], 'nothing is left of it');
  const first = await upload(table, 300);
  await t.rejects(upload(table, 300), full, 'beside one that is not submitted yet');
  const waiting = await upload(table, 200);
  await waiting.discard();
  const { id } = await first.submit('x');
  await table.wait(id, 'default', 60_000);
  t.equal(table.counts().endedBytes, 300);
  const second = await upload(table, 500);
  t.equal(table.counts().endedBytes, 300, 'the inputs of the task that ended make room, its result stays');
  await t.rejects(upload(table, 1), full, 'to the byte');
  size = 400;
  await table.wait((await second.submit('y')).id, 'default', 60_000);
  t.equal(table.counts().endedBytes, 400, 'older results make way for newer ones');
  size = 501;
  const third = await (await upload(table, 500)).submit('z');
  t.match(await table.wait(third.id, 'default', 60_000), { status: 'failure', failure: { code: 'out_of_memory', message: /no space left for what this task writes/ } });
  t.equal(table.counts().endedBytes, 400);
});

t.test('what running tasks write counts: results make way, then the task that writes most is given up', async (t) => {
  const writes = new Map([['small', [100, 0]], ['large', [350, 100]]]);
  const { table } = await open(t, {
    concurrency: 2, maxBytes: 1000, maxEndedBytes: 500,
    run: async ({ payload }, { outputsDirectory, scratchDirectory, signal }) => {
      if (payload === 'result') {
        await writeFile(join(outputsDirectory, 'result'), Buffer.alloc(200));
        return 'done';
      }
      const [output = 0, scratch = 0] = writes.get(payload) ?? [];
      await writeFile(join(outputsDirectory, 'half'), Buffer.alloc(output));
      await mkdir(join(scratchDirectory, 'pages'));
      await writeFile(join(scratchDirectory, 'pages', '1'), Buffer.alloc(scratch));
      return new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('told to stop'))));
    },
  });
  const submit = async (payload: string): Promise<string> => (await (await upload(table, 10)).submit(payload)).id;
  await table.wait(await submit('result'), 'default', 60_000);
  t.equal(table.counts().endedBytes, 200);
  const large = await submit('large');
  const small = await submit('small');
  t.match(await table.wait(large, 'default', 60_000), { status: 'failure', failure: { code: 'out_of_memory', message: /no space left for what this task writes/ } });
  t.equal(table.counts().endedBytes, 200, 'the last result stays');
  t.equal(table.get(small, 'default').status, 'started', 'the one that writes little goes on');
});

t.test('what an earlier process left counts', async (t) => {
  const began = deferred();
  const first = await open(t, { maxBytes: 1000, run: (_task, { signal }) => new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
    began.resolve();
  }) });
  const ran: string[] = [];
  await (await upload(first.table, 400)).submit('one');
  await (await upload(first.table, 400)).submit('two');
  // As a kill would leave it: while a task begins its record is written, and a copy may miss a file that it saw.
  await began.promise;
  const directory = join(dirname(first.directory), 'left');
  await cp(first.directory, directory, { recursive: true });
  await rm(join(directory, 'lock'));
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => { release = resolve; });
  const { table } = await open(t, { directory, maxBytes: 1000, run: async ({ payload }) => { ran.push(payload); await held; return payload; } });
  await t.rejects(upload(table, 201), full);
  await (await upload(table, 200)).discard();
  release();
  await until('both have run', () => table.counts().ended === 2);
  t.strictSame(ran, ['one', 'two']);
  await (await upload(table, 1000)).discard();
});

/** A disk that is full at its n-th step: opening, three writes, syncing. */
function fullAt(step: number, order: string[] = []): OpenFile {
  let steps = 0;
  const next = (name: string): void => {
    order.push(name);
    if (++steps === step) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  };
  return async (path): Promise<OpenedFile> => {
    next('open');
    const handle = await openFile(path, 'wx');
    return {
      writeFile: async (bytes) => { next('write'); await handle.writeFile(bytes); },
      sync: async () => { next('sync'); await handle.sync(); },
      close: async () => { order.push('close'); await handle.close(); },
    };
  };
}

t.test('a disk that is full, at every step', async (t) => {
  const root = t.testdir();
  for (let step = 1; step <= 5; step++) {
    const order: string[] = [];
    const { table, directory } = await open(t, { directory: join(root, String(step)), openFile: fullAt(step, order) });
    await t.rejects(upload(table, 300).catch((thrown: unknown) => { t.type(thrown, DiskFull); throw thrown; }), full, `at step ${step}`);
    t.strictSame((await readdir(directory)).filter((name) => name !== 'lock'), [], 'nothing half-written');
    t.equal(table.counts().reserved, 0);
    if (step > 1) t.equal(order.at(-1), 'close', 'no file stays open');
  }
  const order: string[] = [];
  const { table } = await open(t, { directory: join(root, 'roomy'), openFile: fullAt(99, order) });
  const { id } = await (await upload(table, 200)).submit('x');
  t.strictSame(order, ['open', 'write', 'write', 'sync', 'close'], 'the upload is on the disk before there is an id');
  await table.wait(id, 'default', 60_000);
});

t.test('a disk without room for work: nothing is taken on, what was accepted waits, and what had ended is read', async (t) => {
  const directory = join(t.testdir(), 'spool');
  const clock = new ManualClock();
  const said: string[] = [];
  let room = true;
  const shared: Partial<Options> = { directory, clock, concurrency: 2, diskRoom: () => (room ? roomy : noRoom), log: (_level, message) => said.push(message) };
  const run: Options['run'] = async ({ payload }, { outputsDirectory }) => {
    await writeFile(join(outputsDirectory, 'result'), payload);
    return payload;
  };
  const before = await open(t, { ...shared, run });
  const ended = (await (await upload(before.table, 100)).submit('ended')).id;
  await before.table.wait(ended, 'default', 60_000);
  room = false;
  await t.rejects(before.table.admit('convert', 'default'), full);
  room = true;
  const slots = [];
  for (const payload of ['a', 'b', 'c']) slots.push({ slot: await upload(before.table, 100), payload });
  room = false;
  const ids: string[] = [];
  for (const { slot, payload } of slots) ids.push((await slot.submit(payload)).id);
  const [a = '', b = '', c = ''] = ids;
  t.strictSame([a, b, c].map((id) => before.table.get(id, 'default')).map(({ status, position }) => [status, position]), [['pending', 1], ['pending', 2], ['pending', 3]]);
  t.equal((await before.table.cancel(b, 'default')).failure?.code, 'cancelled', 'one that waits for room can be cancelled');
  await before.table.close({ waitMs: 1000 });

  const { table } = await open(t, { ...shared, run });
  for (let looks = 0; looks < 20; looks++) {
    clock.advance(2000);
    await setImmediate();
  }
  t.match(table.get(a, 'default'), { status: 'pending', position: 1 });
  const result = await table.openOutput(ended, 'default', 'result');
  t.equal(await result.handle.readFile('utf8'), 'ended');
  await result.handle.close();
  t.equal(said.filter((line) => line.includes('is full')).length, 2, 'once in each process');
  room = true;
  clock.advance(2000);
  await until('both have run', () => table.counts().succeeded === 2);
  t.strictSame([a, c].map((id) => table.get(id, 'default').summary), ['a', 'c']);
  t.match(said.at(-1), /has room again/);
});

/** Of a table on a disk that is as the test says. */
async function onDisk(t: Test, run: Options['run']): Promise<{ table: Table; disk: { room: DiskRoom }; look: (times: number) => Promise<void> }> {
  const clock = new ManualClock();
  const disk = { room: roomy };
  const { table } = await open(t, { clock, concurrency: 3, diskRoom: () => disk.room, run });
  return {
    table, disk,
    look: async (times) => {
      for (let looks = 0; looks < times; looks++) {
        clock.advance(2000);
        // What begins writes its record.
        await sleep(20);
      }
    },
  };
}

t.test('with little room nothing is taken on, and what was accepted runs one at a time', async (t) => {
  let [running, most] = [0, 0];
  const { table, disk, look } = await onDisk(t, async () => {
    most = Math.max(most, ++running);
    await sleep(20);
    running--;
    return 'done';
  });
  const slots = [];
  for (let i = 0; i < 5; i++) slots.push(await upload(table, 100));
  disk.room = low;
  await t.rejects(table.admit('convert', 'default'), full);
  for (const slot of slots) await slot.submit('x');
  await until('all have run, each at once after the one before', () => table.counts().succeeded === 5);
  t.equal(most, 1);
  // All wait, and at the very mark there is room for one.
  const more = [];
  disk.room = roomy;
  for (let i = 0; i < 5; i++) more.push(await upload(table, 100));
  disk.room = noRoom;
  for (const slot of more) await slot.submit('x');
  await look(1);
  t.match(table.counts(), { waiting: 5, running: 0 });
  disk.room = low;
  await look(1);
  await until('all have run', () => table.counts().succeeded === 10);
  t.equal(most, 1);
});

t.test('where accepted tasks themselves fill the disk, and nobody else makes room, one after the other begins all the same', async (t) => {
  const outcomes = ['fails', 'works', 'works', 'works'];
  let running = 0;
  const { table, disk, look } = await onDisk(t, async ({ payload }) => {
    t.equal(++running, 1);
    await sleep(5);
    running--;
    if (payload === 'fails') throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    return payload;
  });
  const slots = [];
  for (const payload of outcomes) slots.push({ payload, slot: await upload(table, 2 ** 18) });
  disk.room = noRoom;
  const ids: string[] = [];
  for (const { payload, slot } of slots) ids.push((await slot.submit(payload)).id);
  await look(14);
  t.match(table.counts(), { waiting: 4, running: 0 }, 'others are given the time to make room');
  disk.room = { state: 'full', lackingBytes: 2 ** 18 + 2 ** 15 };
  await look(2);
  await until('three have ended, and what is left of uploads would not be enough', () => table.counts().ended === 3);
  t.match(table.get(ids[0] ?? '', 'default'), { status: 'failure', failure: { code: 'out_of_memory' } });
  t.match(ids.slice(1, 3).map((id) => table.get(id, 'default').status), ['success', 'success']);
});

t.test('a result whose record does not fit is no task without its upload after the next start', async (t) => {
  const directory = join(t.testdir(), 'spool');
  const ran: string[] = [];
  let stands: Promise<void> | undefined;
  const { table } = await open(t, {
    directory, maxBytes: 1000,
    run: async ({ id, payload }, { scratchDirectory }) => {
      ran.push(payload);
      const folder = dirname(scratchDirectory);
      // In the way of the record: of the first until the work's own files are gone, of the second until it is removed.
      if (payload === 'first') await mkdir(join(folder, 'task.json.new'));
      if (payload === 'second') stands = cp(join(folder, 'task.json'), join(directory, `of-${id}`)).then(() => rm(join(folder, 'task.json'))).then(async () => { await mkdir(join(folder, 'task.json', 'full'), { recursive: true }); });
      await stands;
      return payload;
    },
  });
  const [first = '', second = ''] = await Promise.all(['first', 'second'].map(async (name) => (await (await upload(table, 300)).submit(name)).id));
  for (const id of [first, second]) t.match(await table.wait(id, 'default', 60_000), { status: 'success' });
  t.strictSame(await readdir(join(directory, second, 'inputs')), ['0']);
  await t.rejects(upload(table, 701), full, 'an upload that stays counts');
  await (await upload(table, 700)).discard();
  await table.close();
  await rm(join(directory, second, 'task.json'), { recursive: true });
  await cp(join(directory, `of-${second}`), join(directory, second, 'task.json'));
  const again = await open(t, { directory, maxBytes: 1000, run: async ({ payload }, { inputsDirectory }) => `${payload} of ${(await readdir(inputsDirectory)).join()}` });
  t.match(again.table.get(first, 'default'), { status: 'success', summary: 'first' });
  t.match(await again.table.wait(second, 'default', 60_000), { status: 'success', summary: 'second of 0' });
  await again.table.remove(second, 'default');
  await (await upload(again.table, 1000)).discard();
});

t.test('a task that failed gives its upload for its record, a success does not', async (t) => {
  for (const status of ['failure', 'success'] as const) {
    const folder = new TaskFolder(join(t.testdir({ task: { inputs: { 0: 'upload' }, outputs: { result: '' }, scratch: {} } }), 'task'));
    const write = folder.writeRecord.bind(folder);
    folder.writeRecord = async (record) => {
      if (existsSync(folder.inputs)) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      await write(record);
    };
    let given = 0;
    const ended = folder.end({ status } as TaskRecord, () => { given++; });
    if (status === 'failure') await ended;
    else await t.rejects(ended, { code: 'ENOSPC' });
    t.strictSame(await readdir(dirname(folder.inputs)), status === 'failure' ? ['task.json'] : ['inputs', 'outputs'], status);
    t.equal(given > 0, status === 'failure');
  }
});

t.test('over HTTP it is 507, and the next upload is welcome', async (t) => {
  for (const [path, body, headers] of [
    ['/v1/convert/file', form('a.pdf').payload, form('a.pdf').headers],
    ['/v1/convert/source', JSON.stringify({ sources: [{ kind: 'file', base64_string: 'AAAA', filename: 'a.pdf' }] }), { 'content-type': 'application/json' }],
  ] as const) {
    const service = await startTestService({}, {}, 20, { openFile: fullAt(2) });
    t.teardown(() => service.close());
    const post = (suffix: string) => service.app.inject({ method: 'POST', url: path + suffix, payload: body, headers });
    const refused = await post('/async');
    t.match([refused.statusCode, refused.json()], [507, { detail: /no space left/ }], path);
    t.match(refused.headers['retry-after'], /\d/);
    t.strictSame(await service.directories(), []);
    t.equal((await post('')).statusCode, 200);
  }
});

t.test('a directory that cannot be written is no defect: 503, and nothing is held', async (t) => {
  for (const code of ['EROFS', 'EACCES', 'ENOENT', 'EIO']) {
    const service = await startTestService({}, {}, 20, { openFile: async () => { throw Object.assign(new Error(`${code}: /secret/place`), { code }); } });
    t.teardown(() => service.close());
    const refused = await service.app.inject({ method: 'POST', url: '/v1/convert/file/async', ...form('a.pdf') });
    t.match([refused.statusCode, refused.json(), refused.headers['retry-after']], [503, { detail: 'The service cannot write to its state directory.' }, /\d/], code);
    t.strictSame([service.tasks.counts().reserved, await service.directories()], [0, []]);
  }
  const { table, directory } = await open(t);
  await rm(directory, { recursive: true });
  await t.rejects(table.admit('convert', 'default'), { code: 'invalid_state', name: 'NotWritable' });
  t.equal(table.counts().reserved, 0);
});

t.test('as many open files as the system lets the service have are no defect: 503', async (t) => {
  const service = await startTestService({}, {}, 20, { openFile: async () => { throw Object.assign(new Error('EMFILE: too many open files, open /secret/place'), { code: 'EMFILE', syscall: 'open' }); } });
  t.teardown(() => service.close());
  const refused = await service.app.inject({ method: 'POST', url: '/v1/convert/file/async', ...form('a.pdf') });
  t.match([refused.statusCode, refused.json(), refused.headers['retry-after']], [503, { detail: 'The service has too many files open, please try again shortly.' }, /\d/]);
  t.strictSame([service.tasks.counts().reserved, await service.directories()], [0, []]);
});

t.test('room for the document and none for its result is 507, too', async (t) => {
  const service = await startTestService();
  t.teardown(() => service.close());
  const post = (suffix: string) => service.app.inject({ method: 'POST', url: `/v1/convert/file${suffix}`, ...form('full.pdf') });
  const refused = await post('');
  t.match([refused.statusCode, refused.json()], [507, { detail: /no space left/ }]);
  t.match(refused.headers['retry-after'], /\d/);
  const { task_id: id } = (await post('/async')).json() as { task_id: string };
  const status = await service.app.inject({ url: `/v1/status/poll/${id}?wait=20` });
  t.match(status.json(), { task_status: 'failure', error_message: /no space left/, failure: { category: 'capacity', retryable: true } });
});
