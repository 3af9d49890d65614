/** Slots: never more works than slots, first come first served among those whose model is there, every request settled once. */
import t, { type Test } from 'tap';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { LecternError } from '../../src/errors.js';
import { createSlots } from '../../src/models/slots.js';
import type { Lease } from '../../src/models/types.js';
import { deferred } from '../support/deferred.js';
import { failureOf } from '../support/failure-of.js';
import { type CountedLease, countedLease, settled } from '../support/lease.js';
import { ManualClock } from '../support/manual-clock.js';
import { randomFrom } from '../support/random.js';

const forEver = new AbortController().signal;

function make(options: { slots?: number; maxQueue?: number } = {}) {
  const clock = new ManualClock();
  return { clock, slots: createSlots({ slots: 2, maxQueue: 512, clock, ...options }) };
}

t.test('a request that waits for its model keeps its place and goes next', async (t) => {
  const { slots, clock } = make();
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const models = { slow: deferred<Lease>(), quick: Promise.resolve<Lease>(countedLease()) };
  const ask = (name: string, model: keyof typeof models) => slots.run({
    signal: forEver,
    load: () => (models[model] instanceof Promise ? models[model] : models[model].promise),
    work: async () => {
      began.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    },
  });
  const answers = [ask('a', 'quick'), ask('b', 'slow'), ask('c', 'quick'), ask('d', 'quick'), ask('e', 'quick')];
  t.equal(slots.waiting, 3, 'five came and two slots are there');
  await settled();
  t.same(began, ['a', 'c'], 'a load takes no slot');
  t.match(slots.metrics(), { working: 2, ready: 2, loading: 1 });
  ends.get('a')?.();
  await settled();
  t.same(began, ['a', 'c', 'd'], 'nobody waits for a model that is not there');
  clock.advance(1000);
  models.slow.resolve(countedLease());
  await settled();
  t.same(began, ['a', 'c', 'd'], 'both slots are taken');
  ends.get('c')?.();
  await settled();
  t.same(began, ['a', 'c', 'd', 'b'], 'it came before e');
  for (const name of ['d', 'b']) ends.get(name)?.();
  await settled();
  ends.get('e')?.();
  t.same(await Promise.all(answers), ['a', 'b', 'c', 'd', 'e']);
  t.match(slots.metrics(), { working: 0, ready: 0, loading: 0, served: 5, waitMs: 2000 });
  t.equal(slots.waiting, 0);
});

t.test('a clock that is set back takes nothing away from what was waited', async (t) => {
  const { slots, clock } = make({ slots: 1 });
  const first = deferred();
  const one = slots.run({ signal: forEver, load: async () => countedLease(), work: () => first.promise });
  const two = slots.run({ signal: forEver, load: async () => countedLease(), work: async () => undefined });
  await settled();
  clock.set(-3_600_000);
  first.resolve();
  await Promise.all([one, two]);
  t.equal(slots.metrics().waitMs, 0);
});

t.test('past the bound requests are refused at once', async (t) => {
  const { slots } = make({ slots: 1, maxQueue: 2 });
  const leave = new AbortController();
  const hang = () => slots.run({ signal: leave.signal, load: async () => countedLease(), work: () => new Promise<never>((_, reject) => leave.signal.addEventListener('abort', () => reject(new LecternError('cancelled')))) });
  const three = [hang(), hang(), hang()];
  t.equal((await failureOf(hang())).code, 'queue_full');
  leave.abort();
  for (const one of three) t.equal((await failureOf(one)).code, 'cancelled');
  t.match(slots.metrics(), { refused: 1, cancelled: 3, served: 0 });
  t.equal(await slots.run({ signal: forEver, load: async () => countedLease(), work: async () => 'next' }), 'next');
});

