/** OpenAI's messages, tools and output format as the conversation of src/chat. */
import type { Message, OutputFormat, Tool, ToolCall } from '../../chat/conversation.js';
import { JsonMeasure } from '../../chat/sandbox/json-text.js';
import { objectBegunBy } from '../../chat/tools/cut-arguments.js';
import { FieldError, type Fields, withoutUndefined } from '../fields.js';
import { refuseUnknown } from './checks.js';

const roles = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const;

/** Throws FieldError. */
export function readMessages(fields: Fields): Message[] {
  const messages = fields.require('messages', fields.objects('messages'));
  if (messages.length === 0) fields.refuse('messages', 'must hold at least one message');
  const measure = new JsonMeasure();
  const read = messages.map((message) => readMessage(message, measure));
  return nameToolAnswers(read);
}

/**
 * With what clients send back of an answer as they got it: its `refusal`, `annotations` and `audio` where these are nothing, what helpers parsed of it, and
 * what they copied from a call onto its message.
 */
export const messageNames: ReadonlySet<string> = new Set([
  'role', 'content', 'name', 'tool_calls', 'tool_call_id', 'function_call', 'reasoning', 'reasoning_content', 'refusal', 'annotations', 'parsed', 'index',
]);

function readMessage(fields: Fields, measure: JsonMeasure): Message {
  refuseUnknown(fields, messageNames);
  const name = fields.string('name');
  fields.string('refusal');
  const role = fields.require('role', fields.oneOf('role', roles));
  const calls = fields.objects('tool_calls');
  const toolCalls = role === 'assistant' ? readToolCalls(fields, calls, measure) : undefined;
  const content = readContent(fields, 'content');
  // Only an assistant that calls tools may say nothing.
  if (content === undefined && toolCalls === undefined) fields.refuse('content', 'is required');
  return withoutUndefined({
    role: role === 'developer' ? 'system' as const : role === 'function' ? 'tool' as const : role,
    content: content ?? '',
    reasoning: role === 'assistant' ? fields.string('reasoning_content') ?? fields.string('reasoning') : undefined,
    toolCalls,
    toolCallId: fields.string('tool_call_id'),
    toolName: role === 'tool' || role === 'function' ? name : undefined,
  });
}

/** A string, or a list of text parts. */
export function readContent(fields: Fields, name: string): string | undefined {
  const value = fields.raw(name);
  if (value === undefined || typeof value === 'string') return value;
  if (!Array.isArray(value)) fields.refuse(name, 'must be a string or a list of parts');
  return (fields.objects(name) ?? []).map((part) => {
    const type = part.require('type', part.string('type'));
    if (type === 'text' || type === 'input_text' || type === 'output_text') return part.require('text', part.string('text'));
    if (type === 'refusal') return part.require('refusal', part.string('refusal'));
    throw new FieldError(part.at('type'), `'${type}' parts are not supported: the models here read text.`);
  }).join('');
}

function readToolCalls(fields: Fields, calls: Fields[] | undefined, measure: JsonMeasure): ToolCall[] | undefined {
  // The older form of a single call, which a message of the role `function` answers by its name.
  const older = fields.object('function_call');
  if (older !== undefined) return [{ id: '', name: older.require('name', older.string('name')), arguments: readArguments(older, measure) }];
  if (calls === undefined || calls.length === 0) return undefined;
  return calls.map((call, index) => {
    const made = call.require('function', call.object('function'));
    return {
      id: call.string('id') ?? `call_${index}`,
      name: made.require('name', made.string('name')),
      arguments: readArguments(made, measure),
    };
  });
}

/**
 * The contract's string of JSON, or any other string: clients send back what a model wrote, which may have been cut. An object is taken too. Throws FieldError,
 * and `invalid_request` where the texts of the request hold too many values.
 */
export function readArguments(made: Fields, measure: JsonMeasure): Record<string, unknown> {
  const value = made.raw('arguments') ?? {};
  if (typeof value === 'string') {
    measure.add(Buffer.from(value));
    return objectBegunBy(value);
  }
  if (typeof value !== 'object' || Array.isArray(value)) made.refuse('arguments', 'must be a string');
  return value as Record<string, unknown>;
}

/** Templates want the name of the tool that answered; clients often send only the call's id. */
function nameToolAnswers(messages: Message[]): Message[] {
  const names = new Map(messages.flatMap((message) => message.toolCalls ?? []).map((call) => [call.id, call.name]));
  return messages.map((message) => {
    const name = message.toolCallId === undefined ? undefined : names.get(message.toolCallId);
    return message.toolName === undefined && name !== undefined ? { ...message, toolName: name } : message;
  });
}

export function readTools(fields: Fields): Tool[] {
  const tools = fields.objects('tools') ?? [];
  const read = tools.map((tool) => {
    const type = tool.require('type', tool.string('type'));
    if (type !== 'function') throw new FieldError(tool.at('type'), `Tools of type '${type}' are not supported, only 'function'.`);
    const described = tool.require('function', tool.object('function'));
    return readFunction(described, { type: 'function', function: tool.raw('function') as Record<string, unknown> });
  });
  refuseTwice(fields, read);
  return read;
}

/** Throws FieldError for two tools of one name. */
export function refuseTwice(fields: Fields, tools: readonly Tool[]): void {
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name)) fields.refuse('tools', `must not name '${name}' twice`);
    names.add(name);
  }
}

/** What OpenAI allows in the name of a function, and a grammar can hold. */
export const toolName = /^[\w.:-]{1,128}$/;

export function readFunction(fields: Fields, raw: Record<string, unknown>): Tool {
  const name = fields.require('name', fields.string('name'));
  if (!toolName.test(name)) fields.refuse('name', 'must be 1 to 128 letters, digits, dashes, dots, colons or underscores');
  const parameters = fields.object('parameters') === undefined ? { type: 'object', properties: {} } : fields.raw('parameters') as Record<string, unknown>;
  return withoutUndefined({ name, description: fields.string('description'), parameters, strict: fields.boolean('strict'), raw });
}

/**
 * `response_format` of chat, whose schema lies in `json_schema`, or `text.format` of responses, where name and schema stand beside
 * the type. Either form is taken at either place; `usual` is the one that a failure names.
 */
export function readFormat(format: Fields | undefined, usual: 'nested' | 'flat'): OutputFormat {
  if (format === undefined) return { kind: 'text' };
  const type = format.require('type', format.oneOf('type', ['text', 'json_object', 'json_schema']));
  if (type === 'text') return { kind: 'text' };
  // The form of Together, Fireworks and llama.cpp: a schema beside the type.
  if (type === 'json_object') return format.has('schema') ? readSchema(format) : { kind: 'json' };
  const nested = format.object('json_schema');
  if (nested === undefined && usual === 'nested' && !format.has('schema')) format.refuse('json_schema', 'is required');
  return readSchema(nested ?? format);
}

function readSchema(described: Fields): OutputFormat {
  for (const name of ['name', 'description']) described.string(name);
  const strict = described.boolean('strict');
  return withoutUndefined({ kind: 'schema' as const, schema: described.require('schema', described.object('schema') && described.raw('schema')), strict });
}
