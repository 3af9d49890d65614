// The package `ollama`.
import { Ollama } from 'ollama';
import * as bench from './verbs.mjs';

const { model, tool, objectTokens } = bench;
const clientWith = (key) => new Ollama({ host: bench.url, headers: { authorization: `Bearer ${key}` } });
const client = clientWith(bench.key);
const messages = [{ role: 'user', content: bench.question }];
const create = (more = {}, count = bench.tokens, api = client) => api.chat({ model, messages, options: { temperature: 0, num_predict: count }, ...more });
const none = 'the package has no tool_choice';

await bench.run({
  packages: ['ollama'],
  lacks: { tools: none, tools_stream: none },
  chat: async () => (await create()).message.content,
  stream: async () => {
    const pieces = [];
    for await (const { message } of await create({ stream: true })) if (message.content) pieces.push(message.content);
    return pieces;
  },
  auto: async (name) => {
    const { message } = await create({ model: name, messages: [{ role: 'user', content: bench.toolQuestion }], tools: [tool] }, objectTokens);
    const [call] = message.tool_calls ?? [];
    if (call !== undefined) await create({ model: name, messages: [...messages, message, { role: 'tool', tool_name: call.function.name, content: 'done' }], tools: [tool] });
    return (message.tool_calls ?? []).map((one) => [one.function.name, one.function.arguments]);
  },
  structure: async () => (await create({ format: bench.schema }, objectTokens)).message.content,
  embed: async () => (await client.embed({ model: bench.embedder, input: bench.texts })).embeddings,
  unknown_model: () => create({ model: bench.unknown }),
  bad_request: () => create({ format: { type: 'no-such-type' } }),
  wrong_key: () => create({}, bench.tokens, clientWith(bench.wrongKey)),
  cancel: async () => {
    const stream = await create({ stream: true }, bench.longTokens);
    for await (const _ of stream) break;
    // The end of the loop alone leaves the connection open.
    stream.abort();
  },
});
