/** What the task table promises to its callers: one table of long work, for sync and async requests alike. It knows no domain. */
import type { FileHandle } from 'node:fs/promises';
import type { DiskRoom } from '../platform/disk-space.js';
import type { ErrorCode } from '../errors.js';

/** `pending` -> `started` -> `success` | `failure`. A cancelled task is a `failure` with the code `cancelled`. */
export type TaskStatus = 'pending' | 'started' | 'success' | 'failure';

/** What is known of one task at one moment: a copy that never changes. Times are milliseconds since 1970. */
export interface TaskView<Meta, Summary> {
  /** UUID, version 4, lower case. */
  id: string;
  /** The word given to `admit`, e.g. `convert`. */
  kind: string;
  tenant: string;
  /** Who submitted it, as given to `admit`; empty where that is not told. */
  owner: string;
  status: TaskStatus;
  /** From 1 among the waiting tasks of all tenants; null once started or ended. */
  position: number | null;
  /** What the work last said of its progress; null before it said anything. */
  meta: Meta | null;
  /** What the work returned; null before success. */
  summary: Summary | null;
  /** Only of a failure. `message` is fit for the client to read. */
  failure: { code: ErrorCode; message: string } | null;
  createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
  /** When the task and its results go; null before it ended. */
  expiresAt: number | null;
}

