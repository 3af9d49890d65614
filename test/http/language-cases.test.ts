// Requests of today's clients that once failed, over the whole service and the real engine: one line each says what is right.
import t from 'tap';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { toolTemplate, writeMadeModel } from '../support/made-model.js';
import { sendRaw } from '../support/raw-http.js';
import { startServing } from '../support/serving.js';

const folder = t.testdir();
writeMadeModel(join(folder, 'pooled.gguf'), { template: toolTemplate, pooling: 3 });
const service = await startServing(t, { shape: { context: 1024, template: toolTemplate }, models: { pooled: join(folder, 'pooled.gguf') } });
const messages = [{ role: 'user', content: 'the world' }];

interface Answer { status: number; body: Record<string, never> & { error?: { message: string; param?: string }; choices: { finish_reason: string; text?: string; message: { content: string | null; tool_calls?: { id: string; function: { name: string; arguments: string } }[] }; lectern?: unknown }[] } }

async function post(path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
  const answer = await fetch(service.url + path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify({ model: 'chat', ...body }) });
  return { status: answer.status, body: await answer.json() as Answer['body'] };
}

const chat = (body: object): Promise<Answer> => post('/v1/chat/completions', { messages, max_tokens: 4, seed: 1, ...body });
const tool = { type: 'function', function: { name: 'get', parameters: { type: 'object', properties: { city: { enum: ['x', 'y'] } }, required: ['city'], additionalProperties: false } } };
const objectOf = (a: object): object => ({ type: 'object', properties: { a }, required: ['a'], additionalProperties: false });

t.test('chat: fields that clients send', async (t) => {
  for (const [name, body] of Object.entries({
    'no tools, and a choice': { tools: [], tool_choice: 'auto' },
    'an effort of thought on a model that does not think': { reasoning_effort: 'low' },
    'variables of the template': { chat_template_kwargs: { enable_thinking: false } },
    'no bound': { max_tokens: -1, stop: ['a', 'e', 'i', 'o', 't'], messages },
    'allowed tools': { tools: [tool], tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'get' } }] } } },
  })) t.equal((await chat(body)).status, 200, name);
  const guided = await chat({ guided_json: objectOf({ enum: ['p', 'q'] }), max_tokens: 60 });
  t.match(guided.body.choices[0]?.message.content, /^\s*\{\s*"a":\s?"[pq]"\s*\}$/, 'a schema by vLLM\'s name');
  const inObject = await chat({ response_format: { type: 'json_object', schema: objectOf({ enum: ['p', 'q'] }) }, max_tokens: 60 });
  t.match(inObject.body.choices[0]?.message.content, /^\s*\{\s*"a":\s?"[pq]"\s*\}$/, 'a schema beside json_object');
});

t.test('chat: a call goes back as it came, whole and cut', async (t) => {
  const first = (await chat({ tools: [tool], tool_choice: 'required', parallel_tool_calls: false, max_tokens: 200 })).body.choices[0]?.message;
  t.strictSame(Object.keys(first?.tool_calls?.[0] ?? {}), ['id', 'type', 'function'], 'no index in a whole answer');
  const again = await chat({ tools: [tool], messages: [...messages, { ...first, index: 0 }, { role: 'tool', tool_call_id: first?.tool_calls?.[0]?.id, content: 'sunny' }] });
  t.equal(again.status, 200);
  const cut = (await chat({ tools: [{ ...tool, function: { name: 'get', parameters: objectOf({ type: 'string' }) } }], tool_choice: 'required', max_tokens: 40 })).body.choices[0];
  t.equal(cut?.finish_reason, 'length');
  const back = await chat({ tools: [tool], messages: [...messages, cut?.message, { role: 'tool', tool_call_id: cut?.message.tool_calls?.[0]?.id, content: 'the arguments are no JSON' }] });
  t.equal(back.status, 200);
});

t.test('schemas: escapes of ECMA-262, annotations, and white space', async (t) => {
  for (const pattern of ['^\\d{3}\\-\\d{4}$', '^\\w+\\@x$', '^a\\_b$', '^\\#[0-9a-f]{6}$', '^a\\ b$', '^\\%$', "^it\\'s$", '^a\\:b$', '^a\\&b$']) {
    t.equal((await chat({ response_format: { type: 'json_schema', json_schema: { name: 'x', strict: true, schema: objectOf({ type: 'string', pattern }) } } })).status, 200, pattern);
  }
  const { content } = (await chat({ max_tokens: 300, response_format: { type: 'json_schema', json_schema: { name: 'x', strict: true, schema: objectOf({ type: 'boolean' }) } } })).body.choices[0]?.message ?? {};
  t.ok(Math.max(...(content?.match(/\s+/g) ?? ['']).map(({ length }) => length)) <= 41, 'a line break and its indent at most');
});

