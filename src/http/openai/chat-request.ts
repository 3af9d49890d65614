/** The body of POST /v1/chat/completions. */
import type { AnswerRequest } from '../../chat/answer.js';
import type { KeepAlive } from '../../models/types.js';
import { type Fields, withoutUndefined } from '../fields.js';
import { annotations, checkAnnotations, checkSampling, readKeepAlive, readStreamOptions, readThink, refuseStore, refuseUnknown, type ThinkWish } from './checks.js';
import { readFormat, readMessages, readToolChoice, readTools } from './messages.js';
import { readSampling, samplingNames } from './sampling.js';

export interface ChatRequest {
  model: string;
  stream: boolean;
  includeUsage: boolean;
  wantsLogprobs: boolean;
  keepAlive: KeepAlive | undefined;
  thinkWish: ThinkWish;
  answer: AnswerRequest;
}

const names: ReadonlySet<string> = new Set([
  ...samplingNames, ...annotations, 'model', 'messages', 'stream', 'stream_options', 'n', 'tools', 'tool_choice', 'parallel_tool_calls',
  'response_format', 'logprobs', 'top_logprobs', 'reasoning_effort', 'reasoning', 'think', 'store', 'modalities', 'keep_alive', 'verbosity',
]);
const mostChoices = 128;
export const mostLogprobs = 20;

export function readChatRequest(fields: Fields): ChatRequest {
  refuseUnhonoured(fields);
  refuseUnknown(fields, names);
  const model = fields.require('model', fields.string('model'));
  const tools = readTools(fields);
  const stream = fields.boolean('stream') ?? false;
  const wantsLogprobs = fields.boolean('logprobs') ?? false;
  const top = fields.integer('top_logprobs', { least: 0, most: mostLogprobs });
  if (top !== undefined && !wantsLogprobs) fields.refuse('top_logprobs', 'is only allowed with logprobs');
  checkAnnotations(fields);
  checkSampling(fields);
  const thinkWish = readThink(fields);
  return {
    model,
    stream,
    includeUsage: readStreamOptions(fields, stream),
    wantsLogprobs,
    thinkWish,
    keepAlive: readKeepAlive(fields),
    answer: {
      input: withoutUndefined({
        kind: 'messages' as const,
        messages: readMessages(fields),
        tools,
        toolChoice: readToolChoice(fields, tools),
        singleToolCall: fields.boolean('parallel_tool_calls') === false ? true : undefined,
        think: thinkWish.think,
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
  refuseStore(fields);
  const modalities = fields.list('modalities');
  if (modalities !== undefined && (modalities.length !== 1 || modalities[0] !== 'text')) fields.refuse('modalities', 'may only be ["text"]');
}
