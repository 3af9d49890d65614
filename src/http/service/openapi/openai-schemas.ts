/** Bodies and answers of the routes of OpenAI's contract, for the description of the API. The names of parameters are those that the readers of the routes know. */
import type { Components, JsonSchema } from '../../conversion/kinds.js';
import { names as chatNames } from '../../openai/chat-request.js';
import { names as completionNames } from '../../openai/completion-request.js';
import { names as embeddingNames } from '../../openai/embeddings.js';
import { messageNames } from '../../openai/messages.js';
import { names as responseNames } from '../../openai/responses-request.js';
import { detokenizeNames, tokenizeNames } from '../../openai/tokens.js';
import { breakersName, samplerNumbers } from '../../../models/sampler-options.js';
import { about, anything, between, body, boolean, component, constant, either, integer, listOf, mapOf, number, numberBetween, object, oneOf, orNull, type Shape, shape, string } from './schemas.js';

const mostInteger = 2 ** 31 - 1;
const efforts = oneOf('none', 'minimal', 'low', 'medium', 'high', 'max', 'xhigh', 'ultra');
const texts = either(string, listOf(string));
const prompts = either(string, listOf(string, 2048), listOf(integer), listOf(either(string, listOf(integer)), 2048));

export const keepAlive = about(either(number, string), 'How long the model stays loaded after this: seconds, or a duration such as 5m; negative: for ever.');

const bias = either(numberBetween(-100, 100), { type: 'boolean', const: false });
/** llama.cpp's samplers beyond the common ones. */
export const samplers: Shape = {
  ...Object.fromEntries(samplerNumbers.map(({ name, least, most, meaning, isInteger }) => [name, about(isInteger === true ? between(least, most) : numberBetween(least, most), meaning)])),
  [breakersName]: about(texts, 'Texts across which DRY finds no repetition.'),
};

export const sampling: Shape = {
  temperature: about(numberBetween(0, 100), '0: the most probable token.'), top_p: numberBetween(0, 1), top_k: about(between(-1, mostInteger), '0 and -1: all.'), min_p: numberBetween(0, 1), typical_p: numberBetween(0, 1),
  repeat_penalty: about({ type: 'number', exclusiveMinimum: 0, maximum: 100 }, 'Above 1: less repetition.'), repetition_penalty: { type: 'number', exclusiveMinimum: 0, maximum: 100 }, repeat_last_n: about(between(-1, mostInteger), 'Tokens that count as said before.'),
  presence_penalty: numberBetween(-2, 2), frequency_penalty: numberBetween(-2, 2), logit_bias: about(either({ type: 'object', additionalProperties: bias }, listOf({ type: 'array', prefixItems: [either(integer, string), bias], minItems: 2, maxItems: 2 })), 'Token id, or text, to bias; also as pairs. -100 and false forbid.'),
  ...samplers,
  seed: about(integer, 'The same seed gives the same answer.'), stop: about(texts, 'Texts that end the answer.'), max_tokens: about(between(-1, mostInteger), '-1: no bound.'), max_completion_tokens: about(between(-1, mostInteger), 'Also max_tokens.'), ignore_eos: about(boolean, 'Go on past the end.'),
};

const annotationSchemas: Shape = {
  user: string, safety_identifier: string, prompt_cache_key: string, prompt_cache_retention: string, service_tier: string, verbosity: string,
  prediction: object, client_metadata: object, prompt_cache_options: object, moderation: object, metadata: mapOf(string),
};

const streaming: Shape = {
  stream: about(boolean, 'Server-sent events.'),
  stream_options: about({ type: 'object', properties: { include_usage: boolean, include_obfuscation: { type: 'boolean', const: false } }, additionalProperties: false }, 'Only with stream.'),
};

const namedModel = about(string, 'Name of the model.');
const functionTool = { type: 'object', properties: { type: string, function: { type: 'object', properties: { name: string, description: orNull(string), parameters: object, strict: orNull(boolean) }, required: ['name'] } }, required: ['type'] };
const part = { type: 'object', properties: { type: oneOf('text', 'input_text', 'output_text', 'refusal'), text: string, refusal: string }, required: ['type'] };
const messageSchemas: Shape = {
  role: oneOf('system', 'developer', 'user', 'assistant', 'tool', 'function'), content: either(string, listOf(part)), name: string,
  tool_calls: listOf({ type: 'object', properties: { id: string, type: string, function: { type: 'object', properties: { name: string, arguments: anything }, required: ['name'] } }, required: ['function'] }),
  tool_call_id: string, function_call: { type: 'object', properties: { name: string, arguments: anything }, required: ['name'] }, reasoning: string, reasoning_content: string, refusal: string,
  annotations: anything, parsed: anything, index: anything, audio: anything,
};

