/** Reading fields out of parsed JSON from outside: each with its type checked, a failure says where it is. */
import { LecternError } from '../errors.js';

/** Nesting of free-form values (`meta`, annotations) beyond this is refused: writing them back is recursive. */
const maximumFreeDepth = 64;

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** An object of the input. Every method throws LecternError `invalid_document` that names the path of a wrong value. */
export class JsonFields {
  readonly #values: Record<string, unknown>;
  readonly #path: string;

  private constructor(values: Record<string, unknown>, path: string) {
    this.#values = values;
    this.#path = path;
  }

  static of(value: unknown, path: string): JsonFields {
    if (typeOf(value) !== 'object') throw new LecternError('invalid_document', `${path} must be an object, not ${typeOf(value)}.`);
    return new JsonFields(value as Record<string, unknown>, path);
  }

  fail(name: string, expected: string): LecternError {
    return new LecternError('invalid_document', `${this.#path}.${name} must be ${expected}, not ${typeOf(this.#values[name])}.`);
  }

  has(name: string): boolean {
    return this.#values[name] !== undefined && this.#values[name] !== null;
  }

  #value(name: string): unknown {
    return this.#values[name] ?? undefined;
  }

  string(name: string, fallback?: string): string {
    const value = this.#value(name) ?? fallback;
    if (typeof value !== 'string') throw this.fail(name, 'a string');
    return value;
  }

  stringOrNull(name: string): string | null {
    return this.has(name) ? this.string(name) : null;
  }

  boolean(name: string, fallback: boolean): boolean {
    const value = this.#value(name) ?? fallback;
    if (typeof value !== 'boolean') throw this.fail(name, 'true or false');
    return value;
  }

  number(name: string, fallback?: number): number {
    const value = this.#value(name) ?? fallback;
    if (typeof value !== 'number' || !Number.isFinite(value)) throw this.fail(name, 'a finite number');
    return value;
  }

  integer(name: string, minimum: number, fallback?: number): number {
    const value = this.number(name, fallback);
    if (!Number.isSafeInteger(value) || value < minimum) throw this.fail(name, `a whole number from ${minimum}`);
    return value;
  }

  /** One of the words. */
  word<Word extends string>(name: string, words: readonly Word[], fallback?: Word): Word {
    const value = this.string(name, fallback);
    const found = words.find((word) => word === value);
    if (found === undefined) throw new LecternError('invalid_document', `${this.#path}.${name} has the unknown value ${JSON.stringify(value.slice(0, 60))}.`);
    return found;
  }

  object(name: string): JsonFields {
    return JsonFields.of(this.#values[name], `${this.#path}.${name}`);
  }

  objectOrNull<Value>(name: string, read: (fields: JsonFields) => Value): Value | null {
    return this.has(name) ? read(this.object(name)) : null;
  }

  /** Missing counts as empty. */
  array(name: string): unknown[] {
    const value = this.#value(name) ?? [];
    if (!Array.isArray(value)) throw this.fail(name, 'an array');
    return value;
  }

  list<Value>(name: string, read: (fields: JsonFields) => Value): Value[] {
    return this.array(name).map((value, index) => read(JsonFields.of(value, `${this.#path}.${name}[${index}]`)));
  }

  names(): string[] {
    return Object.keys(this.#values);
  }

  /** A value of any shape, kept as it is. */
  free(name: string): unknown {
    this.#check(this.#values[name], `${this.#path}.${name}`, 0);
    return this.#values[name];
  }

  #check(value: unknown, path: string, depth: number): void {
    if (typeof value === 'number' && !Number.isFinite(value)) throw new LecternError('invalid_document', `${path} holds a number out of range.`);
    if (typeof value !== 'object' || value === null) return;
    if (depth === maximumFreeDepth) throw new LecternError('invalid_document', `${path} is nested too deep.`);
    for (const inner of Object.values(value)) this.#check(inner, path, depth + 1);
  }
}
