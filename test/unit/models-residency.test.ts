/** Residency on a clock that the test moves: who loads, how long it stays, and what waiting requests receive. */
import t from 'tap';
import { LecternError } from '../../src/errors.js';
import { MemoryBudget } from '../../src/models/memory-budget.js';
import { createResidency } from '../../src/models/residency.js';
import { deferred } from '../support/deferred.js';
import { failureOf } from '../support/failure-of.js';
import { handEngine } from '../support/hand-engine.js';
import { fakeEntry } from '../support/language-service.js';
import { settled } from '../support/lease.js';
import { ManualClock } from '../support/manual-clock.js';
import { makeResidency, minute, stateOf } from '../support/residency.js';

t.test('one load serves everyone who waits, and tells how far it is', async (t) => {
  const { engine, ask, residency, lines, clock } = makeResidency(100, { chat: 60 });
  const leave = new AbortController();
  const first = ask('chat', { signal: leave.signal });
  await settled();
  clock.advance(500);
  const second = ask('chat');
  await settled();
  t.equal(engine.loads.length, 1);
  t.match(engine.loads[0]?.options, { device: 'cuda', slots: 2, context: 64 });
  engine.loads[0]?.options.onProgress?.(0.3);
  t.match(residency.list(), [{ state: 'loading', progress: 0.3, bytes: 60, onDevice: true, expiresAt: null }]);
  engine.loads[0]?.options.onProgress?.(0.31);
  engine.loads[0]?.options.onProgress?.(0.8);
  engine.loads[0]?.options.onProgress?.(1);
  t.same(lines.filter((line) => line.includes('%')), ['Loading chat: 25 %.', 'Loading chat: 75 %.']);
  leave.abort();
  t.equal((await failureOf(first)).code, 'cancelled');
  clock.advance(1000);
  engine.loads[0]?.finish();
  const lease = await second;
  t.equal(lease.loadMs, 1000, 'what it waited itself');
  t.equal(engine.loads[0]?.options.signal?.aborted, false, 'the hang-up did not end it');
  t.equal((await ask('chat')).loadMs, 0);
  t.match(residency.list(), [{ state: 'loaded', uses: 2, context: 64, progress: 1 }]);
  t.match(residency.metrics(), { loads: 1, loadMs: 1500, loadedModels: 1, bytes: 60, budgetBytes: 100 });
});

t.test('it stays from the end of its last use on', async (t) => {
  const { lend, ask, clock, states, residency, engine, budget } = makeResidency(100, { chat: 60 });
  const first = await lend('chat');
  clock.advance(60 * minute);
  t.same(states(), ['chat loaded 1'], 'a use may last');
  const second = await ask('chat');
  first.release();
  first.release();
  clock.advance(60 * minute);
  t.same(states(), ['chat loaded 1'], 'releasing twice counts once');
  t.equal(residency.list()[0]?.expiresAt, null);
  second.release();
  t.equal(residency.list()[0]?.expiresAt?.getTime(), clock.now() + 5 * minute);
  clock.advance(5 * minute - 1);
  (await ask('chat')).release();
  clock.advance(5 * minute - 1);
  t.same(states(), ['chat loaded 0'], 'each use begins the time anew');
  engine.closing = deferred();
  clock.advance(1);
  t.same(states(), ['chat unloading 0']);
  t.equal(budget.freeBytes, 40, 'its memory is not free yet');
  engine.closing.resolve();
  await settled();
  t.same([states(), engine.open, budget.freeBytes], [[], [], 100]);
  t.match(residency.metrics(), { expirations: 1, evictions: 0, loadedModels: 0 });
});

