/** The language routes in the OpenAPI document. */
import type { Components, JsonSchema } from '../../conversion/kinds.js';
import { type Contract, failuresOf } from './failures.js';
import { chat, completions, embeddings, responses, tokens } from './openai-schemas.js';
import { messages, ollama, rerank } from './other-language-schemas.js';
import { boolean, component, constant, either, integer, listOf, orNull, shape, string } from './schemas.js';

type Paths = Record<string, Record<string, Record<string, unknown>>>;

interface Route {
  method: 'get' | 'post' | 'delete';
  path: string;
  summary: string;
  takes?: JsonSchema;
  gives: JsonSchema;
  streams?: 'text/event-stream' | 'application/x-ndjson';
  /** Further parameters. */
  parameters?: Record<string, unknown>[];
  /** Statuses beside those of every route. */
  more?: number[];
}

function openAiRoutes(components: Components): Route[] {
  const model = component(components, 'Model', shape({ id: string, object: constant('model'), created: integer, owned_by: string, context_length: integer, 'loaded_context_length?': integer }));
  const anthropicModel = component(components, 'AnthropicModel', shape({ type: constant('model'), id: string, display_name: string, created_at: { type: 'string', format: 'date-time' }, max_input_tokens: integer }));
  const one = either(model, anthropicModel);
  const all = either(
    component(components, 'ModelList', shape({ object: constant('list'), data: listOf(model) })),
    component(components, 'AnthropicModelList', shape({ data: listOf(anthropicModel), has_more: boolean, first_id: orNull(string), last_id: orNull(string) })),
  );
  const version = { name: 'anthropic-version', in: 'header', required: false, schema: string, description: 'Where it is there, the answer has Anthropic\'s shape.' };
  const chats = chat(components);
  const texts = completions(components);
  const vectors = embeddings(components);
  const answers = responses(components);
  const counted = tokens(components);
  return [
    { method: 'post', path: '/v1/chat/completions', summary: 'Chat', streams: 'text/event-stream', takes: chats.request, gives: chats.answer },
    { method: 'post', path: '/v1/completions', summary: 'Continue a text', streams: 'text/event-stream', takes: texts.request, gives: texts.answer },
    { method: 'post', path: '/v1/embeddings', summary: 'Vectors of texts', takes: vectors.request, gives: vectors.answer },
    { method: 'post', path: '/v1/responses', summary: 'An answer as typed items', streams: 'text/event-stream', takes: answers.request, gives: answers.answer },
    { method: 'post', path: '/v1/responses/input_tokens', summary: 'Tokens of the prompt of a response', takes: answers.request, gives: shape({ object: constant('response.input_tokens'), input_tokens: integer }) },
    { method: 'get', path: '/v1/responses/{id}', summary: 'A kept response of the caller', gives: answers.answer },
    { method: 'delete', path: '/v1/responses/{id}', summary: 'Deletes a kept response of the caller', gives: shape({ id: string, object: constant('response'), deleted: boolean }) },
    { method: 'get', path: '/v1/responses/{id}/input_items', summary: 'Items of the request of a kept response', gives: shape({ object: constant('list'), data: listOf(shape({ id: string, type: string })), first_id: orNull(string), last_id: orNull(string), has_more: boolean }) },
    { method: 'post', path: '/tokenize', summary: 'Token ids of a text or a conversation', takes: counted.tokenize, gives: shape({ count: integer, max_model_len: integer, tokens: listOf(integer), 'token_strs?': listOf(string) }) },
    { method: 'post', path: '/detokenize', summary: 'The text of token ids', takes: counted.detokenize, gives: shape({ prompt: string, content: string }) },
    { method: 'get', path: '/v1/models', summary: 'The models there are', gives: all, parameters: [version] },
    { method: 'get', path: '/v1/models/{model}', summary: 'One model', gives: one, parameters: [version] },
  ];
}

function anthropicRoutes(components: Components): Route[] {
  const { request, counting, answer } = messages(components);
  return [
    { method: 'post', path: '/v1/messages', summary: 'Chat, by the contract of Anthropic', streams: 'text/event-stream', takes: request, gives: answer },
    { method: 'post', path: '/v1/messages/count_tokens', summary: 'Tokens of a conversation', takes: counting, gives: shape({ input_tokens: integer }) },
  ];
}

