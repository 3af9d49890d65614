/** One worker process seen from the parent: its start, its jobs, one at a time, and its end. pool.ts decides when it starts and ends. */
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Duplex, Readable } from 'node:stream';
import { LecternError } from '../errors.js';
import { asDiskFull } from '../platform/disk-full.js';
import { startWorker } from './command.js';
import type { WorkerDirectories } from './confinement.js';
import { LentFiles } from './job-files.js';
import type { WorkerEnd } from './lost-worker.js';
import { receive, send, type FromWorker } from './messages.js';
import { readLines } from './printed-lines.js';
import { RunningJob } from './running-job.js';
import { WorkerError, type CallingWorker, type PoolOptions, type RequestAt, type RunOptions } from './types.js';
import { residentBytesOf } from './watch.js';

export type WorkerOptions = Required<Omit<PoolOptions, 'size' | 'guests' | 'spare' | 'maxJobs' | 'log'>> & { id: number; log: NonNullable<PoolOptions['log']> };

/** Longest wait for the last output of an ended process. Its pipes may still hold some, but a process that inherited them could keep them open without end. */
const lastWordsMs = 1000;

export class WorkerProcess implements CallingWorker {
  /** The number of jobs that have ended. */
  jobs = 0;
  /** The process was killed or has ended. A message may still come from it, but it gets no more jobs. */
  dying = false;
  /** Resolves with true when the worker can take jobs, with false when it ended before. */
  readonly ready: Promise<boolean>;
  /** Resolves when the process has ended and its files are deleted. */
  readonly ended: Promise<WorkerEnd>;
  private readonly child: ChildProcess;
  private readonly channel: Duplex;
  private readonly directories: WorkerDirectories;
  /** Resolves when no file of a job is being placed or collected. */
  private moving: Promise<unknown> = Promise.resolve();
  private running: RunningJob | null = null;
  private lastJob = 0;
  private readonly releasing: (() => void)[] = [];
  private sayReady!: (ready: boolean) => void;

  /** `scratchDirectory` and `filesDirectory` of the options are this worker's own and must not exist. */
  constructor(private readonly options: WorkerOptions) {
    const { scratchDirectory, filesDirectory, confinement } = options;
    const [inputs, outputs, temporary] = ['in', 'out', 'tmp'].map((name) => join(filesDirectory, name)) as [string, string, string];
    this.directories = { shared: scratchDirectory, inputs, outputs, temporary };
    for (const directory of [scratchDirectory, filesDirectory, inputs, outputs, temporary]) mkdirSync(directory, { mode: 0o700 });
    this.child = startWorker(options.command, options.maxResidentBytes, this.directories, confinement);
    this.channel = this.child.stdio[3] as Duplex;
    // After a broken pipe the process ends, which is handled there.
    this.channel.on('error', () => undefined);
    readLines(this.child.stdout as Readable, (line) => options.log('info', `worker ${this.child.pid}: ${line}`));
    readLines(this.child.stderr as Readable, (line) => options.log('warn', `worker ${this.child.pid}: ${line}`));
    this.ready = new Promise((resolve) => { this.sayReady = resolve; });
    this.ended = this.watchEnd();
    receive<FromWorker>(this.channel, (message) => this.handle(message), () => {
      options.log('error', `worker ${this.child.pid} sent garbage`);
      this.kill('defect');
    });
    send(this.channel, { type: 'hello', scratchDirectory, temporaryDirectory: temporary, systemCalls: confinement?.systemCalls ?? null });
    const startTimer = setTimeout(() => this.kill(), options.startMs);
    void this.ready.then(() => clearTimeout(startTimer));
  }

  get id(): number {
    return this.options.id;
  }

  /** See CallingWorker.release(). May be called during a job. */
  release(): Promise<void> {
    const told = new Promise<void>((resolve) => { this.releasing.push(resolve); });
    send(this.channel, { type: 'release' });
    return Promise.race([told, this.ended.then(() => undefined)]);
  }

  /** Resident memory in bytes; null when the process is gone. */
  residentBytes(): number | null {
    return this.child.pid === undefined ? null : residentBytesOf(this.child.pid);
  }

  /** Runs a job. May be called only when no other job runs. */
  async run(verb: string, wish: unknown, options: RunOptions): Promise<unknown> {
    const job = ++this.lastJob;
    const files = options.files === undefined ? null : new LentFiles(this.directories, job, options.files);
    try {
      if (files !== null) await this.move(files.place());
      const request = typeof wish === 'function' ? (wish as RequestAt<unknown>)((name) => files?.at(name) ?? name) : wish;
      const answer = await this.runJob(job, verb, request, options);
      if (files !== null) await this.move(files.collect());
      return answer;
    } catch (thrown) {
      throw asDiskFull(thrown);
    } finally {
      this.jobs++;
      await files?.remove().catch(() => undefined);
    }
  }

  private async runJob(job: number, verb: string, request: unknown, options: RunOptions): Promise<unknown> {
    // The job may have been cancelled, or the worker may have ended, while the files were placed.
    if (options.signal?.aborted) throw new LecternError('cancelled');
    if (this.dying) throw new WorkerError('worker_crashed', 'The process that worked on the document ended unexpectedly.');
    const { maxResidentBytes: residentBytes, watchMs, cancelGraceMs, scratchDirectory } = this.options;
    const running = new RunningJob({
      job, pid: this.child.pid ?? -1, residentBytes, watchMs, cancelGraceMs, scratchDirectory, worker: this,
      send: (message) => send(this.channel, message), kill: () => this.kill(),
    }, options);
    this.running = running;
    send(this.channel, { type: 'run', job, verb, request });
    return running.result;
  }

  /** Keeps the worker's directories until `work` has settled, even where the worker ends before. */
  private move(work: Promise<void>): Promise<void> {
    this.moving = work.catch(() => undefined);
    return work;
  }

  /** Kills the process. A running job is rejected: as `cancelled` for the reason `cancel`, as `worker_crashed` for `defect`, unless its RunningJob has noted another reason before. */
  kill(reason: 'cancel' | 'defect' = 'cancel'): void {
    this.dying = true;
    this.running?.blame(reason);
    this.child.kill('SIGKILL');
  }

  private handle(message: FromWorker): void {
    if (message.type === 'ready') this.sayReady(true);
    else if (message.type === 'released') this.releasing.shift()?.();
    // A message of another job is late: that job has ended.
    else if ('job' in message && message.job !== this.lastJob) return;
    else if (this.running?.handle(message)) this.running = null;
  }

  private watchEnd(): Promise<WorkerEnd> {
    return new Promise((resolve) => {
      let done = false;
      const end = (exitCode: number | null, exitSignal: NodeJS.Signals | null): void => {
        if (done) return;
        done = true;
        this.dying = true;
        this.channel.destroy();
        rmSync(this.options.scratchDirectory, { recursive: true, force: true });
        this.running?.workerEnded({ exitCode, exitSignal });
        this.running = null;
        this.sayReady(false);
        void this.moving.then(() => rm(this.options.filesDirectory, { recursive: true, force: true })).catch(() => undefined).then(() => resolve({ exitCode, exitSignal }));
      };
      this.child.once('close', end);
      this.child.once('exit', (code, signal) => { setTimeout(() => end(code, signal), lastWordsMs).unref(); });
      this.child.once('error', (error) => {
        this.options.log('error', `a worker could not be started: ${error.message}`);
        if (this.child.pid === undefined) end(null, null);
      });
    });
  }
}
