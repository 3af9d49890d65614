/** Vectors of several texts, for every contract's embedding route. */
import type { RawPrompt } from '../chat/answer.js';
import { LecternError } from '../errors.js';
import type { Lease } from '../models/types.js';

export interface Embedded {
  vector: Float32Array;
  promptTokens: number;
}

/** In order, one text at a time, so that a batch equals its texts alone. A failure names the text. */
export async function embedAll(lease: Lease, inputs: RawPrompt['prompt'][], options: { signal: AbortSignal; normalise?: boolean }): Promise<Embedded[]> {
  const embedded: Embedded[] = [];
  for (const [index, input] of inputs.entries()) {
    try {
      embedded.push(await lease.model.embed(input, options));
    } catch (thrown) {
      if (inputs.length === 1 || !(thrown instanceof LecternError) || thrown.code === 'cancelled') throw thrown;
      throw new LecternError(thrown.code, `Input ${index}: ${thrown.message}`, { cause: thrown });
    }
  }
  return embedded;
}

/** The first `dimensions` numbers, brought to length 1 again. */
export function shorten(vector: Float32Array, dimensions: number | undefined): Float32Array {
  if (dimensions === undefined || dimensions >= vector.length) return vector;
  const kept = vector.subarray(0, dimensions);
  const length = Math.sqrt(kept.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? kept : kept.map((value) => value / length);
}
