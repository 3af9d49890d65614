/** Responses that are kept: going on from one, fetching and deleting it. Only the caller that asked for a response finds it. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Answer } from '../../chat/answer.js';
import type { Message } from '../../chat/conversation.js';
import { objectBegunBy } from '../../chat/tools/cut-arguments.js';
import { LecternError } from '../../errors.js';
import { sendJson } from '../error-reply.js';
import { FieldError, type Fields } from '../fields.js';
import { jsonPieces, sendPieces } from '../json-pieces.js';
import type { LanguageServices } from '../language.js';
import { freshId } from './chat-shape.js';
import type { ResponsesRequest } from './responses-request.js';
import type { StoredResponse } from './response-store.js';

const switchedOff = 'nothing is kept between requests (setting stored-responses)';

/** Whether the response is kept: as OpenAI does it, unless the request says no. Throws FieldError where it says yes and nothing is kept here. */
export function mayKeep({ responses }: LanguageServices, { store }: ResponsesRequest): boolean {
  if (responses !== null) return store ?? true;
  if (store === true) throw new FieldError('store', `'store' must be false: ${switchedOff}.`);
  return false;
}

/** The conversation that a request goes on from; empty where it begins one. Throws FieldError where there is no such response of this caller. */
export async function findPrevious({ responses }: LanguageServices, { caller }: FastifyRequest, fields: Fields): Promise<readonly Message[]> {
  const id = fields.string('previous_response_id');
  if (id === undefined) return [];
  if (responses === null) fields.refuse('previous_response_id', `is not supported: ${switchedOff}`);
  const previous = await responses.find(id, caller.identity);
  if (previous === undefined) fields.refuse('previous_response_id', `names '${id.slice(0, 100)}', which is no kept response of this caller`);
  return previous.messages;
}

/** False where it is too long to be kept. */
export function keepResponse({ responses }: LanguageServices, { caller }: FastifyRequest, asked: ResponsesRequest, response: Record<string, unknown>, answer: Answer): Promise<boolean> {
  const messages = [...asked.conversation.messages.slice(asked.instructions === undefined ? 0 : 1), messageOf(answer)];
  return (responses as NonNullable<typeof responses>).keep(String(response['id']), { owner: caller.identity, response, input: asked.input, messages });
}

function messageOf({ choices }: Answer): Message {
  const parts = choices[0]?.parts ?? [];
  const text = (kind: 'text' | 'reasoning'): string => parts.map((part) => (part.kind === kind ? part.text : '')).join('');
  const toolCalls = parts.flatMap((part) => (part.kind === 'toolCall' ? [part.call] : part.kind === 'cutCall' ? [{ ...part.call, arguments: objectBegunBy(part.call.arguments) }] : []));
  const reasoning = text('reasoning');
  return { role: 'assistant', content: text('text'), ...(reasoning === '' ? {} : { reasoning }), ...(toolCalls.length === 0 ? {} : { toolCalls }) };
}

export function addKeptResponses(scope: FastifyInstance, { responses }: LanguageServices): void {
  const find = async (request: FastifyRequest): Promise<StoredResponse & { id: string }> => {
    const { id } = request.params as { id: string };
    const found = await responses?.find(id, request.caller.identity);
    if (found === undefined) throw notFound(id);
    return { ...found, id };
  };
  scope.get('/v1/responses/:id', async (request, reply) => {
    if ((request.query as { stream?: string }).stream === 'true') throw new FieldError('stream', "'stream' is not supported for a response that is kept.");
    return sendPieces(reply, await jsonPieces((await find(request)).response));
  });
  scope.get('/v1/responses/:id/input_items', async (request, reply) => {
    refusePaging(request.query as Record<string, unknown>);
    const data = (await find(request)).input.map((item) => ({ id: freshId('item_'), type: 'message', ...(item as object) }));
    return sendPieces(reply, await jsonPieces({ object: 'list', data, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more: false }));
  });
  scope.delete('/v1/responses/:id', async (request, reply) => {
    const { id } = request.params as { id: string };
    if (await responses?.delete(id, request.caller.identity) !== true) throw notFound(id);
    return sendJson(reply, 200, { id, object: 'response', deleted: true });
  });
}

/** All items are sent, the first first. */
function refusePaging(query: Record<string, unknown>): void {
  const name = ['after', 'before', 'limit', 'include'].find((one) => query[one] !== undefined) ?? (query['order'] === undefined || query['order'] === 'asc' ? undefined : 'order');
  if (name !== undefined) throw new FieldError(name, `'${name}' is not supported: all items are listed, in their order.`);
}

/** The same for one of another caller: an id that was overheard gives nothing away. */
function notFound(id: string): LecternError {
  return new LecternError('not_found', `There is no kept response '${id.slice(0, 100)}' of this caller.`);
}
