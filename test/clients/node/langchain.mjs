// LangChain's chat models: `langchain.mjs openai`, `ollama` or `anthropic`.
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import * as bench from './verbs.mjs';

const kind = process.argv[2];
const { url, question, tool, toolName, objectTokens } = bench;
const bearer = (key) => ({ authorization: `Bearer ${key}` });

async function modelWith({ model = bench.model, key = bench.key, tokens = bench.tokens, temperature = 0 } = {}) {
  if (kind === 'openai') {
    const { ChatOpenAI } = await import('@langchain/openai');
    return new ChatOpenAI({ model, temperature, maxTokens: tokens, maxRetries: 0, apiKey: key, configuration: { baseURL: `${url}/v1` } });
  }
  if (kind === 'anthropic') {
    const { ChatAnthropic } = await import('@langchain/anthropic');
    return new ChatAnthropic({ model, temperature, maxTokens: tokens, maxRetries: 0, apiKey: key, anthropicApiUrl: url });
  }
  const { ChatOllama } = await import('@langchain/ollama');
  return new ChatOllama({ model, temperature, numPredict: tokens, maxRetries: 0, baseUrl: url, headers: bearer(key) });
}

const none = 'the package has no tool_choice';
const callsOf = (message) => (message.tool_calls ?? []).map(({ name, args }) => [name, args]);
const bound = async () => (await modelWith({ tokens: objectTokens })).bindTools([tool], { tool_choice: toolName });

await bench.run({
  packages: ['@langchain/core', `@langchain/${kind}`],
  lacks: kind === 'ollama' ? { tools: none, tools_stream: none } : kind === 'anthropic' ? { embed: 'not of this interface' } : {},
  chat: async () => (await (await modelWith()).invoke(question)).text,
  stream: async () => {
    const pieces = [];
    for await (const chunk of await (await modelWith()).stream(question)) if (chunk.text) pieces.push(chunk.text);
    return pieces;
  },
  tools: async () => {
    const message = await (await bound()).invoke(question);
    await (await modelWith()).bindTools([tool]).invoke([new HumanMessage(question), message, new ToolMessage({ content: 'done', tool_call_id: message.tool_calls[0].id })]);
    return callsOf(message)[0];
  },
  tools_stream: async () => {
    let whole;
    for await (const chunk of await (await bound()).stream(question)) whole = whole === undefined ? chunk : whole.concat(chunk);
    return callsOf(whole)[0];
  },
  auto: async (model) => callsOf(await (await modelWith({ model, tokens: objectTokens })).bindTools([tool]).invoke(bench.toolQuestion)),
  // For Anthropic the package moves enum into a description when it sends a schema, and keeps it in a tool.
  structure: async () => (await modelWith({ tokens: objectTokens })).withStructuredOutput(bench.schema, { name: 'lamp', ...(kind === 'anthropic' ? {} : { method: 'jsonSchema' }) }).invoke(question),
  embed: async () => {
    if (kind === 'openai') {
      const { OpenAIEmbeddings } = await import('@langchain/openai');
      return new OpenAIEmbeddings({ model: bench.embedder, apiKey: bench.key, configuration: { baseURL: `${url}/v1` } }).embedDocuments(bench.texts);
    }
    const { OllamaEmbeddings } = await import('@langchain/ollama');
    return new OllamaEmbeddings({ model: bench.embedder, baseUrl: url, headers: bearer(bench.key) }).embedDocuments(bench.texts);
  },
  unknown_model: async () => (await modelWith({ model: bench.unknown })).invoke(question),
  bad_request: async () => (await modelWith({ temperature: -7 })).invoke(question),
  wrong_key: async () => (await modelWith({ key: bench.wrongKey })).invoke(question),
  cancel: async () => {
    const chat = await modelWith({ tokens: bench.longTokens });
    for await (const chunk of await chat.stream(question)) if (chunk.text) break;
    // ChatOllama leaves its connection open when the loop is left, and when its signal is aborted.
    if (kind === 'ollama') chat.client.abort();
  },
});
