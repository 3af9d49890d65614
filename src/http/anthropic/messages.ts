/** POST /v1/messages and POST /v1/messages/count_tokens. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Answer, AnswerListener } from '../../chat/answer.js';
import type { CatalogueEntry } from '../../models/types.js';
import type { Log } from '../dependencies.js';
import { sendJson } from '../error-reply.js';
import { EventStream } from '../event-stream.js';
import { Fields } from '../fields.js';
import { countTokens, followQueue, type LanguageServices, requireCapability, takeTurn, withModelDefaults } from '../language.js';
import { addCheckHeader } from '../schema-check.js';
import { freshId } from '../openai/chat-shape.js';
import { expected } from '../openai/errors.js';
import { keepAlive, release } from '../openai/kept-alive.js';
import { describeError } from './errors.js';
import { type MessagesRequest, readCountRequest, readMessagesRequest } from './request.js';
import { type MessageHead, MessageWriter, wholeMessage } from './shape.js';

export function addMessages(scope: FastifyInstance, services: LanguageServices, log: Log): void {
  scope.post('/v1/messages', async (request, reply) => {
    const asked = readMessagesRequest(Fields.of(request.body));
    const entry = await findChatModel(services, asked.model);
    const head = { id: freshId('msg_'), model: asked.model };
    if (asked.stream) return stream(services, log, request, reply, asked, entry, head);
    const answer = await write(services, reply, asked, entry, {});
    addCheckHeader(reply, answer);
    return sendJson(reply, 200, wholeMessage(head, answer));
  });
  scope.post('/v1/messages/count_tokens', async (request, reply) => {
    const { model, input } = readCountRequest(Fields.of(request.body));
    const entry = await findChatModel(services, model);
    return sendJson(reply, 200, { input_tokens: await countTokens(services, reply, entry, input) });
  });
}

async function findChatModel({ catalogue }: LanguageServices, model: string): Promise<CatalogueEntry> {
  const entry = await catalogue.find(model);
  requireCapability(entry, 'completion', model);
  return entry;
}

function write(services: LanguageServices, reply: FastifyReply, asked: MessagesRequest, entry: CatalogueEntry, listener: AnswerListener): Promise<Answer> {
  return takeTurn(services, reply, services.slots, {
    entry, keepAlive: asked.keepAlive, work: (lease, signal) => services.answer(lease, withModelDefaults(entry, asked.answer), listener, signal),
  });
}

/** A failure before anything was sent is an ordinary answer with its status; a later one the event `error`. */
async function stream(
  services: LanguageServices, log: Log, request: FastifyRequest, reply: FastifyReply, asked: MessagesRequest, entry: CatalogueEntry, head: MessageHead,
): Promise<FastifyReply> {
  const events = new EventStream(reply, 'events');
  const writer = new MessageWriter(head, (event) => events.send(event, event.type));
  keepAlive(events);
  followQueue(reply, (position) => events.queuePosition(position));
  try {
    const listener: AnswerListener = { onStart: (promptTokens) => writer.begin(promptTokens), onParts: (_choice, parts) => writer.add(parts) };
    writer.end(await write(services, reply, asked, entry, listener));
  } catch (thrown) {
    if (!events.isOpen) throw thrown;
    const error = expected(thrown, log, request);
    if (error.code !== 'cancelled') events.send(describeError(error, request), 'error');
  } finally {
    release(events);
  }
  events.end();
  return reply;
}
