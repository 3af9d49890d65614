/** /mcp: the tools and results of this service for AI programs, by the Model Context Protocol over streamable HTTP. */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { asLecternError, errorTable, LecternError } from '../../errors.js';
import { refusal, ToolSessions } from '../../mcp/sessions.js';
import { ClientGone } from '../client-gone.js';
import type { HttpDependencies } from '../dependencies.js';
import { readJsonBodies } from '../json-body.js';
import { parseJson } from '../../chat/sandbox/json-text.js';
import { tenantOf } from '../conversion/task-status.js';
import { InnerRequests, innerService } from './inner-service.js';

/** Of JSON-RPC. */
const parseError = -32700;
const internalError = -32603;

export function addMcp(scope: FastifyInstance, { language, log, version }: Pick<HttpDependencies, 'language' | 'log' | 'version'>): void {
  readJsonBodies(scope, language ?? { readJson: async (pieces) => parseJson(Buffer.concat(pieces)) });
  const inner = new InnerRequests();
  const sessions = new ToolSessions({ version, onDefect: (thrown) => log.error({ err: thrown }, 'a tool met a defect') });
  scope.addHook('onClose', () => sessions.close());
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { signal: gone } = new ClientGone(reply);
    const answer = await sessions.handle({ request: webRequest(request), body: request.body, owner: JSON.stringify([request.caller.identity, tenantOf(request)]), service: innerService(scope.server, request, inner) }, gone);
    return sendWeb(reply, answer);
  };
  // There is no GET: nothing is sent without being asked for.
  scope.route({ method: ['POST', 'DELETE'], url: '/mcp', handler });
  scope.setErrorHandler((thrown, request, reply) => {
    const { statusCode, message } = thrown as { statusCode?: number; message?: string };
    const error = typeof statusCode === 'number' && statusCode < 500 ? new LecternError('invalid_request', message) : asLecternError(thrown);
    if (error.code === 'internal') log.error({ err: thrown, requestId: request.id, route: '/mcp' }, 'a request met a defect');
    const sentence = error.code === 'internal' ? errorTable.internal.sentence : error.message;
    return sendWeb(reply, refusal(error.code === 'invalid_request' ? statusCode ?? error.status : error.status, error.status < 500 ? parseError : internalError, sentence));
  });
}

function webRequest({ method, headers, url }: FastifyRequest): Request {
  const named = Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((one): [string, string] => [name, one]));
  // The body was read already.
  return new Request(new URL(url, 'http://lectern.localhost'), { method, headers: named.filter(([name]) => !['content-length', 'transfer-encoding', 'connection', 'expect', 'keep-alive'].includes(name)) });
}

function sendWeb(reply: FastifyReply, answer: Response): FastifyReply {
  void reply.code(answer.status);
  answer.headers.forEach((value, name) => { if (name !== 'connection') void reply.header(name, value); });
  return reply.send(answer.body === null ? undefined : Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]));
}
