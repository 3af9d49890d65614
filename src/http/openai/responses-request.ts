/** The body of POST /v1/responses as a conversation; nothing is stored between requests. */
import type { AnswerRequest } from '../../chat/answer.js';
import type { Message, Tool } from '../../chat/conversation.js';
import { sizeOf } from '../../chat/prompt/render.js';
import { JsonMeasure } from '../../chat/sandbox/json-text.js';
import type { KeepAlive } from '../../models/types.js';
import { FieldError, type Fields, withoutUndefined } from '../fields.js';
import { annotations, checkAnnotations, checkSampling, readKeepAlive, readStreamOptions, readThink, refuseUnknown } from './checks.js';
import { readArguments, readContent, readFormat, readFunction } from './messages.js';
import { readSampling, readTokenCount } from './sampling.js';
import { readToolChoice } from './tool-choice.js';

export interface ResponsesRequest {
  model: string;
  stream: boolean;
  keepAlive: KeepAlive | undefined;
  /** What the response object repeats of the request. */
  echo: Record<string, unknown>;
  answer: AnswerRequest;
}

const names: ReadonlySet<string> = new Set([
  ...annotations, 'model', 'input', 'instructions', 'stream', 'stream_options', 'temperature', 'top_p', 'top_logprobs', 'max_output_tokens', 'tools', 'tool_choice',
  'parallel_tool_calls', 'text', 'reasoning', 'store', 'include', 'truncation', 'background', 'keep_alive', 'previous_response_id', 'conversation', 'seed', 'stop',
  'frequency_penalty', 'presence_penalty', 'top_k', 'min_p',
]);

const textNames: ReadonlySet<string> = new Set(['format', 'verbosity']);

/** Throws FieldError. */
export function readResponsesRequest(fields: Fields): ResponsesRequest {
  refuseUnknown(fields, names);
  for (const name of ['previous_response_id', 'conversation']) if (fields.has(name)) fields.refuse(name, 'is not supported: nothing is stored between requests');
  if (fields.boolean('background') === true) fields.refuse('background', 'is not supported');
  if ((fields.integer('top_logprobs') ?? 0) !== 0) fields.refuse('top_logprobs', 'is not supported');
  const include = fields.list('include') ?? [];
  if (include.length > 0) fields.refuse('include', `may not name ${String(include[0]).slice(0, 100)}: it is not supported`);
  fields.boolean('store');
  checkAnnotations(fields);
  checkSampling(fields);
  const stream = fields.boolean('stream') ?? false;
  readStreamOptions(fields, stream);
  const truncation = fields.oneOf('truncation', ['auto', 'disabled']) ?? 'disabled';
  const tools = (fields.objects('tools') ?? []).map(readTool);
  const text = fields.object('text');
  if (text !== undefined) refuseUnknown(text, textNames);
  text?.string('verbosity');
  const format = text?.object('format');
  return {
    model: fields.require('model', fields.string('model')),
    stream,
    keepAlive: readKeepAlive(fields),
    echo: boundedEcho({
      instructions: fields.string('instructions') ?? null,
      max_output_tokens: readTokenCount(fields, 'max_output_tokens') ?? null,
      metadata: fields.raw('metadata') ?? {},
      parallel_tool_calls: fields.boolean('parallel_tool_calls') ?? true,
      temperature: fields.number('temperature') ?? 1,
      top_p: fields.number('top_p') ?? 1,
      text: fields.raw('text') ?? { format: { type: 'text' } },
      tool_choice: fields.raw('tool_choice') ?? 'auto',
      tools: fields.raw('tools') ?? [],
      truncation,
    }),
    answer: {
      input: withoutUndefined({
        kind: 'messages' as const,
        messages: readItems(fields),
        ...readToolChoice(fields, tools),
        singleToolCall: fields.boolean('parallel_tool_calls') === false ? true : undefined,
        think: readThink(fields),
        dropOldest: truncation === 'auto' ? true : undefined,
      }),
      format: readFormat(format, 'flat'),
      sampling: withoutUndefined({ ...readSampling(fields), maxTokens: readTokenCount(fields, 'max_output_tokens') }),
    },
  };
}

/**
 * Characters that a response repeats of its request, in the body or in three events of a stream, of which two come at once: 3 million took 45 ms of the event
 * loop on a busy machine (`npm run bench -- stalls`). Instructions of 400,000 tokens have as many.
 */
const mostRepeated = 2_000_000;

function boundedEcho(echo: Record<string, unknown>): Record<string, unknown> {
  const size = sizeOf(echo);
  if (size <= mostRepeated) return echo;
  const [largest = ''] = Object.keys(echo).sort((one, other) => sizeOf(echo[other]) - sizeOf(echo[one]));
  throw new FieldError(largest, `A response repeats instructions, metadata, text, tool_choice and tools of its request, which have ${size} characters, of at most ${mostRepeated}; most are of '${largest}'.`);
}

function readTool(fields: Fields): Tool {
  const type = fields.require('type', fields.string('type'));
  if (type !== 'function') throw new FieldError(fields.at('type'), `Tools of type '${type}' are not supported, only 'function'.`);
  const described = Object.fromEntries(['name', 'description', 'parameters'].flatMap((name) => (fields.has(name) ? [[name, fields.raw(name)]] : [])));
  return readFunction(fields, { type: 'function', function: described });
}

function readItems(fields: Fields): Message[] {
  const instructions = fields.string('instructions');
  const first: Message[] = instructions === undefined ? [] : [{ role: 'system', content: instructions }];
  const input = fields.require('input', fields.raw('input'));
  if (typeof input === 'string') return [...first, { role: 'user', content: input }];
  const items = fields.require('input', fields.objects('input'));
  if (items.length === 0) fields.refuse('input', 'must hold at least one item');
  const measure = new JsonMeasure();
  return joinCalls([...first, ...items.flatMap((item) => readItem(item, measure))]);
}

function readItem(item: Fields, measure: JsonMeasure): Message[] {
  const type = item.string('type') ?? 'message';
  switch (type) {
    case 'message': {
      const role = item.require('role', item.oneOf('role', ['user', 'assistant', 'system', 'developer']));
      return [{ role: role === 'developer' ? 'system' : role, content: item.require('content', readContent(item, 'content')) }];
    }
    case 'function_call': {
      const call = { id: item.string('call_id') ?? item.string('id') ?? '', name: item.require('name', item.string('name')), arguments: readArguments(item, measure) };
      return [{ role: 'assistant', content: '', toolCalls: [call] }];
    }
    case 'function_call_output':
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
