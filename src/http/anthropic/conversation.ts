/** Anthropic's messages and tools as the conversation of src/chat. */
import type { Message, Tool, ToolCall, ToolChoice } from '../../chat/conversation.js';
import { FieldError, type Fields, withoutUndefined } from '../fields.js';
import { refuseTwice, toolName } from '../openai/messages.js';

/** `system`, a text or blocks of text, and `messages`. Throws FieldError. */
export function readConversation(fields: Fields): Message[] {
  const system = readText(fields, 'system');
  const messages = fields.require('messages', fields.objects('messages'));
  if (messages.length === 0) fields.refuse('messages', 'must hold at least one message');
  const names = new Map<string, string>();
  const read = messages.flatMap((message) => {
    const role = message.require('role', message.oneOf('role', ['user', 'assistant', 'system']));
    if (role === 'system') return [{ role, content: readText(message, 'content') ?? '' }];
    return role === 'assistant' ? [readAssistant(message, names)] : readUser(message, names);
  });
  return system === undefined || system === '' ? read : [{ role: 'system', content: system }, ...read];
}

/** A string, or blocks of text, each of which begins a line where several follow one another. */
function readText(fields: Fields, name: string): string | undefined {
  const value = fields.raw(name);
  if (value === undefined || typeof value === 'string') return value;
  if (!Array.isArray(value)) fields.refuse(name, 'must be a string or a list of blocks');
  return fields.objects(name)?.map((block) => readTextBlock(block)).join('\n');
}

function typeOf(block: Fields): string {
  return block.require('type', block.string('type'));
}

/** Text, and documents that are text. Throws FieldError for pictures and everything else that a model of text cannot read. */
function readTextBlock(block: Fields): string {
  const type = typeOf(block);
  if (type === 'text') return block.require('text', block.string('text'));
  const source = type === 'document' ? block.object('source') : undefined;
  if (source?.raw('type') === 'text') return source.require('data', source.string('data'));
  if (source?.raw('type') === 'content') return readText(source, 'content') ?? '';
  throw new FieldError(block.at('type'), `'${type}' blocks are not supported here: the models of this service read text.`);
}

/** Results of tools are messages of their own, in the order of the blocks. */
function readUser(message: Fields, names: ReadonlyMap<string, string>): Message[] {
  const content = message.require('content', message.raw('content'));
  if (typeof content === 'string') return [{ role: 'user', content }];
  if (!Array.isArray(content)) message.refuse('content', 'must be a string or a list of blocks');
  const read: Message[] = [];
  let texts: string[] = [];
  const endText = (): void => {
    if (texts.length > 0) read.push({ role: 'user', content: texts.join('\n') });
    texts = [];
  };
  for (const block of message.objects('content') ?? []) {
    if (typeOf(block) !== 'tool_result') {
      texts.push(readTextBlock(block));
      continue;
    }
    endText();
    block.boolean('is_error');
    const id = block.require('tool_use_id', block.string('tool_use_id'));
    read.push(withoutUndefined({ role: 'tool' as const, content: readText(block, 'content') ?? '', toolCallId: id, toolName: names.get(id) }));
  }
  endText();
  return read.length > 0 ? read : [{ role: 'user', content: '' }];
}

function readAssistant(message: Fields, names: Map<string, string>): Message {
  const content = message.require('content', message.raw('content'));
  if (typeof content === 'string') return { role: 'assistant', content };
  if (!Array.isArray(content)) message.refuse('content', 'must be a string or a list of blocks');
  const [texts, thoughts]: [string[], string[]] = [[], []];
  const toolCalls: ToolCall[] = [];
  for (const block of message.objects('content') ?? []) {
    const type = typeOf(block);
    if (type === 'thinking') thoughts.push(block.require('thinking', block.string('thinking')));
    else if (type === 'tool_use') {
      const call = readToolUse(block);
      names.set(call.id, call.name);
      toolCalls.push(call);
    // Its text is encrypted: it is no part of a prompt.
    } else if (type !== 'redacted_thinking') texts.push(readTextBlock(block));
  }
  return withoutUndefined({
    role: 'assistant' as const, content: texts.join('\n'), reasoning: thoughts.length > 0 ? thoughts.join('\n') : undefined, toolCalls: toolCalls.length > 0 ? toolCalls : undefined,
  });
}

function readToolUse(block: Fields): ToolCall {
  const input = block.raw('input') ?? {};
  if (typeof input !== 'object' || Array.isArray(input)) block.refuse('input', 'must be an object');
  return { id: block.require('id', block.string('id')), name: block.require('name', block.string('name')), arguments: input as Record<string, unknown> };
}

/** Those of the client. Throws FieldError for tools that Anthropic's own service runs, by their type. */
export function readTools(fields: Fields): Tool[] {
  const tools = (fields.objects('tools') ?? []).map((tool): Tool => {
    const type = tool.string('type') ?? 'custom';
    if (type !== 'custom') throw new FieldError(tool.at('type'), `Tools of type '${type}' run on Anthropic's servers or need models trained for them: they are not supported here, only 'custom'.`);
    const name = tool.require('name', tool.string('name'));
    if (!toolName.test(name)) tool.refuse('name', 'must be 1 to 128 letters, digits, dashes, dots, colons or underscores');
    const description = tool.string('description');
    const parameters = tool.require('input_schema', tool.object('input_schema') && tool.raw('input_schema')) as Record<string, unknown>;
    const raw = { type: 'function', function: withoutUndefined({ name, description, parameters }) };
    return withoutUndefined({ name, description, parameters, strict: tool.boolean('strict'), raw });
  });
  refuseTwice(fields, tools);
  return tools;
}

export interface AnthropicToolChoice {
  toolChoice: ToolChoice;
  singleToolCall: true | undefined;
}

/** Throws FieldError for a choice that names no tool of the request. */
export function readToolChoice(fields: Fields, tools: readonly Tool[]): AnthropicToolChoice {
  const chosen = fields.object('tool_choice');
  const type = chosen?.require('type', chosen.oneOf('type', ['auto', 'any', 'tool', 'none'])) ?? 'auto';
  const singleToolCall = chosen?.boolean('disable_parallel_tool_use') === true ? true : undefined;
  if (type === 'none' || (type === 'auto' && tools.length === 0)) return { toolChoice: 'none', singleToolCall: undefined };
  if (type === 'auto') return { toolChoice: 'auto', singleToolCall };
  if (tools.length === 0) fields.refuse('tool_choice', `'${type}' is only allowed with tools`);
  if (type === 'any') return { toolChoice: 'required', singleToolCall };
  const name = chosen?.require('name', chosen.string('name')) ?? '';
  if (tools.every((tool) => tool.name !== name)) fields.refuse('tool_choice', `names '${name}', which is none of the tools`);
  return { toolChoice: { name }, singleToolCall };
}
