/** Bodies and answers of the routes of Anthropic's and Ollama's contracts and of reranking, for the description of the API. */
import { countNames, names as messagesNames } from '../../anthropic/request.js';
import type { Components, JsonSchema } from '../../conversion/kinds.js';
import { documentNames, textNames } from '../../rerank/request.js';
import { keepAlive, lectern, sampling } from './openai-schemas.js';
import { about, anything, between, body, boolean, component, constant, either, integer, listOf, mapOf, number, numberBetween, object, oneOf, orNull, type Shape, shape, string } from './schemas.js';

const mostInteger = 2 ** 31 - 1;
const namedModel = about(string, 'Name of the model.');

/** Those of the other contracts; the contract's own names have its own ranges. */
const samplers: Shape = Object.fromEntries(Object.entries(sampling).filter(([name]) => messagesNames.has(name) && !['max_tokens', 'temperature', 'top_p', 'top_k'].includes(name)));

const conversation: Shape = {
  model: namedModel, messages: about({ ...listOf({ type: 'object', properties: { role: oneOf('user', 'assistant', 'system'), content: either(string, listOf(object)) }, required: ['role', 'content'] }), minItems: 1 }, 'The conversation: texts, or blocks of text, tool_use, tool_result and thinking.'),
  system: about(either(string, listOf(object)), 'System message, or a list of its blocks.'), tools: about(listOf(object), 'Tools with name, description and input_schema.'), tool_choice: about(object, 'auto, any, tool with a name, or none; disable_parallel_tool_use.'),
  thinking: about(object, 'enabled, disabled or adaptive; passed over by models that do not think.'), output_config: about(object, 'effort, and format: a JSON schema.'), output_format: object,
  metadata: object, service_tier: anything, cache_control: anything, inference_geo: anything, diagnostics: anything, speed: anything, betas: anything, context_management: anything,
};

export function messages(components: Components): { request: JsonSchema; counting: JsonSchema; answer: JsonSchema } {
  const request = component(components, 'MessagesRequest', body(messagesNames, ['model', 'messages', 'max_tokens'], {
    ...conversation, max_tokens: between(1, mostInteger), stream: about(boolean, 'Server-sent events.'), stop_sequences: about(listOf(string), 'Texts that end the answer.'), temperature: numberBetween(0, 1), top_p: numberBetween(0, 1), top_k: between(0, mostInteger), keep_alive: keepAlive, ...samplers,
  }));
  const counting = component(components, 'CountTokensRequest', body(countNames, ['model', 'messages'], conversation));
  const answer = component(components, 'Message', shape({
    id: string, type: constant('message'), role: constant('assistant'), model: string, content: listOf(shape({ type: oneOf('text', 'thinking', 'tool_use') })), stop_reason: orNull(oneOf('end_turn', 'max_tokens', 'tool_use', 'stop_sequence')), stop_sequence: orNull(string),
    usage: shape({ input_tokens: integer, output_tokens: integer, cache_creation_input_tokens: integer, cache_read_input_tokens: integer, service_tier: string }), 'lectern?': lectern(components),
  }));
  return { request, counting, answer };
}

/** Ollama's routes pass over what they do not know: only what they read is described. */
const common: Shape = {
  model: namedModel, stream: about(boolean, 'JSON lines; true by default.'), keep_alive: keepAlive, truncate: boolean, shift: boolean, logprobs: boolean, top_logprobs: between(0, 20), think: about(either(boolean, oneOf('low', 'medium', 'high', 'max')), 'Whether the model reasons first.'),
  format: about(either(constant('json'), object), '"json" or a JSON schema.'),
  options: about(object, 'temperature, top_k, top_p, min_p, typical_p, repeat_penalty, repeat_last_n, presence_penalty, frequency_penalty, logit_bias, seed, stop, num_predict, num_ctx, and the samplers of /v1/chat/completions (top_n_sigma, xtc_…, dynatemp_…, mirostat…, dry_…).'),
};

const asked = (required: string[], fields: Shape): JsonSchema => body(Object.keys(fields), required, fields);
const details = shape({ parent_model: string, format: string, family: string, families: orNull(listOf(string)), parameter_size: string, quantization_level: string, 'context_length?': integer, 'embedding_length?': integer });
const ending: Shape = {
  'done_reason?': oneOf('stop', 'length', 'load', 'unload'), 'total_duration?': integer, 'load_duration?': integer, 'prompt_eval_count?': integer, 'prompt_eval_duration?': integer, 'eval_count?': integer, 'eval_duration?': integer,
  'prompt_cached_count?': integer, 'prompt_truncated?': boolean, 'dropped_messages?': integer, 'logprobs?': listOf(object),
};

