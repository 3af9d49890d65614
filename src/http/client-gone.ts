/** Whether the client of a request still waits for its answer: the one place that knows how to tell. */
import type { FastifyReply } from 'fastify';
import { LecternError } from '../errors.js';

/**
 * Aborts when the client left before it had its answer. Whoever answers without ending the work (a 504) stops listening
 * first: the close that follows means nothing then.
 *
 * `request.signal` of Fastify aborts within a millisecond of a POST although the client is there; `close` of the raw reply
 * with an unfinished answer is right.
 */
export function clientGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const onClose = (): void => {
    if (!reply.raw.writableFinished) gone.abort(new LecternError('cancelled', 'The client went away.'));
  };
  reply.raw.once('close', onClose);
  if (reply.raw.destroyed) onClose();
  return gone.signal;
}
