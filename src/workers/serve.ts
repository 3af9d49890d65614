/** The side of a worker process: it waits for jobs, runs one at a time, and ends when its parent is gone. */
import { Socket } from 'node:net';
import { LecternError } from '../errors.js';
import { channelDescriptor, receive, send, type Outcome, type ToWorker } from './messages.js';
import { fromWire, toWire } from './wire-error.js';

export interface JobContext {
  /** Aborted when the parent cancels. A handler that computes must yield to the event loop now and then to see it. */
  signal: AbortSignal;
  /** Reports progress to the parent, at most every 100 ms; an urgent report is sent before this returns. */
  progress(value: unknown, urgent?: boolean): void;
  /** Runs a verb in the parent, and resolves with its answer. Rejects with the parent's LecternError, or `cancelled` when the signal aborts first. */
  call(verb: string, request: unknown, signal?: AbortSignal): Promise<unknown>;
  /** A directory for files shared with the parent: mode 0700, deleted when the worker ends. */
  scratchDirectory: string;
}

/** Runs a verb. Request and answer must be values that JSON holds. */
export type JobHandler = (request: unknown, context: JobContext) => Promise<unknown>;

const progressIntervalMs = 100;

export interface ServeOptions {
  /** Makes this process end with its parent, even while a computation keeps it from reading its channel. */
  endWithParent: () => unknown;
  /** Closes what is kept open between jobs; the parent may ask for it at any time. */
  release?: () => Promise<void>;
  /** Makes the kernel refuse system calls that the work does not need. Called once, before the first job, where the parent asks for it. Throws where the kernel cannot. */
  restrictSystemCalls?: (programs: boolean) => void;
}

class WorkerSide {
  private readonly calls = new Map<number, (outcome: Outcome) => void>();
  private lastCall = 0;
  private running: { job: number; abort: AbortController } | null = null;
  private scratchDirectory = '';

  constructor(private readonly channel: Socket, private readonly handlers: Record<string, JobHandler>, private readonly options: Required<Pick<ServeOptions, 'release' | 'restrictSystemCalls'>>) {}

  handle(message: ToWorker): void {
    switch (message.type) {
      case 'hello':
        this.begin(message);
        break;
      case 'run':
        void this.run(message.job, message.verb, message.request);
        break;
      case 'cancel':
        if (this.running?.job === message.job) this.running.abort.abort(new LecternError('cancelled'));
        break;
      case 'answer':
        this.calls.get(message.call)?.(message.outcome);
        break;
      case 'release':
        // A failure is ignored: what could not be closed ends with this process.
        void this.options.release().catch(() => undefined).then(() => send(this.channel, { type: 'released' }));
        break;
    }
  }

  /** Prepares the process for its first job. Throws, which ends the process, where the restrictions that the parent asks for cannot be set. */
  private begin({ scratchDirectory, temporaryDirectory, systemCalls }: ToWorker & { type: 'hello' }): void {
    this.scratchDirectory = scratchDirectory;
    // Programs that read documents write here, as LibreOffice its profile.
    process.env['TMPDIR'] = temporaryDirectory;
    if (systemCalls !== null) this.options.restrictSystemCalls(systemCalls.programs);
    send(this.channel, { type: 'ready' });
  }

  private async run(job: number, verb: string, request: unknown): Promise<void> {
    const abort = new AbortController();
    this.running = { job, abort };
    const progress = this.progressOf(job);
    let outcome: Outcome;
    try {
      const handler = Object.hasOwn(this.handlers, verb) ? this.handlers[verb] : undefined;
      if (!handler) throw new LecternError('invalid_request', `A worker has no verb ${verb}.`);
      const value = await handler(request, {
        signal: abort.signal,
        progress: progress.tell,
        call: (callVerb, callRequest, signal) => this.call(job, callVerb, callRequest, signal ?? abort.signal),
        scratchDirectory: this.scratchDirectory,
      });
      outcome = { ok: true, value };
    } catch (thrown) {
      outcome = { ok: false, error: toWire(thrown) };
    }
    progress.stop();
    this.running = null;
    // Calls that the job did not wait for; the parent has dropped them too.
    for (const settle of [...this.calls.values()]) settle({ ok: false, error: toWire(new LecternError('cancelled')) });
    send(this.channel, { type: 'done', job, outcome });
  }

  private progressOf(job: number): { tell: JobContext['progress']; stop: () => void } {
    let lastAt = -Infinity;
    let timer: NodeJS.Timeout | undefined;
    const post = (value: unknown): void => {
      clearTimeout(timer);
      timer = undefined;
      lastAt = performance.now();
      send(this.channel, { type: 'progress', job, value });
    };
    const tell = (value: unknown, urgent = false): void => {
      const waitMs = lastAt + progressIntervalMs - performance.now();
      clearTimeout(timer);
      if (urgent || waitMs <= 0) post(value);
      else timer = setTimeout(() => post(value), waitMs);
    };
    return { tell, stop: () => clearTimeout(timer) };
  }

  private call(job: number, verb: string, request: unknown, signal: AbortSignal): Promise<unknown> {
    if (signal.aborted) return Promise.reject(new LecternError('cancelled'));
    const call = ++this.lastCall;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        send(this.channel, { type: 'withdraw', call });
        settle({ ok: false, error: toWire(new LecternError('cancelled')) });
      };
      const settle = (outcome: Outcome): void => {
        this.calls.delete(call);
        signal.removeEventListener('abort', onAbort);
        if (outcome.ok) resolve(outcome.value);
        else reject(fromWire(outcome.error));
      };
      this.calls.set(call, settle);
      signal.addEventListener('abort', onAbort, { once: true });
      send(this.channel, { type: 'call', job, call, verb, request });
    });
  }
}

function cannotRestrict(): never {
  throw new LecternError('invalid_state', 'This worker cannot restrict its system calls.');
}

/** Serves until the parent closes the channel, then ends the process. Throws `invalid_state` in a process that no pool has started. */
export function serveJobs(handlers: Record<string, JobHandler>, { endWithParent, release = async () => undefined, restrictSystemCalls = cannotRestrict }: ServeOptions): Promise<never> {
  let channel: Socket;
  try {
    channel = new Socket({ fd: channelDescriptor, readable: true, writable: true });
  } catch (thrown) {
    throw new LecternError('invalid_state', 'A worker is started by the program itself.', { cause: thrown });
  }
  process.umask(0o077);
  // A terminal or a supervisor signals the whole process group, but the parent decides when its workers end.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  const leave = (): void => process.exit(0);
  channel.on('end', leave).on('close', leave).on('error', leave);
  endWithParent();
  const side = new WorkerSide(channel, handlers, { release, restrictSystemCalls });
  receive<ToWorker>(channel, (message) => side.handle(message), leave);
  return new Promise(() => undefined);
}
