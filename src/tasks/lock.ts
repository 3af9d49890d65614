/** One process at a time owns a spool directory: its start would delete the other one's uploads as orphans. */
import { open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { LecternError } from '../errors.js';
import { processStart } from '../process-start.js';

/** An empty lock may be one whose process has not yet written who it is; one that stays empty so often was left so by a power cut. */
const looks = 20;
const lookMs = 50;

async function owner(path: string): Promise<{ pid: string; alive: boolean }> {
  let text = '';
  for (let look = 0; look < looks && text === ''; look++) {
    if (look > 0) await wait(lookMs);
    const read = await readFile(path, 'utf8').catch(() => null);
    if (read === null) break;
    text = read;
  }
  const [pid = '', start = ''] = text.split(' ');
  const alive = /^[0-9]+$/.test(pid) && start !== '' && processStart(pid) === start;
  return { pid, alive };
}

/** Takes the directory or throws `invalid_state` naming the process that has it. The answer gives it back. */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  const path = join(directory, 'lock');
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      const handle = await open(path, 'wx', 0o600);
      await handle.writeFile(`${process.pid} ${processStart(process.pid)}`);
      await handle.close();
      return () => unlink(path).catch(() => undefined);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
    }
    const { pid, alive } = await owner(path);
    if (alive) throw new LecternError('invalid_state', `The directory ${directory} is in use by process ${pid}.`);
    await unlink(path).catch(() => undefined);
  }
  throw new LecternError('invalid_state', `The directory ${directory} is in use by another process.`);
}
