/** Deletes the directories of forgotten tasks, two at a time: thousands of tasks may expire at once, and requests need the disk meanwhile. */
import PQueue from 'p-queue';

/** Directories deleted at the same time: half of libuv's four threads for file operations. */
const atOnce = 2;

export class Removals {
  private readonly queue = new PQueue({ concurrency: atOnce });

  constructor(private readonly quietly: (work: Promise<void>) => Promise<void>) {}

  /** Queues a directory to be deleted. */
  add(folder: { remove(): Promise<void> }): void {
    void this.queue.add(() => this.quietly(folder.remove()));
  }

  /** Stops deleting; the next process deletes the remaining directories. Resolves when no deletion is under way. */
  async close(): Promise<void> {
    this.queue.clear();
    this.queue.pause();
    await this.queue.onPendingZero();
  }
}
