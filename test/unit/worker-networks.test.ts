/** What conversion workers open themselves, in the memory of models: who holds it when, and who gives it back. */
import t from 'tap';
import { LecternError } from '../../src/errors.js';
import { createWorkerNetworks } from '../../src/program/worker-networks.js';
import type { WorkerCall } from '../../src/workers/types.js';
import { deferred } from '../support/deferred.js';
import { settled } from '../support/lease.js';
import { makeResidency, minute, stateOf } from '../support/residency.js';

const size = { sizeBytes: 5, workBytes: 30 };
const each = 2 * size.sizeBytes + size.workBytes;

/** A process that gives back what it keeps at once, or when `giving` settles. */
function fakeWorker(id: number) {
  const ended = deferred();
  const worker = { id, ended: ended.promise, asked: 0, giving: Promise.resolve(), release: (): Promise<void> => (worker.asked++, Promise.race([worker.giving, ended.promise])) };
  const job = () => {
    const [end, leave] = [new AbortController(), new AbortController()];
    const call: WorkerCall = { verb: '', request: null, signal: leave.signal, jobEnd: end.signal, worker, scratchDirectory: '' };
    return { call, end: () => end.abort(), leave: () => leave.abort() };
  };
  return { worker, job, die: () => ended.resolve() };
}

function make(budgetBytes: number, more: Parameters<typeof makeResidency>[2] = {}) {
  const made = makeResidency(budgetBytes, { chat: 60, 'embed-a': 50 }, more);
  const networks = createWorkerNetworks(size, () => made.residency, made.clock);
  const uses = () => made.residency.listDistant().map(({ entry: { path }, state, uses }) => `${path} ${state} ${uses}`);
  return { ...made, networks, uses };
}

t.test('a worker\'s networks count from their first use on, and it closes them when their time is over', async (t) => {
  const { networks, uses, budget, clock, residency } = make(100);
  const { worker, job } = fakeWorker(1);
  const { call } = job();
  await networks.hold(call);
  t.same([uses(), budget.usedBytes], [['worker 1 loaded 1'], each]);
  t.match(residency.listDistant(), [{ entry: { name: 'lectern-networks' }, bytes: each }]);
  t.same([residency.list(), residency.listVision()], [[], []], 'they are neither a language model nor a vision model of the catalogue');
  networks.free(call);
  t.same([uses(), budget.usedBytes], [['worker 1 loaded 1'], each], 'its document has them between two pages');
  clock.advance(2000);
  t.same([uses(), budget.usedBytes], [['worker 1 loaded 0'], each], 'and when it asks for nothing the worker keeps them for the next page');
  clock.advance(5 * minute - 1);
  const { call: next, end } = job();
  await networks.hold(next);
  t.same([uses(), worker.asked], [['worker 1 loaded 1'], 0], 'and for the next document');
  end();
  const gone = deferred();
  worker.giving = gone.promise;
  clock.advance(5 * minute);
  t.same([uses(), worker.asked, budget.usedBytes], [['worker 1 unloading 0'], 1, each], 'they count until it says that they are closed');
  gone.resolve();
  await settled();
  t.same([uses(), budget.usedBytes], [[], 0]);
});

t.test('the end of a job ends its holds, the end of a worker gives its memory back at once', async (t) => {
  const { networks, uses, budget } = make(200);
  const [first, second] = [fakeWorker(1), fakeWorker(2)];
  const [one, other] = [first.job(), second.job()];
  await networks.hold(one.call);
  await networks.hold(one.call);
  await networks.hold(other.call);
  t.same(uses(), ['worker 1 loaded 2', 'worker 2 loaded 1']);
  one.end();
  t.same(uses(), ['worker 1 loaded 0', 'worker 2 loaded 1']);
  other.end();
  second.die();
  await settled();
  t.same([uses(), budget.usedBytes], [['worker 1 loaded 0'], each]);
  const late = first.job();
  late.end();
  await networks.hold(late.call);
  t.same(uses(), ['worker 1 loaded 0'], 'a job that has ended holds nothing');
});

