/** The interface of the task table: one table of long work, for synchronous and asynchronous requests alike. It knows nothing of documents. */
import type { FileHandle } from 'node:fs/promises';
import type { DiskRoom } from '../platform/disk-space.js';
import type { ErrorCode } from '../errors.js';

/** `pending` -> `started` -> `success` | `failure`. A cancelled task is a `failure` with the code `cancelled`. */
export type TaskStatus = 'pending' | 'started' | 'success' | 'failure';

/** The state of a task at one moment: a copy that never changes. Times are milliseconds since 1970. */
export interface TaskView<Meta, Summary> {
  /** UUID, version 4, lower case. */
  id: string;
  /** The kind given to `admit`, e.g. `convert`. */
  kind: string;
  tenant: string;
  /** The caller that submitted it, as given to `admit`; empty where none was given. */
  owner: string;
  status: TaskStatus;
  /** The queue position among the waiting tasks of all tenants, from 1; null once started or ended. */
  position: number | null;
  /** The progress that the work last reported; null before it has reported any. */
  meta: Meta | null;
  /** What the work returned; null before success. */
  summary: Summary | null;
  /** Null unless the task failed. `message` may be sent to the client. */
  failure: { code: ErrorCode; message: string } | null;
  createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
  /** When the task and its results are deleted; null before it has ended. */
  expiresAt: number | null;
}

/** The part of a file handle that is used here; tests give one that fails. */
export interface OpenedFile {
  writeFile(bytes: Uint8Array): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

export type OpenFile = (path: string) => Promise<OpenedFile>;

/** A new file among the uploads of a slot, with mode 0600. */
export interface InputFile {
  /** Throws DiskFull when the disk, or the service's share of it, has no room; then nothing more is written. */
  write(bytes: Uint8Array): Promise<void>;
  /** Closes the file. When this resolves, its bytes are on the disk, and not only in its cache. */
  finish(): Promise<void>;
  /** Closes a file that will not be finished. Does nothing after `finish`. */
  close(): Promise<void>;
}

/** A place in the queue with a directory on disk, before the task exists. Exactly one of `submit` and `discard` ends it. */
export interface TaskSlot<Payload, Meta, Summary> {
  /** The id the task will have. */
  readonly id: string;
  /** The directory for uploads: it exists, is empty and has mode 0700. */
  readonly inputsDirectory: string;
  /** Makes a file in it, into which the service streams an upload. The name is the service's own, never the client's. */
  createInput(name: string): Promise<InputFile>;
  /**
   * Makes the task and puts it at the end of the queue. When the promise resolves, the task survives a restart and a power failure.
   * `payload` must be a value that JSON holds. It is deleted when the task ends, because it may hold a password.
   */
  submit(payload: Payload): Promise<TaskView<Meta, Summary>>;
  /** Gives the place back and deletes the uploads. Does nothing after `submit`, nor when called again. */
  discard(): Promise<void>;
}

/** What the work gets beside its payload. It may make files in these directories only, with mode 0600. */
export interface TaskContext<Meta> {
  /** Aborted by `cancel` and by `close`; its reason is a LecternError. */
  signal: AbortSignal;
  /** The uploads; the table deletes them when the task ends. */
  inputsDirectory: string;
  /** The result: kept until the task expires, deleted when it fails. The directory is empty at the start of each attempt. */
  outputsDirectory: string;
  /** Temporary files: deleted when the work ends, whether it succeeded or failed. */
  scratchDirectory: string;
  /** Counts the files below another directory, until the work ends, among the bytes that the task writes. */
  countBelow(this: void, directory: string): void;
  /** Replaces the task's meta, a value that JSON holds, and notifies the subscribers, at most five times a second. */
  setMeta(meta: Meta): void;
}

export interface RunningTask<Payload> {
  id: string;
  kind: string;
  tenant: string;
  payload: Payload;
  /** 1 at the first run; 2 when the process died during the first one. */
  attempt: number;
}

/** Runs a task. It resolves with the task's summary. What it throws is the failure: a LecternError as it is, anything else as `internal`. */
export type RunTask<Payload, Meta, Summary> =
  (task: RunningTask<Payload>, context: TaskContext<Meta>) => Promise<Summary>;

/** A file of a result, open for reading: it stays readable even if the task expires meanwhile. The caller closes the handle. */
export interface TaskOutput {
  handle: FileHandle;
  sizeBytes: number;
  /** Of the file, which goes with the task. */
  path: string;
}

export interface TaskCounts {
  /** Slots admitted and not yet submitted. */
  reserved: number;
  waiting: number;
  running: number;
  ended: number;
  /** Bytes on disk of the results that are kept. */
  endedBytes: number;
  /** Since the start of the process: attempts that began, and the milliseconds that their tasks had waited, summed. */
  begun: number;
  waitMs: number;
  /** Since the start of the process: ended tasks, by their end. */
  succeeded: number;
  failed: number;
  cancelled: number;
}

/** Every method that takes an id throws LecternError `not_found` for an unknown, expired or other tenant's task. */
export interface TaskTable<Payload, Meta, Summary> {
  /** True from the first call of `close` on. */
  readonly closed: boolean;
  /** Reserves a place. Throws `queue_full` when no more can wait, DiskFull when the disk is full or nearly, `invalid_state` after `close`. */
  admit(kind: string, tenant: string, owner?: string): Promise<TaskSlot<Payload, Meta, Summary>>;
  get(id: string, tenant: string): TaskView<Meta, Summary>;
  /**
   * Returns, at its first call, every task that an earlier process left unfinished, with its payload, even where it has ended since the table was opened.
   * Callers use it to follow such tasks again.
   */
  recovered(): { task: TaskView<Meta, Summary>; payload: Payload }[];
  /** Resolves with the task's state when it has ended (without polling), after `timeoutMs`, or when `signal` aborts. */
  wait(id: string, tenant: string, timeoutMs: number, signal?: AbortSignal): Promise<TaskView<Meta, Summary>>;
  /**
   * Calls the listener at every change: of status and position at once, of meta at most five times a second. The end is the last call.
   * The listener is not called for the present state. Returns the function that removes it.
   */
  subscribe(id: string, tenant: string, listener: (task: TaskView<Meta, Summary>) => void): () => void;
  /** Ends a waiting or running task as `cancelled` and resolves when its work has stopped; an ended task stays as it is. */
  cancel(id: string, tenant: string): Promise<TaskView<Meta, Summary>>;
  /** Cancels the task if it has not ended, and deletes it with its results. */
  remove(id: string, tenant: string): Promise<void>;
  /** Opens a file of a successful task by its name in the outputs directory. Throws `not_found` where there is no such file, either. */
  openOutput(id: string, tenant: string, name: string): Promise<TaskOutput>;
  /** Deletes the tenant's tasks (only those of `owner`, where it is given) that ended longer ago than this, and returns their number. */
  clear(tenant: string, olderThanSeconds: number, owner?: string): Promise<number>;
  counts(): TaskCounts;
  /** The tenant's tasks (only those of `owner`, where it is given), the newest first, at most `most`. */
  list(tenant: string, most: number, owner?: string): TaskView<Meta, Summary>[];
  /**
   * Accepts no further task, waits up to `waitMs` (default 0) for running work, then aborts it. Unfinished tasks are queued again by the
   * next process on the same directory. Open calls of `wait` resolve with the present state.
   */
  close(options?: { waitMs?: number }): Promise<void>;
}

/** The clock and timers; a test may replace them, so that it need not wait. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `call` once, after `delayMs`. The returned function cancels the call. The timer does not keep the process alive. */
  after(delayMs: number, call: () => void): () => void;
}

