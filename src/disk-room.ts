/** Whether a disk has room for work: the least that must be free is the same for /ready, the doctor and the task table. */
import { statfsSync } from 'node:fs';

/** With less no task is taken on and none begins. */
export const leastFreeBytes = 2 ** 20;

/** Where it cannot be asked, or does not count its blocks, there may be room: the next write tells. */
export function hasRoom(path: string): boolean {
  try {
    const { blocks, bavail, bsize } = statfsSync(path);
    return blocks === 0 || bavail * bsize >= leastFreeBytes;
  } catch {
    return true;
  }
}
