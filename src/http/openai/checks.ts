/** What the bodies of all routes have in common beside sampling: names that are known, values that have their type, wishes that cannot be met. */
import type { Conversation } from '../../chat/answer.js';
import { parseKeepAlive } from '../../models/keep-alive-notation.js';
import { wrongStops } from '../../models/layer-sampling.js';
import type { KeepAlive } from '../../models/types.js';
import { LecternError } from '../../errors.js';
import { FieldError, type Fields } from '../fields.js';
import { readTokenCount } from './sampling.js';

/** They change no answer: for the operators of other services, and hints that promise nothing. */
const texts = ['user', 'safety_identifier', 'prompt_cache_key', 'prompt_cache_retention', 'service_tier', 'verbosity'] as const;
const objects = ['prediction', 'client_metadata', 'prompt_cache_options', 'moderation'] as const;
export const annotations = [...texts, ...objects, 'metadata'] as const;

/** A parameter that is known and not honoured, or unknown, is refused by its name. Throws FieldError. */
export function refuseUnknown(fields: Fields, known: ReadonlySet<string>): void {
  const unknown = fields.names().find((name) => !known.has(name) && fields.has(name));
  if (unknown !== undefined) fields.refuse(unknown, 'is not supported');
}

/** Throws FieldError for an annotation that is not of its type. */
export function checkAnnotations(fields: Fields): void {
  for (const name of texts) fields.string(name);
  for (const name of objects) fields.object(name);
  const metadata = fields.object('metadata');
  for (const name of metadata?.names() ?? []) metadata?.string(name);
}

/** What readSampling() leaves to the engine, which has names of its own, or does not read. Throws FieldError. */
export function checkSampling(fields: Fields): void {
  for (const name of ['repeat_penalty', 'repetition_penalty']) if (fields.raw(name) === 0) fields.refuse(name, 'must be above 0');
  for (const name of ['max_tokens', 'max_completion_tokens']) readTokenCount(fields, name);
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

const efforts = { none: false, minimal: 'low', low: 'low', medium: 'medium', high: 'high', max: 'max', xhigh: 'max', ultra: 'max' } as const;
const reasoningNames: ReadonlySet<string> = new Set(['effort', 'summary', 'generate_summary']);

/** Whether a thought is asked for, by any of its names; clients copy it into every request, and a model that does not think passes it over. Throws FieldError. */
export function readThink(fields: Fields): Conversation['think'] | undefined {
  const effortNames = Object.keys(efforts) as (keyof typeof efforts)[];
  const reasoning = fields.object('reasoning');
  if (reasoning !== undefined) {
    refuseUnknown(reasoning, reasoningNames);
    // Thoughts are given whole, whatever is said of their summary.
    for (const name of ['summary', 'generate_summary']) reasoning.oneOf(name, ['auto', 'detailed', 'concise', 'none']);
  }
  const think = fields.boolean('think');
  const outer = fields.oneOf('reasoning_effort', effortNames);
  const inner = reasoning?.oneOf('effort', effortNames);
  const effort = outer ?? inner;
  return effort === undefined ? think : efforts[effort];
}
