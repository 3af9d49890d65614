/** Items of a responses request as messages of a conversation. */
import type { Message } from '../../chat/conversation.js';
import { JsonMeasure } from '../../chat/sandbox/json-text.js';
import { FieldError, type Fields, withoutUndefined } from '../fields.js';
import { readArguments, readContent } from './messages.js';
import { customInput, nameWithNamespace } from './responses-tools.js';

/** Instructions, the earlier messages and the items of the request. Throws FieldError. */
export function readItems(fields: Fields, before: readonly Message[]): Message[] {
  const instructions = fields.string('instructions');
  const first: Message[] = instructions === undefined ? [] : [{ role: 'system', content: instructions }];
  const input = fields.require('input', fields.raw('input'));
  if (typeof input === 'string') return [...first, ...before, { role: 'user', content: input }];
  const items = fields.require('input', fields.objects('input'));
  if (items.length === 0) fields.refuse('input', 'must hold at least one item');
  const measure = new JsonMeasure();
  return joinCalls([...first, ...before, ...items.flatMap((item) => readItem(item, measure))]);
}

function readItem(item: Fields, measure: JsonMeasure): Message[] {
  const type = item.string('type') ?? 'message';
  switch (type) {
    case 'message': {
      const role = item.require('role', item.oneOf('role', ['user', 'assistant', 'system', 'developer']));
      return [{ role: role === 'developer' ? 'system' : role, content: item.require('content', readContent(item, 'content')) }];
    }
    case 'function_call': {
      const call = { id: item.string('call_id') ?? item.string('id') ?? '', name: nameWithNamespace(item), arguments: readArguments(item, measure) };
      return [{ role: 'assistant', content: '', toolCalls: [call] }];
    }
    case 'custom_tool_call': {
      const call = { id: item.string('call_id') ?? item.string('id') ?? '', name: nameWithNamespace(item), arguments: { [customInput]: item.string('input') ?? '' } };
      return [{ role: 'assistant', content: '', toolCalls: [call] }];
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [withoutUndefined({ role: 'tool' as const, content: item.require('output', readContent(item, 'output')), toolCallId: item.string('call_id') })];
    case 'reasoning':
    case 'web_search_call':
      // What a model thought or searched for in an earlier turn is no part of the next prompt: what came of it is in its answer.
      return [];
    default:
      throw new FieldError(item.at('type'), `Items of type '${type}' are not supported.`);
  }
}

/** Calls that follow one another, or a text of the assistant, are one message of it; answers learn the names of their tools. */
function joinCalls(messages: Message[]): Message[] {
  const joined: Message[] = [];
  const toolNames = new Map<string, string>();
  for (const message of messages) {
    for (const call of message.toolCalls ?? []) toolNames.set(call.id, call.name);
    const last = joined.at(-1);
    const name = message.toolCallId === undefined ? undefined : toolNames.get(message.toolCallId);
    if (message.toolCalls !== undefined && last?.role === 'assistant') (last.toolCalls ??= []).push(...message.toolCalls);
    else joined.push({ ...message, ...(name === undefined ? {} : { toolName: name }) });
  }
  return joined;
}
