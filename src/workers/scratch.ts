/** The directory for files that parent and workers share: in memory where there is room, one per pool, none left behind. */
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { makeLevels } from '../platform/make-directory-tree.js';
import { makeOwnDirectory } from '../platform/process-directory.js';

/** Bitmaps of some pages at a time; less (64 MB in a container) could not hold one large page. */
const enoughBytes = 2 ** 29;

function root(): string {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize >= enoughBytes ? '/dev/shm' : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** Makes it, 0700. Without `wished` it lies in memory or in the temporary directory. What others left there is not spared: it may hold memory. */
export function makeScratch(wished?: string): string {
  const parent = wished ?? root();
  makeLevels(parent, 0o700);
  return makeOwnDirectory({ parent, prefix: 'lectern-workers' });
}
