/** Routes in the OpenAPI document that neither contract's tables describe: further names of probes, the socket, and what is refused. */

type Paths = Record<string, Record<string, Record<string, unknown>>>;

type Route = [method: 'get' | 'post' | 'delete', path: string, tag: string, summary: string, status: number];

const service: Route[] = [
  ['get', '/api', 'health', 'Whether the service lives', 200],
  ['get', '/openapi.json', 'health', 'This description', 200],
  ['get', '/docs', 'health', 'This description as a page', 200],
  ['get', '/swagger', 'health', 'The same page', 200],
  ['get', '/scalar', 'health', 'The same page', 200],
  ['get', '/livez', 'health', 'Whether the service lives', 200],
  ['get', '/readyz', 'health', 'Whether the service takes work', 200],
  ['get', '/v1/status/ws/{task_id}', 'tasks', 'A WebSocket that tells of every change of a task until it ends', 101],
];

const ollama = 'language models (Ollama)';
const refused = 'Refused: models are not changed over HTTP';

const language: Route[] = [
  ['get', '/', ollama, 'The sentence by which Ollama\'s clients know it', 200],
  ['get', '/api/status', ollama, 'Whether there is a cloud: there is none', 200],
  ['post', '/api/me', ollama, 'The account: there is none', 503],
  ['post', '/api/create', ollama, refused, 405],
  ['post', '/api/copy', ollama, refused, 405],
  ['post', '/api/push', ollama, refused, 405],
  ['post', '/api/pull', ollama, refused, 405],
  ['post', '/api/blobs/{digest}', ollama, refused, 405],
  ['delete', '/api/delete', ollama, refused, 405],
];

/** For `describeApi`. */
export function otherPaths(withLanguage: boolean): Paths {
  const paths: Paths = {};
  for (const [method, path, tag, summary, status] of withLanguage ? [...service, ...language] : service) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
    paths[path] = {
      [method]: {
        tags: [tag], operationId: `${method}${path.replace(/[^a-z0-9]+/g, '_').replace(/_$/, '')}`, summary,
        ...(names.length > 0 ? { parameters: names } : {}), responses: { [status]: { description: summary } },
      },
    };
  }
  return paths;
}
