/** Where tasks live on disk: one directory each, with its record, its payload, inputs, outputs and scratch files. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, open, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { ErrorCode } from '../errors.js';
import type { TaskOutput, TaskStatus } from './types.js';

/** What of a task survives the process, as it stands in `task.json`. */
export interface TaskRecord {
  version: 1;
  id: string;
  /** The place in the order of submission, which two tasks of one millisecond do not tell. */
  sequence: number;
  kind: string;
  tenant: string;
  /** Absent in records of older versions. */
  owner?: string;
  status: TaskStatus;
  /** How often its work began. */
  attempts: number;
  createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
  meta: unknown;
  summary: unknown;
  failure: { code: ErrorCode; message: string } | null;
  outputBytes: number;
}

const taskName = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const outputName = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/;

/** Bytes of all files, which are on the disk afterwards and not only in its cache. */
async function settleBelow(directory: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) bytes += await settleBelow(path);
    else if (entry.isFile()) bytes += await settle(path);
  }
  await settle(directory);
  return bytes;
}

/** Bytes of all files; what goes away meanwhile is not there. */
async function sizeBelow(directory: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(directory, { withFileTypes: true }).catch(() => [])) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) bytes += await sizeBelow(path);
    else if (entry.isFile()) bytes += await stat(path).then(({ size }) => size, () => 0);
  }
  return bytes;
}

async function settle(path: string): Promise<number> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

/** The disk side of one task; every call may fail with the file system's own error. */
export class TaskFolder {
  readonly inputs: string;
  readonly outputs: string;
  readonly scratch: string;
  private readonly elsewhere = new Set<string>();

  constructor(private readonly root: string) {
    this.inputs = join(root, 'inputs');
    this.outputs = join(root, 'outputs');
    this.scratch = join(root, 'scratch');
  }

  async create(): Promise<void> {
    await mkdir(this.root, { mode: 0o700 });
    await mkdir(this.inputs, { mode: 0o700 });
  }

  /** Empty outputs and scratch, whatever an earlier run left there. */
  async prepareRun(): Promise<void> {
    await this.clearRun();
    for (const directory of [this.outputs, this.scratch]) await mkdir(directory, { mode: 0o700 });
  }

  /** Deletes what an earlier run left. */
  async clearRun(): Promise<void> {
    this.elsewhere.clear();
    for (const directory of [this.outputs, this.scratch]) await rm(directory, { recursive: true, force: true });
  }

  async writePayload(payload: unknown): Promise<void> {
    await writeFile(join(this.root, 'payload.json'), JSON.stringify(payload), { mode: 0o600, flush: true });
  }

  async readPayload(): Promise<unknown> {
    return JSON.parse(await readFile(join(this.root, 'payload.json'), 'utf8'));
  }

  /** A reader finds the old record or the new one, never half of one. */
  async writeRecord(record: TaskRecord): Promise<void> {
    const fresh = join(this.root, 'task.json.new');
    await writeFile(fresh, JSON.stringify(record), { mode: 0o600, flush: true });
    await rename(fresh, join(this.root, 'task.json'));
  }

  /** After it the task is found again whatever happens to the machine: its entries are on the disk, up to the spool's own. */
  async settleEntries(): Promise<void> {
    for (const directory of [this.inputs, this.root, dirname(this.root)]) await settle(directory);
  }

  /** Null where the directory holds no task: an upload that was never submitted, or a removal that was cut short. Throws where its record cannot be read. */
  readRecord(id: string): TaskRecord | null {
    let text: string;
    try {
      text = readFileSync(join(this.root, 'task.json'), 'utf8');
    } catch (thrown) {
      // What a disk or a limit does not let be read may be read at the next start: it is no orphan.
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw thrown;
    }
    try {
      const record = JSON.parse(text) as TaskRecord;
      return record.version === 1 && record.id === id && Number.isSafeInteger(record.sequence) ? record : null;
    } catch {
      return null;
    }
  }

