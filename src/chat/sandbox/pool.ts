/** Sandbox processes that share one queue: started when there is work for them, replaced when they end. */
import { LecternError } from '../../errors.js';
import { SandboxProcess, type StartProcess } from './process.js';
import type { Verb } from './verbs.js';

export interface SandboxPoolOptions {
  start: StartProcess;
  /** Processes at most. */
  size: number;
  /** Jobs that may wait; beyond it run() rejects with `queue_full`. */
  mostWaiting: number;
  /** Hears of a process that ended while it worked or before it could. */
  onLoss: (lastWords: string) => void;
}

interface Waiting {
  verb: Verb;
  question: unknown;
  bytes: readonly Uint8Array[];
  resolve: (value: unknown) => void;
  reject: (thrown: unknown) => void;
}

/** Processes in a row that ended before they were ready: then there is no sense in another. */
const mostFailedStarts = 3;

export class SandboxPool {
  readonly #options: SandboxPoolOptions;
  readonly #idle: SandboxProcess[] = [];
  readonly #all = new Set<SandboxProcess>();
  readonly #waiting: Waiting[] = [];
  #starting = 0;
  #failedStarts = 0;
  #isClosed = false;

  constructor(options: SandboxPoolOptions) {
    this.#options = options;
  }

  /** Rejects with what the verb throws or its limits, `queue_full`, `worker_crashed` where no process can be started, `cancelled` at the end of the service. */
  run(verb: Verb, question: unknown, bytes: readonly Uint8Array[] = []): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(stopping());
    if (this.#waiting.length >= this.#options.mostWaiting) return Promise.reject(new LecternError('queue_full'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ verb, question, bytes, resolve, reject });
      this.#give();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#refuseWaiting(stopping());
    const ended = [...this.#all].map((one) => one.ended);
    for (const one of this.#all) one.kill();
    await Promise.all(ended);
  }

  #give(): void {
    while (this.#waiting.length > 0 && this.#idle.length > 0) {
      const sandbox = this.#idle.pop() as SandboxProcess;
      if (!sandbox.isGone) void this.#work(sandbox, this.#waiting.shift() as Waiting);
    }
    while (!this.#isClosed && this.#waiting.length > this.#starting && this.#all.size < this.#options.size) this.#start();
  }

  async #work(sandbox: SandboxProcess, { verb, question, bytes, resolve, reject }: Waiting): Promise<void> {
    try {
      resolve(await sandbox.run(verb, question, bytes));
    } catch (thrown) {
      reject(this.#isClosed ? stopping() : thrown);
    }
    // One that is gone is taken out of the others by #watch(), a moment later.
    if (sandbox.isGone) return;
    this.#idle.push(sandbox);
    this.#give();
  }

  #start(): void {
    let sandbox: SandboxProcess;
    try {
      sandbox = new SandboxProcess(this.#options.start);
    } catch (thrown) {
      this.#startFailed(String(thrown));
      return;
    }
    this.#all.add(sandbox);
    this.#starting += 1;
    void sandbox.ready.then((ready) => {
      this.#starting -= 1;
      if (!ready) return;
      this.#failedStarts = 0;
      this.#idle.push(sandbox);
      this.#give();
    });
    void this.#watch(sandbox);
  }

  async #watch(sandbox: SandboxProcess): Promise<void> {
    const lastWords = await sandbox.ended;
    const wasReady = await sandbox.ready;
    this.#all.delete(sandbox);
    const place = this.#idle.indexOf(sandbox);
    if (place >= 0) this.#idle.splice(place, 1);
    if (this.#isClosed) return;
    if (wasReady) this.#options.onLoss(lastWords);
    else this.#startFailed(lastWords);
    this.#give();
  }

  #startFailed(lastWords: string): void {
    this.#failedStarts += 1;
    this.#options.onLoss(lastWords);
    if (this.#failedStarts < mostFailedStarts) return;
    // The next request tries again.
    this.#failedStarts = 0;
    this.#refuseWaiting(new LecternError('worker_crashed', 'The process that prepares requests cannot be started.'));
  }

  #refuseWaiting(error: LecternError): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

function stopping(): LecternError {
  return new LecternError('cancelled', 'The service is stopping.');
}
