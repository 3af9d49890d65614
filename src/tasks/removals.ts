/** Directories of tasks that are over: they go a few at a time, since thousands expire at once and what is served meanwhile needs the disk, too. */
import PQueue from 'p-queue';

/** Half of the threads that the file system has. */
const atOnce = 2;

export class Removals {
  private readonly queue = new PQueue({ concurrency: atOnce });

  constructor(private readonly quietly: (work: Promise<void>) => Promise<void>) {}

  /** Goes when its turn comes. */
  add(folder: { remove(): Promise<void> }): void {
    void this.queue.add(() => this.quietly(folder.remove()));
  }

  /** What is left is over for the next process, too. Settles when nothing is being deleted. */
  async close(): Promise<void> {
    this.queue.clear();
    this.queue.pause();
    await this.queue.onPendingZero();
  }
}