  /**
   * The record first, then the files go: a crash in between leaves an ended task and never a result's task without its inputs. Nor does a record
   * that cannot be written: the next process runs the task again. One that failed gives its inputs for its record: without them it fails there, too.
   * `onRecorded`: the inputs are about to go.
   */
  async end(record: TaskRecord, onRecorded: () => void): Promise<void> {
    await this.writeRecord(record).catch(async () => {
      // On a full disk what only the work needed makes room.
      const hasFailed = record.status === 'failure';
      if (hasFailed) onRecorded();
      for (const name of ['scratch', 'task.json.new', ...(hasFailed ? ['outputs', 'inputs'] : [])]) await rm(join(this.root, name), { recursive: true, force: true });
      await this.writeRecord(record);
    });
    onRecorded();
    await this.clean(record.status === 'success');
  }

  /** Deletes what only the work needed; the outputs too, unless they are the result. */
  async clean(keepOutputs: boolean): Promise<void> {
    const gone = ['inputs', 'scratch', 'payload.json', 'task.json.new', ...(keepOutputs ? [] : ['outputs'])];
    for (const name of gone) await rm(join(this.root, name), { recursive: true, force: true });
  }

  /** Of an ended task, after a crash: `clean` where there is something. A look is a fifth of its calls, and there are thousands of tasks. */
  async tidy(keepOutputs: boolean): Promise<void> {
    const names = readdirSync(this.root);
    if (names.some((name) => name !== 'task.json' && !(keepOutputs && name === 'outputs'))) await this.clean(keepOutputs);
  }

  inputBytes(): Promise<number> {
    return settleBelow(this.inputs);
  }

  /** Where a run writes besides its own directories; counted until the run ends. */
  countBelow(directory: string): void {
    this.elsewhere.add(directory);
  }

  /** Bytes that a run has written so far. */
  async workBytes(): Promise<number> {
    let bytes = 0;
    for (const directory of [this.outputs, this.scratch, ...this.elsewhere]) bytes += await sizeBelow(directory);
    return bytes;
  }

  /** How much the result is; it is on the disk when this settles. */
  outputBytes(): Promise<number> {
    return settleBelow(this.outputs);
  }

  /** Null where there is no such file. */
  async openOutput(name: string): Promise<TaskOutput | null> {
    if (!outputName.test(name)) return null;
    const handle = await open(join(this.outputs, name), 'r').catch(() => null);
    if (!handle) return null;
    const { size } = await handle.stat();
    return { handle, sizeBytes: size };
  }

  /** The record goes first, so that a removal cut short leaves an orphan and not a task without its result. */
  async remove(): Promise<void> {
    await rm(join(this.root, 'task.json'), { force: true });
    await rm(this.root, { recursive: true, force: true });
  }

  /** Of a task that was never taken in. Where the disk does not let its files go, the next start deletes them. */
  async abandon(): Promise<void> {
    await this.remove().catch(() => undefined);
  }
}

/** Directories between two turns of the event loop. They are read in it: through the pool of threads 20,000 take 5 s instead of 1 on a busy machine. */
const readsInTurn = 64;

interface Spool {
  /** Ended ones first, in the order of their ends; then the others, as they were submitted. */
  records: TaskRecord[];
  /** What bears a task's name and holds none. */
  orphans: TaskFolder[];
  /** Why a task was left alone. */
  failures: unknown[];
}

/** Every task in the directory; ended ones are rid of what a crash left. What bears no task's name is left alone. */
export async function readSpool(directory: string): Promise<Spool> {
  const [records, orphans, failures]: [TaskRecord[], TaskFolder[], unknown[]] = [[], [], []];
  const take = async (name: string): Promise<void> => {
    const folder = new TaskFolder(join(directory, name));
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
    await take(name).catch((thrown: unknown) => failures.push(thrown));
  }
  records.sort((a, b) => (a.endedAt ?? Number.MAX_VALUE) - (b.endedAt ?? Number.MAX_VALUE) || a.sequence - b.sequence);
  return { records, orphans, failures };
}
