/** The HTTP server: what every request meets first and last. Resources add their routes to it; app.ts opens its ports. */
import { randomUUID } from 'node:crypto';
import websocket from '@fastify/websocket';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { addAccessRules } from './browser-origins.js';
import { addHeadRules, answerBrokenRequest, safeHeaders } from './broken-request.js';
import { addCallers } from './access-gate.js';
import { addConversion } from './conversion/routes.js';
import type { HttpDependencies } from './dependencies.js';
import { errorHandler, sendJson } from './error-reply.js';
import { KnownRoutes } from './known-routes.js';
import { addLanguageRoutes, describeRefusal } from './language-routes.js';
import { addPatience, usualPatience } from './patience.js';
import { limitPipelining } from './pipelining.js';
import { AnswerableRequest } from './upgrade-offers.js';
import { addUploadLimit } from './uploads.js';
import { RecentFailures } from './service/recent-failures.js';
import { addServiceRoutes } from './service/routes.js';
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
    // A whole request, body included: 100 MB within that time are 1 Mbit/s. A sender that stalls is cut off sooner (patience.ts).
    requestTimeout: 900_000,
    // Unfinished heads are searched for every 5 s. A head without a Host is refused by addHeadRules.
    http: { headersTimeout: 30_000, connectionsCheckingInterval: 5_000, requireHostHeader: false, IncomingMessage: AnswerableRequest },
    // While it closes, the task table answers 503 with the contract's body.
    return503OnClosing: false,
    routerOptions: { maxParamLength: longestIdInPath },
    frameworkErrors: (_error, _request, reply) => { sendJson(reply.headers(safeHeaders), 404, { detail: 'Not Found' }); },
    clientErrorHandler: answerBrokenRequest,
  });
  limitPipelining(app.server);
  const routes = new KnownRoutes();
  app.addHook('onRoute', ({ url, method }) => routes.add(url, method));
  const failures = new RecentFailures();
  const series = measureRequests(app, log, failures);
  addHeadRules(app);
  addPatience(app, { ...usualPatience, ...(settings.minUploadRate === undefined ? {} : { bytesPerSecond: settings.minUploadRate }), ...dependencies.patience });
  addAccessRules(app, settings);
  addCallers(app, dependencies.gate);
  if (settings.uploadsPerCaller !== undefined) addUploadLimit(app, settings.uploadsPerCaller);
  app.setErrorHandler(errorHandler(log));
  // Before the body is read: an unknown path is unknown whatever it was sent.
  app.addHook('onRequest', async (request, reply) => (request.is404 ? answerUnknown(routes, request, reply) : undefined));
  addMetricsRoute(app, dependencies, series);
  void app.register(websocket, {
    // One message of a connection in each turn of the main loop: a read holds 10,000 small ones, and 300 such connections kept other callers waiting for 7 s.
    options: { maxPayload: longestSocketMessage, allowSynchronousEvents: false },
    errorHandler: (error, socket) => {
      log.debug({ err: error }, 'a WebSocket failed');
      socket.terminate();
    },
  });
  addServiceRoutes(app, dependencies, failures);
  void app.register(async (scope) => addConversion(scope, dependencies));
  if (dependencies.language !== undefined) addLanguageRoutes(app, dependencies.language, log);
  return app;
}

/** As one stretch of memory: Node joins an id of twenty pieces, 600 bytes of a request that waits. */
function freshRequestId(): string {
  return Buffer.from(randomUUID(), 'latin1').toString('latin1');
}

function answerUnknown(routes: KnownRoutes, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [path = '', query] = splitOnce(request.url, '?');
  const methods = routes.methodsOf(path);
  if (methods.length > 0) return sendJson(reply.header('allow', methods.join(', ')), 405, describeRefusal(request, path, 405, 'Method Not Allowed'));
  const shorter = path.replace(/\/+$/, '');
  if (shorter !== path && routes.methodsOf(shorter).length > 0) {
    return reply.code(307).header('location', query === undefined ? shorter : `${shorter}?${query}`).send();
  }
  return sendJson(reply, 404, describeRefusal(request, path, 404, 'Not Found'));
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