function chatSchemas(message: JsonSchema): Shape {
  return {
    ...sampling, ...annotationSchemas, ...streaming, model: namedModel, messages: { ...listOf(message), minItems: 1, description: 'The conversation.' },
    n: about(between(1, 128), 'Number of answers.'), tools: about(listOf(functionTool), 'Functions that the model may call.'), parallel_tool_calls: boolean,
    tool_choice: about(either(oneOf('none', 'auto', 'required'), object), 'A mode, a function, or allowed_tools.'),
    response_format: about(object, 'text, json_object, also with a schema, or json_schema. Where strict is true, what cannot be enforced is refused; elsewhere it is checked when the answer is finished (the field lectern).'),
    guided_json: about(object, 'A schema, by vLLM\'s name for it.'), logprobs: boolean, top_logprobs: between(0, 20), reasoning_effort: efforts, reasoning: object, think: boolean,
    store: boolean, modalities: about(listOf(constant('text'), 1), 'Only text.'), keep_alive: keepAlive, chat_template_kwargs: about(object, 'Variables of the chat template.'), functions: listOf(object), function_call: either(string, object),
  };
}

/** What the check of an answer against its schema found. */
export function lectern(components: Components): JsonSchema {
  return component(components, 'SchemaCheck', {
    description: 'Where the grammar of an answer could not hold all of a schema that is not strict: whether the finished answer is valid.',
    ...shape({ schema_valid: boolean, schema_errors: listOf(string), unenforced: about(listOf(string), 'Keywords with their places that were only checked.') }),
  });
}

export function chat(components: Components): { request: JsonSchema; answer: JsonSchema } {
  const message = component(components, 'ChatMessage', body(messageNames, ['role'], messageSchemas));
  const request = component(components, 'ChatCompletionRequest', body(chatNames, ['model', 'messages'], chatSchemas(message)));
  const calls = listOf(shape({ 'index?': integer, id: string, type: constant('function'), function: shape({ name: string, arguments: string }) }));
  const delta = { 'reasoning?': string, 'tool_calls?': calls, 'function_call?': shape({ name: string, arguments: string }) };
  const usage = component(components, 'Usage', shape({ prompt_tokens: integer, completion_tokens: integer, total_tokens: integer, prompt_tokens_details: shape({ cached_tokens: integer }), completion_tokens_details: shape({ reasoning_tokens: integer }) }));
  const rates = (name: string): Record<string, JsonSchema> => ({ [`${name}_n`]: integer, [`${name}_ms`]: number, [`${name}_per_token_ms`]: number, [`${name}_per_second`]: number });
  const timings = component(components, 'Timings', about(shape({ cache_n: integer, ...rates('prompt'), ...rates('predicted'), 'draft_n?': integer, 'draft_n_accepted?': integer }), 'As llama.cpp\'s server tells them; in milliseconds.'));
  const logprob = { token: string, logprob: number, bytes: listOf(integer) };
  const logprobs = orNull(shape({ content: listOf(shape({ ...logprob, top_logprobs: listOf(shape(logprob)) })), refusal: { type: 'null' } }));
  const head = { id: string, created: integer, model: string, system_fingerprint: string };
  const check = lectern(components);
  const answer = component(components, 'ChatCompletion', shape({
    ...head, object: constant('chat.completion'), usage, timings,
    choices: listOf(shape({ index: integer, message: shape({ role: constant('assistant'), content: orNull(string), refusal: { type: 'null' }, ...delta }), logprobs, finish_reason: oneOf('stop', 'length', 'tool_calls', 'function_call'), 'lectern?': check })),
  }));
  component(components, 'ChatCompletionChunk', {
    description: 'One event of a streamed chat completion; [DONE] follows the last.',
    ...shape({
      ...head, object: constant('chat.completion.chunk'), 'usage?': orNull(usage), 'timings?': timings,
      choices: listOf(shape({ index: integer, delta: shape({ 'role?': constant('assistant'), 'content?': string, ...delta }), logprobs, finish_reason: orNull(oneOf('stop', 'length', 'tool_calls', 'function_call')), 'lectern?': check })),
    }),
  });
  return { request, answer };
}

