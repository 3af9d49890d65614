/** Chat completions as they go over the wire: whole, and in chunks. */
import { randomUUID } from 'node:crypto';
import type { Answer, AnswerChoice, AnswerTokens } from '../../chat/answer.js';
import type { CutCall, OutputPart, ToolCall } from '../../chat/conversation.js';
import type { Lease } from '../../models/types.js';
import { describeLogprobs } from '../logprobs.js';
import { describeCheck } from '../schema-check.js';

type Json = Record<string, unknown>;

export function freshId(prefix: string): string {
  return `${prefix}${randomUUID().replaceAll('-', '')}`;
}

export const finishReasons = { stop: 'stop', length: 'length', toolCalls: 'tool_calls' } as const;

export function describeUsage({ promptTokens, cachedTokens, completionTokens, reasoningTokens }: Answer): Json {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}

/** As llama.cpp's server tells them; milliseconds. */
export function describeTimings({ promptTokens, cachedTokens, completionTokens, draftTokens, acceptedTokens, prefillMs, decodeMs }: Answer): Json {
  const rates = (name: string, count: number, milliseconds: number): Json => ({
    [`${name}_n`]: count, [`${name}_ms`]: milliseconds, [`${name}_per_token_ms`]: count === 0 ? 0 : milliseconds / count, [`${name}_per_second`]: milliseconds === 0 ? 0 : count / milliseconds * 1000,
  });
  return {
    cache_n: cachedTokens, ...rates('prompt', promptTokens - cachedTokens, prefillMs), ...rates('predicted', completionTokens, decodeMs),
    ...(draftTokens === 0 ? {} : { draft_n: draftTokens, draft_n_accepted: acceptedTokens }),
  };
}

/** Of a call that was cut: what there is. */
export function argumentsText(call: ToolCall | CutCall): string {
  return typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
}

/** Of requests with `functions`, which had one call an answer and no ids. */
function describeLegacyCall(call: ToolCall | CutCall): Json {
  return { name: call.name, arguments: argumentsText(call) };
}

function finishReasonOf(head: ChatHead, { finishReason }: Pick<AnswerChoice, 'finishReason'>): string {
  return head.isLegacy && finishReason === 'toolCalls' ? 'function_call' : finishReasons[finishReason];
}

function describeCall(call: ToolCall | CutCall): Json {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: argumentsText(call) } };
}

function joined(parts: OutputPart[], kind: 'text' | 'reasoning'): string {
  return parts.map((part) => (part.kind === kind ? part.text : '')).join('');
}

export interface ChatHead {
  id: string;
  created: number;
  model: string;
  fingerprint: string;
  /** Calls are reported as `function_call`. */
  isLegacy: boolean;
}

/** For jsonPieces(). */
export function wholeCompletion(head: ChatHead, lease: Lease, answer: Answer, wantsLogprobs: boolean): Json {
  return {
    id: head.id,
    object: 'chat.completion',
    created: head.created,
    model: head.model,
    system_fingerprint: head.fingerprint,
    choices: answer.choices.map((choice, index) => wholeChoice(head, choice, index, lease, wantsLogprobs)),
    usage: describeUsage(answer),
    timings: describeTimings(answer),
  };
}

function wholeChoice(head: ChatHead, choice: AnswerChoice, index: number, lease: Lease, wantsLogprobs: boolean): Json {
  const calls = choice.parts.flatMap((part) => (part.kind === 'toolCall' || part.kind === 'cutCall' ? [part.call] : []));
  const text = joined(choice.parts, 'text');
  const reasoning = joined(choice.parts, 'reasoning');
  const message = {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning === '' ? {} : { reasoning }),
    ...(calls.length === 0 ? {} : head.isLegacy ? { function_call: describeLegacyCall(calls[0] as ToolCall) } : { tool_calls: calls.map(describeCall) }),
  };
  return { index, message, logprobs: wantsLogprobs ? { content: describeLogprobs(lease, choice.tokens), refusal: null } : null, finish_reason: finishReasonOf(head, choice), ...describeCheck(choice) };
}

/** The chunks of one stream. */
export class ChatChunks {
  readonly #calls: number[] = [];
  readonly #begun = new Set<number>();

  constructor(private readonly head: ChatHead, private readonly includeUsage: boolean) {}

  /** One chunk a part; the first of a choice tells the role. */
  parts(lease: Lease, choice: number, parts: OutputPart[], tokens: AnswerTokens): Json[] {
    const logprobs = tokens.logprobs === undefined || tokens.logprobs.length === 0 ? null : { content: [...describeLogprobs(lease, tokens)], refusal: null };
    const deltas = parts.map((part) => this.#delta(choice, part));
    // Tokens whose text is held back still tell their logprobs.
    if (deltas.length === 0 && logprobs !== null) deltas.push({});
    return deltas.map((delta, index) => this.#chunk(choice, { ...this.#role(choice), ...delta }, null, index === 0 ? logprobs : null));
  }

  end(answer: Answer): Json[] {
    const ends = answer.choices.map((one, choice) => this.#chunk(choice, this.#role(choice), finishReasonOf(this.head, one), null, describeCheck(one)));
    return this.includeUsage ? [...ends, { ...this.#envelope(), choices: [], usage: describeUsage(answer), timings: describeTimings(answer) }] : ends;
  }

  #role(choice: number): Json {
    if (this.#begun.has(choice)) return {};
    this.#begun.add(choice);
    return { role: 'assistant', content: '' };
  }

  #delta(choice: number, part: OutputPart): Json {
    if (part.kind === 'text') return { content: part.text };
    if (part.kind === 'reasoning') return { reasoning: part.text };
    const index = this.#calls[choice] ?? 0;
    this.#calls[choice] = index + 1;
    return this.head.isLegacy ? { function_call: describeLegacyCall(part.call) } : { tool_calls: [{ index, ...describeCall(part.call) }] };
  }

  #chunk(index: number, delta: Json, finishReason: string | null, logprobs: Json | null, more: Json = {}): Json {
    return { ...this.#envelope(), choices: [{ index, delta, logprobs, finish_reason: finishReason, ...more }], ...(this.includeUsage ? { usage: null } : {}) };
  }

  #envelope(): Json {
    return { id: this.head.id, object: 'chat.completion.chunk', created: this.head.created, model: this.head.model, system_fingerprint: this.head.fingerprint };
  }
}