t.test('one who leaves gives back the place and the lease', async (t) => {
  await t.test('while the model loads', async (t) => {
    const { slots } = make();
    const model = deferred<Lease>();
    const leave = new AbortController();
    const answer = slots.run({ signal: leave.signal, load: () => model.promise, work: async () => t.fail('it left') });
    leave.abort();
    t.equal((await failureOf(answer)).code, 'cancelled');
    const lease = countedLease();
    model.resolve(lease);
    await settled();
    t.equal(lease.releases, 1, 'what came too late was given back');
  });
  await t.test('in the queue', async (t) => {
    const { slots } = make({ slots: 1 });
    const first = deferred();
    const began = slots.run({ signal: forEver, load: async () => countedLease(), work: () => first.promise });
    const leave = new AbortController();
    const lease = countedLease();
    const answer = slots.run({ signal: leave.signal, load: async () => lease, work: async () => t.fail('it left') });
    await settled();
    leave.abort();
    t.equal((await failureOf(answer)).code, 'cancelled');
    t.equal(lease.releases, 1);
    t.match(slots.metrics(), { ready: 0, working: 1, cancelled: 1 });
    first.resolve();
    await began;
  });
  await t.test('at work: the slot is free when the work has ended, not before', async (t) => {
    const { slots } = make({ slots: 1 });
    const ending = deferred();
    const leave = new AbortController();
    const lease = countedLease();
    const answer = slots.run({ signal: leave.signal, load: async () => lease, work: async () => { await ending.promise; throw new LecternError('cancelled'); } });
    let began = false;
    const next = slots.run({ signal: forEver, load: async () => countedLease(), work: async () => { began = true; } });
    await settled();
    leave.abort();
    await settled();
    t.notOk(began, 'the aborted work still holds the slot');
    t.equal(lease.releases, 0);
    ending.resolve();
    t.equal((await failureOf(answer)).code, 'cancelled');
    await next;
    t.equal(lease.releases, 1);
  });
  await t.test('before it came', async (t) => {
    const { slots } = make();
    const answer = slots.run({ signal: AbortSignal.abort(), load: async () => t.fail('nothing is loaded') as never, work: async () => undefined });
    t.equal((await failureOf(answer)).code, 'cancelled');
  });
});

t.test('what load and work throw comes out as it is', async (t) => {
  const { slots } = make();
  const failure = new LecternError('out_of_memory', 'needs more');
  t.equal(await failureOf(slots.run({ signal: forEver, load: async () => { throw failure; }, work: async () => undefined })), failure);
  t.equal(await failureOf(slots.run({ signal: forEver, load: () => { throw failure; }, work: async () => undefined })), failure);
  t.equal(await failureOf(slots.run({ signal: forEver, load: async () => countedLease(), work: async () => { throw failure; } })), failure);
  t.match(slots.metrics(), { failed: 3, working: 0, loading: 0 });
});

interface Request {
  place: number;
  lease: CountedLease;
  readyAt: number | null;
  beganAt: number | null;
  ended: boolean;
  left: boolean;
  settlements: number;
}

/** Requests come, load, work, fail and leave at random; whatever happens the rules hold. */
async function storm(t: Test, seed: number): Promise<number> {
  const random = randomFrom(seed);
  const { clock, slots } = make({ maxQueue: 60 });
  const requests: Request[] = [];
  const faults: string[] = [];
  let works = 0;
  let refused = 0;
  const begin = (request: Request): void => {
    request.beganAt = clock.now();
    if (++works > 2) faults.push(`${works} works at once`);
    if (request.left) faults.push(`${request.place} works though it left`);
    const passedOver = requests.find((other) => other.place < request.place && other.beganAt === null && !other.left && other.readyAt !== null && other.readyAt < clock.now());
    if (passedOver !== undefined) faults.push(`${request.place} went before ${passedOver.place}, which was ready`);
  };
  const ask = (): void => {
    const request: Request = { place: requests.length, lease: countedLease(), readyAt: null, beganAt: null, ended: false, left: false, settlements: 0 };
    requests.push(request);
    const leave = new AbortController();
    const loadMs = random() < 0.5 ? 0 : Math.floor(random() * 80);
    const workMs = Math.floor(random() * 25);
    const [loadFails, workFails] = [random() < 0.05, random() < 0.05];
    const after = (ms: number) => new Promise<void>((resolve) => { if (ms === 0) resolve(); else clock.after(ms, resolve); });
    if (random() < 0.25) clock.after(Math.floor(random() * 120), () => { request.left = !request.ended; leave.abort(); });
    slots.run({
      signal: leave.signal,
      load: async () => {
        await after(loadMs);
        if (loadFails) throw new LecternError('invalid_model');
        request.readyAt = clock.now();
        return request.lease;
      },
      work: async () => {
        begin(request);
        await Promise.race([after(workMs), new Promise<void>((resolve) => leave.signal.addEventListener('abort', () => resolve()))]);
        works--;
        if (workFails || leave.signal.aborted) throw new LecternError('cancelled');
      },
    }).then(() => request.settlements++, (error: LecternError) => {
      request.settlements++;
      if (error.code === 'queue_full') refused++;
    }).finally(() => { request.ended = true; });
  };
  for (let ms = 0; ms < 400; ms++) {
    if (random() < 0.5) ask();
    clock.advance(1);
    await settled();
  }
  for (let ms = 0; ms < 3000 && requests.some(({ ended }) => !ended); ms++) {
    clock.advance(1);
    await settled();
  }
  t.same(faults, [], `seed ${seed}`);
  t.ok(requests.every(({ settlements }) => settlements === 1), 'each settled once');
  t.ok(requests.every(({ readyAt, lease }) => lease.releases === (readyAt === null ? 0 : 1)), 'each lease was released once');
  const { served, failed, cancelled, ...now } = slots.metrics();
  t.equal(served + failed + cancelled + refused, requests.length, 'and counted once');
  t.match(now, { working: 0, ready: 0, loading: 0, refused });
  return requests.length;
}

