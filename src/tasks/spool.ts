/** The spool directory, which holds one directory for each task (task-folder.ts): it is locked for this process, and all tasks in it are read at the start. */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { lockDirectory } from './lock.js';
import { DamagedTask, type TaskRecord } from './record-format.js';
import { TaskFolder } from './task-folder.js';
import type { UnreadableTasks } from './unreadable-tasks.js';

const taskName = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The directory of the task `id` in the spool directory. */
export function folderIn(directory: string, id: string): TaskFolder {
  return new TaskFolder(join(directory, id));
}

/** Directories that are read in one turn of the event loop, by synchronous calls: with asynchronous ones, 20,000 directories take 5 s instead of 1 on a busy machine. */
const readsInTurn = 64;

interface Spool {
  /** Ended tasks first, in the order of their ends; then the others, in the order of their submission. */
  records: TaskRecord[];
  /** Directories with the name of a task that hold no record. */
  orphans: TaskFolder[];
  /** The errors of tasks that could not be read now, and were left as they are. */
  failures: unknown[];
}

/** Reads every task in the spool directory. Files that a crash left with an ended task are deleted, and tasks whose record cannot be read are set aside. Directories whose name is no task's are left alone. */
export async function readSpool(directory: string, unreadable: UnreadableTasks): Promise<Spool> {
  const [records, orphans, failures]: [TaskRecord[], TaskFolder[], unknown[]] = [[], [], []];
  unreadable.takeBack((path, id) => isReadable(new TaskFolder(path), id));
  const take = async (name: string): Promise<void> => {
    const folder = folderIn(directory, name);
    const record = folder.readRecord(name);
    if (record === null) {
      orphans.push(folder);
      return;
    }
    records.push(record);
    if (record.endedAt !== null) await folder.tidy(record.status === 'success');
  };
  const entries = (await readdir(directory, { withFileTypes: true })).filter((entry) => entry.isDirectory() && taskName.test(entry.name));
  for (const [index, { name }] of entries.entries()) {
    if (index % readsInTurn === 0) await setImmediate();
    await take(name).catch((thrown: unknown) => {
      if (thrown instanceof DamagedTask) unreadable.put(name, thrown);
      else failures.push(thrown);
    });
  }
  records.sort((a, b) => (a.endedAt ?? Number.MAX_VALUE) - (b.endedAt ?? Number.MAX_VALUE) || a.sequence - b.sequence);
  return { records, orphans, failures };
}

function isReadable(folder: TaskFolder, id: string): boolean {
  try {
    return folder.readRecord(id) !== null;
  } catch {
    return false;
  }
}

/** Makes the directory if it is missing and locks it for this process; the returned function unlocks it. Throws `invalid_state` when another process owns it. */
export async function claimSpool(directory: string): Promise<() => Promise<void>> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return lockDirectory(directory);
}
