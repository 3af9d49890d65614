/** Language models of a running service: which there are, a chat as it is written, vectors of texts. */
import { LecternError } from '../errors.js';
import type { Service } from './service.js';

export interface ServedModel {
  name: string;
  digest: string;
  sizeBytes: number;
  family: string;
  parameters: string;
  quantization: string;
  contextLength: number | null;
  capabilities: string[];
}

interface Tags {
  models: {
    name: string; digest: string; size: number; capabilities?: string[];
    details?: { family?: string; parameter_size?: string; quantization_level?: string; context_length?: number };
  }[];
}

/** Latest first. */
export async function listModels(service: Service, signal?: AbortSignal): Promise<ServedModel[]> {
  const { models } = await service.json<Tags>('api/tags', signal === undefined ? {} : { signal });
  return models.map(({ name, digest, size, details, capabilities }) => ({
    name,
    digest,
    sizeBytes: size,
    family: details?.family ?? '',
    parameters: details?.parameter_size ?? '',
    quantization: details?.quantization_level ?? '',
    contextLength: details?.context_length ?? null,
    capabilities: capabilities ?? [],
  }));
}

/** Ships with every service and knows only that: a model that the user installed goes before it. */
const lastChoice = 'lectern-demo';

/** The named model as it is, else the latest that can do it. Throws `model_not_found` when there is none. */
export async function chooseModel(service: Service, name: string | undefined, capability: 'completion' | 'embedding', signal?: AbortSignal): Promise<string> {
  if (name !== undefined) return name;
  const able = (await listModels(service, signal)).filter(({ capabilities }) => capabilities.includes(capability));
  const last = able.find((model) => model.name.replace(/:latest$/, '') === lastChoice);
  // Under another name it is the same model.
  const found = able.find(({ digest }) => digest !== last?.digest) ?? able[0];
  if (found === undefined) throw new LecternError('model_not_found', `The service at ${service.address} has no model that can ${capability === 'completion' ? 'chat' : 'embed'}.`);
  return found.name;
}

/** Throws ServiceRefusal where the service has no such model, and `invalid_request` for one that cannot do it. */
export async function requireModel(service: Service, name: string, capability: 'completion' | 'embedding', signal?: AbortSignal): Promise<void> {
  const ask = signal === undefined ? {} : { signal };
  if (name.split('/').some((part) => part === '.' || part === '..')) throw new LecternError('invalid_request', `"${name}" is no name of a model.`);
  await service.json(`v1/models/${name.split('/').map(encodeURIComponent).join('/')}`, ask);
  const { capabilities } = await service.json<{ capabilities?: string[] }>('api/show', { method: 'POST', json: { model: name }, ...ask });
  if (capabilities !== undefined && !capabilities.includes(capability)) throw new LecternError('invalid_request', `The model "${name}" cannot ${capability === 'completion' ? 'chat' : 'embed'}.`);
}

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface ChatCall {
  model: string;
  messages: ChatMessage[];
  temperature?: number | undefined;
  maxTokens?: number | undefined;
  seed?: number | undefined;
  signal?: AbortSignal;
  onText?: (text: string) => void;
}

export interface ChatReply {
  text: string;
  /** `stop`, or `length` where the answer was cut. */
  finishReason: string;
  promptTokens: number;
  completionTokens: number;
}

interface StreamedChunk {
  error?: { message?: string };
  choices?: { delta?: { content?: string | null }; finish_reason?: string | null }[];
  usage?: { prompt_tokens: number; completion_tokens: number } | null;
}

/** Streams, so that no proxy takes a long answer for a dead connection. Aborting ends the answer in the service too. */
export async function chat(service: Service, call: ChatCall): Promise<ChatReply> {
  const { model, messages, temperature, maxTokens, seed, signal, onText } = call;
  const response = await service.send('v1/chat/completions', {
    method: 'POST',
    json: { model, messages, temperature, max_tokens: maxTokens, seed, stream: true, stream_options: { include_usage: true } },
    ...(signal === undefined ? {} : { signal }),
  });
  const reply: ChatReply = { text: '', finishReason: '', promptTokens: 0, completionTokens: 0 };
  try {
    for await (const data of eventsOf(response)) {
      if (data === '[DONE]') break;
      const chunk = JSON.parse(data) as StreamedChunk;
      if (chunk.error !== undefined) throw new LecternError('internal', chunk.error.message);
      const [choice] = chunk.choices ?? [];
      const text = choice?.delta?.content ?? '';
      reply.text += text;
      if (text !== '') onText?.(text);
      if (choice?.finish_reason) reply.finishReason = choice.finish_reason;
      if (chunk.usage) Object.assign(reply, { promptTokens: chunk.usage.prompt_tokens, completionTokens: chunk.usage.completion_tokens });
    }
  } catch (thrown) {
    throw thrown instanceof LecternError ? thrown : service.broken(thrown, signal);
  }
  if (reply.finishReason === '') throw service.broken(new Error('the answer broke off'), signal);
  return reply;
}

/** The data of server-sent events; comments are passed over. */
async function* eventsOf(response: Response): AsyncGenerator<string> {
  if (response.body === null) return;
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of response.body) {
    const events = (rest + decoder.decode(bytes as Uint8Array, { stream: true })).split('\n\n');
    rest = events.pop() as string;
    for (const event of events) {
      const data = event.split('\n').filter((line) => line.startsWith('data:')).map((line) => line.slice(5).replace(/^ /, ''));
      if (data.length > 0) yield data.join('\n');
    }
  }
}

/** One vector a text, in order. */
export async function embed(service: Service, model: string, input: string[], signal?: AbortSignal): Promise<number[][]> {
  const { embeddings } = await service.json<{ embeddings: number[][] }>('api/embed', {
    method: 'POST', json: { model, input }, ...(signal === undefined ? {} : { signal }),
  });
  return embeddings;
}
