/** The form of a failure on the wire: the contract's `detail` bodies, a request id on each, defects without their cause. */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LecternError } from '../errors.js';
import type { Log } from './dependencies.js';

export type Location = (string | number)[];

/** One thing that is wrong with a request, in the words of the contract's validator. */
export interface Issue {
  type: string;
  loc: Location;
  msg: string;
}

/** An answer that is no success; `detail` is fit for the client. */
export class HttpFailure extends Error {
  constructor(
    readonly status: number,
    readonly detail: string | Issue[],
    readonly headers: Record<string, string> = {},
    /** Beside `detail` in the body. */
    readonly extra: Record<string, unknown> = {},
  ) {
    super(typeof detail === 'string' ? detail : detail.map((issue) => issue.msg).join(' '));
    this.name = 'HttpFailure';
  }
}

/** 422 with the validator's list. */
export function invalid(issues: Issue[]): HttpFailure {
  return new HttpFailure(422, issues);
}

export const internalDetail = 'Internal processing error.';

/** JSON as the contract writes it: compact, and `application/json` without a charset (Fastify adds one to strings). */
export function sendJson(reply: FastifyReply, status: number, body: unknown): FastifyReply {
  return reply.code(status).header('content-type', 'application/json').send(Buffer.from(JSON.stringify(body)));
}

/** What the client gets for anything that was thrown; undefined for a defect. */
function asHttpFailure(thrown: unknown): HttpFailure | undefined {
  if (thrown instanceof HttpFailure) return thrown;
  if (thrown instanceof LecternError) return fromLecternError(thrown);
  const { statusCode, code } = thrown as { statusCode?: unknown; code?: unknown };
  if (code === 'EMFILE' || code === 'ENFILE') return new HttpFailure(503, 'The service has too many files open, please try again shortly.', { 'retry-after': '1' });
  // Fastify's own refusals (a body too large, a bad URL) carry a status; their texts name nothing private.
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return new HttpFailure(statusCode, (thrown as Error).message);
  }
  return undefined;
}

function fromLecternError(error: LecternError): HttpFailure | undefined {
  if (error.code === 'internal') return undefined;
  if (error.code === 'queue_full') return new HttpFailure(503, error.message, { 'retry-after': '1' });
  // The table refuses like this while it closes: another process may answer the next try.
  if (error.code === 'invalid_state') return new HttpFailure(503, error.message, { 'retry-after': '5' });
  return new HttpFailure(error.status, error.message, error.retryable ? { 'retry-after': '5' } : {});
}

/** Fastify's error handler. Defects go to the log with their stack, to the client as one sentence. */
export function errorHandler(log: Log): (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  return (thrown, request, reply) => {
    const failure = asHttpFailure(thrown);
    if (failure === undefined) {
      log.error({ err: thrown, requestId: request.id, route: request.routeOptions.url }, 'a request met a defect');
      return sendDetail(request, reply, new HttpFailure(500, internalDetail));
    }
    return sendDetail(request, reply, failure);
  };
}

function sendDetail(request: FastifyRequest, reply: FastifyReply, failure: HttpFailure): FastifyReply {
  return sendFailure(request, reply.headers(failure.headers), failure.status, { detail: failure.detail, ...failure.extra });
}

/** Also before the client has sent all of its request. */
export function sendFailure(request: FastifyRequest, reply: FastifyReply, status: number, body: unknown): FastifyReply {
  if (request.raw.readableEnded || request.raw.destroyed || !hasBody(request)) return sendJson(reply, status, body);
  return sendWhileReading(request, reply, status, Buffer.from(JSON.stringify(body)));
}

function hasBody(request: FastifyRequest): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** A client that has not stopped sending by then is cut off. */
const lingerMs = 30_000;

/**
 * Answers before the upload is complete. Closing a socket with unread data resets it, and a client that sends first and
 * reads afterwards would never see the answer: so the rest is read and dropped, for a while, and the connection then closed.
 */
function sendWhileReading(request: FastifyRequest, reply: FastifyReply, status: number, body: Buffer): FastifyReply {
  const answer = new Readable({ read: () => undefined });
  const end = (): void => {
    clearTimeout(timer);
    if (!answer.readableEnded && !answer.destroyed) answer.push(null);
  };
  const timer = setTimeout(end, lingerMs);
  request.raw.on('end', end).on('close', end).on('error', end);
  request.raw.unpipe();
  request.raw.resume();
  answer.push(body);
  return reply.code(status)
    .headers({ 'content-type': 'application/json', 'content-length': String(body.length), connection: 'close' })
    .send(answer);
}
