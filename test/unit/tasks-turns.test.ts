// The conversion queue is shared: callers have turns in rotation, positions say so, and one caller cannot take all places.
import t, { type Test } from 'tap';
import { createTaskTable } from '../../src/tasks/table.js';
import type { TaskTable, TaskTableOptions } from '../../src/tasks/types.js';
import { failureOf } from '../support/failure-of.js';
import { ManualClock } from '../support/manual-clock.js';
import { until } from '../support/until.js';

async function open(t: Test, maxQueued = 100, over: Partial<Pick<TaskTableOptions<string, object, string>, 'concurrency' | 'guests' | 'clock'>> = {}) {
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const table: TaskTable<string, object, string> = await createTaskTable<string, object, string>({
    directory: t.testdir(), concurrency: 1, maxQueued, keepMs: 3_600_000, maxEnded: 100, ...over,
    run: async ({ payload }, { signal }) => {
      began.push(payload);
      await new Promise<void>((resolve, reject) => {
        ends.set(payload, resolve);
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
      return payload;
    },
  });
  t.teardown(() => table.close());
  const submit = async (name: string): Promise<{ id: string; position: number | null }> => (await table.admit('convert', 'default', name[0])).submit(name);
  const end = async (name: string): Promise<void> => {
    await until(`${name} begins`, () => ends.has(name));
    ends.get(name)?.();
  };
  const positionOf = (id: string): number | null => table.get(id, 'default').position;
  return { table, began, submit, end, positionOf };
}

t.test('callers have turns in rotation, and positions foretell them', async (t) => {
  const { table, began, submit, end, positionOf } = await open(t);
  const a = [];
  for (const name of ['a1', 'a2', 'a3', 'a4']) a.push(await submit(name));
  await until('the first has begun', () => began.length === 1);
  const heard: (number | null)[] = [];
  table.subscribe(a[2]?.id as string, 'default', ({ position }) => { heard.push(position); });
  const b = [await submit('b1'), await submit('b2')];
  const [c] = [await submit('c1')];
  t.strictSame(b.map(({ position }) => position), [1, 3], 'before those of the caller that holds the worker, after its own');
  t.strictSame([...a.slice(1), ...b, c].map(({ id }) => positionOf(id)), [3, 5, 6, 1, 4, 2]);
  t.strictSame(heard, [3, 4, 5], 'a follower hears of each change of its place');
  for (const name of ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']) await end(name);
  await until('all have ended', () => table.counts().succeeded === 7);
  t.strictSame(began, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
});

t.test('a task that is cancelled takes no turn of another', async (t) => {
  const { table, began, submit, end } = await open(t);
  await submit('a1');
  await until('it has begun', () => began.length === 1);
  const [b, second] = [await submit('b1'), await submit('a2')];
  await table.cancel(b.id, 'default');
  t.equal(table.get(second.id, 'default').position, 1);
  for (const name of ['a1', 'a2']) await end(name);
  await until('both have ended', () => table.counts().succeeded === 2);
  t.strictSame(began, ['a1', 'a2']);
});

t.test('one caller leaves places for others, uploads under way counted', async (t) => {
  const { table, submit } = await open(t, 63);
  const slots = [];
  for (let count = 0; count < 40; count++) slots.push(await table.admit('convert', 'default', 'a'));
  for (let count = 0; count < 20; count++) await submit('a');
  const refused = await failureOf(table.admit('convert', 'default', 'a'));
  t.match(refused, { code: 'queue_full', message: /as many tasks waiting as one may have/ });
  const other = await table.admit('convert', 'default', 'b');
  await slots[0]?.discard();
  await (await table.admit('convert', 'default', 'a')).discard();
  for (const slot of [...slots, other]) await slot.discard();
  t.equal(table.counts().reserved, 0);
});

t.test('a caller with nothing running gets a place beyond the usual ones after some seconds, one at a time', async (t) => {
  const clock = new ManualClock();
  const { began, submit, end, table } = await open(t, 20, { concurrency: 2, guests: 1, clock });
  for (const name of ['h1', 'h2', 'h3']) await submit(name);
  await until('both places are taken', () => began.length === 2);
  await submit('s1');
  await submit('t1');
  clock.advance(4_999);
  t.strictSame(began, ['h1', 'h2']);
  clock.advance(1);
  await until('a guest begins', () => began.length === 3);
  t.equal(began[2], 's1');
  await end('s1');
  await until('the next guest follows', () => began.includes('t1'));
  await end('t1');
  clock.advance(60_000);
  await submit('s2');
  t.equal(began.length, 4, 'a caller that holds the usual places gets none of the others');
  await end('h1');
  await until('the rotation goes on', () => began.includes('s2'));
  t.notOk(began.includes('h3'));
  for (const name of ['s2', 'h2', 'h3']) await end(name);
  await until('all have ended', () => table.counts().running === 0 && table.counts().waiting === 0);
});

t.test('cancelling a waiting task never begins one beyond the places, whichever turn runs', async (t) => {
  const { table, began, submit, end } = await open(t);
  await submit('a1');
  const second = await submit('a2');
  await submit('a3');
  await submit('b1');
  await until('the place is taken', () => began.length === 1);
  await end('a1');
  await until('the other caller has its turn, in that of a2', () => began.includes('b1'));
  await table.remove(second.id, 'default');
  await new Promise((resolve) => setTimeout(resolve, 50));
  t.strictSame(began, ['a1', 'b1']);
  t.equal(table.counts().running, 1);
  await end('b1');
  await until('the rotation goes on', () => began.includes('a3'));
  await end('a3');
  await until('all have ended', () => table.counts().running === 0);
});

t.test('turns of cancelled tasks do not pile up, and none of those that wait is forgotten', async (t) => {
  const { table, began, submit, end } = await open(t, 400);
  await submit('a0');
  for (let round = 0; round < 200; round++) await table.remove((await submit(`a-${round}`)).id, 'default');
  for (const name of ['b1', 'c1', 'b2']) await submit(name);
  await end('a0');
  for (const name of ['b1', 'c1', 'b2']) await end(name);
  await until('all have ended', () => table.counts().running === 0 && table.counts().waiting === 0);
  t.strictSame(began.slice(1).sort(), ['b1', 'b2', 'c1']);
});
