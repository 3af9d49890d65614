/** From a conversation to an answer: the prompt that the engine sees, what it is asked for, and what its text becomes. */
import t from 'tap';
import { type AnswerRequest, type AnswerTokens, type Conversation, countLogprobs } from '../../src/chat/answer.js';
import { complete } from '../support/direct-sandbox.js';
import type { Message, OutputPart } from '../../src/chat/conversation.js';
import { fillInPrompt } from '../../src/chat/fill-in.js';
import type { LanguageModel, PackedPrompt, PromptPart } from '../../src/engine/port.js';
import { chatLease } from '../support/chat-lease.js';
import { failureOf } from '../support/failure-of.js';
import { readGbnf } from '../support/gbnf.js';

const never = new AbortController().signal;
const chatMl = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}{{ '<|im_start|>assistant\n' }}";
const thinking = `${chatMl}{# <think> </think> enable_thinking #}`;
const say = (...contents: string[]): Message[] => contents.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }));
const ask = (messages: Message[], more: Partial<Omit<AnswerRequest, 'input'>> & { input?: Partial<Conversation> } = {}): AnswerRequest => {
  const { input, ...rest } = more;
  return { input: { kind: 'messages', messages, tools: [], toolChoice: 'none', ...input }, format: { kind: 'text' }, sampling: {}, ...rest };
};

t.test('a conversation is rendered, answered and told', async (t) => {
  const { lease, engine } = await chatLease({ answer: () => 'Hello there.' }, { chatTemplate: chatMl });
  const heard: OutputPart[] = [];
  const ids: number[] = [];
  let starts = 0;
  const answer = await complete(lease, ask(say('Hi'), { wantsPromptIds: true, sampling: { temperature: 0.5, stop: ['x'] } }), {
    onStart: () => { starts += 1; },
    onParts: (choice, parts, tokens) => {
      t.equal(choice, 0);
      heard.push(...parts);
      ids.push(...tokens.ids);
    },
  }, never);
  t.equal(engine.generated[0]?.prompt, '<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n');
  t.match(engine.generated[0]?.options, { temperature: 0.5, stop: ['x'], grammar: undefined });
  t.same(answer.choices[0]?.parts, [{ kind: 'text', text: 'Hello there.' }], 'neighbours are one part');
  t.equal(heard.map((part) => (part.kind === 'text' ? part.text : '?')).join(''), 'Hello there.');
  t.same([starts, answer.choices[0]?.finishReason, answer.promptTokens, answer.promptIds?.length, answer.completionTokens], [1, 'stop', 21, 21, 12]);
  t.same(ids, [...Buffer.from('Hello there.')]);
  t.same(answer.choices[0]?.tokens.ids, ids);
});

t.test('control tokens come from the template only', async (t) => {
  const { lease } = await chatLease({ answer: () => 'ok' }, { chatTemplate: chatMl });
  const count = async (content: string): Promise<number> => (await complete(lease, ask(say(content)), {}, never)).promptTokens;
  t.equal(await count('<|im_end|>') - await count(''), '<|im_end|>'.length, 'byte by byte');
});

t.test('a client sets variables of the template, whose texts are no control tokens, and not those of the conversation', async (t) => {
  const { lease, engine } = await chatLease({ answer: () => 'ok' }, { chatTemplate: `{{ style }}|{{ nested.a }}|${chatMl}` });
  const templateVariables = { style: '<|im_end|>', nested: { a: 1 }, messages: [], bos_token: 'x' };
  const plain = (await complete(lease, ask(say('Hi')), {}, never)).promptTokens;
  const { promptTokens } = await complete(lease, ask(say('Hi'), { input: { templateVariables } }), {}, never);
  t.equal(engine.generated[1]?.prompt, '<|im_end|>|1|<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n');
  t.equal(promptTokens - plain, '<|im_end|>1'.length, 'byte by byte');
});

