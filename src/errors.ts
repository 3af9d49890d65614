/** The one table of failures: code -> HTTP status, retryable, public sentence. C++ has the same codes; a test proves it. */

interface ErrorKind {
  status: number;
  retryable: boolean;
  /** What a client may read when nothing better is known. */
  sentence: string;
}

export const errorTable = {
  invalid_request: { status: 400, retryable: false, sentence: 'The request is not valid.' },
  invalid_state: { status: 409, retryable: false, sentence: 'The object is closed or not ready for this call.' },
  invalid_document: { status: 422, retryable: false, sentence: 'The document could not be parsed.' },
  password_required: { status: 422, retryable: false, sentence: 'The document is encrypted and needs a password.' },
  unsupported_format: { status: 415, retryable: false, sentence: 'This document format is not supported.' },
  too_large: { status: 413, retryable: false, sentence: 'The document is larger than the service accepts.' },
  not_found: { status: 404, retryable: false, sentence: 'There is no such object.' },
  model_not_found: { status: 404, retryable: false, sentence: 'There is no such model.' },
  invalid_model: { status: 500, retryable: false, sentence: 'The model file is damaged or not supported.' },
  context_overflow: { status: 400, retryable: false, sentence: 'The prompt is longer than the context of the model.' },
  out_of_memory: { status: 503, retryable: true, sentence: 'There is not enough memory for this work.' },
  queue_full: { status: 503, retryable: true, sentence: 'Server is busy, please try again shortly.' },
  timeout: { status: 504, retryable: true, sentence: 'The work took longer than its limit.' },
  cancelled: { status: 499, retryable: false, sentence: 'The work was cancelled.' },
  worker_crashed: { status: 500, retryable: true, sentence: 'The process that worked on the document ended unexpectedly.' },
  device_lost: { status: 503, retryable: true, sentence: 'The GPU is not available any more.' },
  forbidden: { status: 403, retryable: false, sentence: 'This is switched off in the settings.' },
  internal: { status: 500, retryable: false, sentence: 'Internal processing error.' },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorTable;

/** An expected failure: `message` is fit for the client to read. Anything else that is thrown is a defect. */
export class LecternError extends Error {
  readonly code: ErrorCode;
  /** The part of a request that is wrong, where it is known beyond the sentence: contracts name it by their own field. */
  readonly about: 'format' | 'tools' | 'prompt' | undefined;

  constructor(code: ErrorCode, message?: string, options?: { cause?: unknown; about?: 'format' | 'tools' | 'prompt' }) {
    super(message ?? errorTable[code].sentence, options);
    this.about = options?.about;
    this.name = 'LecternError';
    this.code = code;
  }

  get status(): number {
    return errorTable[this.code].status;
  }

  get retryable(): boolean {
    return errorTable[this.code].retryable;
  }
}

/** What is known of any thrown value: an expected failure as it is, everything else as `internal` with the cause kept. */
export function asLecternError(thrown: unknown): LecternError {
  if (thrown instanceof LecternError) return thrown;
  return new LecternError('internal', undefined, { cause: thrown });
}
