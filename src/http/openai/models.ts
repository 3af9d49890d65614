/** GET /v1/models and one of them. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
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
  scope.get('/v1/models', async (request, reply) => {
    const models = (await catalogue.list()).map((entry) => [entry] as const);
    // After the models: clients that choose among what is listed find what the settings call them.
    const named = [...models, ...(await catalogue.aliases()).map(([alias, entry]) => [entry, alias] as const)];
    if (!isAnthropic(request)) return sendJson(reply, 200, { object: 'list', data: named.map(([entry, alias]) => describe(entry, alias)) });
    const data = named.map(([entry, alias]) => describeForAnthropic(entry, alias));
    return sendJson(reply, 200, { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null });
  });
  // Names may hold slashes.
  scope.get('/v1/models/*', async (request, reply) => {
    const name = (request.params as { '*': string })['*'];
    const entry = await catalogue.find(name);
    const alias = (await catalogue.aliases()).find(([one, meant]) => one === name && meant.name === entry.name);
    return sendJson(reply, 200, isAnthropic(request) ? describeForAnthropic(entry, alias?.[0]) : describe(entry, alias?.[0]));
  });
}

/** Both contracts have these paths; clients of Anthropic's say so in every request. */
function isAnthropic({ headers }: FastifyRequest): boolean {
  return headers['anthropic-version'] !== undefined;
}

function describeForAnthropic({ name, modifiedAt, description }: CatalogueEntry, id = name): { id: string } & Record<string, unknown> {
  return { type: 'model', id, display_name: id, created_at: modifiedAt.toISOString(), max_input_tokens: description.context };
}
