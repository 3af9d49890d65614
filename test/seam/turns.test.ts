// A generation that stands still: the native model keeps its state, others run meanwhile, and the same bytes come as without.
import t from 'tap';
import { openEngine } from '../../src/engine/engine.js';
import { Turn } from '../../src/models/turn.js';
import { failureOf } from '../support/failure-of.js';
import { madeModels } from '../support/made-model.js';
import { until } from '../support/until.js';

const { chat } = madeModels(t);
const engine = openEngine();
t.teardown(() => engine.close());
const options = { seed: 5, maxTokens: 120, ignoreEnd: true };

t.test('paused and resumed, with another in between', async (t) => {
  const model = await engine.openModel(chat, { slots: 2, context: 256 });
  const write = async (more: object = {}): Promise<number[]> => {
    const ids: number[] = [];
    await model.generate('Once upon a time', { ...options, onTokens: (burst) => { ids.push(...burst.ids); }, ...more });
    return ids;
  };
  const alone = await write();
  t.equal(alone.length, 120);
  const ids: number[] = [];
  let pauses = 0;
  const turn = new Turn(20, () => { turn.pause(); pauses++; });
  let done = false;
  const paced = model.generate('Once upon a time', { ...options, pacing: turn, onTokens: (burst) => { ids.push(...burst.ids); } }).finally(() => { done = true; });
  // Its last tokens may have come before the last pause.
  while (!done) {
    await until('it is paused, or done', () => done || turn.paused);
    if (done) break;
    t.same(await write({ seed: 6 }), await write({ seed: 6 }), 'others run');
    const before = ids.length;
    await new Promise((resolve) => setTimeout(resolve, 30));
    t.equal(ids.length, before, 'and it stands still');
    turn.resume();
  }
  await paced;
  t.ok(pauses >= 1, `${pauses} pauses`);
  t.same(ids, alone);
  await model.close();
});

t.test('one that is paused is cancelled, and closed, like any other', async (t) => {
  const model = await engine.openModel(chat, { slots: 2, context: 256 });
  const begin = (signal?: AbortSignal): { turn: Turn; ended: Promise<{ code: string }> } => {
    const turn: Turn = new Turn(5, () => turn.pause());
    return { turn, ended: failureOf(model.generate('Once', { ...options, maxTokens: 240, pacing: turn, ...(signal === undefined ? {} : { signal }) })) };
  };
  const leaving = new AbortController();
  const [first, second] = [begin(leaving.signal), begin()];
  await until('both are paused', () => first.turn.paused && second.turn.paused);
  leaving.abort();
  t.equal((await first.ended).code, 'cancelled');
  const closing = model.close();
  t.equal((await second.ended).code, 'cancelled');
  await closing;
});