t.test('keep_alive of a request', async (t) => {
  await t.test('0: it goes when its last use ends', async (t) => {
    const { lend, ask, states } = makeResidency(100, { chat: 60 });
    const first = await lend('chat');
    const second = await ask('chat', { keepAlive: 0 });
    second.release();
    t.same(states(), ['chat loaded 1']);
    first.release();
    await settled();
    t.same(states(), []);
  });
  await t.test('for ever', async (t) => {
    const { lend, clock, states, residency } = makeResidency(100, { chat: 60 });
    (await lend('chat', { keepAlive: Infinity })).release();
    clock.advance(1000 * 60 * minute);
    t.same(states(), ['chat loaded 0']);
    t.match(residency.list(), [{ expiresAt: null, keepAlive: Infinity }]);
  });
  await t.test('a time of its own, which the next request may change and one that says nothing leaves', async (t) => {
    const { lend, ask, clock, states } = makeResidency(100, { chat: 60 });
    (await lend('chat', { keepAlive: 60 * minute })).release();
    (await ask('chat')).release();
    clock.advance(59 * minute);
    t.same(states(), ['chat loaded 0']);
    (await ask('chat', { keepAlive: 1000 })).release();
    clock.advance(1000);
    await settled();
    t.same(states(), []);
  });
  await t.test('by the time that passes, whatever the clock is set to', async (t) => {
    const { lend, clock, states } = makeResidency(100, { chat: 60 });
    (await lend('chat', { keepAlive: 5 * minute })).release();
    clock.set(-24 * 60 * minute);
    clock.advance(5 * minute - 1);
    t.same(states(), ['chat loaded 0']);
    clock.advance(1);
    await settled();
    t.same(states(), []);
  });
  await t.test('longer than any timer runs', async (t) => {
    const { lend, clock, states } = makeResidency(100, { chat: 60 });
    const longest = 2 ** 31 - 1;
    const after = clock.after.bind(clock);
    clock.after = (delayMs, call) => after(delayMs > longest ? 1 : delayMs, call);
    (await lend('chat', { keepAlive: longest + 1000 })).release();
    clock.advance(longest);
    await settled();
    t.same(states(), ['chat loaded 0']);
    clock.advance(1000);
    await settled();
    t.same(states(), []);
  });
  await t.test('from the settings, by model', async (t) => {
    const { lend, clock, states } = makeResidency(100, { chat: 30, other: 30 }, { keepAliveOf: ({ name }) => (name === 'chat' ? 1000 : 2000) });
    for (const name of ['chat', 'other']) (await lend(name)).release();
    clock.advance(1000);
    await settled();
    t.same(states(), ['other loaded 0']);
  });
});

t.test('unload: at once when nobody uses it, else with the end of its last use', async (t) => {
  const { lend, ask, residency, states, entry, engine } = makeResidency(100, { chat: 60 });
  const lease = await lend('chat');
  residency.unload(entry('chat'));
  t.same(states(), ['chat loaded 1']);
  lease.release();
  await settled();
  t.same(states(), []);
  (await lend('chat')).release();
  residency.unload(entry('chat'));
  await settled();
  t.same(states(), []);
  const asked = ask('chat');
  await settled();
  residency.unload(entry('chat'));
  engine.loads[0]?.finish();
  (await asked).release();
  await settled();
  t.same(states(), [], 'asked for while it loaded');
});

t.test('a load for which nobody waits', async (t) => {
  await t.test('goes on for a while, so that one who comes again finds it', async (t) => {
    const { engine, ask, clock } = makeResidency(100, { chat: 60 });
    const leave = new AbortController();
    const first = ask('chat', { signal: leave.signal });
    await settled();
    leave.abort();
    await failureOf(first);
    clock.advance(29_000);
    const second = ask('chat');
    clock.advance(29_000);
    await settled();
    engine.loads[0]?.finish();
    await second;
    t.equal(engine.loads.length, 1);
  });
  await t.test('is given up then, and its memory is free', async (t) => {
    const { engine, ask, clock, budget, residency } = makeResidency(100, { chat: 60 });
    const leave = new AbortController();
    const first = ask('chat', { signal: leave.signal });
    await settled();
    leave.abort();
    await failureOf(first);
    clock.advance(30_000);
    t.equal(engine.loads[0]?.options.signal?.aborted, true);
    await settled();
    t.equal(budget.freeBytes, 100);
    t.match(residency.metrics(), { cancelledLoads: 1, failedLoads: 0, loadingModels: 0 });
    const again = ask('chat');
    await settled();
    engine.loads[1]?.finish();
    t.ok(await again);
  });
  await t.test('is given up at once when its memory is wanted', async (t) => {
    const { engine, ask } = makeResidency(100, { chat: 60, other: 60 });
    const leave = new AbortController();
    const first = ask('chat', { signal: leave.signal });
    await settled();
    const other = ask('other');
    await settled();
    t.equal(engine.loads.length, 1, 'one that somebody waits for is in nobody\'s way');
    leave.abort();
    await failureOf(first);
    await settled();
    t.equal(engine.loads[0]?.options.signal?.aborted, true);
    t.equal(engine.loads[1]?.path, '/models/other.gguf');
    engine.loads[1]?.finish();
    await other;
  });
  await t.test('stays its time when it is there before that', async (t) => {
    const { engine, ask, clock, states } = makeResidency(100, { chat: 60 });
    const leave = new AbortController();
    const first = ask('chat', { signal: leave.signal });
    await settled();
    leave.abort();
    await failureOf(first);
    engine.loads[0]?.finish();
    await settled();
    clock.advance(5 * minute - 1);
    t.same(states(), ['chat loaded 0']);
    clock.advance(1);
    await settled();
    t.same(states(), []);
  });
});

