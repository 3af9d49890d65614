/** The directories for files that parent and workers share: bitmaps in memory where there is room, files of jobs on a disk; one per pool, none left behind. */
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { makeDirectoryTree } from '../platform/make-directory-tree.js';
import { makeOwnDirectory, sharedSparedMs } from '../platform/process-directory.js';

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

/** For the files of jobs, 0700. Services in several containers may have the same parent: what others left there is spared for a day. */
export function makeFilesDirectory(wished?: string): string {
  const parent = wished ?? tmpdir();
  makeDirectoryTree(parent, 0o700);
  return makeOwnDirectory({ parent, prefix: 'lectern-job-files', sparedMs: sharedSparedMs });
}

/** Makes it, 0700. Without `wished` it lies in memory or in the temporary directory. What others left there is not spared: it may hold memory. */
export function makeScratch(wished?: string): string {
  const parent = wished ?? root();
  makeDirectoryTree(parent, 0o700);
  return makeOwnDirectory({ parent, prefix: 'lectern-workers' });
}
