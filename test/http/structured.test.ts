// Answers that must keep to a schema, over the whole service and the real engine: a model of random weights, whose every word the grammar holds.
import t from 'tap';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { toolTemplate } from '../support/made-model.js';
import { startServing } from '../support/serving.js';

const service = await startServing(t, { shape: { context: 16_384, template: toolTemplate } });
const client = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: 'none', maxRetries: 0 });
const model = 'chat';
const messages = [{ role: 'user', content: 'the world' }] as const satisfies OpenAI.ChatCompletionMessageParam[];
const asked = { model, messages: [...messages], max_tokens: 600 };
const Answer = z.object({ fits: z.boolean(), colour: z.enum(['red', 'green', 'blue']), sides: z.array(z.enum(['left', 'right'])).max(3), inner: z.object({ level: z.enum(['a', 'b']).nullable() }) });

t.test('OpenAI: the zod helper, whole and streamed', async (t) => {
  const limits = { ...asked, response_format: zodResponseFormat(Answer, 'answer') };
  for (const seed of [1, 2, 3]) {
    const { choices } = await client.chat.completions.parse({ ...limits, seed });
    t.ok(Answer.safeParse(choices[0]?.message.parsed).success, choices[0]?.message.content ?? '');
  }
  const streamed = await client.chat.completions.stream({ ...limits, seed: 4 }).finalChatCompletion();
  t.ok(Answer.safeParse(streamed.choices[0]?.message.parsed).success, streamed.choices[0]?.message.content ?? '');
});

t.test('OpenAI: a prompt without a token is named', async (t) => {
  const refused: unknown = await client.completions.create({ model, prompt: '' }).catch((thrown: unknown) => thrown);
  t.match(refused, { status: 400, param: 'prompt' });
});

t.test('OpenAI: any object', async (t) => {
  const any = await client.chat.completions.create({ ...asked, response_format: { type: 'json_object' }, seed: 5 });
  const { finish_reason: reason, message: { content } } = any.choices[0] as OpenAI.ChatCompletion.Choice;
  t.ok(content?.trimStart().startsWith('{'));
  if (reason === 'stop') t.type(JSON.parse(content as string), 'object');
  else t.equal(reason, 'length', 'random words find no end');
});

const tools = ['turn', 'stop'].map((name) => ({
  type: 'function' as const,
  function: { name, description: `To ${name}.`, parameters: { type: 'object', properties: { way: { type: 'string', enum: ['left', 'right'] }, fast: { type: 'boolean' } }, required: ['way', 'fast'], additionalProperties: false } },
}));
const inputs = z.object({ way: z.enum(['left', 'right']), fast: z.boolean() }).strict();

t.test('OpenAI: tools that must be called, whole and streamed, and their results', async (t) => {
  const called = await client.chat.completions.create({ ...asked, tools, tool_choice: 'required', parallel_tool_calls: false, seed: 1 });
  const [choice] = called.choices;
  t.equal(choice?.finish_reason, 'tool_calls');
  const [call] = choice?.message.tool_calls ?? [];
  if (call?.type !== 'function') return t.fail('no call of a function');
  t.ok(['turn', 'stop'].includes(call.function.name));
  t.ok(inputs.safeParse(JSON.parse(call.function.arguments)).success, call.function.arguments);
  for (const name of ['turn', 'stop']) {
    const stream = client.chat.completions.stream({ ...asked, tools, tool_choice: { type: 'function', function: { name } }, parallel_tool_calls: false, seed: 2 });
    const { message, finish_reason: reason } = (await stream.finalChatCompletion()).choices[0] as OpenAI.ChatCompletion.Choice;
    const [named] = message.tool_calls ?? [];
    t.match([reason, named], ['tool_calls', { type: 'function', function: { name } }]);
    if (named?.type === 'function') t.ok(inputs.safeParse(JSON.parse(named.function.arguments)).success, named.function.arguments);
  }
  const cut = { ...asked, max_tokens: 34, tools, tool_choice: { type: 'function' as const, function: { name: 'turn' } }, seed: 2 };
  const whole = (await client.chat.completions.create(cut)).choices[0];
  const [begun] = whole?.message.tool_calls ?? [];
  t.match([whole?.finish_reason, whole?.message.content, begun], ['length', null, { type: 'function', function: { name: 'turn' } }]);
  const parts: string[] = [];
  for await (const { choices } of await client.chat.completions.create({ ...cut, stream: true })) parts.push(choices[0]?.delta.content ?? '', choices[0]?.delta.tool_calls?.[0]?.function?.arguments ?? '');
  if (begun?.type === 'function') t.equal(parts.join(''), begun.function.arguments, 'streamed, too');
  const goesOn = await client.chat.completions.create({ ...asked, max_tokens: 5, tools, messages: [...messages, { role: 'assistant', tool_calls: [call] }, { role: 'tool', tool_call_id: call.id, content: 'done' }] });
  t.equal(goesOn.object, 'chat.completion');
  const none = await client.chat.completions.create({ ...asked, max_tokens: 20, tools, tool_choice: 'none', seed: 3 });
  t.equal(none.choices[0]?.message.tool_calls, undefined);
  return undefined;
});

