/** GET /v1/models and one of them. */
import type { FastifyInstance } from 'fastify';
import type { CatalogueEntry } from '../../models/types.js';
import { sendJson } from '../error-reply.js';
import type { LanguageServices } from '../language.js';

export function addModels(scope: FastifyInstance, { catalogue, residency }: LanguageServices): void {
  const describe = (entry: CatalogueEntry): Record<string, unknown> => {
    const resident = residency.list().find((one) => one.entry.name === entry.name);
    return {
      id: entry.name,
      object: 'model',
      created: Math.floor(entry.modifiedAt.getTime() / 1000),
      owned_by: 'library',
      // What it was trained for, and what it is loaded with: nothing is cut in silence.
      context_length: entry.description.context,
      ...(resident === undefined ? {} : { loaded_context_length: resident.context }),
    };
  };
  scope.get('/v1/models', async (_request, reply) => sendJson(reply, 200, { object: 'list', data: (await catalogue.list()).map(describe) }));
  // Names may hold slashes.
  scope.get('/v1/models/*', async (request, reply) => {
    const name = (request.params as { '*': string })['*'];
    return sendJson(reply, 200, describe(await catalogue.find(name)));
  });
}
