// What strangers send, on every language route of the whole service: the contract's shape of a refusal, never a 500, and the service goes on.
import t, { type Test } from 'tap';
import { startServing } from '../support/serving.js';

const service = await startServing(t, { shape: { context: 512 } });
const hi = [{ role: 'user', content: 'hi' }];
const deep = (depth: number): string => `${'{"type":"object","properties":{"a":'.repeat(depth)}{"type":"string"}${'},"required":["a"],"additionalProperties":false}'.repeat(depth)}`;
const huge = 'all the world '.repeat(750_000);

/** What is whole but for one thing, for each route. */
const good: Record<string, Record<string, unknown>> = {
  '/v1/chat/completions': { model: 'chat', messages: hi, max_tokens: 2 },
  '/v1/completions': { model: 'chat', prompt: 'hi', max_tokens: 2 },
  '/v1/embeddings': { model: 'embedder', input: 'hi' },
  '/v1/responses': { model: 'chat', input: 'hi', max_output_tokens: 2 },
  '/api/chat': { model: 'chat', messages: hi, options: { num_predict: 2 } },
  '/api/generate': { model: 'chat', prompt: 'hi', options: { num_predict: 2 } },
  '/api/embed': { model: 'embedder', input: 'hi' },
  '/api/embeddings': { model: 'embedder', prompt: 'hi' },
  '/api/show': { model: 'chat' },
};
const chats = ['/v1/chat/completions', '/api/chat'];
const openAi = (path: string): boolean => path.startsWith('/v1/');

async function refused(t: Test, path: string, body: string | Uint8Array, expected: { status: number | number[]; code?: string | null; param?: string; text?: RegExp }, what: string): Promise<void> {
  const answer = await fetch(service.url + path, { method: 'POST', body });
  const { status, code, param, text } = expected;
  t.ok([status].flat().includes(answer.status), `${path}, ${what}: ${answer.status}`);
  t.match(answer.headers.get('content-type'), 'application/json');
  const told = await answer.json() as { error: string | { message: string; type: string; param: string | null; code: string | null } };
  const { error } = told;
  if (openAi(path)) {
    if (typeof error === 'string') return void t.fail(`${path}, ${what}: an error is an object here`);
    t.strictSame(Object.keys(error).sort(), ['code', 'message', 'param', 'type']);
    t.equal(error.type, answer.status === 404 ? 'not_found_error' : 'invalid_request_error');
    if (code !== undefined) t.equal(error.code, code, `${path}, ${what}`);
    if (param !== undefined) t.equal(error.param, param, `${path}, ${what}`);
    if (text !== undefined) t.match(error.message, text, `${path}, ${what}`);
  } else {
    t.type(error, 'string');
    if (text !== undefined) t.match(error, text, `${path}, ${what}`);
  }
}

t.test('bodies that are no request', async (t) => {
  for (const path of Object.keys(good)) {
    await refused(t, path, '{"model":', { status: 400 }, 'JSON cut off');
    await refused(t, path, '', { status: 400 }, 'nothing');
    await refused(t, path, '[]', { status: 400 }, 'a list');
    await refused(t, path, '"chat"', { status: 400 }, 'a text');
    await refused(t, path, 'null', { status: 400 }, 'null');
    await refused(t, path, Uint8Array.of(0x22, 0xff, 0xfe, 0x22), { status: 400 }, 'no UTF-8');
    await refused(t, path, `${'['.repeat(100_000)}`, { status: 400 }, 'brackets without end');
  }
});

t.test('models that are not there', async (t) => {
  for (const path of Object.keys(good)) {
    const body = (model: unknown): string => JSON.stringify({ ...good[path], model });
    const ollama = path.startsWith('/api/embed') ? /^model "nobody" not found, try pulling it first$/ : path === '/api/show' ? /^model 'nobody:latest' not found$/ : /^model 'nobody' not found$/;
    await refused(t, path, body('nobody'), { status: 404, code: 'model_not_found', text: openAi(path) ? /nobody/ : ollama }, 'nobody');
    for (const odd of [5, null, {}, ['chat'], '']) await refused(t, path, body(odd), { status: odd === '' || path === '/api/generate' ? [400, 404] : 400 }, `model ${JSON.stringify(odd)}`);
    await refused(t, path, body('../../etc/passwd'), { status: 404 }, 'a path');
    await refused(t, path, body('x'.repeat(5000)), { status: [400, 404] }, 'a long name');
    await refused(t, path, body('a b\u0000'), { status: [400, 404] }, 'an odd name');
  }
  const one = await fetch(`${service.url}/v1/models/..%2F..%2Fetc`);
  t.match([one.status, await one.json()], [404, { error: { type: 'not_found_error' } }]);
});

