/** Memory of models: who makes room for whom, who waits, who is refused, and a storm of requests that keeps all of it. */
import t, { type Test } from 'tap';
import { LecternError } from '../../src/errors.js';
import { deferred } from '../support/deferred.js';
import { failureOf } from '../support/failure-of.js';
import { settled } from '../support/lease.js';
import { randomFrom } from '../support/random.js';
import { makeResidency, stateOf } from '../support/residency.js';

t.test('idle models make room, oldest first', async (t) => {
  const { lend, ask, clock, states, residency, engine } = makeResidency(100, { a: 40, b: 40, c: 50, d: 10 });
  for (const name of ['a', 'b']) {
    (await lend(name)).release();
    clock.advance(1000);
  }
  (await ask('a')).release();
  clock.advance(1000);
  const c = await lend('c');
  t.same(states(), ['a loaded 0', 'c loaded 1'], 'b was used less lately');
  const d = await lend('d');
  t.same(states(), ['a loaded 0', 'c loaded 1', 'd loaded 1'], 'what fits beside evicts nothing');
  t.equal(residency.metrics().evictions, 1);
  t.same(engine.open.toSorted(), ['/models/a.gguf', '/models/c.gguf', '/models/d.gguf']);
  c.release();
  d.release();
});

t.test('age counts from the end of the last use', async (t) => {
  const { lend, clock, states } = makeResidency(100, { a: 40, b: 40, c: 50 });
  const a = await lend('a');
  clock.advance(1000);
  (await lend('b')).release();
  clock.advance(1000);
  a.release();
  await lend('c');
  t.same(states(), ['a loaded 0', 'c loaded 1']);
});

t.test('those kept for ever go last, yet before anyone is refused', async (t) => {
  const { lend, clock, states } = makeResidency(100, { a: 50, b: 50, c: 50, d: 100 });
  (await lend('a', { keepAlive: Infinity })).release();
  clock.advance(1000);
  (await lend('b')).release();
  (await lend('c')).release();
  t.same(states(), ['a loaded 0', 'c loaded 0']);
  (await lend('d')).release();
  t.same(states(), ['d loaded 0']);
});

t.test('a busy model is never unloaded: who wants its memory waits for its end', async (t) => {
  const { lend, ask, states, engine } = makeResidency(100, { a: 80, b: 80 });
  const a = await lend('a');
  const b = ask('b');
  t.equal(await stateOf(b), 'waits');
  t.same([states(), engine.loads.length], [['a loaded 1'], 0]);
  const late = ask('a');
  t.equal(await stateOf(late), 'waits', 'who comes later does not keep it for ever');
  engine.closing = deferred();
  a.release();
  await settled();
  t.same([states(), engine.loads.length], [['a unloading 0'], 0], 'memory first');
  engine.closing.resolve();
  engine.closing = null;
  await settled();
  t.equal(engine.loads.length, 1);
  engine.loads.shift()?.finish();
  const lease = await b;
  t.equal(await stateOf(late), 'waits', 'b is in use now');
  lease.release();
  await settled();
  engine.loads.shift()?.finish();
  t.equal((await late).entry.name, 'a');
});

t.test('a busy model that need not go takes uses on', async (t) => {
  const { lend, ask, clock } = makeResidency(100, { a: 20, b: 70, c: 75 });
  await lend('a');
  clock.advance(1000);
  await lend('b');
  const c = ask('c');
  await settled();
  t.equal(await stateOf(ask('a')), 'there', 'the end of b is enough for c');
  t.equal(await stateOf(ask('b')), 'waits');
  t.equal(await stateOf(c), 'waits');
});

t.test('who wanted it leaves: the model stays, and those behind have it at once', async (t) => {
  const { lend, ask, engine } = makeResidency(100, { a: 80, b: 80 });
  const a = await lend('a');
  const leave = new AbortController();
  const b = ask('b', { signal: leave.signal });
  await settled();
  const late = ask('a');
  t.equal(await stateOf(late), 'waits');
  leave.abort();
  t.equal((await failureOf(b)).code, 'cancelled');
  t.equal(await stateOf(late), 'there');
  t.equal(engine.loads.length, 0);
  a.release();
  (await late).release();
});

t.test('what is small enough passes by what waits, and takes nothing from it', async (t) => {
  const { lend, ask, engine, states } = makeResidency(100, { a: 70, b: 80, small: 15, bulky: 25 });
  const a = await lend('a');
  const b = ask('b');
  const bulky = ask('bulky');
  const small = ask('small');
  await settled();
  t.same(engine.loads.map(({ path }) => path), ['/models/small.gguf'], 'b will have 85 of 100, so 25 would take some of it');
  engine.loads.shift()?.finish();
  (await small).release();
  a.release();
  await settled();
  t.same(engine.loads.map(({ path }) => path), ['/models/b.gguf']);
  engine.loads.shift()?.finish();
  (await b).release();
  await settled();
  engine.loads.shift()?.finish();
  (await bulky).release();
  t.same(states().toSorted(), ['bulky loaded 0', 'small loaded 0']);
});

t.test('two load side by side where both fit', async (t) => {
  const { ask, engine } = makeResidency(100, { a: 50, b: 50, c: 50 });
  const asked = ['a', 'b', 'c'].map((name) => ask(name));
  await settled();
  t.same(engine.loads.map(({ path }) => path), ['/models/a.gguf', '/models/b.gguf']);
  for (const load of engine.loads.splice(0)) load.finish();
  (await asked[1])?.release();
  await settled();
  t.same(engine.loads.map(({ path }) => path), ['/models/c.gguf'], 'in the place of the one that is idle');
  engine.loads[0]?.finish();
  await asked[2];
});

