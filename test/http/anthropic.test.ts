// Anthropic's routes over language services that repeat their input.
import t from 'tap';
import { startTestService } from '../support/http-service.js';
import { fakeLanguage } from '../support/language-service.js';

const language = fakeLanguage();
const service = await startTestService({}, { language });
t.teardown(() => service.close());
const post = (url: string, payload: object | string) =>
  service.app.inject({ method: 'POST', url, payload: typeof payload === 'string' ? payload : JSON.stringify(payload), headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'anthropic-beta': 'x' } });
const ask = (more: object = {}, content: unknown = 'one two') => post('/v1/messages', { model: 'talker', max_tokens: 9, messages: [{ role: 'user', content }], ...more });
type Event = Record<string, unknown> & { type: string };
const events = (body: string): Event[] => body.split('\n\n').filter((event) => event.startsWith('event: ')).map((event) => {
  const [, name, data = ''] = /^event: (.*)\ndata: (.*)$/.exec(event) ?? [];
  const value = JSON.parse(data) as Event;
  t.equal(name, value.type, 'events bear the name of their type');
  return value;
});
const input = () => language.asked.at(-1)?.input as { messages: unknown[]; tools: unknown[]; toolChoice: unknown; singleToolCall?: unknown; think?: unknown };
const tools = [{ name: 'add', description: 'Adds.', input_schema: { type: 'object', properties: { a: { type: 'number' } } }, cache_control: { type: 'ephemeral' } }];

t.test('a whole message', async (t) => {
  const answer = await ask({ system: 'Be short.', stop_sequences: ['END'], temperature: 0, top_k: 3, metadata: { user_id: 'a' } });
  t.equal(answer.statusCode, 200, answer.body);
  t.equal(answer.headers['request-id'], answer.headers['x-request-id']);
  const body = answer.json() as Record<string, unknown>;
  t.match(body['id'], /^msg_[0-9a-f]{32}$/);
  t.same(body, {
    id: body['id'], type: 'message', role: 'assistant', model: 'talker', content: [{ type: 'text', text: 'one two' }], stop_reason: 'end_turn', stop_sequence: null,
    usage: { input_tokens: 4, cache_creation_input_tokens: 0, cache_read_input_tokens: 3, output_tokens: 2, service_tier: 'standard' },
  });
  t.same(input().messages, [{ role: 'system', content: 'Be short.' }, { role: 'user', content: 'one two' }]);
  t.match(language.asked.at(-1)?.sampling, { maxTokens: 9, stop: ['END'], temperature: 0, topK: 3 });
  t.match((await ask({}, '!cut')).json(), { stop_reason: 'max_tokens' });
  t.match((await ask({}, '!think x')).json(), { content: [{ type: 'thinking', thinking: 'Let me see.' }, { type: 'text' }] });
  t.match((await ask({ tools }, '!call')).json(), { content: [{ type: 'tool_use', id: 'call_1', name: 'add', input: { a: 1 } }], stop_reason: 'tool_use' });
  t.match((await ask({ tools }, '!half')).json(), { content: [{ type: 'tool_use', name: 'add', input: {} }], stop_reason: 'max_tokens' });
});

t.test('messages in every form', async (t) => {
  const messages = [
    { role: 'user', content: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }, { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'b' } }] },
    { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm.', signature: '' }, { type: 'redacted_thinking', data: 'x' }, { type: 'text', text: 'c' }, { type: 'tool_use', id: 't1', name: 'add', input: { a: 1 } }, { type: 'tool_use', id: 't2', name: 'add', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: '2' }, { type: 'tool_result', tool_use_id: 't2', is_error: true, content: [{ type: 'text', text: 'no' }] }, { type: 'text', text: 'and?' }] },
    { role: 'assistant', content: 'So' },
  ];
  t.equal((await post('/v1/messages', { model: 'talker', max_tokens: 1, system: [{ type: 'text', text: 'S1' }, { type: 'text', text: 'S2', cache_control: { type: 'ephemeral' } }], messages })).statusCode, 200);
  t.same(input().messages, [
    { role: 'system', content: 'S1\nS2' }, { role: 'user', content: 'a\nb' },
    { role: 'assistant', content: 'c', reasoning: 'Hm.', toolCalls: [{ id: 't1', name: 'add', arguments: { a: 1 } }, { id: 't2', name: 'add', arguments: {} }] },
    { role: 'tool', content: '2', toolCallId: 't1', toolName: 'add' }, { role: 'tool', content: 'no', toolCallId: 't2', toolName: 'add' }, { role: 'user', content: 'and?' },
    { role: 'assistant', content: 'So' },
  ]);
});

