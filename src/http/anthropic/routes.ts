/** Anthropic's contract of messages: its routes in a scope with their own bodies and failures. */
import type { FastifyInstance } from 'fastify';
import type { Log } from '../dependencies.js';
import { readJsonBodies } from '../json-body.js';
import type { LanguageServices } from '../language.js';
import { anthropicErrorHandler } from './errors.js';
import { addMessages } from './messages.js';

export function addAnthropic(scope: FastifyInstance, services: LanguageServices, log: Log): void {
  readJsonBodies(scope, services);
  scope.setErrorHandler(anthropicErrorHandler(log));
  // Clients of the contract show this header's id beside a failure.
  scope.addHook('onRequest', async (request, reply) => { void reply.header('request-id', request.id); });
  addMessages(scope, services, log);
}
