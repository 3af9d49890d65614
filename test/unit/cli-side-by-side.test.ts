/** Documents at work side by side: how many, in which order, what the first failure ends, and that what is said stays in the order of the words. */
import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { orderedMessages, largestFirst, sideBySide, documentsAtOnce } from '../../src/cli/side-by-side.js';

const never = (): void => { throw new Error('nothing failed'); };

t.test('as many at a time as may be, begun in their order, each once', async (t) => {
  const begun: number[] = [];
  const release: (() => void)[] = [];
  const ended = sideBySide([0, 1, 2, 3], 2, async (index) => {
    begun.push(index);
    await new Promise<void>((resolve) => { release[index] = resolve; });
  }, never);
  t.strictSame(begun, [0, 1]);
  for (const [index, next] of [[1, 2], [2, 3]] as const) {
    release[index]?.();
    while (begun.length <= next) await setImmediate();
    t.strictSame(begun.at(-1), next, 'the one that is free takes the next');
  }
  release[0]?.();
  release[3]?.();
  await ended;
  t.strictSame(begun, [0, 1, 2, 3]);
});

t.test('after a failure none begins, those at work are stopped and waited for, and the first error is thrown', async (t) => {
  const begun: number[] = [];
  const stopped = new AbortController();
  let stops = 0;
  let ended = false;
  await t.rejects(sideBySide([0, 1, 2, 3], 2, async (index) => {
    begun.push(index);
    if (index === 0) throw new Error('the first');
    await new Promise((resolve) => { stopped.signal.addEventListener('abort', resolve); });
    await setImmediate();
    ended = true;
    throw new Error('because of the first');
  }, () => {
    stops++;
    stopped.abort();
  }), { message: 'the first' });
  t.strictSame([begun, stops, ended], [[0, 1], 1, true]);
});

t.test('sentences are in the order of the words, progress is of all at work', (t) => {
  const seen: string[] = [];
  const telling = orderedMessages({ show: (text) => { seen.push(text); }, clear: () => { seen.push('-'); } }, (sentence) => { seen.push(`! ${sentence}`); });
  telling.show(1, 'b 1/9');
  telling.show(0, 'a 1/9');
  telling.say(1, 'b lacks a page');
  telling.end(1);
  t.strictSame(seen.splice(0), ['b 1/9', 'a 1/9  b 1/9', 'a 1/9'], 'what is said of the second waits for the first');
  telling.say(0, 'a lacks one, too');
  t.strictSame(seen.splice(0), ['-', '! a lacks one, too', 'a 1/9'], 'of the first it is said at once');
  telling.end(2);
  telling.end(0);
  t.strictSame(seen.splice(0), ['a 1/9', '-', '! b lacks a page', '-']);
  telling.say(3, 'd is no file');
  telling.end(3);
  t.strictSame(seen, ['-', '! d is no file', '-', '-']);
  t.end();
});

t.test('a first document that takes longer than thousands of others', (t) => {
  const said: string[] = [];
  const telling = orderedMessages({ show: () => undefined, clear: () => undefined }, (sentence) => { said.push(sentence); });
  const count = 20_000;
  for (let index = 1; index < count; index++) {
    telling.say(index, `${index}`);
    telling.end(index);
  }
  t.strictSame(said, []);
  telling.end(0);
  t.equal(said.length, count - 1);
  t.ok(said.every((sentence, at) => sentence === `${at + 1}`), 'each in its turn');
  t.end();
});

t.test('the largest begin first', async (t) => {
  const order = largestFirst([3, 9, 0, 9]);
  t.strictSame(order, [1, 3, 0, 2]);
  const begun: number[] = [];
  await sideBySide(order, 3, async (index) => { begun.push(index); }, never);
  t.strictSame(begun, order);
});

t.test('a worker must have enough to do', (t) => {
  const kib = 2 ** 10;
  t.strictSame([
    documentsAtOnce([40 * kib], 4), documentsAtOnce([4000 * kib], 4), documentsAtOnce([40 * kib, 40 * kib], 4), documentsAtOnce(Array<number>(9).fill(kib), 4), documentsAtOnce([3000 * kib, kib], 4),
    documentsAtOnce(Array<number>(100).fill(kib), 4), documentsAtOnce(Array<number>(100).fill(kib), 1), documentsAtOnce([0], 4),
  ], [1, 1, 1, 2, 2, 4, 1, 1]);
  t.end();
});
