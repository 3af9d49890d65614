/** Bytes of a stranger on their way to disk: bounded in size and in patience, under names of our own. */
import { type Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyRequest } from 'fastify';
import type { InputFile } from '../../tasks/types.js';
import { HttpFailure } from '../error-reply.js';

/** Where uploads go: a slot of the task table. */
export type CreateInput = (name: string) => Promise<InputFile>;

/** A document that lies in the inputs directory of a task's slot. */
export interface ReceivedDocument {
  /** Its name there. */
  input: string;
  /** The client's, base name only. */
  filename: string;
  sizeBytes: number;
}

export function tooLarge(maxBytes: number): HttpFailure {
  return new HttpFailure(413, `File exceeds the max_file_size limit of ${maxBytes} bytes.`);
}

/** The name on disk of the document at a place in the request. */
export function inputName(index: number): string {
  return `document-${index}`;
}

/** Writes the stream to a file, or nowhere when `file` is null. Throws 413 as soon as it passes the limit. */
export async function receive(stream: Readable, file: InputFile | null, maxBytes: number): Promise<number> {
  let sizeBytes = 0;
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) done(tooLarge(maxBytes));
      else if (file === null) done();
      else file.write(chunk).then(() => done(), done);
    },
  });
  try {
    // Not a loop over the stream: that would never hear of a client who left.
    await pipeline(stream, sink);
    await file?.finish();
  } finally {
    await file?.close();
  }
  return sizeBytes;
}

/** What a client calls a document may hold path parts of any system; only the last one is a name. */
export function baseName(filename: string): string {
  const name = filename.slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1);
  const clean = name.replace(/[\u0000-\u001f\u007f]/g, '');
  return clean === '.' || clean === '..' ? '' : clean;
}

/** How slow an upload may be: it ends after `stallMs` without a byte, and after `graceMs` and one second for each `bytesPerSecond` that came. */
export interface Patience {
  stallMs: number;
  graceMs: number;
  bytesPerSecond: number;
}

/** Each upload holds a place in the queue: a few hundred that trickle would keep everybody else out of it. */
const usual: Patience = { stallMs: 60_000, graceMs: 30_000, bytesPerSecond: 1000 };
const looksPerGrace = 6;

/** A client that holds an upload open without sending, or sends next to nothing, loses its connection. Answers the way to call it off. */
export function endWhenStalled(request: FastifyRequest, { stallMs, graceMs, bytesPerSecond }: Patience = usual): () => void {
  // The injected requests of tests have a socket without a clock.
  const socket = request.raw.socket as Partial<Pick<typeof request.raw.socket, 'setTimeout'>> & typeof request.raw.socket;
  socket.setTimeout?.(stallMs);
  const [began, before] = [performance.now(), socket.bytesRead];
  const looks = setInterval(() => {
    const allowedMs = graceMs + ((socket.bytesRead - before) / bytesPerSecond) * 1000;
    if (performance.now() - began > allowedMs) socket.destroy();
  }, graceMs / looksPerGrace);
  looks.unref();
  return () => {
    clearInterval(looks);
    socket.setTimeout?.(0);
  };
}
