/** Vectors of several texts, for every contract's embedding route. */
import { setMaxListeners } from 'node:events';
import type { RawPrompt } from '../chat/answer.js';
import { LecternError } from '../errors.js';
import type { Lease } from '../models/types.js';

export interface Embedded {
  vector: Float32Array;
  promptTokens: number;
}

/** Asked for at the same time: enough for the engine to fill its passes, in which each text comes out as alone. */
const atOnce = 64;

/**
 * In order. A failure is the first text's that fails, and names it. `whenTooLong` makes something else of a text that is longer than the model's
 * context, or throws what is said of it.
 */
export async function embedAll(
  lease: Lease, inputs: RawPrompt['prompt'][], options: { signal: AbortSignal; normalise?: boolean }, whenTooLong?: (index: number, error: LecternError) => Promise<Embedded>,
): Promise<Embedded[]> {
  // Each text listens for the caller's leaving.
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
  // Nothing else of a request reaches the engine.
  return new LecternError(thrown.code, count === 1 ? thrown.message : `Input ${index}: ${thrown.message}`, { cause: thrown, ...(thrown.code === 'invalid_request' ? { about: 'prompt' } : {}) });
}

/** The first `dimensions` numbers, brought to length 1 again. */
export function shorten(vector: Float32Array, dimensions: number | undefined): Float32Array {
  if (dimensions === undefined || dimensions >= vector.length) return vector;
  const kept = vector.subarray(0, dimensions);
  const length = Math.sqrt(kept.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? kept : kept.map((value) => value / length);
}

/** What itemAt() makes, one after the other: thousands of vectors are not numbers of JSON at the same time. */
export function* itemsOf(count: number, itemAt: (index: number) => unknown): Generator<unknown> {
  for (let index = 0; index < count; index += 1) yield itemAt(index);
}
