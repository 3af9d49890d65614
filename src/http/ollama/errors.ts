/** Failures in Ollama's shape: one sentence, in the words its clients search it for. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { asLecternError, errorTable, type LecternError } from '../../errors.js';
import type { Log } from '../dependencies.js';
import { sendFailure } from '../error-reply.js';
import { shortened } from '../fields.js';

const busy = 'server busy, please try again.  maximum pending requests exceeded';

export function describeError(error: LecternError): { error: string } {
  if (error.code === 'internal') return { error: errorTable.internal.sentence };
  // A sentence of its own (the service is stopping) says more than the contract's.
  return { error: error.code === 'queue_full' && error.message === errorTable.queue_full.sentence ? busy : shortened(error.message) };
}

/** What was thrown as an expected failure; a defect goes to the log with its stack. */
export function expected(thrown: unknown, log: Log, request: FastifyRequest): LecternError {
  const error = asLecternError(thrown);
  if (error.code === 'internal') log.error({ err: thrown, requestId: request.id, route: request.routeOptions.url }, 'a request met a defect');
  return error;
}

export function ollamaErrorHandler(log: Log): (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  return (thrown, request, reply) => {
    const { statusCode, message } = thrown as { statusCode?: unknown; message?: string };
    if (typeof statusCode === 'number' && statusCode < 500 && typeof message === 'string') return sendFailure(request, reply, statusCode, { error: message });
    const error = expected(thrown, log, request);
    if (error.retryable) void reply.header('retry-after', error.code === 'queue_full' ? '1' : '5');
    return sendFailure(request, reply, error.status, describeError(error));
  };
}
