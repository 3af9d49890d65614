/** Vectors of several texts, for every contract's embedding route. */
import { setMaxListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
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

/** Other requests come between the parts of a long answer that take so long. */
const longestTurnMs = 5;

/** An object with the fields of `before`, then the list `name` of `count` items, then the fields of `after`; written part by part, as thousands of vectors take seconds. */
export async function sendList(reply: FastifyReply, before: object, name: string, count: number, itemAt: (index: number) => unknown, after: object): Promise<FastifyReply> {
  const [head, tail] = [JSON.stringify(before).slice(0, -1), JSON.stringify(after).slice(1)];
  const parts: Buffer[] = [];
  let text = `${head}${head === '{' ? '' : ','}${JSON.stringify(name)}:[`;
  let began = performance.now();
  for (let index = 0; index < count; index += 1) {
    text += `${index === 0 ? '' : ','}${JSON.stringify(itemAt(index))}`;
    if (performance.now() - began < longestTurnMs) continue;
    parts.push(Buffer.from(text));
    text = '';
    await nextTurn();
    began = performance.now();
  }
  parts.push(Buffer.from(`${text}]${tail === '}' ? '' : ','}${tail}`));
  return reply.code(200).header('content-type', 'application/json').send(Buffer.concat(parts));
}
