/** POST /v1/responses. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OutputPart } from '../../chat/conversation.js';
import type { CatalogueEntry } from '../../models/types.js';
import type { Log } from '../dependencies.js';
import { sendJson } from '../error-reply.js';
import { EventStream } from '../event-stream.js';
import { Fields } from '../fields.js';
import { followQueue, type LanguageServices, requireCapability, takeTurn, withModelDefaults } from '../language.js';
import { freshId } from './chat-shape.js';
import { describeError, expected } from './errors.js';
import { type ResponsesRequest, readResponsesRequest } from './responses-request.js';
import { ResponseWriter } from './responses-shape.js';
import { keepAlive, release } from './kept-alive.js';

export function addResponses(scope: FastifyInstance, services: LanguageServices, log: Log): void {
  scope.post('/v1/responses', async (request, reply) => {
    const asked = readResponsesRequest(Fields.of(request.body));
    const entry = await services.catalogue.find(asked.model);
    requireCapability(entry, 'completion', `The model '${asked.model}' makes embeddings and does not chat.`);
    const head = { id: freshId('resp_'), createdAt: Math.floor(services.now().getTime() / 1000), model: asked.model, echo: asked.echo };
    if (asked.stream) return stream(services, log, request, reply, asked, entry, head);
    const writer = new ResponseWriter(head, () => undefined);
    return sendJson(reply, 200, await write(services, reply, asked, entry, writer));
  });
}

function write(services: LanguageServices, reply: FastifyReply, asked: ResponsesRequest, entry: CatalogueEntry, writer: ResponseWriter): Promise<unknown> {
  return takeTurn(services, reply, services.slots, {
    entry,
    keepAlive: asked.keepAlive,
    work: async (lease, signal) => {
      const onParts = (_choice: number, parts: OutputPart[]): void => writer.add(parts);
      return writer.end(await services.answer(lease, withModelDefaults(entry, asked.answer), { onStart: () => writer.begin(), onParts }, signal));
    },
  });
}

/** Every event is named; a failure after the first is `response.failed`, and there is no [DONE]. */
async function stream(
  services: LanguageServices, log: Log, request: FastifyRequest, reply: FastifyReply, asked: ResponsesRequest, entry: CatalogueEntry,
  head: ConstructorParameters<typeof ResponseWriter>[0],
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
