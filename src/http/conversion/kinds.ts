/** Kinds of value a request may hold: how each is read, what is said of a bad one, and how it is described to clients. */
import type { Issue, Location } from '../error-reply.js';

export type JsonSchema = Record<string, unknown>;
/** Named schemas that were met while describing. */
export type Components = Map<string, JsonSchema>;

/** Reads JSON values and form texts alike: numbers and booleans may come as text, as the contract's validator allows. */
export interface Kind<T> {
  /** undefined when it is bad; then an issue was added. null is a value of nullable kinds. */
  read(value: unknown, at: Location, issues: Issue[]): T | undefined;
  describe(components: Components): JsonSchema;
  /** In a form such a value comes as JSON text. */
  jsonText?: true;
  /** In a form the field is repeated. */
  repeated?: true;
}

export type ValueOf<K> = K extends Kind<infer T> ? T : never;

function bad(issues: Issue[], loc: Location, type: string, msg: string): undefined {
  issues.push({ type, loc, msg });
  return undefined;
}

export const flag: Kind<boolean> = {
  read(value, at, issues) {
    if (typeof value === 'boolean') return value;
    if (value === 1 || value === 0) return value === 1;
    const text = typeof value === 'string' ? value.toLowerCase() : undefined;
    if (text !== undefined && ['1', 'on', 't', 'true', 'y', 'yes'].includes(text)) return true;
    if (text !== undefined && ['0', 'off', 'f', 'false', 'n', 'no'].includes(text)) return false;
    if (typeof value === 'string' || typeof value === 'number') {
      return bad(issues, at, 'bool_parsing', 'Input should be a valid boolean, unable to interpret input');
    }
    return bad(issues, at, 'bool_type', 'Input should be a valid boolean');
  },
  describe: () => ({ type: 'boolean' }),
};

interface Bounds {
  least?: number;
  most?: number;
  above?: number;
}

function withinBounds(value: number, bounds: Bounds, at: Location, issues: Issue[]): number | undefined {
  const { least, most, above } = bounds;
  if (least !== undefined && value < least) return bad(issues, at, 'greater_than_equal', `Input should be greater than or equal to ${least}`);
  if (above !== undefined && value <= above) return bad(issues, at, 'greater_than', `Input should be greater than ${above}`);
  if (most !== undefined && value > most) return bad(issues, at, 'less_than_equal', `Input should be less than or equal to ${most}`);
  return value;
}

function describeBounds({ least, most, above }: Bounds): JsonSchema {
  return {
    ...(least === undefined ? {} : { minimum: least }),
    ...(most === undefined ? {} : { maximum: most }),
    ...(above === undefined ? {} : { exclusiveMinimum: above }),
  };
}

const decimalText = /^[+-]?(\d+(_\d+)*\.?(\d+(_\d+)*)?|\.\d+)(e[+-]?\d+)?$/i;
/** Longer texts are no numbers, and the pattern takes quadratic time on them. */
const longestNumber = 400;
/** A list of a million bad values gets no answer of a million issues. */
const mostIssues = 100;

export function decimal(bounds: Bounds = {}): Kind<number> {
  return {
    read(value, at, issues) {
      if (typeof value === 'boolean') return withinBounds(value ? 1 : 0, bounds, at, issues);
      if (typeof value === 'number') return withinBounds(value, bounds, at, issues);
      if (typeof value !== 'string') return bad(issues, at, 'float_type', 'Input should be a valid number');
      const text = value.trim();
      if (/^[+-]?(inf|infinity|nan)$/i.test(text)) return bad(issues, at, 'finite_number', 'Input should be a finite number');
      if (text.length > longestNumber || !decimalText.test(text)) {
        return bad(issues, at, 'float_parsing', 'Input should be a valid number, unable to parse string as a number');
      }
      const number = Number(text.replaceAll('_', ''));
      if (!Number.isFinite(number)) return bad(issues, at, 'finite_number', 'Input should be a finite number');
      return withinBounds(number, bounds, at, issues);
    },
    describe: () => ({ type: 'number', ...describeBounds(bounds) }),
  };
}

export function integer(bounds: Bounds = {}): Kind<number> {
  return {
    read(value, at, issues) {
      if (typeof value === 'boolean') return withinBounds(value ? 1 : 0, bounds, at, issues);
      if (typeof value === 'number') {
        if (Number.isInteger(value)) return withinBounds(value, bounds, at, issues);
        return bad(issues, at, 'int_from_float', 'Input should be a valid integer, got a number with a fractional part');
      }
      if (typeof value !== 'string') return bad(issues, at, 'int_type', 'Input should be a valid integer');
      if (value.length > longestNumber || !/^\s*[+-]?\d+(_\d+)*(\.0*)?\s*$/.test(value)) {
        return bad(issues, at, 'int_parsing', 'Input should be a valid integer, unable to parse string as an integer');
      }
      return withinBounds(Number(value.replaceAll('_', '')), bounds, at, issues);
    },
    describe: () => ({ type: 'integer', ...describeBounds(bounds) }),
  };
}

export const text: Kind<string> = {
  read: (value, at, issues) => (typeof value === 'string' ? value : bad(issues, at, 'string_type', 'Input should be a valid string')),
  describe: () => ({ type: 'string' }),
};

