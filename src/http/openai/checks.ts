/** What the bodies of all routes have in common beside sampling: names that are known, values that have their type, wishes that cannot be met. */
import type { Conversation } from '../../chat/answer.js';
import { parseKeepAlive } from '../../models/keep-alive-notation.js';
import { wrongStops } from '../../models/layer-sampling.js';
import type { CatalogueEntry, KeepAlive } from '../../models/types.js';
import { LecternError } from '../../errors.js';
import { FieldError, type Fields } from '../fields.js';
import { tokenCount } from './sampling.js';

/** Told to us for others' purposes; they change no answer. */
const texts = ['user', 'safety_identifier', 'prompt_cache_key', 'prompt_cache_retention', 'service_tier'] as const;
export const annotations = [...texts, 'metadata'] as const;

/** A parameter that is known and not honoured, or unknown, is refused by its name. Throws FieldError. */
export function refuseUnknown(fields: Fields, known: ReadonlySet<string>): void {
  const unknown = fields.names().find((name) => !known.has(name) && fields.has(name));
  if (unknown !== undefined) fields.refuse(unknown, 'is not supported');
}

/** Throws FieldError for an annotation that is not of its type. */
export function checkAnnotations(fields: Fields): void {
  for (const name of texts) fields.string(name);
  const metadata = fields.object('metadata');
  for (const name of metadata?.names() ?? []) metadata?.string(name);
}

/** What readSampling() leaves to the engine, which has names of its own, or does not read. Throws FieldError. */
export function checkSampling(fields: Fields): void {
  for (const name of ['repeat_penalty', 'repetition_penalty']) if (fields.raw(name) === 0) fields.refuse(name, 'must be above 0');
  for (const name of ['max_tokens', 'max_completion_tokens']) fields.integer(name, tokenCount);
  const wrong = wrongStops(fields.strings('stop') ?? []);
  if (wrong !== null) fields.refuse('stop', `may hold ${wrong}`);
}

/** Throws FieldError. */
export function readKeepAlive(fields: Fields): KeepAlive | undefined {
  try {
    return parseKeepAlive(fields.raw('keep_alive'));
  } catch (thrown) {
    throw thrown instanceof LecternError ? new FieldError('keep_alive', thrown.message) : thrown;
  }
}

/** Obfuscation pads a stream against those who measure it: there is none here. */
const streamOptions: ReadonlySet<string> = new Set(['include_usage', 'include_obfuscation']);

/** Whether the usage is to be sent at the end of a stream. Throws FieldError. */
export function readStreamOptions(fields: Fields, stream: boolean): boolean {
  const options = fields.object('stream_options');
  if (options === undefined) return false;
  if (!stream) fields.refuse('stream_options', 'is only allowed with stream');
  refuseUnknown(options, streamOptions);
  if (options.boolean('include_obfuscation') === true) options.refuse('include_obfuscation', 'may only be false');
  return options.boolean('include_usage') ?? false;
}

/** Throws FieldError. */
export function refuseStore(fields: Fields): void {
  if (fields.boolean('store') === true) fields.refuse('store', 'must be false: nothing is stored here');
}

const efforts = { none: false, minimal: 'low', low: 'low', medium: 'medium', high: 'high', max: 'max', xhigh: 'max', ultra: 'max' } as const;
const reasoningNames: ReadonlySet<string> = new Set(['effort', 'summary', 'generate_summary']);

/** By which of its names a client asks for a thought, and what for. */
export interface ThinkWish {
  think: Conversation['think'] | undefined;
  param: string;
}

/** Throws FieldError. */
export function readThink(fields: Fields): ThinkWish {
  const effortNames = Object.keys(efforts) as (keyof typeof efforts)[];
  const reasoning = fields.object('reasoning');
  if (reasoning !== undefined) {
    refuseUnknown(reasoning, reasoningNames);
    // Thoughts are given whole: that is what "auto" comes to, and no less than "detailed".
    for (const name of ['summary', 'generate_summary']) {
      if (reasoning.oneOf(name, ['auto', 'detailed', 'concise']) === 'concise') reasoning.refuse(name, 'may only be "auto" or "detailed": thoughts are given whole');
    }
  }
  const think = fields.boolean('think');
  const outer = fields.oneOf('reasoning_effort', effortNames);
  const inner = reasoning?.oneOf('effort', effortNames);
  if (outer !== undefined) return { think: efforts[outer], param: 'reasoning_effort' };
  return inner !== undefined ? { think: efforts[inner], param: 'reasoning.effort' } : { think, param: 'think' };
}

/** Throws FieldError where a thought is asked of a model that has none. */
export function refuseThinking({ think, param }: ThinkWish, entry: CatalogueEntry, model: string): void {
  if (think === undefined || think === false || entry.capabilities.includes('thinking')) return;
  throw new FieldError(param, `'${param}' asks for a thought, and the model '${model}' does not think before it answers.`);
}
