/** The samplers of llama.cpp beyond the common ones: names of their request fields, the engine's options, ranges. Every route reads them by this table. */
import type { GenerateOptions } from '../engine/port.js';

export type SamplerKey = 'draftMax' | 'draftMin' | 'topNSigma' | 'xtcProbability' | 'xtcThreshold' | 'dynatempRange' | 'dynatempExponent' | 'mirostat' | 'mirostatTau' | 'mirostatEta' | 'dryMultiplier' | 'dryBase' | 'dryAllowedLength' | 'dryPenaltyLastN';

export interface SamplerNumber {
  name: string;
  key: SamplerKey;
  least: number;
  most: number;
  /** For OpenAPI. */
  meaning: string;
  isInteger?: true;
}

const mostCount = 2 ** 31 - 1;

export const samplerNumbers: readonly SamplerNumber[] = [
  { name: 'top_n_sigma', key: 'topNSigma', least: -1000, most: 1000, meaning: 'Tokens at most so many standard deviations below the best; 0 and below: all.' },
  { name: 'xtc_probability', key: 'xtcProbability', least: 0, most: 1, meaning: 'How often XTC takes out the most probable tokens.' },
  { name: 'xtc_threshold', key: 'xtcThreshold', least: 0, most: 1, meaning: 'Of XTC; above 0.5: off.' },
  { name: 'dynatemp_range', key: 'dynatempRange', least: 0, most: 100, meaning: 'The temperature follows the entropy by so much; 0: off.' },
  { name: 'dynatemp_exponent', key: 'dynatempExponent', least: 0, most: 100, meaning: 'Of the entropy.' },
  { name: 'mirostat', key: 'mirostat', least: 0, most: 2, isInteger: true, meaning: '2: Mirostat 2 in the place of truncations and penalties; 0: off. 1 is not supported.' },
  { name: 'mirostat_tau', key: 'mirostatTau', least: 0, most: 1000, meaning: 'Surprise that Mirostat aims at, in bits.' },
  { name: 'mirostat_eta', key: 'mirostatEta', least: 0, most: 1000, meaning: 'Learning rate of Mirostat.' },
  { name: 'dry_multiplier', key: 'dryMultiplier', least: 0, most: 1000, meaning: 'Penalty of tokens that make a repetition longer; 0: off.' },
  { name: 'dry_base', key: 'dryBase', least: 1, most: 1000, meaning: 'Growth of that penalty for each token.' },
  { name: 'dry_allowed_length', key: 'dryAllowedLength', least: 0, most: mostCount, isInteger: true, meaning: 'Repetitions up to this length have no penalty.' },
  { name: 'speculative.n_max', key: 'draftMax', least: 0, most: mostCount, isInteger: true, meaning: 'Tokens suggested by the text itself that a pass verifies at most; 0: none. The answer does not depend on it.' },
  { name: 'speculative.n_min', key: 'draftMin', least: 0, most: mostCount, isInteger: true, meaning: 'So many are verified where the text suggests them, though fewer would be faster.' },
  { name: 'dry_penalty_last_n', key: 'dryPenaltyLastN', least: -1, most: mostCount, isInteger: true, meaning: 'Tokens in which repetitions are found; -1: all.' },
];

export const breakersName = 'dry_sequence_breakers';
/** Each token is compared with all of them: 64 of 124 bytes took 16 ms a token at 920 tokens (native/llm/sampling/repetitions.h). llama.cpp cuts one to 40 characters. */
const mostBreakers = 16;
const mostBreakerBytes = 40;

/** Null for a value of the right type that is supported, else what it must be. */
export function wrongSampler(number: SamplerNumber, value: number): string | null {
  if (number.key === 'mirostat' && value === 1) return '0 or 2: the first version of Mirostat is not supported';
  return value >= number.least && value <= number.most ? null : `from ${number.least} to ${number.most}`;
}

/** Null where the sequence breakers are supported, else what they must be. */
export function wrongBreakers(breakers: readonly string[]): string | null {
  if (breakers.length > mostBreakers) return `at most ${mostBreakers} strings`;
  return breakers.some((text) => text === '' || Buffer.byteLength(text) > mostBreakerBytes) ? `strings of 1 to ${mostBreakerBytes} bytes` : null;
}

type Bias = NonNullable<GenerateOptions['logitBias']>[number];

/** The contract's range is -100 to 100, where -100 forbids. */
const mostBias = 100;

/**
 * `logit_bias` as OpenAI has it, an object by token ids, and as llama.cpp has it: names that are no numbers are texts, each token of which gets the bias, a list of pairs is the same,
 * and false forbids. Returns the biases, or the name of a wrong entry (null: the value as a whole) and what it must be.
 */
export function readBiases(value: unknown): { biases: Bias[] } | { wrong: string | null; must: string } {
  if (typeof value !== 'object' || value === null) return { wrong: null, must: 'must be an object or a list of pairs' };
  const biases: Bias[] = [];
  for (const [index, pair] of (Array.isArray(value) ? value as unknown[] : Object.entries(value).filter(([, bias]) => bias !== null)).entries()) {
    if (!Array.isArray(pair) || pair.length !== 2) return { wrong: String(index), must: 'must be a pair of a token id or a text, and a bias' };
    const [name, given] = pair as [unknown, unknown];
    const label = Array.isArray(value) ? String(index) : String(name);
    const token = typeof name === 'string' && !Array.isArray(value) && /^\d{1,9}$/.test(name) ? Number(name) : name;
    const isToken = typeof token === 'string' ? token !== '' : Number.isInteger(token) && (token as number) >= 0;
    if (!isToken) return { wrong: label, must: 'must be named by a token id or a text' };
    const bias = given === false ? -Infinity : given;
    if (typeof bias !== 'number' || Number.isNaN(bias) || (given !== false && !(Math.abs(bias) <= mostBias))) return { wrong: label, must: `must be a number from ${-mostBias} to ${mostBias}, or false` };
    biases.push([token as number | string, bias <= -mostBias ? -Infinity : bias]);
  }
  return { biases };
}
