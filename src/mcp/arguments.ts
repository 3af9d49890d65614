/** What is wrong with a tool's arguments, in a sentence: the model that called reads it and tries again. */
import type { z } from 'zod';
import { LecternError } from '../errors.js';

type ArgumentIssue = z.core.$ZodIssue;

/** As many as one reads. */
const mostTold = 3;

/** The arguments as the tool takes them. Throws `invalid_request`. */
export function readArguments<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>, given: unknown): z.output<z.ZodObject<Shape>> {
  const { success, data, error } = schema.safeParse(given ?? {});
  if (success) return data;
  const told = error.issues.slice(0, mostTold).map((issue) => `${placeOf(issue.path)} ${wrongWith(issue, given)}`);
  throw new LecternError('invalid_request', `${told.join('; ')}.`);
}

/** `messages[0].role`. */
function placeOf(path: PropertyKey[]): string {
  return path.reduce<string>((place, key) => (typeof key === 'number' ? `${place}[${key}]` : place === '' ? String(key) : `${place}.${String(key)}`), '') || 'The arguments';
}

function valueAt(given: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], given);
}

const kinds: Record<string, string> = { string: 'a text', number: 'a number', int: 'a whole number', array: 'a list', object: 'an object' };

function wrongWith(issue: ArgumentIssue, given: unknown): string {
  if (valueAt(given, issue.path) === undefined) return 'is missing';
  switch (issue.code) {
    case 'invalid_type': return `must be ${kinds[issue.expected] ?? issue.expected}`;
    case 'invalid_value': return `must be one of ${issue.values.join(', ')}`;
    case 'too_small': return `must ${amountOf(issue.origin)}at least ${issue.minimum}${nounOf(issue.origin, Number(issue.minimum))}`;
    case 'too_big': return `must ${amountOf(issue.origin)}at most ${issue.maximum}${nounOf(issue.origin, Number(issue.maximum))}`;
    // A schema may bring the sentence itself.
    default: return issue.message;
  }
}

function amountOf(origin: string): string {
  return origin === 'array' ? 'have ' : 'be ';
}

function nounOf(origin: string, count: number): string {
  return origin === 'array' ? ` ${count === 1 ? 'entry' : 'entries'}` : '';
}
