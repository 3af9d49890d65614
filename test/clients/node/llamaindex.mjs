// LlamaIndex for JavaScript: `llamaindex.mjs openai` or `ollama`.
import * as bench from './verbs.mjs';

const kind = process.argv[2];
const { url, question, toolName, objectTokens } = bench;
const { OpenAI, OpenAIEmbedding } = kind === 'openai' ? await import('@llamaindex/openai') : {};
const { Ollama, OllamaEmbedding } = kind === 'ollama' ? await import('@llamaindex/ollama') : {};
const config = (key) => ({ host: url, headers: { authorization: `Bearer ${key}` } });

function llm({ model = bench.model, key = bench.key, tokens = bench.tokens, temperature = 0, more = {}, session = {} } = {}) {
  if (kind === 'openai') return new OpenAI({ model, apiKey: key, baseURL: `${url}/v1`, temperature, maxTokens: tokens, maxRetries: 0, supportToolCall: true, additionalChatOptions: more, additionalSessionOptions: session });
  return new Ollama({ model, config: config(key), options: { temperature, num_predict: tokens } });
}

const messages = [{ role: 'user', content: question }];
const tools = [{ metadata: { name: toolName, description: bench.toolText, parameters: bench.parameters }, call: () => 'done' }];
const callsOf = ({ message }) => (message.options?.toolCall ?? []).map(({ name, input }) => [name, input]);
const none = 'the package has no tool_choice';
const must = { tool_choice: { type: 'function', function: { name: toolName } } };

await bench.run({
  packages: [`@llamaindex/${kind}`],
  lacks: kind === 'ollama' ? { tools: none, tools_stream: none, structure: 'the package passes no schema' } : {},
  chat: async () => (await llm().chat({ messages })).message.content,
  stream: async () => {
    const pieces = [];
    for await (const { delta } of await llm().chat({ messages, stream: true })) if (delta) pieces.push(delta);
    return pieces;
  },
  tools: async () => callsOf(await llm({ tokens: objectTokens, more: must }).chat({ messages, tools }))[0],
  tools_stream: async () => {
    let call;
    for await (const { options } of await llm({ tokens: objectTokens, more: must }).chat({ messages, tools, stream: true })) call = options?.toolCall?.[0] ?? call;
    return [call.name, call.input];
  },
  auto: async (model) => callsOf(await llm({ model, tokens: objectTokens }).chat({ messages: [{ role: 'user', content: bench.toolQuestion }], tools })),
  structure: async () => (await llm({ tokens: objectTokens, more: { response_format: { type: 'json_schema', json_schema: { name: 'lamp', strict: true, schema: bench.schema } } } }).chat({ messages })).message.content,
  embed: async () => (kind === 'openai'
    ? new OpenAIEmbedding({ model: bench.embedder, apiKey: bench.key, baseURL: `${url}/v1` }).getTextEmbeddings(bench.texts)
    : Promise.all(bench.texts.map((text) => new OllamaEmbedding({ model: bench.embedder, config: config(bench.key) }).getTextEmbedding(text)))),
  unknown_model: () => llm({ model: bench.unknown }).chat({ messages }),
  bad_request: () => llm({ temperature: -7 }).chat({ messages }),
  wrong_key: () => llm({ key: bench.wrongKey }).chat({ messages }),
  cancel: async () => {
    // Both leave their connections open when the loop is left.
    const stop = new AbortController();
    const chat = llm({ tokens: bench.longTokens, session: { fetch: (to, options) => fetch(to, { ...options, signal: stop.signal }) } });
    for await (const _ of await chat.chat({ messages, stream: true })) break;
    if (kind === 'openai') stop.abort();
    else chat.ollama.abort();
  },
});
