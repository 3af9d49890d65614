/** Bytes of a stranger on their way to disk: bounded in size and in patience, under names of our own. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { type Readable, Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyRequest } from 'fastify';
import { LecternError } from '../../errors.js';
import { HttpFailure } from '../error-reply.js';

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

/** Writes the stream to a new file, or nowhere when `file` is null. Throws 413 as soon as it passes the limit. */
export async function receive(stream: Readable, file: { directory: string; name: string } | null, maxBytes: number): Promise<number> {
  let sizeBytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) done(tooLarge(maxBytes));
      else done(null, chunk);
    },
  });
  const sink = file === null
    ? new Writable({ write: (_chunk, _encoding, done) => done() })
    : createWriteStream(join(file.directory, file.name), { mode: 0o600, flags: 'wx' });
  try {
    await pipeline(stream, count, sink);
  } catch (thrown) {
    throw asDiskFull(thrown);
  }
  return sizeBytes;
}

/** A full disk is no defect. */
export function asDiskFull(thrown: unknown): unknown {
  const code = (thrown as NodeJS.ErrnoException | null)?.code;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return thrown;
  return new LecternError('out_of_memory', 'There is no space left for the files of this request.', { cause: thrown });
}

/** What a client calls a document may hold path parts of any system; only the last one is a name. */
export function baseName(filename: string): string {
  const name = filename.slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1);
  const clean = name.replace(/[\u0000-\u001f\u007f]/g, '');
  return clean === '.' || clean === '..' ? '' : clean;
}

const stallMs = 60_000;

/** A client that holds an upload open without sending loses its connection. Answers the way to call it off. */
export function endWhenStalled(request: FastifyRequest): () => void {
  // The injected requests of tests have a socket without a clock.
  const socket = request.raw.socket as Partial<Pick<typeof request.raw.socket, 'setTimeout'>>;
  socket.setTimeout?.(stallMs);
  return () => { socket.setTimeout?.(0); };
}
