// The npm client `@anthropic-ai/sdk` against the whole service over the real engine.
import Anthropic from '@anthropic-ai/sdk';
import t from 'tap';
import { toolTemplate } from '../support/made-model.js';
import { startServing } from '../support/serving.js';

const service = await startServing(t, { shape: { context: 2048, template: toolTemplate }, settings: { aliases: new Map([['claude-made', 'chat']]) } });
const client = new Anthropic({ baseURL: service.url, apiKey: 'none', maxRetries: 0 });
const model = 'chat';
const messages = [{ role: 'user' as const, content: 'the world' }];
const asked = { model, messages, max_tokens: 12, temperature: 0 };
const tool = { name: 'turn', description: 'To turn.', input_schema: { type: 'object' as const, properties: { way: { type: 'string', enum: ['left', 'right'] }, fast: { type: 'boolean' } }, required: ['way', 'fast'], additionalProperties: false } };
const textOf = ({ content }: Anthropic.Message) => content.map((block) => (block.type === 'text' ? block.text : '')).join('');

t.test('whole and streamed, with system blocks and an alias', async (t) => {
  const system = [{ type: 'text' as const, text: 'Be short.', cache_control: { type: 'ephemeral' as const } }];
  const whole = await client.messages.create({ ...asked, system, metadata: { user_id: 'a' } });
  t.match(whole, { type: 'message', role: 'assistant', model, stop_reason: /^(?:end_turn|max_tokens)$/, usage: { output_tokens: Number } });
  const stream = client.messages.stream({ ...asked, model: 'claude-made', system });
  let heard = '';
  stream.on('text', (text) => { heard += text; });
  const final = await stream.finalMessage();
  t.equal(textOf(final), textOf(whole), 'the same tokens');
  t.equal(heard, textOf(whole));
  t.equal(final.usage.output_tokens, whole.usage.output_tokens);
  const { input_tokens: counted } = await client.messages.countTokens({ model, system, messages });
  t.equal(counted, whole.usage.input_tokens + (whole.usage.cache_read_input_tokens ?? 0), 'counted as it is used');
  t.equal(counted, final.usage.input_tokens + (final.usage.cache_read_input_tokens ?? 0));
});

t.test('a stop sequence', async (t) => {
  const text = textOf(await client.messages.create({ ...asked, max_tokens: 40 }));
  const [stop = ''] = /[!-~]/.exec(text) ?? [];
  t.match(await client.messages.create({ ...asked, max_tokens: 40, stop_sequences: [stop] }), { stop_reason: 'stop_sequence', stop_sequence: stop });
});

t.test('tools: called, whole and streamed, and their results', async (t) => {
  const must = { ...asked, max_tokens: 600, tools: [tool], tool_choice: { type: 'any' as const, disable_parallel_tool_use: true } };
  const whole = await client.messages.create(must);
  const call = whole.content.find((block) => block.type === 'tool_use') as Anthropic.ToolUseBlock;
  t.match([whole.stop_reason, call], ['tool_use', { name: 'turn', input: { way: /^(?:left|right)$/, fast: Boolean } }]);
  const streamed = await client.messages.stream({ ...must, tool_choice: { type: 'tool', name: 'turn' } }).finalMessage();
  t.match(streamed, { stop_reason: 'tool_use', content: [{ type: 'tool_use', name: 'turn', input: { way: /^(?:left|right)$/, fast: Boolean } }] });
  const goesOn = await client.messages.create({ ...asked, tools: [tool], messages: [...messages, { role: 'assistant', content: whole.content }, { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: [{ type: 'text', text: 'done' }] }] }] });
  t.equal(goesOn.type, 'message');
});

t.test('failures have the client\'s classes', async (t) => {
  await t.rejects(client.messages.create({ ...asked, model: 'nobody' }), Anthropic.NotFoundError);
  await t.rejects(client.messages.create({ ...asked, messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'http://x/y.png' } }] }] }), { status: 400, type: 'invalid_request_error', message: /'image' blocks are not supported/ });
  const long = await client.messages.create({ ...asked, messages: [{ role: 'user', content: 'x '.repeat(3000) }] }).catch((thrown: unknown) => thrown);
  t.ok(long instanceof Anthropic.BadRequestError && typeof long.requestID === 'string', 'with the id of the request');
  t.match(long, { message: /context/ });
});

t.test('a client that leaves ends the answer', async (t) => {
  // Nothing else keeps a model of random weights from ending at once.
  const format = { type: 'json_schema' as const, schema: { type: 'array', items: { type: 'string', minLength: 20 }, minItems: 60 } };
  for await (const { type } of await client.messages.create({ ...asked, max_tokens: 1900, output_config: { format }, stream: true })) {
    if (type !== 'content_block_delta') continue;
    t.equal(await service.metric('lectern_slot_requests{lane="chat",state="working"}'), 1);
    break;
  }
  await service.untilMetric('lectern_slot_requests{lane="chat",state="working"}', 0);
  t.match(await service.metric('lectern_slot_requests_total{lane="chat",outcome="cancelled"}'), 1);
});

t.test('models', async (t) => {
  const ids: string[] = [];
  for await (const { id, type } of client.models.list()) {
    t.equal(type, 'model');
    ids.push(id);
  }
  t.ok(ids.includes('chat') && ids.includes('claude-made'), ids.join());
  t.match(await client.models.retrieve('claude-made'), { id: 'claude-made', type: 'model' });
});
