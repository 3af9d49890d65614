// The AI SDK, `ai`, with `@ai-sdk/openai-compatible`.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { embedMany, generateObject, generateText, jsonSchema, streamText, tool } from 'ai';
import * as bench from './verbs.mjs';

const { question, toolName, objectTokens } = bench;
const provider = (apiKey = bench.key) => createOpenAICompatible({ name: 'lectern', baseURL: `${bench.url}/v1`, apiKey, supportsStructuredOutputs: true });
const asked = { prompt: question, temperature: 0, maxOutputTokens: bench.tokens, maxRetries: 0 };
const model = (name = bench.model, key = bench.key) => provider(key)(name);
const tools = { [toolName]: tool({ description: bench.toolText, inputSchema: jsonSchema(bench.parameters) }) };
const must = { tools, toolChoice: { type: 'tool', toolName }, maxOutputTokens: objectTokens };
const callsOf = (calls) => calls.map((call) => [call.toolName, call.input]);

await bench.run({
  packages: ['ai', '@ai-sdk/openai-compatible'],
  chat: async () => (await generateText({ ...asked, model: model() })).text,
  stream: async () => collect(streamText({ ...asked, model: model() }).textStream),
  tools: async () => {
    const { toolCalls, response } = await generateText({ ...asked, model: model(), ...must });
    const [call] = toolCalls;
    const result = { role: 'tool', content: [{ type: 'tool-result', toolCallId: call.toolCallId, toolName, output: { type: 'text', value: 'done' } }] };
    await generateText({ ...asked, prompt: undefined, messages: [{ role: 'user', content: question }, ...response.messages, result], model: model(), tools });
    return callsOf(toolCalls)[0];
  },
  tools_stream: async () => callsOf(await streamText({ ...asked, model: model(), ...must }).toolCalls)[0],
  auto: async (name) => callsOf((await generateText({ ...asked, model: model(name), prompt: bench.toolQuestion, tools, maxOutputTokens: objectTokens })).toolCalls),
  structure: async () => (await generateObject({ ...asked, model: model(), schema: jsonSchema(bench.schema), maxOutputTokens: objectTokens })).object,
  embed: async () => (await embedMany({ model: provider().textEmbeddingModel(bench.embedder), values: bench.texts })).embeddings,
  unknown_model: () => generateText({ ...asked, model: model(bench.unknown) }),
  bad_request: () => generateText({ ...asked, model: model(), temperature: -7 }),
  wrong_key: () => generateText({ ...asked, model: model(bench.model, bench.wrongKey) }),
  cancel: async () => {
    const stop = new AbortController();
    for await (const _ of streamText({ ...asked, model: model(), maxOutputTokens: bench.longTokens, abortSignal: stop.signal }).textStream) break;
    stop.abort();
  },
});

async function collect(stream) {
  const pieces = [];
  for await (const piece of stream) pieces.push(piece);
  return pieces;
}
