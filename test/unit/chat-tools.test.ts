/** Calls of tools: how each family of models writes them, what the grammar lets through, and what becomes of the text. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Answer, AnswerRequest, Conversation } from '../../src/chat/answer.js';
import { complete } from '../support/direct-sandbox.js';
import type { OutputPart, Tool } from '../../src/chat/conversation.js';
import { dialectOf } from '../../src/chat/tools/dialect.js';
import type { GenerateOptions, LanguageModel, PromptPart } from '../../src/engine/port.js';
import type { Lease } from '../../src/models/types.js';
import { chatLease } from '../support/chat-lease.js';
import { failureOf } from '../support/failure-of.js';
import { type Gbnf, readGbnf } from '../support/gbnf.js';
import { fakeEntry } from '../support/language-service.js';
import { randomFrom } from '../support/random.js';
import { sharedPath } from '../support/shared.js';
import { isPacked, unpacked } from '../support/unpacked.js';

const never = new AbortController().signal;
const form = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}{{ '<|im_start|>assistant\n' }}";
const sources = {
  hermes: `{# <tool_call> {"name": <function-name>, "arguments": <args-json-object>} </tool_call> #}${form}`,
  mistral: `{# [TOOL_CALLS] #}${form}`,
  llama: `{# Respond in the format {"name": function name, "parameters": dictionary of argument name and its value}. #}${form}`,
  llamaSingle: `{# "parameters": dictionary of argument. This model only supports single tool-calls at once! #}${form}`,
  qwen3: `{# <tool_call> <think> </think> enable_thinking #}${form}`,
};
const tool = (name: string, properties: Record<string, unknown>): Tool => {
  const parameters = { type: 'object', properties, required: Object.keys(properties) };
  return { name, parameters, raw: { type: 'function', function: { name, parameters } } };
};
const weather = tool('get_weather', { city: { type: 'string' } });
const add = tool('add', { a: { type: 'integer' }, b: { type: 'integer' } });

interface Asked {
  answer: Answer;
  /** Of all calls of the listener. */
  heard: OutputPart[];
  options: GenerateOptions;
  prompt: string;
  grammar: Gbnf | null;
}

async function ask(chatTemplate: string, said: string, input: Partial<Conversation> = {}, more: Partial<AnswerRequest> = {}): Promise<Asked> {
  const { lease, engine } = await chatLease({ context: 1 << 16, answer: () => said }, { chatTemplate });
  const heard: OutputPart[] = [];
  const conversation: Conversation = { kind: 'messages', messages: [{ role: 'user', content: 'Hi' }], tools: [weather, add], toolChoice: 'auto', ...input };
  const answer = await complete(lease, { input: conversation, format: { kind: 'text' }, sampling: {}, ...more }, { onParts: (_choice, parts) => heard.push(...parts) }, never);
  const { prompt = '', options = {} } = engine.generated[0] ?? {};
  return { answer, heard, options, prompt, grammar: options.grammar === undefined ? null : readGbnf(options.grammar) };
}

const callsOf = (parts: OutputPart[]): unknown[] => parts.flatMap((part) => (part.kind === 'toolCall' ? [[part.call.name, part.call.arguments]] : []));
const textOf = (parts: OutputPart[]): string => parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
const paris = ['get_weather', { city: 'Paris}' }];
const sum = ['add', { a: 1, b: -2 }];
const hermesCall = '\n{"name": "get_weather", "arguments": {"city": "Paris}"}}\n</tool_call>';
const hermesSum = '\n{"name": "add", "arguments": {"a": 1, "b": -2}}\n</tool_call>';

t.test('auto: the grammar begins where a call does', async (t) => {
  const hermes = await ask(sources.hermes, `Let me see.\n<tool_call>${hermesCall}\n<tool_call>${hermesSum}`);
  t.same(hermes.options.grammarTriggers, ['<tool_call>']);
  t.equal(hermes.options.grammarRequired, false, 'the model may answer without a call');
  t.same(callsOf(hermes.heard), [paris, sum]);
  t.equal(textOf(hermes.heard), 'Let me see.');
  t.equal(hermes.answer.choices[0]?.finishReason, 'toolCalls');
  t.match(hermes.answer.choices[0]?.parts, [{ kind: 'text' }, { kind: 'toolCall', call: { id: /^call_[0-9a-f]{24}$/ } }, { kind: 'toolCall' }]);
  t.ok(hermes.grammar?.matches(`${hermesCall}\n<tool_call>${hermesSum}`));
  for (const wrong of ['\n{"name": "other", "arguments": {}}\n</tool_call>', '\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>', '\n{"name": "add", "arguments": {"city": "x"}}\n</tool_call>', ' sunny']) t.notOk(hermes.grammar?.matches(wrong), wrong);

  const mistral = await ask(sources.mistral, '[TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "Paris}"}}, {"name": "add", "arguments": {"a": 1, "b": -2}}]');
  t.same(mistral.options.grammarTriggers, ['[TOOL_CALLS]']);
  t.same(callsOf(mistral.heard), [paris, sum]);
  t.equal(textOf(mistral.heard), '');
  t.ok(mistral.grammar?.matches(' [{"name": "get_weather", "arguments": {"city": "Paris}"}}, {"name": "add", "arguments": {"a": 1, "b": -2}}]'));
  t.notOk(mistral.grammar?.matches(' []'));
});

