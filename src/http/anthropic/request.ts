/** The body of POST /v1/messages and of its counting. */
import type { AnswerRequest, Conversation } from '../../chat/answer.js';
import type { OutputFormat } from '../../chat/conversation.js';
import type { KeepAlive } from '../../models/types.js';
import { type Fields, withoutUndefined } from '../fields.js';
import { readKeepAlive, refuseUnknown } from '../openai/checks.js';
import { readSampling, samplingNames, tokenCount } from '../openai/sampling.js';
import { readConversation, readToolChoice, readTools } from './conversation.js';

export interface MessagesRequest {
  model: string;
  stream: boolean;
  keepAlive: KeepAlive | undefined;
  answer: AnswerRequest;
}

/**
 * They change no answer: where and at what price it is made, what is kept of a prompt (which this service does by itself), and what is left out of a prompt
 * that is too long.
 */
const annotations = ['metadata', 'service_tier', 'cache_control', 'inference_geo', 'diagnostics', 'speed', 'betas', 'context_management'];
const conversationNames = ['model', 'messages', 'system', 'tools', 'tool_choice', 'thinking', 'output_config', 'output_format', ...annotations];
export const countNames: ReadonlySet<string> = new Set(conversationNames);
/** The samplers of other contracts; those that this one has names for are read by its own rules. */
const samplers = samplingNames.filter((name) => !['stop', 'max_completion_tokens', 'ignore_eos', 'seed'].includes(name));
export const names: ReadonlySet<string> = new Set([...conversationNames, ...samplers, 'max_tokens', 'stream', 'stop_sequences', 'temperature', 'top_p', 'top_k', 'keep_alive']);
const outputNames: ReadonlySet<string> = new Set(['effort', 'format', 'task_budget']);

/** Throws FieldError. */
export function readMessagesRequest(fields: Fields): MessagesRequest {
  refuseUnknown(fields, names);
  const model = fields.require('model', fields.string('model'));
  const maxTokens = fields.require('max_tokens', fields.integer('max_tokens', tokenCount));
  fields.object('metadata')?.string('user_id');
  fields.string('service_tier');
  fields.object('context_management');
  const stop = fields.list('stop_sequences') === undefined ? undefined : fields.strings('stop_sequences');
  if (stop?.some((text) => text === '')) fields.refuse('stop_sequences', 'must not hold an empty string');
  return {
    model,
    stream: fields.boolean('stream') ?? false,
    keepAlive: readKeepAlive(fields),
    answer: {
      input: readInput(fields),
      format: readFormat(fields),
      sampling: withoutUndefined({
        ...readSampling(fields), maxTokens, stop, temperature: fields.number('temperature', { least: 0, most: 1 }), topP: fields.number('top_p', { least: 0, most: 1 }), topK: fields.integer('top_k', { least: 0, most: 2 ** 31 - 1 }),
      }),
    },
  };
}

/** Throws FieldError. */
export function readCountRequest(fields: Fields): { model: string; input: Conversation } {
  refuseUnknown(fields, countNames);
  return { model: fields.require('model', fields.string('model')), input: readInput(fields) };
}

function readInput(fields: Fields): Conversation {
  const tools = readTools(fields);
  return withoutUndefined({ kind: 'messages' as const, messages: readConversation(fields), tools, ...readToolChoice(fields, tools), think: readThinking(fields) });
}

const efforts = { low: 'low', medium: 'medium', high: 'high', xhigh: 'max', max: 'max' } as const;

/** A budget of thoughts is none that a grammar or a template could keep, and max_tokens bounds them anyway. A model that does not think passes all of it over. */
function readThinking(fields: Fields): Conversation['think'] | undefined {
  const thinking = fields.object('thinking');
  const type = thinking?.require('type', thinking.oneOf('type', ['enabled', 'disabled', 'adaptive']));
  thinking?.integer('budget_tokens', { least: 0 });
  const output = fields.object('output_config');
  if (output !== undefined) refuseUnknown(output, outputNames);
  const effort = output?.oneOf('effort', ['low', 'medium', 'high', 'xhigh', 'max']);
  if (type === 'disabled') return false;
  if (type === undefined) return undefined;
  return effort !== undefined ? efforts[effort] : type === 'enabled' ? true : undefined;
}

function readFormat(fields: Fields): OutputFormat {
  const format = fields.object('output_config')?.object('format') ?? fields.object('output_format');
  if (format === undefined) return { kind: 'text' };
  format.require('type', format.oneOf('type', ['json_schema']));
  return { kind: 'schema', schema: format.require('schema', format.object('schema') && format.raw('schema')) };
}