t.test('log probabilities: a whole answer keeps a stated number in all its choices, a stream none', async (t) => {
  const { lease } = await chatLease({ answer: () => 'abcd' }, { chatTemplate: chatMl });
  const asked = (logprobRoom: number): AnswerRequest => ask(say('Hi'), { choices: 2, sampling: { logprobs: 1 }, logprobRoom });
  const kept = await complete(lease, asked(16), {}, never);
  t.same(kept.choices.map(({ tokens }) => countLogprobs(tokens.logprobs ?? [])), [8, 8]);
  t.match(await failureOf(complete(lease, asked(15), {}, never)), { code: 'too_large', message: /not streamed/ });
  let heard = 0;
  const streamed = await complete(lease, asked(0), { onParts: (_choice, _parts, { logprobs = [] }) => { heard += countLogprobs(logprobs); } }, never);
  t.equal(heard, 16);
  t.same(streamed.choices.map(({ tokens }) => tokens.logprobs), [undefined, undefined]);
});

t.test('choices: one after another, seeds that rise, the prompt counted once', async (t) => {
  const { lease, engine } = await chatLease({ answer: (_prompt, { seed }) => `seed ${seed}` }, { chatTemplate: chatMl });
  const heard: string[] = ['', '', ''];
  const answer = await complete(lease, ask(say('Hi '.repeat(40)), { choices: 3, sampling: { seed: 2 ** 53 - 2, logprobs: 1 } }), {
    onParts: (choice, parts, tokens: AnswerTokens) => {
      heard[choice] += parts.map((part) => (part.kind === 'text' ? part.text : '?')).join('');
      t.equal(tokens.logprobs?.length ?? 0, tokens.ids.length);
    },
  }, never);
  const expected = [`seed ${2 ** 53 - 2}`, `seed ${2 ** 53 - 1}`, 'seed 0'];
  t.same(heard, expected);
  t.same(answer.choices.map(({ parts }) => parts), expected.map((text) => [{ kind: 'text', text }]));
  t.equal(answer.completionTokens, expected.join('').length);
  t.equal(answer.choices[2]?.tokens.logprobs?.length, 'seed 0'.length);
  t.equal(answer.cachedTokens, 0, 'of the first');
  t.equal(engine.generated.length, 3);
});

t.test('without a template: chatml where the vocabulary has it; the model\'s own system message and opening', async (t) => {
  const { lease, engine } = await chatLease({ answer: () => 'ok' }, { chatTemplate: null, system: 'Be brief.', messages: [{ role: 'user', content: 'a' }, { role: 'assistant', content: 'b' }, { role: 'strange', content: 'c' }] });
  await complete(lease, ask(say('Hi')), {}, never);
  await complete(lease, ask([{ role: 'system', content: 'Be long.' }, ...say('Hi')]), {}, never);
  const opening = '<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\nb<|im_end|>\n';
  const end = '<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n';
  t.equal(engine.generated[0]?.prompt, `<|im_start|>system\nBe brief.<|im_end|>\n${opening}${end}`);
  t.equal(engine.generated[1]?.prompt, `${opening}<|im_start|>system\nBe long.<|im_end|>\n${end}`);
  t.same(engine.generated[0]?.options.stop, ['<|im_end|>']);
});

t.test('the template\'s stop string is not the client\'s', async (t) => {
  const { lease } = await chatLease({ answer: () => 'one<|im_end|>two END' }, { chatTemplate: null });
  const ours = await complete(lease, ask(say('Hi'), { sampling: { stop: ['END'] } }), {}, never);
  t.same([ours.choices[0]?.stopString, ours.choices[0]?.parts], [null, [{ kind: 'text', text: 'one' }]]);
  const theirs = await complete(lease, ask(say('Hi'), { sampling: { stop: ['n'] } }), {}, never);
  t.equal(theirs.choices[0]?.stopString, 'n');
});

