// The package `@anthropic-ai/sdk`.
import Anthropic from '@anthropic-ai/sdk';
import * as bench from './verbs.mjs';

const { model, toolName, objectTokens } = bench;
const clientWith = (apiKey) => new Anthropic({ baseURL: bench.url, apiKey, maxRetries: 0 });
const client = clientWith(bench.key);
const messages = [{ role: 'user', content: bench.question }];
const tools = [{ name: toolName, description: bench.toolText, input_schema: bench.parameters }];
const asked = { model, messages, max_tokens: bench.tokens, temperature: 0 };
const must = { tools, tool_choice: { type: 'tool', name: toolName }, max_tokens: objectTokens };
const create = (more = {}, api = client) => api.messages.create({ ...asked, ...more });
const callsOf = ({ content }) => content.filter(({ type }) => type === 'tool_use').map(({ name, input }) => [name, input]);

await bench.run({
  packages: ['@anthropic-ai/sdk'],
  lacks: { embed: 'not of this interface' },
  chat: async () => (await create()).content[0].text,
  stream: async () => {
    const pieces = [];
    await client.messages.stream(asked).on('text', (text) => pieces.push(text)).finalMessage();
    return pieces;
  },
  tools: async () => {
    const first = await create(must);
    const call = first.content.find(({ type }) => type === 'tool_use');
    await create({ messages: [...messages, { role: 'assistant', content: first.content }, { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: 'done' }] }], tools });
    return [call.name, call.input];
  },
  tools_stream: async () => callsOf(await client.messages.stream({ ...asked, ...must }).finalMessage())[0],
  auto: async (name) => callsOf(await create({ model: name, messages: [{ role: 'user', content: bench.toolQuestion }], tools, max_tokens: objectTokens })),
  structure: async () => (await create({ output_config: { format: { type: 'json_schema', schema: bench.schema } }, max_tokens: objectTokens })).content[0].text,
  unknown_model: () => create({ model: bench.unknown }),
  bad_request: () => create({ messages: [] }),
  wrong_key: () => create({}, clientWith(bench.wrongKey)),
  cancel: async () => {
    for await (const { type } of await create({ stream: true, max_tokens: bench.longTokens })) if (type === 'content_block_delta') break;
  },
});
