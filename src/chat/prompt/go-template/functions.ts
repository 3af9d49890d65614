/** The functions of Go templates: text/template's own and Ollama's. */
import { LecternError } from '../../../errors.js';
import { goRefusal } from './lexer.js';
import { type GoList, GoMap, type GoValue } from './tree.js';

type GoFunction = (args: readonly GoValue[], now: Date) => GoValue;

const comparisons: Record<string, (order: number) => boolean> = { lt: (order) => order < 0, le: (order) => order <= 0, gt: (order) => order > 0, ge: (order) => order >= 0 };

const functions: Record<string, GoFunction> = {
  eq: ([first, ...rest]) => rest.some((other) => equal(first, other)),
  ne: ([first, second]) => !equal(first, second),
  ...Object.fromEntries(Object.entries(comparisons).map(([name, holds]): [string, GoFunction] => [name, ([first, second]) => holds(order(name, first, second))])),
  not: ([value]) => !isTrue(value),
  len: ([value]) => lengthOf(value),
  index: ([value, ...keys]) => keys.reduce(indexed, value),
  slice: ([value, ...bounds]) => sliced(value, bounds),
  print: (args) => args.map((arg, place) => (place > 0 && typeof arg !== 'string' && typeof args[place - 1] !== 'string' ? ' ' : '') + printed(arg)).join(''),
  println: (args) => `${args.map(printed).join(' ')}\n`,
  printf: ([format, ...args]) => formatted(format, args),
  json: ([value]) => JSON.stringify(jsonOf(value)),
  currentDate: (_, now) => dateOf(now, 0),
  yesterdayDate: (_, now) => dateOf(now, 1),
};

/** `and` and `or` are the interpreter's: they evaluate no more arguments than they need. */
export const functionNames: ReadonlySet<string> = new Set([...Object.keys(functions), 'and', 'or']);

/** Throws `invalid_request` where the arguments do not fit. */
export function callGo(name: string, args: readonly GoValue[], now: Date): GoValue {
  const least = leastArguments[name] ?? 0;
  if (args.length < least) throw goFailure(`'${name}' needs ${least} arguments`);
  const called = functions[name];
  if (called === undefined) throw goFailure(`there is no function '${name}'`);
  return called(args, now);
}

const leastArguments: Record<string, number> = { eq: 2, ne: 2, lt: 2, le: 2, gt: 2, ge: 2, not: 1, len: 1, index: 1, slice: 1, printf: 1, json: 1 };

/** The template met values that it was not written for. */
export function goFailure(what: string): LecternError {
  return new LecternError('invalid_request', `The model's Go template cannot render this conversation: ${what}.`);
}

/** Empty texts, lists and maps, zero, false and nil are false. */
export function isTrue(value: GoValue): boolean {
  if (value instanceof GoMap) return value.isStruct || value.fields.size > 0;
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/** As an action shows it. Missing values show nothing. */
export function printed(value: GoValue): string {
  if (value === null || value === undefined) return '';
  if (value instanceof GoMap) return JSON.stringify(value.json);
  if (typeof value !== 'object') return String(value);
  return value.some((item) => item instanceof GoMap) ? JSON.stringify(jsonOf(value)) : `[${value.map(printed).join(' ')}]`;
}

/** Throws `invalid_model` for a verb that is not known. */
export function checkFormat(format: unknown): void {
  if (typeof format !== 'string') throw goRefusal('\'printf\' without a format');
  for (const [, verb] of format.matchAll(/%(.?)/gs)) if (!'svdqt%'.includes(verb || '?')) throw goRefusal(`the verb '%${verb}' of 'printf'`);
}

function formatted(format: GoValue, args: readonly GoValue[]): string {
  checkFormat(format);
  let next = 0;
  return String(format).replace(/%(.)/gs, (_, verb: string) => {
    if (verb === '%') return '%';
    const arg = args[next++];
    return verb === 'q' ? JSON.stringify(printed(arg)) : printed(arg);
  });
}

function jsonOf(value: GoValue): unknown {
  if (value instanceof GoMap) return value.json;
  return Array.isArray(value) ? (value as GoList).map(jsonOf) : value ?? null;
}

function equal(first: GoValue, second: GoValue): boolean {
  const nothing = (value: GoValue): boolean => value === null || value === undefined;
  if (nothing(first) || nothing(second)) return nothing(first) && nothing(second);
  if (typeof first === 'object' || typeof second === 'object') throw goFailure('\'eq\' of what cannot be compared');
  if (typeof first !== typeof second) throw goFailure('\'eq\' of values of different kinds');
  return first === second;
}

function order(name: string, first: GoValue, second: GoValue): number {
  if (typeof first === 'number' && typeof second === 'number') return first - second;
  if (typeof first === 'string' && typeof second === 'string') return Buffer.compare(Buffer.from(first), Buffer.from(second));
  throw goFailure(`'${name}' of what has no order`);
}

/** Of a text: its bytes, as in Go. */
function lengthOf(value: GoValue): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (value instanceof GoMap && !value.isStruct) return value.fields.size;
  if (Array.isArray(value)) return value.length;
  if (value === null || value === undefined) return 0;
  throw goFailure('\'len\' of what has no length');
}

function indexed(value: GoValue, key: GoValue): GoValue {
  if (value instanceof GoMap && typeof key === 'string') return value.fields.get(key);
  if (Array.isArray(value) && typeof key === 'number' && Number.isInteger(key) && key >= 0 && key < value.length) return (value as GoList)[key];
  if (typeof value === 'string' && typeof key === 'number') return Buffer.from(value)[key] ?? outOfRange();
  if (value === null || value === undefined) throw goFailure('\'index\' of nothing');
  return outOfRange();
}

function sliced(value: GoValue, bounds: readonly GoValue[]): GoValue {
  const length = lengthOf(value);
  const [start = 0, stop = length] = bounds;
  if (typeof start !== 'number' || typeof stop !== 'number' || !(start >= 0 && start <= stop && stop <= length) || bounds.length > 2) return outOfRange();
  if (typeof value === 'string') return Buffer.from(value).subarray(start, stop).toString();
  return Array.isArray(value) ? (value as GoList).slice(start, stop) : outOfRange();
}

function outOfRange(): never {
  throw goFailure('an index is out of range');
}

/** Local time, year-month-day. */
function dateOf(now: Date, daysBefore: number): string {
  const date = new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysBefore);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
}
