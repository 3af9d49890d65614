/** Whether the spool's disk has room: new tasks are refused where it has not, and accepted ones wait instead of failing. */
import { diskRoom, type DiskRoom } from '../platform/disk-space.js';
import type { Clock, TaskTableOptions } from './types.js';

/** Interval in ms at which tasks that wait for room check the disk. */
const lookMs = 2_000;

/** After so many ms on a full disk no other program is expected to make room. Where the files of the waiting tasks are what fills the disk, one task then begins nevertheless. */
const patienceMs = 30_000;

/** Bytes that a waiting task takes beside its uploads, for its directories and record. */
const bytesBesideUploads = 16 * 2 ** 10;

type RoomOptions = Pick<TaskTableOptions<unknown, unknown, unknown>, 'directory' | 'diskRoom' | 'log'>;

export interface Held {
  waiting: number;
  running: number;
  uploadBytes: number;
}

export class Room {
  /** When the disk was first found full; null while it is not. The log gets one line for each change. */
  private fullSince: number | null = null;
  private readonly sleepers = new Set<() => void>();

  constructor(private readonly options: RoomOptions, private readonly clock: Clock, private readonly held: () => Held) {}

  /** Whether a new task may be accepted. */
  isThere(): boolean {
    return this.look().state === 'roomy';
  }

  /** Whether one waiting task may begin. The caller begins it before this is called again. */
  mayBegin(): boolean {
    const room = this.look();
    this.tell(room);
    if (room.state === 'roomy') return true;
    const { waiting, running, uploadBytes } = this.held();
    // With little room, tasks run one at a time: each frees its upload when it ends, and several together would fill the disk.
    if (running > 0) return false;
    if (room.state === 'low') return true;
    // Whether the task succeeds or fails, its upload is deleted.
    const isPatient = this.clock.now() - (this.fullSince ?? Infinity) < patienceMs;
    return !isPatient && uploadBytes + waiting * bytesBesideUploads >= room.lackingBytes;
  }

  /** Resolves when mayBegin() should be called again. */
  async sleep(): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        stopTimer();
        this.sleepers.delete(wake);
        resolve();
      };
      const stopTimer = this.clock.after(lookMs, wake);
      this.sleepers.add(wake);
    });
  }

  /** To be called when a task has ended and its upload is deleted. */
  wake(): void {
    for (const wake of [...this.sleepers]) wake();
  }

  private look(): DiskRoom {
    return (this.options.diskRoom ?? diskRoom)(this.options.directory);
  }

  private tell({ state }: DiskRoom): void {
    if ((state === 'full') === (this.fullSince !== null)) return;
    this.fullSince = state === 'full' ? this.clock.now() : null;
    if (state === 'full') this.options.log?.('warn', 'the disk of the spool directory is full; no task begins until there is room');
    else this.options.log?.('info', 'the disk of the spool directory has room again');
  }
}
