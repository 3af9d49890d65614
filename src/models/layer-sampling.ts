/** The sampling that a model of an Ollama store carries in its parameters layer, and the names of Ollama's options. */
import type { GenerateOptions } from '../engine/port.js';
import { breakersName, readBiases, type SamplerKey, samplerNumbers, wrongBreakers, wrongSampler } from './sampler-options.js';

type SamplingKey = SamplerKey | 'drySequenceBreakers' | 'logitBias' | 'temperature' | 'topK' | 'topP' | 'minP' | 'typicalP' | 'repeatPenalty' | 'repeatLastN' | 'presencePenalty' | 'frequencyPenalty' | 'seed' | 'maxTokens' | 'stop';
export type LayerSampling = Pick<GenerateOptions, SamplingKey>;

export interface OptionKind {
  key: SamplingKey;
  /** Go's name of the type, for the message of the error. */
  type: 'float32' | 'integer' | 'array' | 'map';
  hasType(value: unknown): boolean;
  /** Null for a valid value, else what a value of the type must be beyond its type. */
  wrong(value: unknown): string | null;
}

/** `above`: `least` itself is too small. */
function float(key: SamplingKey, least: number, most: number, above = false): OptionKind {
  const fits = (value: number): boolean => value <= most && (above ? value > least : value >= least);
  return { key, type: 'float32', hasType: Number.isFinite, wrong: (value) => (fits(value as number) ? null : above ? `above ${least} and at most ${most}` : `from ${least} to ${most}`) };
}

const integer = (key: SamplingKey): OptionKind => ({ key, type: 'integer', hasType: Number.isSafeInteger, wrong: () => null });

/** Values that the engine accepts. */
export const mostStops = 1024;
export const mostStopBytes = 4096;

/** Null where the stop strings are valid, else what they must be. */
export function wrongStops(stops: readonly string[]): string | null {
  if (stops.length > mostStops) return `at most ${mostStops} strings`;
  return stops.some((stop) => Buffer.byteLength(stop) > mostStopBytes) ? `strings of at most ${mostStopBytes} bytes` : null;
}

const isStrings = (value: unknown): boolean => typeof value === 'string' || (Array.isArray(value) && value.every((item) => typeof item === 'string'));

/** Ollama's options of sampling, and those of llama.cpp. */
export const samplingOptions: ReadonlyMap<string, OptionKind> = new Map<string, OptionKind>([
  ['temperature', float('temperature', 0, 100)],
  ['top_k', integer('topK')],
  ['top_p', float('topP', 0, 1)],
  ['min_p', float('minP', 0, 1)],
  ['typical_p', float('typicalP', 0, 1)],
  ['repeat_penalty', float('repeatPenalty', 0, 100, true)],
  ['repeat_last_n', integer('repeatLastN')],
  ['presence_penalty', float('presencePenalty', -100, 100)],
  ['frequency_penalty', float('frequencyPenalty', -100, 100)],
  ['seed', integer('seed')],
  ['num_predict', integer('maxTokens')],
  ['draft_num_predict', integer('draftMax')],
  ['stop', {
    key: 'stop', type: 'array',
    hasType: isStrings,
    wrong: (value) => wrongStops([value as string | string[]].flat()),
  }],
  ...samplerNumbers.map((number): [string, OptionKind] => [number.name, {
    key: number.key, type: number.isInteger === true ? 'integer' : 'float32', hasType: number.isInteger === true ? Number.isSafeInteger : Number.isFinite, wrong: (value) => wrongSampler(number, value as number),
  }]),
  [breakersName, { key: 'drySequenceBreakers', type: 'array', hasType: isStrings, wrong: (value) => wrongBreakers([value as string | string[]].flat()) }],
  ['logit_bias', {
    key: 'logitBias', type: 'map', hasType: (value) => typeof value === 'object',
    wrong: (value) => {
      const read = readBiases(value);
      return 'biases' in read ? null : `an object or a list of biases, of which ${read.wrong ?? 'all'} ${read.must}`;
    },
  }],
]);

/** Ollama's options of loading, with their types, and those that Ollama has removed, without. They are accepted and ignored. */
export const otherOptions: ReadonlyMap<string, 'integer' | 'boolean' | null> = new Map([
  ...['num_ctx', 'num_keep', 'num_batch', 'num_gpu', 'main_gpu', 'num_thread'].map((name) => [name, 'integer'] as const),
  ['use_mmap', 'boolean'],
  ...['use_mlock', 'numa', 'low_vram', 'f16_kv', 'vocab_only', 'tfs_z', 'penalize_newline', 'logits_all'].map((name) => [name, null] as const),
]);

/** The engine's largest count; larger values mean the same as no limit. */
const mostCount = 2 ** 31 - 1;
const seedModulus = 2 ** 53;

/** One option as the engine's sampling option; none where its value means the default (a negative seed or count). */
export function toSampling(kind: OptionKind, value: unknown): LayerSampling {
  if (kind.key === 'stop') {
    const stop = [value as string | string[]].flat().filter((text) => text !== '');
    return stop.length > 0 ? { stop } : {};
  }
  if (kind.key === 'drySequenceBreakers') return { drySequenceBreakers: [value as string | string[]].flat() };
  if (kind.key === 'logitBias') {
    const read = readBiases(value);
    return 'biases' in read ? { logitBias: read.biases } : {};
  }
  const number = value as number;
  if (kind.key === 'seed') return number < 0 ? {} : { seed: number % seedModulus };
  if (kind.key === 'maxTokens') return number < 0 ? {} : { maxTokens: Math.min(number, mostCount) };
  if (kind.key === 'draftMax') return number < 0 ? {} : { draftMax: Math.min(number, mostCount) };
  if (kind.key === 'topK') return { topK: Math.min(Math.max(0, number), mostCount) };
  if (kind.key === 'repeatLastN') return { repeatLastN: Math.min(Math.max(-1, number), mostCount) };
  return { [kind.key]: number };
}

/** Reads the sampling options of a parameters layer. Malformed ones are ignored, because the model's author wrote them and not the client. */
export function layerSampling(parameters: Record<string, unknown>): LayerSampling {
  const parts = Object.entries(parameters).map(([name, value]) => {
    const kind = samplingOptions.get(name);
    return kind !== undefined && kind.hasType(value) && kind.wrong(value) === null ? toSampling(kind, value) : {};
  });
  return Object.assign({}, ...parts) as LayerSampling;
}
