/** Records and results that a disk, a person or another version of the program has changed: nothing that was accepted is deleted, and no damaged result goes out. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { recordVersion } from '../../src/tasks/record-format.js';
import { createTaskTable } from '../../src/tasks/table.js';
import type { RunTask, TaskTable } from '../../src/tasks/types.js';
import { ManualClock } from '../support/manual-clock.js';

type Table = TaskTable<null, null, string>;

const result = '{"document":{"md_content":"words"},"status":"success"}';

const run: RunTask<null, null, string> = async (_task, { outputsDirectory }) => {
  await writeFile(join(outputsDirectory, 'result.json'), result);
  return 'done';
};

async function open(directory: string): Promise<{ table: Table; lines: string[] }> {
  const lines: string[] = [];
  const table = await createTaskTable<null, null, string>({
    directory, run, concurrency: 1, maxQueued: 10, keepMs: 60_000, maxEnded: 10, clock: new ManualClock(), log: (level, message) => lines.push(`${level} ${message}`),
  });
  return { table, lines };
}

/** A directory with one task that has ended, and whose table is closed. */
async function ended(t: Test): Promise<{ directory: string; id: string; record: string; outputs: string }> {
  const directory = join(t.testdir(), 'spool');
  const { table } = await open(directory);
  const slot = await table.admit('convert', 'default', 'anna');
  const { id } = await slot.submit(null);
  t.match(await table.wait(id, 'default', 60_000), { status: 'success' });
  await table.close();
  return { directory, id, record: join(directory, id, 'task.json'), outputs: join(directory, id, 'outputs') };
}

async function rewrite(path: string, change: object): Promise<void> {
  await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')) as object, ...change }));
}

const unreadable: Record<string, (record: string) => Promise<void>> = {
  'cut to 40 bytes': (record) => truncate(record, 40),
  empty: (record) => truncate(record, 0),
  'no object': (record) => writeFile(record, '[]'),
  'of a newer version': (record) => rewrite(record, { version: recordVersion + 1, readableBy: recordVersion + 1 }),
  'of a newer version that says nothing of older programs': (record) => rewrite(record, { version: recordVersion + 1, readableBy: undefined }),
  'with a misspelled status': (record) => rewrite(record, { status: 'succes' }),
  'with a list of tenants': (record) => rewrite(record, { tenant: ['default'] }),
  'with an end that is no time': (record) => rewrite(record, { endedAt: 'x' }),
  'with a digest that is none': (record) => rewrite(record, { outputs: { 'result.json': { bytes: 3, sha256: 'abc' } } }),
  'of another task': (record) => rewrite(record, { id: '00000000-0000-4000-8000-000000000000' }),
};

for (const [how, damage] of Object.entries(unreadable)) {
  t.test(`a record ${how} is set aside, and its task is a stated failure`, async (t) => {
    const { directory, id, record } = await ended(t);
    const before = await readFile(record);
    await damage(record);
    for (const start of ['first', 'second']) {
      const { table, lines } = await open(directory);
      t.throws(() => table.get(id, 'default'), { name: 'DamagedTask', code: 'internal' }, `${start} start`);
      await t.rejects(table.openOutput(id, 'default', 'result.json'), { name: 'DamagedTask' });
      t.throws(() => table.get('00000000-0000-4000-8000-000000000001', 'default'), { code: 'not_found' }, 'others are unknown');
      t.match(lines, start === 'first' ? [new RegExp(`^error task ${id} is set aside in .*: (its|in its) record`)] : []);
      await table.close();
    }
    t.equal(await readFile(join(directory, 'set-aside', id, 'outputs/result.json'), 'utf8'), result, 'nothing is deleted');
    t.notOk(existsSync(join(directory, id)));
    await writeFile(join(directory, 'set-aside', id, 'task.json'), before);
    const { table } = await open(directory);
    t.match(table.get(id, 'default'), { status: 'success', owner: 'anna' }, 'a program that can read it takes it back');
    await (await table.openOutput(id, 'default', 'result.json')).handle.close();
    t.strictSame(await readdir(join(directory, 'set-aside')), []);
    await table.close();
  });
}

t.test('a newer record that older programs can read is read', async (t) => {
  const { directory, id, record } = await ended(t);
  await rewrite(record, { version: recordVersion + 1, readableBy: recordVersion, news: [1] });
  const { table, lines } = await open(directory);
  t.match(table.get(id, 'default'), { status: 'success' });
  t.strictSame(lines, []);
  await table.close();
});

const damages: Record<string, (file: string) => Promise<void>> = {
  'cut short': (file) => truncate(file, 20),
  longer: (file) => writeFile(file, `${result} `),
  'with one bit turned': async (file) => {
    const bytes = await readFile(file);
    bytes[30]! ^= 1;
    await writeFile(file, bytes);
  },
  missing: (file) => rm(file),
};

for (const [how, damage] of Object.entries(damages)) {
  for (const kind of ['today\'s', 'an older program\'s'] as const) {
    // Older records have the length alone.
    if (kind !== 'today\'s' && how === 'with one bit turned') continue;
    t.test(`a result that is ${how} does not go out: ${kind} record`, async (t) => {
      const { directory, id, record, outputs } = await ended(t);
      t.match(JSON.parse(await readFile(record, 'utf8')), { version: recordVersion, readableBy: recordVersion, outputs: { 'result.json': { bytes: result.length } } });
      if (kind !== 'today\'s') await rewrite(record, { outputs: undefined, readableBy: undefined });
      const { table, lines } = await open(directory);
      await (await table.openOutput(id, 'default', 'result.json')).handle.close();
      await damage(join(outputs, 'result.json'));
      await t.rejects(table.openOutput(id, 'default', 'result.json'), { name: 'DamagedTask', message: /^The result of this task is damaged/ });
      t.match(lines, [new RegExp(`^error task ${id}: The result`)]);
      await t.rejects(table.openOutput(id, 'default', '../task.json'), { code: 'not_found' });
      await table.close();
    });
  }
}

t.test('a result that a changed record places elsewhere is none', async (t) => {
  const { directory, id, record } = await ended(t);
  await writeFile(join(directory, 'secret'), 'of another');
  for (const name of ['../../secret', '../task.json', '/etc/passwd', '../../../../../../../../etc/passwd', '..', '.', '']) {
    await rewrite(record, { outputs: { [name]: { bytes: 10, sha256: createHash('sha256').update('of another').digest('hex') } } });
    const changed = (await open(directory)).table;
    await t.rejects(async () => changed.openOutput(id, 'default', name), name);
    await changed.close();
  }
});

t.test('a result whose directory is gone does not go out', async (t) => {
  const { directory, id, outputs } = await ended(t);
  await rm(outputs, { recursive: true });
  const { table } = await open(directory);
  await t.rejects(table.openOutput(id, 'default', 'result.json'), { name: 'DamagedTask' });
  await table.close();
});
