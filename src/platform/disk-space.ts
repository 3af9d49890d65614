/** Whether a disk has room for work: the marks are the same for /ready, the doctor and the task table. */
import { statfsSync, type StatsFs } from 'node:fs';

/** With less, a task that begins is sure to fail. */
export const leastFreeBytes = 2 ** 20;

/**
 * What is taken on needs clearly more than what begins: uploads that filled the disk to the very mark would wait for room that only their own
 * tasks can make. Small disks keep a share.
 */
const uploadsFree = { bytes: 64 * 2 ** 20, nodes: 1024, share: 0.05 };

export interface DiskRoom {
  /** `low`: nothing more is taken on, tasks begin one at a time. `full`: none begins. */
  state: 'roomy' | 'low' | 'full';
  /** How many must come free until a task begins. 0 also on a full disk on which no file can be made. */
  lackingBytes: number;
}

const roomy: DiskRoom = { state: 'roomy', lackingBytes: 0 };

/** Of what a file system says of itself; some do not count their blocks, or their files. */
export function roomIn({ blocks, bavail, bsize, files, ffree }: Pick<StatsFs, 'blocks' | 'bavail' | 'bsize' | 'files' | 'ffree'>): DiskRoom {
  if (blocks === 0) return roomy;
  const free = bavail * bsize;
  const lackingBytes = Math.max(0, leastFreeBytes - free);
  if (lackingBytes > 0 || (files > 0 && ffree === 0)) return { state: 'full', lackingBytes };
  const { bytes, nodes, share } = uploadsFree;
  const isLow = free < Math.max(2 * leastFreeBytes, Math.min(bytes, blocks * bsize * share)) || ffree < Math.min(nodes, files * share);
  return isLow ? { state: 'low', lackingBytes } : roomy;
}

/** Where it cannot be asked there may be room: the next write shows it. */
export function diskRoom(path: string): DiskRoom {
  try {
    return roomIn(statfsSync(path));
  } catch {
    return roomy;
  }
}