// A grammar of many tools must not delay the first token: the prompt is cached by the request before, so the grammar is what the second one adds.
const grammarSeconds = 2; // measured: .38 s on two cores with five times their load
t.test('OpenAI: twelve tools of eight parameters that must be called begin at once', async (t) => {
  const parameter = (tool: number, index: number) => index % 2 === 1
    ? { type: 'string', enum: [`a${tool}`, `b${index}`] }
    : { type: 'object', properties: { a: { type: 'integer' }, b: { anyOf: [{ type: 'string' }, { type: 'null' }] } } };
  const many = Array.from({ length: 12 }, (_, tool): OpenAI.ChatCompletionTool => ({ type: 'function', function: {
    name: `tool_${tool}`, parameters: { type: 'object', properties: Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`p${index}`, parameter(tool, index)])), required: ['p0'] } } }));
  const seconds = async (choice: 'auto' | 'required') => {
    const began = performance.now();
    const { usage } = await client.chat.completions.create({ ...asked, max_tokens: 1, tools: many, tool_choice: choice });
    t.ok((usage?.prompt_tokens ?? 0) > 2000, 'the tools stand in the prompt');
    return (performance.now() - began) / 1000;
  };
  await seconds('auto');
  const free = await seconds('auto');
  const held = await seconds('required');
  t.ok(held - free < grammarSeconds, `${held.toFixed(2)} s with the grammar, ${free.toFixed(2)} s without`);
});

t.test('Responses: a tool that must be called', async (t) => {
  const { output } = await client.responses.create({
    model, input: 'the world', max_output_tokens: 600, tools: tools.map(({ function: one }) => ({ type: 'function' as const, strict: true, ...one })), tool_choice: 'required', parallel_tool_calls: false,
  });
  const call = output.find((item) => item.type === 'function_call');
  t.ok(inputs.safeParse(JSON.parse(call?.arguments ?? '{}')).success, JSON.stringify(output));
});

t.test('Ollama: format', async (t) => {
  const ollama = new Ollama({ host: service.url });
  const format = { type: 'object', properties: { yes: { type: 'boolean' }, way: { enum: ['left', 'right'] } }, required: ['yes', 'way'], additionalProperties: false };
  for (const seed of [1, 2, 3]) {
    const { message } = await ollama.chat({ model, messages: [...messages], options: { seed, num_predict: 300 }, format });
    t.match(JSON.parse(message.content), { yes: Boolean, way: /^(left|right)$/ });
    const { response } = await ollama.generate({ model, prompt: 'the', options: { seed, num_predict: 300 }, format });
    t.match(JSON.parse(response ?? ''), { yes: Boolean, way: /^(left|right)$/ });
  }
});

t.test('a schema that cannot be is refused by its keyword', async (t) => {
  const schema = { type: 'object', properties: { a: { type: 'array', items: { type: 'string' }, uniqueItems: true } } };
  const odd = { type: 'json_schema' as const, json_schema: { name: 'odd', strict: true, schema } };
  await t.rejects(client.chat.completions.create({ ...asked, response_format: odd }), { status: 400, message: /uniqueItems/ });
});

t.test('a thought comes first, and its end never is the end of the answer', async (t) => {
  const opener = '<|im_start|>assistant\n';
  const thinking = await startServing(t, { shape: { context: 2048, template: toolTemplate.replace(opener, `${opener}<think>\n`) } });
  const shown = await (await fetch(`${thinking.url}/api/show`, { method: 'POST', body: JSON.stringify({ model, verbose: true }) })).json() as { model_info: Record<string, string[]> };
  const vocabulary = shown.model_info['tokenizer.ggml.tokens'] as string[];
  // The model wants nothing but to end.
  const eager = { ...asked, seed: 1, logit_bias: { [vocabulary.indexOf('<|im_end|>')]: 100 } };
  const thinker = new OpenAI({ baseURL: `${thinking.url}/v1`, apiKey: 'none', maxRetries: 0 });
  const { choices: [told] } = await thinker.chat.completions.parse({ ...eager, response_format: zodResponseFormat(Answer, 'answer') });
  t.ok(Answer.safeParse(told?.message.parsed).success, told?.message.content ?? '');
  t.equal(told?.finish_reason, 'stop');
  const { choices: [called] } = await thinker.chat.completions.create({ ...eager, tools, tool_choice: 'required' });
  t.match(called, { finish_reason: 'tool_calls', message: { tool_calls: [{ type: 'function', function: { name: /^(?:turn|stop)$/ } }] } });
  const native = new Ollama({ host: thinking.url });
  for (const seed of [2, 3, 4, 5]) {
    const { message, done_reason: reason } = await native.chat({ model, messages: [...messages], think: true, format: z.toJSONSchema(Answer), options: { seed, num_predict: 600 } });
    t.ok(reason === 'length' || Answer.safeParse(JSON.parse(message.content || 'null')).success, `${reason}: ${message.content}`);
  }
  const free = await thinker.chat.completions.create(eager);
  t.match(free.choices, [{ finish_reason: 'stop' }], 'free text may end in its thought');
});

t.test('a logit bias that forbids everything is the request\'s fault', async (t) => {
  const every = Object.fromEntries(Array.from({ length: 256 + 16 }, (_, id) => [id, -100]));
  const schema = { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'boolean' } } } as const;
  const refused: unknown = await client.chat.completions.create({ ...asked, logit_bias: every, response_format: schema }).catch((thrown: unknown) => thrown);
  t.match(refused, { status: 400, message: /logit bias forbids every token that the requested format allows/ });
});
