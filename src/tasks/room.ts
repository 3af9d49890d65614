/** Room on the spool's disk: what was accepted does not fail because others have filled it, it waits until there is some. */
import { hasRoom } from '../disk-room.js';
import type { Clock, TaskTableOptions } from './types.js';

/** How soon tasks that wait for room find it. */
const lookMs = 2_000;

type RoomOptions = Pick<TaskTableOptions<unknown, unknown, unknown>, 'directory' | 'hasRoom' | 'log'>;

export class Room {
  /** Said once in the log. */
  private isFull = false;

  constructor(private readonly options: RoomOptions, private readonly clock: Clock) {}

  isThere(): boolean {
    return (this.options.hasRoom ?? hasRoom)(this.options.directory);
  }

  /** Settles when there is some, or when nobody wants it any more. */
  async wait(isWanted: () => boolean): Promise<void> {
    while (!this.isThere()) {
      if (!isWanted()) return;
      if (!this.isFull) this.options.log?.('warn', 'the disk of the spool directory is full; no task begins until there is room');
      this.isFull = true;
      await new Promise<void>((resolve) => this.clock.after(lookMs, resolve));
    }
    if (this.isFull) this.options.log?.('info', 'the disk of the spool directory has room again');
    this.isFull = false;
  }
}
