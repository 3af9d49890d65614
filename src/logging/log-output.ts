/** Where the log's lines go: a file on a disk that may be full, a pipe or terminal whose reader may be slow or gone. None of it stops the service, or holds up its end. */
import { constants, fstatSync, openSync, writeSync } from 'node:fs';

/** Most bytes that wait for an output that takes nothing; a busy service logs as much in some minutes. */
const mostWaitingBytes = 2 ** 20;
const retryMs = 100;

/** The part of the file system that is used here; tests bring one that fails. */
export interface LogFile {
  writeSync(fd: number, bytes: Uint8Array): number;
}

/** Lines are written at once and in their order: nothing is under way when the process ends. The place must not block. */
export class LogLines {
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private lost = 0;
  private resting = false;
  /** Its reader is gone. */
  private gone = false;

  constructor(private readonly fd: number, private readonly file: LogFile = { writeSync }) {}

  /** Of one or several lines, with their ends. Never throws. */
  write(lines: string): void {
    const bytes = Buffer.from(lines);
    if (this.gone) return;
    if (this.waitingBytes + bytes.length > mostWaitingBytes) {
      this.lost++;
      return;
    }
    this.add(bytes);
    if (!this.resting) this.next();
  }

  /** Before the process ends: what is left and fits. */
  flush(): void {
    this.send();
    [this.waiting, this.waitingBytes] = [[], 0];
  }

  private add(bytes: Buffer): void {
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
  }

  /** Writes what waits; whether nothing is left of it. */
  private send(): boolean {
    let bytes = Buffer.concat(this.waiting);
    try {
      while (!this.gone && bytes.length > 0) bytes = bytes.subarray(this.file.writeSync(this.fd, bytes));
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      this.gone = code === 'EPIPE' || code === 'EBADF';
    }
    // What was written in part goes on where it ended, so that no line is torn.
    [this.waiting, this.waitingBytes] = bytes.length > 0 && !this.gone ? [[bytes], bytes.length] : [[], 0];
    return this.waitingBytes === 0;
  }

  private next(): void {
    this.resting = !this.send();
    if (this.resting) {
      setTimeout(() => this.next(), retryMs).unref();
    } else if (this.lost > 0) {
      this.add(Buffer.from(JSON.stringify({ level: 'warn', time: new Date().toISOString(), msg: `The log could not be written for a while: ${this.lost} lines are lost.` }) + '\n'));
      this.lost = 0;
      this.next();
    }
  }
}

/**
 * Standard error as a place that does not block. Pipes and terminals are opened once more: the description that came with the
 * process is shared with others, who may rely on its waiting.
 */
function unblocking(): number {
  try {
    const kind = fstatSync(2);
    if (kind.isFile()) return 2;
    if (kind.isFIFO() || kind.isCharacterDevice()) return openSync('/proc/self/fd/2', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // Without /proc, or another user's.
  }
  // A socket, or what cannot be opened: Node makes pipes and sockets unblocking as it opens its stream for them.
  void process.stderr;
  return 2;
}

let opened: LogLines | undefined;

/** One for the process. */
export function standardErrorLines(): LogLines {
  if (opened === undefined) {
    const lines = new LogLines(unblocking());
    process.on('exit', () => lines.flush());
    opened = lines;
  }
  return opened;
}