t.test('auto, bare calls: an answer is a call from its first character on, or any text', async (t) => {
  const call = '{"name": "add", "parameters": {"a": 1, "b": -2}}';
  const { grammar, heard, options, answer } = await ask(sources.llama, call);
  t.equal(options.grammarTriggers, undefined);
  t.same(callsOf(heard), [sum]);
  t.equal(answer.choices[0]?.finishReason, 'toolCalls');
  for (const right of [call, `${call}\n${call}`, '{"name":"get_weather","parameters":{"city":"x"}}', '', 'Hello {"name": "add"', '{', '{"name": "ad', '{"name": "adder", "x": 1}', '{"temperature": 1}', '{"name": "Alice"}']) t.ok(grammar?.matches(right), right);
  for (const wrong of ['{"name": "add", "parameters": {"a": 1}}', '{"name": "add", "other": 1}', `${call} and more`]) t.notOk(grammar?.matches(wrong), wrong);
  t.notOk((await ask(sources.llamaSingle, call)).grammar?.matches(`${call}\n${call}`));
  t.same(callsOf((await ask(sources.llama, `${call}; ${call}`)).heard), [sum, sum]);
  for (const text of ['{"name": "Alice"}', 'See {"name": "add", "parameters": {"a": 1, "b": 2}}', '{"na']) {
    const plain = await ask(sources.llama, text);
    t.same(plain.answer.choices[0], { ...plain.answer.choices[0], parts: [{ kind: 'text', text }], finishReason: 'stop' }, text);
  }
});

t.test('auto: a whole answer that is a call in another form is a call, unless the answer has a form of its own', async (t) => {
  const bare = '{"name": "get_weather", "arguments": {"city": "Paris}"}}';
  for (const said of [bare, `\`\`\`json\n${bare}\n\`\`\``, `[TOOL_CALLS][${bare}]`]) {
    const { answer, heard } = await ask(sources.hermes, said);
    t.same([callsOf(heard), answer.choices[0]?.finishReason], [[paris], 'toolCalls'], said);
  }
  t.same(callsOf((await ask(sources.llama, `<tool_call>${bare}</tool_call>`)).heard), [paris]);
  t.same(callsOf((await ask(sources.qwen3, `<think>Hm.</think>\n${bare}`)).heard), [paris]);
  const two = await ask(sources.hermes, `[${bare}, ${bare}]`, { singleToolCall: true });
  t.same(callsOf(two.heard), [paris]);
  for (const [input, more] of [[{ toolChoice: 'none' }, {}], [{}, { format: { kind: 'json' } }]] as const) t.equal(textOf((await ask(sources.hermes, bare, input, more)).heard), bare);
});

