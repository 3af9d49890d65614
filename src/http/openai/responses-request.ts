/** The body of POST /v1/responses as a conversation. */
import type { AnswerRequest, Conversation } from '../../chat/answer.js';
import type { Message } from '../../chat/conversation.js';
import { sizeOf } from '../../chat/prompt/render.js';
import type { KeepAlive } from '../../models/types.js';
import { FieldError, type Fields, withoutUndefined } from '../fields.js';
import { annotations, checkAnnotations, checkSampling, readKeepAlive, readStreamOptions, readThink, refuseUnknown } from './checks.js';
import { readFormat } from './messages.js';
import { readItems } from './responses-items.js';
import { type CalledTool, nameWithNamespace, readResponsesTools } from './responses-tools.js';
import { readSampling, readTokenCount, samplerNames } from './sampling.js';
import { readToolChoice } from './tool-choice.js';

export interface ResponsesRequest {
  model: string;
  stream: boolean;
  keepAlive: KeepAlive | undefined;
  /** What the response object repeats of the request. */
  echo: Record<string, unknown>;
  /** Tools by the names that the model knows. */
  called: ReadonlyMap<string, CalledTool>;
  /** Thoughts are also told in a field that clients send back unread. */
  wantsEncrypted: boolean;
  /** Whether the response is to be kept; absent: as the service likes. */
  store: boolean | undefined;
  conversation: Conversation;
  /** They stand before the conversation, and no later response goes on with them. */
  instructions: string | undefined;
  /** Items of the request. */
  input: unknown[];
  answer: AnswerRequest;
}

export const names: ReadonlySet<string> = new Set([
  ...annotations, 'model', 'input', 'instructions', 'stream', 'stream_options', 'temperature', 'top_p', 'top_logprobs', 'max_output_tokens', 'tools', 'tool_choice',
  'parallel_tool_calls', 'max_tool_calls', 'text', 'reasoning', 'store', 'include', 'truncation', 'background', 'keep_alive', 'previous_response_id', 'conversation', 'seed', 'stop',
  'frequency_penalty', 'presence_penalty', 'top_k', 'min_p', ...samplerNames, 'typical_p', 'repeat_penalty', 'repetition_penalty', 'repeat_last_n', 'logit_bias',
]);

const textNames: ReadonlySet<string> = new Set(['format', 'verbosity']);

/** Fields of items of tools that run on OpenAI's servers, of which there are none here, and of pictures. */
const harmlessIncludes: ReadonlySet<unknown> = new Set([
  'web_search_call.action.sources', 'web_search_call.results', 'file_search_call.results', 'code_interpreter_call.outputs', 'computer_call_output.output.image_url', 'message.input_image.image_url',
]);
const encryptedContent = 'reasoning.encrypted_content';

/** `before`: the conversation of the response that this one goes on from. Throws FieldError. */
export function readResponsesRequest(fields: Fields, before: readonly Message[]): ResponsesRequest {
  refuseUnknown(fields, names);
  if (fields.has('conversation')) fields.refuse('conversation', 'is not supported: name the last response as previous_response_id');
  if (fields.boolean('background') === true) fields.refuse('background', 'is not supported');
  if ((fields.integer('top_logprobs') ?? 0) !== 0) fields.refuse('top_logprobs', 'is not supported');
  const include = fields.list('include') ?? [];
  const strange = include.find((name) => name !== encryptedContent && !harmlessIncludes.has(name));
  if (strange !== undefined) fields.refuse('include', `may not name ${String(strange).slice(0, 100)}: it is not supported`);
  // It bounds calls of OpenAI's own tools.
  fields.integer('max_tool_calls');
  checkAnnotations(fields);
  checkSampling(fields);
  const stream = fields.boolean('stream') ?? false;
  readStreamOptions(fields, stream);
  const truncation = fields.oneOf('truncation', ['auto', 'disabled']) ?? 'disabled';
  const { tools, called } = readResponsesTools(fields);
  const text = fields.object('text');
  if (text !== undefined) refuseUnknown(text, textNames);
  text?.string('verbosity');
  const format = text?.object('format');
  const input = fields.raw('input');
  const conversation = withoutUndefined({
    kind: 'messages' as const,
    messages: readItems(fields, before),
    ...readToolChoice(fields, tools, nameWithNamespace),
    singleToolCall: fields.boolean('parallel_tool_calls') === false ? true : undefined,
    think: readThink(fields),
    dropOldest: truncation === 'auto' ? true : undefined,
  });
  return {
    model: fields.require('model', fields.string('model')),
    stream,
    keepAlive: readKeepAlive(fields),
    called,
    wantsEncrypted: include.includes(encryptedContent),
    store: fields.boolean('store'),
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
      previous_response_id: fields.string('previous_response_id') ?? null,
    }),
    conversation,
    instructions: fields.string('instructions'),
    input: typeof input === 'string' ? [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }] : input as unknown[],
    answer: {
      input: conversation,
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