t.test('a load that fails: everyone who waited hears it, the next one tries again', async (t) => {
  const { engine, ask, budget, residency } = makeResidency(100, { chat: 60 });
  const asked = [ask('chat'), ask('chat')];
  await settled();
  const failure = new LecternError('invalid_model', 'The file is damaged.');
  engine.loads[0]?.fail(failure);
  for (const one of asked) t.equal(await failureOf(one), failure);
  t.equal(budget.freeBytes, 100);
  t.match(residency.metrics(), { failedLoads: 1, loads: 0 });
  const again = ask('chat');
  await settled();
  engine.loads[1]?.finish();
  t.ok(await again);
  t.equal((await failureOf(ask('missing'))).code, 'invalid_model', 'a file that cannot be weighed');
  t.equal((await failureOf(ask('chat', { signal: AbortSignal.abort() }))).code, 'cancelled');
});

t.test('context', async (t) => {
  const roomy = { weightBytes: 100, positionBytes: 1 };
  await t.test('is cut to what the model was trained for', async (t) => {
    const { lend, residency, lines, engine } = makeResidency(1e9, { chat: roomy }, { contextOf: () => 32768 });
    await lend('chat');
    t.equal(residency.list()[0]?.context, 64);
    t.match(lines, [/gets 64 tokens of context: it was trained for 64 tokens/]);
    t.same(engine.open.length, 1);
  });
  await t.test('is halved until memory allows it', async (t) => {
    const { residency, lines, engine, clock } = makeResidency(20_000, { chat: roomy }, { contextOf: () => 32768 });
    const entry = fakeEntry('chat');
    entry.description = { ...entry.description, context: 131072 };
    const asked = residency.lend(entry, {});
    await settled();
    t.match(engine.loads[0]?.options, { context: 8192, slots: 2 });
    engine.loads[0]?.finish();
    (await asked).release();
    t.match(residency.list(), [{ context: 8192, bytes: 100 + 2 * 8192 }]);
    t.match(lines, [/gets 8192 tokens of context: memory allows 8192 tokens per slot instead of 32768/]);
    clock.advance(5 * minute);
  });
  await t.test('does not shrink because others are there', async (t) => {
    const { residency, lend, engine } = makeResidency(20_000, { other: 15_000, chat: roomy }, { contextOf: () => 8192 });
    const other = await lend('other');
    const entry = fakeEntry('chat');
    entry.description = { ...entry.description, context: 131072 };
    const asked = residency.lend(entry, {});
    t.equal(await stateOf(asked), 'waits');
    other.release();
    await settled();
    engine.loads[0]?.finish();
    t.equal((await asked).model.info.context, 8192);
  });
});

t.test('names of one blob share one load; a file that was replaced does not', async (t) => {
  const path = `/store/blobs/sha256-${'0'.repeat(64)}`;
  const clock = new ManualClock();
  const engine = handEngine({ [path]: { weightBytes: 10 }, '/models/chat.gguf': { weightBytes: 10 } });
  const residency = createResidency({
    engine, device: 'cpu', budget: new MemoryBudget(100), embeddingBytes: 0, slots: 2, contextOf: () => 64, keepAliveOf: () => minute, clock, log: () => undefined,
  });
  void residency.lend(fakeEntry('x:latest', { path, digest: '1'.repeat(64) }), {});
  void residency.lend(fakeEntry('x:7b', { path, digest: '2'.repeat(64) }), {});
  void residency.lend(fakeEntry('chat', { digest: '1'.repeat(64) }), {});
  void residency.lend(fakeEntry('chat', { digest: '2'.repeat(64) }), {});
  await settled();
  t.same(engine.loads.map((load) => load.path), [path, '/models/chat.gguf', '/models/chat.gguf']);
  for (const load of engine.loads) load.finish();
  await settled();
  t.match(residency.list().map(({ entry: { name }, uses, onDevice }) => [name, uses, onDevice]), [['x:latest', 2, false], ['chat', 1, false], ['chat', 1, false]]);
});

t.test('memory that others take and give back', async (t) => {
  const { budget, ask, engine } = makeResidency(100, { chat: 60 });
  const vision = budget.reserve(50);
  t.match((await failureOf(ask('chat'))).message, /only 50 bytes can be had/);
  vision?.release();
  vision?.release();
  t.equal(budget.freeBytes, 100);
  const asked = ask('chat');
  await settled();
  t.equal(budget.reserve(50), null);
  engine.loads[0]?.finish();
  await asked;
});

t.test('closing ends everything and waits for it', async (t) => {
  const { ask, lend, engine, residency, budget } = makeResidency(100, { a: 40, b: 40, c: 90 });
  const lease = await lend('a');
  const loading = ask('b');
  await settled();
  const waiting = ask('c');
  await settled();
  engine.closing = deferred();
  const failures = [loading, waiting].map(failureOf);
  const closed = residency.close();
  t.equal(await stateOf(closed), 'waits');
  for (const failure of failures) t.equal((await failure).code, 'cancelled');
  engine.closing.resolve();
  await closed;
  await residency.close();
  lease.release();
  t.same([engine.open, budget.freeBytes, residency.list()], [[], 100, []]);
  t.equal((await failureOf(ask('a'))).code, 'cancelled');
});
