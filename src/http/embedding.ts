/** Embeds the texts of a request, for the embedding routes of the OpenAI and Ollama contracts. */
import { setMaxListeners } from 'node:events';
import type { RawPrompt } from '../chat/answer.js';
import { LecternError } from '../errors.js';
import type { Lease } from '../models/types.js';

export interface Embedded {
  vector: Float32Array;
  promptTokens: number;
}

/** Texts given to the engine at the same time: enough to fill its batches. The vector of a text does not depend on the texts beside it. */
const atOnce = 64;

/**
 * The results in the order of `inputs`. Rejects with the error of the first text that fails; its message gives the index of the text. `whenTooLong` is called for a text that is longer than the
 * model's context: it returns another result, or throws the error that is reported.
 */
export async function embedAll(
  lease: Lease, inputs: RawPrompt['prompt'][], options: { signal: AbortSignal; normalise?: boolean }, whenTooLong?: (index: number, error: LecternError) => Promise<Embedded>,
): Promise<Embedded[]> {
  // Each text adds a listener to the signal, and Node warns of more than ten.
  setMaxListeners(0, options.signal);
  const embedded: Embedded[] = [];
  while (embedded.length < inputs.length) {
    const outcomes = await Promise.allSettled(inputs.slice(embedded.length, embedded.length + atOnce).map((input) => lease.model.embed(input, options)));
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') embedded.push(outcome.value);
      else if (whenTooLong !== undefined && outcome.reason instanceof LecternError && outcome.reason.code === 'context_overflow') embedded.push(await whenTooLong(embedded.length, outcome.reason));
      else throw naming(outcome.reason, embedded.length, inputs.length);
    }
  }
  return embedded;
}

function naming(thrown: unknown, index: number, count: number): unknown {
  if (!(thrown instanceof LecternError) || thrown.code === 'cancelled') return thrown;
  // The texts are all of the request that reaches the engine, so an invalid request is invalid for its prompt.
  return new LecternError(thrown.code, count === 1 ? thrown.message : `Input ${index}: ${thrown.message}`, { cause: thrown, ...(thrown.code === 'invalid_request' ? { about: 'prompt' } : {}) });
}

/** The first `dimensions` numbers, brought to length 1 again. */
export function shorten(vector: Float32Array, dimensions: number | undefined): Float32Array {
  if (dimensions === undefined || dimensions >= vector.length) return vector;
  const kept = vector.subarray(0, dimensions);
  const length = Math.sqrt(kept.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? kept : kept.map((value) => value / length);
}

/** Yields itemAt(0) to itemAt(count - 1), each when it is asked for, so that thousands of vectors are not in memory as JSON numbers at the same time. */
export function* itemsOf(count: number, itemAt: (index: number) => unknown): Generator<unknown> {
  for (let index = 0; index < count; index += 1) yield itemAt(index);
}