t.test('thoughts', async (t) => {
  const rows: [string, OutputPart[]][] = [
    ['<think>\nLet me see.\n</think>\n\nFour.', [{ kind: 'reasoning', text: 'Let me see.' }, { kind: 'text', text: 'Four.' }]],
    ['\n<think> a </ b </think>c', [{ kind: 'reasoning', text: 'a </ b' }, { kind: 'text', text: 'c' }]],
    ['<think>\n\n</think>\n\nFour.', [{ kind: 'text', text: 'Four.' }]],
    ['Four. <think>no</think>', [{ kind: 'text', text: 'Four. <think>no</think>' }]],
    ['<think>never ends ', [{ kind: 'reasoning', text: 'never ends' }]],
    ['<thi', [{ kind: 'text', text: '<thi' }]],
    [' plain ', [{ kind: 'text', text: ' plain ' }]],
  ];
  for (const [text, parts] of rows) {
    const { lease } = await chatLease({ answer: () => text }, { chatTemplate: thinking });
    const heard: OutputPart[] = [];
    const answer = await complete(lease, ask(say('2+2')), { onParts: (_choice, some) => heard.push(...some) }, never);
    t.same(answer.choices[0]?.parts, parts, text);
    const closed = text.indexOf('</think>');
    const thought = !text.trimStart().startsWith('<think>') ? 0 : closed < 0 ? text.length : closed + '</think>'.length;
    t.equal(answer.reasoningTokens, thought, `${text}: a token a byte, the marks among them`);
    for (const kind of ['text', 'reasoning'] as const) {
      const of = (some: OutputPart[]): string => some.map((part) => (part.kind === kind ? part.text : '')).join('');
      t.equal(of(heard), of(parts), `${text}: streamed ${kind}`);
    }
  }
  const { lease } = await chatLease({ answer: () => 'Hm.\n</think>\n\nFour.' }, { chatTemplate: `${chatMl}{{ '<think>\n' }}` });
  const opened = await complete(lease, ask(say('2+2'), { choices: 2 }), {}, never);
  t.same(opened.choices[0]?.parts, [{ kind: 'reasoning', text: 'Hm.' }, { kind: 'text', text: 'Four.' }], 'opened by the template');
  t.equal(opened.reasoningTokens, 2 * 'Hm.\n</think>'.length, 'of all choices');
  const plain = await chatLease({ answer: () => '<think>a</think>b' }, { chatTemplate: chatMl });
  t.same((await complete(plain.lease, ask(say('2+2')), {}, never)).choices[0]?.parts, [{ kind: 'text', text: '<think>a</think>b' }], 'a model that has none');
});

t.test('a form: the grammar holds from the start, or behind the thought', async (t) => {
  const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] };
  const asked = async (chatTemplate: string, think: boolean | undefined, answer: string, format: AnswerRequest['format'] = { kind: 'schema', schema }): Promise<{ grammar: string; triggers: unknown; prompt: string; parts: unknown }> => {
    const { lease, engine } = await chatLease({ answer: () => answer }, { chatTemplate });
    const { choices } = await complete(lease, ask(say('Hi'), { format, ...(think === undefined ? {} : { input: { think } }) }), {}, never);
    const { prompt = '', options } = engine.generated[0] ?? {};
    return { grammar: options?.grammar ?? '', triggers: options?.grammarTriggers, prompt, parts: choices[0]?.parts };
  };
  const end = '<|im_start|>assistant\n';
  const text = { kind: 'text', text: '{"a": 1}' };
  const plain = await asked(chatMl, undefined, '{"a": 1}');
  t.match(plain, { triggers: undefined, parts: [text] });
  t.ok(readGbnf(plain.grammar).matches('{"a": 1}'));
  t.notOk(readGbnf(plain.grammar).matches('{"a": "1"}'));
  const quiet = await asked(thinking, undefined, '{"a": 1}');
  t.match(quiet, { triggers: undefined, parts: [text] }, 'no thought unless asked for');
  t.ok(quiet.prompt.endsWith(end));
  const thoughtful = await asked(thinking, true, 'Hm.\n</think>\n\n{"a": 1}');
  t.match(thoughtful, { triggers: ['</think>'], parts: [{ kind: 'reasoning', text: 'Hm.' }, text] });
  t.ok(thoughtful.prompt.endsWith(`${end}<think>\n`));
  t.ok(readGbnf(thoughtful.grammar).matches('\n\n{"a": 1}'));
  const opened = await asked(`${thinking}{{ '<think>\n' }}`, undefined, 'Hm.\n</think>\n\n{"a": 1}');
  t.match(opened, { triggers: ['</think>'], parts: [{ kind: 'reasoning', text: 'Hm.' }, text] });
  t.ok(opened.prompt.endsWith(`${end}<think>\n`));
  const object = await asked(chatMl, undefined, '{}', { kind: 'json' });
  t.ok(readGbnf(object.grammar).matches('{"x": [1, {"y": null}]}'));
  t.notOk(readGbnf(object.grammar).matches('[1]'));
});

