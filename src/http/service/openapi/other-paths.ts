/** Routes in the OpenAPI document that neither contract's tables describe: further names of probes, the socket, the tools for AI programs, and what is refused. */
import type { Components, JsonSchema } from '../../conversion/kinds.js';
import { type Contract, failuresOf } from './failures.js';
import { operationIdOf } from './language-paths.js';
import { boolean, integer, number, object, orNull, shape, string } from './schemas.js';

type Paths = Record<string, Record<string, Record<string, unknown>>>;

interface Route {
  method: 'get' | 'post' | 'delete';
  path: string;
  tag: string;
  summary: string;
  status: number;
  /** Of the answer with that status; absent: it has no body. */
  gives?: [mediaType: string, schema: JsonSchema];
  takes?: JsonSchema;
  contract: Contract;
}

const ok: [string, JsonSchema] = ['application/json', shape({ status: string })];
const page: [string, JsonSchema] = ['text/html', string];
const health = (path: string, summary: string, gives: Route['gives']): Route => ({ method: 'get', path, tag: 'health', summary, status: 200, ...(gives === undefined ? {} : { gives }), contract: 'docling' });

const service: Route[] = [
  health('/api', 'Whether the service lives', ok),
  health('/openapi.json', 'This description', ['application/json', object]),
  health('/docs', 'This description as a page', page),
  health('/swagger', 'The same page', page),
  health('/scalar', 'The same page', page),
  health('/livez', 'Whether the service lives', ok),
  health('/readyz', 'Whether the service takes work', ok),
  health('/ui', 'Leads to the page for people', undefined),
  health('/ui/', 'The page for people', page),
  health('/ui/{name}', 'A file of the page', ['application/octet-stream', { type: 'string', format: 'binary' }]),
  { method: 'get', path: '/v1/host', tag: 'management', summary: 'Who the caller is, and its tasks; for administrators all tasks, the latest failed requests and the access list', status: 200, gives: ['application/json', object], contract: 'docling' },
  { method: 'get', path: '/v1/host/models', tag: 'management', summary: 'The memory that each language model would take', status: 200, gives: ['application/json', shape({ models: { type: 'array', items: shape({ name: string, memory_bytes: orNull(integer), context: orNull(integer), load_seconds: orNull(number), refusal: orNull(string) }) } })], contract: 'docling' },
  { method: 'post', path: '/v1/host/access-test', tag: 'management', summary: 'Whether a caller with an address and a key may enter; for administrators', status: 200, takes: shape({ address: string, 'key?': string }), gives: ['application/json', shape({ enters: boolean, role: orNull(string), identity: string })], contract: 'docling' },
  { method: 'get', path: '/v1/tasks/{task_id}/source', tag: 'tasks', summary: 'The document of a task, where the request had keep_source', status: 200, gives: ['application/octet-stream', { type: 'string', format: 'binary' }], contract: 'docling' },
  { method: 'get', path: '/v1/tasks/{task_id}/pages/{page}', tag: 'tasks', summary: 'An image of a page, from 1, where the request had keep_source; the query width is its width in pixels', status: 200, gives: ['image/webp', { type: 'string', format: 'binary' }], contract: 'docling' },
  { method: 'get', path: '/v1/status/ws/{task_id}', tag: 'tasks', summary: 'A WebSocket that reports every change of a task until it ends', status: 101, contract: 'docling' },
];

const rpc = shape({ jsonrpc: { type: 'string', const: '2.0' }, 'id?': {}, 'method?': string, 'params?': object, 'result?': object, 'error?': object });
const mcp: Route[] = [
  { method: 'post', path: '/mcp', tag: 'tools', summary: 'A message of the Model Context Protocol (streamable HTTP)', status: 200, takes: { anyOf: [rpc, { type: 'array', items: rpc }] }, gives: ['application/json', { anyOf: [rpc, { type: 'array', items: rpc }] }], contract: 'docling' },
  { method: 'delete', path: '/mcp', tag: 'tools', summary: 'Ends the session that mcp-session-id names', status: 200, contract: 'docling' },
];

const tag = 'language models (Ollama)';
const refused = (method: Route['method'], path: string): Route => ({ method, path, tag, summary: 'Refused: models are not changed over HTTP', status: 405, gives: ['application/json', shape({ error: string })], contract: 'ollama' });

const language: Route[] = [
  { method: 'get', path: '/', tag, summary: 'The sentence by which Ollama\'s clients know it', status: 200, gives: ['text/plain', string], contract: 'ollama' },
  { method: 'get', path: '/api/status', tag, summary: 'Whether there is a cloud: there is none', status: 200, gives: ['application/json', shape({ cloud: shape({ disabled: boolean, source: string }) })], contract: 'ollama' },
  { method: 'post', path: '/api/me', tag, summary: 'The account: there is none', status: 503, gives: ['application/json', shape({ error: string })], contract: 'ollama' },
  refused('post', '/api/create'), refused('post', '/api/copy'), refused('post', '/api/push'), refused('post', '/api/blobs/{digest}'), refused('delete', '/api/delete'),
];

/** For `describeApi`. */
export function otherPaths(withLanguage: boolean, components: Components): Paths {
  const paths: Paths = {};
  for (const route of withLanguage ? [...service, ...mcp, ...language] : [...service, ...mcp]) paths[route.path] = { ...paths[route.path], [route.method]: describe(route, components) };
  return paths;
}

function describe({ method, path, tag: group, summary, status, gives, takes, contract }: Route, components: Components): Record<string, unknown> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string', minLength: 1 }, description: 'As its route says.' }));
  const isMcp = path === '/mcp';
  const session = isMcp ? [{ name: 'mcp-session-id', in: 'header', required: false, schema: string, description: 'The session; absent in the first request.' }, { name: 'mcp-protocol-version', in: 'header', required: false, schema: string, description: 'Version of the protocol.' }] : [];
  const all = [...names, ...session];
  const failures = failuresOf(contract, components, isMcp ? [406, 409] : []);
  const failureMedia = isMcp ? Object.fromEntries(Object.entries(failures).map(([code, one]) => [code, { ...one, content: { 'application/json': { schema: { anyOf: [rpc, { $ref: '#/components/schemas/HttpError' }] } } } }])) : failures;
  return {
    tags: [group], operationId: operationIdOf(method, path.replace(/(?<=.)\/$/, '/index')), summary,
    ...(group === 'health' ? {} : { security: [{}, { APIKeyAuth: [] }, { BearerAuth: [] }] }),
    ...(all.length > 0 ? { parameters: all } : {}),
    ...(takes === undefined ? {} : { requestBody: { required: true, content: { 'application/json': { schema: takes } } } }),
    responses: {
      ...failureMedia,
      ...(isMcp && method === 'post' ? { 202: { description: 'A notification was taken' } } : {}),
      [status]: { description: summary, ...(gives === undefined ? {} : { content: { [gives[0]]: { schema: gives[1] }, ...(isMcp ? { 'text/event-stream': { schema: string } } : {}) } }) },
    },
  };
}