t.test('a call that the limit of tokens cuts is what there is of it', async (t) => {
  const cut = async (source: string, said: string, toolChoice: Conversation['toolChoice'], maxTokens = said.length): Promise<Asked> => ask(source, said, { toolChoice }, { sampling: { maxTokens } });
  const named = { name: 'add' };
  const cases: [string, string, Conversation['toolChoice'], OutputPart['kind'], string, string?][] = [
    [sources.hermes, '\n{"name": "add", "arguments": {"a": 1, "b', named, 'cutCall', '{"a": 1, "b'],
    [sources.hermes, '\n{"name": "get_weather", "arguments": {"city": "Par', 'required', 'cutCall', '{"city": "Par', 'get_weather'],
    [sources.hermes, '<tool_call>\n{"name": "add", "arguments": {"a": {"b": "}"}} ', 'auto', 'cutCall', '{"a": {"b": "}"}}'],
    [sources.mistral, '[TOOL_CALLS] [{"name":"add","arguments":', 'auto', 'cutCall', ''],
    [sources.mistral, '[{"name": "add", "arg', named, 'cutCall', ''],
    [sources.llama, '{"name": "add", "parameters": {"a": 1', 'auto', 'cutCall', '{"a": 1'],
    [sources.hermes, '\n{"na', named, 'cutCall', ''],
    [sources.hermes, '\n{"name": "ad', 'required', 'text', '{"name": "ad'],
  ];
  for (const [source, said, toolChoice, kind, rest, name = 'add'] of cases) {
    const { answer, heard } = await cut(source, said, toolChoice);
    t.equal(answer.choices[0]?.finishReason, 'length', said);
    t.match(heard, [kind === 'text' ? { kind, text: rest } : { kind, call: { id: /^call_[0-9a-f]{24}$/, name, arguments: rest }, source: said.slice(said.indexOf('{')) }], said);
    t.same(answer.choices[0]?.parts, heard, said);
  }
  const second = await cut(sources.hermes, `${hermesCall}\n<tool_call>${hermesSum}`, 'required', hermesCall.length + 54);
  t.match(second.heard, [{ kind: 'toolCall', call: { name: 'get_weather' } }, { kind: 'cutCall', call: { name: 'add', arguments: '{"a"' } }]);
  const stopped = await ask(sources.hermes, '\n{"name": "add", "arguments": {"a": 1, "b', { toolChoice: named });
  t.match(stopped.heard, [{ kind: 'text' }], 'what ends by itself is no call that was cut');
});

t.test('required and named: the grammar holds from the start, behind what the template would write', async (t) => {
  const required = await ask(sources.hermes, hermesCall, { toolChoice: 'required' });
  t.ok(required.prompt.endsWith('<|im_start|>assistant\n<tool_call>'));
  t.equal(required.options.grammarTriggers, undefined);
  t.ok(required.grammar?.matches(hermesCall));
  t.ok(required.grammar?.matches(`${hermesCall}\n<tool_call>${hermesSum}`));
  t.same(callsOf(required.heard), [paris]);
  const named = await ask(sources.hermes, hermesSum, { toolChoice: { name: 'add' } });
  t.notOk(named.grammar?.matches(hermesCall));
  t.ok(named.grammar?.matches(hermesSum));
  t.notOk(named.grammar?.matches(`${hermesSum}\n<tool_call>${hermesSum}`), 'one call');
  const single = await ask(sources.hermes, hermesSum, { toolChoice: 'required', singleToolCall: true });
  t.ok(single.grammar?.matches(hermesCall));
  t.notOk(single.grammar?.matches(`${hermesCall}\n<tool_call>${hermesSum}`));
  const llama = await ask(sources.llama, '{"name": "add", "parameters": {"a": 1, "b": -2}}', { toolChoice: 'required' });
  t.ok(llama.prompt.endsWith('assistant\n'));
  t.same(callsOf(llama.heard), [sum]);
  t.notOk(llama.grammar?.matches('Hello'));
  const mistral = await ask(sources.mistral, '[{"name": "add", "arguments": {"a": 1, "b": -2}}]', { toolChoice: 'required' });
  t.ok(mistral.prompt.endsWith('assistant\n[TOOL_CALLS]'));
  t.same(callsOf(mistral.heard), [sum]);
});

t.test('thoughts before calls', async (t) => {
  const asked = await ask(sources.qwen3, `<think>\nHm.\n</think>\n\n<tool_call>${hermesCall}`);
  t.same(asked.heard.filter(({ kind }) => kind === 'reasoning').map((part) => (part.kind === 'reasoning' ? part.text : '')).join(''), 'Hm.');
  t.same(callsOf(asked.heard), [paris]);
  const forced = await ask(sources.qwen3, `Hm.\n</think>\n\n<tool_call>${hermesCall}`, { toolChoice: 'required', think: true });
  t.ok(forced.prompt.endsWith('<think>\n'));
  t.same(forced.options.grammarTriggers, ['</think>']);
  t.equal(forced.options.grammarRequired, true, 'an end of the thought is not the end of the answer');
  t.ok(forced.grammar?.matches(`\n\n<tool_call>${hermesCall}`));
  t.same(callsOf(forced.heard), [paris]);
});

