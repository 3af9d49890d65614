// OpenAI's routes over language services that repeat their input.
import t from 'tap';
import { createSlots } from '../../src/models/slots.js';
import { deferred } from '../support/deferred.js';
import { startTestService } from '../support/http-service.js';
import { fakeLanguage } from '../support/language-service.js';

const language = fakeLanguage({ waiting: 3 });
const service = await startTestService({}, { language });
t.teardown(() => service.close());
const post = (url: string, payload: unknown) =>
  service.app.inject({ method: 'POST', url, payload: typeof payload === 'string' ? payload : JSON.stringify(payload), headers: { 'content-type': 'application/json' } });
const chat = (more: object = {}, content = 'one two') => post('/v1/chat/completions', { model: 'talker', messages: [{ role: 'user', content }], ...more });
const events = (body: string): unknown[] => body.split('\n\n').filter((event) => event.startsWith('data: ')).map((event) => (event === 'data: [DONE]' ? 'DONE' : JSON.parse(event.slice(6)) as unknown));
const last = () => language.asked.at(-1);

t.test('a whole chat completion', async (t) => {
  const answer = await chat();
  t.equal(answer.statusCode, 200);
  t.equal(answer.headers['content-type'], 'application/json');
  t.equal(answer.headers['x-queue-position'], '3');
  const body = answer.json() as Record<string, unknown>;
  t.match(body['id'], /^chatcmpl-[0-9a-f]{32}$/);
  t.match(body, {
    object: 'chat.completion', created: 1767323045, model: 'talker',
    choices: [{ index: 0, message: { role: 'assistant', content: 'one two' }, logprobs: null, finish_reason: 'stop' }],
    usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9, prompt_tokens_details: { cached_tokens: 3 }, completion_tokens_details: { reasoning_tokens: 0 } },
  });
  t.match(last()?.sampling, { temperature: 0.25, stop: ['<|eot|>'] }, 'what the client leaves open the model decides');
});

t.test('parameters reach the use case', async (t) => {
  const answer = await chat({
    temperature: 0, top_p: 0.5, seed: -1, stop: 'END', max_completion_tokens: 5, presence_penalty: 1, frequency_penalty: -1, logit_bias: { 7: -100, 9: 3 },
    logprobs: true, top_logprobs: 2, n: 2, top_k: 3, min_p: 0.1, keep_alive: '1m', user: 'somebody', max_tokens: null,
  });
  t.equal(answer.statusCode, 200, answer.body);
  t.match(last(), { choices: 2, sampling: { temperature: 0, topP: 0.5, seed: 2 ** 53 - 1, stop: ['END'], maxTokens: 5, presencePenalty: 1, frequencyPenalty: -1, logitBias: [[7, -Infinity], [9, 3]], logprobs: 2, topK: 3, minP: 0.1 } });
  t.equal(language.keepAlives.at(-1), 60_000);
  const body = answer.json() as { choices: { logprobs: { content: unknown[] } }[] };
  t.equal(body.choices.length, 2);
  t.same(body.choices[1]?.logprobs.content[0], { token: 'A', logprob: -0.5, bytes: [65], top_logprobs: [{ token: 'A', logprob: -0.5, bytes: [65] }, { token: 'B', logprob: -1.5, bytes: [66] }] });
});

const samplers = {
  top_n_sigma: 1.5, xtc_probability: 0.5, xtc_threshold: 0.2, dynatemp_range: 0.5, dynatemp_exponent: 2, mirostat: 2, mirostat_tau: 3, mirostat_eta: 0.2,
  dry_multiplier: 0.8, dry_base: 1.5, dry_allowed_length: 3, dry_penalty_last_n: -1, dry_sequence_breakers: ['\n', '<|user|>'],
};
const samplersRead = {
  topNSigma: 1.5, xtcProbability: 0.5, xtcThreshold: 0.2, dynatempRange: 0.5, dynatempExponent: 2, mirostat: 2, mirostatTau: 3, mirostatEta: 0.2,
  dryMultiplier: 0.8, dryBase: 1.5, dryAllowedLength: 3, dryPenaltyLastN: -1, drySequenceBreakers: ['\n', '<|user|>'],
};

