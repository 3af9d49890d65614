/** Answers connections whose bytes are no HTTP request, or whose request ends too early or arrives too slowly, and refuses requests whose head has more than one reading. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { closeAfterReply, lastReply } from '../network/close-after-reply.js';
import { HttpFailure } from './error-reply.js';

/** Fastify's handler of client errors. There is no request then, only the socket, which is destroyed when the answer has been sent. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  const { _httpMessage: answer } = socket as Socket & { _httpMessage?: ServerResponse | null };
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  // An answer that has begun cannot be replaced. Its bytes so far must reach the client, even one that is still sending.
  if (answer?.headersSent === true) {
    closeAfterReply(socket, '');
    return;
  }
  const [status, detail] = error.code === 'HPE_HEADER_OVERFLOW'
    ? ['431 Request Header Fields Too Large', 'The headers of the request are too large.'] as const
    : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? ['408 Request Timeout', 'The request was not complete in time.'] as const
      : ['400 Bad Request', 'Invalid HTTP request received.'] as const;
  closeAfterReply(socket, lastReply(status, detail));
}

/**
 * Header fields of a request. Node passes over what comes behind 1,000 without a word, and that may be the header by which a proxy says for
 * whom it speaks.
 */
const mostFields = 500;

/**
 * Adds the header to every answer that keeps browsers from guessing another content type, and refuses requests that a proxy in front may have
 * read in another way: RFC 9112, section 3.2, requires exactly one Host field in a request of HTTP/1.1.
 */
export function addHeadRules(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw }, reply) => {
    void reply.headers(safeHeaders);
    if (raw.rawHeaders.length > 2 * mostFields) {
      throw new HttpFailure(431, `The request has more than ${mostFields} header fields.`, { connection: 'close' });
    }
    const hosts = countHosts(raw);
    if (hosts > 1 || (hosts === 0 && raw.httpVersion === '1.1')) {
      throw new HttpFailure(400, hosts > 1 ? 'The request has more than one Host header.' : 'The request has no Host header.', { connection: 'close' });
    }
  });
  // Node answers these itself, without the headers of this service.
  (app.server as Server).on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(417, { ...safeHeaders, connection: 'close' }).end();
  });
}

export const safeHeaders = { 'x-content-type-options': 'nosniff' };

/** The number of Host fields in the head as it was sent; the parsed headers keep only the first. */
function countHosts({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') count++;
  }
  return count;
}
