/** One sandbox process, seen from the service: it works on one job at a time, and is killed where it does not end in time. */
import type { ChildProcess } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { LecternError } from '../../errors.js';
import { channelDescriptor, type Outcome, receive, receivedError, send } from './messages.js';
import { longestMs, overLimit, type Verb } from './verbs.js';

/** Starts the program's sandbox process with its channel as a pipe. */
export type StartProcess = () => ChildProcess;

/** Beyond longestMs, at which the process itself ends the work: a single call of a built-in function cannot be interrupted. */
const graceMs = 1_000;
/** From the start of the process to its first message: 0.1 s on an idle machine. */
const longestStartMs = 30_000;
/** Of standard error, for the log. */
const mostErrorText = 2_000;

export class SandboxProcess {
  /** False where the process ended before its first message. */
  readonly ready: Promise<boolean>;
  /** Settles, with its last words on standard error, when the process is gone. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  readonly #channel: Duplex & Partial<{ ref(): void; unref(): void }>;
  #isGone = false;
  #isLate = false;
  #job: { id: number; verb: Verb; settle: (outcome: Outcome | LecternError) => void } | null = null;
  #lastId = 0;
  #errorText = '';
  #becomesReady!: (ready: boolean) => void;

  constructor(start: StartProcess) {
    this.#child = start();
    this.#channel = this.#child.stdio[channelDescriptor] as Duplex;
    this.ready = new Promise((resolve) => { this.#becomesReady = resolve; });
    this.#channel.on('error', () => undefined);
    this.#child.stdout?.resume();
    this.#child.stderr?.on('data', (text: Buffer) => { this.#errorText = (this.#errorText + text.toString('latin1')).slice(0, mostErrorText); });
    this.ended = new Promise((resolve) => {
      const end = (): void => {
        if (this.#isGone) return;
        this.#isGone = true;
        this.#channel.destroy();
        this.#becomesReady(false);
        this.#settle(this.#job === null ? null : overLimit(this.#job.verb, this.#isLate ? 'time' : 'memory'));
        resolve(this.#errorText);
      };
      this.#child.once('exit', end);
      this.#child.once('error', end);
    });
    receive(this.#channel, (message) => this.#hear(message as Outcome), () => this.kill());
    const startTimer = setTimeout(() => this.kill(), longestStartMs);
    void this.ready.then(() => clearTimeout(startTimer));
    this.#hold(false);
  }

  /** Whether the process has ended. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Once it is ready, and only while it works on nothing else and is not gone. Rejects with what the verb throws, and with overLimit(). */
  run(verb: Verb, question: unknown, bytes: readonly Uint8Array[] = []): Promise<unknown> {
    if (this.#isGone) return Promise.reject(new LecternError('worker_crashed'));
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      const timer = setTimeout(() => {
        this.#isLate = true;
        this.kill();
      }, longestMs + graceMs);
      this.#job = {
        id, verb,
        settle: (outcome) => {
          clearTimeout(timer);
          this.#job = null;
          this.#hold(false);
          if (outcome instanceof LecternError) reject(outcome);
          else if (outcome.ok) resolve(outcome.value);
          else reject(receivedError(outcome.error));
        },
      };
      this.#hold(true);
      try {
        send(this.#channel, { id, verb, question }, bytes);
      } catch (cause) {
        // V8 sends no value that nests deeper than its stack.
        this.#settle(new LecternError('invalid_request', 'The request nests too deep.', { cause }));
      }
    });
  }

  kill(): void {
    // Its end is waited for.
    this.#hold(true);
    this.#child.kill('SIGKILL');
  }

  /** An idle process is no reason for the service to stay. */
  #hold(holds: boolean): void {
    if (holds) this.#child.ref();
    else this.#child.unref();
    for (const stream of [this.#channel, this.#child.stdout, this.#child.stderr] as (Partial<{ ref(): void; unref(): void }> | null)[]) {
      if (holds) stream?.ref?.();
      else stream?.unref?.();
    }
  }

  #hear(outcome: Outcome): void {
    if (outcome.id === 0) this.#becomesReady(true);
    else if (outcome.id === this.#job?.id) this.#settle(outcome);
  }

  #settle(outcome: Outcome | LecternError | null): void {
    if (outcome !== null) this.#job?.settle(outcome);
  }
}
