// What clients of OpenAI's routes send in older, newer and other servers' words, over language services that repeat their input.
import t from 'tap';
import { startTestService } from '../support/http-service.js';
import { fakeLanguage } from '../support/language-service.js';

const language = fakeLanguage();
const service = await startTestService({}, { language });
t.teardown(() => service.close());
const post = (url: string, payload: object) => service.app.inject({ method: 'POST', url, payload });
const chat = (more: object = {}, content = 'one two') => post('/v1/chat/completions', { model: 'talker', messages: [{ role: 'user', content }], ...more });
const events = (body: string): Record<string, unknown>[] => body.split('\n\n').filter((event) => event.startsWith('data: {')).map((event) => JSON.parse(event.slice(6)) as Record<string, unknown>);
const last = () => language.asked.at(-1);
const input = () => last()?.input as { messages: { role: string; toolCalls?: { arguments: unknown }[] }[]; tools: { name: string }[]; toolChoice: unknown; singleToolCall?: boolean; templateVariables?: unknown; think?: unknown };
const add = { name: 'add', description: 'Adds.', parameters: { type: 'object', properties: { a: { type: 'number' } } } };
const tools = [{ type: 'function', function: add }, { type: 'function', function: { name: 'sub' } }];

t.test('a whole call has no index, and an index that a client copied is taken back', async (t) => {
  const { choices: [choice] } = (await chat({ tools }, '!call !twice')).json() as { choices: { message: { tool_calls: object[] } }[] };
  for (const call of choice?.message.tool_calls ?? []) t.same(Object.keys(call), ['id', 'type', 'function']);
  const messages = [{ role: 'user', content: 'x' }, { ...choice?.message, index: 0 }, { role: 'tool', tool_call_id: 'call_1', content: '1' }];
  t.equal((await post('/v1/chat/completions', { model: 'talker', messages })).statusCode, 200);
});

t.test('functions and function_call', async (t) => {
  const whole = (await chat({ functions: [add], function_call: { name: 'add' } }, '!call')).json() as { choices: [{ message: object }] };
  t.same(whole.choices[0].message, { role: 'assistant', content: null, refusal: null, function_call: { name: 'add', arguments: '{"a":1}' } });
  t.match(whole, { choices: [{ finish_reason: 'function_call' }] });
  t.match(input(), { tools: [{ name: 'add', description: 'Adds.' }], toolChoice: { name: 'add' }, singleToolCall: true });
  await chat({ functions: [add] });
  t.equal(input().toolChoice, 'auto');
  await chat({ functions: [add], function_call: 'none' });
  t.equal(input().toolChoice, 'none');
  const streamed = events((await chat({ functions: [add], stream: true }, '!call')).body);
  t.match(streamed, [{ choices: [{ delta: { role: 'assistant', function_call: { name: 'add', arguments: '{"a":1}' } } }] }, { choices: [{ finish_reason: 'function_call' }] }]);
  t.notMatch(streamed[0], { choices: [{ delta: { tool_calls: [] } }] });
  const messages = [{ role: 'user', content: 'x' }, whole.choices[0].message, { role: 'function', name: 'add', content: '1' }];
  t.equal((await post('/v1/chat/completions', { model: 'talker', messages, functions: [add] })).statusCode, 200);
  t.match(input().messages.slice(1), [{ role: 'assistant', toolCalls: [{ name: 'add', arguments: { a: 1 } }] }, { role: 'tool', toolName: 'add', content: '1' }]);
});

t.test('arguments of a call may be any text: one that was cut is what there is of it', async (t) => {
  const cases: [string, object][] = [
    ['{"a":1}', { a: 1 }], ['', {}], ['{', {}], ['{"a":', {}], ['{"a":1', { a: 1 }], ['{"a": {"b": [1, 2', { a: { b: [1, 2] } }], ['{"a":"x","b":"y', { a: 'x', b: 'y' }], ['{"a":"x","b', { a: 'x' }], ['{"a":"x","b":tr', { a: 'x' }],
    ['{"a":"\\u00', { a: '' }], ['no JSON', {}], ['[1]', {}], ['{"a":1}}', {}],
  ];
  for (const [text, wanted] of cases) {
    const messages = [{ role: 'user', content: 'x' }, { role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'function', function: { name: 'add', arguments: text } }] }, { role: 'tool', tool_call_id: 'c', content: 'no' }];
    t.equal((await post('/v1/chat/completions', { model: 'talker', messages })).statusCode, 200, text);
    t.same(input().messages[1]?.toolCalls?.[0]?.arguments, wanted, text);
    const items = [{ role: 'user', content: 'x' }, { type: 'function_call', call_id: 'c', name: 'add', arguments: text }, { type: 'function_call_output', call_id: 'c', output: 'no' }];
    t.equal((await post('/v1/responses', { model: 'talker', input: items })).statusCode, 200, text);
    t.same(input().messages[1]?.toolCalls?.[0]?.arguments, wanted, text);
  }
});

