// The package `openai`: chat completions, embeddings, and with the word `responses` its responses.
import OpenAI from 'openai';
import * as bench from './verbs.mjs';

const { model, tool, toolName, question, objectTokens } = bench;
const clientWith = (apiKey) => new OpenAI({ baseURL: `${bench.url}/v1`, apiKey, maxRetries: 0 });
const client = clientWith(bench.key);
const messages = [{ role: 'user', content: question }];
const choice = { tools: [tool], tool_choice: { type: 'function', function: { name: toolName } }, max_tokens: objectTokens };
const create = (more = {}, api = client) => api.chat.completions.create({ model, messages, temperature: 0, max_tokens: bench.tokens, ...more });
const callsOf = (completion) => (completion.choices[0].message.tool_calls ?? []).map((call) => [call.function.name, call.function.arguments]);

const chat = {
  packages: ['openai'],
  chat: async () => (await create()).choices[0].message.content,
  stream: async () => {
    const pieces = [];
    for await (const chunk of await create({ stream: true })) if (chunk.choices[0]?.delta.content) pieces.push(chunk.choices[0].delta.content);
    return pieces;
  },
  tools: async () => {
    const first = await create(choice);
    const { message } = first.choices[0];
    await create({ messages: [...messages, message, { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'done' }], tools: [tool], tool_choice: 'none' });
    return callsOf(first)[0];
  },
  tools_stream: async () => callsOf(await client.chat.completions.stream({ model, messages, temperature: 0, ...choice }).finalChatCompletion())[0],
  auto: async (name) => callsOf(await create({ model: name, messages: [{ role: 'user', content: bench.toolQuestion }], tools: [tool], max_tokens: objectTokens })),
  structure: async () => (await create({ response_format: { type: 'json_schema', json_schema: { name: 'lamp', strict: true, schema: bench.schema } }, max_tokens: objectTokens })).choices[0].message.content,
  embed: async () => (await client.embeddings.create({ model: bench.embedder, input: bench.texts })).data.map(({ embedding }) => embedding),
  unknown_model: () => create({ model: bench.unknown }),
  bad_request: () => create({ messages: [] }),
  wrong_key: () => create({}, clientWith(bench.wrongKey)),
  cancel: async () => {
    for await (const _ of await create({ stream: true, max_tokens: bench.longTokens })) break;
  },
};

const responseTool = { type: 'function', name: toolName, description: bench.toolText, parameters: bench.parameters, strict: true };
const respond = (more = {}, api = client) => api.responses.create({ model, input: question, temperature: 0, max_output_tokens: bench.tokens, ...more });
const must = { tools: [responseTool], tool_choice: { type: 'function', name: toolName }, max_output_tokens: objectTokens };
const itemsOf = ({ output }) => output.filter(({ type }) => type === 'function_call').map((call) => [call.name, call.arguments]);

const responses = {
  packages: ['openai'],
  lacks: { embed: 'not of this interface' },
  chat: async () => (await respond()).output_text,
  stream: async () => {
    const pieces = [];
    for await (const event of await respond({ stream: true })) if (event.type === 'response.output_text.delta') pieces.push(event.delta);
    return pieces;
  },
  tools: async () => {
    const first = await respond(must);
    const call = first.output.find(({ type }) => type === 'function_call');
    await respond({ previous_response_id: first.id, input: [{ type: 'function_call_output', call_id: call.call_id, output: 'done' }], tools: [responseTool], tool_choice: 'none' });
    return [call.name, call.arguments];
  },
  tools_stream: async () => itemsOf(await client.responses.stream({ model, input: question, ...must }).finalResponse())[0],
  auto: async (name) => itemsOf(await respond({ model: name, input: bench.toolQuestion, tools: [responseTool], max_output_tokens: objectTokens })),
  structure: async () => (await respond({ text: { format: { type: 'json_schema', name: 'lamp', strict: true, schema: bench.schema } }, max_output_tokens: objectTokens })).output_text,
  unknown_model: () => respond({ model: bench.unknown }),
  bad_request: () => respond({ max_output_tokens: -7 }),
  wrong_key: () => respond({}, clientWith(bench.wrongKey)),
  cancel: async () => {
    for await (const event of await respond({ stream: true, max_output_tokens: bench.longTokens })) if (event.type === 'response.output_text.delta') break;
  },
};

await bench.run(process.argv[2] === 'responses' ? responses : chat);