export function ollama(components: Components): Record<'chatRequest' | 'chat' | 'generateRequest' | 'generate' | 'embedRequest' | 'embed' | 'embeddingsRequest' | 'embeddings' | 'showRequest' | 'show' | 'pullRequest' | 'pull' | 'tags' | 'ps', JsonSchema> {
  const call = { type: 'object', properties: { id: string, function: { type: 'object', properties: { name: string, arguments: object }, required: ['name'] } }, required: ['function'] };
  const message = { type: 'object', properties: { role: oneOf('system', 'user', 'assistant', 'tool'), content: orNull(string), thinking: orNull(string), images: about(listOf(string, 0), 'Not supported.'), tool_calls: orNull(listOf(call)), tool_name: orNull(string), tool_call_id: orNull(string) }, required: ['role'] };
  const head: Shape = { model: string, created_at: { type: 'string', format: 'date-time' }, done: boolean };
  const check = lectern(components);
  const embedding = listOf(number);
  const model = { name: string, model: string, size: integer, digest: string, details };
  return {
    chatRequest: component(components, 'OllamaChatRequest', asked(['model'], { ...common, messages: about(listOf(message), 'The conversation; empty: load the model.'), tools: about(listOf(object), 'Functions that the model may call.'), tool_choice: either(oneOf('none', 'auto', 'required'), object) })),
    chat: component(components, 'OllamaChat', shape({ ...head, message: shape({ role: constant('assistant'), content: string, 'thinking?': string, 'tool_calls?': listOf(shape({ id: string, function: shape({ index: integer, name: string, arguments: object }) })) }), ...ending, 'lectern?': check })),
    generateRequest: component(components, 'OllamaGenerateRequest', asked(['model'], { ...common, prompt: about(string, 'Empty: load the model.'), suffix: string, system: about(string, 'System message.'), template: about(string, 'Not supported.'), raw: about(boolean, 'Without the template.'), context: about(listOf(integer), 'Of an earlier answer.'), images: about(listOf(string, 0), 'Not supported.') })),
    generate: component(components, 'OllamaGenerate', shape({ ...head, response: string, 'thinking?': string, 'context?': listOf(integer), ...ending, 'lectern?': check })),
    embedRequest: component(components, 'OllamaEmbedRequest', asked(['model'], { model: namedModel, input: about(either(string, listOf(string)), 'A text or a list.'), truncate: about(boolean, 'Cut what is too long; true by default, and named in the answer.'), dimensions: about(between(0), 'Fewer numbers.'), options: object, keep_alive: keepAlive })),
    embed: component(components, 'OllamaEmbed', shape({ model: string, embeddings: listOf(embedding), 'total_duration?': integer, 'load_duration?': integer, 'prompt_eval_count?': integer, 'prompt_truncated?': boolean, 'truncated_inputs?': listOf(integer) })),
    embeddingsRequest: component(components, 'OllamaEmbeddingsRequest', asked(['model'], { model: namedModel, prompt: about(string, 'The text.'), options: object, keep_alive: keepAlive })),
    embeddings: component(components, 'OllamaEmbeddings', shape({ embedding, 'prompt_truncated?': boolean })),
    showRequest: component(components, 'OllamaShowRequest', asked(['model'], { model: namedModel, verbose: about(boolean, 'With arrays and tensors.'), system: string })),
    show: component(components, 'OllamaShow', shape({ 'license?': string, modelfile: string, 'parameters?': string, 'template?': string, 'system?': string, details, 'messages?': listOf(object), model_info: object, 'projector_info?': object, 'tensors?': listOf(object), capabilities: listOf(string), modified_at: { type: 'string', format: 'date-time' } })),
    pullRequest: component(components, 'OllamaPullRequest', asked(['model'], { model: namedModel, stream: common['stream'] as JsonSchema })),
    pull: component(components, 'OllamaPull', shape({ status: string, 'digest?': string, 'total?': integer, 'completed?': integer })),
    tags: component(components, 'OllamaTags', shape({ models: listOf(shape({ ...model, modified_at: { type: 'string', format: 'date-time' }, capabilities: listOf(string) })) })),
    ps: component(components, 'OllamaPs', shape({ models: listOf(shape({ ...model, expires_at: { type: 'string', format: 'date-time' }, size_vram: integer, context_length: orNull(integer), 'state?': string, 'progress?': number })), queue: shape({ waiting: integer, own: listOf(integer) }) })),
  };
}

const pairs: Shape = {
  user: string, safety_identifier: string, prompt_cache_key: string, prompt_cache_retention: string, service_tier: string, verbosity: string, prediction: object, client_metadata: object, prompt_cache_options: object, moderation: object, metadata: mapOf(string),
  model: namedModel, query: about(string, 'What the documents are compared with.'), truncate: about(boolean, 'A document that is too long loses its end; false: it is an error.'), keep_alive: keepAlive,
  documents: about({ ...listOf(either(string, { type: 'object', properties: { text: string }, required: ['text'] }), 2048), minItems: 1 }, 'Strings, or objects with text.'), top_n: about(between(1), 'How many of the best are returned; all by default.'), return_documents: about(boolean, 'With their texts; false by default.'),
  max_tokens_per_doc: about(between(1), 'Tokens of a document beyond these are dropped.'), max_chunks_per_doc: anything, rank_fields: anything, priority: anything,
  texts: about({ ...listOf(string, 2048), minItems: 1 }, 'In the place of documents: the answer is a list.'), raw_scores: about(boolean, 'Logits instead of scores from 0 to 1.'), return_text: about(boolean, 'With the texts.'), truncation_direction: about({ type: 'string', pattern: '^[Rr]ight$' }, 'Only right.'),
};

export function rerank(components: Components): Record<'request' | 'answer' | 'anyRequest' | 'anyAnswer', JsonSchema> {
  const request = component(components, 'RerankRequest', body(documentNames, ['model', 'query', 'documents'], pairs));
  const list = component(components, 'TextRerankRequest', body(textNames, ['query', 'texts'], pairs));
  const answer = component(components, 'RerankResult', shape({ id: string, object: constant('list'), model: string, results: listOf(shape({ index: integer, relevance_score: number, 'document?': shape({ text: string }) })), usage: shape({ prompt_tokens: integer, total_tokens: integer }), meta: object }));
  return { request, answer, anyRequest: either(request, list), anyAnswer: either(answer, listOf(shape({ index: integer, score: number, 'text?': string }))) };
}
