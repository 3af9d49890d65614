/** Notes why a request is refused, for its line in the log: the operator of the service does not see the answer. */
import type { FastifyRequest } from 'fastify';
import { LecternError } from '../errors.js';

declare module 'fastify' {
  interface FastifyRequest {
    refusal?: string;
  }
}

/** Returns what `admit` returns. Where it throws `forbidden`, the message is kept in `request.refusal`. */
export function noteRefusal<T>(request: FastifyRequest, admit: () => T): T {
  try {
    return admit();
  } catch (thrown) {
    if (thrown instanceof LecternError && thrown.code === 'forbidden') request.refusal = thrown.message;
    throw thrown;
  }
}
