/** POST /v1/responses, and the responses that are kept. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Answer } from '../../chat/answer.js';
import type { OutputPart } from '../../chat/conversation.js';
import type { CatalogueEntry } from '../../models/types.js';
import type { Log } from '../dependencies.js';
import { sendJson } from '../error-reply.js';
import { EventStream } from '../event-stream.js';
import { Fields } from '../fields.js';
import { addCheckHeader } from '../schema-check.js';
import { countTokens, followQueue, type LanguageServices, requireCapability, takeTurn, withModelDefaults } from '../language.js';
import { freshId } from './chat-shape.js';
import { describeError, expected } from './errors.js';
import { keepAlive, release } from './kept-alive.js';
import { addKeptResponses, findPrevious, keepResponse, mayKeep } from './kept-responses.js';
import { type ResponsesRequest, readResponsesRequest } from './responses-request.js';
import { type ResponseHead, ResponseWriter } from './responses-shape.js';

export function addResponses(scope: FastifyInstance, services: LanguageServices, log: Log): void {
  addKeptResponses(scope, services);
  scope.post('/v1/responses', async (request, reply) => {
    const { asked, entry } = await readRequest(services, request);
    const { model, echo, called, wantsEncrypted } = asked;
    const head = { id: freshId('resp_'), createdAt: Math.floor(services.now().getTime() / 1000), model, echo, called, wantsEncrypted, store: mayKeep(services, asked) };
    if (asked.stream) return stream(services, log, request, reply, asked, entry, head);
    return sendJson(reply, 200, await write(services, reply, asked, entry, new ResponseWriter(head, () => undefined)));
  });
  scope.post('/v1/responses/input_tokens', async (request, reply) => {
    const { asked, entry } = await readRequest(services, request);
    return sendJson(reply, 200, { object: 'response.input_tokens', input_tokens: await countTokens(services, reply, entry, asked.conversation) });
  });
}

async function readRequest(services: LanguageServices, request: FastifyRequest): Promise<{ asked: ResponsesRequest; entry: CatalogueEntry }> {
  const fields = Fields.of(request.body);
  const asked = readResponsesRequest(fields, await findPrevious(services, request, fields));
  const entry = await services.catalogue.find(asked.model);
  requireCapability(entry, 'completion', asked.model);
  return { asked, entry };
}

/** Returns the response once it is kept, if it is to be: a client may go on from it at once. */
async function write(services: LanguageServices, reply: FastifyReply, asked: ResponsesRequest, entry: CatalogueEntry, writer: ResponseWriter): Promise<unknown> {
  const answer = await takeTurn(services, reply, services.slots, {
    entry,
    keepAlive: asked.keepAlive,
    work: (lease, signal): Promise<Answer> => {
      const onParts = (_choice: number, parts: OutputPart[]): void => writer.add(parts);
      return services.answer(lease, withModelDefaults(entry, asked.answer), { onStart: () => writer.begin(), onParts }, signal);
    },
  });
  if (!asked.stream) addCheckHeader(reply, answer);
  const response = writer.finish(answer);
  if (response['store'] === true) response['store'] = await keepResponse(services, reply.request, asked, response, answer);
  writer.end(response);
  return response;
}

/** Every event is named; a failure after the first is `response.failed`, and there is no [DONE]. */
async function stream(
  services: LanguageServices, log: Log, request: FastifyRequest, reply: FastifyReply, asked: ResponsesRequest, entry: CatalogueEntry, head: ResponseHead,
): Promise<FastifyReply> {
  const events = new EventStream(reply, 'events');
  const writer = new ResponseWriter(head, (event) => events.send(event, event.type));
  keepAlive(events);
  followQueue(reply, (position) => events.queuePosition(position));
  try {
    await write(services, reply, asked, entry, writer);
  } catch (thrown) {
    if (!events.isOpen) throw thrown;
    const error = expected(thrown, log, request);
    const { message, code } = describeError(error, request).error;
    if (error.code !== 'cancelled') writer.fail(message, code ?? error.code);
  } finally {
    release(events);
  }
  events.end();
  return reply;
}