t.test('tools and thoughts reach the use case', async (t) => {
  await ask({ tools });
  t.match(input(), { toolChoice: 'auto', tools: [{ name: 'add', parameters: tools[0]?.input_schema, raw: { type: 'function', function: { name: 'add', description: 'Adds.', parameters: tools[0]?.input_schema } } }] });
  const choices: [object, object][] = [
    [{ type: 'any', disable_parallel_tool_use: true }, { toolChoice: 'required', singleToolCall: true }], [{ type: 'tool', name: 'add' }, { toolChoice: { name: 'add' } }], [{ type: 'none' }, { toolChoice: 'none' }], [{ type: 'auto' }, { toolChoice: 'auto' }],
  ];
  for (const [choice, wanted] of choices) {
    t.equal((await ask({ tools, tool_choice: choice })).statusCode, 200);
    t.match(input(), wanted, JSON.stringify(choice));
  }
  const wishes: [object, unknown][] = [
    [{}, undefined], [{ thinking: { type: 'enabled', budget_tokens: 1024 } }, true], [{ thinking: { type: 'disabled' } }, false], [{ thinking: { type: 'adaptive' } }, undefined],
    [{ thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }, 'low'],
  ];
  for (const [more, wanted] of wishes) {
    t.equal((await ask(more)).statusCode, 200, 'a model that does not think passes it over');
    t.equal(input().think, wanted, JSON.stringify(more));
  }
  await ask({ output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } });
  t.same(language.asked.at(-1)?.format, { kind: 'schema', schema: { type: 'object' } });
});

t.test('a stream, in the contract\'s order', async (t) => {
  const answer = await ask({ stream: true }, '!think one two');
  t.match(answer.headers['content-type'], /^text\/event-stream/);
  const heard = events(answer.body);
  t.same(heard.map(({ type }) => type), [
    'message_start', 'ping', 'content_block_start', 'content_block_delta', 'content_block_stop', 'content_block_start', 'content_block_delta', 'content_block_delta', 'content_block_delta', 'content_block_stop', 'message_delta', 'message_stop',
  ]);
  t.match(heard[0], { message: { type: 'message', role: 'assistant', model: 'talker', content: [], stop_reason: null, usage: { input_tokens: 7, output_tokens: 0 } } });
  t.match(heard.slice(2, 6), [{ index: 0, content_block: { type: 'thinking', thinking: '' } }, { index: 0, delta: { type: 'thinking_delta', thinking: 'Let me see.' } }, { index: 0 }, { index: 1, content_block: { type: 'text', text: '' } }]);
  t.match(heard.at(-2), { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { input_tokens: 4, cache_read_input_tokens: 3, output_tokens: 4 } });
  const called = events((await ask({ stream: true, tools }, '!call !twice')).body);
  t.match(called.slice(2, 8), [
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'call_1', name: 'add', input: {} } }, { index: 0, delta: { type: 'input_json_delta', partial_json: '{"a":1}' } }, { type: 'content_block_stop' },
    { type: 'content_block_start', index: 1 }, { index: 1, delta: { type: 'input_json_delta' } }, { type: 'content_block_stop', index: 1 },
  ]);
  t.match(called.at(-2), { delta: { stop_reason: 'tool_use' } });
  t.match(events((await ask({ stream: true, tools }, '!half')).body)[3], { delta: { partial_json: '{"a":' } });
  t.match(events((await ask({ stream: true }, 'one !late')).body).at(-1), { type: 'error', error: { type: 'api_error', message: /GPU/ }, request_id: String });
});

t.test('counting', async (t) => {
  const count = async (more: object) => (await post('/v1/messages/count_tokens', { model: 'talker', messages: [{ role: 'user', content: 'four' }], ...more }));
  t.same((await count({})).json(), { input_tokens: 4 });
  t.same((await count({ tools, system: 'x' })).json(), { input_tokens: 6 });
  t.match((await count({ max_tokens: 3 })).json(), { error: { message: /max_tokens/ } });
  t.match((await post('/v1/messages/count_tokens', { model: 'talker', messages: [{ role: 'user', content: '!refused' }] })).json(), { type: 'error', error: { type: 'invalid_request_error', message: /template/ } });
});

