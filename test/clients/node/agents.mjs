// The package `@openai/agents`: `agents.mjs chat` or `responses`.
import { Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, setTracingDisabled, tool } from '@openai/agents';
import OpenAI from 'openai';
import { z } from 'zod';
import * as bench from './verbs.mjs';

const isChat = process.argv[2] === 'chat';
const { question, toolName, objectTokens } = bench;
setTracingDisabled(true);
const runner = new Runner({ tracingDisabled: true });
const called = [];
const setLamp = tool({
  name: toolName, description: bench.toolText, parameters: z.object({ room: z.enum(['kitchen', 'hall']), on: z.boolean() }),
  execute: (input) => {
    called.push([toolName, input]);
    return 'done';
  },
});

function agent({ model = bench.model, key = bench.key, tokens = bench.tokens, settings = {}, ...more } = {}) {
  const client = new OpenAI({ baseURL: `${bench.url}/v1`, apiKey: key, maxRetries: 0 });
  const Model = isChat ? OpenAIChatCompletionsModel : OpenAIResponsesModel;
  return new Agent({ name: 'bench', model: new Model(client, model), modelSettings: { temperature: 0, maxTokens: tokens, ...settings }, ...more });
}

const run = async (options, asked = question) => (await runner.run(agent(options), asked)).finalOutput;
const forced = () => {
  called.length = 0;
  return agent({ tokens: objectTokens, settings: { toolChoice: toolName }, tools: [setLamp], toolUseBehavior: 'stop_on_first_tool' });
};

await bench.run({
  packages: ['@openai/agents'],
  lacks: { embed: 'agents do not embed' },
  // By the model that ends: the package takes an answer that is cut at its limit for a failure of the responses interface.
  chat: () => run({ model: bench.ending }),
  stream: async () => {
    const pieces = [];
    for await (const text of (await runner.run(agent({ model: bench.ending }), question, { stream: true })).toTextStream()) pieces.push(text);
    return pieces;
  },
  tools: async () => {
    await runner.run(forced(), question);
    return called[0];
  },
  tools_stream: async () => {
    const result = await runner.run(forced(), question, { stream: true });
    for await (const _ of result);
    await result.completed;
    return called[0];
  },
  auto: async (model) => {
    called.length = 0;
    // The loop goes on after the call, and what so small a model does then is not judged.
    await runner.run(agent({ model, tokens: objectTokens, tools: [setLamp] }), bench.toolQuestion, { maxTurns: 2 }).catch((error) => {
      if (called.length === 0) throw error;
    });
    return called;
  },
  structure: () => run({ tokens: objectTokens, outputType: z.object({ colour: z.enum(['red', 'green', 'blue']), bright: z.boolean() }) }),
  unknown_model: () => run({ model: bench.unknown }),
  bad_request: () => run({ settings: { temperature: -7 } }),
  wrong_key: () => run({ key: bench.wrongKey }),
  cancel: async () => {
    const stop = new AbortController();
    const result = await runner.run(agent({ tokens: bench.longTokens }), question, { stream: true, signal: stop.signal });
    for await (const _ of result.toTextStream()) break;
    stop.abort();
    await result.completed.catch(() => undefined);
  },
});