t.test("llama.cpp's samplers reach the use case on every route, and what is not supported is refused by its name", async (t) => {
  const messages = [{ role: 'user', content: 'x' }];
  const bodies: [string, Record<string, unknown>][] = [
    ['/v1/chat/completions', { messages }], ['/v1/completions', { prompt: 'x' }], ['/v1/responses', { input: 'x', store: false }], ['/v1/messages', { messages, max_tokens: 9 }],
  ];
  const logitBias = [[[7, -100], ['Hello', 2.5], ['World', false]], { 7: -100, Hello: 2.5, World: false }];
  for (const [url, body] of bodies) {
    for (const logit_bias of logitBias) {
      const answer = await post(url, { model: 'talker', ...body, ...samplers, logit_bias });
      t.equal(answer.statusCode, 200, answer.body);
      t.match(last()?.sampling, { ...samplersRead, logitBias: [[7, -Infinity], ['Hello', 2.5], ['World', -Infinity]] }, url);
    }
    const wrong: [Record<string, unknown>, RegExp][] = [
      [{ mirostat: 1 }, /mirostat.*first version/], [{ mirostat: 3 }, /mirostat/], [{ xtc_probability: 1.5 }, /xtc_probability/], [{ dry_base: 0.5 }, /dry_base/], [{ dry_penalty_last_n: -2 }, /dry_penalty_last_n/],
      [{ dry_sequence_breakers: [''] }, /dry_sequence_breakers/], [{ dry_sequence_breakers: ['x'.repeat(129)] }, /dry_sequence_breakers/], [{ dynatemp_range: 'wide' }, /dynatemp_range/],
      [{ logit_bias: [['a', 101]] }, /logit_bias\.0/], [{ logit_bias: [[-1, 1]] }, /logit_bias\.0/], [{ logit_bias: { a: true } }, /logit_bias\.a/], [{ logit_bias: 7 }, /logit_bias/], [{ samplers: ['top_k'] }, /samplers/],
    ];
    for (const [more, message] of wrong) {
      const answer = await post(url, { model: 'talker', ...body, ...more });
      t.equal(answer.statusCode, 400, `${url} ${JSON.stringify(more)}`);
      t.match((answer.json() as { error: { message: string } }).error.message, message);
    }
  }
});

t.test('messages in every form', async (t) => {
  const messages = [
    { role: 'developer', content: 'Be short.' },
    { role: 'user', content: [{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }] },
    { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }] },
    { role: 'tool', tool_call_id: 'c1', content: '2' },
    { role: 'user', content: 'and?' },
  ];
  t.equal((await post('/v1/chat/completions', { model: 'talker', messages })).statusCode, 200);
  t.same((last()?.input as { messages: unknown }).messages, [
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'ab' },
    { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'add', arguments: { a: 1 } }] },
    { role: 'tool', content: '2', toolCallId: 'c1', toolName: 'add' },
    { role: 'user', content: 'and?' },
  ]);
});

