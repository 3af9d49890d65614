/** The directory of one task: its record, payload, inputs, outputs and scratch files. */
import { readdirSync, readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { mkdir, open, readFile, readdir, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DamagedTask, parseRecord, type OutputFile, type TaskRecord } from './record-format.js';
import type { TaskOutput } from './types.js';

/** At 1.5 GB/s a chunk of a digest takes the main loop 0.2 ms. */
const digestChunkBytes = 256 * 1024;

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

/** SHA-256 of a file in hexadecimal, read from its beginning; the handle stays open. */
async function digestOf(handle: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of handle.createReadStream({ start: 0, autoClose: false, highWaterMark: digestChunkBytes })) hash.update(chunk as Buffer);
  return hash.digest('hex');
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

  /** Null where the directory holds no task: an upload that was never submitted, or a removal that was cut short. Throws DamagedTask for a record that tells nothing to this program, else the file system's error. */
  readRecord(id: string): TaskRecord | null {
    let text: string;
    try {
      text = readFileSync(join(this.root, 'task.json'), 'utf8');
    } catch (thrown) {
      // What a disk or a limit does not let be read may be read at the next start: it is no orphan.
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw thrown;
    }
    return parseRecord(text, id);
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

  /** The files of the result, with their digests; they are on the disk when this settles. */
  async settleOutputs(): Promise<Record<string, OutputFile>> {
    const files: Record<string, OutputFile> = {};
    for (const name of await readdir(this.outputs)) {
      const bytes = await settle(join(this.outputs, name));
      const handle = await open(join(this.outputs, name), 'r');
      files[name] = { bytes, sha256: await digestOf(handle).finally(() => handle.close()) };
    }
    await settle(this.outputs);
    return files;
  }

  /** Null where a result has no such file. Throws DamagedTask where it is not what the record says: only whole results go out. */
  async openOutput(name: string, { outputs, outputBytes }: Pick<TaskRecord, 'outputs' | 'outputBytes'>): Promise<TaskOutput | null> {
    if (!outputName.test(name) || (outputs !== undefined && !Object.hasOwn(outputs, name))) return null;
    const handle = await open(join(this.outputs, name), 'r').catch((cause: unknown) => { throw damaged('is missing', cause); });
    try {
      const { size } = await handle.stat();
      const recorded = outputs?.[name];
      // Older records know the bytes of all files together.
      if (recorded === undefined ? await sizeBelow(this.outputs) !== outputBytes : size !== recorded.bytes) throw damaged('has another length than when it was written');
      if (recorded !== undefined && await digestOf(handle) !== recorded.sha256) throw damaged('has other contents than when it was written');
      return { handle, sizeBytes: size };
    } catch (thrown) {
      await handle.close();
      throw thrown;
    }
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

function damaged(how: string, cause?: unknown): DamagedTask {
  return new DamagedTask(`The result of this task is damaged: its file ${how}. Submit the document again.`, { cause });
}
