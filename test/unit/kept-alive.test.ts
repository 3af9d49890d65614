// One timer for all streams that wait: each gets its comment at its own interval, and none after the end.
import t from 'tap';
import { mock } from 'node:test';
import type { EventStream } from '../../src/http/event-stream.js';
import { keepAlive, release } from '../../src/http/openai/kept-alive.js';

t.test('each stream has its comment every 15 s', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(() => mock.timers.reset());
  const heard: string[] = [];
  const stream = (name: string): EventStream => ({ comment: () => heard.push(name) }) as unknown as EventStream;
  const [first, second] = [stream('first'), stream('second')];
  keepAlive(first);
  mock.timers.tick(10_000);
  keepAlive(second);
  mock.timers.tick(4_999);
  t.same(heard, []);
  mock.timers.tick(1);
  t.same(heard, ['first']);
  mock.timers.tick(10_000);
  t.same(heard, ['first', 'second']);
  mock.timers.tick(5_000);
  t.same(heard, ['first', 'second', 'first']);
  release(first);
  mock.timers.tick(30_000);
  t.same(heard, ['first', 'second', 'first', 'second', 'second']);
  release(second);
  mock.timers.tick(30_000);
  t.equal(heard.length, 5);
  keepAlive(first);
  mock.timers.tick(14_999);
  t.equal(heard.length, 5, 'a pause later as at first');
  mock.timers.tick(1);
  t.equal(heard.length, 6);
  release(first);
});
