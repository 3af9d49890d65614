/** The body of POST /v1/chat/completions. */
import type { AnswerRequest } from '../../chat/answer.js';
import type { OutputFormat } from '../../chat/conversation.js';
import type { KeepAlive } from '../../models/types.js';
import { Fields, withoutUndefined } from '../fields.js';
import { annotations, checkAnnotations, checkSampling, readKeepAlive, readStreamOptions, readThink, refuseUnknown } from './checks.js';
import { withoutFunctions } from './legacy-functions.js';
import { readFormat, readMessages, readTools } from './messages.js';
import { readSampling, samplingNames } from './sampling.js';
import { readToolChoice } from './tool-choice.js';

export interface ChatRequest {
  model: string;
  stream: boolean;
  includeUsage: boolean;
  wantsLogprobs: boolean;
  /** Calls are reported as the `function_call` of old. */
  isLegacy: boolean;
  keepAlive: KeepAlive | undefined;
  answer: AnswerRequest;
}

export const names: ReadonlySet<string> = new Set([
  ...samplingNames, ...annotations, 'model', 'messages', 'stream', 'stream_options', 'n', 'tools', 'tool_choice', 'parallel_tool_calls',
  'response_format', 'guided_json', 'logprobs', 'top_logprobs', 'reasoning_effort', 'reasoning', 'think', 'store', 'modalities', 'keep_alive', 'chat_template_kwargs',
]);
const mostChoices = 128;
export const mostLogprobs = 20;

/** Throws FieldError. */
export function readChatRequest(body: unknown): ChatRequest {
  const { fields, isLegacy } = withoutFunctions(Fields.of(body), body);
  refuseUnhonoured(fields);
  refuseUnknown(fields, names);
  const model = fields.require('model', fields.string('model'));
  const stream = fields.boolean('stream') ?? false;
  const wantsLogprobs = fields.boolean('logprobs') ?? false;
  const top = fields.integer('top_logprobs', { least: 0, most: mostLogprobs });
  if (top !== undefined && !wantsLogprobs) fields.refuse('top_logprobs', 'is only allowed with logprobs');
  checkAnnotations(fields);
  checkSampling(fields);
  const templateVariables = fields.object('chat_template_kwargs') && fields.raw('chat_template_kwargs') as Record<string, unknown>;
  return {
    model,
    stream,
    includeUsage: readStreamOptions(fields, stream),
    wantsLogprobs,
    isLegacy,
    keepAlive: readKeepAlive(fields),
    answer: {
      input: withoutUndefined({
        kind: 'messages' as const,
        messages: readMessages(fields),
        ...readToolChoice(fields, readTools(fields)),
        singleToolCall: fields.boolean('parallel_tool_calls') === false ? true : undefined,
        think: readThink(fields) ?? fields.object('chat_template_kwargs')?.boolean('enable_thinking'),
        templateVariables,
      }),
      format: readAnyFormat(fields),
      sampling: { ...readSampling(fields), ...(wantsLogprobs ? { logprobs: top ?? 0 } : {}) },
      choices: fields.integer('n', { least: 1, most: mostChoices }) ?? 1,
      ...(stream ? { logprobRoom: 0 } : {}),
    },
  };
}

/** `response_format`, or a schema by vLLM's name for it. */
function readAnyFormat(fields: Fields): OutputFormat {
  const guided = fields.object('guided_json');
  if (guided === undefined) return readFormat(fields.object('response_format'), 'nested');
  if (fields.has('response_format')) fields.refuse('guided_json', "cannot stand beside 'response_format'");
  return { kind: 'schema', schema: fields.raw('guided_json') };
}

function refuseUnhonoured(fields: Fields): void {
  fields.boolean('store');
  const modalities = fields.list('modalities');
  if (modalities !== undefined && (modalities.length !== 1 || modalities[0] !== 'text')) fields.refuse('modalities', 'may only be ["text"]');
}