t.test('what can never fit is refused at once, with need and limit', async (t) => {
  const { ask, lines } = makeResidency(2 ** 30, { giant: 3 * 2 ** 30 });
  const failure = await failureOf(ask('giant'));
  t.equal(failure.code, 'out_of_memory');
  t.match(failure.message, /giant needs 3\.0 GiB with 64 tokens of context in 2 slots, and only 1\.0 GiB can be had/);
  t.match(lines, [/giant cannot be loaded/]);
});

t.test('embedding models', async (t) => {
  await t.test('never unload a chat model', async (t) => {
    const { lend, ask, states } = makeResidency(100, { chat: 80, embed: 30 });
    (await lend('chat')).release();
    const failure = await failureOf(ask('embed'));
    t.equal(failure.code, 'out_of_memory');
    t.match(failure.message, /embed needs 30 bytes, and only 20 bytes can be had beside what is loaded/);
    t.same(states(), ['chat loaded 0']);
  });
  await t.test('make room for each other', async (t) => {
    const { lend, ask, states } = makeResidency(100, { chat: 60, embed1: 30, embed2: 30 });
    (await lend('chat')).release();
    const first = await lend('embed1');
    const second = ask('embed2');
    t.equal(await stateOf(second), 'waits');
    first.release();
    await settled();
    t.same(states(), ['chat loaded 0', 'embed2 loading 0']);
  });
  await t.test('find their share free of chat models, and keep it', async (t) => {
    const { lend, states, residency } = makeResidency(100, { a: 50, b: 50, c: 80, embed: 20 }, { embeddingBytes: 20 });
    (await lend('a')).release();
    (await lend('b')).release();
    t.same(states(), ['b loaded 0'], 'two would take the share');
    (await lend('embed')).release();
    t.same(states(), ['b loaded 0', 'embed loaded 0']);
    (await lend('c')).release();
    t.same(states(), ['embed loaded 0', 'c loaded 0'], 'within its share it is in nobody\'s way');
    t.equal(residency.metrics().bytes, 100);
  });
  await t.test('go when a chat model fits only without them', async (t) => {
    const { lend, states } = makeResidency(100, { chat: 90, embed: 20 }, { embeddingBytes: 20 });
    (await lend('embed')).release();
    (await lend('chat')).release();
    t.same(states(), ['chat loaded 0']);
  });
});

/** Requests for more models than fit come, leave and end at random; loads fail; memory is never overdrawn and everyone hears exactly once. */
async function storm(t: Test, seed: number): Promise<number> {
  const random = randomFrom(seed);
  const models = { a: 70, b: 60, c: 30, d: 20, e: 5, embed1: 10, embed2: 15, giant: 200 };
  const { clock, engine, budget, residency, ask } = makeResidency(100, models, { embeddingBytes: 15, keepAliveOf: () => 40 });
  const faults: string[] = [];
  const outcomes: (string | null)[] = [];
  const using = new Map<string, number>();
  const use = (name: string, change: number): void => { using.set(name, (using.get(name) ?? 0) + change); };
  const names = Object.keys(models);
  const visit = (index: number): void => {
    const name = names[Math.floor(random() ** 1.5 * names.length)] as string;
    const leave = new AbortController();
    outcomes.push(null);
    const tell = (outcome: string): void => {
      if (outcomes[index] !== null) faults.push(`${index} heard ${outcomes[index]} and ${outcome}`);
      outcomes[index] = outcome;
    };
    if (random() < 0.3) clock.after(Math.floor(random() * 60), () => leave.abort());
    ask(name, { signal: leave.signal, ...(random() < 0.2 ? { keepAlive: random() < 0.5 ? 0 : Infinity } : {}) }).then((lease) => {
      tell('lease');
      use(name, 1);
      clock.after(Math.floor(random() * 30), () => { use(name, -1); lease.release(); });
    }, (error: LecternError) => tell(error.code));
  };
  for (let ms = 0, index = 0; ms < 1500; ms++) {
    if (ms < 600 && random() < 0.4) visit(index++);
    for (const load of engine.loads.splice(0)) {
      clock.after(Math.floor(random() * 40), () => (random() < 0.1 ? load.fail(new LecternError('invalid_model')) : load.finish()));
    }
    clock.advance(1);
    await settled();
    const held = residency.list();
    if (budget.freeBytes < 0 || held.reduce((sum, { bytes }) => sum + bytes, 0) !== budget.usedBytes) faults.push(`${budget.usedBytes} bytes are taken`);
    for (const [name, count] of using) if (count > 0 && !engine.open.includes(`/models/${name}.gguf`)) faults.push(`${name} went while ${count} used it`);
  }
  t.same(faults, [], `seed ${seed}`);
  t.same(outcomes.filter((outcome) => outcome === null), [], 'nobody waits for ever');
  t.ok(outcomes.filter((outcome) => outcome === 'lease').length > outcomes.length / 3, 'many were served');
  return outcomes.length;
}

t.test('any order of events keeps the rules', async (t) => {
  let asked = 0;
  for (let seed = 1; seed <= 8; seed++) asked += await storm(t, seed);
  t.comment(`${asked} requests`);
});
