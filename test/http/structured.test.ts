// Answers that must keep to a schema, over the whole service and the real engine: a model of random weights, whose every word the grammar holds.
import t from 'tap';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { startServing } from '../support/serving.js';

const service = await startServing(t, { shape: { context: 2048 } });
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

t.test('OpenAI: any object', async (t) => {
  const any = await client.chat.completions.create({ ...asked, response_format: { type: 'json_object' }, seed: 5 });
  const { finish_reason: reason, message: { content } } = any.choices[0] as OpenAI.ChatCompletion.Choice;
  t.ok(content?.trimStart().startsWith('{'));
  if (reason === 'stop') t.type(JSON.parse(content as string), 'object');
  else t.equal(reason, 'length', 'random words find no end');
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
  const schema = { type: 'object', properties: { a: { type: 'object', patternProperties: { x: { type: 'string' } } } } };
  const odd = { type: 'json_schema' as const, json_schema: { name: 'odd', schema } };
  await t.rejects(client.chat.completions.create({ ...asked, response_format: odd }), { status: 400, message: /patternProperties/ });
});
