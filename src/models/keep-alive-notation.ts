/** How long a model stays: the notations of the contracts, and the time that stands for ever. */
import { LecternError } from '../errors.js';
import type { KeepAlive } from './types.js';

/** What Ollama shows for a model that stays for ever: so far ahead that its clients say "Forever". */
const everMs = 292 * 365.25 * 24 * 3_600_000;

/** What anybody may ask for. Less takes a model from those who would come next, more keeps its memory from all others. */
const ordinary = { leastMs: 10_000, mostMs: 24 * 3_600_000 };

export function isOrdinary(keepAlive: KeepAlive): boolean {
  return keepAlive >= ordinary.leastMs && keepAlive <= ordinary.mostMs;
}

const unitMs: Record<string, number> = { ns: 1e-6, us: 1e-3, 'µs': 1e-3, 'μs': 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const duration = /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;

/**
 * A number of seconds or a duration as Go writes them ("5m", "1h30m", "0"); negative, or centuries: for ever. Null and undefined: as the settings
 * say. Throws `invalid_request`.
 */
export function parseKeepAlive(value: unknown): KeepAlive | undefined {
  if (value === undefined || value === null) return undefined;
  const ms = typeof value === 'number' ? value * 1000 : typeof value === 'string' ? durationMs(value) : NaN;
  if (Number.isNaN(ms)) {
    throw new LecternError('invalid_request', `'keep_alive' must be a number of seconds or a duration such as "5m", not ${JSON.stringify(value)?.slice(0, 100)}.`);
  }
  // Dates end some 270,000 years ahead: what is longer than for ever is for ever.
  return ms < 0 || ms >= everMs ? Infinity : ms;
}

function durationMs(text: string): number {
  if (text === '0' || text === '+0' || text === '-0') return 0;
  if (!duration.test(text)) return NaN;
  let ms = 0;
  for (const [, count, unit] of text.matchAll(part)) ms += Number(count) * (unitMs[unit as string] as number);
  return text.startsWith('-') ? -ms : ms;
}

/** When a model leaves whose last use ended at `since`. */
export function expiryOf(since: Date, keepAlive: KeepAlive): Date {
  return new Date(since.getTime() + Math.min(keepAlive, everMs));
}
