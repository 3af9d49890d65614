/** What running tasks have written so far: results that are not finished and scratch files, measured again and again while they run. */
import { DiskFull } from '../platform/disk-full.js';
import type { Clock } from './types.js';

const lookMs = 500;

interface Working {
  folder: { workBytes(): Promise<number> };
  abort: AbortController;
}

export class WorkBytes<T extends Working> {
  private readonly sizes = new Map<T, number>();
  private stopTimer: (() => void) | null = null;

  /** All together may write `limit` bytes. `onLook` hears of every new measurement, so that others make room before a task is given up. */
  constructor(private readonly clock: Clock, readonly limit: number, private readonly onLook: () => void) {}

  /** Of all that run. */
  get bytes(): number {
    return [...this.sizes.values()].reduce((sum, size) => sum + size, 0);
  }

  begin(task: T): void {
    this.sizes.set(task, 0);
    this.stopTimer ??= this.clock.after(lookMs, () => void this.look());
  }

  /** Its files are the result now, or gone. Throws DiskFull for a result that is larger than all of them may be. */
  end(task: T, resultBytes = 0): void {
    this.sizes.delete(task);
    if (this.sizes.size === 0) {
      this.stopTimer?.();
      this.stopTimer = null;
    }
    if (resultBytes > this.limit) throw noRoom();
  }

  private async look(): Promise<void> {
    this.stopTimer = null;
    for (const task of [...this.sizes.keys()]) {
      const size = await task.folder.workBytes().catch(() => 0);
      if (this.sizes.has(task)) this.sizes.set(task, size);
    }
    // One that began meanwhile, after the last had ended, has set it.
    if (this.sizes.size > 0 && this.stopTimer === null) this.stopTimer = this.clock.after(lookMs, () => void this.look());
    this.onLook();
    if (this.bytes <= this.limit) return;
    const [largest] = [...this.sizes].sort(([, a], [, b]) => b - a)[0] ?? [];
    largest?.abort.abort(noRoom());
  }
}

function noRoom(): DiskFull {
  return new DiskFull('The service has no space left for what this task writes; a larger --spool-size or fewer --workers would help.');
}
