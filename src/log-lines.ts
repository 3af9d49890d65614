/** Where the log's lines go: a file on a disk that may be full, a pipe whose reader may be slow or gone. None of it stops the service, or holds up its end. */
import { write, writeSync } from 'node:fs';

/** What waits for a place that takes nothing, at most; a busy service says as much in some minutes. */
const mostWaitingBytes = 2 ** 20;
const retryMs = 100;

/** The part of the file system that is used here; tests bring one that fails. */
export interface LogFile {
  write(fd: number, bytes: Uint8Array, done: (failure: NodeJS.ErrnoException | null, written: number) => void): void;
  writeSync(fd: number, bytes: Uint8Array): number;
}

const systemFile: LogFile = { write: (fd, bytes, done) => write(fd, bytes, done), writeSync };

export class LogLines {
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private lost = 0;
  private busy = false;
  /** Nobody will read it any more. */
  private gone = false;

  constructor(private readonly fd: number, private readonly file = systemFile) {}

  /** Of one or several lines, with their ends. Never throws. */
  write(lines: string): void {
    const bytes = Buffer.from(lines);
    if (this.gone) return;
    if (this.waitingBytes + bytes.length > mostWaitingBytes) {
      this.lost++;
      return;
    }
    this.add(bytes);
    if (!this.busy) this.next();
  }

  /** Before the process ends: what is left and fits. */
  flush(): void {
    let bytes = Buffer.concat(this.waiting);
    try {
      while (!this.gone && bytes.length > 0) bytes = bytes.subarray(this.file.writeSync(this.fd, bytes));
    } catch {
      // It is lost then.
    }
    [this.waiting, this.waitingBytes] = [[], 0];
  }

  private add(bytes: Buffer): void {
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
  }

  private next(): void {
    const bytes = Buffer.concat(this.waiting);
    [this.waiting, this.waitingBytes, this.busy] = [[], 0, true];
    this.file.write(this.fd, bytes, (failure, written) => {
      // What was written in part goes on where it ended, so that no line is torn.
      const rest = failure ? bytes : bytes.subarray(written);
      if (failure?.code === 'EPIPE' || failure?.code === 'EBADF') this.gone = true;
      if (this.gone) return;
      if (rest.length > 0) {
        this.waiting.unshift(rest);
        this.waitingBytes += rest.length;
      }
      if (failure) {
        setTimeout(() => this.next(), retryMs).unref();
        return;
      }
      if (this.lost > 0) {
        this.add(Buffer.from(JSON.stringify({ level: 40, time: new Date().toISOString(), msg: `The log could not be written for a while: ${this.lost} lines are lost.` }) + '\n'));
        this.lost = 0;
      }
      this.busy = false;
      if (this.waitingBytes > 0) this.next();
    });
  }
}

let opened: LogLines | undefined;

/** One for the process. */
export function standardErrorLines(): LogLines {
  if (opened === undefined) {
    const lines = new LogLines(2);
    process.on('exit', () => lines.flush());
    opened = lines;
  }
  return opened;
}
