/** Pages that wait to be drawn: those whose caller has left give up their place. */
import t from 'tap';
import { createPageImages } from '../../src/convert/task/page-images.js';
import type { WorkerPool } from '../../src/workers/types.js';

t.test('a caller that leaves gives up its place', async (t) => {
  // The first page is never drawn.
  const pool = { run: async (_verb: string, _request: unknown, { signal }: { signal: AbortSignal }) => new Promise((_resolve, reject) => { signal.addEventListener('abort', () => { reject(new Error('left')); }); }) };
  const images = createPageImages(pool as unknown as Pick<WorkerPool, 'run'>, { pageMs: 1000 });
  const page = { inputPath: '/nowhere', filename: 'a.pdf', pageNumber: 1, width: 100 };
  const left = new AbortController();
  const waiting = Array.from({ length: 65 }, () => images.draw(page, left.signal));
  await t.rejects(images.draw(page, new AbortController().signal), { code: 'queue_full' }, 'as many wait as may');
  left.abort();
  for (const ended of await Promise.allSettled(waiting)) t.equal(ended.status, 'rejected');
  await t.rejects(waiting[3] as Promise<Buffer>, { code: 'cancelled' });
  const own = new AbortController();
  const drawn = images.draw(page, own.signal);
  setTimeout(() => { own.abort(); }, 20);
  await t.rejects(drawn, { code: 'cancelled' }, 'it waits no longer for them');
});
