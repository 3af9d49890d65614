/** Random JSON schemas of every keyword that is kept, and random documents that a schema may have, in the order of its properties. */

export type Schema = Record<string, unknown>;
type Random = () => number;

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
const upTo = (random: Random, most: number): number => Math.floor(random() * (most + 1));

const patterns = ['^[a-z]{2,4}$', '^(foo|ba+r)\\d*$', '[0-9]x', '^\\w+@\\w+$', '^"quoted\\\\"$', '^(?!ab)[ab]{1,3}$', '^.{2}$', '^(?=.*\\d)[a-z0-9]+$', 'end$', '^\\S+( \\S+)?$'];
const formats = ['date', 'time', 'date-time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid', 'uri', 'json-pointer', 'byte'];
const names = ['name', 'n', 'na me', 'quo"te', 'ünï', 'list', 'other'];

export function randomSchema(random: Random, depth = 0): Schema {
  const kinds = ['string', 'text', 'number', 'integer', 'boolean', 'null', 'enum', 'const', 'union'];
  const nested = ['object', 'object', 'open', 'array', 'tuple', 'anyOf', 'allOf', 'oneOf'];
  const kind = depth === 0 ? pick(random, [...nested, 'recursive']) : pick(random, depth > 2 ? kinds : [...kinds, ...nested]);
  const inner = (): Schema => randomSchema(random, depth + 1);
  switch (kind) {
    case 'string': return { type: 'string', ...lengths(random, 'Length', 6) };
    case 'text': return random() < 0.5 ? { type: 'string', pattern: pick(random, patterns) } : { type: 'string', format: pick(random, formats) };
    case 'number': return { type: 'number', ...bounds(random, (value) => Math.round(value * 100) / 100) };
    case 'integer': return { type: 'integer', ...bounds(random, Math.round) };
    case 'boolean': case 'null': return { type: kind };
    case 'enum': return { enum: Array.from({ length: 1 + upTo(random, 3) }, () => literal(random)).filter((value, index, all) => all.findIndex((other) => JSON.stringify(other) === JSON.stringify(value)) === index) };
    case 'const': return { const: literal(random) };
    case 'union': return { type: ['string', 'null', 'boolean'].slice(0, 2 + upTo(random, 1)), description: 'either', maxLength: 4 };
    case 'array': return { type: 'array', items: inner(), ...lengths(random, 'Items', 4) };
    case 'tuple': return { type: 'array', prefixItems: [inner(), inner()], minItems: upTo(random, 2), items: random() < 0.5 ? false : inner() };
    case 'open': return { type: 'object', ...(random() < 0.5 ? {} : { properties: { name: inner() }, required: ['name'] }), additionalProperties: random() < 0.3 || inner(), ...(random() < 0.3 ? { propertyNames: { pattern: '^[a-z]+$' } } : {}) };
    case 'anyOf': return { anyOf: [inner(), inner()] };
    case 'allOf': return { allOf: [object(random, ['name', 'n'], inner), object(random, ['list', 'other'], inner)] };
    case 'oneOf': return { oneOf: ['a', 'b'].map((tag) => ({ type: 'object', properties: { kind: { const: tag }, value: inner() }, required: ['kind'], additionalProperties: false })) };
    case 'recursive': return { type: 'object', properties: { value: inner(), next: { anyOf: [{ $ref: '#' }, { type: 'null' }] }, all: { type: 'array', items: { $ref: '#/$defs/leaf' } } }, required: ['value'], $defs: { leaf: inner() } };
    default: return { ...object(random, names.filter(() => random() < 0.5), inner), ...(random() < 0.5 ? { additionalProperties: false } : {}) };
  }
}

function object(random: Random, keys: string[], inner: () => Schema): Schema {
  return { type: 'object', properties: Object.fromEntries(keys.map((key) => [key, inner()])), required: keys.filter(() => random() < 0.5) };
}

function lengths(random: Random, of: string, most: number): Schema {
  const least = upTo(random, 2);
  return { ...(random() < 0.5 ? { [`min${of}`]: least } : {}), ...(random() < 0.5 ? { [`max${of}`]: least + upTo(random, most) } : {}) };
}

function bounds(random: Random, round: (value: number) => number): Schema {
  const least = round((random() - 0.6) * pick(random, [2, 30, 500, 100_000]));
  const most = round(least + 2 + random() * pick(random, [3, 40, 2000]));
  const low = random() < 0.5 ? { [pick(random, ['minimum', 'exclusiveMinimum'])]: least } : {};
  return { ...low, ...(random() < 0.5 ? { [pick(random, ['maximum', 'exclusiveMaximum'])]: most } : {}) };
}

