/** The language routes in the OpenAPI document: what each is for and what it takes. */
import type { JsonSchema } from '../../conversion/kinds.js';

type Paths = Record<string, Record<string, Record<string, unknown>>>;

interface Route {
  method: 'get' | 'post' | 'delete';
  path: string;
  summary: string;
  /** Of the body: name -> type and sentence; a star marks what is required. */
  takes?: Record<string, [type: string, help: string]>;
  streams?: 'text/event-stream' | 'application/x-ndjson';
}

const model: [string, string] = ['string', 'Name of the model.'];
const keepAlive: [string, string] = ['string', 'How long the model stays loaded after this: seconds, or a duration such as 5m; negative: for ever.'];
const sampling: Record<string, [string, string]> = {
  temperature: ['number', '0: the most probable token.'], top_p: ['number', '0 to 1.'], top_k: ['integer', '0: all.'], min_p: ['number', '0 to 1.'], seed: ['integer', 'The same seed gives the same answer.'],
  stop: ['array', 'Texts that end the answer.'], max_completion_tokens: ['integer', 'Also max_tokens.'], presence_penalty: ['number', '-2 to 2.'], frequency_penalty: ['number', '-2 to 2.'],
  logit_bias: ['object', 'Token id to bias, -100 to 100.'], keep_alive: keepAlive,
};
const options: Record<string, [string, string]> = {
  options: ['object', 'temperature, top_k, top_p, min_p, typical_p, repeat_penalty, repeat_last_n, presence_penalty, frequency_penalty, seed, stop, num_predict, num_ctx.'],
  stream: ['boolean', 'True by default.'], format: ['object', '"json" or a JSON schema.'], think: ['boolean', 'Whether the model reasons first.'], logprobs: ['boolean', 'Tell log probabilities.'], keep_alive: keepAlive,
};

const openAi: Route[] = [
  {
    method: 'post', path: '/v1/chat/completions', summary: 'Chat', streams: 'text/event-stream',
    takes: {
      'model*': model, 'messages*': ['array', 'The conversation.'], stream: ['boolean', 'Server-sent events.'], stream_options: ['object', 'include_usage.'], tools: ['array', 'Functions the model may call.'],
      tool_choice: ['string', 'none, auto, required, a function, or allowed_tools.'], response_format: ['object', 'text, json_object, also with a schema, or json_schema; strict refuses what cannot be enforced.'], chat_template_kwargs: ['object', 'Variables of the chat template.'], logprobs: ['boolean', 'Tell log probabilities.'], top_logprobs: ['integer', '0 to 20.'], n: ['integer', 'Number of answers.'], ...sampling,
    },
  },
  {
    method: 'post', path: '/v1/completions', summary: 'Continue a text', streams: 'text/event-stream',
    takes: { 'model*': model, 'prompt*': ['string', 'A text, token ids, or lists of them.'], stream: ['boolean', 'Server-sent events.'], logprobs: ['integer', '0 to 5.'], n: ['integer', 'Number of answers.'], suffix: ['string', 'Text behind the gap, for models with tokens for it.'], echo: ['boolean', 'The prompt before the answer.'], return_token_ids: ['boolean', 'Tell token ids.'], ignore_eos: ['boolean', 'Go on past the end.'], ...sampling },
  },
  {
    method: 'post', path: '/v1/embeddings', summary: 'Vectors of texts',
    takes: { 'model*': model, 'input*': ['string', 'A text or a list of texts; token ids by the setting embed-token-ids.'], encoding_format: ['string', 'float or base64.'], dimensions: ['integer', 'Fewer numbers than the model gives.'], keep_alive: keepAlive },
  },
  {
    method: 'post', path: '/v1/responses', summary: 'An answer as typed items', streams: 'text/event-stream',
    takes: { 'model*': model, 'input*': ['array', 'A text, or items of the conversation.'], instructions: ['string', 'System message.'], previous_response_id: ['string', 'The kept response that this one goes on from.'], store: ['boolean', 'Whether it is kept; true by default.'], stream: ['boolean', 'Server-sent events.'], tools: ['array', 'Functions, custom tools, namespaces of them.'], text: ['object', 'format: text, json_object or json_schema.'], max_output_tokens: ['integer', 'Upper bound.'] },
  },
  { method: 'post', path: '/v1/responses/input_tokens', summary: 'Tokens of the prompt of a response', takes: { 'model*': model, 'input*': ['array', 'A text, or items of the conversation.'], instructions: ['string', 'System message.'], tools: ['array', 'Functions.'] } },
  { method: 'get', path: '/v1/responses/{id}', summary: 'A kept response of the caller' },
  { method: 'delete', path: '/v1/responses/{id}', summary: 'Deletes a kept response of the caller' },
  { method: 'get', path: '/v1/responses/{id}/input_items', summary: 'Items of the request of a kept response' },
  { method: 'post', path: '/tokenize', summary: 'Token ids of a text or a conversation', takes: { 'model*': model, prompt: ['string', 'The text; also content.'], messages: ['array', 'The conversation.'], add_special_tokens: ['boolean', 'With begin and end tokens; also add_special.'], return_token_strs: ['boolean', 'With their texts; also with_pieces.'] } },
  { method: 'post', path: '/detokenize', summary: 'The text of token ids', takes: { 'model*': model, 'tokens*': ['array', 'Token ids.'] } },
  { method: 'get', path: '/v1/models', summary: 'The models there are' },
  { method: 'get', path: '/v1/models/{model}', summary: 'One model' },
];

