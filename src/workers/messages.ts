/** The messages between parent and worker, and their frames: four bytes of length, then JSON. */
import type { Duplex } from 'node:stream';

/** Most bytes of a message; larger data is passed in files. A worker that sends a larger one is killed as defective. */
export const maxFrameBytes = 16 * 1024 * 1024;

/** The file descriptor of a worker's channel to its parent. */
export const channelDescriptor = 3;

export interface WireError {
  code: string;
  message: string;
  /** Present for a defect, for the log. */
  stack?: string;
  /** The disk had no space for a file, which is not the document's fault. */
  isDiskFull?: true;
}

export type Outcome = { ok: true; value: unknown } | { ok: false; error: WireError };

export type ToWorker =
  | { type: 'hello'; scratchDirectory: string; temporaryDirectory: string; systemCalls: { programs: boolean } | null }
  | { type: 'run'; job: number; verb: string; request: unknown }
  | { type: 'cancel'; job: number }
  | { type: 'release' }
  | { type: 'answer'; call: number; outcome: Outcome };

export type FromWorker =
  | { type: 'ready' }
  | { type: 'progress'; job: number; value: unknown }
  | { type: 'call'; job: number; call: number; verb: string; request: unknown }
  | { type: 'withdraw'; call: number }
  | { type: 'released' }
  | { type: 'done'; job: number; outcome: Outcome };

/** Sends a message. Never throws: where the other end is gone, the channel reports it by its `close` event. */
export function send(channel: Duplex, message: ToWorker | FromWorker): void {
  if (!channel.writable) return;
  const body = Buffer.from(JSON.stringify(message), 'utf8');
  const frame = Buffer.allocUnsafe(body.length + 4);
  frame.writeUInt32LE(body.length, 0);
  body.copy(frame, 4);
  channel.write(frame);
}

/** Calls `onMessage` for every complete frame. At a frame that is too large or no JSON it calls `onGarbage` and stops listening. */
export function receive<Message>(channel: Duplex, onMessage: (message: Message) => void, onGarbage: () => void): void {
  let chunks: Buffer[] = [];
  let held = 0;
  let wanted = 4;
  let inBody = false;
  const give = (bytes: Buffer): boolean => {
    if (!inBody) {
      wanted = bytes.readUInt32LE(0);
      inBody = true;
      return wanted <= maxFrameBytes;
    }
    wanted = 4;
    inBody = false;
    let message: unknown;
    try {
      message = JSON.parse(bytes.toString('utf8'));
    } catch {
      return false;
    }
    if (typeof message !== 'object' || message === null) return false;
    onMessage(message as Message);
    return true;
  };
  const onData = (chunk: Buffer): void => {
    chunks.push(chunk);
    held += chunk.length;
    while (held >= wanted) {
      const all = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, held);
      const part = all.subarray(0, wanted);
      const rest = all.subarray(wanted);
      chunks = rest.length > 0 ? [rest] : [];
      held = rest.length;
      if (!give(part)) {
        channel.off('data', onData);
        channel.resume();
        onGarbage();
        return;
      }
    }
  };
  channel.on('data', onData);
}
