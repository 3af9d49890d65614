/** Tasks whose record this program cannot read: moved out of the way and kept, for the program or the person that can. */
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

  /** Takes those back whose record `canRead`: an upgraded program reads what an older one could not. */
  takeBack(canRead: (directory: string, id: string) => boolean): void {
    for (const id of this.ids) {
      if (!canRead(join(this.directory, id), id)) continue;
      renameSync(join(this.directory, id), join(this.spool, id));
      this.ids.delete(id);
      this.log(`task ${id} can be read now; it is taken back`);
    }
  }

  /** Moves the task's directory. Throws the file system's error. */
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
