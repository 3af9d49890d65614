/** Directories of models that somebody named and that cannot be looked into: with them the service is not what it was asked to be. */
import { opendir } from 'node:fs/promises';

/** One sentence about the first of them that cannot be read, as the disk is now; null where all can. */
export async function unreadableDirectory(directories: readonly string[]): Promise<string | null> {
  for (const directory of directories) {
    const reason = await whyUnreadable(directory);
    if (reason !== null) return `The model directory ${directory} ${reason}.`;
  }
  return null;
}

/** What follows the name of a directory in a sentence; null where it can be read. */
export async function whyUnreadable(directory: string): Promise<string | null> {
  try {
    const opened = await opendir(directory);
    await opened.close();
    return null;
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT') return 'does not exist';
    if (code === 'ENOTDIR') return 'is no directory';
    if (code === 'EACCES' || code === 'EPERM') return 'cannot be read by this user';
    return `cannot be read: ${message}`;
  }
}