function rerankRoutes(components: Components): Route[] {
  const { request, answer, anyRequest, anyAnswer } = rerank(components);
  return [
    { method: 'post', path: '/v1/rerank', summary: 'Scores of documents for a query (Cohere, Jina)', takes: anyRequest, gives: anyAnswer },
    { method: 'post', path: '/v2/rerank', summary: 'Scores of documents for a query (Cohere, Jina)', takes: request, gives: answer },
    { method: 'post', path: '/rerank', summary: 'The same, also by the contract of Text Embeddings Inference', takes: anyRequest, gives: anyAnswer },
  ];
}

function ollamaRoutes(components: Components): Route[] {
  const all = ollama(components);
  return [
    { method: 'post', path: '/api/chat', summary: 'Chat', streams: 'application/x-ndjson', takes: all.chatRequest, gives: all.chat },
    { method: 'post', path: '/api/generate', summary: 'Answer a prompt', streams: 'application/x-ndjson', takes: all.generateRequest, gives: all.generate },
    { method: 'post', path: '/api/embed', summary: 'Vectors of texts', takes: all.embedRequest, gives: all.embed },
    { method: 'post', path: '/api/embeddings', summary: 'Vector of a text (older form)', takes: all.embeddingsRequest, gives: all.embeddings },
    { method: 'post', path: '/api/show', summary: 'What a model is', takes: all.showRequest, gives: all.show },
    { method: 'post', path: '/api/pull', summary: 'success for a model that is there; others are fetched on the host alone (405)', streams: 'application/x-ndjson', takes: all.pullRequest, gives: all.pull, more: [405] },
    { method: 'get', path: '/api/tags', summary: 'The models there are', gives: all.tags },
    { method: 'get', path: '/api/ps', summary: 'The models that are loaded', gives: all.ps },
    { method: 'get', path: '/api/version', summary: 'The release of Ollama whose contract this is', gives: shape({ version: string }) },
  ];
}

/** For `describeApi`. */
export function languagePaths(components: Components): Paths {
  const paths: Paths = {};
  const groups: [tag: string, contract: Contract, routes: Route[]][] = [
    ['language models (OpenAI)', 'openai', openAiRoutes(components)], ['language models (Anthropic)', 'anthropic', anthropicRoutes(components)],
    ['language models (Ollama)', 'ollama', ollamaRoutes(components)], ['language models (rerank)', 'openai', rerankRoutes(components)],
  ];
  for (const [tag, contract, routes] of groups) {
    for (const route of routes) paths[route.path] = { ...paths[route.path], [route.method]: describeRoute(tag, contract, route, components) };
  }
  return paths;
}

export function operationIdOf(method: string, path: string): string {
  return `${method}${path.replace(/[^a-z0-9]+/g, '_').replace(/_$/, '')}`;
}

function describeRoute(tag: string, contract: Contract, { method, path, summary, takes, gives, streams, parameters = [], more = [] }: Route, components: Components): Record<string, unknown> {
  const [, named] = /\{(\w+)\}/.exec(path) ?? [];
  const inPath = named === undefined ? [] : [{ name: named, in: 'path', required: true, schema: { type: 'string', minLength: 1 }, description: named === 'model' ? 'Name of the model.' : 'Id of the response.' }];
  const all = [...inPath, ...parameters];
  return {
    tags: [tag],
    operationId: operationIdOf(method, path),
    summary,
    security: [{}, { APIKeyAuth: [] }, { BearerAuth: [] }],
    ...(all.length === 0 ? {} : { parameters: all }),
    ...(takes === undefined ? {} : { requestBody: { required: true, content: { 'application/json': { schema: takes } } } }),
    responses: {
      200: { description: 'Done', content: { 'application/json': { schema: gives }, ...(streams === undefined ? {} : { [streams]: { schema: { type: 'string' } } }) } },
      ...failuresOf(contract, components, more),
    },
  };
}
