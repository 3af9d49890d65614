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

/** Writes all files and directories below `directory` through to the disk (fsync), and returns the bytes of the files. */
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

/** Bytes of all files below `directory`; files that are deleted meanwhile count as 0. */
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

/** The directory of one task; every call may reject with the file system's own error. */
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

  /** Makes outputs and scratch as empty directories, whatever an earlier run left there. */
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

  /** Replaces the record by one rename: a reader finds the old record or the new one, never a part of one. */
  async writeRecord(record: TaskRecord): Promise<void> {
    const fresh = join(this.root, 'task.json.new');
    await writeFile(fresh, JSON.stringify(record), { mode: 0o600, flush: true });
    await rename(fresh, join(this.root, 'task.json'));
  }

  /** Writes the directory entries through to the disk, up to that of the spool: when it has resolved, the task survives a power failure. */
  async settleEntries(): Promise<void> {
    for (const directory of [this.inputs, this.root, dirname(this.root)]) await settle(directory);
  }

  /** Null where the directory holds no task: an upload that was never submitted, or a removal that was cut short. Throws DamagedTask for a record that this program cannot read, else the file system's error. */
  readRecord(id: string): TaskRecord | null {
    let text: string;
    try {
      text = readFileSync(join(this.root, 'task.json'), 'utf8');
    } catch (thrown) {
      // A record that cannot be opened now may be readable at the next start: the directory is no orphan.
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw thrown;
    }
    return parseRecord(text, id);
  }

  /**
   * Writes the record of an ended task, then deletes the files that only its work needed. In this order a crash between the two leaves a task that has ended; it never leaves a task that
   * has to run again without its inputs. Where the record of a successful task cannot be written, the call rejects and the inputs stay: the next process runs the task again. A failed
   * task gives up its inputs to make room for its record: without them it fails in the next process, too. `onRecorded` is called before the inputs are deleted.
   */
  async end(record: TaskRecord, onRecorded: () => void): Promise<void> {
    await this.writeRecord(record).catch(async () => {
      // The disk may be full: the files that only the work needed make room.
      const hasFailed = record.status === 'failure';
      if (hasFailed) onRecorded();
      for (const name of ['scratch', 'task.json.new', ...(hasFailed ? ['outputs', 'inputs'] : [])]) await rm(join(this.root, name), { recursive: true, force: true });
      await this.writeRecord(record);
    });
    onRecorded();
    await this.clean(record.status === 'success');
  }

  /** Deletes the files that only the work needed, and the outputs unless `keepOutputs`. */
  async clean(keepOutputs: boolean): Promise<void> {
    const gone = ['inputs', 'scratch', 'payload.json', 'task.json.new', ...(keepOutputs ? [] : ['outputs'])];
    for (const name of gone) await rm(join(this.root, name), { recursive: true, force: true });
  }

  /** Calls `clean` for an ended task where a crash left something. Reading the directory first takes a fifth of the calls of `clean`, and there are thousands of tasks. */
  async tidy(keepOutputs: boolean): Promise<void> {
    const names = readdirSync(this.root);
    if (names.some((name) => name !== 'task.json' && !(keepOutputs && name === 'outputs'))) await this.clean(keepOutputs);
  }

  /** Bytes of the inputs, which are on the disk, and not only in its cache, when this resolves. */
  inputBytes(): Promise<number> {
    return settleBelow(this.inputs);
  }

  /** Makes workBytes() count a directory outside of this one, in which a run writes, until the run ends. */
  countBelow(directory: string): void {
    this.elsewhere.add(directory);
  }

  /** Bytes that a run has written so far. */
  async workBytes(): Promise<number> {
    let bytes = 0;
    for (const directory of [this.outputs, this.scratch, ...this.elsewhere]) bytes += await sizeBelow(directory);
    return bytes;
  }

  /** The files of the result with their digests. The files are on the disk, and not only in its cache, when this resolves. */
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

  /** Opens a file of the result. Null where the result has no such file. Throws DamagedTask where the file is not as the record describes it: damaged results are not sent. */
  async openOutput(name: string, { outputs, outputBytes }: Pick<TaskRecord, 'outputs' | 'outputBytes'>): Promise<TaskOutput | null> {
    if (!outputName.test(name) || (outputs !== undefined && !Object.hasOwn(outputs, name))) return null;
    const handle = await open(join(this.outputs, name), 'r').catch((cause: unknown) => { throw damaged('is missing', cause); });
    try {
      const { size } = await handle.stat();
      const recorded = outputs?.[name];
      // Records of older versions hold only the bytes of all files together.
      if (recorded === undefined ? await sizeBelow(this.outputs) !== outputBytes : size !== recorded.bytes) throw damaged('has another length than when it was written');
      if (recorded !== undefined && await digestOf(handle) !== recorded.sha256) throw damaged('has other contents than when it was written');
      return { handle, sizeBytes: size, path: join(this.outputs, name) };
    } catch (thrown) {
      await handle.close();
      throw thrown;
    }
  }

  /** Deletes the record first, so that a removal that is cut short leaves an orphan and not a task without its result. */
  async remove(): Promise<void> {
    await rm(join(this.root, 'task.json'), { force: true });
    await rm(this.root, { recursive: true, force: true });
  }

  /** Deletes the directory of a task that was never accepted. Files that cannot be deleted now are deleted at the next start. */
  async abandon(): Promise<void> {
    await this.remove().catch(() => undefined);
  }
}

function damaged(how: string, cause?: unknown): DamagedTask {
  return new DamagedTask(`The result of this task is damaged: its file ${how}. Submit the document again.`, { cause });
}