t.test('prompts as they stand', async (t) => {
  const { lease, engine } = await chatLease({ answer: () => ' time' });
  const raw = (prompt: string | number[]): AnswerRequest => ({ input: { kind: 'prompt', prompt, addSpecial: true }, format: { kind: 'text' }, sampling: { maxTokens: 3 }, wantsPromptIds: true });
  t.match(await complete(lease, raw('Once upon a'), {}, never), { promptTokens: 11, completionTokens: 3, choices: [{ finishReason: 'length', parts: [{ kind: 'text', text: ' ti' }] }] });
  t.match(await complete(lease, raw([65, 66]), {}, never), { promptTokens: 2, promptIds: [65, 66] });
  t.equal(engine.generated[1]?.prompt, 'AB');
});

t.test('too long: both counts, or the fewest of the oldest messages left out', async (t) => {
  const { lease, engine } = await chatLease({ context: 150, answer: () => 'ok' }, { chatTemplate: chatMl });
  const long = [{ role: 'system' as const, content: 'S' }, ...say(...Array.from({ length: 9 }, (_, index) => `${index}`.repeat(40)))];
  const refused = await failureOf(complete(lease, ask(long), {}, never));
  t.match(refused, { code: 'context_overflow', message: /longer than the model's context: it has \d{3} tokens and the context holds 150/ });
  const dropped = await complete(lease, ask(long, { input: { dropOldest: true } }), {}, never);
  const { prompt = '' } = engine.generated.at(-1) ?? {};
  t.equal(dropped.droppedMessages, 7);
  t.match(prompt, /^<\|im_start\|>system\nS<\|im_end\|>\n<\|im_start\|>assistant\n7{40}<\|im_end\|>\n<\|im_start\|>user\n8{40}/);
  t.ok(dropped.promptTokens < 150 && dropped.promptTokens + 50 >= 150, 'one more would not fit');
  const alternating = `{% if messages[1].role != 'user' %}{{ raise_exception('user first') }}{% endif %}${chatMl}`;
  const strict = await chatLease({ context: 150, answer: () => 'ok' }, { chatTemplate: alternating });
  t.equal((await complete(strict.lease, ask(long, { input: { dropOldest: true } }), {}, never)).droppedMessages, 8, 'the template wants a user first');
  const hopeless = await failureOf(complete(lease, ask([...long, { role: 'user', content: 'x'.repeat(500) }], { input: { dropOldest: true } }), {}, never));
  t.equal(hopeless.code, 'context_overflow');
  const withTools: Message[] = [...say('x'.repeat(150)), { role: 'assistant', content: '', toolCalls: [{ id: '1', name: 'f', arguments: {} }] }, { role: 'tool', content: 'sunny' }, ...say('thanks')];
  await complete(lease, ask(withTools, { input: { dropOldest: true } }), {}, never);
  t.notMatch(engine.generated.at(-1)?.prompt, /^<\|im_start\|>tool/, 'no tool\'s answer first');
});

t.test('of a text that is far too long the beginning is counted', async (t) => {
  const { lease } = await chatLease({ context: 150, answer: () => 'ok' }, { chatTemplate: chatMl });
  const handed: number[] = [];
  const model = Object.create(lease.model, {
    countTokens: { value: (...asked: Parameters<typeof lease.model.countTokens>) => {
      handed.push('utf8' in (asked[0] as object) ? (asked[0] as PackedPrompt).utf8.length : JSON.stringify(asked[0]).length);
      return lease.model.countTokens(...asked);
    } },
    tokenize: { value: () => t.fail('it is not tokenised') }, info: { value: lease.model.info },
  }) as typeof lease.model;
  const counting = { ...lease, model };
  const raw: AnswerRequest = { input: { kind: 'prompt', prompt: 'x'.repeat(1_000_000), addSpecial: true }, format: { kind: 'text' }, sampling: {} };
  for (const asked of [ask(say('x'.repeat(1_000_000))), raw]) {
    t.match(await failureOf(complete(counting, asked, {}, never)), { code: 'context_overflow', message: /it has more than 4[78]\d\d tokens and the context holds 150/ });
  }
  t.ok(handed.length === 2 && handed.every((length) => length < 5_000), `${handed.join()} bytes go to the engine`);
});

t.test('of all ways to leave out the oldest, the one that leaves out the fewest', async (t) => {
  const messages = say(...Array.from({ length: 12 }, (_, index) => 'x'.repeat(1 + (index * 37) % 60)));
  const wide = await chatLease({ context: 4096, answer: () => '' }, { chatTemplate: chatMl });
  const sizes = await Promise.all(messages.map(async (_, dropped) => (await complete(wide.lease, ask(messages.slice(dropped)), {}, never)).promptTokens));
  for (let context = (sizes.at(-1) ?? 0) + 1; context < (sizes[0] ?? 0) + 20; context += 7) {
    const { lease } = await chatLease({ context, answer: () => '' }, { chatTemplate: chatMl });
    const { droppedMessages } = await complete(lease, ask(messages, { input: { dropOldest: true } }), {}, never);
    t.equal(droppedMessages, sizes.findIndex((size) => size < context), `${context} of ${sizes.join()}`);
  }
});

t.test('more messages than the context has tokens are not rendered to find that they do not fit', async (t) => {
  const { lease } = await chatLease({ context: 200, answer: () => 'ok' }, { chatTemplate: chatMl });
  const rendered: number[] = [];
  const counting = { ...lease, model: Object.create(lease.model, { tokenize: { value: (...asked: Parameters<typeof lease.model.tokenize>) => {
    rendered.push(JSON.stringify(asked[0]).split('<|im_start|>').length - 2);
    return lease.model.tokenize(...asked);
  } }, generate: { value: lease.model.generate.bind(lease.model) }, info: { value: lease.model.info } }) as typeof lease.model };
  const many = say(...Array.from({ length: 5001 }, (_, index) => `${index}`));
  t.match(await failureOf(complete(counting, ask(many), {}, never)), { code: 'context_overflow', message: /5001 messages.* 200/ });
  t.same(rendered, []);
  const { droppedMessages } = await complete(counting, ask(many, { input: { dropOldest: true } }), {}, never);
  t.equal(droppedMessages, (await complete(lease, ask(many.slice(4900), { input: { dropOldest: true } }), {}, never)).droppedMessages + 4900, 'as many are left out as from its end');
  t.ok(rendered.length > 2 && Math.max(...rendered) < 200, `${rendered.join()}`);
  const systems = many.map(({ content }): Message => ({ role: 'system', content }));
  t.match(await failureOf(complete(lease, ask(systems, { input: { dropOldest: true } }), {}, never)), { code: 'context_overflow' });
});

t.test('a prompt that is far longer than the context is counted by the engine, and its ids are never asked for', async (t) => {
  const { lease } = await chatLease({ context: 200, answer: () => 'ok' }, { chatTemplate: chatMl });
  const calls: string[] = [];
  const watched = { ...lease, model: new Proxy(lease.model, { get: (model, name) => {
    const value: unknown = Reflect.get(model, name, model);
    if (typeof value === 'function') calls.push(String(name));
    return typeof value === 'function' ? value.bind(model) as unknown : value;
  } }) };
  const long = 'x'.repeat(5000);
  const raw = (prompt: string): AnswerRequest => ({ input: { kind: 'prompt', prompt, addSpecial: true }, format: { kind: 'text' }, sampling: {} });
  for (const [request, counted] of [[ask(say(long)), 5019], [ask(say(long), { input: { dropOldest: true } }), 5019], [raw(long), 5000]] as const) {
    calls.length = 0;
    t.match(await failureOf(complete(watched, request, {}, never)), { code: 'context_overflow', message: new RegExp(`${counted} tokens.* 200`) });
    t.same(calls.filter((name) => name !== 'tokenBytes'), ['countTokens']);
  }
  const dropped = await complete(watched, ask(say(long, 'ok', 'Hi'), { input: { dropOldest: true } }), {}, never);
  t.equal(dropped.droppedMessages, 1, 'what is left fits');
  const few = { ...lease, model: new Proxy(lease.model, { get: (model, name) => (name === 'countTokens' ? async () => 300 : Reflect.get(model, name, model).bind?.(model) ?? Reflect.get(model, name, model)) }) };
  t.match(await failureOf(complete(few, ask(say(long)), {}, never)), { code: 'context_overflow', message: /5019 tokens/ }, 'near the bound the exact prompt decides');
});

t.test('ids of an earlier conversation stand before', async (t) => {
  const { lease, engine } = await chatLease({ answer: () => 'ok' }, { chatTemplate: `{{ bos_token }}${chatMl}`, system: null });
  const first = await complete(lease, ask(say('Hi'), { wantsPromptIds: true }), {}, never);
  const before = [...first.promptIds ?? [], ...first.choices[0]?.tokens.ids ?? []];
  await complete(lease, ask(say('More'), { input: { before } }), {}, never);
  t.equal(engine.generated[1]?.prompt, `${engine.generated[0]?.prompt}ok<|im_start|>user\nMore<|im_end|>\n<|im_start|>assistant\n`);
});

t.test('hanging up, and what cannot be asked', async (t) => {
  const { lease } = await chatLease({}, { chatTemplate: chatMl });
  const leaving = new AbortController();
  let bursts = 0;
  const answer = complete(lease, ask(say('Hi')), { onParts: () => { if ((bursts += 1) === 5) leaving.abort(); } }, leaving.signal);
  t.equal((await failureOf(answer)).code, 'cancelled');
  t.equal(bursts, 5);
  t.equal((await failureOf(complete(lease, ask(say('Hi')), {}, AbortSignal.abort()))).code, 'cancelled');
  t.match(await failureOf(complete(lease, ask(say('Hi'), { format: { kind: 'schema', schema: { type: 'object', not: { uniqueItems: true } }, strict: true } }), {}, never)), { code: 'invalid_request', message: /'not' at #\/not/ });
  t.match(await failureOf(complete(lease, ask(say('Hi'), { format: { kind: 'schema', schema: { enum: [] } } }), {}, never)), { code: 'invalid_request', message: /no value/ });
  t.match(await failureOf(complete(lease, ask([]), {}, never)), { code: 'invalid_request', message: /no messages/ });
  t.match(await failureOf(complete(lease, ask(say('Hi'), { input: { tools: [{ name: 'f', parameters: {}, raw: {} }], toolChoice: 'auto' } }), {}, never)), { code: 'invalid_request', message: /takes no tools/ });
});

t.test('a gap between two texts, where the vocabulary has tokens for it', async (t) => {
  const model = (ids: Record<string, number>): LanguageModel => ({ tokenize: async (parts: PromptPart[]) => [ids[parts[0]?.text ?? ''] ?? 1, ...(ids[parts[0]?.text ?? ''] === undefined ? [2] : [])] }) as unknown as LanguageModel;
  const known = model({ '<fim_prefix>': 5, '<fim_suffix>': 6, '<fim_middle>': 7 });
  t.same(await fillInPrompt(known, 'a<fim_middle>', 'b'), [
    { text: '<fim_prefix>', special: true }, { text: 'a<fim_middle>', special: false }, { text: '<fim_suffix>', special: true }, { text: 'b', special: false }, { text: '<fim_middle>', special: true },
  ]);
  t.equal((await fillInPrompt(known, '', 'b'))?.length, 4);
  t.equal(await fillInPrompt(model({ '<fim_prefix>': 5, '<fim_suffix>': 6 }), 'a', 'b'), null);
});