t.test('allowed tools: the model is told of these alone', async (t) => {
  const allow = (mode: string) => ({ type: 'allowed_tools', allowed_tools: { mode, tools: [{ type: 'function', function: { name: 'sub' } }] } });
  t.equal((await chat({ tools, tool_choice: allow('required') })).statusCode, 200);
  t.match(input(), { toolChoice: 'required', tools: [{ name: 'sub' }] });
  t.equal(input().tools.length, 1);
  t.equal((await post('/v1/responses', { model: 'talker', input: 'x', tools: [{ type: 'function', ...add }, { type: 'function', name: 'sub' }], tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'add' }] } })).statusCode, 200);
  t.match([input().toolChoice, input().tools.map(({ name }) => name)], ['auto', ['add']]);
});

t.test('a schema by every name, strict or not', async (t) => {
  const schema = { type: 'object' };
  const cases: [object, object][] = [
    [{ response_format: { type: 'json_object', schema } }, { kind: 'schema', schema }], [{ guided_json: schema }, { kind: 'schema', schema }], [{ response_format: { type: 'json_object' } }, { kind: 'json' }],
    [{ response_format: { type: 'json_schema', json_schema: { name: 'x', strict: true, schema } } }, { kind: 'schema', schema, strict: true }], [{ response_format: { type: 'json_schema', json_schema: { name: 'x', strict: false, schema } } }, { kind: 'schema', schema, strict: false }],
  ];
  for (const [more, format] of cases) {
    t.equal((await chat(more)).statusCode, 200, JSON.stringify(more));
    t.same(last()?.format, format);
  }
});

t.test('hints that promise nothing are passed over, and -1 is no bound', async (t) => {
  const hints = {
    prediction: { type: 'content', content: 'x' }, verbosity: 'low', service_tier: 'flex', metadata: { a: 'b' }, user: 'u', store: true, safety_identifier: 's', prompt_cache_key: 'k', client_metadata: { turn: '1' },
    reasoning_effort: 'high', think: true, max_tokens: -1, max_completion_tokens: -1,
  };
  t.equal((await chat(hints)).statusCode, 200, 'also a thought, which the model has not');
  t.notOk('maxTokens' in (last()?.sampling ?? {}));
  t.equal((await post('/v1/responses', { model: 'talker', input: 'x', text: { verbosity: 'low' }, reasoning: { effort: 'low', summary: 'concise' }, max_output_tokens: -1 })).statusCode, 200);
});

t.test('variables of the chat template', async (t) => {
  await chat({ chat_template_kwargs: { enable_thinking: false, style: 'brief' } });
  t.match(input(), { think: false, templateVariables: { enable_thinking: false, style: 'brief' } });
});

t.test('echo puts the prompt before the answer, and a suffix needs tokens that the model has not', async (t) => {
  t.match((await post('/v1/completions', { model: 'talker', prompt: ['ab', [67, 68]], n: 2, echo: true })).json(), { choices: [{ text: 'abab' }, { text: 'abab' }, { text: 'CDCD' }, { text: 'CDCD' }] });
  const chunks = events((await post('/v1/completions', { model: 'talker', prompt: 'one two', echo: true, stream: true })).body) as { choices: [{ text: string }] }[];
  t.equal(chunks.map(({ choices }) => choices[0].text).join(''), 'one twoone two');
  for (const prompt of ['x'.repeat(10_000), [Array.from({ length: 10_000 }, () => 67)]]) {
    t.match((await post('/v1/completions', { model: 'talker', prompt, n: 101, echo: true })).json(), { error: { param: 'echo', message: /up to 1000000 characters or token ids/ } });
  }
  const refused = await post('/v1/completions', { model: 'talker', prompt: 'a', suffix: 'b' });
  t.match([refused.statusCode, refused.json()], [400, { error: { param: 'suffix', message: /'talker'.*vocabulary/ } }]);
});

t.test('tokenize and detokenize, in the words of vLLM and of llama.cpp', async (t) => {
  t.same((await post('/tokenize', { model: 'talker', prompt: 'AB' })).json(), { count: 2, max_model_len: 64, tokens: [65, 66] });
  t.same((await post('/tokenize', { model: 'talker', content: 'A', with_pieces: true })).json(), { count: 1, max_model_len: 64, tokens: [65], token_strs: ['A'] });
  t.match((await post('/tokenize', { model: 'talker', messages: [{ role: 'user', content: 'ABC' }] })).json(), { tokens: [65, 66, 67] });
  t.same((await post('/detokenize', { model: 'talker', tokens: [65, 66] })).json(), { prompt: 'AB', content: 'AB' });
  for (const [url, body, param] of [['/tokenize', { prompt: 'x' }, 'model'], ['/tokenize', { model: 'talker' }, 'prompt'], ['/tokenize', { model: 'talker', prompt: 'x', content: 'y' }, 'content'], ['/tokenize', { model: 'talker', prompt: 'x', content: 5 }, 'content'], ['/detokenize', { model: 'talker', tokens: [256] }, 'tokens'], ['/detokenize', { model: 'talker', tokens: ['a'] }, 'tokens']] as const) {
    t.match((await post(url, body)).json(), { error: { param } }, JSON.stringify(body));
  }
});

