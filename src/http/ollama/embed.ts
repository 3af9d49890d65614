/** POST /api/embed and its older form /api/embeddings. */
import type { FastifyInstance } from 'fastify';
import { LecternError } from '../../errors.js';
import { parseKeepAlive } from '../../models/keep-alive-notation.js';
import type { CatalogueEntry, Lease } from '../../models/types.js';
import { embedAll, type Embedded, itemsOf, shorten } from '../embedding.js';
import { sendJson } from '../error-reply.js';
import { jsonPieces, sendPieces } from '../json-pieces.js';
import { FieldError, type Fields } from '../fields.js';
import { purposeOf, takeTurn } from '../language.js';
import { type LanguageRoute, nanoseconds, untilUnloaded } from './answering.js';
import { findModel, notFound, readBody, readModelName } from './body.js';

export function addEmbed(scope: FastifyInstance, route: LanguageRoute): void {
  const { services } = route;
  scope.post('/api/embed', async (request, reply) => {
    const began = performance.now();
    const fields = readBody(request.body);
    const { model, entry, keepAlive } = await readCommon(route, fields);
    const inputs = readInput(fields);
    const truncate = fields.boolean('truncate') ?? true;
    const dimensions = fields.integer('dimensions', { least: 0 });
    if (inputs.length === 0) return sendJson(reply, 200, { model, embeddings: [] });
    const { embedded, cut, loadMs } = await takeTurn(services, reply, services.embeddingSlots, {
      entry, keepAlive, work: async (lease, signal, took) => ({ ...await embedFitting(lease, inputs, { truncate, signal }), loadMs: took }),
    });
    await untilUnloaded(services, { entry, keepAlive });
    const vectorAt = (index: number): number[] => [...shorten((embedded[index] as Embedded).vector, dimensions === 0 ? undefined : dimensions)];
    return sendPieces(reply, await jsonPieces({
      model,
      embeddings: itemsOf(embedded.length, vectorAt),
      total_duration: nanoseconds(performance.now() - began),
      load_duration: nanoseconds(loadMs),
      prompt_eval_count: embedded.reduce((sum, { promptTokens }) => sum + promptTokens, 0),
      ...(cut.length > 0 ? { prompt_truncated: true, truncated_inputs: cut } : {}),
    }));
  });
  scope.post('/api/embeddings', async (request, reply) => {
    const fields = readBody(request.body);
    const { entry, keepAlive } = await readCommon(route, fields);
    const prompt = fields.string('prompt') ?? '';
    if (prompt === '') return sendJson(reply, 200, { embedding: [] });
    const { embedded, cut } = await takeTurn(services, reply, services.embeddingSlots, {
      entry, keepAlive, work: (lease, signal) => embedFitting(lease, [prompt], { truncate: true, signal, normalise: !givesRaw(entry) }),
    });
    await untilUnloaded(services, { entry, keepAlive });
    return sendJson(reply, 200, { embedding: [...(embedded[0] as Embedded).vector], ...(cut.length > 0 ? { prompt_truncated: true } : {}) });
  });
}

async function readCommon(route: LanguageRoute, fields: Fields): Promise<{ model: string; entry: CatalogueEntry; keepAlive: number | undefined }> {
  const model = readModelName(fields);
  if (model === '') throw new FieldError('model', 'model is required');
  const entry = await findModel(route.services, model, notFound.embed);
  if (!entry.capabilities.includes('embedding')) throw new LecternError('invalid_request', `"${model}" does not support embeddings; it ${purposeOf(entry)}`);
  fields.object('options');
  return { model, entry, keepAlive: parseKeepAlive(fields.raw('keep_alive')) };
}

/** Ollama's older route leaves the vectors of such models as they are: bge-m3's are not of length 1 there. */
function givesRaw({ description: { architecture, metadata } }: CatalogueEntry): boolean {
  return architecture === 'bert' && metadata['tokenizer.ggml.model'] !== 'bert';
}

function readInput(fields: Fields): string[] {
  const value = fields.raw('input');
  if (value === undefined || value === '') return [];
  if (typeof value === 'string') return [value];
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value as string[];
  throw new FieldError('input', 'invalid input type');
}

/** What is too long is cut to the model's context where `truncate` allows; the result names those texts by their numbers. */
async function embedFitting(
  lease: Lease, inputs: string[], { truncate, ...options }: { truncate: boolean; signal: AbortSignal; normalise?: boolean },
): Promise<{ embedded: Embedded[]; cut: number[] }> {
  const cut: number[] = [];
  // An empty text has the vocabulary's begin and end tokens alone.
  const empty = inputs.includes('') ? await lease.model.tokenize('', { addSpecial: true, signal: options.signal }) : [];
  const embedded = await embedAll(lease, inputs.map((input) => (input === '' && empty.length > 0 ? empty : input)), options, async (index, error) => {
    if (!truncate) throw new LecternError('context_overflow', `the input length exceeds the context length: input ${index}: ${error.message}`, { cause: error });
    cut.push(index);
    return lease.model.embed(await firstTokens(lease, inputs[index] as string, options.signal), options);
  });
  return { embedded, cut };
}

/** As many tokens as the model takes, the last of all (the end token) kept at the end. */
async function firstTokens(lease: Lease, input: string, signal: AbortSignal): Promise<number[]> {
  const ids = await lease.model.tokenize(input, { addSpecial: true, signal });
  return [...ids.slice(0, lease.model.info.context - 1), ids.at(-1) as number];
}
