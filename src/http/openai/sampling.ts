/** OpenAI's sampling parameters, and those that other servers of this contract add to them. */
import type { Sampling } from '../../chat/conversation.js';
import { breakersName, readBiases, samplerNumbers, wrongBreakers, wrongSampler } from '../../models/sampler-options.js';
import { FieldError, type Fields, withoutUndefined } from '../fields.js';

/** Names that readSamplers() takes. */
export const samplerNames: readonly string[] = [...samplerNumbers.map(({ name }) => name), breakersName];

/** Names that readSampling() takes. */
export const samplingNames: readonly string[] = [
  ...samplerNames,
  'temperature', 'top_p', 'top_k', 'min_p', 'typical_p', 'repeat_penalty', 'repetition_penalty', 'repeat_last_n', 'presence_penalty',
  'frequency_penalty', 'logit_bias', 'seed', 'stop', 'max_tokens', 'max_completion_tokens', 'ignore_eos',
];

/** Seeds of clients go up to 2^63; the engine's to 2^53. */
const seedModulus = 2 ** 53;
/** A count of tokens: the engine counts so far. */
export const tokenCount = { least: 1, most: 2 ** 31 - 1 };

/** A bound of tokens by any of its names; -1, which some clients send, is none. Throws FieldError. */
export function readTokenCount(fields: Fields, name: string): number | undefined {
  return fields.raw(name) === -1 ? undefined : fields.integer(name, tokenCount);
}

/** Throws FieldError. */
export function readSampling(fields: Fields): Sampling {
  const seed = fields.number('seed');
  if (seed !== undefined && !Number.isInteger(seed)) fields.refuse('seed', 'must be an integer');
  return withoutUndefined({
    temperature: fields.number('temperature', { least: 0, most: 100 }),
    topP: fields.number('top_p', { least: 0, most: 1 }),
    topK: positive(fields.integer('top_k', { least: -1, most: 2 ** 31 - 1 })),
    minP: fields.number('min_p', { least: 0, most: 1 }),
    typicalP: fields.number('typical_p', { least: 0, most: 1 }),
    repeatPenalty: fields.number(fields.has('repeat_penalty') ? 'repeat_penalty' : 'repetition_penalty', { least: 0, most: 100 }),
    repeatLastN: fields.integer('repeat_last_n', { least: -1, most: 2 ** 31 - 1 }),
    presencePenalty: fields.number('presence_penalty', { least: -2, most: 2 }),
    frequencyPenalty: fields.number('frequency_penalty', { least: -2, most: 2 }),
    logitBias: readLogitBias(fields),
    seed: seed === undefined ? undefined : withinModulus(seed),
    stop: readStop(fields),
    maxTokens: readTokenCount(fields, 'max_completion_tokens') ?? readTokenCount(fields, 'max_tokens'),
    ignoreEnd: fields.boolean('ignore_eos'),
    ...readSamplers(fields),
  });
}

/** llama.cpp's samplers beyond the common ones. Throws FieldError. */
export function readSamplers(fields: Fields): Sampling {
  const read: Record<string, unknown> = {};
  for (const number of samplerNumbers) {
    const value = number.isInteger === true ? fields.integer(number.name) : fields.number(number.name);
    if (value === undefined) continue;
    const wrong = wrongSampler(number, value);
    if (wrong !== null) fields.refuse(number.name, `must be ${wrong}`);
    read[number.key] = value;
  }
  const breakers = fields.strings(breakersName);
  const wrong = breakers === undefined ? null : wrongBreakers(breakers);
  if (wrong !== null) fields.refuse(breakersName, `may hold ${wrong}`);
  return withoutUndefined({ ...read, drySequenceBreakers: breakers });
}

/** Exact: a sum beyond the modulus would lose the last bit. */
function withinModulus(seed: number): number {
  const rest = seed % seedModulus;
  return rest < 0 ? rest + seedModulus : rest;
}

/** Some clients say -1 for all. */
function positive(count: number | undefined): number | undefined {
  return count === undefined ? undefined : Math.max(0, count);
}

function readStop(fields: Fields): string[] | undefined {
  const stop = fields.strings('stop');
  if (stop?.some((text) => text === '')) fields.refuse('stop', 'must not hold an empty string');
  return stop;
}

/** Throws FieldError for a bias of a token that the model does not have. */
export function refuseStrangeBiases({ logitBias }: Sampling, vocabularySize: number): void {
  const strange = logitBias?.find(([token]) => typeof token === 'number' && token >= vocabularySize)?.[0];
  if (strange !== undefined) throw new FieldError(`logit_bias.${strange}`, `'logit_bias' names the token id ${strange}, which is none of the model's ${vocabularySize}.`);
}

/** Throws FieldError. */
function readLogitBias(fields: Fields): Sampling['logitBias'] {
  const value = fields.raw('logit_bias');
  if (value === undefined) return undefined;
  const read = readBiases(value);
  if ('biases' in read) return read.biases;
  const path = read.wrong === null ? fields.at('logit_bias') : `${fields.at('logit_bias')}.${read.wrong}`;
  throw new FieldError(path, `'${path}' ${read.must}.`);
}
