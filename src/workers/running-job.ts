/** One job while a worker has it: its limits, its calls to the parent, its cancellation, and its end. lost-worker.ts says what becomes of it when the worker dies. */
import { LecternError } from '../errors.js';
import { errorOfLostWorker, type KillReason, type WorkerEnd } from './lost-worker.js';
import type { FromWorker, Outcome, ToWorker } from './messages.js';
import type { BrokenLimit, CallingWorker, RunOptions } from './types.js';
import { Watch } from './watch.js';
import { fromWire, toWire } from './wire-error.js';

/** Most calls of one job to the parent that are open at a time; a converter makes a few for each page. */
const maxOpenCalls = 64;

interface Setting {
  job: number;
  pid: number;
  residentBytes: number;
  watchMs: number;
  cancelGraceMs: number;
  scratchDirectory: string;
  worker: CallingWorker;
  send: (message: ToWorker) => void;
  kill: () => void;
}

export class RunningJob {
  /** Rejects with LecternError; WorkerError where the worker is lost with it. */
  readonly result: Promise<unknown>;
  private resolve!: (value: unknown) => void;
  private reject!: (error: LecternError) => void;
  private readonly calls = new Map<number, AbortController>();
  private readonly end = new AbortController();
  private readonly watch: Watch;
  private readonly residentLimit: number;
  private readonly onAbort = (): void => this.cancel();
  private graceTimer: NodeJS.Timeout | undefined;
  private progress: unknown = null;
  private killedFor: KillReason | null = null;

  constructor(private readonly setting: Setting, private readonly options: RunOptions) {
    this.result = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    const limits = { ...options.limits, residentBytes: options.limits.residentBytes ?? setting.residentBytes };
    this.residentLimit = limits.residentBytes;
    this.watch = new Watch(setting.pid, limits, setting.watchMs, () => this.calls.size > 0, (limit) => this.kill(limit));
    options.signal?.addEventListener('abort', this.onAbort, { once: true });
  }

  /** Handles a message of the worker. Returns true when it ended the job. */
  handle(message: FromWorker): boolean {
    this.watch.heard();
    switch (message.type) {
      case 'progress':
        this.progress = message.value;
        if (!this.options.signal?.aborted) this.options.onProgress?.(message.value);
        return false;
      case 'call':
        void this.answer(message.call, String(message.verb), message.request);
        return false;
      case 'withdraw':
        this.calls.get(message.call)?.abort(new LecternError('cancelled'));
        return false;
      case 'done':
        this.settle();
        if (this.options.signal?.aborted || this.killedFor === 'cancel') this.reject(new LecternError('cancelled'));
        else if (message.outcome.ok) this.resolve(message.outcome.value);
        else this.reject(fromWire(message.outcome.error));
        return true;
      default:
        return false;
    }
  }

  workerEnded(end: WorkerEnd): void {
    this.settle();
    this.reject(errorOfLostWorker({
      end,
      progress: this.progress,
      killedFor: this.killedFor,
      wasCancelled: this.options.signal?.aborted ?? false,
      peakBytes: this.watch.peakBytes,
      residentLimit: this.residentLimit,
    }));
  }

  /** Notes why the worker is being killed; only the first reason counts. */
  blame(reason: KillReason): void {
    this.killedFor ??= reason;
  }

  private kill(reason: BrokenLimit | 'cancel'): void {
    this.blame(reason);
    this.setting.kill();
  }

  private cancel(): void {
    this.setting.send({ type: 'cancel', job: this.setting.job });
    this.graceTimer = setTimeout(() => this.kill('cancel'), this.setting.cancelGraceMs);
    for (const abort of this.calls.values()) abort.abort(new LecternError('cancelled'));
  }

  private settle(): void {
    this.watch.stop();
    clearTimeout(this.graceTimer);
    this.options.signal?.removeEventListener('abort', this.onAbort);
    for (const abort of this.calls.values()) abort.abort(new LecternError('cancelled'));
    this.calls.clear();
    this.end.abort();
  }

  private async answer(call: number, verb: string, request: unknown): Promise<void> {
    const abort = new AbortController();
    let outcome: Outcome;
    try {
      if (!this.options.onCall || this.calls.size >= maxOpenCalls || this.calls.has(call)) throw new LecternError('invalid_request');
      this.calls.set(call, abort);
      const { scratchDirectory, worker } = this.setting;
      outcome = { ok: true, value: await this.options.onCall({ verb, request, signal: abort.signal, jobEnd: this.end.signal, worker, scratchDirectory }) };
    } catch (thrown) {
      const { code, message } = toWire(thrown);
      outcome = { ok: false, error: { code, message } };
    }
    if (this.calls.get(call) === abort) this.calls.delete(call);
    this.watch.heard();
    this.setting.send({ type: 'answer', call, outcome });
  }
}