t.test('any order of events keeps the rules', async (t) => {
  let asked = 0;
  for (let seed = 1; seed <= 12; seed++) asked += await storm(t, seed);
  t.comment(`${asked} requests`);
  t.ok(asked > 2000);
});

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

t.test('those who come and leave while nothing moves leave nothing behind', async (t) => {
  const { slots } = make();
  const ending = deferred();
  const held = [0, 1].map(() => slots.run({ signal: forEver, load: async () => countedLease(), work: () => ending.promise }));
  const visit = async (): Promise<void> => {
    const leave = new AbortController();
    const visits = Array.from({ length: 100 }, () => slots.run({ signal: leave.signal, load: async () => countedLease(), work: async () => undefined }).catch(() => undefined));
    await settled();
    leave.abort();
    await Promise.all(visits);
  };
  await visit();
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let round = 0; round < 50; round++) await visit();
  collect();
  const bytes = process.memoryUsage().heapUsed - before;
  t.ok(bytes < 2 ** 20, `${bytes} bytes after 5,000 visits`);
  ending.resolve();
  await Promise.all(held);
});

t.test('a thousand waiting requests are light', async (t) => {
  const { slots } = make({ maxQueue: 1100 });
  const leave = new AbortController();
  const hang = () => new Promise<void>((resolve) => leave.signal.addEventListener('abort', () => resolve()));
  const held = [0, 1].map(() => slots.run({ signal: forEver, load: async () => countedLease(), work: hang }));
  await settled();
  collect();
  const before = process.memoryUsage().heapUsed;
  let answers = 0;
  const waiting = Array.from({ length: 1000 }, () => slots.run({ signal: new AbortController().signal, load: async () => countedLease(), work: async () => { answers++; } }));
  await settled();
  collect();
  const bytes = process.memoryUsage().heapUsed - before;
  t.comment(`${Math.round(bytes / 1000)} bytes for each`);
  t.ok(bytes < 5 * 2 ** 20, `${bytes} bytes`);
  t.equal(slots.waiting, 1000);
  leave.abort();
  await Promise.all([...held, ...waiting]);
  t.equal(answers, 1000);
});

t.test('closing turns away who waits and who comes, and waits for those at work', async (t) => {
  const { slots } = make({ slots: 1 });
  const work = deferred<string>();
  const leases = [countedLease(), countedLease()];
  const model = deferred<Lease>();
  const [atWork, ready, loading] = [
    slots.run({ signal: forEver, load: async () => leases[0] as Lease, work: () => work.promise }),
    slots.run({ signal: forEver, load: async () => leases[1] as Lease, work: async () => t.fail('it never had its turn') }),
    slots.run({ signal: forEver, load: () => model.promise, work: async () => t.fail('its model never came') }),
  ];
  await settled();
  let closed = false;
  const closing = slots.close().then(() => { closed = true; });
  for (const one of [ready, loading]) t.match(await failureOf(one as Promise<unknown>), { code: 'queue_full', message: 'The service is stopping.' });
  t.match(await failureOf(slots.run({ signal: forEver, load: async () => countedLease(), work: async () => 'late' })), { code: 'queue_full' });
  t.equal(leases[1]?.releases, 1);
  const late = countedLease();
  model.resolve(late);
  await settled();
  t.equal(late.releases, 1, 'a lease that comes too late goes back');
  t.equal(closed, false);
  work.resolve('done');
  t.equal(await atWork, 'done');
  await closing;
  t.match(slots.metrics(), { working: 0, ready: 0, loading: 0, served: 1, failed: 2 });
});

t.test('an answer whose model is closed by the service\'s stop fails as such, not as the client\'s leaving', async (t) => {
  const { slots } = make();
  const work = deferred<never>();
  const answer = failureOf(slots.run({ signal: forEver, load: async () => countedLease(), work: () => work.promise }));
  await settled();
  const closing = slots.close();
  work.reject(new LecternError('cancelled'));
  t.match(await answer, { code: 'queue_full', message: 'The service is stopping.' });
  await closing;
});
