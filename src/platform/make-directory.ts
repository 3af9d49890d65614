/** A directory that the user named, made where it is missing, or a sentence about why it cannot be used. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { diskRoom } from './disk-space.js';
import { LecternError } from '../errors.js';
import { makeDirectoryTree } from './make-directory-tree.js';

/** `path` is absolute; afterwards it can be written. `what` names it in the sentence, `advice` ends it. Throws `forbidden`. */
export async function makeDirectory(path: string, what: string, advice: string, mode = 0o777): Promise<void> {
  try {
    makeDirectoryTree(path, mode);
    if (!(await stat(path)).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' });
    await access(path, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? '';
    throw new LecternError('forbidden', `${what} ${path} cannot be used (${reasons[code] ?? code}): ${advice}.`, { cause });
  }
}

/** One sentence about a directory in which nothing can be made, or soon nothing could, as the disk is now; null where it can. `what` begins it. */
export async function unwritableDirectory(path: string, what: string): Promise<string | null> {
  try {
    await access(path, constants.W_OK | constants.X_OK);
    if (diskRoom(path).state !== 'roomy') throw Object.assign(new Error(), { code: 'ENOSPC' });
    return null;
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code ?? '';
    return `${what} ${path} cannot be written (${code === 'ENOENT' ? 'it is gone' : reasons[code] ?? code}).`;
  }
}

const reasons: Record<string, string> = {
  EACCES: 'this user may not write there', EPERM: 'this user may not write there', EROFS: 'the file system is read-only',
  ENOTDIR: 'a file stands in its place', ENOENT: 'it cannot be made there', ENOSPC: 'the disk is full, or nearly',
};
