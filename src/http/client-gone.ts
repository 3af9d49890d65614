/** Whether the client of a request still waits for its answer: the one place that knows how to tell. */
import type { FastifyReply } from 'fastify';
import { LecternError } from '../errors.js';

export interface ClientWatch {
  /** Aborts when the client left before it had its answer. */
  signal: AbortSignal;
  /** From now on a closed socket means nothing: call it before an answer that does not end the work. */
  release(): void;
}

/**
 * `request.signal` of Fastify aborts within a millisecond of a POST although the client is there; `close` of the raw reply
 * with an unfinished answer is right.
 */
export function watchClient(reply: FastifyReply): ClientWatch {
  const gone = new AbortController();
  const onClose = (): void => {
    if (!reply.raw.writableFinished) gone.abort(new LecternError('cancelled', 'The client went away.'));
  };
  reply.raw.once('close', onClose);
  if (reply.raw.destroyed) onClose();
  return { signal: gone.signal, release: () => { reply.raw.off('close', onClose); } };
}