const anthropicConversation: Record<string, [string, string]> = {
  'model*': model, 'messages*': ['array', 'The conversation: texts, or blocks of text, tool_use, tool_result and thinking.'], system: ['string', 'System message, or a list of its blocks.'], tools: ['array', 'Tools with name, description and input_schema.'],
  tool_choice: ['object', 'auto, any, tool with a name, or none; disable_parallel_tool_use.'], thinking: ['object', 'enabled, disabled or adaptive; passed over by models that do not think.'], output_config: ['object', 'effort, and format: a JSON schema.'],
};
const anthropic: Route[] = [
  {
    method: 'post', path: '/v1/messages', summary: 'Chat, by the contract of Anthropic', streams: 'text/event-stream',
    takes: {
      ...anthropicConversation, 'max_tokens*': ['integer', 'Upper bound.'], stream: ['boolean', 'Server-sent events.'], stop_sequences: ['array', 'Texts that end the answer.'], temperature: ['number', '0 to 1.'], top_p: ['number', '0 to 1.'], top_k: ['integer', '0: all.'], keep_alive: keepAlive,
    },
  },
  { method: 'post', path: '/v1/messages/count_tokens', summary: 'Tokens of a conversation', takes: anthropicConversation },
];

const pairs: Record<string, [string, string]> = {
  'query*': ['string', 'What the documents are compared with.'], truncate: ['boolean', 'A document that is too long loses its end; false: it is an error.'], keep_alive: keepAlive,
};
const documents: Record<string, [string, string]> = {
  'model*': model, 'documents*': ['array', 'Up to 2,048 strings, or objects with text.'], ...pairs, top_n: ['integer', 'How many of the best are returned; all by default.'],
  return_documents: ['boolean', 'With their texts; false by default.'], max_tokens_per_doc: ['integer', 'Tokens of a document beyond these are dropped.'],
};
const rerank: Route[] = [
  { method: 'post', path: '/v1/rerank', summary: 'Scores of documents for a query (Cohere, Jina)', takes: documents },
  { method: 'post', path: '/v2/rerank', summary: 'Scores of documents for a query (Cohere, Jina)', takes: documents },
  {
    method: 'post', path: '/rerank', summary: 'The same, also by the contract of Text Embeddings Inference',
    takes: {
      ...pairs, model: ['string', 'Not required with texts if there is one rerank model.'], documents: ['array', 'As for /v1/rerank.'], texts: ['array', 'Strings, in the place of documents: the answer is a list.'],
      raw_scores: ['boolean', 'Logits instead of scores from 0 to 1.'], return_text: ['boolean', 'With the texts.'],
    },
  },
];