/** The part of a file handle that is used here; tests give one that fails. */
export interface OpenedFile {
  writeFile(bytes: Uint8Array): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

export type OpenFile = (path: string) => Promise<OpenedFile>;

/** A new file among the uploads of a slot, 0600. */
export interface InputFile {
  /** Throws DiskFull when the disk, or the service's share of it, has no room; then nothing more is written. */
  write(bytes: Uint8Array): Promise<void>;
  /** When it settles the bytes are on the disk and the file is closed. */
  finish(): Promise<void>;
  /** Gives a file up that will not be finished. Harmless after `finish`. */
  close(): Promise<void>;
}

/** A place in the queue with a directory on disk, before the task exists. Exactly one of `submit` and `discard` ends it. */
export interface TaskSlot<Payload, Meta, Summary> {
  /** The id the task will have. */
  readonly id: string;
  /** Exists, 0700, empty. */
  readonly inputsDirectory: string;
  /** A file there for the caller to stream an upload into; names are of its own choosing, never the client's. */
  createInput(name: string): Promise<InputFile>;
  /**
   * Makes the task and puts it at the end of the queue. When the promise settles the task survives a restart and a loss of power.
   * `payload` must survive JSON; it is forgotten when the task ends (it may hold a password).
   */
  submit(payload: Payload): Promise<TaskView<Meta, Summary>>;
  /** Gives the place back and deletes what was uploaded. Harmless after `submit` and when called twice. */
  discard(): Promise<void>;
}

/** What the work gets beside its payload. Files: 0600, in these directories only. */
export interface TaskContext<Meta> {
  /** Aborted by `cancel` and by `close`; its reason is a LecternError. */
  signal: AbortSignal;
  /** As uploaded; the table deletes it when the task ends. */
  inputsDirectory: string;
  /** Kept until the task expires, deleted when it fails. Empty at the start, also after a restart. */
  outputsDirectory: string;
  /** Deleted when the work ends, whatever its end. */
  scratchDirectory: string;
  /** What lies below this directory counts, until the work ends, among the bytes that the task writes. */
  countBelow(this: void, directory: string): void;
  /** Replaces the task's meta and tells the subscribers, at most some times a second. Must survive JSON. */
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

/** The work itself. Its value is the task's summary; what it throws is the failure (LecternError as it is, else `internal`). */
export type RunTask<Payload, Meta, Summary> =
  (task: RunningTask<Payload>, context: TaskContext<Meta>) => Promise<Summary>;

/** A file of a result, open for reading: it stays readable even if the task expires meanwhile. The caller closes the handle. */
export interface TaskOutput {
  handle: FileHandle;
  sizeBytes: number;
}

export interface TaskCounts {
  /** Slots admitted and not yet submitted. */
  reserved: number;
  waiting: number;
  running: number;
  ended: number;
  /** Bytes on disk of the results that are kept. */
  endedBytes: number;
  /** Since the start: tasks whose work began, and the milliseconds all of them had waited for it. */
  begun: number;
  waitMs: number;
  /** Since the start, by their end. */
  succeeded: number;
  failed: number;
  cancelled: number;
}

/** Every method that takes an id throws LecternError `not_found` for an unknown, expired or other tenant's task. */
export interface TaskTable<Payload, Meta, Summary> {
  /** From the first call of `close` on. */
  readonly closed: boolean;
  /** Reserves a place. Throws `queue_full` when no more can wait, DiskFull when the disk is full or nearly, `invalid_state` after `close`. */
  admit(kind: string, tenant: string, owner?: string): Promise<TaskSlot<Payload, Meta, Summary>>;
  get(id: string, tenant: string): TaskView<Meta, Summary>;
  /**
   * Once: every task that an earlier process left unfinished, with what it was submitted with, also where it has ended since the table was opened.
   * A caller that followed one before a restart begins anew.
   */
  recovered(): { task: TaskView<Meta, Summary>; payload: Payload }[];
  /** Resolves when the task has ended (at once, no polling), or after `timeoutMs`, or when `signal` aborts: with the state of then. */
  wait(id: string, tenant: string, timeoutMs: number, signal?: AbortSignal): Promise<TaskView<Meta, Summary>>;
  /**
   * Calls the listener on every change: status and position at once, meta at most some times a second, the end as the last call.
   * Not called for the present state. Returns the way to stop.
   */
  subscribe(id: string, tenant: string, listener: (task: TaskView<Meta, Summary>) => void): () => void;
  /** Ends a waiting or running task as `cancelled` and resolves when its work has stopped; an ended task stays as it is. */
  cancel(id: string, tenant: string): Promise<TaskView<Meta, Summary>>;
  /** Cancels the task if need be and forgets it with its results. */
  remove(id: string, tenant: string): Promise<void>;
  /** Opens a file of a successful task by its name in the outputs directory. `not_found` also for a missing file. */
  openOutput(id: string, tenant: string, name: string): Promise<TaskOutput>;
  /** Forgets the tenant's tasks that ended longer ago than this, only an owner's where one is named; answers how many. */
  clear(tenant: string, olderThanSeconds: number, owner?: string): Promise<number>;
  counts(): TaskCounts;
  /**
   * Admits nothing more; waits up to `waitMs` (default 0) for running work, then aborts it. What was unfinished is queued again by the
   * next process on the same directory. Open waits resolve with the state of then.
   */
  close(options?: { waitMs?: number }): Promise<void>;
}

/** Time, so that tests need not wait for it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls once after so many milliseconds; the answer takes it back. Does not keep the process alive. */
  after(delayMs: number, call: () => void): () => void;
}

export interface TaskTableOptions<Payload, Meta, Summary> {
  /** Made if missing, 0700. Belongs to one table at a time: a second process is refused with `invalid_state`. */
  directory: string;
  /** Tasks that run at once. */
  concurrency: number;
  /** Tasks that may wait beside the running ones; past it `admit` throws `queue_full`. */
  maxQueued: number;
  /** How long an ended task is kept. */
  keepMs: number;
  /** Ended tasks kept at most; the oldest go first. */
  maxEnded: number;
  /** Bytes of results kept at most; the oldest go first, the newest stays always. Default: no bound. */
  maxEndedBytes?: number;
  /**
   * Bytes of uploads, of results, and of what running tasks write. With `maxEndedBytes` half of them is no upload's. An upload that does not
   * fit is DiskFull while it comes, and so is the task that writes most where results have made way and it is not enough. Default: no bound.
   */
  maxBytes?: number;
  run: RunTask<Payload, Meta, Summary>;
  /** Defects and recoveries; no content of documents. */
  log?: (level: 'info' | 'warn' | 'error', message: string, cause?: unknown) => void;
  clock?: Clock;
  /** Instead of the file system's, for tests. */
  openFile?: OpenFile;
  diskRoom?: (directory: string) => DiskRoom;
}
