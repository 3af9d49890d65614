/** The directory for files that parent and workers share: in memory where there is room, one per process, none left behind. */
import { mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeLevels } from '../make-levels.js';
import { processStart } from '../process-start.js';

/** Bitmaps of some pages at a time; less (64 MB in a container) could not hold one large page. */
const enoughBytes = 2 ** 29;
const prefix = 'lectern-workers';

function root(): string {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize >= enoughBytes ? '/dev/shm' : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** What processes that were killed left behind: it would hold memory until the next boot. */
function sweep(directory: string): void {
  for (const name of readdirSync(directory)) {
    const [pid = '', start = ''] = name.startsWith(`${prefix}-`) ? name.slice(prefix.length + 1).split('-') : [];
    if (!/^[0-9]+$/.test(pid) || !/^[0-9]+$/.test(start) || processStart(pid) === start) continue;
    try {
      rmSync(join(directory, name), { recursive: true, force: true });
    } catch {
      continue; // another user's
    }
  }
}

let lastPool = 0;

/** Makes it, 0700. Without `wished` it lies in memory or in the temporary directory. */
export function makeScratch(wished?: string): string {
  const parent = wished ?? root();
  makeLevels(parent, 0o700);
  sweep(parent);
  const directory = join(parent, `${prefix}-${process.pid}-${processStart(process.pid) || '0'}-${++lastPool}`);
  mkdirSync(directory, { mode: 0o700 });
  return directory;
}
