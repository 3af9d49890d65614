/** GET /api/tags and /api/ps. */
import type { FastifyInstance } from 'fastify';
import { expiryOf } from '../../models/keep-alive-notation.js';
import { displayName, parseModelName } from '../../models/model-name.js';
import type { CatalogueEntry, DistantEntry, ResidentModel } from '../../models/types.js';
import type { VisionEntry } from '../../models/vision-entry.js';
import { sendJson } from '../error-reply.js';
import type { LanguageRoute } from './answering.js';

export function describeDetails({ details, description }: CatalogueEntry): Record<string, unknown> {
  return {
    parent_model: details.parentModel,
    format: details.format,
    family: details.family,
    families: details.families,
    parameter_size: details.parameterSize,
    quantization_level: details.quantizationLevel,
    context_length: description.context,
    embedding_length: description.embeddingLength,
  };
}

/** A vision model among what is loaded: what Ollama's own clients ask of details, and nothing that it has not got. */
function describeVision(entry: VisionEntry | DistantEntry): Record<string, unknown> {
  const family = 'kind' in entry ? entry.kind : 'conversion';
  return { parent_model: '', format: 'onnx', family, families: [family], parameter_size: '', quantization_level: '' };
}

function describeTag(entry: CatalogueEntry, name: string): Record<string, unknown> {
  return {
    name,
    model: name,
    modified_at: entry.modifiedAt.toISOString(),
    size: entry.sizeBytes,
    digest: entry.digest,
    details: describeDetails(entry),
    capabilities: entry.capabilities,
  };
}

/** As Ollama shows a copy, with its tag: its clients search for `gpt-4o:latest` where a user wrote `gpt-4o`. */
function shownAlias(alias: string): string {
  const parsed = parseModelName(alias);
  return parsed === undefined ? alias : displayName(parsed);
}

export function addLists(scope: FastifyInstance, { services }: LanguageRoute): void {
  const tags = async (): Promise<Record<string, unknown>> => {
    const entries = await services.catalogue.list();
    const aliases = await services.catalogue.aliases();
    // Behind its model, so that the latest stay first.
    const models = entries.flatMap((entry) => [
      describeTag(entry, entry.name), ...aliases.filter(([, { name }]) => name === entry.name).map(([alias]) => describeTag(entry, shownAlias(alias))),
    ]);
    return { models };
  };
  scope.route({ method: ['GET', 'HEAD'], url: '/api/tags', handler: async (_request, reply) => sendJson(reply, 200, await tags()) });
  scope.get('/api/ps', async (request, reply) => {
    const now = services.now();
    const residents: ResidentModel<CatalogueEntry | VisionEntry | DistantEntry>[] = [...services.residency.list(), ...services.vision.listVision(), ...together(services.vision.listDistant())];
    const models = residents
      .map((resident) => ({ ...resident, expiresAt: resident.expiresAt ?? expiryOf(now, resident.keepAlive) }))
      .sort((a, b) => b.expiresAt.getTime() - a.expiresAt.getTime())
      .map(({ entry, bytes, onDevice, expiresAt, context, state, progress }) => ({
        name: entry.name,
        model: entry.name,
        size: bytes,
        digest: entry.digest,
        details: 'details' in entry ? describeDetails(entry) : describeVision(entry),
        expires_at: expiresAt.toISOString(),
        size_vram: onDevice ? bytes : 0,
        context_length: context,
        ...(state === 'loaded' ? {} : { state, progress }),
      }));
    const { slots } = services;
    // Beyond Ollama's contract, whose clients pass over what they do not know: how many wait, and at which places the caller's own requests are.
    return sendJson(reply, 200, { models, queue: { waiting: slots.waiting, own: slots.positionsOf(request.caller.identity) } });
  });
}

/** Networks of one name, which each worker opens for itself, as one row with the sum: it is there as long as the last of them, and for ever while one is in use. */
function together(all: ResidentModel<DistantEntry>[]): ResidentModel<DistantEntry>[] {
  const rows = new Map<string, ResidentModel<DistantEntry>>();
  for (const one of all) {
    const row = rows.get(one.entry.name);
    rows.set(one.entry.name, row === undefined ? one : {
      ...row,
      state: row.state === 'loaded' ? row.state : one.state,
      progress: Math.max(row.progress, one.progress),
      bytes: row.bytes + one.bytes,
      expiresAt: row.expiresAt === null || one.expiresAt === null ? null : new Date(Math.max(row.expiresAt.getTime(), one.expiresAt.getTime())),
      uses: row.uses + one.uses,
    });
  }
  return [...rows.values()];
}