/** `'a', 'b' or 'c'` */
function alternatives(words: readonly string[]): string {
  const quoted = words.map((word) => `'${word}'`);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
}

/** One of some words; `name` is that of its schema. */
export function oneOf<W extends string>(name: string, help: string, words: readonly W[]): Kind<W> & { words: readonly W[] } {
  return {
    words,
    read: (value, at, issues) => (words.includes(value as W) ? (value as W) : bad(issues, at, 'enum', `Input should be ${alternatives(words)}`)),
    describe(components) {
      components.set(name, { type: 'string', enum: [...words], title: name, description: help });
      return { $ref: `#/components/schemas/${name}` };
    },
  };
}

/** A list of words that may also come together in one, with commas or plus signs between, as Tesseract and our own command line take them. */
export function wordList(): Kind<string[]> {
  const whole = list(text);
  return { ...whole, read: (value, at, issues) => whole.read(value, at, issues)?.flatMap((one) => one.split(/[,+]/).map((word) => word.trim())) };
}

export function list<T>(item: Kind<T>): Kind<T[]> {
  return {
    repeated: true,
    read(value, at, issues) {
      if (!Array.isArray(value)) return bad(issues, at, 'list_type', 'Input should be a valid list');
      const before = issues.length;
      const items: (T | undefined)[] = [];
      for (let index = 0; index < value.length && issues.length - before < mostIssues; index++) {
        items.push(item.read(value[index], [...at, index], issues));
      }
      return issues.length > before ? undefined : (items as T[]);
    },
    describe: (components) => ({ type: 'array', items: item.describe(components) }),
  };
}

export function nullable<T>(kind: Kind<T>): Kind<T | null> {
  return {
    ...(kind.jsonText ? { jsonText: true as const } : {}),
    ...(kind.repeated ? { repeated: true as const } : {}),
    read: (value, at, issues) => (value === null ? null : kind.read(value, at, issues)),
    describe: (components) => ({ anyOf: [kind.describe(components), { type: 'null' }] }),
  };
}

/** First and last page, from 1, inclusive. */
export const pageRange: Kind<[number, number]> = {
  repeated: true,
  read(value, at, issues) {
    if (!Array.isArray(value)) return bad(issues, at, 'tuple_type', 'Input should be a valid tuple');
    if (value.length > 2) return bad(issues, at, 'too_long', `Tuple should have at most 2 items after validation, not ${value.length}`);
    const before = issues.length;
    const ends = [0, 1].map((index) => (index < value.length
      ? integer().read(value[index], [...at, index], issues)
      : bad(issues, [...at, index], 'missing', 'Field required')));
    if (issues.length > before) return undefined;
    const [first, last] = ends as [number, number];
    if (first < 1 || last < first) {
      return bad(issues, at, 'value_error', 'Value error, Invalid page range: start must be ≥ 1 and end must be ≥ start.');
    }
    return [Math.min(first, Number.MAX_SAFE_INTEGER), Math.min(last, Number.MAX_SAFE_INTEGER)];
  },
  describe: () => ({ type: 'array', prefixItems: [{ type: 'integer' }, { type: 'integer' }], minItems: 2, maxItems: 2 }),
};

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object of any content. */
export const anyObject: Kind<Record<string, unknown>> = {
  jsonText: true,
  read: (value, at, issues) => (isRecord(value) ? value : bad(issues, at, 'dict_type', 'Input should be a valid dictionary')),
  describe: () => ({ type: 'object', additionalProperties: true }),
};

/** An object whose values are all of one kind. */
export function mapOf<T>(kind: Kind<T>): Kind<Record<string, T>> {
  return {
    read(value, at, issues) {
      if (!isRecord(value)) return bad(issues, at, 'dict_type', 'Input should be a valid dictionary');
      const before = issues.length;
      const entries: [string, T | undefined][] = [];
      for (const [key, element] of Object.entries(value)) {
        if (issues.length - before >= mostIssues) break;
        entries.push([key, kind.read(element, [...at, key], issues)]);
      }
      return issues.length > before ? undefined : (Object.fromEntries(entries) as Record<string, T>);
    },
    describe: (components) => ({ type: 'object', additionalProperties: kind.describe(components) }),
  };
}

export function url(schemes: readonly string[] | null = null): Kind<string> {
  return {
    read(value, at, issues) {
      if (typeof value !== 'string') return bad(issues, at, 'url_type', 'URL input should be a string or URL');
      if (value === '') return bad(issues, at, 'url_parsing', 'Input should be a valid URL, input is empty');
      const parsed = URL.canParse(value) ? new URL(value) : undefined;
      if (parsed === undefined) return bad(issues, at, 'url_parsing', 'Input should be a valid URL, relative URL without a base');
      if (schemes !== null && !schemes.includes(parsed.protocol.slice(0, -1))) {
        return bad(issues, at, 'url_scheme', `URL scheme should be ${alternatives(schemes)}`);
      }
      return value;
    },
    describe: () => ({ type: 'string', format: 'uri', minLength: 1 }),
  };
}

/** The word that tells the members of a union apart. */
export function literal<W extends string>(word: W): Kind<W> {
  return {
    read: (value, at, issues) => (value === word ? word : bad(issues, at, 'literal_error', `Input should be '${word}'`)),
    describe: () => ({ type: 'string', const: word }),
  };
}