t.test('tools, whole and streamed', async (t) => {
  const tools = [{ type: 'function', function: { name: 'add', description: 'Adds.', parameters: { type: 'object', properties: { a: { type: 'number' } } } } }];
  const call = { id: 'call_1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } };
  t.match((await chat({ tools, tool_choice: 'required' }, '!call')).json(), { choices: [{ message: { content: null, tool_calls: [call] }, finish_reason: 'tool_calls' }] });
  t.match(last()?.input, { toolChoice: 'required', tools: [{ name: 'add', raw: tools[0] }] });
  const streamed = events((await chat({ tools, tool_choice: { type: 'function', function: { name: 'add' } }, parallel_tool_calls: false, stream: true }, '!call')).body) as { choices: { delta: object; finish_reason: string | null }[] }[];
  t.match(streamed[0]?.choices[0]?.delta, { role: 'assistant', tool_calls: [{ index: 0, ...call }] });
  t.equal(streamed[1]?.choices[0]?.finish_reason, 'tool_calls');
  t.match(last()?.input, { toolChoice: { name: 'add' }, singleToolCall: true });
  const half = { ...call, function: { name: 'add', arguments: '{"a":' } };
  t.match((await chat({ tools }, '!half')).json(), { choices: [{ message: { content: null, tool_calls: [half] }, finish_reason: 'length' }] });
  const halves = events((await chat({ tools, stream: true }, '!half')).body) as typeof streamed;
  t.match(halves.slice(0, 2).map(({ choices }) => choices[0]), [{ delta: { tool_calls: [{ index: 0, ...half }] }, finish_reason: null }, { finish_reason: 'length' }]);
  await chat({ tools });
  t.match(last()?.input, { toolChoice: 'auto' });
});

t.test('a stream', async (t) => {
  const answer = await chat({ stream: true, stream_options: { include_usage: true } }, '!think one two');
  t.match(answer.headers['content-type'], /^text\/event-stream/);
  const chunks = events(answer.body) as { id: string; choices: { delta: Record<string, unknown>; finish_reason: string | null }[]; usage: unknown }[];
  t.equal(chunks.at(-1), 'DONE');
  const deltas = chunks.slice(0, -1).flatMap(({ choices }) => choices.map(({ delta }) => delta));
  t.match(deltas[0], { role: 'assistant', content: '', reasoning: 'Let me see.' });
  t.equal(deltas.map(({ content }) => content ?? '').join(''), '!think one two');
  t.same(deltas.filter(({ role }) => role !== undefined).length, 1);
  t.same(chunks.at(-2), { ...chunks.at(-2), choices: [], usage: { prompt_tokens: 7, completion_tokens: 4, total_tokens: 11, prompt_tokens_details: { cached_tokens: 3 }, completion_tokens_details: { reasoning_tokens: 1 } } });
  t.equal(chunks.at(-3)?.choices[0]?.finish_reason, 'stop');
  t.equal(new Set(chunks.slice(0, -1).map(({ id }) => id)).size, 1);
});

t.test('a failure within a stream is an event, one before it an answer', async (t) => {
  const late = events((await chat({ stream: true }, 'one !late')).body) as { error?: { type: string } }[];
  t.match(late.at(-1), { error: { type: 'api_error' } });
  // A request that waits has its headers by then, and gets an event.
  t.match(events((await chat({ stream: true }, '!long')).body.replace(/^: .*\n\n/, '')).at(-1), { error: { code: 'context_length_exceeded' } });
  const idle = await startTestService({}, { language: fakeLanguage() });
  t.teardown(() => idle.close());
  const early = await idle.app.inject({ method: 'POST', url: '/v1/chat/completions', payload: { model: 'talker', stream: true, messages: [{ role: 'user', content: '!long' }] } });
  t.equal(early.statusCode, 400);
  t.match(early.json(), { error: { type: 'invalid_request_error', code: 'context_length_exceeded', message: /100.*64/ } });
});

t.test('a client that leaves ends the work', async (t) => {
  const address = await service.listen();
  const leaving = new AbortController();
  const answer = await fetch(`${address}/v1/chat/completions`, {
    method: 'POST', signal: leaving.signal, body: JSON.stringify({ model: 'talker', stream: true, messages: [{ role: 'user', content: 'one !hang' }] }),
  });
  await answer.body?.getReader().read();
  const signal = language.signals.at(-1);
  t.equal(signal?.aborted, false);
  const gone = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
  leaving.abort();
  // The model would write for ever.
  await gone;
  t.equal(signal?.aborted, true);
});

t.test('the place in the queue: 0 at work, 1 for the first who waits', async (t) => {
  const slots = createSlots({ slots: 1, maxQueue: 9, clock: { now: () => 0, after: () => () => undefined } });
  const { app, close } = await startTestService({}, { language: Object.assign(fakeLanguage(), { slots }) });
  t.teardown(close);
  const ask = () => app.inject({ method: 'POST', url: '/v1/completions', payload: { model: 'talker', prompt: 'a' } });
  t.equal((await ask()).headers['x-queue-position'], '0');
  const end = deferred();
  const working = slots.run({ signal: new AbortController().signal, load: async () => ({ release: () => undefined }) as never, work: () => end.promise });
  const waiting = [ask(), ask()];
  while (slots.waiting < 2) await new Promise((resolve) => setImmediate(resolve));
  end.resolve();
  await working;
  t.strictSame((await Promise.all(waiting)).map(({ headers }) => headers['x-queue-position']).sort(), ['1', '2']);
});

t.test('seeds stay what they are, and negative ones differ', async (t) => {
  const seeds = [0, 1, 2, 3, 4, 5, 41, 2 ** 53 - 1, -1, -2];
  const heard: unknown[] = [];
  for (const seed of seeds) {
    await chat({ seed });
    heard.push(last()?.sampling.seed);
  }
  t.strictSame(heard, [0, 1, 2, 3, 4, 5, 41, 2 ** 53 - 1, 2 ** 53 - 1, 2 ** 53 - 2]);
});

t.test('completions', async (t) => {
  const answer = await post('/v1/completions', { model: 'talker', prompt: ['one two', [65, 66]], n: 1, logprobs: 1, return_token_ids: true, ignore_eos: true });
  t.match(answer.json(), {
    object: 'text_completion', usage: { prompt_tokens: 14, completion_tokens: 3 },
    choices: [
      { index: 0, text: 'one two', finish_reason: 'stop', token_ids: [65, 65], prompt_token_ids: [...Buffer.from('one two')], logprobs: { tokens: ['A', 'A'], token_logprobs: [-0.5, -0.5], top_logprobs: [{ A: -0.5 }, { A: -0.5 }], text_offset: [0, 1] } },
      { index: 1, text: 'AB', prompt_token_ids: [65, 66] },
    ],
  });
  t.match(last()?.sampling, { maxTokens: 16, ignoreEnd: true, logprobs: 1, temperature: 0.25, stop: ['<|eot|>'] }, 'the model decides what is left open, then the route');
  const stopped = await post('/v1/completions', { model: 'talker', prompt: '!stopped', logprobs: 0, return_token_ids: true });
  t.match(stopped.json(), { choices: [{ text: '!stopped', token_ids: [65, 66], logprobs: { tokens: ['A'], text_offset: [0] } }] }, 'ids of all tokens, logprobs of those behind the text');
  const chunks = events((await post('/v1/completions', { model: 'talker', prompt: 'one two', stream: true })).body) as { choices: { text: string; finish_reason: string | null }[] }[];
  t.same(chunks.slice(0, -1).map(({ choices: [choice] }) => [choice?.text, choice?.finish_reason]), [['one ', null], ['two', null], ['', 'stop']]);
});

t.test('embeddings', async (t) => {
  const plain = await post('/v1/embeddings', { model: 'vectors', input: ['ab', 'c'] });
  t.same(plain.json(), { object: 'list', data: [0, 1].map((index) => ({ object: 'embedding', index, embedding: [0.5, 0.5, 0.5, 0.5] })), model: 'vectors', usage: { prompt_tokens: 3, total_tokens: 3 } });
  language.embedsTokenIds = true;
  const short = (await post('/v1/embeddings', { model: 'vectors', input: [1, 2, 3], encoding_format: 'base64', dimensions: 2 })).json() as { data: { embedding: string }[] };
  const bytes = Buffer.from(short.data[0]?.embedding ?? '', 'base64');
  t.ok(Math.abs(bytes.readFloatLE(0) - Math.SQRT1_2) < 1e-6 && bytes.length === 8);
  t.match((await post('/v1/embeddings', { model: 'vectors', input: [255, -1] })).json(), { error: { param: 'input', message: /token id -1/ } });
  language.embedsTokenIds = false;
  const refused = await post('/v1/embeddings', { model: 'vectors', input: [[1], [2]] });
  t.match([refused.statusCode, refused.json()], [400, { error: { param: 'input', message: /check_embedding_ctx_length=False.*embed-token-ids/ } }]);
  const long = await post('/v1/embeddings', { model: 'vectors', input: ['ok', 'x'.repeat(65)] });
  t.match([long.statusCode, long.json()], [400, { error: { code: 'context_length_exceeded', param: 'input', message: /Input 1.*65.*64/ } }]);
});

t.test('models', async (t) => {
  const list = (await service.app.inject({ url: '/v1/models' })).json() as { data: { id: string }[] };
  t.same(list.data.map(({ id }) => id), ['talker:latest', 'plain:1b', 'bert-vectors:latest', 'vectors:latest', 'wide:latest', 'anna/story:latest', 'warm:latest', 'gpt-4o']);
  t.match((await service.app.inject({ url: '/v1/models/plain:1b' })).json(), { id: 'plain:1b', object: 'model', created: 1767323045, owned_by: 'library' });
  const unknown = await service.app.inject({ url: '/v1/models/who/is:this' });
  t.match([unknown.statusCode, unknown.json()], [404, { error: { type: 'not_found_error', code: 'model_not_found', message: /who\/is:this/ } }]);
});

t.test('responses', async (t) => {
  const whole = await post('/v1/responses', { model: 'talker', instructions: 'Be short.', input: 'one two', max_output_tokens: 9 });
  t.match(whole.json(), {
    object: 'response', status: 'completed', error: null, store: false, instructions: 'Be short.', usage: { input_tokens: 7, output_tokens: 2, total_tokens: 9 },
    output: [{ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'one two' }] }],
  });
  t.match((last()?.input as { messages: unknown[] }).messages, [{ role: 'system', content: 'Be short.' }, { role: 'user', content: 'one two' }]);
  t.notMatch(whole.json(), { prompt_truncated: true });
  t.match((await post('/v1/responses', { model: 'talker', input: '!drop', truncation: 'auto' })).json(), { prompt_truncated: true, dropped_messages: 2 }, 'never silently');
  const body = (await post('/v1/responses', { model: 'talker', input: [{ role: 'user', content: '!think a' }], stream: true })).body;
  const told = body.split('\n\n').filter((event) => !event.startsWith(':')).filter(Boolean).map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 6)) as { type: string; sequence_number: number });
  t.same(told.map(({ sequence_number: number }) => number), told.map((_, index) => index));
  t.same(told.map(({ type }) => type.replace('response.', '')), [
    'created', 'in_progress', 'output_item.added', 'reasoning_summary_part.added', 'reasoning_summary_text.delta', 'reasoning_summary_text.done', 'reasoning_summary_part.done', 'output_item.done',
    'output_item.added', 'content_part.added', 'output_text.delta', 'output_text.delta', 'output_text.done', 'content_part.done', 'output_item.done', 'completed',
  ]);
  const tools = [{ type: 'function', name: 'add', parameters: { type: 'object' } }];
  const items = [{ role: 'user', content: 'go' }, { type: 'function_call', call_id: 'c', name: 'add', arguments: '{}' }, { type: 'function_call_output', call_id: 'c', output: '!call' }];
  t.match((await post('/v1/responses', { model: 'talker', input: items, tools })).json(), { output: [{ type: 'function_call', call_id: 'call_1', name: 'add', arguments: '{"a":1}' }] });
  t.match((last()?.input as { messages: unknown[] }).messages.at(-1), { role: 'tool', toolCallId: 'c', toolName: 'add' });
  const half = { type: 'function_call', status: 'incomplete', call_id: 'call_1', name: 'add', arguments: '{"a":' };
  t.match((await post('/v1/responses', { model: 'talker', input: '!half', tools })).json(), { status: 'incomplete', output: [half] });
  const repeated = await post('/v1/responses', { model: 'talker', input: 'a', instructions: 'b', metadata: { a: 'x'.repeat(1_900_000) } });
  t.equal((repeated.json() as { metadata: { a: string } }).metadata.a.length, 1_900_000);
  t.match((await post('/v1/responses', { model: 'talker', input: 'a', instructions: 'b', metadata: { a: 'x'.repeat(2_100_000) } })).json(), { error: { param: 'metadata', message: /at most 2000000; most are of 'metadata'/ } });
  t.match((await post('/v1/responses', { model: 'talker', input: '!cut' })).json(), { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
});

