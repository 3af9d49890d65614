/** Responses as they go over the wire: the object, and the events of its stream. */
import type { Answer } from '../../chat/answer.js';
import type { CutCall, OutputPart, ToolCall } from '../../chat/conversation.js';
import { objectBegunBy } from '../../chat/tools/cut-arguments.js';
import { describeCheck } from '../schema-check.js';
import { argumentsText, freshId } from './chat-shape.js';
import { type CalledTool, customInput } from './responses-tools.js';

type Json = Record<string, unknown>;

/** One item of the output; it grows while the answer is written. */
interface Item {
  kind: OutputPart['kind'];
  id: string;
  text: string;
  call?: { id: string; tool: CalledTool; arguments: string };
}

export interface ResponseHead {
  id: string;
  createdAt: number;
  model: string;
  echo: Json;
  /** Tools by the names that the model knows. */
  called: ReadonlyMap<string, CalledTool>;
  /** Thoughts also in a field that clients send back unread. */
  wantsEncrypted: boolean;
  /** Whether the response is kept when it ends. */
  store: boolean;
}

function describeItem(item: Item, status: 'in_progress' | 'completed' | 'incomplete', wantsEncrypted: boolean): Json {
  const isBegun = status === 'in_progress';
  if (item.kind === 'text') {
    const content = isBegun ? [] : [outputText(item.text)];
    return { type: 'message', id: item.id, status, role: 'assistant', content };
  }
  if (item.kind === 'reasoning') {
    // No secret is kept from the client here: clients that hold no state want something to send back.
    const encrypted = wantsEncrypted ? { encrypted_content: isBegun ? '' : Buffer.from(item.text).toString('base64') } : {};
    return { type: 'reasoning', id: item.id, summary: isBegun ? [] : [{ type: 'summary_text', text: item.text }], ...encrypted };
  }
  const { id: callId, tool, arguments: written } = item.call as NonNullable<Item['call']>;
  const named = { call_id: callId, name: tool.name, ...(tool.namespace === undefined ? {} : { namespace: tool.namespace }) };
  if (tool.kind === 'custom') return { type: 'custom_tool_call', id: item.id, status, ...named, input: isBegun ? '' : written };
  return { type: 'function_call', id: item.id, status, ...named, arguments: isBegun ? '' : written };
}

/** The one text of a custom tool's call. */
function inputOf(call: ToolCall | CutCall): string {
  const given = typeof call.arguments === 'string' ? objectBegunBy(call.arguments) : call.arguments;
  return String(given[customInput] ?? '');
}

