/** keep_alive in every notation that clients send. */
import t from 'tap';
import { LecternError } from '../../src/errors.js';
import { expiryOf, parseKeepAlive } from '../../src/models/keep-alive-notation.js';

t.test('numbers are seconds, texts are durations, negative is for ever', (t) => {
  const cases: [unknown, number | undefined][] = [
    [undefined, undefined], [null, undefined], [0, 0], [60, 60_000], [0.5, 500], [-1, Infinity], ['0', 0], ['0s', 0], ['5m', 300_000], ['5m0s', 300_000],
    ['1h30m', 5_400_000], ['1.5h', 5_400_000], ['300ms', 300], ['-1m', Infinity], ['+2s', 2000], ['.5s', 500],
    // Beyond what a date can say.
    [1e13, Infinity], [Number.MAX_VALUE, Infinity], ['99999999999h', Infinity],
  ];
  for (const [value, ms] of cases) t.equal(parseKeepAlive(value), ms, JSON.stringify(value));
  t.end();
});

t.test('anything else is refused', (t) => {
  for (const value of ['-1', '5', '', 'm', '5 m', '5m ', '1d', 'forever', true, {}, [], NaN, '1'.repeat(100_000)]) {
    t.throws(() => parseKeepAlive(value), LecternError, JSON.stringify(value)?.slice(0, 20) ?? 'NaN');
  }
  t.end();
});

t.test('a model that stays for ever expires when nobody looks', (t) => {
  const since = new Date('2026-01-01T00:00:00Z');
  t.equal(expiryOf(since, 300_000).toISOString(), '2026-01-01T00:05:00.000Z');
  t.ok(expiryOf(since, Infinity).getUTCFullYear() >= 2300);
  t.match(expiryOf(since, Infinity).toISOString(), /^2\d{3}-/);
  t.end();
});
