/** One answer of a model as it is generated, by OpenAI's contract. */
import { ask } from '../lib/api.js';

export type Content = string | ({ type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } })[];

export interface WireMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: Content;
}

export interface Sampling {
  temperature?: number;
  top_p?: number;
  top_k?: number;
  min_p?: number;
  repeat_penalty?: number;
  max_tokens?: number;
  seed?: number;
}

export interface Call { name: string; arguments: string }

export interface Stats {
  promptTokens: number;
  cachedTokens: number;
  tokens: number;
  /** Milliseconds from the request to the first text, the queue included. */
  firstMs: number;
  /** Tokens a second behind the first one; of the whole answer where all of it came at once. */
  perSecond: number;
}

export interface Listener {
  onText: (text: string) => void;
  onThought: (text: string) => void;
  onCall: (call: Call) => void;
  /** 0: it has its slot. */
  onPosition: (position: number) => void;
}

interface Chunk {
  choices?: { delta?: { content?: string; reasoning?: string; tool_calls?: { function: Call }[] }; finish_reason?: string | null }[];
  usage?: { prompt_tokens: number; completion_tokens: number; prompt_tokens_details?: { cached_tokens: number } } | null;
  error?: { message: string };
}

/** Resolves at the end; `cut` says that the answer reached its limit of tokens. Throws ServiceError, and an AbortError when it is stopped. */
export async function streamAnswer(model: string, messages: WireMessage[], sampling: Sampling, listener: Listener, signal: AbortSignal): Promise<{ stats: Stats; cut: boolean }> {
  const began = performance.now();
  let firstAt = 0;
  let lastAt = began;
  let usage: Chunk['usage'];
  let cut = false;
  const response = await ask('v1/chat/completions', { json: { model, messages, stream: true, stream_options: { include_usage: true }, ...sampling }, signal });
  listener.onPosition(Number(response.headers.get('x-queue-position') ?? 0));
  for await (const line of linesOf(response)) {
    const position = /^: queue-position (\d+)$/.exec(line);
    if (position !== null) listener.onPosition(Number(position[1]));
    if (!line.startsWith('data: ') || line === 'data: [DONE]') continue;
    const chunk = JSON.parse(line.slice(6)) as Chunk;
    if (chunk.error !== undefined) throw new Error(chunk.error.message);
    usage = chunk.usage ?? usage;
    const [choice] = chunk.choices ?? [];
    const { content = '', reasoning = '', tool_calls: calls = [] } = choice?.delta ?? {};
    if (choice?.finish_reason === 'length') cut = true;
    if (content === '' && reasoning === '' && calls.length === 0) continue;
    lastAt = performance.now();
    if (firstAt === 0) firstAt = lastAt;
    listener.onPosition(0);
    if (reasoning !== '') listener.onThought(reasoning);
    if (content !== '') listener.onText(content);
    for (const { function: call } of calls) listener.onCall(call);
  }
  const tokens = usage?.completion_tokens ?? 0;
  const seconds = (lastAt - firstAt) / 1000;
  return { cut, stats: { promptTokens: usage?.prompt_tokens ?? 0, cachedTokens: usage?.prompt_tokens_details?.cached_tokens ?? 0, tokens, firstMs: (firstAt || lastAt) - began, perSecond: seconds > 0 ? (tokens - 1) / seconds : tokens / Math.max(0.001, (lastAt - began) / 1000) } };
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  const reader = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
