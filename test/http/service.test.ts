// Health, version, metrics, the API's description, and the answers to paths and methods that are none.
import t from 'tap';
import { readFileSync } from 'node:fs';
import { form, startTestService } from '../support/http-service.js';
import { fakeLanguage } from '../support/language-service.js';
import { sharedPath } from '../support/shared.js';

const service = await startTestService();
t.teardown(() => service.close());
const { app } = service;
const get = (url: string) => app.inject({ url });

t.test('probes', async (t) => {
  for (const url of ['/health', '/api', '/ready', '/readyz', '/livez']) {
    const answer = await get(url);
    t.strictSame([answer.statusCode, answer.body, answer.headers['content-type']], [200, '{"status":"ok"}', 'application/json'], url);
  }
  const cold = await startTestService({}, { notReady: () => 'Models not yet loaded' });
  t.teardown(() => cold.close());
  for (const url of ['/ready', '/readyz']) {
    const answer = await cold.app.inject({ url });
    t.strictSame([answer.statusCode, answer.json()], [503, { detail: 'Models not yet loaded' }], url);
  }
  const slow = await startTestService({}, { notReady: async () => 'The model directory /none does not exist.' });
  t.teardown(() => slow.close());
  t.match((await slow.app.inject({ url: '/ready' })).json(), { detail: 'The model directory /none does not exist.' });
  for (const url of ['/health', '/livez']) t.equal((await cold.app.inject({ url })).statusCode, 200, url);
});

t.test('version', async (t) => {
  const versions = (await get('/version')).json() as Record<string, string>;
  const keys = ['docling-serve', 'docling-jobkit', 'docling', 'docling-core', 'docling-ibm-models', 'docling-parse', 'python', 'plaform'];
  t.strictSame(Object.keys(versions).slice(0, keys.length), keys);
  t.ok(Object.values(versions).every((version) => typeof version === 'string'));
  const quiet = await startTestService({ showVersion: false });
  t.teardown(() => quiet.close());
  const refused = await quiet.app.inject({ url: '/version' });
  t.strictSame([refused.statusCode, refused.json()], [403, { detail: 'Forbidden. The server is configured for not showing version details.' }]);
});

t.test('memory is not shown', async (t) => {
  for (const url of ['/v1/memory/stats', '/v1/memory/counts']) {
    const answer = await get(url);
    t.strictSame([answer.statusCode, answer.json()], [403, { detail: 'Forbidden. The server is configured for not showing internal managament details.' }]);
  }
});

t.test('paths and methods that are none', async (t) => {
  const ask = async (method: 'GET' | 'HEAD' | 'POST' | 'DELETE', url: string, body?: string) => {
    const answer = await app.inject({ method, url, ...(body === undefined ? {} : { payload: body, headers: { 'content-type': 'multipart/form-data' } }) });
    return [answer.statusCode, answer.body];
  };
  const notFound = [404, '{"detail":"Not Found"}'];
  const notAllowed = [405, '{"detail":"Method Not Allowed"}'];
  for (const url of ['/nope', '/v1alpha/convert/file', '/redoc', '/v1/result', '/v1/result/a/b', '/%E0%A4%A', '/']) t.strictSame(await ask('GET', url), notFound, url);
  t.strictSame(await ask('POST', '/nope', 'broken'), notFound, 'whatever it was sent');
  for (const url of ['/v1/convert/file', '/v1/convert/source']) t.strictSame(await ask('GET', url), notAllowed, url);
  t.strictSame(await ask('POST', '/v1/status/poll/x', '{'), notAllowed);
  t.strictSame(await ask('DELETE', '/health'), notAllowed);
  t.equal((await app.inject({ method: 'POST', url: '/v1/tasks/x' })).headers['allow'], 'DELETE');
  for (const url of ['/openapi.json', '/docs', '/swagger']) t.strictSame(await ask('HEAD', url), [200, ''], url);
  for (const url of ['/health', '/version', '/scalar']) t.equal((await ask('HEAD', url))[0], 405, url);
  for (const [url, location] of [['/health/', '/health'], ['/v1/status/poll/x/?wait=1', '/v1/status/poll/x?wait=1'], ['/v1/convert/file//', '/v1/convert/file']] as const) {
    const answer = await get(url);
    t.strictSame([answer.statusCode, answer.headers.location], [307, location]);
  }
  t.equal((await get('//evil.example.com/')).statusCode, 404, 'no redirect to strangers');
});

