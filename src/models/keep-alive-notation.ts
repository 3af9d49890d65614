/** Reads `keep_alive`, Ollama's field for the time to live of a model, which the OpenAI routes accept too, and says which values any caller may ask for. residency.ts unloads the model. */
import { LecternError } from '../errors.js';
import type { KeepAlive } from './types.js';

/** 292 years: the time to live that Ollama reports for a model without one, so long that its clients show "Forever". */
const everMs = 292 * 365.25 * 24 * 3_600_000;

/** The times to live that any caller may ask for, in ms. A shorter one unloads a model before the next caller uses it; a longer one keeps memory from all other models. */
const ordinary = { leastMs: 10_000, mostMs: 24 * 3_600_000 };

export function isOrdinary(keepAlive: KeepAlive): boolean {
  return keepAlive >= ordinary.leastMs && keepAlive <= ordinary.mostMs;
}

const unitMs: Record<string, number> = { ns: 1e-6, us: 1e-3, 'µs': 1e-3, 'μs': 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const duration = /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;

/**
 * The time to live in ms, from a number of seconds or a duration in Go's notation ("5m", "1h30m", "0"). Infinity (the model stays for ever) for negative values and for 292 years or more; undefined,
 * which means the setting's value, for null and undefined. Throws `invalid_request`.
 */
export function parseKeepAlive(value: unknown): KeepAlive | undefined {
  if (value === undefined || value === null) return undefined;
  const ms = typeof value === 'number' ? value * 1000 : typeof value === 'string' ? durationMs(value) : NaN;
  if (Number.isNaN(ms)) {
    throw new LecternError('invalid_request', `'keep_alive' must be a number of seconds or a duration such as "5m", not ${JSON.stringify(value)?.slice(0, 100)}.`);
  }
  // A JavaScript date cannot hold a time more than 270,000 years ahead, so long times count as for ever.
  return ms < 0 || ms >= everMs ? Infinity : ms;
}

function durationMs(text: string): number {
  if (text === '0' || text === '+0' || text === '-0') return 0;
  if (!duration.test(text)) return NaN;
  let ms = 0;
  for (const [, count, unit] of text.matchAll(part)) ms += Number(count) * (unitMs[unit as string] as number);
  return text.startsWith('-') ? -ms : ms;
}

/** When a model is unloaded whose last use ended at `since`; 292 years later where it stays for ever. */
export function expiryOf(since: Date, keepAlive: KeepAlive): Date {
  return new Date(since.getTime() + Math.min(keepAlive, everMs));
}