t.test('thoughts of models that have them, and what clients send back of an answer', async (t) => {
  const messages = [{ role: 'user', content: '!think x' }];
  for (const more of [{ reasoning_effort: 'high' }, { reasoning: { effort: 'minimal', summary: 'auto' } }, { think: true }]) {
    t.equal((await post('/v1/chat/completions', { model: 'warm', messages, ...more })).statusCode, 200, JSON.stringify(more));
    t.ok((last()?.input as { think?: unknown }).think, JSON.stringify(more));
  }
  for (const more of [{ reasoning_effort: 'none' }, { reasoning: { effort: 'none' } }, { think: false }]) t.equal((await chat(more)).statusCode, 200, `no thought is what there is: ${JSON.stringify(more)}`);
  const whole = (await post('/v1/responses', { model: 'warm', input: '!think x', reasoning: { effort: 'high', summary: 'auto' }, store: false, include: [], stream_options: null })).json() as { usage: unknown };
  t.match(whole.usage, { output_tokens_details: { reasoning_tokens: 1 } });
  const said = ((await chat({}, '!call')).json() as { choices: { message: Record<string, unknown> }[] }).choices[0]?.message;
  const back = [...messages, { ...said, annotations: [], audio: null, function_call: null, parsed: null }, { role: 'tool', tool_call_id: 'call_1', content: '1' }];
  t.equal((await post('/v1/chat/completions', { model: 'talker', messages: back })).statusCode, 200, 'an answer as it came is taken back');
  const search = [{ role: 'user', content: 'x' }, { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } }, { role: 'user', content: 'y' }];
  t.equal((await post('/v1/responses', { model: 'talker', input: search })).statusCode, 200);
  t.same((last()?.input as { messages: { content: string }[] }).messages.map(({ content }) => content), ['x', 'y']);
});

