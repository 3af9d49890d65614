/** Whether a model is whole and runs here: its digest where one is known, then a few tokens of its own. */
import { basename } from 'node:path';
import type { DeviceInfo, LanguageModel } from '../engine/port.js';
import type { Engine } from '../engine/engine-port.js';
import { asLecternError, LecternError } from '../errors.js';
import { explainModel } from '../models/explain.js';
import { describeBytes } from '../models/fit.js';
import { digestOf } from '../models/pull/download.js';
import type { CatalogueEntry } from '../models/types.js';

const blobName = /^sha256-([0-9a-f]{64})$/;
/** Enough to show that it runs. */
const context = 256;
const tokens = 16;

export interface Checked {
  name: string;
  ok: boolean;
  /** What was found, in one line. */
  findings: string;
  /** Of a model that was asked for by itself: a line for each thing that the file says or that it needs. */
  details?: string[];
}

/** Where the service would load it. */
export interface LoadPlace {
  kind: DeviceInfo['kind'];
  budgetBytes: number;
}

/** Contexts for which the memory is reported, in tokens; a model's own is the largest. */
const contexts = [4096, 8192, 16384, 32768, 65536, 131072];

/** Each type of the file's tensors, with its tensors and its share of all weights, the most frequent one first. */
function typeMix(tensors: readonly { type: string; shape: readonly number[] }[]): string {
  const byType = new Map<string, { tensors: number; weights: number }>();
  let all = 0;
  for (const { type, shape } of tensors) {
    const weights = shape.reduce((product, length) => product * length, 1);
    const known = byType.get(type) ?? { tensors: 0, weights: 0 };
    byType.set(type, { tensors: known.tensors + 1, weights: known.weights + weights });
    all += weights;
  }
  const types = [...byType].sort(([, a], [, b]) => b.weights - a.weights);
  return types.map(([type, { tensors: count, weights }]) => `${type} in ${count} tensor${count === 1 ? '' : 's'} (${(weights / all * 100).toFixed(1)} %)`).join(', ');
}

/** What the file is: types of weights, tokenizer, template; then the memory of each context, for one answer and for two at a time. */
export async function describeFile(entry: CatalogueEntry, engine: Engine, { kind }: LoadPlace): Promise<string[]> {
  const { description, details, chatTemplate, goTemplate } = entry;
  const { metadata, tensors } = description;
  const text = (key: string): string => String(metadata[`tokenizer.ggml.${key}`] ?? 'not named');
  const lines = [
    `weights: ${details.parameterSize} of parameters, mostly ${details.quantizationLevel}, ${describeBytes(entry.sizeBytes)}`,
    `types: ${typeMix(tensors)}`,
    `tokenizer: ${text('model')}, pre-tokenizer ${text('pre')}, ${description.vocabularySize} tokens`,
    `template: ${goTemplate !== null ? 'of the store' : chatTemplate !== null ? 'of the file' : 'none'}`,
  ];
  const most = description.context > 0 ? description.context : Infinity;
  const bytesOf = async (context: number, slots: number): Promise<string> => {
    const { weightBytes, kvBytes, workBytes } = await engine.memoryNeed(entry.path, { device: kind, slots, context });
    return describeBytes(weightBytes + kvBytes + workBytes);
  };
  for (const context of [...contexts.filter((one) => one < most), ...(most <= (contexts.at(-1) as number) ? [most] : [])]) {
    lines.push(`memory with ${context} tokens of context: ${await bytesOf(context, 1)}${description.embeds || description.ranks ? '' : `, with two answers at a time ${await bytesOf(context, 2)}`}`);
  }
  return lines;
}

/** Resolves also for a broken model: its findings say what is wrong. */
export async function checkModel(entry: CatalogueEntry, engine: Engine, place: LoadPlace): Promise<Checked> {
  try {
    const findings = [await checkDigest(entry.path), await checkRun(entry, engine, place)].filter((finding) => finding !== null);
    return { name: entry.name, ok: true, findings: [findings.join(', '), ...explainModel(entry)].join('; ') };
  } catch (thrown) {
    return { name: entry.name, ok: false, findings: asLecternError(thrown).message };
  }
}

/** Blobs of a store are called by their digests; other files have none to be held against. */
async function checkDigest(path: string): Promise<string | null> {
  const [, expected] = blobName.exec(basename(path)) ?? [];
  if (expected === undefined) return null;
  if (await digestOf(path) !== `sha256:${expected}`) throw new LecternError('invalid_model', `The bytes of ${path} are not those of its digest; pull it again.`);
  return 'digest fits';
}

async function checkRun(entry: CatalogueEntry, engine: Engine, { kind, budgetBytes }: LoadPlace): Promise<string> {
  const shape = { device: kind, slots: 1, context: Math.min(context, entry.description.context || context) };
  const { weightBytes, kvBytes, workBytes } = await engine.memoryNeed(entry.path, shape);
  const need = weightBytes + kvBytes + workBytes;
  if (need > budgetBytes) return `not opened: it needs ${describeBytes(need)}, and ${describeBytes(budgetBytes)} can be had`;
  const began = performance.now();
  const model = await engine.openModel(entry.path, shape);
  try {
    const openS = (performance.now() - began) / 1000;
    return `opened in ${openS.toFixed(1)} s, ${await run(model)}`;
  } finally {
    await model.close();
  }
}

async function run(model: LanguageModel): Promise<string> {
  if (model.info.ranks) {
    const { score } = await model.rank('hello', 'hello');
    if (!Number.isFinite(score)) throw new LecternError('invalid_model', 'It gives a score that is no number.');
    return `scores pairs of texts (${score.toFixed(2)} for two equal ones)`;
  }
  if (model.info.embeds) {
    const { vector } = await model.embed('hello');
    if (!vector.every(Number.isFinite)) throw new LecternError('invalid_model', 'It gives vectors that hold no numbers.');
    return `gives vectors of ${vector.length} numbers`;
  }
  const { completionTokens, decodeMs } = await model.generate('hello', { maxTokens: tokens, temperature: 0, ignoreEnd: true });
  return `writes ${(completionTokens / decodeMs * 1000).toFixed(1)} tokens/s alone`;
}
