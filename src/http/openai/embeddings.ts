/** POST /v1/embeddings. */
import type { FastifyInstance } from 'fastify';
import { embedAll, type Embedded, itemsOf, shorten } from '../embedding.js';
import { Fields } from '../fields.js';
import { jsonPieces, sendPieces } from '../json-pieces.js';
import { type LanguageServices, requireCapability, takeTurn } from '../language.js';
import { annotations, checkAnnotations, readKeepAlive, refuseUnknown } from './checks.js';
import { isTokenIds, readPrompts, refuseStrangeIds } from './prompts.js';

export const names: ReadonlySet<string> = new Set([...annotations, 'model', 'input', 'encoding_format', 'dimensions', 'keep_alive']);

export function addEmbeddings(scope: FastifyInstance, services: LanguageServices): void {
  scope.post('/v1/embeddings', async (request, reply) => {
    const fields = Fields.of(request.body);
    refuseUnknown(fields, names);
    checkAnnotations(fields);
    const model = fields.require('model', fields.string('model'));
    const inputs = readPrompts(fields, 'input', false);
    if (!services.embedsTokenIds && inputs.some(isTokenIds)) {
      fields.refuse('input', 'holds token ids, which clients make with the vocabulary of a model of OpenAI, and the vectors would mean nothing: send texts (LangChain: OpenAIEmbeddings(check_embedding_ctx_length=False)). For ids of this model\'s own vocabulary the setting embed-token-ids allows them');
    }
    const encoding = fields.oneOf('encoding_format', ['float', 'base64']) ?? 'float';
    const dimensions = fields.integer('dimensions', { least: 1 });
    const keepAlive = readKeepAlive(fields);
    const entry = await services.catalogue.find(model);
    requireCapability(entry, 'embedding', model);
    refuseStrangeIds(inputs, entry.description.vocabularySize, fields, 'input');
    if (dimensions !== undefined && dimensions > entry.description.embeddingLength) fields.refuse('dimensions', `may be at most ${entry.description.embeddingLength}`);
    const embedded = await takeTurn(services, reply, services.embeddingSlots, { entry, keepAlive, work: (lease, signal) => embedAll(lease, inputs, { signal }) });
    const tokens = embedded.reduce((sum, { promptTokens }) => sum + promptTokens, 0);
    const itemAt = (index: number): object => {
      const shortened = shorten((embedded[index] as Embedded).vector, dimensions);
      return { object: 'embedding', index, embedding: encoding === 'float' ? [...shortened] : base64(shortened) };
    };
    return sendPieces(reply, await jsonPieces({ object: 'list', data: itemsOf(embedded.length, itemAt), model, usage: { prompt_tokens: tokens, total_tokens: tokens } }));
  });
}

/** Little-endian float32. */
function base64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, index) => bytes.writeFloatLE(value, index * 4));
  return bytes.toString('base64');
}
