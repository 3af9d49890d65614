/** The sampling that a model of an Ollama store carries in its parameters layer, and the names of Ollama's options. */
import type { GenerateOptions } from '../engine/port.js';

type SamplingKey = 'temperature' | 'topK' | 'topP' | 'minP' | 'typicalP' | 'repeatPenalty' | 'repeatLastN' | 'presencePenalty' | 'frequencyPenalty' | 'seed' | 'maxTokens' | 'stop';
export type LayerSampling = Pick<GenerateOptions, SamplingKey>;

export interface OptionKind {
  key: SamplingKey;
  /** Go's name, for the text of the refusal. */
  type: 'float32' | 'integer' | 'array';
  fits(value: unknown): boolean;
}

const float = (key: SamplingKey, least: number, most: number): OptionKind => ({ key, type: 'float32', fits: (value) => Number.isFinite(value) && (value as number) >= least && (value as number) <= most });
const integer = (key: SamplingKey): OptionKind => ({ key, type: 'integer', fits: Number.isSafeInteger });

/** Ollama's options that choose tokens. */
export const samplingOptions: ReadonlyMap<string, OptionKind> = new Map([
  ['temperature', float('temperature', 0, 100)],
  ['top_k', integer('topK')],
  ['top_p', float('topP', 0, 1)],
  ['min_p', float('minP', 0, 1)],
  ['typical_p', float('typicalP', 0, 1)],
  ['repeat_penalty', float('repeatPenalty', 0, 100)],
  ['repeat_last_n', integer('repeatLastN')],
  ['presence_penalty', float('presencePenalty', -100, 100)],
  ['frequency_penalty', float('frequencyPenalty', -100, 100)],
  ['seed', integer('seed')],
  ['num_predict', integer('maxTokens')],
  ['stop', { key: 'stop', type: 'array', fits: (value: unknown) => typeof value === 'string' || (Array.isArray(value) && value.every((item) => typeof item === 'string')) }],
]);

/** Options of loading and of features that do not exist here; they are taken and change no answer. */
export const otherOptions: ReadonlySet<string> = new Set([
  'num_ctx', 'num_keep', 'num_batch', 'num_gpu', 'main_gpu', 'use_mmap', 'use_mlock', 'num_thread', 'numa', 'low_vram', 'f16_kv', 'vocab_only', 'draft_num_predict',
  'mirostat', 'mirostat_eta', 'mirostat_tau', 'tfs_z', 'penalize_newline', 'logits_all',
]);

const seedModulus = 2 ** 53;

/** One option in the engine's words; nothing for one that says "the default" (a negative seed or count). */
export function toSampling(kind: OptionKind, value: unknown): LayerSampling {
  if (kind.key === 'stop') {
    const stop = [value as string | string[]].flat().filter((text) => text !== '');
    return stop.length > 0 ? { stop } : {};
  }
  const number = value as number;
  if (kind.key === 'seed') return number < 0 ? {} : { seed: number % seedModulus };
  if (kind.key === 'maxTokens') return number < 0 ? {} : { maxTokens: number };
  if (kind.key === 'topK') return { topK: Math.max(0, number) };
  if (kind.key === 'repeatLastN') return { repeatLastN: Math.max(-1, number) };
  return { [kind.key]: number };
}

/** What is malformed in a layer is passed over: the model's author wrote it, not the client. */
export function layerSampling(parameters: Record<string, unknown>): LayerSampling {
  const parts = Object.entries(parameters).map(([name, value]) => {
    const kind = samplingOptions.get(name);
    return kind !== undefined && kind.fits(value) ? toSampling(kind, value) : {};
  });
  return Object.assign({}, ...parts) as LayerSampling;
}