const ollama: Route[] = [
  { method: 'post', path: '/api/chat', summary: 'Chat', streams: 'application/x-ndjson', takes: { 'model*': model, messages: ['array', 'The conversation; empty: load the model.'], tools: ['array', 'Functions the model may call.'], ...options } },
  {
    method: 'post', path: '/api/generate', summary: 'Answer a prompt', streams: 'application/x-ndjson',
    takes: { 'model*': model, prompt: ['string', 'Empty: load the model.'], system: ['string', 'System message.'], raw: ['boolean', 'Without the template.'], context: ['array', 'Of an earlier answer.'], ...options },
  },
  { method: 'post', path: '/api/embed', summary: 'Vectors of texts', takes: { 'model*': model, 'input*': ['string', 'A text or a list.'], truncate: ['boolean', 'Cut what is too long; true by default, and told in the answer.'], dimensions: ['integer', 'Fewer numbers.'], keep_alive: keepAlive } },
  { method: 'post', path: '/api/embeddings', summary: 'Vector of a text (older form)', takes: { 'model*': model, 'prompt*': ['string', 'The text.'], keep_alive: keepAlive } },
  { method: 'post', path: '/api/show', summary: 'What a model is', takes: { 'model*': model, verbose: ['boolean', 'With arrays and tensors.'] } },
  { method: 'post', path: '/api/pull', summary: 'success for a model that is there; others are fetched on the host alone (405)', streams: 'application/x-ndjson', takes: { 'model*': model, stream: ['boolean', 'JSON lines; true by default.'] } },
  { method: 'get', path: '/api/tags', summary: 'The models there are' },
  { method: 'get', path: '/api/ps', summary: 'The models that are loaded' },
  { method: 'get', path: '/api/version', summary: 'The release of Ollama whose contract this is' },
];

/** For `describeApi`. */
export function languagePaths(): Paths {
  const paths: Paths = {};
  for (const [tag, routes] of [['language models (OpenAI)', openAi], ['language models (Anthropic)', anthropic], ['language models (Ollama)', ollama], ['language models (rerank)', rerank]] as const) {
    for (const route of routes) paths[route.path] = { ...paths[route.path], [route.method]: describeRoute(tag, route) };
  }
  return paths;
}

function describeRoute(tag: string, { method, path, summary, takes, streams }: Route): Record<string, unknown> {
  const any: JsonSchema = { type: 'object' };
  const [, named] = /\{(\w+)\}/.exec(path) ?? [];
  const inPath = named === undefined ? {} : { parameters: [{ name: named, in: 'path', required: true, schema: { type: 'string' }, description: named === 'model' ? 'Name of the model.' : 'Id of the response.' }] };
  return {
    tags: [tag],
    operationId: `${method}${path.replace(/[^a-z0-9]+/g, '_').replace(/_$/, '')}`,
    summary,
    ...inPath,
    ...(takes === undefined ? {} : { requestBody: { required: true, content: { 'application/json': { schema: bodySchema(takes) } } } }),
    responses: {
      200: { description: 'Successful Response', content: { 'application/json': { schema: any }, ...(streams === undefined ? {} : { [streams]: { schema: { type: 'string' } } }) } },
      400: { description: 'What is wrong is named', content: { 'application/json': { schema: any } } },
      ...(takes?.['model*'] === undefined ? {} : { 404: { description: 'No such model', content: { 'application/json': { schema: any } } }, 503: { description: 'The queue is full, or the model does not fit into memory', content: { 'application/json': { schema: any } } } }),
    },
  };
}

function bodySchema(takes: Record<string, [type: string, help: string]>): JsonSchema {
  const entries = Object.entries(takes);
  const bare = (name: string): string => name.replace('*', '');
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, [type, description]]) => [bare(name), { ...(type === 'array' ? { type, items: {} } : { type }), description }])),
    required: entries.filter(([name]) => name.endsWith('*')).map(([name]) => bare(name)),
  };
}