t.test('responses: what a coding client sends, with tools that are not served passed over', async (t) => {
  const run = { type: 'function', name: 'exec_command', strict: false, parameters: { type: 'object', properties: { cmd: { type: 'string' } }, required: ['cmd'] } };
  const unserved = [{ type: 'web_search', external_web_access: false }, { type: 'custom', name: 'apply_patch', description: 'x', format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' } }];
  const asked = {
    model: 'warm', instructions: 'be short', input: [{ type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'x' }] }, { type: 'message', role: 'user', content: [{ type: 'input_text', text: '!think hi' }] }],
    tools: [run, { type: 'namespace', name: 'agents', description: 'x', tools: [] }, ...unserved], tool_choice: 'auto', parallel_tool_calls: true, reasoning: { summary: 'auto' }, store: false, include: ['reasoning.encrypted_content'], prompt_cache_key: 'k', client_metadata: { turn: 'x' },
  };
  const answer = await post('/v1/responses', asked);
  t.equal(answer.statusCode, 200, answer.body);
  t.match(answer.json(), { output: [{ type: 'reasoning', encrypted_content: Buffer.from('Let me see.').toString('base64') }, { type: 'message' }] });
  t.same(input().tools.map(({ name }) => name), ['exec_command']);
  const refusals: [object, string, RegExp][] = [
    [{ tools: unserved, tool_choice: 'required' }, 'tools', /'web_search'/], [{ tools: [run, ...unserved], tool_choice: { type: 'web_search' } }, 'tool_choice.type', /no tools of its own/], [{ tools: [run, ...unserved], tool_choice: { type: 'custom', name: 'apply_patch' } }, 'tool_choice', /apply_patch/],
    [{ tools: [{ type: 'telepathy' }] }, 'tools[0].type', /telepathy/], [{ include: ['message.output_text.logprobs'] }, 'include', /logprobs/],
  ];
  for (const [more, param, message] of refusals) t.match((await post('/v1/responses', { model: 'talker', input: 'x', ...more })).json(), { error: { param, message } }, JSON.stringify(more));
});

t.test('responses: custom tools and namespaces', async (t) => {
  const custom = { type: 'custom', name: 'add', description: 'Adds.' };
  t.match((await post('/v1/responses', { model: 'talker', input: '!call', tools: [custom] })).json(), { output: [{ type: 'custom_tool_call', id: /^ctc_/, call_id: 'call_1', name: 'add', input: '' }] });
  t.match(input().tools, [{ name: 'add', parameters: { properties: { input: { type: 'string' } } } }]);
  const items = [{ role: 'user', content: 'x' }, { type: 'custom_tool_call', call_id: 'c', name: 'add', input: 'a + b' }, { type: 'custom_tool_call_output', call_id: 'c', output: 'ab' }];
  t.equal((await post('/v1/responses', { model: 'talker', input: items, tools: [custom] })).statusCode, 200);
  t.match(input().messages.slice(1), [{ toolCalls: [{ name: 'add', arguments: { input: 'a + b' } }] }, { role: 'tool', toolName: 'add' }]);
  const events = (await post('/v1/responses', { model: 'talker', input: '!call', tools: [custom], stream: true })).body;
  t.match(events, /event: response\.custom_tool_call_input\.done/);
  const namespace = { type: 'namespace', name: 'crm', description: 'x', tools: [{ type: 'function', name: 'get', parameters: { type: 'object' } }, custom] };
  t.equal((await post('/v1/responses', { model: 'talker', input: [{ role: 'user', content: 'x' }, { type: 'function_call', call_id: 'c', namespace: 'crm', name: 'get', arguments: '{}' }], tools: [namespace], tool_choice: { type: 'function', name: 'get', namespace: 'crm' } })).statusCode, 200);
  t.match([input().toolChoice, input().tools.map(({ name }) => name), input().messages[1]], [{ name: 'crm.get' }, ['crm.get', 'crm.add'], { toolCalls: [{ name: 'crm.get' }] }]);
});

t.test('responses: counting', async (t) => {
  t.same((await post('/v1/responses/input_tokens', { model: 'talker', input: 'four' })).json(), { object: 'response.input_tokens', input_tokens: 4 });
});