t.test('what is wrong is named', async (t) => {
  const messages = [{ role: 'user', content: 'x' }];
  const cases: [string, unknown, number, string | null, string?][] = [
    ['/v1/chat/completions', '{', 400, null], ['/v1/chat/completions', '[]', 400, null], ['/v1/chat/completions', '', 400, null], ['/v1/chat/completions', Buffer.from([0x22, 0xff, 0x22]).toString('latin1'), 400, null],
    ['/v1/chat/completions', { messages }, 400, 'model'], ['/v1/chat/completions', { model: 'nobody', messages }, 404, 'model', 'model_not_found'],
    ['/v1/chat/completions', { model: 'talker' }, 400, 'messages'], ['/v1/chat/completions', { model: 'talker', messages: [] }, 400, 'messages'],
    ['/v1/chat/completions', { model: 'talker', messages: [{ role: 'user' }] }, 400, 'messages[0].content'],
    ['/v1/chat/completions', { model: 'talker', messages: [{ role: 'king', content: 'x' }] }, 400, 'messages[0].role'],
    ['/v1/chat/completions', { model: 'talker', messages: [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }] }, 400, 'messages[0].content[0].type'],
    ['/v1/chat/completions', { model: 'talker', messages, temperature: 'hot' }, 400, 'temperature'], ['/v1/chat/completions', { model: 'talker', messages, top_p: 2 }, 400, 'top_p'],
    ['/v1/chat/completions', { model: 'talker', messages, n: 0 }, 400, 'n'], ['/v1/chat/completions', { model: 'talker', messages, max_tokens: 0 }, 400, 'max_tokens'],
    ['/v1/chat/completions', { model: 'talker', messages, audio: {} }, 400, 'audio'], ['/v1/chat/completions', { model: 'talker', messages, wonderful: 1 }, 400, 'wonderful'],
    ['/v1/chat/completions', { model: 'talker', messages, logit_bias: { abc: 'x' } }, 400, 'logit_bias.abc'], ['/v1/chat/completions', { model: 'talker', messages, stop: [1] }, 400, 'stop'],
    ['/v1/chat/completions', { model: 'talker', messages, tools: [{ type: 'web' }] }, 400, 'tools[0].type'], ['/v1/chat/completions', { model: 'talker', messages, tool_choice: 'required' }, 400, 'tool_choice'],
    ['/v1/chat/completions', { model: 'talker', messages, response_format: { type: 'xml' } }, 400, 'response_format.type'], ['/v1/chat/completions', { model: 'talker', messages, response_format: { type: 'json_schema', json_schema: {} } }, 400, 'response_format.json_schema.schema'],
    ['/v1/chat/completions', { model: 'talker', messages, response_format: { type: 'json_schema' } }, 400, 'response_format.json_schema'], ['/v1/responses', { model: 'talker', input: 'x', text: { format: { type: 'json_schema' } } }, 400, 'text.format.schema'],
    ['/v1/chat/completions', { model: 'talker', messages, logit_bias: { 255: 1, 256: 1 } }, 400, 'logit_bias.256'], ['/v1/completions', { model: 'talker', prompt: 'x', logit_bias: { 256: 1 } }, 400, 'logit_bias.256'],
    ['/v1/completions', { model: 'talker', prompt: [[255], [256]] }, 400, 'prompt'], ['/v1/embeddings', { model: 'vectors', input: [255, -1] }, 400, 'input'],
    ['/v1/chat/completions', { model: 'talker', messages, top_logprobs: 3 }, 400, 'top_logprobs'], ['/v1/chat/completions', { model: 'talker', messages, stream_options: {} }, 400, 'stream_options'],
    ['/v1/chat/completions', { model: 'vectors', messages }, 400, null], ['/v1/completions', { model: 'talker' }, 400, 'prompt'], ['/v1/completions', { model: 'talker', prompt: [[1.5]] }, 400, 'prompt[0]'],
    ['/v1/completions', { model: 'talker', prompt: 'x', echo: true, logprobs: 1 }, 400, 'logprobs'], ['/v1/embeddings', { model: 'vectors', input: [] }, 400, 'input'], ['/v1/embeddings', { model: 'vectors', input: 'x', dimensions: 5 }, 400, 'dimensions'],
    ['/v1/embeddings', { model: 'talker', input: 'x' }, 400, null], ['/v1/embeddings', { model: 'vectors', input: 'x', encoding_format: 'hex' }, 400, 'encoding_format'],
    ['/v1/chat/completions', { model: 'talker', messages, max_completion_tokens: 2 ** 31 }, 400, 'max_completion_tokens'], ['/v1/completions', { model: 'talker', prompt: 'x', max_tokens: 1e15 }, 400, 'max_tokens'],
    ['/v1/chat/completions', { model: 'talker', messages, tools: [{ type: 'function', function: { name: 'add' } }], function_call: 'auto' }, 400, 'tools'], ['/v1/chat/completions', { model: 'talker', messages, function_call: 'auto' }, 400, 'functions'],
    ['/v1/chat/completions', { model: 'talker', messages, functions: [{ name: 'add' }], function_call: 'maybe' }, 400, 'function_call'], ['/v1/chat/completions', { model: 'talker', messages, functions: [{ name: 'add' }], function_call: { name: 'sub' } }, 400, 'tool_choice'],
    ['/v1/chat/completions', { model: 'talker', messages, verbosity: 5 }, 400, 'verbosity'], ['/v1/chat/completions', { model: 'talker', messages, web_search_options: {} }, 400, 'web_search_options'],
    ['/v1/chat/completions', { model: 'talker', messages, tools: [{ type: 'function', function: { name: 'add' } }], tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'sub' } }] } } }, 400, 'tool_choice'],
    ['/v1/chat/completions', { model: 'talker', messages, guided_json: {}, response_format: { type: 'text' } }, 400, 'guided_json'], ['/v1/chat/completions', { model: 'talker', messages, guided_regex: 'a' }, 400, 'guided_regex'],
    ['/v1/completions', { model: 'talker', prompt: [65], suffix: 'x' }, 400, 'suffix'], ['/v1/embeddings', { model: 'vectors', input: [1, 2] }, 400, 'input'],
    ['/v1/responses', { model: 'talker', input: 'x', top_logprobs: 2 }, 400, 'top_logprobs'], ['/v1/responses', { model: 'talker', input: 'x', include: ['message.output_text.logprobs'] }, 400, 'include'],
    ['/v1/chat/completions', { model: 'talker', messages, reasoning_effort: 'much' }, 400, 'reasoning_effort'], ['/v1/responses', { model: 'talker', input: 'x', reasoning: { effort: 5 } }, 400, 'reasoning.effort'],
    ['/v1/responses', { model: 'warm', input: 'x', reasoning: { summary: 'long' } }, 400, 'reasoning.summary'],
    ['/v1/responses', { model: 'talker', input: 'x', store: 'yes' }, 400, 'store'], ['/v1/responses', { model: 'talker', input: 'x', text: { colour: 1 } }, 400, 'text.colour'],
    ['/v1/responses', { model: 'talker', input: 'x', reasoning: { depth: 1 } }, 400, 'reasoning.depth'], ['/v1/chat/completions', { model: 'talker', messages: [{ role: 'user', content: 'x', mood: 'good' }] }, 400, 'messages[0].mood'],
    ['/v1/chat/completions', { model: 'talker', messages: [{ role: 'user', content: 'x', name: 5 }] }, 400, 'messages[0].name'], ['/v1/chat/completions', { model: 'talker', messages, stream: true, stream_options: { wonder: 1 } }, 400, 'stream_options.wonder'],
    ['/v1/completions', { model: 'talker', prompt: 'x', stream_options: {} }, 400, 'stream_options'], ['/v1/chat/completions', { model: 'talker', messages, user: 5 }, 400, 'user'], ['/v1/embeddings', { model: 'vectors', input: 'x', user: 5 }, 400, 'user'],
    ['/v1/chat/completions', { model: 'talker', messages, metadata: 'x' }, 400, 'metadata'], ['/v1/completions', { model: 'talker', prompt: 'x', metadata: { a: 1 } }, 400, 'metadata.a'],
    ['/v1/chat/completions', { model: 'talker', messages, response_format: { type: 'json_schema', json_schema: { schema: {}, strict: 'maybe' } } }, 400, 'response_format.json_schema.strict'],
    ['/v1/chat/completions', { model: 'talker', messages, max_tokens: -2, max_completion_tokens: 5 }, 400, 'max_tokens'], ['/v1/chat/completions', { model: 'talker', messages, keep_alive: 'soon' }, 400, 'keep_alive'],
    ['/v1/chat/completions', { model: 'talker', messages, repetition_penalty: 0 }, 400, 'repetition_penalty'], ['/v1/completions', { model: 'talker', prompt: 'x', stop: Array(20_000).fill('x') }, 400, 'stop'],
    ['/v1/embeddings', { model: 'vectors', input: '' }, 400, 'input'],
    ['/v1/responses', { model: 'talker', input: 'x', previous_response_id: 'r' }, 400, 'previous_response_id'], ['/v1/responses', { model: 'talker', input: [{ type: 'item_reference' }] }, 400, 'input[0].type'],
  ];
  for (const [url, payload, status, param, code] of cases) {
    const answer = await post(url, payload);
    const name = `${url} ${JSON.stringify(payload).slice(0, 120)}`;
    t.equal(answer.statusCode, status, name);
    const { error } = answer.json() as { error: { message: string; type: string; param: string | null; code: string | null } };
    t.equal(error.param, param, name);
    t.ok(error.message.length > 5, name);
    if (code !== undefined) t.equal(error.code, code, name);
  }
  const defect = await chat({}, '!defect');
  t.match([defect.statusCode, defect.json()], [500, { error: { type: 'api_error', message: 'Internal processing error.' } }]);
  t.notMatch(defect.body, /secret/);
});