t.test('a form beside tools: either', async (t) => {
  const format = { kind: 'schema', schema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] } } as const;
  for (const [source, call] of [[sources.hermes, `<tool_call>${hermesSum}`], [sources.llama, '{"name": "add", "parameters": {"a": 1, "b": -2}}']] as const) {
    const { grammar, options, heard } = await ask(source, call, {}, { format });
    t.equal(options.grammarTriggers, undefined);
    t.ok(grammar?.matches(call));
    t.ok(grammar?.matches('{"ok": true}'));
    t.notOk(grammar?.matches('Hello'));
    t.same(callsOf(heard), [sum]);
    t.equal(textOf((await ask(source, '{"ok": true}', {}, { format })).heard), '{"ok": true}');
  }
});

t.test('none: the model is told of no tools, and its text is text', async (t) => {
  const shows = `{{ tools | length if tools else 'no tools' }}${sources.hermes}`;
  const none = await ask(shows, `<tool_call>${hermesCall}`, { toolChoice: 'none' });
  t.match(none.prompt, /^no tools/);
  t.equal(none.options.grammar, undefined);
  t.equal(textOf(none.heard), `<tool_call>${hermesCall}`);
  t.match((await ask(shows, 'x')).prompt, /^2/);
});

t.test('what was begun and not finished, or is no call, is text', async (t) => {
  for (const [said, text] of [
    ['<tool_call>\n{"name": "add", "argum', '{"name": "add", "argum'], ['<tool_call>\n{"name": "nothing", "arguments": {}}', '{"name": "nothing", "arguments": {}}'],
    ['<tool_call>\n{"name": "add", "arguments": 1}', '{"name": "add", "arguments": 1}'], ['<tool_ca', '<tool_ca'], ['a <b> <tool', 'a <b> <tool'],
  ] as const) {
    const { heard, answer } = await ask(sources.hermes, said);
    t.equal(textOf(heard), text, said);
    t.same(callsOf(heard), [], said);
    t.equal(answer.choices[0]?.finishReason, 'stop');
  }
  t.equal((await ask(sources.hermes, `<tool_call>${hermesCall}`, {}, { sampling: { maxTokens: 30 } })).answer.choices[0]?.finishReason, 'length');
});

t.test('whatever the grammar lets through is read as calls of the tools', async (t) => {
  const random = randomFrom(7);
  let checked = 0;
  for (const source of Object.values(sources)) {
    const { grammar } = await ask(source, '', { toolChoice: 'required' });
    for (let round = 0; round < 25; round += 1) {
      const said = grammar?.walk(random) ?? '';
      const { heard } = await ask(source, said, { toolChoice: 'required' });
      const calls = callsOf(heard) as [string, Record<string, unknown>][];
      t.ok(calls.length > 0 && calls.every(([name, given]) => (name === 'add' ? Number.isInteger(given['a']) && Number.isInteger(given['b']) : typeof given['city'] === 'string')), said);
      t.equal(textOf(heard), '');
      checked += calls.length;
    }
  }
  t.ok(checked > 100, `${checked} calls`);
});

/** A model whose vocabulary has control tokens that give no text, and whose bursts hold several tokens. */
function controlModel(bursts: { text: string; ids: number[] }[], controls: Record<string, number>, userDefined: Record<string, number> = {}): LanguageModel {
  const special = { ...controls, ...userDefined };
  const encode = ({ text, special: trusted }: PromptPart): number[] => {
    const known = trusted ? special[text] : userDefined[text];
    return known === undefined ? [...Buffer.from(text)] : [known];
  };
  return {
    info: { embeds: false, ranks: false, slots: 1, context: 4096, vocabularySize: 512, embeddingLength: 4, need: { weightBytes: 1, kvBytes: 1, workBytes: 1 }, endTokens: [0] },
    generate: async (_prompt, { onTokens } = {}) => {
      for (const burst of bursts) onTokens?.(burst);
      return { finishReason: 'stop', stopString: null, promptTokens: 1, cachedTokens: 0, completionTokens: bursts.length, draftTokens: 0, acceptedTokens: 0, queueMs: 0, prefillMs: 0, decodeMs: 0 };
    },
    embed: async () => { throw new Error('not asked'); },
    rank: async () => { throw new Error('not asked'); },
    tokenize: async (prompt) => (isPacked(prompt) ? unpacked(prompt) : prompt as PromptPart[]).flatMap(encode),
    countTokens: async () => { throw new Error('not asked'); },
    tokenBytes: (id) => Buffer.from(Object.entries(special).find(([, known]) => known === id)?.[0] ?? (id < 256 ? Uint8Array.of(id) : 'é')),
    close: async () => undefined,
  };
}