t.test('what is wrong is named, in the contract\'s shape', async (t) => {
  const messages = [{ role: 'user', content: 'x' }];
  const picture = [{ role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } }] }];
  const cases: [object | string, number, string, RegExp][] = [
    ['{', 400, 'invalid_request_error', /JSON/], [{ model: 'talker', messages }, 400, 'invalid_request_error', /'max_tokens' is required/], [{ model: 'talker', max_tokens: 0, messages }, 400, 'invalid_request_error', /max_tokens/],
    [{ max_tokens: 1, messages }, 400, 'invalid_request_error', /'model'/], [{ model: 'nobody', max_tokens: 1, messages }, 404, 'not_found_error', /nobody/], [{ model: 'vectors', max_tokens: 1, messages }, 400, 'invalid_request_error', /embeddings/],
    [{ model: 'talker', max_tokens: 1, messages, service_tier: 5 }, 400, 'invalid_request_error', /service_tier/], [{ model: 'talker', max_tokens: 1, messages, context_management: 'x' }, 400, 'invalid_request_error', /context_management/],
    [{ model: 'talker', max_tokens: 1, messages: [] }, 400, 'invalid_request_error', /at least one/], [{ model: 'talker', max_tokens: 1, messages: picture }, 400, 'invalid_request_error', /messages\[0\]|'image' blocks are not supported/],
    [{ model: 'talker', max_tokens: 1, messages: [{ role: 'user' }] }, 400, 'invalid_request_error', /messages\[0\]\.content/], [{ model: 'talker', max_tokens: 1, messages, container: 'x' }, 400, 'invalid_request_error', /container/],
    [{ model: 'talker', max_tokens: 1, messages, mcp_servers: [] }, 400, 'invalid_request_error', /mcp_servers/], [{ model: 'talker', max_tokens: 1, messages, tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 400, 'invalid_request_error', /web_search_20250305/],
    [{ model: 'talker', max_tokens: 1, messages, tools: [{ name: 'a' }] }, 400, 'invalid_request_error', /input_schema/], [{ model: 'talker', max_tokens: 1, messages, tools: [...tools, ...tools] }, 400, 'invalid_request_error', /twice/],
    [{ model: 'talker', max_tokens: 1, messages, tool_choice: { type: 'any' } }, 400, 'invalid_request_error', /tool_choice/], [{ model: 'talker', max_tokens: 1, messages, tools, tool_choice: { type: 'tool', name: 'b' } }, 400, 'invalid_request_error', /'b'/],
    [{ model: 'talker', max_tokens: 1, messages: [{ role: 'user', content: '!long' }] }, 400, 'invalid_request_error', /100/], [{ model: 'talker', max_tokens: 1, messages: [{ role: 'user', content: '!defect' }] }, 500, 'api_error', /^Internal processing error/],
  ];
  for (const [body, status, type, message] of cases) {
    const answer = await post('/v1/messages', body);
    t.match([answer.statusCode, answer.json()], [status, { type: 'error', error: { type, message }, request_id: answer.headers['x-request-id'] }], JSON.stringify(body));
  }
  for (const [method, url, status, type] of [['GET', '/v1/messages', 405, 'invalid_request_error'], ['POST', '/v1/messages/batches', 404, 'not_found_error']] as const) {
    const answer = await service.app.inject({ method, url });
    t.match([answer.statusCode, answer.json()], [status, { type: 'error', error: { type } }], url);
  }
});

t.test('models as the contract lists them, for clients of it', async (t) => {
  const headers = { 'anthropic-version': '2023-06-01' };
  const list = (await service.app.inject({ url: '/v1/models', headers })).json() as { data: { id: string }[] };
  t.match(list, { data: [{ type: 'model', id: 'talker:latest', display_name: 'talker:latest', created_at: '2026-01-02T03:04:05.000Z' }], has_more: false, first_id: 'talker:latest', last_id: 'gpt-4o' });
  t.match((await service.app.inject({ url: '/v1/models/talker', headers })).json(), { type: 'model', id: 'talker:latest' });
});
