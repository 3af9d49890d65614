/** The body of POST /v1/chat/completions. */
import type { AnswerRequest } from '../../chat/answer.js';
import { parseKeepAlive } from '../../models/keep-alive.js';
import type { KeepAlive } from '../../models/types.js';
import { type Fields, withoutUndefined } from '../fields.js';
import { readFormat, readMessages, readToolChoice, readTools } from './messages.js';
import { readSampling, samplingNames } from './sampling.js';

export interface ChatRequest {
  model: string;
  stream: boolean;
  includeUsage: boolean;
  wantsLogprobs: boolean;
  keepAlive: KeepAlive | undefined;
  answer: AnswerRequest;
}

/** Told to us for others' purposes; they change no answer. */
export const annotations = ['user', 'metadata', 'safety_identifier', 'prompt_cache_key', 'prompt_cache_retention', 'service_tier'] as const;

const names: ReadonlySet<string> = new Set([
  ...samplingNames, ...annotations, 'model', 'messages', 'stream', 'stream_options', 'n', 'tools', 'tool_choice', 'parallel_tool_calls',
  'response_format', 'logprobs', 'top_logprobs', 'reasoning_effort', 'reasoning', 'think', 'store', 'modalities', 'keep_alive', 'verbosity',
]);
const mostChoices = 128;
export const mostLogprobs = 20;

/** A parameter that is known and not honoured, or unknown, is refused by its name. Throws FieldError. */
export function refuseUnknown(fields: Fields, known: ReadonlySet<string>): void {
  const unknown = fields.names().find((name) => !known.has(name) && fields.has(name));
  if (unknown !== undefined) fields.refuse(unknown, 'is not supported');
}

export function readChatRequest(fields: Fields): ChatRequest {
  refuseUnhonoured(fields);
  refuseUnknown(fields, names);
  const model = fields.require('model', fields.string('model'));
  const tools = readTools(fields);
  const stream = fields.boolean('stream') ?? false;
  const options = fields.object('stream_options');
  if (options !== undefined && !stream) fields.refuse('stream_options', 'is only allowed with stream');
  const wantsLogprobs = fields.boolean('logprobs') ?? false;
  const top = fields.integer('top_logprobs', { least: 0, most: mostLogprobs });
  if (top !== undefined && !wantsLogprobs) fields.refuse('top_logprobs', 'is only allowed with logprobs');
  const think = readThink(fields);
  return {
    model,
    stream,
    includeUsage: options?.boolean('include_usage') ?? false,
    wantsLogprobs,
    keepAlive: parseKeepAlive(fields.raw('keep_alive')),
    answer: {
      input: withoutUndefined({
        kind: 'messages' as const,
        messages: readMessages(fields),
        tools,
        toolChoice: readToolChoice(fields, tools),
        singleToolCall: fields.boolean('parallel_tool_calls') === false ? true : undefined,
        think,
      }),
      format: readFormat(fields.object('response_format'), 'nested'),
      sampling: { ...readSampling(fields), ...(wantsLogprobs ? { logprobs: top ?? 0 } : {}) },
      choices: fields.integer('n', { least: 1, most: mostChoices }) ?? 1,
    },
  };
}

/** Its default is all there is. Throws FieldError. */
export function refuseVerbosity(fields: Fields | undefined): void {
  if ((fields?.string('verbosity') ?? 'medium') !== 'medium') fields?.refuse('verbosity', 'may only be "medium"');
}

function refuseUnhonoured(fields: Fields): void {
  for (const [name, instead] of [['functions', 'tools'], ['function_call', 'tool_choice']] as const) if (fields.has(name)) fields.refuse(name, `is not supported: use '${instead}'`);
  refuseVerbosity(fields);
  if (fields.boolean('store') === true) fields.refuse('store', 'must be false: nothing is stored here');
  const modalities = fields.list('modalities');
  if (modalities !== undefined && (modalities.length !== 1 || modalities[0] !== 'text')) fields.refuse('modalities', 'may only be ["text"]');
}

const efforts = { none: false, minimal: 'low', low: 'low', medium: 'medium', high: 'high', max: 'max', xhigh: 'max', ultra: 'max' } as const;

export function readThink(fields: Fields): boolean | 'low' | 'medium' | 'high' | 'max' | undefined {
  const effortNames = Object.keys(efforts) as (keyof typeof efforts)[];
  const reasoning = fields.object('reasoning');
  const effort = fields.oneOf('reasoning_effort', effortNames) ?? reasoning?.oneOf('effort', effortNames);
  return effort === undefined ? fields.boolean('think') : efforts[effort];
}
