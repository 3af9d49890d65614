/** OpenAI's contract: its routes in a scope with their own bodies and failures. */
import type { FastifyInstance } from 'fastify';
import type { Log } from '../dependencies.js';
import { readJsonBodies } from '../json-body.js';
import type { LanguageServices } from '../language.js';
import { addChat } from './chat.js';
import { addCompletions } from './completions.js';
import { addEmbeddings } from './embeddings.js';
import { openAiErrorHandler } from './errors.js';
import { addModels } from './models.js';
import { addResponses } from './responses.js';
import { addTokens } from './tokens.js';

export function addOpenAi(scope: FastifyInstance, services: LanguageServices, log: Log): void {
  readJsonBodies(scope, services);
  scope.setErrorHandler(openAiErrorHandler(log));
  addChat(scope, services, log);
  addCompletions(scope, services, log);
  addEmbeddings(scope, services);
  addModels(scope, services);
  addTokens(scope, services);
  addResponses(scope, services, log);
}
