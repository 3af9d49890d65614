/** The local sockets of LibreOffice, by which a second start would find the first. It makes one at each start, in a directory that no setting moves, and ends where it cannot. */
import { lstat, readdir, unlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';

/** Where LibreOffice makes them: the first that the user may write to. */
export const officeSocketDirectories = ['/tmp', '/var/tmp'];

const connectMs = 1000;

/** Removes those of this user that no process listens to any more. */
export async function removeOfficeSockets(directories: readonly string[] = officeSocketDirectories): Promise<void> {
  const uid = process.getuid?.();
  if (uid === undefined) return;
  const form = new RegExp(`^OSL_PIPE_${uid}_SingleOfficeIPC_[0-9a-f]+$`);
  for (const directory of directories) {
    const names = await readdir(directory).catch((): string[] => []);
    for (const path of names.filter((name) => form.test(name)).map((name) => join(directory, name))) {
      const status = await lstat(path).catch(() => null);
      if (status === null || !status.isSocket() || status.uid !== uid || !(await isDead(path))) continue;
      await unlink(path).catch(() => undefined);
    }
  }
}

function isDead(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (dead: boolean): void => {
      socket.destroy();
      resolve(dead);
    };
    socket.setTimeout(connectMs, () => end(false));
    socket.once('connect', () => end(false));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code === 'ECONNREFUSED'));
  });
}
