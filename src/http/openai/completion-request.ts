/** The body of POST /v1/completions. */
import type { Sampling } from '../../chat/conversation.js';
import type { KeepAlive } from '../../models/types.js';
import type { Fields } from '../fields.js';
import { annotations, checkAnnotations, checkSampling, readKeepAlive, readStreamOptions, refuseUnknown } from './checks.js';
import { isTokenIds, lengthOf, type PromptValue, readPrompts } from './prompts.js';
import { readSampling, samplingNames } from './sampling.js';

export interface CompletionRequest {
  model: string;
  prompts: PromptValue[];
  /** What follows the gap that is to be filled. */
  suffix: string | undefined;
  echo: boolean;
  sampling: Sampling;
  choices: number;
  stream: boolean;
  includeUsage: boolean;
  wantsIds: boolean;
  keepAlive: KeepAlive | undefined;
}

export const names: ReadonlySet<string> = new Set([
  ...samplingNames, ...annotations, 'model', 'prompt', 'stream', 'stream_options', 'n', 'best_of', 'echo', 'suffix', 'store', 'logprobs', 'return_token_ids', 'keep_alive',
]);
const mostLogprobs = 5;
/** Each choice repeats its prompt: 128 choices of a long one would be gigabytes. */
const longestEcho = 1_000_000;

/** Throws FieldError. */
export function readCompletionRequest(fields: Fields): CompletionRequest {
  refuseUnknown(fields, names);
  checkAnnotations(fields);
  checkSampling(fields);
  const choices = fields.integer('n', { least: 1, most: 128 }) ?? 1;
  if ((fields.integer('best_of', { least: 1 }) ?? choices) !== choices) fields.refuse('best_of', 'is only supported as large as n');
  const stream = fields.boolean('stream') ?? false;
  const logprobs = fields.integer('logprobs', { least: 0, most: mostLogprobs });
  const prompts = readPrompts(fields, 'prompt', true);
  const suffix = fields.string('suffix') || undefined;
  if (suffix !== undefined && prompts.some(isTokenIds)) fields.refuse('suffix', 'is only supported with prompts of text');
  const echo = fields.boolean('echo') ?? false;
  // Nothing is known of the probabilities of a prompt's tokens.
  if (echo && logprobs !== undefined) fields.refuse('logprobs', 'is not supported with echo');
  if (echo && prompts.reduce((sum, prompt) => sum + lengthOf(prompt), 0) * choices > longestEcho) fields.refuse('echo', `is only supported up to ${longestEcho} characters or token ids in all choices together`);
  if (echo && suffix !== undefined) fields.refuse('echo', 'is not supported with suffix');
  return {
    model: fields.require('model', fields.string('model')),
    prompts,
    suffix,
    echo,
    sampling: { ...readSampling(fields), ...(logprobs === undefined ? {} : { logprobs }) },
    choices,
    stream,
    includeUsage: readStreamOptions(fields, stream),
    wantsIds: fields.boolean('return_token_ids') ?? false,
    keepAlive: readKeepAlive(fields),
  };
}
