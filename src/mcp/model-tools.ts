/** The tools over language models: which there are, a chat, vectors of texts. */
import { z } from 'zod';
import { chat, chooseModel, embed, listModels } from '../client/language-requests.js';
import type { Service } from '../client/service.js';
import { LecternError } from '../errors.js';
import type { McpToolCall, ToolText } from './tool.js';

export async function listModelsTool(service: Service, { signal }: McpToolCall): Promise<ToolText> {
  const models = await listModels(service, signal);
  return [JSON.stringify(models.map(({ name, sizeBytes, family, parameters, quantization, contextLength, capabilities }) => ({
    name, capabilities, family, parameters, quantization, context_length: contextLength, size_bytes: sizeBytes,
  })), null, 1)];
}

const message = z.object({ role: z.enum(['system', 'user', 'assistant']), content: z.string() });

export const chatInput = {
  model: z.string().optional().describe('Name of a model as list_models tells it. Default: the first that can chat.'),
  prompt: z.string().optional().describe('What the user says. Either this or messages.'),
  messages: z.array(message).min(1).optional().describe('A whole conversation, oldest message first.'),
  system: z.string().optional().describe('With prompt: how the model should behave.'),
  temperature: z.number().min(0).max(2).optional().describe('0 is the likeliest answer; the model has a default of its own.'),
  max_tokens: z.number().int().min(1).optional().describe('Where the answer is cut.'),
  seed: z.number().int().optional().describe('The same seed and prompt give the same answer.'),
};

type ChatInput = z.infer<z.ZodObject<typeof chatInput>>;

export async function chatTool(service: Service, input: ChatInput, { signal, progress }: McpToolCall): Promise<ToolText> {
  const { prompt, messages, system } = input;
  if ((prompt === undefined) === (messages === undefined)) throw new LecternError('invalid_request', 'Give either prompt or messages.');
  if (messages !== undefined && system !== undefined) throw new LecternError('invalid_request', 'system goes with prompt; in messages it is a message of its own.');
  const model = await chooseModel(service, input.model, 'completion', signal);
  let pieces = 0;
  const { text, finishReason } = await chat(service, {
    model,
    messages: messages ?? [...(system === undefined ? [] : [{ role: 'system' as const, content: system }]), { role: 'user', content: prompt as string }],
    temperature: input.temperature,
    maxTokens: input.max_tokens,
    seed: input.seed,
    signal,
    onText: () => progress?.(++pieces, undefined, `${model} writes`),
  });
  return finishReason === 'length' ? [text, 'The answer was cut at its greatest length.'] : [text];
}

export const embedInput = {
  model: z.string().optional().describe('Name of a model as list_models tells it. Default: the first that can embed.'),
  input: z.union([z.string(), z.array(z.string()).min(1).max(256)], { error: 'must be a text or a list of up to 256 texts' }).describe('A text or a list of them; each becomes one vector of length 1.'),
};

export async function embedTool(service: Service, { model, input }: z.infer<z.ZodObject<typeof embedInput>>, { signal }: McpToolCall): Promise<ToolText> {
  const chosen = await chooseModel(service, model, 'embedding', signal);
  return [JSON.stringify({ model: chosen, embeddings: await embed(service, chosen, [input].flat(), signal) })];
}