function outputText(text: string): Json {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

/** Collects the parts of one answer into items, and tells each change as events. */
export class ResponseWriter {
  readonly #items: Item[] = [];
  #sequence = 0;
  #open = false;

  constructor(private readonly head: ResponseHead, private readonly send: (event: Json & { type: string }) => void) {}

  begin(): void {
    const response = this.#describe('in_progress', [], null);
    this.#event('response.created', { response });
    this.#event('response.in_progress', { response });
  }

  add(parts: OutputPart[]): void {
    for (const part of parts) {
      if (part.kind === 'text' || part.kind === 'reasoning') this.#addText(part);
      else this.#addCall(part.call, part.kind === 'cutCall' ? 'incomplete' : 'completed');
    }
  }

  /** The whole object. */
  finish(answer: Answer): Json {
    this.#closeItem(answer.choices[0]?.finishReason === 'length' ? 'incomplete' : 'completed');
    const cut = answer.choices[0]?.finishReason === 'length';
    const output = this.#items.map((item, index) => describeItem(item, cut && index === this.#items.length - 1 ? 'incomplete' : 'completed', this.head.wantsEncrypted));
    return this.#describe(cut ? 'incomplete' : 'completed', output, answer);
  }

  /** The last event, with the object. */
  end(response: Json): void {
    this.#event(response['status'] === 'incomplete' ? 'response.incomplete' : 'response.completed', { response });
  }

  fail(message: string, code: string): void {
    this.#event('response.failed', { response: { ...this.#describe('failed', [], null), error: { code, message } } });
  }

  #addCall(call: ToolCall | CutCall, status: 'completed' | 'incomplete'): void {
    this.#closeItem('completed');
    const tool = this.head.called.get(call.name) ?? { kind: 'function', name: call.name };
    const written = tool.kind === 'custom' ? inputOf(call) : argumentsText(call);
    const item = this.#openItem({ kind: 'toolCall', id: freshId(tool.kind === 'custom' ? 'ctc_' : 'fc_'), text: '', call: { id: call.id, tool, arguments: written } });
    const place = { item_id: item.id, output_index: this.#items.length - 1 };
    if (tool.kind === 'custom') {
      this.#event('response.custom_tool_call_input.delta', { ...place, delta: written });
      this.#event('response.custom_tool_call_input.done', { ...place, input: written });
    } else {
      this.#event('response.function_call_arguments.delta', { ...place, delta: written });
      this.#event('response.function_call_arguments.done', { ...place, name: tool.name, arguments: written });
    }
    this.#closeItem(status);
  }

  #addText({ kind, text }: OutputPart & { kind: 'text' | 'reasoning' }): void {
    const last = this.#items.at(-1);
    if (!this.#open || last?.kind !== kind) {
      this.#closeItem('completed');
      const item = this.#openItem({ kind, id: freshId(kind === 'text' ? 'msg_' : 'rs_'), text: '' });
      this.#event(...this.#partEvent(item, 'added', ''));
    }
    const item = this.#items.at(-1) as Item;
    item.text += text;
    const index = this.#items.length - 1;
    if (kind === 'text') this.#event('response.output_text.delta', { item_id: item.id, output_index: index, content_index: 0, delta: text, logprobs: [] });
    else this.#event('response.reasoning_summary_text.delta', { item_id: item.id, output_index: index, summary_index: 0, delta: text });
  }

  #openItem(item: Item): Item {
    this.#items.push(item);
    this.#open = true;
    this.#event('response.output_item.added', { output_index: this.#items.length - 1, item: describeItem(item, 'in_progress', this.head.wantsEncrypted) });
    return item;
  }

  #closeItem(status: 'completed' | 'incomplete'): void {
    const item = this.#items.at(-1);
    if (!this.#open || item === undefined) return;
    this.#open = false;
    const index = this.#items.length - 1;
    if (item.kind === 'text') this.#event('response.output_text.done', { item_id: item.id, output_index: index, content_index: 0, text: item.text, logprobs: [] });
    if (item.kind === 'reasoning') this.#event('response.reasoning_summary_text.done', { item_id: item.id, output_index: index, summary_index: 0, text: item.text });
    if (item.kind !== 'toolCall') this.#event(...this.#partEvent(item, 'done', item.text));
    this.#event('response.output_item.done', { output_index: index, item: describeItem(item, status, this.head.wantsEncrypted) });
  }

  #partEvent(item: Item, what: 'added' | 'done', text: string): [string, Json] {
    const place = { item_id: item.id, output_index: this.#items.length - 1 };
    return item.kind === 'text'
      ? [`response.content_part.${what}`, { ...place, content_index: 0, part: outputText(text) }]
      : [`response.reasoning_summary_part.${what}`, { ...place, summary_index: 0, part: { type: 'summary_text', text } }];
  }

  #event(type: string, fields: Json): void {
    this.send({ type, sequence_number: this.#sequence++, ...fields });
  }

  #describe(status: string, output: Json[], answer: Answer | null): Json {
    const usage = answer === null ? null : {
      input_tokens: answer.promptTokens,
      input_tokens_details: { cached_tokens: answer.cachedTokens },
      output_tokens: answer.completionTokens,
      output_tokens_details: { reasoning_tokens: answer.reasoningTokens },
      total_tokens: answer.promptTokens + answer.completionTokens,
    };
    return {
      id: this.head.id,
      object: 'response',
      created_at: this.head.createdAt,
      status,
      error: null,
      incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
      model: this.head.model,
      output,
      store: this.head.store,
      usage,
      ...describeCheck(answer?.choices[0]),
      // Never silently: fields of the service's own, as on /api/chat.
      ...(answer !== null && answer.droppedMessages > 0 ? { prompt_truncated: true, dropped_messages: answer.droppedMessages } : {}),
      ...this.head.echo,
    };
  }
}
