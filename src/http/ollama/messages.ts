/** Ollama's messages and tools as the conversation of src/chat. */
import { randomInt } from 'node:crypto';
import type { Message, OutputPart, Tool, ToolCall } from '../../chat/conversation.js';
import { FieldError, Fields, withoutUndefined } from '../fields.js';
import { readTools as readOpenAiTools } from '../openai/messages.js';
import { refuseImages } from './body.js';

export function readMessages(fields: Fields): Message[] {
  const messages = fields.objects('messages') ?? [];
  const read: Message[] = messages.map((message) => {
    const role = message.require('role', message.oneOf('role', ['system', 'user', 'assistant', 'tool']));
    refuseImages(message);
    const toolCalls = (message.objects('tool_calls') ?? []).map(readToolCall);
    const content = message.string('content');
    if (content === undefined && toolCalls.length === 0 && !message.has('thinking')) message.refuse('content', 'is required');
    return withoutUndefined({
      role,
      content: content ?? '',
      reasoning: message.string('thinking'),
      toolCalls: toolCalls.length > 0 ? toolCalls : undefined,
      toolCallId: message.string('tool_call_id'),
      toolName: message.string('tool_name'),
    });
  });
  return read;
}

function readToolCall(call: Fields): ToolCall {
  const made = call.require('function', call.object('function'));
  const values = made.raw('arguments') ?? {};
  if (typeof values !== 'object' || Array.isArray(values)) throw new FieldError(made.at('arguments'), `'${made.at('arguments')}' must be an object.`);
  return { id: call.string('id') ?? '', name: made.require('name', made.string('name')), arguments: values as Record<string, unknown> };
}

/** Ollama's tools have OpenAI's form; the type may be missing. */
export function readTools(fields: Fields): Tool[] {
  const tools = fields.list('tools');
  if (tools === undefined) return [];
  const typed = tools.map((tool: unknown) => (typeof tool === 'object' && tool !== null && !('type' in tool) ? { type: 'function', ...tool } : tool));
  return readOpenAiTools(new Fields({ tools: typed }));
}

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';

function callId(): string {
  return `call_${Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join('')}`;
}

/** The message of one line, or of the whole answer. `callsBefore` counts the calls of the answer's earlier lines: clients join calls by their index. */
export function describeMessage(parts: OutputPart[], callsBefore = 0): Record<string, unknown> {
  const thinking = parts.map((part) => (part.kind === 'reasoning' ? part.text : '')).join('');
  // Arguments are objects here, which half of them is not: a call that was cut stays as the model wrote it.
  const content = parts.map((part) => (part.kind === 'text' ? part.text : part.kind === 'cutCall' ? part.source : '')).join('');
  const calls = parts.flatMap((part) => (part.kind === 'toolCall' ? [part.call] : []));
  return {
    role: 'assistant',
    content,
    ...(thinking === '' ? {} : { thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call, index) => ({ id: callId(), function: { index: callsBefore + index, name: call.name, arguments: call.arguments } })) }),
  };
}