t.test('markers that are control tokens show no text and are seen all the same', async (t) => {
  const ids = (text: string): number[] => [...Buffer.from(text)];
  const call = '[{"name": "add", "arguments": {"a": 1, "b": -2}}]';
  const run = async (model: LanguageModel, chatTemplate: string): Promise<OutputPart[]> => {
    const lease: Lease = { entry: fakeEntry('m', { chatTemplate }), model, loadMs: 0, release: () => undefined };
    const input: Conversation = { kind: 'messages', messages: [{ role: 'user', content: 'Hi' }], tools: [weather, add], toolChoice: 'auto' };
    return (await complete(lease, { input, format: { kind: 'text' }, sampling: {} }, {}, never)).choices[0]?.parts ?? [];
  };
  const controls = { '[TOOL_CALLS]': 300 };
  for (const bursts of [
    [{ text: '', ids: [300] }, { text: call, ids: ids(call) }],
    [{ text: `Sure: é ${call}`, ids: [...ids('Sure: é '), 300, ...ids(call)] }],
    // Text that was held back is sent later than its tokens.
    [{ text: 'Su', ids: [...ids('Sure: é '), 300] }, { text: `re: é ${call.slice(0, 5)}`, ids: ids(call.slice(0, 5)) }, { text: call.slice(5), ids: ids(call.slice(5)) }],
  ]) {
    const parts = await run(controlModel(bursts, controls), sources.mistral);
    t.same(callsOf(parts), [sum]);
    t.ok(['', 'Sure: é'].includes(textOf(parts)), textOf(parts));
  }
  const shown = [{ text: `<tool_call>${hermesSum}`, ids: [301, ...ids(hermesSum)] }];
  t.same(callsOf(await run(controlModel(shown, {}, { '<tool_call>': 301 }), sources.hermes)), [sum], 'a token that shows its text is seen once');
  const thought = [{ text: 'Hm. Yes.', ids: [302, ...ids('Hm.'), 303, ...ids(' Yes.')] }];
  t.same(await run(controlModel(thought, { '<think>': 302, '</think>': 303 }), sources.qwen3), [{ kind: 'reasoning', text: 'Hm.' }, { kind: 'text', text: 'Yes.' }]);
});

t.test('published templates: the form of their calls, or a clear refusal', async (t) => {
  const expected: Record<string, string | null> = {
    'NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use.jinja': 'tagged', 'Qwen-QwQ-32B.jinja': 'tagged', 'Qwen-Qwen2.5-7B-Instruct.jinja': 'tagged', 'Qwen-Qwen3-0.6B.jinja': 'tagged',
    'meta-llama-Llama-3.1-8B-Instruct.jinja': 'bare', 'meta-llama-Llama-3.2-3B-Instruct.jinja': 'bare', 'meta-llama-Llama-3.3-70B-Instruct.jinja': 'bare',
    'mistralai-Mistral-Nemo-Instruct-2407.jinja': 'list', 'ollama-llama3.3.gotmpl': 'bare', 'ollama-qwen2.5.gotmpl': 'tagged', 'ibm-granite-granite-3.3-2B-Instruct.jinja': 'list',
    'deepseek-ai-DeepSeek-R1-Distill-Llama-8B.jinja': null, 'google-gemma-2-2b-it.jinja': null, 'microsoft-Phi-3.5-mini-instruct.jinja': null,
  };
  const directory = sharedPath('conformance/templates');
  if (directory !== null) for (const [name, wanted] of Object.entries(expected)) t.equal(dialectOf(readFileSync(join(directory, name), 'utf8'))?.form ?? null, wanted, name);
  t.match(await failureOf(ask(form, 'x')), { code: 'invalid_request', message: /takes no tools/ });
  t.match(await failureOf(ask(sources.hermes, 'x', { tools: [], toolChoice: 'required' })), { code: 'invalid_request', message: /no tools/ });
  t.match(await failureOf(ask(sources.hermes, 'x', { toolChoice: { name: 'other' } })), { code: 'invalid_request', message: /no such tool/ });
  const odd: Tool = { name: 'odd', parameters: { type: 'object', properties: { a: { not: { uniqueItems: true } } } }, raw: {} };
  t.match(await failureOf(ask(sources.hermes, 'x', { tools: [{ ...odd, strict: true }] })), { code: 'invalid_request', message: /tool 'odd' cannot be kept: 'not' at #\/properties\/a\/not/ });
  await t.resolves(ask(sources.hermes, 'x', { tools: [odd] }), 'what is not strict is kept as far as it can be');
});