t.test('more than there is room for wait for each other, and make room for embedding models, never for what a chat model has', async (t) => {
  const { networks, uses, ask, lend, engine } = make(2 * each + 10);
  const [first, second, third] = [1, 2, 3].map(fakeWorker) as [ReturnType<typeof fakeWorker>, ReturnType<typeof fakeWorker>, ReturnType<typeof fakeWorker>];
  const jobs = [first.job(), second.job(), third.job()] as const;
  await networks.hold(jobs[0].call);
  await networks.hold(jobs[1].call);
  const waiting = networks.hold(jobs[2].call);
  t.equal(await stateOf(waiting), 'waits');
  jobs[1].end();
  await waiting;
  t.same([uses(), second.worker.asked], [['worker 1 loaded 1', 'worker 3 loaded 1'], 1], 'the idle one was asked to close them');
  const again = second.job();
  const left = networks.hold(again.call);
  t.equal(await stateOf(left), 'waits');
  again.leave();
  t.equal(await stateOf(left), 'cancelled');
  jobs[0].end();
  jobs[2].end();
  const embedding = lend('embed-a');
  t.equal((await embedding).entry.name, 'embed-a');
  t.equal(first.worker.asked, 1, 'the one that rested longest');
  (await embedding).release();
  const chat = ask('chat');
  await settled();
  for (const load of engine.loads.splice(0)) load.finish();
  (await chat).release();
  t.same(uses(), []);
  t.equal(await stateOf(networks.hold(second.job().call)), 'out_of_memory');
});

t.test('pages that find no room are refused one by one, and the log says so once until something else is said', async (t) => {
  const { networks, lines } = make(each - 1);
  const { call } = fakeWorker(1).job();
  for (let page = 0; page < 3; page++) t.equal(await stateOf(networks.hold(call)), 'out_of_memory');
  t.equal(lines.filter((line) => /lectern-networks cannot be loaded: .* needs 40 bytes, and only 39 bytes can be had/.test(line)).length, 1, lines.join('\n'));
});

t.test('a worker that asks without end is refused', async (t) => {
  const { networks, uses, clock } = make(100);
  const { call } = fakeWorker(1).job();
  for (let i = 0; i < 8; i++) await networks.hold(call);
  await t.rejects(networks.hold(call), { code: 'invalid_request' });
  for (let i = 0; i < 20; i++) networks.free(call);
  clock.advance(2000);
  t.same(uses(), ['worker 1 loaded 0'], 'and freeing more often than it held ends what it has');
});

/** Reads `pages` of a document, each of so many milliseconds, one after the other. */
async function read(clock: { advance(ms: number): void }, networks: ReturnType<typeof make>['networks'], call: WorkerCall, pages: number, log: string[]): Promise<void> {
  for (let page = 1; page <= pages; page++) {
    await networks.hold(call);
    log.push(`${call.worker.id}`);
    clock.advance(1000);
    networks.free(call);
    await settled();
  }
}

t.test('with room for one, two documents have turns of several pages, and the networks go from one to the other once a turn', async (t) => {
  const { networks, residency, clock } = make(each + 10);
  const [first, second] = [fakeWorker(1), fakeWorker(2)];
  const [one, other] = [first.job(), second.job()];
  const pages: string[] = [];
  const readAll = async ({ call, end }: { call: WorkerCall; end(): void }, count: number): Promise<void> => {
    await read(clock, networks, call, count, pages);
    end();
  };
  await Promise.all([readAll(one, 15), readAll(other, 15)]);
  t.equal(pages.length, 30);
  t.equal(pages.join(''), '1'.repeat(10) + '2'.repeat(10) + '1'.repeat(5) + '2'.repeat(5));
  t.equal(residency.metrics().loads, 4, 'four times in 30 pages');
});

t.test('a document that asks for nothing leaves the room before its turn is over', async (t) => {
  const { networks, uses, clock } = make(each + 10);
  const [first, second] = [fakeWorker(1), fakeWorker(2)];
  const one = first.job();
  await networks.hold(one.call);
  networks.free(one.call);
  const waiting = networks.hold(second.job().call);
  t.equal(await stateOf(waiting), 'waits');
  clock.advance(2000);
  await waiting;
  t.same(uses(), ['worker 2 loaded 1']);
});

t.test('where there is no memory of models a hold says why, and the end of its worker is the end of it', async (t) => {
  const networks = createWorkerNetworks(size, () => { throw new LecternError('device_lost', 'No GPU.'); });
  const { job, die } = fakeWorker(1);
  const { call, end } = job();
  await t.rejects(networks.hold(call), { code: 'device_lost', message: 'No GPU.' });
  networks.free(call);
  end();
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  t.teardown(() => process.off('unhandledRejection', note));
  die();
  await new Promise((resolve) => setImmediate(resolve));
  t.same(unhandled, []);
});