export function completions(components: Components): { request: JsonSchema; answer: JsonSchema } {
  const request = component(components, 'CompletionRequest', body(completionNames, ['model', 'prompt'], {
    ...sampling, ...annotationSchemas, ...streaming, model: namedModel, prompt: about(prompts, 'A text, token ids, or lists of them.'), n: about(between(1, 128), 'Number of answers.'), best_of: about(between(1), 'As large as n.'),
    echo: about(boolean, 'The prompt before the answer.'), suffix: about(string, 'Text behind the gap, for models with tokens for it.'), store: boolean, logprobs: between(0, 5), return_token_ids: boolean, keep_alive: keepAlive,
  }));
  const answer = component(components, 'Completion', shape({
    id: string, object: constant('text_completion'), created: integer, model: string, system_fingerprint: string, usage: { $ref: '#/components/schemas/Usage' }, timings: { $ref: '#/components/schemas/Timings' },
    choices: listOf(shape({ index: integer, text: string, logprobs: orNull(object), finish_reason: orNull(oneOf('stop', 'length')) })),
  }));
  return { request, answer };
}

export function embeddings(components: Components): { request: JsonSchema; answer: JsonSchema } {
  const request = component(components, 'EmbeddingRequest', body(embeddingNames, ['model', 'input'], {
    ...annotationSchemas, model: namedModel, input: about(prompts, 'A text or a list of texts; token ids by the setting embed-token-ids.'), encoding_format: oneOf('float', 'base64'), dimensions: about(between(1), 'Fewer numbers than the model gives.'), keep_alive: keepAlive,
  }));
  const answer = component(components, 'EmbeddingList', shape({
    object: constant('list'), data: listOf(shape({ object: constant('embedding'), index: integer, embedding: either(listOf(number), string) })), model: string, usage: shape({ prompt_tokens: integer, total_tokens: integer }),
  }));
  return { request, answer };
}

export function responses(components: Components): { request: JsonSchema; inputRequest: JsonSchema; answer: JsonSchema } {
  const schemas: Shape = {
    ...sampling, ...annotationSchemas, ...streaming, model: namedModel, input: about(either(string, listOf(object)), 'A text, or items of the conversation.'), instructions: about(string, 'System message.'),
    previous_response_id: about(string, 'The kept response that this one goes on from.'), store: about(boolean, 'Whether it is kept; true by default.'), tools: about(listOf(object), 'Functions, custom tools, namespaces of them.'),
    tool_choice: either(oneOf('none', 'auto', 'required'), object), parallel_tool_calls: boolean, max_tool_calls: integer, text: about(object, 'format: text, json_object or json_schema.'), max_output_tokens: about(between(-1, mostInteger), '-1: no bound.'),
    top_logprobs: about({ type: 'integer', const: 0 }, 'Only 0.'), reasoning: object, include: listOf(string), truncation: string, background: about({ type: 'boolean', const: false }, 'Only false.'), conversation: about({ type: 'null' }, 'Not supported.'), keep_alive: keepAlive,
  };
  const request = component(components, 'ResponseRequest', body(responseNames, ['model'], schemas));
  const usage = shape({ input_tokens: integer, input_tokens_details: shape({ cached_tokens: integer }), output_tokens: integer, output_tokens_details: shape({ reasoning_tokens: integer }), total_tokens: integer });
  const answer = component(components, 'Response', shape({
    id: string, object: constant('response'), created_at: integer, status: oneOf('in_progress', 'completed', 'incomplete', 'failed'), error: orNull(shape({ code: string, message: string })),
    incomplete_details: orNull(shape({ reason: string })), model: string, output: listOf(shape({ type: string, id: string, 'status?': string })), store: boolean, usage: orNull(usage), 'lectern?': lectern(components),
  }));
  return { request, inputRequest: request, answer };
}

export function tokens(components: Components): { tokenize: JsonSchema; detokenize: JsonSchema } {
  return {
    tokenize: component(components, 'TokenizeRequest', body(tokenizeNames, ['model'], {
      model: namedModel, prompt: about(string, 'The text; also content.'), content: string, messages: about(listOf({ $ref: '#/components/schemas/ChatMessage' }), 'A conversation.'), tools: listOf(object), add_special_tokens: about(boolean, 'With begin and end tokens; also add_special.'),
      add_special: boolean, parse_special: boolean, return_token_strs: about(boolean, 'With their texts; also with_pieces.'), with_pieces: boolean, add_generation_prompt: about({ type: 'boolean', const: true }, 'Only true.'),
    })),
    detokenize: component(components, 'DetokenizeRequest', body(detokenizeNames, ['model', 'tokens'], { model: namedModel, tokens: listOf(between(0)) })),
  };
}
