// The short form of `npm run bench -- soak`: nothing is kept of what has ended.
import t from 'tap';
import { growthOf, soak } from '../../bench/soak.js';

/** Of the second half over the first, so soon after the start. */
const mostGrowth = 0.3;

t.test('conversions of twelve formats, a scan and two kinds that fail, chats, cancels', { timeout: 600_000 }, async (t) => {
  const count = process.env['CI_FULL'] === '1' ? 400 : 24;
  const report = await soak(count);
  const { conversions, chats, first, last } = report;
  t.equal(Object.values(conversions).reduce((sum, one) => sum + one, 0), count, JSON.stringify(conversions));
  t.ok((conversions['success'] ?? 0) >= count / 2);
  t.strictSame(chats, { whole: count - Math.ceil(count / 3), cancelled: Math.ceil(count / 3) });
  // A process that has just started still grows; a file or thread kept for each one of a half would show.
  t.ok(last.files < first.files + count / 4, `open files: ${first.files} and ${last.files}`);
  t.ok(last.threads < first.threads + count / 4, `threads: ${first.threads} and ${last.threads}`);
  const told = JSON.stringify({ first, last });
  t.ok(growthOf(report, 'residentMiB') < mostGrowth, `the service: ${told}`);
  t.ok(growthOf(report, 'workersMiB') < mostGrowth && first.workersMiB > 16, `its conversion processes: ${told}`);
});
