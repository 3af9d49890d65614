/** Keeps tasks whose record this program cannot read: it moves their directories to `set-aside` below the spool, from where a newer program takes them back or an administrator can read them. */
import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { DamagedTask } from './record-format.js';

/** Below the spool directory; no task has this name. */
const directoryName = 'set-aside';

export class UnreadableTasks {
  private readonly directory: string;
  /** By the names of their directories, which are the tasks' ids. */
  private readonly ids: Set<string>;

  constructor(private readonly spool: string, private readonly log: (message: string, cause?: unknown) => void) {
    this.directory = join(spool, directoryName);
    this.ids = new Set(namesIn(this.directory));
  }

  /** Moves the tasks back whose record `canRead` accepts now: an upgraded program reads records that an older one could not. */
  takeBack(canRead: (directory: string, id: string) => boolean): void {
    for (const id of this.ids) {
      if (!canRead(join(this.directory, id), id)) continue;
      renameSync(join(this.directory, id), join(this.spool, id));
      this.ids.delete(id);
      this.log(`task ${id} can be read now; it is taken back`);
    }
  }

  /** Sets a task aside: moves its directory, and logs why. Throws the file system's error. */
  put(id: string, why: DamagedTask): void {
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    renameSync(join(this.spool, id), join(this.directory, id));
    this.ids.add(id);
    this.log(`task ${id} is set aside in ${this.directory}: ${why.message}`, why.cause);
  }

  /** Logs damage of a result, and throws what it is given. */
  logDamage(id: string, thrown: unknown): never {
    if (thrown instanceof DamagedTask) this.log(`task ${id}: ${thrown.message}`, thrown.cause);
    throw thrown;
  }

  /** Throws DamagedTask for a task that is set aside: it was accepted, and is not forgotten. */
  refuse(id: string): void {
    if (this.ids.has(id)) throw new DamagedTask('The service cannot read the record of this task. Its files are kept, and its operator can see why in the log; submit the document again.');
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
