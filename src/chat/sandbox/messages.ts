/** What the service and a sandbox process send each other: two lengths of four bytes, a value in V8's serialisation, which copies long texts without reading them, and bytes beside it. */
import { deserialize, serialize } from 'node:v8';
import type { Duplex } from 'node:stream';
import { LecternError, type ErrorCode } from '../../errors.js';

/** The file descriptor of the channel in the sandbox process. */
export const channelDescriptor = 3;

/** A longer frame is a defect: a body has at most 16 MiB, its text twice as much in memory, and a prompt is made of it. */
const maxFrameBytes = 256 * 2 ** 20;

export interface Job {
  id: number;
  verb: string;
  question: unknown;
}

export type Outcome = { id: number; ok: true; value: unknown } | { id: number; ok: false; error: SentError };

export interface SentError {
  code: ErrorCode;
  message: string;
  about: LecternError['about'];
  /** Of a defect, for the log. */
  stack?: string | undefined;
}

export function sentError(thrown: unknown): SentError {
  if (thrown instanceof LecternError) return { code: thrown.code, message: thrown.message, about: thrown.about };
  return { code: 'internal', message: String(thrown), about: undefined, stack: thrown instanceof Error ? thrown.stack : undefined };
}

export function receivedError({ code, message, about, stack }: SentError): LecternError {
  if (code === 'internal') return new LecternError('internal', undefined, { cause: new Error(stack ?? message) });
  return new LecternError(code, message, about === undefined ? {} : { about });
}

const headBytes = 8;

/**
 * `bytes`, in any number of pieces, travel beside the value without being copied. Never throws for a channel whose other end is gone: that is reported by
 * its `close`. Throws what V8 throws for a value that cannot be sent.
 */
export function send(channel: Duplex, message: Job | Outcome, bytes: readonly Uint8Array[] = []): void {
  const body = serialize(message);
  if (!channel.writable) return;
  const head = Buffer.allocUnsafe(headBytes);
  head.writeUInt32LE(body.length, 0);
  head.writeUInt32LE(bytes.reduce((sum, piece) => sum + piece.length, 0), 4);
  channel.cork();
  for (const piece of [head, body, ...bytes]) channel.write(piece);
  channel.uncork();
}

/**
 * Calls `onMessage` with every whole message and the bytes beside it, and `onGarbage` once for a frame that is too long or cannot be read. A frame is
 * collected in one block as it arrives: joining the pieces of a long one at its end would take milliseconds at once.
 */
export function receive(channel: Duplex, onMessage: (message: unknown, bytes: Buffer) => void, onGarbage: () => void): void {
  let block = Buffer.allocUnsafe(headBytes);
  let filled = 0;
  /** Of the value; null while the head is collected. */
  let valueBytes: number | null = null;
  /** False for what is no frame. */
  const take = (): boolean => {
    filled = 0;
    if (valueBytes === null) {
      valueBytes = block.readUInt32LE(0);
      const length = valueBytes + block.readUInt32LE(4);
      if (length > maxFrameBytes || valueBytes === 0) return false;
      block = Buffer.allocUnsafe(length);
      return true;
    }
    const [value, bytes] = [block.subarray(0, valueBytes), block.subarray(valueBytes)];
    valueBytes = null;
    block = Buffer.allocUnsafe(headBytes);
    let message: unknown;
    try {
      message = deserialize(value);
    } catch {
      return false;
    }
    onMessage(message, bytes);
    return true;
  };
  channel.on('data', (chunk: Buffer) => {
    for (let at = 0; at < chunk.length;) {
      const copied = chunk.copy(block, filled, at);
      at += copied;
      filled += copied;
      if (filled === block.length && !take()) return void garbage();
    }
  });
  const garbage = (): void => {
    channel.removeAllListeners('data');
    channel.resume();
    onGarbage();
  };
}
