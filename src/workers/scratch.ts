/** Makes the directories for files that parent and workers share: one in memory, where there is room, for bitmaps, and one on disk for the files of jobs. Each pool has its own and deletes them when it closes. */
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { makeDirectoryTree } from '../platform/make-directory-tree.js';
import { makeOwnDirectory, sharedSparedMs } from '../platform/process-directory.js';

/** Least free bytes of /dev/shm for it to hold the bitmaps: those of several pages. The 64 MB of a container would not hold one large page. */
const enoughBytes = 2 ** 29;

function root(): string {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize >= enoughBytes ? '/dev/shm' : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** Makes the directory for the files of jobs, with mode 0700. Services in several containers may share the parent directory, so directories of other processes there are deleted only after a day. */
export function makeFilesDirectory(wished?: string): string {
  const parent = wished ?? tmpdir();
  makeDirectoryTree(parent, 0o700);
  return makeOwnDirectory({ parent, prefix: 'lectern-job-files', sparedMs: sharedSparedMs });
}

/** Makes the directory for bitmaps, with mode 0700. Without `wished` it lies in /dev/shm or in the temporary directory. Directories that ended processes left there are deleted at once, because they may hold memory. */
export function makeScratch(wished?: string): string {
  const parent = wished ?? root();
  makeDirectoryTree(parent, 0o700);
  return makeOwnDirectory({ parent, prefix: 'lectern-workers' });
}
