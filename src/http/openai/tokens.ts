/** POST /tokenize and /detokenize, which vLLM and llama.cpp have, in the words of both. */
import type { FastifyInstance } from 'fastify';
import type { CatalogueEntry, Lease } from '../../models/types.js';
import type { Conversation } from '../../chat/answer.js';
import { sizeOf } from '../../chat/prompt/render.js';
import { Fields } from '../fields.js';
import { jsonPieces, sendPieces } from '../json-pieces.js';
import { type LanguageServices, takeTurn } from '../language.js';
import { textOfTokens, tokenText } from '../token-texts.js';
import { refuseUnknown } from './checks.js';
import { readMessages, readTools } from './messages.js';

export const tokenizeNames: ReadonlySet<string> = new Set(['model', 'prompt', 'content', 'messages', 'tools', 'add_special_tokens', 'add_special', 'parse_special', 'return_token_strs', 'with_pieces', 'add_generation_prompt']);
export const detokenizeNames: ReadonlySet<string> = new Set(['model', 'tokens']);

/** Characters that /tokenize takes and /detokenize gives. A million may be as many tokens, which take 30 ms of the event loop on their way from the engine; of 15 million it was a second. */
const longestText = 1_000_000;

export function addTokens(scope: FastifyInstance, services: LanguageServices): void {
  scope.post('/tokenize', async (request, reply) => {
    const fields = Fields.of(request.body);
    refuseUnknown(fields, tokenizeNames);
    const model = fields.require('model', fields.string('model'));
    const tokenize = readTokenizing(fields, services);
    const wantsPieces = fields.boolean('return_token_strs') ?? fields.boolean('with_pieces') ?? false;
    const entry = await services.catalogue.find(model);
    const pieces = await inTurn(services, reply, entry, async (lease, signal) => {
      const tokens = await tokenize(lease, signal);
      const texts = wantsPieces ? { token_strs: textsOf(lease, tokens) } : {};
      return jsonPieces({ count: tokens.length, max_model_len: lease.model.info.context, tokens, ...texts });
    });
    return sendPieces(reply, pieces);
  });
  scope.post('/detokenize', async (request, reply) => {
    const fields = Fields.of(request.body);
    refuseUnknown(fields, detokenizeNames);
    const model = fields.require('model', fields.string('model'));
    const tokens = fields.require('tokens', fields.list('tokens'));
    const entry = await services.catalogue.find(model);
    const { vocabularySize } = entry.description;
    const strange = tokens.find((id) => !Number.isSafeInteger(id) || (id as number) < 0 || (id as number) >= vocabularySize);
    if (strange !== undefined) fields.refuse('tokens', `holds ${JSON.stringify(strange).slice(0, 100)}, which is none of the model's ${vocabularySize} token ids`);
    const text = await inTurn(services, reply, entry, (lease) => textOfTokens(lease, tokens as number[], longestText));
    if (text === undefined) fields.refuse('tokens', `are a text of more than ${longestText} characters`);
    return sendPieces(reply, await jsonPieces({ prompt: text, content: text }));
  });
}

/** Among the embeddings' turns, as no token is generated. */
function inTurn<T>(services: LanguageServices, reply: Parameters<typeof takeTurn>[1], entry: CatalogueEntry, work: (lease: Lease, signal: AbortSignal) => Promise<T>): Promise<T> {
  return takeTurn(services, reply, services.embeddingSlots, { entry, work });
}

function* textsOf(lease: Lease, tokens: readonly number[]): Generator<string> {
  for (const id of tokens) yield tokenText(lease, id);
}

/** A text, in which the texts of control tokens are these tokens, or a conversation. Throws FieldError. */
function readTokenizing(fields: Fields, services: LanguageServices): (lease: Lease, signal: AbortSignal) => Promise<number[]> {
  const addSpecial = fields.boolean('add_special_tokens') ?? fields.boolean('add_special') ?? !fields.has('content');
  const special = fields.boolean('parse_special') ?? true;
  if (!fields.has('messages')) {
    const name = fields.has('prompt') ? 'prompt' : 'content';
    const [prompt, content] = [fields.string('prompt'), fields.string('content')];
    if (prompt !== undefined && content !== undefined && prompt !== content) fields.refuse('content', "may not differ from 'prompt': they are two names of one text");
    const text = prompt ?? fields.require('prompt', content);
    if (text.length > longestText) fields.refuse(name, `may have at most ${longestText} characters`);
    return (lease, signal) => lease.model.tokenize([{ text, special }], { addSpecial, signal });
  }
  if (fields.boolean('add_generation_prompt') === false) fields.refuse('add_generation_prompt', 'may only be true');
  const tools = readTools(fields);
  const messages = readMessages(fields);
  if (sizeOf(messages) + sizeOf(tools) > longestText) fields.refuse('messages', `may have at most ${longestText} characters, with the tools`);
  const conversation: Conversation = { kind: 'messages', messages, tools, toolChoice: tools.length > 0 ? 'auto' : 'none' };
  return (lease, signal) => services.promptTokens(lease, conversation, signal);
}
