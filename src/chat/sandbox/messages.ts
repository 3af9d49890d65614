/** What the service and a sandbox process send each other: four bytes of length, then a value in V8's serialisation, which copies long texts without reading them. */
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

/** Never throws for a channel whose other end is gone: that is reported by its `close`. Throws what V8 throws for a value that cannot be sent. */
export function send(channel: Duplex, message: Job | Outcome): void {
  const body = serialize(message);
  if (!channel.writable) return;
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32LE(body.length);
  channel.cork();
  channel.write(length);
  channel.write(body);
  channel.uncork();
}

/** Calls `onMessage` with every whole message, and `onGarbage` once for a frame that is too long or cannot be read. */
export function receive(channel: Duplex, onMessage: (message: unknown) => void, onGarbage: () => void): void {
  let chunks: Buffer[] = [];
  let held = 0;
  let wanted: number | null = null;
  const take = (count: number): Buffer => {
    const all = chunks.length === 1 ? chunks[0] as Buffer : Buffer.concat(chunks, held);
    chunks = all.length > count ? [all.subarray(count)] : [];
    held = all.length - count;
    return all.subarray(0, count);
  };
  channel.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    held += chunk.length;
    while (held >= (wanted ?? 4)) {
      if (wanted === null) {
        wanted = take(4).readUInt32LE();
        if (wanted > maxFrameBytes) return void garbage();
        continue;
      }
      const body = take(wanted);
      wanted = null;
      let message: unknown;
      try {
        message = deserialize(body);
      } catch {
        return void garbage();
      }
      onMessage(message);
    }
  });
  const garbage = (): void => {
    channel.removeAllListeners('data');
    channel.resume();
    onGarbage();
  };
}
