/** Room on the spool's disk: what was accepted does not fail because others have filled it, it waits until there is some. */
import { diskRoom, type DiskRoom } from '../platform/disk-space.js';
import type { Clock, TaskTableOptions } from './types.js';

/** How soon tasks that wait for room find it. */
const lookMs = 2_000;

/** After so long on a full disk it is not others who make room: where the waiting tasks' own files are what fills it, one begins all the same. */
const patienceMs = 30_000;

/** Directories and records, beside the uploads. */
const bytesBesideUploads = 16 * 2 ** 10;

type RoomOptions = Pick<TaskTableOptions<unknown, unknown, unknown>, 'directory' | 'diskRoom' | 'log'>;

export interface Held {
  waiting: number;
  running: number;
  uploadBytes: number;
}

export class Room {
  /** Said once in the log. */
  private fullSince: number | null = null;
  private readonly sleepers = new Set<() => void>();

  constructor(private readonly options: RoomOptions, private readonly clock: Clock, private readonly held: () => Held) {}

  /** For what is not accepted yet. */
  isThere(): boolean {
    return this.look().state === 'roomy';
  }

  /** A task that may begin does so before any other asks. */
  mayBegin(): boolean {
    const room = this.look();
    this.tell(room);
    if (room.state === 'roomy') return true;
    const { waiting, running, uploadBytes } = this.held();
    // One at a time: each frees its upload as it ends, and all of them together would fill what is left.
    if (running > 0) return false;
    if (room.state === 'low') return true;
    // Fails or not, it gives its upload back.
    const isPatient = this.clock.now() - (this.fullSince ?? Infinity) < patienceMs;
    return !isPatient && uploadBytes + waiting * bytesBesideUploads >= room.lackingBytes;
  }

  /** Settles when it is time to ask again. */
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

  /** A task has ended, and its upload is gone. */
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