t.test('schemas that are not strict: what no grammar holds is checked, and the answer says what was found', async (t) => {
  const format = (schema: object, strict = false): object => ({ response_format: { type: 'json_schema', json_schema: { name: 'x', strict, schema } }, max_tokens: 400 });
  const unheld = { 'format regex': { type: 'string', format: 'regex' }, 'a format of zod': { type: 'string', format: 'cuid', pattern: '^[cC][0-9a-z]{6,}$' }, 'a set': { type: 'array', items: { type: 'string' }, uniqueItems: true }, cents: { type: 'number', multipleOf: 0.01 }, nothing: { not: {} }, 'a unit': { type: 'number', unit: 'kg' } };
  for (const [name, a] of Object.entries(unheld)) {
    const schema = { type: 'object', properties: { a }, required: ['a'] };
    const statuses = await Promise.all([chat({ ...format(schema), max_tokens: 2 }), post('/api/chat', { messages, format: schema, stream: false, options: { num_predict: 2 } }), chat({ max_tokens: 2, tool_choice: 'required', tools: [{ type: 'function', function: { name: 'f', parameters: schema } }] })]);
    t.strictSame(statuses.map(({ status }) => status), [200, 200, 200], name);
  }
  const never = objectOf({ enum: ['p', 'q'] });
  const checked = await chat(format({ ...never, not: { required: ['a'], uniqueItems: true } }));
  t.match(checked.body.choices[0]?.lectern, { schema_valid: false, schema_errors: [/NOT/i], unenforced: ['not at #'] });
  const right = await chat(format({ ...never, not: { required: ['b'], uniqueItems: true } }));
  t.match(right.body.choices[0]?.lectern, { schema_valid: true, schema_errors: [] });
  t.equal((await chat(format(never))).body.choices[0]?.lectern, undefined, 'what the grammar holds needs no word');
  t.match(await chat(format({ ...never, not: { required: ['a'], uniqueItems: true } }, true)), { status: 400, body: { error: { message: /'not' at #\/not/, param: 'response_format' } } });
  const patterned = { type: 'object', patternProperties: { '^[ab]$': { enum: ['p'] } }, additionalProperties: false, minProperties: 1, maxProperties: 2 };
  t.match(await chat(format(patterned, true)), { status: 200, body: { choices: [{ finish_reason: 'stop', message: { content: /^\{\s*"[ab]":\s?"p"/ } }] } }, 'what a grammar can hold is taken where it must be kept');
  const streamed = await (await fetch(`${service.url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify({ model: 'chat', messages, seed: 1, stream: true, ...format({ ...never, not: { required: ['a'], uniqueItems: true } }) }) })).text();
  t.match(streamed, /"finish_reason":"stop","lectern":\{"schema_valid":false/);
  const native = await fetch(`${service.url}/api/chat`, { method: 'POST', body: JSON.stringify({ model: 'chat', messages, stream: false, format: { ...never, not: { required: ['a'], uniqueItems: true } }, options: { seed: 1, num_predict: 400 } }) });
  t.match([native.headers.get('x-lectern-schema-valid'), await native.json()], ['false', { done: true, lectern: { schema_valid: false } }]);
  const called = await chat({ tool_choice: 'required', parallel_tool_calls: false, max_tokens: 400, tools: [{ type: 'function', function: { name: 'f', parameters: { ...never, not: { required: ['a'], uniqueItems: true } } } }] });
  t.match(called.body.choices[0], { finish_reason: 'tool_calls', lectern: { schema_valid: false, schema_errors: [/^Call call_\w+ of 'f': /] } });
  const answered = await post('/v1/responses', { input: 'the world', max_output_tokens: 400, text: { format: { type: 'json_schema', name: 'x', schema: { ...never, not: { required: ['a'], uniqueItems: true } } } } });
  t.match(answered.body, { lectern: { schema_valid: false } });
  const message = await post('/v1/messages', { messages, max_tokens: 400, output_config: { format: { type: 'json_schema', schema: { ...never, not: { required: ['a'], uniqueItems: true } } } } });
  t.match(message.body, { type: 'message', lectern: { schema_valid: false } });
});

t.test('other routes: what once was missing', async (t) => {
  t.match(await post('/v1/messages', { messages, max_tokens: 4 }), { status: 200, body: { type: 'message', role: 'assistant' } });
  t.match(await post('/v1/messages/count_tokens', { messages }), { status: 200, body: { input_tokens: Number } });
  t.equal((await post('/v1/responses', { input: 'hi', max_output_tokens: 2, include: ['reasoning.encrypted_content'] })).status, 200);
  const kept = await post('/v1/responses', { input: 'hi', max_output_tokens: 2, store: true });
  t.match(kept, { status: 200, body: { store: true } });
  t.equal((await post('/v1/responses', { input: 'again', max_output_tokens: 2, previous_response_id: (kept.body as { id?: string }).id })).status, 200);
  t.match(await post('/v1/responses', { input: 'again', previous_response_id: 'resp_x' }), { status: 400, body: { error: { param: 'previous_response_id' } } });
  t.match(await post('/v1/completions', { prompt: 'x', suffix: 'y' }), { status: 400, body: { error: { param: 'suffix', message: /no tokens for the beginning/ } } });
  t.match(await post('/v1/rerank', { query: 'a', documents: ['b', 'c'], top_n: 1 }), { status: 400, body: { error: { message: /generates text/ } } }, 'the route is there; this model ranks nothing');
  const codex = { stream: false, instructions: 'be short', input: [{ type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'x' }] }, { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }], max_output_tokens: 2,
    tools: [{ type: 'function', name: 'exec_command', strict: false, parameters: { type: 'object', properties: { cmd: { type: 'string' } }, required: ['cmd'] } }, { type: 'namespace', name: 'agents', description: 'x', tools: [] }, { type: 'web_search', external_web_access: false }, { type: 'custom', name: 'apply_patch', description: 'x', format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' } }],
    tool_choice: 'auto', parallel_tool_calls: true, reasoning: { summary: 'auto' }, store: false, include: ['reasoning.encrypted_content'], prompt_cache_key: 'k', client_metadata: { turn: 'x' } };
  t.equal((await post('/v1/responses', codex)).status, 200, 'a coding client');
  for (const input of [['a', ''], ['a', ' ']]) t.match(await post('/api/embed', { model: 'embedder', input }), { status: 200, body: { embeddings: { length: 2 } } });
  t.match(await post('/api/chat', { messages, stream: false, options: { num_ctx: 4096, num_predict: 2 } }), { status: 200, body: { done: true } }, 'num_ctx beyond the model');
  const forced = await post('/api/chat', { messages, stream: false, tools: [tool], tool_choice: { type: 'function', function: { name: 'get' } }, options: { num_predict: 200 } });
  t.match(forced.body, { message: { tool_calls: [{ function: { name: 'get', arguments: { city: /^[xy]$/ } } }] } });
});

t.test('a decoder whose file names a pooling makes embeddings, and writes nothing', async (t) => {
  t.match(await post('/api/show', { model: 'pooled' }), { status: 200, body: { capabilities: ['embedding'] } });
  const made = await post('/v1/embeddings', { model: 'pooled', input: ['the world', 'the'] });
  const vectors = (made.body as unknown as { data: { embedding: number[] }[] }).data.map(({ embedding }) => embedding);
  t.strictSame(vectors.map(({ length }) => length), [64, 64]);
  t.notSame(vectors[0], vectors[1]);
  t.match(await chat({ model: 'pooled' }), { status: 400, body: { error: { message: /embeddings/ } } });
});

t.test('odds of HTTP: encodings, origins, hosts, an old version', async (t) => {
  const body = JSON.stringify({ model: 'chat', max_tokens: 2, messages });
  t.equal((await fetch(`${service.url}/v1/chat/completions`, { method: 'POST', headers: { 'content-encoding': 'gzip' }, body: gzipSync(body) })).status, 200);
  for (const origin of ['http://localhost:3000', 'app://obsidian.md', 'vscode-webview://x', 'chrome-extension://x']) t.equal((await fetch(`${service.url}/v1/chat/completions`, { method: 'POST', headers: { origin }, body })).status, 200, origin);
  const port = Number(new URL(service.url).port);
  for (const host of ['host.docker.internal:11434', 'gpu.local']) t.equal((await sendRaw(port, `GET /api/tags HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`)).status, 200, host);
  t.match(await sendRaw(port, 'GET /api/tags HTTP/1.0\r\nhost: 127.0.0.1\r\n\r\n'), { status: 403, text: /must speak HTTP\/1\.1/ }, 'it may be a proxy that does not say for whom it speaks');
});

t.test('JSON lines: each is a chunk of its own on the wire', async (t) => {
  const chunks: string[] = [];
  for (let seed = 1; seed <= 6; seed += 1) {
    const body = JSON.stringify({ model: 'chat', messages, options: { num_predict: 30, seed } });
    const { text } = await sendRaw(Number(new URL(service.url).port), `POST /api/chat HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    let rest = text.slice(text.indexOf('\r\n\r\n') + 4);
    for (let size = parseInt(rest, 16); size > 0; size = parseInt(rest, 16)) {
      const begin = rest.indexOf('\r\n') + 2;
      chunks.push(rest.slice(begin, begin + size));
      rest = rest.slice(begin + size + 2);
    }
    t.equal((JSON.parse(chunks.at(-1) ?? '{}') as { done?: boolean }).done, true);
  }
  t.ok(chunks.length > 10, `${chunks.length} chunks`);
  t.strictSame(chunks.filter((chunk) => !/^\{[^\n]*\}\n$/.test(chunk)), [], 'no chunk holds two lines, or half of one');
});

t.test('keep_alive 0 is answered when the model is gone, twenty times of twenty', async (t) => {
  let there = 0;
  for (let round = 0; round < 20; round += 1) {
    await Promise.all([1, 2, 3].map((seed) => post('/api/generate', { prompt: 'the', stream: false, options: { num_predict: 1, seed } })));
    t.match(await post('/api/generate', round % 2 === 0 ? { keep_alive: 0, stream: false } : { prompt: 'the', keep_alive: 0, stream: false, options: { num_predict: 1 } }), { status: 200, body: { done: true } });
    const { models } = await (await fetch(`${service.url}/api/ps`)).json() as { models: { name: string }[] };
    if (models.some(({ name }) => name.startsWith('chat'))) there += 1;
  }
  t.equal(there, 0);
});