t.test('metrics', async (t) => {
  await app.inject({ method: 'POST', url: '/v1/convert/file', ...form('a.pdf') });
  await get('/v1/result/no%22such%22task');
  const answer = await get('/metrics');
  t.equal(answer.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
  const lines = answer.body.trimEnd().split('\n');
  const sample = /^[a-z_]+(\{([a-z]+="([^"\\]|\\.)*",?)*\})? -?[0-9.e+-]+$/;
  t.strictSame(lines.filter((line) => !line.startsWith('# ') && !sample.test(line)), [], 'every line is of the format');
  for (const line of [
    'lectern_http_requests_total{method="POST",route="/v1/convert/file",status="200"} 1',
    'lectern_http_requests_total{method="GET",route="/v1/result/:task_id",status="404"} 1',
    'lectern_http_request_duration_seconds_bucket{method="POST",route="/v1/convert/file",le="+Inf"} 1',
    'lectern_tasks{state="ended"} 1',
    'lectern_tasks{state="waiting"} 0',
  ]) t.ok(lines.includes(line), line);
  t.ok(lines.some((line) => /^process_resident_memory_bytes \d{7,}$/.test(line)));
  const { now } = Date;
  const started = (text: string): string | undefined => /^process_start_time_seconds (\d+)$/m.exec(text)?.[1];
  Date.now = () => now() + 3_600_000;
  const later = await get('/metrics').finally(() => { Date.now = now; });
  t.equal(started(later.body), started(answer.body), 'a clock that is set is no new start');
  t.notMatch(answer.body, 'such', 'no path of a client');
  t.notMatch(answer.body, 'route="/health"', 'no probes');
});

interface Schema { properties?: Record<string, object>; required?: string[]; enum?: string[]; $ref?: string }
interface Api {
  openapi: string;
  info: { title: string };
  paths: Record<string, Record<string, { operationId: string; requestBody?: { content: Record<string, { schema: Schema }> }; parameters?: { name: string; in: string; required: boolean }[]; responses: Record<string, { content?: object }> }>>;
  components: { schemas: Record<string, Schema> };
}

function refsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(refsOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => (key === '$ref' && typeof part === 'string' ? [part] : refsOf(part)));
}

t.test('the description of the API', async (t) => {
  const api = (await get('/openapi.json')).json() as Api;
  const older = (await get('/openapi-3.0.json')).json() as Api;
  t.match([api.openapi, api.info.title, older.openapi], ['3.1.0', 'Docling Serve', '3.0.3']);
  for (const document of [api, older]) {
    const missing = refsOf(document).filter((ref) => !(ref.split('/').at(-1) as string in document.components.schemas));
    t.strictSame(missing, [], 'every reference leads somewhere');
  }
  const text = JSON.stringify(older);
  for (const word of ['"const":', '"prefixItems":', '"type":"null"', '"contentMediaType":"application/octet-stream"']) t.notMatch(text, word);
  const ids = Object.values(api.paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
  const { components: { securitySchemes } } = (await get('/openapi.json')).json() as { components: { securitySchemes: object } };
  t.match(securitySchemes, { APIKeyAuth: { in: 'header', name: 'X-Api-Key' }, BearerAuth: { type: 'http', scheme: 'bearer' } });
  t.equal(new Set(ids).size, ids.length, 'operations have names of their own');
});

t.test('every route is described', async (t) => {
  const everything = await startTestService({}, { language: fakeLanguage() });
  t.teardown(() => everything.close());
  const { paths } = (await everything.app.inject({ url: '/openapi.json' })).json() as Api;
  const shapeOf = (path: string): string => path.replace(/\{\w+\}|:\w+|\*/g, '{}');
  const described = new Set(Object.entries(paths).flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${shapeOf(path)}`)));
  // What the page of the description is made of.
  const own = ['/favicon.ico', '/favicon.svg'];
  const routes = everything.routes().filter(({ method, url }) => method !== 'HEAD' && !own.includes(url)).map(({ method, url }) => `${method.toLowerCase()} ${shapeOf(url)}`);
  t.ok(routes.length > 50, `${routes.length} routes`);
  t.strictSame(routes.filter((route) => !described.has(route)), []);
  t.strictSame([...described].filter((route) => !routes.includes(route) && route !== 'get /metrics'), [], 'and nothing else');
});

/** Parts of DoclingDocument, which this service only writes. */
const documentParts = new Set(['DoclingDocument', 'DocumentOrigin', 'GroupItem', 'TextItem', 'TableItem', 'PictureItem', 'KeyValueItem', 'FormItem', 'FieldRegionItem', 'FieldItem', 'PageItem', 'BoundingBox', 'ImageRef', 'ProvenanceItem', 'TableCell', 'TableData', 'Formatting', 'RefItem', 'Size']);

const contract = sharedPath('contracts/docling-serve-1.38.2.openapi.json');
const skip = contract === null ? 'the contract\'s document is not beside the checkout (../shared)' : false;

t.test('the description against the contract\'s document', { skip }, async (t) => {
  const theirs = JSON.parse(readFileSync(contract as string, 'utf8')) as Api;
  const ours = (await get('/openapi.json')).json() as Api;
  for (const [path, item] of Object.entries(theirs.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const own = ours.paths[path]?.[method];
      t.ok(own, `${method} ${path}`);
      if (own === undefined) continue;
      t.equal(own.operationId, operation.operationId);
      for (const { name, in: place, required } of operation.parameters ?? []) t.match(own.parameters?.find((one) => one.name === name), { in: place, required });
      t.strictSame(Object.keys(own.requestBody?.content ?? {}), Object.keys(operation.requestBody?.content ?? {}));
      t.strictSame(Object.values(own.requestBody?.content ?? {}).map(({ schema }) => schema.$ref), Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => schema.$ref));
      t.strictSame(Object.keys(operation.responses).filter((status) => !(status in own.responses)), [], 'statuses of the contract; ours has those that it leaves out, too');
      t.strictSame(Object.keys(own.responses['200']?.content ?? {}), Object.keys(operation.responses['200']?.content ?? {}));
    }
  }
  let compared = 0;
  for (const [name, schema] of Object.entries(ours.components.schemas)) {
    const original = theirs.components.schemas[name];
    if (original === undefined) {
      t.ok(['HttpError'].includes(name), `${name} is no name of the contract`);
      continue;
    }
    t.strictSame([...(schema.enum ?? [])].sort(), [...(original.enum ?? [])].sort(), `words of ${name}`);
    // What this service always writes of a document may be missing in those of others.
    const optional = (schema.required ?? []).filter((one) => !(original.required ?? []).includes(one) && one in (original.properties ?? {}));
    t.strictSame((original.required ?? []).filter((one) => !(schema.required ?? []).includes(one)), [], `required of ${name}`);
    if (!documentParts.has(name)) t.strictSame(optional, [], `required of ${name} alone here`);
    const missing = Object.keys(original.properties ?? {}).filter((property) => !(property in (schema.properties ?? {})));
    t.strictSame(missing, [], `properties of ${name}`);
    compared++;
  }
  t.ok(compared > 70, `${compared} schemas compared`);
});

t.test('the page', async (t) => {
  for (const url of ['/docs', '/swagger', '/scalar']) {
    const answer = await get(url);
    t.match(answer.headers, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': /default-src 'none'/ });
    t.notMatch(answer.body, /https?:\/\/(?!www\.w3\.org)/, 'nothing comes from elsewhere');
    const [, script = ''] = /src="([^"]+)"/.exec(answer.body) ?? [];
    t.equal((await get(`/${script}`)).headers['content-type'], 'text/javascript; charset=utf-8', 'beside the address, below a path of a proxy too');
  }
  t.match((await get('/ui')).headers, { location: 'ui/' });
  const page = await get('/ui/');
  t.match(page.headers, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': /script-src 'self'; style-src 'self';.*frame-ancestors 'none'/, 'x-content-type-options': 'nosniff' });
  const [, script = ''] = /src="\.\/([^"]+)"/.exec(page.body) ?? [];
  t.match((await get(`/ui/${script}`)).headers, { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': /immutable/ });
  t.equal((await app.inject({ url: `/ui/${script}`, headers: { 'accept-encoding': 'gzip' } })).headers['content-encoding'], 'gzip');
  for (const name of ['nope.js', '..%2Fpackage.json', '%2e%2e%2fpackage.json']) t.equal((await get(`/ui/${name}`)).statusCode, 404, name);
  t.strictSame([(await get('/favicon.ico')).statusCode, (await get('/favicon.svg')).headers['content-type']], [307, 'image/svg+xml']);
});
