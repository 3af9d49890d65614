/** Bytes of a stranger on their way to disk: bounded in size, under names of our own. */
import { type Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
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

/** Writes the stream to a file, or nowhere when `file` is null. Throws 413 as soon as it passes the limit, and the signal's reason when that is aborted. */
export async function receive(stream: Readable, file: InputFile | null, maxBytes: number, signal?: AbortSignal): Promise<number> {
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
    await pipeline(stream, sink, signal === undefined ? {} : { signal });
    await file?.finish();
  } catch (thrown) {
    throw signal?.aborted ? signal.reason : thrown;
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