t.test('values of the wrong type', async (t) => {
  const wrong: Record<string, [string, unknown][]> = {
    '/v1/chat/completions': [['messages', 'hi'], ['messages', [1]], ['temperature', 'hot'], ['max_tokens', -2], ['max_tokens', 1.5], ['stream', 'yes'], ['n', 0], ['stop', 5], ['tools', {}], ['seed', 'x'], ['logit_bias', [5]], ['response_format', 'json'], ['messages', [{ role: 'user', content: 'x', tool_calls: 5 }]]],
    '/v1/completions': [['prompt', {}], ['prompt', [[]]], ['prompt', [-1]], ['prompt', [999_999]], ['logprobs', 99], ['stop', [1]]],
    '/v1/embeddings': [['input', {}], ['input', []], ['input', [1.5]], ['input', [[999_999]]], ['dimensions', 0], ['dimensions', 'all'], ['encoding_format', 'hex']],
    '/v1/responses': [['input', 5], ['input', [{ type: 'wonder' }]], ['max_output_tokens', 'all']],
    '/api/chat': [['messages', 'hi'], ['messages', [1]], ['messages', [{ role: 'king', content: 'x' }]], ['options', 'x'], ['options', { temperature: 'hot' }], ['options', { stop: 5 }], ['stream', 'yes'], ['tools', {}], ['keep_alive', 'soon'], ['format', 'xml'], ['think', 5]],
    '/api/generate': [['prompt', 5], ['options', []], ['context', 'x'], ['context', [1.5]], ['context', [999_999]], ['images', ['aGk=']], ['suffix', 'x'], ['top_logprobs', 99]],
    '/api/embed': [['input', 5], ['input', [1]], ['truncate', 'no'], ['dimensions', -1], ['options', 'x'], ['options', []]],
    '/api/embeddings': [['prompt', 5], ['options', 5]],
    '/api/show': [['verbose', 'yes'], ['name', 5]],
  };
  for (const [path, cases] of Object.entries(wrong)) {
    for (const [name, value] of cases) await refused(t, path, JSON.stringify({ ...good[path], [name]: value }), { status: 400 }, `${name} ${JSON.stringify(value)}`);
  }
});

t.test('messages without content, images for a model that reads text, a schema that is too deep', async (t) => {
  for (const path of chats) {
    const body = (more: object): string => JSON.stringify({ ...good[path], ...more });
    await refused(t, path, body({ messages: [{ role: 'user' }] }), { status: 400, text: /content/ }, 'no content');
    await refused(t, path, body({ messages: [{ content: 'x' }] }), { status: 400, text: /role/ }, 'no role');
    const image = openAi(path) ? { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }] } : { role: 'user', content: 'x', images: ['aGk='] };
    await refused(t, path, body({ messages: [image] }), { status: 400, text: /image/ }, 'an image');
    for (const depth of [3000, 100_000]) {
      const place = openAi(path) ? { response_format: { type: 'json_schema', json_schema: { name: 'deep', schema: 'DEEP' } } } : { format: 'DEEP' };
      await refused(t, path, body(place).replace('"DEEP"', deep(depth)), { status: 400, text: /deep|levels|nest/ }, `a schema of ${depth} levels`);
    }
    const odd = { type: 'object', properties: { a: { not: { uniqueItems: true } } } };
    await refused(t, path, body(openAi(path) ? { response_format: { type: 'json_schema', json_schema: { name: 'odd', strict: true, schema: odd } } } : { format: { type: 'odd' } }), { status: 400, ...(openAi(path) ? { param: 'response_format' } : {}), text: openAi(path) ? /not/ : /type/ }, 'a keyword that cannot be');
  }
});

t.test('prompts that do not fit: both counts', async (t) => {
  const long = 'x'.repeat(2000);
  // Ollama's own tests expect one of the two words.
  const counts = /(longer|exceed).*20\d\d.*512|20\d\d.*512.*(longer|exceed)/;
  await refused(t, '/v1/chat/completions', JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: long }] }), { status: 400, code: 'context_length_exceeded', text: counts }, 'long');
  await refused(t, '/v1/chat/completions', JSON.stringify({ model: 'chat', stream: true, messages: [{ role: 'user', content: long }] }), { status: 400, code: 'context_length_exceeded', text: counts }, 'long, as a stream');
  await refused(t, '/v1/completions', JSON.stringify({ model: 'chat', prompt: long }), { status: 400, code: 'context_length_exceeded', param: 'prompt', text: counts }, 'long');
  await refused(t, '/v1/responses', JSON.stringify({ model: 'chat', input: long }), { status: 400, code: 'context_length_exceeded', param: 'input', text: counts }, 'long');
  await refused(t, '/v1/embeddings', JSON.stringify({ model: 'embedder', input: long.replaceAll('x', 'x ') }), { status: 400, code: 'context_length_exceeded', param: 'input', text: /20\d\d.*512/ }, 'long');
  await refused(t, '/api/chat', JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: long }] }), { status: 400, text: counts }, 'long');
  await refused(t, '/api/generate', JSON.stringify({ model: 'chat', prompt: long }), { status: 400, text: counts }, 'long');
  await refused(t, '/api/embed', JSON.stringify({ model: 'embedder', input: long.replaceAll('x', 'x '), truncate: false }), { status: 400, text: counts }, 'long');
});

t.test('ten megabytes of prompt; a body past the limit', async (t) => {
  for (const path of process.env['CI_FULL'] === '1' ? [...chats, '/v1/completions', '/api/generate', '/v1/embeddings'] : ['/v1/chat/completions']) {
    const name = chats.includes(path) ? { messages: [{ role: 'user', content: huge }] } : path === '/v1/embeddings' ? { input: huge } : { prompt: huge };
    await refused(t, path, JSON.stringify({ ...good[path], ...name }), { status: 400 }, 'ten megabytes');
  }
  for (const path of chats) {
    const answer = await fetch(service.url + path, { method: 'POST', body: `{"model":"chat","messages":"${'x'.repeat(40 * 2 ** 20)}"}` }).catch(() => null);
    t.ok(answer === null || answer.status === 413, `${path}: ${answer?.status}`);
  }
});

t.test('and the service goes on', async (t) => {
  for (const [path, body] of Object.entries(good)) {
    const answer = await fetch(service.url + path, { method: 'POST', body: JSON.stringify(body) });
    t.equal(answer.status, 200, path);
    await answer.arrayBuffer();
  }
  t.equal(await service.metric('lectern_slot_requests{lane="chat",state="working"}'), 0);
  const text = await (await fetch(`${service.url}/metrics`)).text();
  t.notMatch(text, /lectern_http_requests_total\{[^}]*status="500"/);
});
