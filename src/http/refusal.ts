/** Why a request is refused, for its line in the log: the operator of the service does not see the answer. */
import type { FastifyRequest } from 'fastify';
import { LecternError } from '../errors.js';

declare module 'fastify' {
  interface FastifyRequest {
    refusal?: string;
  }
}

/** What `admit` answers; the request knows the sentence of the `forbidden` that it throws. */
export function noteRefusal<T>(request: FastifyRequest, admit: () => T): T {
  try {
    return admit();
  } catch (thrown) {
    if (thrown instanceof LecternError && thrown.code === 'forbidden') request.refusal = thrown.message;
    throw thrown;
  }
}
