/** Bytes that running tasks have written so far, in unfinished results and scratch files; measured every 500 ms while tasks run. */
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

  /** All running tasks together may write `limit` bytes. `onLook` is called after each measurement, so that kept results can make room before a task is aborted. */
  constructor(private readonly clock: Clock, readonly limit: number, private readonly onLook: () => void) {}

  /** Bytes of all running tasks. */
  get bytes(): number {
    return [...this.sizes.values()].reduce((sum, size) => sum + size, 0);
  }

  begin(task: T): void {
    this.sizes.set(task, 0);
    this.stopTimer ??= this.clock.after(lookMs, () => void this.look());
  }

  /** Stops counting a task: its files are its result now, or deleted. Throws DiskFull for a result larger than `limit`. */
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
    // A task that began during the measurement may have set the timer already.
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
