/** A child process that holds a model open and times its work on command: Lectern's engine or a peer's, one protocol. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

export class TimedEngine {
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;
  /** The process is gone and all that it said is here. */
  readonly #closed: Promise<void>;
  #complaint = '';
  /** Seconds of opening the model. */
  loadSeconds = 0;
  /** Bytes of all slots' keys and values; 0 where the engine does not tell. */
  kvBytes = 0;
  instructions = '';

  private constructor(command: string, args: string[]) {
    this.#process = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#process.stderr.on('data', (text: Buffer) => { this.#complaint = (this.#complaint + text.toString()).slice(-500); });
    this.#process.stdin.on('error', () => undefined); // a process that is gone answers no line, and says why there
    this.#process.on('error', (error) => { this.#complaint += error.message; });
    this.#closed = new Promise((resolve) => this.#process.on('close', () => resolve()));
    this.#reader = createInterface({ input: this.#process.stdout });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  /** Waits until the model is open. Throws with what the process said where it ends instead. */
  static async open(command: string, args: string[]): Promise<TimedEngine> {
    const engine = new TimedEngine(command, args);
    const words = await engine.#answer('ready');
    [engine.loadSeconds = 0, engine.kvBytes = 0] = words.slice(0, 2).map(Number);
    engine.instructions = words[3] ?? '';
    return engine;
  }

  /** What `done` tells: seconds, or bytes a second. */
  async measure(line: string): Promise<number> {
    this.#process.stdin.write(`${line}\n`);
    return Number((await this.#answer('done'))[0]);
  }

  /** Proportional set size now: pages that others share count by their share. */
  residentBytes(): number {
    const found = /^Pss: +(\d+) kB$/m.exec(readFileSync(`/proc/${this.#process.pid}/smaps_rollup`, 'utf8'));
    return Number(found?.[1]) * 1024;
  }

  async close(): Promise<void> {
    this.#process.stdin.end();
    await this.#closed;
    this.#reader.close();
  }

  async #answer(wanted: string): Promise<string[]> {
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done) await this.#closed;
      if (done) throw new Error(`the engine's process ended: ${this.#complaint.trim() || 'no reason given'}`);
      const [word, ...rest] = value.split(' ');
      if (word === 'failed') throw new Error(rest.join(' '));
      // Libraries print what they like besides.
      if (word === wanted) return rest;
    }
  }
}
