/** Reading a JSON body field by field: what is there has the right type and range, or the failure names it. */
import { LecternError } from '../errors.js';

/** A field of a request that is not as it must be; `param` is its path as the client wrote it. */
export class FieldError extends LecternError {
  readonly param: string;

  constructor(param: string, message: string) {
    super('invalid_request', shortened(message));
    this.param = shortened(param);
  }
}

/** Of what a failure repeats of a request: names and words of clients may have megabytes. */
const longestText = 500;

export function shortened(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText)}...`;
}

export interface Range {
  least?: number;
  most?: number;
}

/** An object of a body. A field that is null counts as absent, as clients of every contract here send it. */
export class Fields {
  constructor(private readonly values: Record<string, unknown>, private readonly path = '') {}

  /** Throws FieldError when `value` is no object. */
  static of(value: unknown, path = ''): Fields {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new FieldError(path, path === '' ? 'The request body must be a JSON object.' : `'${path}' must be an object.`);
    }
    return new Fields(value as Record<string, unknown>, path);
  }

  raw(name: string): unknown {
    return Object.hasOwn(this.values, name) ? this.values[name] ?? undefined : undefined;
  }

  has(name: string): boolean {
    return this.raw(name) !== undefined;
  }

  names(): string[] {
    return Object.keys(this.values);
  }

  /** The path of a field, for messages. */
  at(name: string | number): string {
    if (typeof name === 'number') return `${this.path}[${name}]`;
    return this.path === '' ? shortened(name) : `${this.path}.${shortened(name)}`;
  }

  refuse(name: string, must: string): never {
    throw new FieldError(this.at(name), `'${this.at(name)}' ${must}.`);
  }

  require<T>(name: string, value: T | undefined): T {
    if (value === undefined) this.refuse(name, 'is required');
    return value;
  }

  string(name: string): string | undefined {
    const value = this.raw(name);
    if (value === undefined || typeof value === 'string') return value;
    return this.refuse(name, 'must be a string');
  }

  boolean(name: string): boolean | undefined {
    const value = this.raw(name);
    if (value === undefined || typeof value === 'boolean') return value;
    return this.refuse(name, 'must be true or false');
  }

  number(name: string, { least = -Infinity, most = Infinity }: Range = {}): number | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isFinite(value) && value >= least && value <= most) return value;
    return this.refuse(name, `must be a number${rangeText(least, most)}`);
  }

  integer(name: string, { least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER }: Range = {}): number | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
    return this.refuse(name, `must be an integer${rangeText(least, most)}`);
  }

  oneOf<const T extends string>(name: string, choices: readonly T[]): T | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    const found = choices.find((choice) => choice === value);
    return found ?? this.refuse(name, `must be one of ${choices.join(', ')}`);
  }

  list(name: string): unknown[] | undefined {
    const value = this.raw(name);
    if (value === undefined || Array.isArray(value)) return value;
    return this.refuse(name, 'must be a list');
  }

  /** A string or a list of strings. */
  strings(name: string): string[] | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    if (typeof value === 'string') return [value];
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value as string[];
    return this.refuse(name, 'must be a string or a list of strings');
  }

  object(name: string): Fields | undefined {
    const value = this.raw(name);
    return value === undefined ? undefined : Fields.of(value, this.at(name));
  }

  /** A list of objects. */
  objects(name: string): Fields[] | undefined {
    return this.list(name)?.map((item, index) => Fields.of(item, `${this.at(name)}[${index}]`));
  }
}

function rangeText(least: number, most: number): string {
  const low = least > Number.MIN_SAFE_INTEGER;
  const high = most < Number.MAX_SAFE_INTEGER;
  if (low && high) return ` from ${least} to ${most}`;
  if (low) return ` of at least ${least}`;
  return high ? ` of at most ${most}` : '';
}

/** exactOptionalPropertyTypes tells an absent field from one that is undefined. */
export function withoutUndefined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const made: Record<string, unknown> = {};
  // A loop: requests have up to ten thousand messages, and lists of entries took a third of the time of reading them.
  for (const name of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[name];
    if (item !== undefined) made[name] = item;
  }
  return made as never;
}
