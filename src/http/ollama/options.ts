/** Ollama's `options`: defaults, then the model's own parameters, then the request. */
import type { Sampling } from '../../chat/conversation.js';
import { layerSampling, otherOptions, samplingOptions, toSampling } from '../../models/layer-sampling.js';
import type { CatalogueEntry } from '../../models/types.js';
import type { Log } from '../dependencies.js';
import { FieldError, type Fields } from '../fields.js';

/** The contract's defaults. */
const defaults: Sampling = { temperature: 0.8, topK: 40, topP: 0.9, repeatLastN: 64 };

export interface Options {
  sampling: Sampling;
  /** Tokens the client wants room for; a request for more than the model has is refused where the model is known. */
  context: number | undefined;
}

/** `num_ctx` among them has its type when this is through. Unknown options are passed over with a line in the log, as the contract has it. Throws FieldError for one of the wrong type. */
export function readOptions(fields: Fields, entry: CatalogueEntry, log: Log, requestId: string): Options {
  const options = fields.object('options');
  const names = (options?.names() ?? []).filter((name) => options?.has(name));
  const asked = names.map((name) => readOption(name, options?.raw(name)));
  const unknown = names.filter((name) => !samplingOptions.has(name) && !otherOptions.has(name)).length;
  // How many, not which: an unknown name is whatever a client wrote there.
  if (unknown > 0) log.warn({ requestId, unknown }, 'options of a request are unknown and were passed over');
  return {
    sampling: Object.assign({}, defaults, layerSampling(entry.parameters), ...asked, readLogprobs(fields)) as Sampling,
    // Clients send a number of their own with every model; none has more than it was trained for.
    context: options?.has('num_ctx') === true ? Math.min(options.raw('num_ctx') as number, entry.description.context) : undefined,
  };
}

function readOption(name: string, value: unknown): Sampling {
  const kind = samplingOptions.get(name);
  if (kind === undefined) {
    const type = otherOptions.get(name);
    if ((type === 'integer' && !Number.isSafeInteger(value)) || (type === 'boolean' && typeof value !== 'boolean')) throw notOfType(name, type);
    return {};
  }
  if (!kind.hasType(value)) throw notOfType(name, kind.type);
  const wrong = kind.wrong(value);
  if (wrong !== null) throw new FieldError(`options.${name}`, `option "${name}" must be ${wrong}`);
  return toSampling(kind, value);
}

function notOfType(name: string, type: string): FieldError {
  return new FieldError(`options.${name}`, `option "${name}" must be of type ${type}`);
}

const mostLogprobs = 20;

function readLogprobs(fields: Fields): Sampling {
  const top = fields.integer('top_logprobs');
  if (top !== undefined && (top < 0 || top > mostLogprobs)) throw new FieldError('top_logprobs', `top_logprobs must be between 0 and ${mostLogprobs}`);
  return fields.boolean('logprobs') === true ? { logprobs: top ?? 0 } : {};
}
