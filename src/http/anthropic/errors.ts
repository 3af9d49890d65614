/** Failures in Anthropic's shape. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, errorTable, type LecternError } from '../../errors.js';
import type { Log } from '../dependencies.js';
import { sendFailure } from '../error-reply.js';
import { shortened } from '../fields.js';
import { expected } from '../openai/errors.js';

/** The contract's words for a failure, where its status does not decide. */
const types: Partial<Record<ErrorCode, string>> = { queue_full: 'overloaded_error', out_of_memory: 'overloaded_error', timeout: 'timeout_error' };
const typesByStatus: Record<number, string> = { 401: 'authentication_error', 403: 'permission_error', 404: 'not_found_error', 413: 'request_too_large', 429: 'rate_limit_error' };

export interface AnthropicError {
  type: 'error';
  error: { type: string; message: string };
  request_id: string;
}

/** As the contract names the failure of a status without a code of this service. */
export function typeOfStatus(status: number): string {
  return typesByStatus[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}

export function describeError(error: LecternError, { id }: FastifyRequest): AnthropicError {
  const message = error.code === 'internal' ? errorTable.internal.sentence : shortened(error.message);
  return { type: 'error', error: { type: types[error.code] ?? typeOfStatus(error.status), message }, request_id: id };
}

export function anthropicErrorHandler(log: Log): (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  return (thrown, request, reply) => {
    const error = expected(thrown, log, request);
    if (error.retryable) void reply.header('retry-after', error.code === 'queue_full' ? '1' : '5');
    return sendFailure(request, reply.header('request-id', request.id), error.status, describeError(error, request));
  };
}
