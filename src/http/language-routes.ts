/** The routes of language models, each contract's in a scope of its own, and how a path that none of them knows is refused. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { typeOfStatus } from './anthropic/errors.js';
import { addAnthropic } from './anthropic/routes.js';
import type { Log } from './dependencies.js';
import type { LanguageServices } from './language.js';
import { addOllama } from './ollama/routes.js';
import { addOpenAi } from './openai/routes.js';
import { addRerank } from './rerank/routes.js';

export function addLanguageRoutes(app: FastifyInstance, language: LanguageServices, log: Log): void {
  void app.register(async (scope) => addOpenAi(scope, language, log));
  void app.register(async (scope) => addAnthropic(scope, language, log));
  void app.register(async (scope) => addOllama(scope, language, log));
  void app.register(async (scope) => addRerank(scope, language, log));
}

/** Of what docling-serve has under /v1. What else is asked for there is asked for by clients of language models. */
const ofDocuments = /^\/v1(alpha)?\/(convert|chunk|status|result|tasks|clear|memory|callback|presets?)(\/|$)/;

/** In the shape of the contract that the path belongs to: clients show what they find where it belongs. */
export function describeRefusal({ id }: FastifyRequest, path: string, status: 404 | 405, sentence: string): Record<string, unknown> {
  if (path.startsWith('/api/')) return { error: sentence };
  if (!path.startsWith('/v1/') || ofDocuments.test(path)) return { detail: sentence };
  if (/^\/v1\/messages(\/|$)/.test(path)) return { type: 'error', error: { type: typeOfStatus(status), message: sentence }, request_id: id };
  return { error: { message: sentence, type: status === 404 ? 'not_found_error' : 'invalid_request_error', param: null, code: null } };
}