t.test('a method that a route does not have is refused in the contract\'s shape', async (t) => {
  for (const url of ['/v1/chat/completions', '/v1/completions', '/v1/embeddings', '/v1/responses']) {
    const answer = await service.app.inject({ method: 'GET', url });
    t.match([answer.statusCode, answer.headers.allow, answer.json()], [405, 'POST', { error: { message: 'Method Not Allowed', type: 'invalid_request_error', param: null, code: null } }], url);
  }
  t.match((await service.app.inject({ method: 'DELETE', url: '/v1/models/talker' })).json(), { error: { message: 'Method Not Allowed' } });
  for (const url of ['/v1/chat/nothing', '/v1/nope', '/v1/moderations', '/v1/audio/transcriptions']) {
    const answer = await service.app.inject({ method: 'POST', url, payload: {} });
    t.strictSame([answer.statusCode, answer.json()], [404, { error: { message: 'Not Found', type: 'not_found_error', param: null, code: null } }], url);
  }
  for (const url of ['/v1/convert/nothing', '/v1/result', '/v1alpha/convert/file', '/nothing']) t.strictSame((await service.app.inject({ method: 'POST', url, payload: {} })).json(), { detail: 'Not Found' }, `${url} is none of a language model`);
});

t.test('the service describes these routes, and only where they are', async (t) => {
  const { paths } = (await service.app.inject({ url: '/openapi.json' })).json() as { paths: Record<string, Record<string, { operationId: string }>> };
  for (const path of ['/v1/chat/completions', '/v1/completions', '/v1/embeddings', '/v1/responses', '/v1/models', '/v1/messages', '/v1/messages/count_tokens', '/v1/responses/input_tokens', '/v1/responses/{id}', '/tokenize', '/detokenize', '/api/chat', '/api/tags']) t.ok(path in paths, path);
  const ids = Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
  t.equal(new Set(ids).size, ids.length);
  const documents = await startTestService();
  t.teardown(() => documents.close());
  t.notOk('/api/chat' in ((await documents.app.inject({ url: '/openapi.json' })).json() as { paths: object }).paths);
  t.equal((await documents.app.inject({ url: '/api/tags' })).statusCode, 404);
});
