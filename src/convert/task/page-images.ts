/** Draws pages of kept documents in workers of the pool, one after the other, for as many requests as may wait. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PQueue from 'p-queue';
import { LecternError } from '../../errors.js';
import type { WorkerPool } from '../../workers/types.js';
import type { PageImageRequest } from '../output/page-image.js';

/** Where the page is: a file of this process, and its name. */
export type WantedPage = Omit<PageImageRequest, 'outputPath'>;

export interface PageImages {
  /** Throws `queue_full` while too many wait: to be asked before the file is read. */
  requireRoom(): void;
  /** WebP. Rejects with `queue_full` while too many wait, `cancelled`, and as drawPageImage() does. */
  draw(page: WantedPage, signal: AbortSignal): Promise<Buffer>;
}

/** Pages that wait: a viewer asks for those that it shows, some five at a time. */
const mostWaiting = 64;
/** One page at a time, so that the other workers stay with conversions. */
const concurrency = 1;

export function createPageImages(pool: Pick<WorkerPool, 'run'>, limits: { pageMs: number }): PageImages {
  const queue = new PQueue({ concurrency });
  const requireRoom = (): void => {
    if (queue.size >= mostWaiting) throw new LecternError('queue_full', 'Many pages are being drawn, please try again shortly.');
  };
  return {
    requireRoom,
    draw: async (page, signal) => {
      requireRoom();
      // A caller that leaves gives up its place.
      return queue.add(() => drawInPool(pool, limits, page, signal), { signal }).catch((thrown: unknown) => {
        throw signal.aborted ? new LecternError('cancelled') : thrown;
      });
    },
  };
}

async function drawInPool(pool: Pick<WorkerPool, 'run'>, { pageMs }: { pageMs: number }, page: WantedPage, signal: AbortSignal): Promise<Buffer> {
  signal.throwIfAborted();
  const directory = await mkdtemp(join(tmpdir(), 'lectern-page-'));
  const path = join(directory, 'image');
  try {
    await pool.run('page', (at): PageImageRequest => ({ ...page, inputPath: at('input'), outputPath: at('image') }), {
      limits: { silenceMs: pageMs, totalMs: pageMs },
      signal,
      files: { inputs: { input: page.inputPath }, outputs: { image: { path, kind: 'file' } } },
    });
    return await readFile(path);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