function literal(random: Random): unknown {
  return pick<unknown>(random, ['a', 'quo"te', 'line\nbreak', '', 0, -1.5, 12, true, null, [1, 'x'], { a: 1, b: [] }, {}]);
}

/** A document that the schema may well allow; the caller must check. `root` for what `$ref` names. */
export function randomDocument(schema: Schema | boolean, random: Random, root: Schema, depth = 0): unknown {
  if (typeof schema === 'boolean') return pick(random, [1, 'x', null]);
  const inner = (part: unknown): unknown => randomDocument(part as Schema, random, root, depth + 1);
  if (schema['$ref'] !== undefined) return inner(schema['$ref'] === '#' ? root : (root['$defs'] as Schema)['leaf']);
  if (Array.isArray(schema['enum'])) return pick(random, schema['enum']);
  if ('const' in schema) return schema['const'];
  const options = (schema['anyOf'] ?? schema['oneOf']) as unknown[] | undefined;
  if (options !== undefined) return inner(depth > 4 ? options.at(-1) : pick(random, options));
  if (Array.isArray(schema['allOf'])) return Object.assign({}, ...schema['allOf'].map(inner));
  const type = Array.isArray(schema['type']) ? pick(random, schema['type'] as string[]) : schema['type'];
  switch (type) {
    case 'string': return randomText(schema, random);
    case 'boolean': return random() < 0.5;
    case 'null': return null;
    case 'number': case 'integer': {
      const near = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].flatMap((keyword) => (typeof schema[keyword] === 'number' ? [schema[keyword]] : []));
      const value = (near.length === 0 ? 0 : pick(random, near)) + pick(random, [0, 0, 0.01, -0.01, 1, -1, 0.5, 3, -7, 40, random() * 100]);
      // Beside an open bound numbers have at most 15 digits.
      return type === 'integer' ? Math.round(value) : Math.round(value * 1e6) / 1e6;
    }
    case 'array': {
      const first = (schema['prefixItems'] ?? []) as unknown[];
      const length = Math.max(first.length, upTo(random, 3));
      return Array.from({ length: depth > 4 ? 0 : length }, (_, index) => inner(first[index] ?? schema['items'] ?? true));
    }
    default: return randomObject(schema, random, inner, depth);
  }
}

function randomObject(schema: Schema, random: Random, inner: (part: unknown) => unknown, depth: number): unknown {
  const required = (schema['required'] ?? []) as string[];
  const named = Object.entries((schema['properties'] ?? {}) as Schema).filter(([key]) => required.includes(key) || (depth < 5 && random() < 0.5));
  const others = schema['additionalProperties'] === undefined || schema['additionalProperties'] === false ? [] : ['zeta', 'x y', 'nam', 'names'].filter(() => random() < 0.3);
  return Object.fromEntries([...named, ...others.map((key) => [key, schema['additionalProperties']] as const)].map(([key, part]) => [key, inner(part)]));
}

const samples: Record<string, string[]> = {
  date: ['2024-02-29', '1999-12-31'], time: ['23:59:59Z', '00:00:00.5+02:00'], 'date-time': ['2026-11-22T13:41:32Z', '2000-02-29T00:00:00.123-05:30'], duration: ['P1Y2M3DT4H5M6S', 'P2W', 'PT1S'],
  email: ['a.b+c@example.com', 'x@a-b.org'], hostname: ['localhost', 'a-1.example.com'], ipv4: ['0.0.0.0', '255.249.19.9'], ipv6: ['::', '::1', '1:2:3:4:5:6:7:8', 'fe80::1:2', '1::'],
  uuid: ['00000000-0000-0000-0000-000000000000', 'A0eeBC99-9c0b-4ef8-bb6d-6bb9bd380a11'], uri: ['https://example.com/a/b?c=d#e', 'mailto:a@b.org', 'urn:x:y'], 'json-pointer': ['', '/a/~0b/0'], byte: ['', 'QUI='],
};

function randomText(schema: Schema, random: Random): string {
  if (typeof schema['format'] === 'string') return pick(random, samples[schema['format']] ?? ['?']);
  if (typeof schema['pattern'] === 'string') return pick(random, ['ab', 'abcd', 'foo1', 'baaar', '7x', 'say 7x!', 'me@you', '"quoted\\"', 'ba', 'b', 'a1', '1', 'the end', 'one two', 'é😀', '中"']);
  const length = (schema['minLength'] as number | undefined ?? 0) + upTo(random, Math.min(3, (schema['maxLength'] as number | undefined ?? 9) - (schema['minLength'] as number | undefined ?? 0)));
  return Array.from({ length }, () => pick(random, ['a', ' ', '"', '\\', '\n', '\u0001', 'é', '中', '😀', '/'])).join('');
}
