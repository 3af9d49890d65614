/** Messages as they go over the wire: the object, and the events of its stream. */
import type { Answer, AnswerChoice } from '../../chat/answer.js';
import type { CutCall, OutputPart, ToolCall } from '../../chat/conversation.js';
import { joined } from '../../chat/output/reader.js';
import { objectBegunBy } from '../../chat/tools/cut-arguments.js';
import { describeCheck } from '../schema-check.js';

type Json = Record<string, unknown>;

export interface MessageHead {
  id: string;
  model: string;
}

/** Tokens that an earlier prompt left in the KV cache are counted beside the others. */
function describeUsage(answer: Pick<Answer, 'promptTokens' | 'cachedTokens' | 'completionTokens'>): Json {
  return {
    input_tokens: answer.promptTokens - answer.cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: answer.cachedTokens,
    output_tokens: answer.completionTokens,
    service_tier: 'standard',
  };
}

function stopOf({ finishReason, stopString }: AnswerChoice): { stop_reason: string; stop_sequence: string | null } {
  const reasons = { length: 'max_tokens', toolCalls: 'tool_use', stop: stopString === null ? 'end_turn' : 'stop_sequence' };
  return { stop_reason: reasons[finishReason], stop_sequence: finishReason === 'stop' ? stopString : null };
}

/** Of a call that was cut what there is of its input. */
function describeCall(call: ToolCall | CutCall): Json {
  return { type: 'tool_use', id: call.id, name: call.name, input: typeof call.arguments === 'string' ? objectBegunBy(call.arguments) : call.arguments };
}

function describePart(part: OutputPart): Json {
  if (part.kind === 'text') return { type: 'text', text: part.text };
  if (part.kind === 'reasoning') return { type: 'thinking', thinking: part.text, signature: '' };
  return describeCall(part.call);
}

function describeMessage(head: MessageHead, content: Json[], stop: Json, usage: Json): Json {
  return { id: head.id, type: 'message', role: 'assistant', model: head.model, content, ...stop, usage };
}

export function wholeMessage(head: MessageHead, answer: Answer): Json {
  const choice = answer.choices[0] as AnswerChoice;
  return { ...describeMessage(head, joined(choice.parts).map(describePart), stopOf(choice), describeUsage(answer)), ...describeCheck(choice) };
}

/** Tells the parts of one answer as blocks with their events, in the contract's order. */
export class MessageWriter {
  #index = -1;
  #open: OutputPart['kind'] | null = null;

  constructor(private readonly head: MessageHead, private readonly send: (event: Json & { type: string }) => void) {}

  begin(promptTokens: number): void {
    const usage = describeUsage({ promptTokens, cachedTokens: 0, completionTokens: 0 });
    this.send({ type: 'message_start', message: describeMessage(this.head, [], { stop_reason: null, stop_sequence: null }, usage) });
    this.send({ type: 'ping' });
  }

  add(parts: readonly OutputPart[]): void {
    for (const part of parts) {
      if (part.kind === 'text' || part.kind === 'reasoning') this.#addText(part);
      else this.#addCall(part.call);
    }
  }

  end(answer: Answer): void {
    this.#closeBlock();
    const choice = answer.choices[0] as AnswerChoice;
    this.send({ type: 'message_delta', delta: stopOf(choice), usage: describeUsage(answer), ...describeCheck(choice) });
    this.send({ type: 'message_stop' });
  }

  #addText(part: OutputPart & { kind: 'text' | 'reasoning' }): void {
    if (this.#open !== part.kind) this.#openBlock(part.kind, describePart({ ...part, text: '' }));
    this.#delta(part.kind === 'text' ? { type: 'text_delta', text: part.text } : { type: 'thinking_delta', thinking: part.text });
  }

  #addCall(call: ToolCall | CutCall): void {
    this.#openBlock('toolCall', describeCall({ ...call, arguments: {} }));
    this.#delta({ type: 'input_json_delta', partial_json: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments) });
    this.#closeBlock();
  }

  #openBlock(kind: OutputPart['kind'], block: Json): void {
    this.#closeBlock();
    this.#index += 1;
    this.#open = kind;
    this.send({ type: 'content_block_start', index: this.#index, content_block: block });
  }

  #closeBlock(): void {
    if (this.#open === null) return;
    this.#open = null;
    this.send({ type: 'content_block_stop', index: this.#index });
  }

  #delta(delta: Json): void {
    this.send({ type: 'content_block_delta', index: this.#index, delta });
  }
}
