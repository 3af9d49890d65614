/** GET /v1/models and one of them. */
import type { FastifyInstance } from 'fastify';
import type { CatalogueEntry } from '../../models/types.js';
import { sendJson } from '../error-reply.js';
import type { LanguageServices } from '../language.js';

export function addModels(scope: FastifyInstance, { catalogue, residency }: LanguageServices): void {
  const describe = (entry: CatalogueEntry, id = entry.name): Record<string, unknown> => {
    const resident = residency.list().find((one) => one.entry.name === entry.name);
    return {
      id,
      object: 'model',
      created: Math.floor(entry.modifiedAt.getTime() / 1000),
      owned_by: 'library',
      // What it was trained for, and what it is loaded with: nothing is cut in silence.
      context_length: entry.description.context,
      ...(resident === undefined ? {} : { loaded_context_length: resident.context }),
    };
  };
  scope.get('/v1/models', async (_request, reply) => {
    const models = (await catalogue.list()).map((entry) => describe(entry));
    // After the models: clients that choose among what is listed find what the settings call them.
    const aliases = (await catalogue.aliases()).map(([alias, entry]) => describe(entry, alias));
    return sendJson(reply, 200, { object: 'list', data: [...models, ...aliases] });
  });
  // Names may hold slashes.
  scope.get('/v1/models/*', async (request, reply) => {
    const name = (request.params as { '*': string })['*'];
    const entry = await catalogue.find(name);
    const alias = (await catalogue.aliases()).find(([one, meant]) => one === name && meant.name === entry.name);
    return sendJson(reply, 200, describe(entry, alias?.[0]));
  });
}
