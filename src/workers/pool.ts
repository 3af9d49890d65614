/** The pool of worker processes: starts them, gives waiting jobs to idle ones, replaces those that end and retires worn ones. lost-worker.ts says why a job was lost with its worker; convert/task/document-attempts.ts decides whether a document is tried again (`weigh`). */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LecternError } from '../errors.js';
import { makeFilesDirectory, makeScratch } from './scratch.js';
import type { PoolCounts, PoolOptions, RequestAt, RunOptions, WorkerPool } from './types.js';
import { WorkerProcess } from './worker-process.js';

/** After so many workers in a row that ended before they were ready, waiting jobs are refused. */
const maxFailedStarts = 3;
const longestPauseMs = 30_000;

interface WaitingJob {
  verb: string;
  request: unknown;
  options: RunOptions;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
  /** Ends listening for a cancel while it waits. */
  leave: () => void;
}

class Pool implements WorkerPool {
  private readonly starting = new Set<WorkerProcess>();
  private readonly idle = new Set<WorkerProcess>();
  private readonly busy = new Set<WorkerProcess>();
  private readonly waiting = new Set<WaitingJob>();
  private readonly scratchDirectory: string;
  private readonly filesDirectory: string;
  private started = 0;
  private lost = 0;
  private failedStarts = 0;
  private pause: NodeJS.Timeout | null = null;
  private closed = false;

  constructor(private readonly options: PoolOptions) {
    this.scratchDirectory = makeScratch(options.scratchDirectory);
    this.filesDirectory = makeFilesDirectory(options.filesDirectory);
    this.fill();
    if (this.size() === 0) this.start();
  }

  run<Request, Response>(verb: string, request: Request | RequestAt<Request>, options: RunOptions): Promise<Response> {
    if (this.closed) return Promise.reject(new LecternError('invalid_state', 'The service is stopping.'));
    if (options.signal?.aborted) return Promise.reject(new LecternError('cancelled'));
    return new Promise<unknown>((resolve, reject) => {
      const onAbort = (): void => {
        if (this.waiting.delete(job)) reject(new LecternError('cancelled'));
      };
      const leave = (): void => options.signal?.removeEventListener('abort', onAbort);
      const job: WaitingJob = { verb, request, options, resolve, reject, leave };
      options.signal?.addEventListener('abort', onAbort, { once: true });
      this.waiting.add(job);
      this.fill();
    }) as Promise<Response>;
  }

  counts(): PoolCounts {
    return {
      starting: this.starting.size, idle: this.idle.size, busy: this.busy.size,
      waiting: this.waiting.size, started: this.started, lost: this.lost,
    };
  }

  residentBytes(): number {
    return [...this.starting, ...this.idle, ...this.busy].reduce((sum, worker) => sum + (worker.residentBytes() ?? 0), 0);
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.pause) clearTimeout(this.pause);
    this.refuseWaiting(new LecternError('cancelled', 'The service is stopping.'));
    const all = [...this.starting, ...this.idle, ...this.busy];
    for (const worker of all) worker.kill();
    await Promise.all(all.map((worker) => worker.ended));
    for (const directory of [this.scratchDirectory, this.filesDirectory]) await rm(directory, { recursive: true, force: true });
  }

  /** Gives waiting jobs to idle workers and starts what is missing. */
  private fill(): void {
    if (this.closed) return;
    // The worker that became idle last is taken first: V8 has compiled its hot code, and others may not have had a job yet.
    for (const worker of [...this.idle].reverse()) {
      const [job] = this.waiting;
      if (!job) break;
      this.waiting.delete(job);
      this.idle.delete(worker);
      void this.give(job, worker);
    }
    const wanted = this.waiting.size + (this.options.spare ?? 1);
    // A worker that starts is for the job that waits longest.
    const most = (): number => this.options.size + (this.waiting.size > this.starting.size ? this.options.guests ?? 0 : 0);
    while (this.pause === null && this.starting.size + this.idle.size < wanted && this.size() < most()) this.start();
  }

  private size(): number {
    return this.starting.size + this.idle.size + this.busy.size;
  }

  private start(): void {
    const { command, confinement = null, maxResidentBytes, cancelGraceMs = 250, watchMs = 200, startMs = 30_000, log = () => undefined } = this.options;
    const id = ++this.started;
    const scratchDirectory = join(this.scratchDirectory, String(id));
    const filesDirectory = join(this.filesDirectory, String(id));
    let worker: WorkerProcess;
    try {
      worker = new WorkerProcess({ id, command, confinement, maxResidentBytes, cancelGraceMs, watchMs, startMs, log, scratchDirectory, filesDirectory });
    } catch (thrown) {
      log('error', `a worker could not be started: ${String(thrown)}`);
      this.startFailed();
      return;
    }
    this.starting.add(worker);
    void worker.ready.then((ready) => {
      this.starting.delete(worker);
      if (ready) this.startedWell(worker);
      else this.startFailed();
    });
    void worker.ended.then(({ exitCode, exitSignal }) => {
      if (this.closed || !(this.idle.delete(worker) || this.busy.delete(worker))) return;
      this.lost++;
      log('warn', `a worker ended: ${exitSignal ?? `exit code ${exitCode}`}`);
      this.fill();
    });
  }

  private startedWell(worker: WorkerProcess): void {
    if (this.closed) return;
    this.failedStarts = 0;
    this.idle.add(worker);
    this.fill();
  }

  private startFailed(): void {
    if (this.closed) return;
    this.failedStarts++;
    this.lost++;
    this.options.log?.('error', 'a worker ended before it was ready');
    if (this.failedStarts >= maxFailedStarts) {
      this.refuseWaiting(new LecternError('worker_crashed', 'The process that works on documents cannot be started.'));
    }
    // After a pause that doubles each time: a program that cannot start would otherwise be started without end.
    const pauseMs = Math.min(longestPauseMs, 50 * 2 ** this.failedStarts);
    this.pause ??= setTimeout(() => {
      this.pause = null;
      this.fill();
    }, pauseMs);
  }

  private refuseWaiting(error: LecternError): void {
    for (const { reject } of this.waiting) reject(error);
    this.waiting.clear();
  }

  private async give(job: WaitingJob, worker: WorkerProcess): Promise<void> {
    job.leave();
    this.busy.add(worker);
    const answer = worker.run(job.verb, job.request, job.options);
    this.fill();
    try {
      job.resolve(await answer);
    } catch (thrown) {
      job.reject(thrown);
    }
    // A worker that has ended, or is being killed, is removed by the handler of its end.
    if (this.closed || worker.dying || !this.busy.delete(worker)) return;
    // The worker is out of `busy`: where as many others remain as there usually are, it is a guest's.
    const isExtra = this.size() >= this.options.size && this.waiting.size === 0;
    if (isExtra || this.isWorn(worker)) worker.kill();
    else this.idle.add(worker);
    this.fill();
  }

  private isWorn(worker: WorkerProcess): boolean {
    return worker.jobs >= (this.options.maxJobs ?? 200) || (worker.residentBytes() ?? 0) > this.options.maxResidentBytes / 2;
  }
}

/** Starts the first worker at once, the others when they are needed. */
export function createPool(options: PoolOptions): WorkerPool {
  return new Pool(options);
}
