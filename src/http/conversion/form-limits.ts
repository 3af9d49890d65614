/** How much of a form is read: its whole body, and what is no file's, counted as the bytes come and not when a part is complete. */
import type { Readable } from 'node:stream';
import { HttpFailure } from '../error-reply.js';
import type { HttpSettings } from '../settings.js';

/** Parts, fields included. */
export const mostParts = 1000;
export const longestTextBytes = 1024 * 1024;
/** All text fields together. */
export const mostTextBytes = 8 * 1024 * 1024;
/** Heads of parts and what stands between them. */
const mostFrameBytes = 1024 * 1024;
/** What may have come behind a field before its end was seen: pieces of the socket, and heads of parts. */
const slackBytes = 256 * 1024;

/** Bytes of a whole body: documents, text fields, and what frames them. */
export function mostBodyBytes({ maxFiles, maxFileSize }: Pick<HttpSettings, 'maxFiles' | 'maxFileSize'>): number {
  return maxFiles * maxFileSize + mostTextBytes + mostFrameBytes;
}

export function tooManyParts(): HttpFailure {
  return new HttpFailure(400, `Too many fields. Maximum number of fields is ${mostParts}.`);
}

/** What stands before every part and at the end, for counting; null where the type names none. */
function delimiterOf(contentType: string | undefined): Buffer | null {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]+)"|([^;\s"]+))/i.exec(contentType ?? '') ?? [];
  const boundary = quoted ?? bare;
  return boundary === undefined ? null : Buffer.from(`--${boundary}`, 'latin1');
}

export function partTooLong(): HttpFailure {
  return new HttpFailure(400, `Part exceeded maximum size of ${longestTextBytes / 1024}KB.`);
}

/**
 * Counts the bytes of a body from its making on. The parser tells of a text field when it has all of it, and nothing of what stands before the
 * first part: only the bytes themselves say in time that there are too many.
 */
export class FormMeter {
  readonly #over = new AbortController();
  #bodyBytes = 0;
  /** Since the last part, and of no file. */
  #looseBytes = 0;
  #inFile = false;
  /** Delimiters, those apart that lie across two pieces. */
  #parts = 0;
  readonly #delimiter: Buffer | null;

  constructor(private readonly body: Readable, contentType: string | undefined, private readonly mostBytes: number) {
    this.#delimiter = delimiterOf(contentType);
    body.on('data', this.#count);
  }

  /** Aborted with the failure, a 413 or 400. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Files have limits of their own. */
  fileBegins(): void {
    this.#inFile = true;
  }

  /** When it is on the disk. Meanwhile more of the body may have come, which has not been checked yet. */
  fileEnds(sizeBytes: number): void {
    this.#inFile = false;
    this.#looseBytes = Math.max(0, this.#looseBytes - sizeBytes);
    this.#judgeSoon();
  }

  fieldEnds(): void {
    this.#looseBytes = 0;
  }

  stop(): void {
    this.body.off('data', this.#count);
  }

  /** Settles as `work` does, or rejects with the failure as soon as there is one. */
  async race<T>(work: Promise<T>): Promise<T> {
    // Where the body is too long nothing waits for it any more.
    work.catch(() => undefined);
    let stop = (): void => undefined;
    const over = new Promise<never>((_resolve, reject) => {
      const fail = (): void => reject(this.signal.reason as Error);
      if (this.signal.aborted) return fail();
      this.signal.addEventListener('abort', fail, { once: true });
      stop = () => this.signal.removeEventListener('abort', fail);
    });
    return Promise.race([work, over]).finally(stop);
  }

  readonly #count = (chunk: Buffer): void => {
    this.#bodyBytes += chunk.length;
    this.#looseBytes += chunk.length;
    if (this.#hasTooManyParts(chunk)) {
      // The parser counts too, and goes on: of a million empty fields it took seconds, 50 ms of them at once. It still gets this piece, and passes over zeros.
      this.body.unpipe();
      chunk.fill(0);
      this.#over.abort(tooManyParts());
    } else if (this.#bodyBytes > this.mostBytes) this.#over.abort(new HttpFailure(413, `The request exceeds ${this.mostBytes} bytes, the limits of its documents and text fields together.`));
    else this.#judgeSoon();
  };

  #hasTooManyParts(chunk: Buffer): boolean {
    if (this.#delimiter === null) return false;
    for (let at = chunk.indexOf(this.#delimiter); at >= 0; at = chunk.indexOf(this.#delimiter, at + this.#delimiter.length)) this.#parts += 1;
    return this.#parts > mostParts + 1;
  }

  /** Not at once: a chunk may hold the head of a file, or the end of a field, which the reader of the form has not heard of yet. */
  #judgeSoon(): void {
    if (this.#isTooLoose()) setImmediate(() => { if (this.#isTooLoose()) this.#over.abort(partTooLong()); });
  }

  #isTooLoose(): boolean {
    return !this.#inFile && this.#looseBytes > longestTextBytes + slackBytes;
  }
}