export interface TaskTableOptions<Payload, Meta, Summary> {
  /** The spool directory, made with mode 0700 where it is missing. One table at a time may use it: a second process is refused with `invalid_state`. */
  directory: string;
  /** Tasks that run at once. */
  concurrency: number;
  /** Tasks that may begin beyond `concurrency`, each for a caller that has none running and has waited for some seconds. Default 0. */
  guests?: number;
  /** Tasks that may wait beside the running ones; for a further one `admit` throws `queue_full`. */
  maxQueued: number;
  /** Milliseconds that an ended task is kept. */
  keepMs: number;
  /** The most ended tasks that are kept; the oldest are deleted first. */
  maxEnded: number;
  /** The most bytes of results that are kept; the oldest are deleted first, and the newest always stays. Default: no bound. */
  maxEndedBytes?: number;
  /**
   * The most bytes of uploads, results and files that running tasks write, together. With `maxEndedBytes`, half of them is reserved from uploads. An upload that does not
   * fit fails with DiskFull while it arrives. Where running tasks write too much even without kept results, the task that has written most fails with DiskFull. Default: no bound.
   */
  maxBytes?: number;
  run: RunTask<Payload, Meta, Summary>;
  /** Defects and recoveries; no content of documents. */
  log?: (level: 'info' | 'warn' | 'error', message: string, cause?: unknown) => void;
  clock?: Clock;
  /** Replaces the opening of files and the check of the disk, in tests. */
  openFile?: OpenFile;
  diskRoom?: (directory: string) => DiskRoom;
}
