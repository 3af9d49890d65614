// Turns in rotation: a caller waits for one turn of each other caller at most, its own entries keep their order, and ranks foretell the order.
import t from 'tap';
import { FairQueue, mayTakeAnother } from '../../src/platform/fair-queue.js';
import { randomFrom } from '../support/random.js';

interface Entry { caller: string; place: number }

function queueOf(text: string): FairQueue<Entry> {
  const queue = new FairQueue<Entry>();
  [...text].forEach((caller, place) => queue.add({ caller, place }));
  return queue;
}

/** Serves all, `places` at a time; each place is given back when the next is wanted. */
function order(queue: FairQueue<Entry>, places: number): string {
  const held: Entry[] = [];
  let text = '';
  while (queue.size > 0) {
    if (held.length === places) queue.release((held.shift() as Entry).caller);
    const entry = queue.take() as Entry;
    held.push(entry);
    text += `${entry.caller}${entry.place} `;
  }
  return text.trim();
}

t.test('rotation between callers, order within one', async (t) => {
  t.equal(order(queueOf('aaaaabbc'), 1), 'a0 b5 c7 a1 b6 a2 a3 a4');
  t.equal(order(queueOf('aaaab'), 2), 'a0 b4 a1 a2 a3', 'who holds a place waits for those who hold none');
  t.equal(order(queueOf('aaa'), 2), 'a0 a1 a2', 'one caller alone has all places');
});

t.test('one that comes is served after one turn of each other caller, whoever else comes again and again', async (t) => {
  const queue = new FairQueue<Entry>();
  let place = 0;
  const come = (caller: string): Entry => {
    const entry = { caller, place: place++ };
    queue.add(entry);
    return entry;
  };
  for (let count = 0; count < 10; count++) come('a');
  const served: string[] = [];
  const serve = (): void => {
    const { caller } = queue.take() as Entry;
    served.push(caller);
    // It comes again before its place is free, or a moment after, as programs do that ask one thing after another.
    if (caller === 'b') come('b');
    queue.release(caller);
    if (caller === 'c') come('c');
  };
  const first = queue.take() as Entry;
  served.push(first.caller);
  come('b');
  come('c');
  queue.release(first.caller);
  for (let turn = 0; turn < 9; turn++) serve();
  t.equal(served.join(''), 'abcabcabca');
});

t.test('what may not begin yet is passed over and keeps its place', async (t) => {
  const queue = queueOf('abab');
  t.same(queue.take(({ place }) => place === 1), { caller: 'b', place: 1 });
  t.same(queue.take(({ place }) => place > 0), { caller: 'a', place: 2 });
  t.same(queue.take(), { caller: 'b', place: 3 }, 'both hold one, and b was served before a');
  t.same(queue.take(), { caller: 'a', place: 0 });
  t.equal(queue.take(), undefined);
});

t.test('nothing is kept of callers that are gone', async (t) => {
  const queue = queueOf('ab');
  const entry = queue.take() as Entry;
  t.equal(queue.ownedBy('a'), 1);
  queue.release(entry.caller);
  t.equal(queue.ownedBy('a'), 0);
  t.equal(queue.remove({ caller: 'b', place: 1 }), false, 'another object');
  queue.add(entry);
  t.equal(queue.remove(entry), true);
  t.equal(queue.remove(entry), false);
  t.equal(queue.rankOf(entry), -1);
});

t.test('ranks foretell the order, whatever came before', async (t) => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = randomFrom(seed);
    const queue = new FairQueue<Entry>();
    for (let place = 0; place < 30; place++) {
      queue.add({ caller: 'abcd'[Math.floor(random() * 4)] as string, place });
      if (random() < 0.3) {
        const { caller } = queue.take() as Entry;
        if (random() < 0.5) queue.release(caller);
      }
    }
    const foretold = [...queue].sort((one, other) => queue.rankOf(one) - queue.rankOf(other));
    t.same(foretold.map((entry) => queue.rankOf(entry)), foretold.map((_, index) => index), `seed ${seed}: each rank once`);
    // No place is given back meanwhile.
    t.same(foretold.map(() => queue.take()), foretold, `seed ${seed}`);
  }
});

t.test('a share of bounded places', async (t) => {
  const fill = (bound: number, callers: number): number[] => {
    const own = new Array<number>(callers).fill(0);
    for (;;) {
      const free = bound - own.reduce((sum, count) => sum + count, 0);
      // In turn: the caller with the fewest comes next.
      const least = Math.min(...own);
      if (free === 0 || !mayTakeAnother(least, free)) return own;
      own[own.indexOf(least)]!++;
    }
  };
  t.same(fill(11, 1), [11], 'a few are all to be had');
  t.same(fill(160, 1), [150], 'of many some are left');
  const left = 202 - fill(202, 3).reduce((sum, count) => sum + count, 0);
  t.ok(left >= 1, `${left} are left by three that take what they can in turn`);
});
