/** Directories of models that the user named and that cannot be read: with them the service is not what it was asked to be. */
import { lstatSync } from 'node:fs';
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
    if (code === 'EACCES' || code === 'EPERM') return isHidden(directory) ? hidden : 'cannot be read by this user';
    return `cannot be read: ${message}`;
  }
}

const hidden = 'is hidden from this service by its unit; the lines [Service] and ProtectHome=read-only in `systemctl edit lectern` show it';

/** What ProtectHome hides. */
const homes = ['/home', '/root', '/run/user'];

/** In the place of what a unit hides systemd puts a directory that no user may open. Others may have closed a directory anywhere else. */
export function isHidden(path: string, hideable: readonly string[] = homes): boolean {
  for (const at of hideable) {
    if (path !== at && !path.startsWith(`${at}/`)) continue;
    try {
      if (((lstatSync(at, { throwIfNoEntry: false })?.mode ?? 0o777) & 0o777) === 0) return true;
    } catch {
      // Nor may it be asked what lies below.
    }
  }
  return false;
}
