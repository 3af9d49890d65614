/** Failures in OpenAI's shape. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { asLecternError, errorTable, type ErrorCode, LecternError } from '../../errors.js';
import type { Log } from '../dependencies.js';
import { sendFailure } from '../error-reply.js';
import { FieldError, shortened } from '../fields.js';

export interface OpenAiError {
  error: { message: string; type: string; param: string | null; code: string | null };
}

/** The contract's own words for what clients decide by. */
const codes: Partial<Record<ErrorCode, string>> = {
  model_not_found: 'model_not_found',
  context_overflow: 'context_length_exceeded',
  queue_full: 'server_busy',
  out_of_memory: 'insufficient_memory',
  too_large: 'request_too_large',
};

/** What each route calls the text that may be too long. */
const promptNames: Record<string, string> = { '/v1/chat/completions': 'messages', '/v1/completions': 'prompt', '/v1/embeddings': 'input', '/v1/responses': 'input', '/v1/rerank': 'documents', '/v2/rerank': 'documents', '/rerank': 'documents' };

export function describeError(error: LecternError, { routeOptions }: FastifyRequest): OpenAiError {
  const { status } = error;
  const type = status === 404 ? 'not_found_error' : status < 500 ? 'invalid_request_error' : 'api_error';
  const message = error.code === 'internal' ? errorTable.internal.sentence : shortened(error.message);
  return { error: { message, type, param: paramOf(error, routeOptions.url ?? ''), code: codes[error.code] ?? null } };
}

function paramOf(error: LecternError, route: string): string | null {
  if (error instanceof FieldError && error.param !== '') return error.param;
  if (error.code === 'context_overflow' || error.about === 'prompt') return promptNames[route] ?? null;
  if (error.about === 'tools') return 'tools';
  if (error.about === 'format') return route === '/v1/responses' ? 'text.format' : 'response_format';
  return error.code === 'model_not_found' ? 'model' : null;
}

/** What was thrown as an expected failure; a defect goes to the log with its stack. */
export function expected(thrown: unknown, log: Log, request: FastifyRequest): LecternError {
  const { statusCode, code, message } = thrown as { statusCode?: unknown; code?: unknown; message?: string };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new LecternError('too_large', 'The request body is too large.');
  if (typeof statusCode === 'number' && statusCode < 500 && typeof message === 'string') return new FieldError('', message);
  const error = asLecternError(thrown);
  if (error.code === 'internal') log.error({ err: thrown, requestId: request.id, route: request.routeOptions.url }, 'a request met a defect');
  return error;
}

type Describe = (error: LecternError, request: FastifyRequest) => object;

/** `describe`: the body of the answer. */
export function openAiErrorHandler(log: Log, describe: Describe = describeError): (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  return (thrown, request, reply) => {
    const error = expected(thrown, log, request);
    if (error.retryable) void reply.header('retry-after', error.code === 'queue_full' ? '1' : '5');
    return sendFailure(request, reply, error.status, describe(error, request));
  };
}
