/** POST /v1/rerank, /v2/rerank and /rerank: how far each document fits a query. */
import { setMaxListeners } from 'node:events';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { LecternError } from '../../errors.js';
import type { CatalogueEntry, Lease } from '../../models/types.js';
import type { Log } from '../dependencies.js';
import { FieldError, Fields } from '../fields.js';
import { readJsonBodies } from '../json-body.js';
import { jsonPieces, sendPieces } from '../json-pieces.js';
import { type LanguageServices, requireCapability, takeTurn } from '../language.js';
import { describeError, openAiErrorHandler } from '../openai/errors.js';
import { readRerank, type RerankRequest } from './request.js';

/** Pairs that are given to the engine at the same time: enough to fill its passes, in which each pair gets the score that it gets alone. */
const pairsAtOnce = 64;

interface Scored {
  index: number;
  /** From 0 to 1, or a logit. */
  score: number;
}

export function addRerank(scope: FastifyInstance, services: LanguageServices, log: Log): void {
  readJsonBodies(scope, services);
  // Cohere's clients show `message`, Jina's `detail`.
  scope.setErrorHandler(openAiErrorHandler(log, (error, request) => {
    const described = describeError(error, request);
    return { ...described, message: described.error.message, detail: described.error.message };
  }));
  for (const path of ['/v1/rerank', '/v2/rerank', '/rerank']) {
    scope.post(path, async (request, reply) => {
      const asked = readRerank(Fields.of(request.body));
      const entry = asked.model === undefined ? await onlyRerankModel(services) : await services.catalogue.find(asked.model);
      requireCapability(entry, 'rerank', asked.model ?? entry.name);
      const work = (lease: Lease, signal: AbortSignal): Promise<Ranking> => rankAll(lease, asked, signal);
      return send(reply, asked, entry, await takeTurn(services, reply, services.embeddingSlots, { entry, keepAlive: asked.keepAlive, work }));
    });
  }
}

/** Requests of Text Embeddings Inference name no model. */
async function onlyRerankModel({ catalogue }: LanguageServices): Promise<CatalogueEntry> {
  const models = (await catalogue.list()).filter(({ capabilities }) => capabilities.includes('rerank'));
  const [only, second] = models;
  if (only !== undefined && second === undefined) return only;
  throw new FieldError('model', only === undefined ? "'model' is required; there is no rerank model." : `'model' is required: there are ${models.length} rerank models.`);
}

interface Ranking {
  /** Best first; of equal scores the earlier document first. */
  scored: Scored[];
  tokens: number;
}

/** Characters of a query: more than any rerank model reads of one. */
const longestQuery = 100_000;

/** A failure is that of the first document that fails, and names it. */
async function rankAll({ model }: Lease, asked: RerankRequest, signal: AbortSignal): Promise<Ranking> {
  const { query, documents, rawScores } = asked;
  // The engine gets it once for each document.
  if (query.length > longestQuery) throw new FieldError('query', `'query' may have at most ${longestQuery} characters.`);
  // Each pair listens for the end of the connection.
  setMaxListeners(0, signal);
  const options = { signal, ...(await boundOf(model, asked, signal)) };
  const scored: Scored[] = [];
  let tokens = 0;
  while (scored.length < documents.length) {
    const outcomes = await Promise.allSettled(documents.slice(scored.length, scored.length + pairsAtOnce).map((document) => model.rank(query, document, options)));
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') throw naming(outcome.reason, scored.length);
      const { score, promptTokens } = outcome.value;
      scored.push({ index: scored.length, score: rawScores ? score : 1 / (1 + Math.exp(-score)) });
      tokens += promptTokens;
    }
  }
  return { scored: scored.sort((a, b) => b.score - a.score || a.index - b.index), tokens };
}

/** Tokens that a pair may have, where the request has a bound. */
async function boundOf(model: Lease['model'], { query, truncates, tokensPerDocument }: RerankRequest, signal: AbortSignal): Promise<{ mostTokens?: number }> {
  const bounds: number[] = truncates ? [model.info.context] : [];
  // What a pair has beside its document.
  if (tokensPerDocument !== undefined) bounds.push(tokensPerDocument + (await model.rank(query, '', { signal })).promptTokens);
  return bounds.length === 0 ? {} : { mostTokens: Math.min(...bounds) };
}

function naming(thrown: unknown, index: number): unknown {
  if (!(thrown instanceof LecternError) || thrown.code === 'cancelled') return thrown;
  return new LecternError(thrown.code, `Document ${index}: ${thrown.message}`, { cause: thrown });
}

async function send(reply: FastifyReply, { isList, topN, returnsDocuments, documents, model }: RerankRequest, entry: CatalogueEntry, { scored, tokens }: Ranking): Promise<FastifyReply> {
  if (isList) return sendPieces(reply, await jsonPieces(scored.map(({ index, score }) => ({ index, score, ...(returnsDocuments ? { text: documents[index] } : {}) }))));
  const results = scored.slice(0, topN).map(({ index, score }) => ({ index, relevance_score: score, ...(returnsDocuments ? { document: { text: documents[index] } } : {}) }));
  return sendPieces(reply, await jsonPieces({
    id: reply.request.id, object: 'list', model: model ?? entry.name, results,
    usage: { prompt_tokens: tokens, total_tokens: tokens }, meta: { api_version: { version: '2' }, tokens: { input_tokens: tokens } },
  }));
}
