/** OpenAI's sampling parameters, and those that other servers of this contract add to them. */
import type { Sampling } from '../../chat/conversation.js';
import { FieldError, type Fields, withoutUndefined } from '../fields.js';

/** Names that readSampling() takes. */
export const samplingNames = [
  'temperature', 'top_p', 'top_k', 'min_p', 'typical_p', 'repeat_penalty', 'repetition_penalty', 'repeat_last_n', 'presence_penalty',
  'frequency_penalty', 'logit_bias', 'seed', 'stop', 'max_tokens', 'max_completion_tokens', 'ignore_eos',
] as const;

/** Seeds of clients go up to 2^63; the engine's to 2^53. */
const seedModulus = 2 ** 53;
const mostBias = 100;
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
    logitBias: readLogitBias(fields.object('logit_bias')),
    seed: seed === undefined ? undefined : withinModulus(seed),
    stop: readStop(fields),
    maxTokens: readTokenCount(fields, 'max_completion_tokens') ?? readTokenCount(fields, 'max_tokens'),
    ignoreEnd: fields.boolean('ignore_eos'),
  });
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
  const strange = logitBias?.find(([id]) => id >= vocabularySize)?.[0];
  if (strange !== undefined) throw new FieldError(`logit_bias.${strange}`, `'logit_bias' names the token id ${strange}, which is none of the model's ${vocabularySize}.`);
}

/** `{"token id": bias}`; the contract's range is -100 to 100, where -100 forbids and 100 forces. */
function readLogitBias(fields: Fields | undefined): [number, number][] | undefined {
  return fields?.names().map((name) => {
    if (!/^\d{1,9}$/.test(name)) throw new FieldError(fields.at(name), `'${fields.at(name)}' must be named by a token id.`);
    const bias = fields.require(name, fields.number(name, { least: -mostBias, most: mostBias }));
    return [Number(name), bias <= -mostBias ? -Infinity : bias];
  });
}
