/** What the pool of child processes promises. It runs verbs by name and knows no domain. */
import { LecternError, type ErrorCode } from '../errors.js';
import type { WorkerConfinement } from './confinement.js';
import type { JobFiles } from './job-files.js';
import type { WorkerCommand } from './worker-command.js';

export interface JobLimits {
  /** Longest time without a sign of life; time spent in calls back to the parent does not count. */
  silenceMs: number;
  /** Longest time in all. */
  totalMs: number;
  /** Resident memory of the whole process (a bare worker takes about 60 MB of it). Default: the pool's. */
  residentBytes?: number;
}

/** The process that a call comes from. */
export interface CallingWorker {
  /** Of this process alone, as long as the pool lives. */
  readonly id: number;
  /** Settles when it is gone; never rejects. */
  readonly ended: Promise<unknown>;
  /** Asks it to give up what it keeps between jobs; settles when it has, or is gone. Never rejects. */
  release(): Promise<void>;
}

/** A verb that the worker asks of the parent while its job runs. */
export interface WorkerCall {
  verb: string;
  /** From a process that may have been subverted: check it like a request from outside. */
  request: unknown;
  /** Aborts when the worker takes the call back, when its job ends and when it dies. */
  signal: AbortSignal;
  /** Aborts when its job ends, however it does. */
  jobEnd: AbortSignal;
  worker: CallingWorker;
  /** Both sides may write files here; it goes with the worker. */
  scratchDirectory: string;
}

export interface RunOptions {
  limits: JobLimits;
  /** What the job reads and writes: a worker opens nothing outside of its own directories. */
  files?: JobFiles;
  /** Cancels: the worker gets a message, and is killed when it does not stop at once. */
  signal?: AbortSignal;
  onProgress?: (progress: unknown) => void;
  /** Answers calls; what it throws reaches the worker as a coded error. Without it every call is refused. */
  onCall?: (call: WorkerCall) => Promise<unknown>;
}

/** Which limit a worker broke. */
export type BrokenLimit = 'silence' | 'total' | 'resident';

/** A job that ended with its worker: `worker_crashed`, `timeout`, `out_of_memory` or `cancelled`. */
export class WorkerError extends LecternError {
  /** Null when the worker ended by itself or was cancelled. */
  readonly limit: BrokenLimit | null;
  /** The last thing the worker said of its progress, or null. */
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
  /** Workers that ended without being asked to, or were killed past a limit. */
  lost: number;
}

/** `at`: the path of an input or output by its name in JobFiles. */
export type RequestAt<Request> = (at: (name: string) => string) => Request;

export interface WorkerPool {
  /**
   * Runs one verb in a worker of its own, in the order of the calls when all are busy. Request and answer must survive JSON; a request that names
   * files of `options.files` is a function of where the chosen worker finds them.
   * Rejects with WorkerError when the worker is lost, else with what the verb threw (LecternError, or `internal`).
   */
  run<Request, Response>(verb: string, request: Request | RequestAt<Request>, options: RunOptions): Promise<Response>;
  counts(): PoolCounts;
  /** Resident memory of all workers together, as it is now; 0 on a system without /proc. */
  residentBytes(): number;
  /** Kills every worker; what runs or waits is rejected as `cancelled`. */
  close(): Promise<void>;
}

export interface PoolOptions {
  command: WorkerCommand;
  /** Workers at most. */
  size: number;
  /** Idle workers kept warm, within `size`. Default 1. */
  spare?: number;
  /** Default limit of resident memory; a worker that still holds half of it after a job is replaced. */
  maxResidentBytes: number;
  /** A worker is replaced after so many jobs. Default 200. */
  maxJobs?: number;
  /** Between the wish to cancel and the kill. Default 250. */
  cancelGraceMs?: number;
  /** The interval in ms at which a busy worker is checked. Default 200. */
  watchMs?: number;
  /** Longest time from start to the first word. Default 30 000. */
  startMs?: number;
  /** For files shared with the workers; default: a directory of this process in memory (/dev/shm) or the temporary directory. */
  scratchDirectory?: string;
  /** For the files of jobs, best on the file system of their inputs and outputs: there nothing is copied. Default: the temporary directory. */
  filesDirectory?: string;
  /** What the kernel keeps workers from. Default: nothing. */
  confinement?: WorkerConfinement | null;
  /** Receives what workers print, line by line, and their ends. */
  log?: (level: 'info' | 'warn' | 'error', message: string) => void;
}
