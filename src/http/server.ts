/** The HTTP server: what every request meets first and last. Resources add their routes to it; app.ts opens its ports. */
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import multipart from '@fastify/multipart';
import websocket from '@fastify/websocket';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { addAccessRules } from './access.js';
import { addCallers } from './caller.js';
import { addConvertRoutes } from './conversion/convert.js';
import { addRefusedRoutes } from './conversion/refused-routes.js';
import { addStatusSocket } from './conversion/status-socket.js';
import { addTaskRoutes } from './conversion/task-routes.js';
import { WaitingCounts } from './conversion/waiting-counts.js';
import type { HttpDependencies } from './dependencies.js';
import { errorHandler, sendJson } from './error-reply.js';
import { KnownRoutes } from './known-routes.js';
import { addOllama } from './ollama/routes.js';
import { addOpenAi } from './openai/routes.js';
import { addPatience } from './patience.js';
import { AnswerableRequest } from './upgrade-offers.js';
import { addDescriptionRoutes } from './service/description.js';
import { addHealthRoutes } from './service/health.js';
import { addMetricsRoute, measureRequests } from './service/metrics.js';

const longestIdInPath = 500;
const longestSocketMessage = 64 * 1024;

/** Ready to listen. Further resources may be registered on it before that; their failures are answered in the same way. */
export function createServer(dependencies: HttpDependencies): FastifyInstance {
  const { settings, log } = dependencies;
  const app = Fastify({
    logger: false,
    genReqId: freshRequestId,
    exposeHeadRoutes: false,
    keepAliveTimeout: 60_000,
    // A whole request, body included: 100 MB within that time are 1 Mbit/s. Whoever stalls is cut off sooner (patience.ts).
    requestTimeout: 900_000,
    http: { headersTimeout: 30_000, IncomingMessage: AnswerableRequest },
    // While it closes, the task table answers 503 with the contract's body.
    return503OnClosing: false,
    routerOptions: { maxParamLength: longestIdInPath },
    frameworkErrors: (_error, _request, reply) => { sendJson(reply, 404, { detail: 'Not Found' }); },
    clientErrorHandler: answerBrokenRequest,
  });
  const routes = new KnownRoutes();
  app.addHook('onRoute', ({ url, method }) => routes.add(url, method));
  const series = measureRequests(app, log);
  addPatience(app, dependencies.patience);
  addAccessRules(app, settings);
  addCallers(app, dependencies.gate);
  app.setErrorHandler(errorHandler(log));
  // Before the body is looked at: an unknown path is unknown whatever it was sent.
  app.addHook('onRequest', async (request, reply) => (request.is404 ? answerUnknown(routes, request, reply) : undefined));
  addMetricsRoute(app, dependencies, series);
  void app.register(websocket, {
    options: { maxPayload: longestSocketMessage },
    errorHandler: (error, socket) => {
      log.debug({ err: error }, 'a WebSocket failed');
      socket.terminate();
    },
  });
  void app.register(async (scope) => {
    addHealthRoutes(scope, dependencies);
    addDescriptionRoutes(scope, dependencies);
  });
  void app.register(async (scope) => addConversion(scope, dependencies));
  const { language } = dependencies;
  if (language !== undefined) {
    void app.register(async (scope) => addOpenAi(scope, language, log));
    void app.register(async (scope) => addOllama(scope, language, log));
  }
  return app;
}

/** As one stretch of memory: Node joins an id of twenty pieces, 600 bytes of a request that waits. */
function freshRequestId(): string {
  return Buffer.from(randomUUID(), 'latin1').toString('latin1');
}

/** The v1 contract. Its bodies are read by the routes themselves, as streams. */
async function addConversion(scope: FastifyInstance, dependencies: HttpDependencies): Promise<void> {
  const waiting = new WaitingCounts(dependencies.tasks);
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
  await scope.register(multipart);
  addConvertRoutes(scope, dependencies, waiting);
  addTaskRoutes(scope, dependencies, waiting);
  addStatusSocket(scope, dependencies, waiting);
  addRefusedRoutes(scope);
}

function answerUnknown(routes: KnownRoutes, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [path = '', query] = splitOnce(request.url, '?');
  const methods = routes.methodsOf(path);
  if (methods.length > 0) return sendJson(reply.header('allow', methods.join(', ')), 405, describeRefusal(path, 405, 'Method Not Allowed'));
  const shorter = path.replace(/\/+$/, '');
  if (shorter !== path && routes.methodsOf(shorter).length > 0) {
    return reply.code(307).header('location', query === undefined ? shorter : `${shorter}?${query}`).send();
  }
  return sendJson(reply, 404, describeRefusal(path, 404, 'Not Found'));
}

/** Of what docling-serve has under /v1. What else is asked for there is asked for by clients of language models. */
const ofDocuments = /^\/v1(alpha)?\/(convert|chunk|status|result|tasks|clear|memory|callback|presets?)(\/|$)/;

/** In the shape of the contract that the path belongs to: clients show what they find where it belongs. */
function describeRefusal(path: string, status: 404 | 405, sentence: string): Record<string, unknown> {
  if (path.startsWith('/api/')) return { error: sentence };
  if (!path.startsWith('/v1/') || ofDocuments.test(path)) return { detail: sentence };
  return { error: { message: sentence, type: status === 404 ? 'not_found_error' : 'invalid_request_error', param: null, code: null } };
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** Bytes that are no HTTP request never become one; all that is left is the socket. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, detail] = error.code === 'HPE_HEADER_OVERFLOW'
    ? ['431 Request Header Fields Too Large', 'The headers of the request are too large.']
    : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? ['408 Request Timeout', 'The request was not complete in time.']
      : ['400 Bad Request', 'Invalid HTTP request received.'];
  const body = JSON.stringify({ detail });
  socket.end(`HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`);
}
