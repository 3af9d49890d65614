/** The interface of the pool of worker processes. The pool runs verbs by name and knows nothing of documents. */
import { LecternError, type ErrorCode } from '../errors.js';
import type { WorkerConfinement } from './confinement.js';
import type { JobFiles } from './job-files.js';
import type { WorkerCommand } from './worker-command.js';

export interface JobLimits {
  /** Longest time without a message of the worker, in ms; time in calls to the parent does not count. */
  silenceMs: number;
  /** Longest time of the job, in ms. */
  totalMs: number;
  /** Most bytes of resident memory of the whole process, of which an idle new worker takes about 60 MB. Default: the pool's limit. */
  residentBytes?: number;
}

/** The process that a call comes from. */
export interface CallingWorker {
  /** A number that no other process of the pool has had. */
  readonly id: number;
  /** Resolves when the process has ended; never rejects. */
  readonly ended: Promise<unknown>;
  /** Asks the worker to close what it keeps open between jobs; resolves when it has, or when the process has ended. Never rejects. */
  release(): Promise<void>;
}

/** A call of the worker to the parent while its job runs. */
export interface WorkerCall {
  verb: string;
  /** It comes from a process that a hostile file may have taken over: check it like a request from outside. */
  request: unknown;
  /** Aborts when the worker withdraws the call, when its job ends and when the process ends. */
  signal: AbortSignal;
  /** Aborts when the job ends, whether it succeeds or fails. */
  jobEnd: AbortSignal;
  worker: CallingWorker;
  /** A directory in which both sides may write files; it is deleted with the worker. */
  scratchDirectory: string;
}

export interface RunOptions {
  limits: JobLimits;
  /** The files that the job reads and writes: a worker opens none outside of its own directories. */
  files?: JobFiles;
  /** Cancels the job: the worker gets a message, and is killed where the job does not end within `cancelGraceMs`. */
  signal?: AbortSignal;
  onProgress?: (progress: unknown) => void;
  /** Answers the worker's calls; what it throws reaches the worker as a coded error. Without it every call is refused. */
  onCall?: (call: WorkerCall) => Promise<unknown>;
}

/** The limit that a worker broke: silenceMs, totalMs or residentBytes. */
export type BrokenLimit = 'silence' | 'total' | 'resident';

/** A job that ended with its worker: `worker_crashed`, `timeout`, `out_of_memory` or `cancelled`. */
export class WorkerError extends LecternError {
  /** Null when the worker ended by itself or was cancelled. */
  readonly limit: BrokenLimit | null;
  /** The progress that the worker last reported, or null. */
  readonly progress: unknown;
  readonly exitCode: number | null;
  readonly exitSignal: NodeJS.Signals | null;

  constructor(code: ErrorCode, message: string, death: Partial<Pick<WorkerError, 'limit' | 'progress' | 'exitCode' | 'exitSignal'>> = {}) {
    super(code, message);
    this.name = 'WorkerError';
    this.limit = death.limit ?? null;
    this.progress = death.progress ?? null;
    this.exitCode = death.exitCode ?? null;
    this.exitSignal = death.exitSignal ?? null;
  }
}

export interface PoolCounts {
  starting: number;
  idle: number;
  busy: number;
  /** Jobs that wait for a worker. */
  waiting: number;
  /** Workers started since the pool began. */
  started: number;
  /** Workers that ended by themselves, or were killed for breaking a limit. */
  lost: number;
}

/** `at`: the path of an input or output by its name in JobFiles. */
export type RequestAt<Request> = (at: (name: string) => string) => Request;

export interface WorkerPool {
  /**
   * Runs one verb in a worker that runs nothing else meanwhile; where all are busy, calls wait in their order. Request and answer must be values that JSON holds. A request that names
   * files of `options.files` is given as a function of the paths at which the chosen worker finds them.
   * Rejects with WorkerError when the worker is lost, else with what the verb threw (LecternError, or `internal`).
   */
  run<Request, Response>(verb: string, request: Request | RequestAt<Request>, options: RunOptions): Promise<Response>;
  counts(): PoolCounts;
  /** Bytes of resident memory of all workers together, measured at each call; 0 on a system without /proc. */
  residentBytes(): number;
  /** Kills every worker; running and waiting jobs are rejected as `cancelled`. */
  close(): Promise<void>;
}

export interface PoolOptions {
  command: WorkerCommand;
  /** The most workers. */
  size: number;
  /** Workers beyond `size` while jobs wait; they end with their jobs. Default 0. */
  guests?: number;
  /** Idle workers that are kept ready, within `size`. Default 1. */
  spare?: number;
  /** Limit of a worker's resident memory in bytes, where a job has none of its own; a worker that holds more than half of it after a job is replaced. */
  maxResidentBytes: number;
  /** A worker is replaced after so many jobs. Default 200. */
  maxJobs?: number;
  /** Milliseconds from cancelling a job to killing its worker. Default 250. */
  cancelGraceMs?: number;
  /** The interval in ms at which a busy worker is checked. Default 200. */
  watchMs?: number;
  /** Longest time in ms from the start of a worker to its message that it is ready. Default 30 000. */
  startMs?: number;
  /** For files shared with the workers; default: a directory of this process in memory (/dev/shm) or the temporary directory. */
  scratchDirectory?: string;
  /** The directory for the files of jobs; on the file system of their inputs and outputs, no file is copied. Default: the temporary directory. */
  filesDirectory?: string;
  /** The files and system calls that the kernel denies to workers. Default: none. */
  confinement?: WorkerConfinement | null;
  /** Receives the lines that workers print, and a line for each worker that ends. */
  log?: (level: 'info' | 'warn' | 'error', message: string) => void;
}
