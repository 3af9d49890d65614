/** The routes of Ollama's contract, in a scope with its own reading of bodies and its own format of errors. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../dependencies.js';
import { sendJson } from '../error-reply.js';
import { readJsonBodies } from '../json-body.js';
import type { LanguageServices } from '../language.js';
import { asksForPage } from '../page/routes.js';
import type { LanguageRoute } from './answering.js';
import { addChat } from './chat.js';
import { addEmbed } from './embed.js';
import { ollamaErrorHandler } from './errors.js';
import { addGenerate } from './generate.js';
import { addLists } from './lists.js';
import { addPull } from './pull.js';
import { addShow } from './show.js';

/** The release of Ollama whose routes these are, and whose command line they serve. */
const ollamaVersion = '0.33.0';

const readOnly = 'Models are not changed over HTTP: the model directories of this service are read-only. `lectern models` manages them on its host.';
const changing: [method: 'POST' | 'DELETE' | 'HEAD', path: string][] = [
  ['POST', '/api/create'], ['POST', '/api/push'], ['POST', '/api/copy'], ['DELETE', '/api/delete'], ['POST', '/api/blobs/*'], ['HEAD', '/api/blobs/*'],
];

export function addOllama(scope: FastifyInstance, services: LanguageServices, log: Log): void {
  readJsonBodies(scope, services);
  scope.setErrorHandler(ollamaErrorHandler(log));
  const route: LanguageRoute = { services, log };
  scope.route({ method: ['GET', 'HEAD'], url: '/', handler: async (request, reply) => {
    void reply.header('vary', 'accept, origin');
    return asksForPage(request) ? reply.code(307).header('location', 'ui/').send() : reply.type('text/plain; charset=utf-8').send('Ollama is running');
  } });
  scope.route({ method: ['GET', 'HEAD'], url: '/api/version', handler: async (_request, reply) => sendJson(reply, 200, { version: ollamaVersion }) });
  scope.get('/api/status', async (_request, reply) => sendJson(reply, 200, { cloud: { disabled: true, source: 'config' } }));
  scope.post('/api/me', async (_request, reply) => sendJson(reply, 503, { error: 'account unavailable' }));
  for (const [method, url] of changing) {
    const refuse = async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => sendJson(reply, 405, { error: readOnly });
    // Refused before the body is read, which may be a blob of gigabytes.
    scope.route({ method, url, onRequest: refuse, handler: refuse });
  }
  addChat(scope, route);
  addGenerate(scope, route);
  addEmbed(scope, route);
  addLists(scope, route);
  addPull(scope, route, readOnly);
  addShow(scope, route);
}
