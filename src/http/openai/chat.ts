/** POST /v1/chat/completions. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Answer, AnswerListener } from '../../chat/answer.js';
import type { CatalogueEntry, Lease } from '../../models/types.js';
import type { Log } from '../dependencies.js';
import { jsonPieces, sendPieces } from '../json-pieces.js';
import { type LanguageServices, requireCapability, takeTurn, withModelDefaults } from '../language.js';
import { addCheckHeader } from '../schema-check.js';
import { type ChatRequest, readChatRequest } from './chat-request.js';
import { ChatChunks, type ChatHead, freshId, wholeCompletion } from './chat-shape.js';
import { refuseStrangeBiases } from './sampling.js';
import { streamEvents } from './stream.js';

export function addChat(scope: FastifyInstance, services: LanguageServices, log: Log): void {
  scope.post('/v1/chat/completions', async (request, reply) => {
    const asked = readChatRequest(request.body);
    const entry = await services.catalogue.find(asked.model);
    requireCapability(entry, 'completion', asked.model);
    refuseStrangeBiases(asked.answer.sampling, entry.description.vocabularySize);
    if (asked.stream) return streamChat(services, log, request, reply, asked, entry);
    const pieces = await answerChat(services, reply, asked, entry, {}, (lease, answer) => {
      addCheckHeader(reply, answer);
      return jsonPieces(wholeCompletion(describeHead(services, entry, asked), lease, answer, asked.wantsLogprobs));
    });
    return sendPieces(reply, pieces);
  });
}

/** Made when there is something to say: a thousand that wait hold none. */
function describeHead(services: LanguageServices, entry: CatalogueEntry, asked: ChatRequest): ChatHead {
  return { id: freshId('chatcmpl-'), created: Math.floor(services.now().getTime() / 1000), model: asked.model, fingerprint: `fp_${entry.digest.slice(0, 10)}`, isLegacy: asked.isLegacy };
}

function answerChat<T>(
  services: LanguageServices, reply: FastifyReply, asked: ChatRequest, entry: CatalogueEntry,
  listen: Omit<AnswerListener, 'onParts'> & { onParts?: (lease: Lease, ...rest: Parameters<NonNullable<AnswerListener['onParts']>>) => void },
  end: (lease: Lease, answer: Answer) => T | Promise<T>,
): Promise<T> {
  return takeTurn(services, reply, services.slots, {
    entry,
    keepAlive: asked.keepAlive,
    work: async (lease, signal) => {
      const { onParts, ...rest } = listen;
      const listener: AnswerListener = onParts === undefined ? rest : { ...rest, onParts: (...parts) => onParts(lease, ...parts) };
      return end(lease, await services.answer(lease, withModelDefaults(entry, asked.answer), listener, signal));
    },
  });
}

function streamChat(
  services: LanguageServices, log: Log, request: FastifyRequest, reply: FastifyReply, asked: ChatRequest, entry: CatalogueEntry,
): Promise<FastifyReply> {
  return streamEvents(reply, request, log, async (events) => {
    let made: ChatChunks | undefined;
    const chunks = (): ChatChunks => (made ??= new ChatChunks(describeHead(services, entry, asked), asked.includeUsage));
    const onParts: Parameters<typeof answerChat>[4]['onParts'] = (lease, choice, parts, tokens) => {
      for (const chunk of chunks().parts(lease, choice, parts, tokens)) events.send(chunk);
    };
    await answerChat(services, reply, asked, entry, { onParts }, (_lease, answer) => {
      for (const chunk of chunks().end(answer)) events.send(chunk);
      events.sendText('[DONE]');
    });
  });
}
