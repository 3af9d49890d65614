/** JSON schemas as grammars: what the grammar writes is valid, what is valid can be written, what cannot be kept is refused by name. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { zodResponseFormat } from 'openai/helpers/zod';
import t from 'tap';
import { z } from 'zod';
import { Grammar } from '../../src/chat/grammar/grammar.js';
import { JsonText } from '../../src/chat/grammar/json-text.js';
import { schemaExpression } from '../../src/chat/json-schema/schema.js';
import { LecternError } from '../../src/errors.js';
import { type Gbnf, readGbnf } from '../support/gbnf.js';
import { randomFrom } from '../support/random.js';
import { randomDocument, randomSchema, type Schema } from '../support/random-schema.js';

const sourceOf = (schema: unknown, loose = false): string | null => {
  const json = new JsonText(new Grammar());
  return json.grammar.print(schemaExpression(json, schema, 'schema', loose));
};
const grammarOf = (schema: unknown, loose = false): Gbnf => readGbnf(sourceOf(schema, loose) ?? 'root ::= root');
const ajv = (): Ajv2020 => {
  const made = new Ajv2020({ strict: false, allErrors: false });
  (addFormats as unknown as (ajv: Ajv2020) => void)(made);
  return made;
};
const python = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${python(item)}`).join(', ')}}`;
};
const layouts = (value: unknown): string[] => [JSON.stringify(value), python(value), JSON.stringify(value, null, 2), JSON.stringify(value, null, '\t')];
/** The schema without properties that it does not list: the grammar writes none, though JSON Schema allows them where nothing is said. */
const closed = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return 'properties' in inner && inner['type'] === 'object' && !('additionalProperties' in inner) ? { ...inner, additionalProperties: false } : inner;
};
const rounds = process.env['CI_FULL'] === '1' ? 3000 : 60;

t.test('random schemas: every text of the grammar is valid, every valid document is a text of it', async (t) => {
  const random = randomFrom(20261122);
  let [written, accepted, impossible] = [0, 0, 0];
  for (let round = 0; round < rounds; round += 1) {
    const schema = randomSchema(random);
    const source = sourceOf(schema);
    if (source === null) {
      impossible += 1;
      continue;
    }
    const grammar = readGbnf(source);
    const validate = ajv().compile(schema);
    for (let walk = 0; walk < 4; walk += 1) {
      const text = grammar.walk(random);
      if (!validate(JSON.parse(text))) t.fail(`not valid: ${text.slice(0, 300)} for ${JSON.stringify(schema)}: ${JSON.stringify(validate.errors)}`);
      written += 1;
    }
    const validateClosed = ajv().compile(closed(schema) as Schema);
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const document = randomDocument(schema, random, schema);
      if (!validateClosed(document)) continue;
      accepted += 1;
      for (const text of layouts(document)) if (!grammar.matches(text)) t.fail(`not of the grammar: ${text} for ${JSON.stringify(schema)}`);
    }
  }
  t.ok(written > rounds * 3 && accepted > rounds * 2 && impossible < rounds / 10, `${written} written, ${accepted} accepted, ${impossible} allow nothing`);
});

t.test('invalid documents are no texts of the grammar', async (t) => {
  const random = randomFrom(42);
  let refused = 0;
  for (let round = 0; round < rounds; round += 1) {
    const [schema, other] = [randomSchema(random), randomSchema(random)];
    const source = sourceOf(schema);
    if (source === null) continue;
    const grammar = readGbnf(source);
    const validate = ajv().compile(schema);
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const document = randomDocument(attempt % 2 === 0 ? other : schema, random, attempt % 2 === 0 ? other : schema);
      if (validate(document)) continue;
      refused += 1;
      if (grammar.matches(JSON.stringify(document))) t.fail(`of the grammar: ${JSON.stringify(document)} for ${JSON.stringify(schema)}`);
    }
  }
  t.ok(refused > rounds, `${refused} refused`);
});

t.test('formats and numbers, one by one', async (t) => {
  const random = randomFrom(3);
  for (const format of ['date', 'time', 'date-time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid', 'uri', 'uri-reference', 'json-pointer', 'byte']) {
    const schema = { type: 'string', format };
    const [grammar, validate] = [grammarOf(schema), ajv().compile(schema)];
    for (let walk = 0; walk < 12; walk += 1) {
      const value = JSON.parse(grammar.walk(random)) as string;
      t.ok(validate(value), `${format} ${value}`);
    }
  }
  const edges = [0, 1, 9, 10, 11, 99, 100, 12.5, 0.05, 0.001, 1e-7, 123.456, 2 ** 31, 2 ** 53 - 1, -0.05, -1, -9.99, -10, -100.25];
  for (let round = 0; round < 100; round += 1) {
    const [a = 0, b = 0] = [0, 0].map(() => edges[Math.floor(random() * edges.length)] ?? 0).sort((left, right) => left - right);
    const schema = { type: random() < 0.5 ? 'number' : 'integer', [random() < 0.5 ? 'minimum' : 'exclusiveMinimum']: a, ...(random() < 0.7 ? { [random() < 0.5 ? 'maximum' : 'exclusiveMaximum']: b } : {}) };
    const source = sourceOf(schema);
    const validate = ajv().compile(schema);
    const candidates = [...edges, ...edges.map((edge) => edge + 1), ...edges.map((edge) => edge - 0.5), (a + b) / 2].filter((value) => !JSON.stringify(value).includes('e') && (Number.isInteger(value) || JSON.stringify(value).replace(/\D/g, '').length <= 15));
    if (source === null) {
      t.notOk(candidates.some((value) => validate(value)), JSON.stringify(schema));
      continue;
    }
    const grammar = readGbnf(source);
    for (let walk = 0; walk < 5; walk += 1) if (!validate(JSON.parse(grammar.walk(random)))) t.fail(JSON.stringify(schema));
    for (const value of candidates) if (grammar.matches(JSON.stringify(value)) !== validate(value)) t.fail(`${value} ${JSON.stringify(schema)}`);
  }
});

t.test('patterns: the same texts as ECMAScript finds', async (t) => {
  const random = randomFrom(9);
  const pieces = ['a', 'b', '.', '\\d', '[ab]', '[^a]', '(?:a|b1)', '(ab)?', 'a*', '(?:b|c)+', '\\w{1,2}', 'x{2}', '(?=a)', '(?!ab)', '\\.', '"', '\\\\', '\\s', '[\\d-]', '\\u0061', 'é', 'a+?', '\\/'];
  let [checked, found] = [0, 0];
  for (let round = 0; round < 250; round += 1) {
    const part = (): string => Array.from({ length: 1 + Math.floor(random() * 3) }, () => pieces[Math.floor(random() * pieces.length)]).join('');
    const pattern = `${random() < 0.5 ? '^' : ''}${part()}${random() < 0.3 ? `|${part()}` : ''}${random() < 0.5 ? '$' : ''}`;
    const expression = new RegExp(pattern, 'u');
    const source = sourceOf({ type: 'string', pattern });
    const grammar = source === null ? null : readGbnf(source);
    for (let attempt = 0; attempt < 25; attempt += 1) {
      const text = Array.from({ length: Math.floor(random() * 6) }, () => 'aabbc1x.é"\\ \n-/'[Math.floor(random() * 16)] ?? 'a').join('');
      if ((grammar?.matches(JSON.stringify(text)) ?? false) !== expression.test(text)) t.fail(`${pattern} ${JSON.stringify(text)}`);
      checked += 1;
      if (expression.test(text)) found += 1;
    }
    const walked = grammar === null ? '"a"' : grammar.walk(random);
    if (grammar !== null && !expression.test(JSON.parse(walked) as string)) t.fail(`${pattern} ${walked}`);
  }
  t.ok(found > 1000 && checked - found > 1000, `${found} of ${checked}`);
});

t.test('what OpenAI\'s zod helper makes of a model', async (t) => {
  const step = z.object({ explanation: z.string().min(1).max(500), output: z.string() });
  const everything = z.object({
    steps: z.array(step).min(1), answer: z.number(), level: z.int().min(0).max(10).nullable(), kind: z.enum(['x', 'y']), mail: z.email(), id: z.uuid(), at: z.iso.datetime(), on: z.iso.date(), when: z.iso.time(),
    lasts: z.iso.duration(), ip: z.ipv4(), ip6: z.ipv6(), link: z.url(), either: z.union([z.string(), z.number()]), exact: z.literal('yes'), positive: z.number().positive(), code: z.string().regex(/^[A-Z]{3}-\d+$/).max(12),
    shape: z.discriminatedUnion('type', [z.object({ type: z.literal('circle'), radius: z.number() }), z.object({ type: z.literal('square'), side: z.number() })]),
  });
  type Linked = { value: string; next: Linked | null };
  const linked: z.ZodType<Linked> = z.object({ value: z.string(), get next() { return z.nullable(linked); } });
  const random = randomFrom(5);
  for (const model of [everything, linked]) {
    const { schema } = zodResponseFormat(model, 'answer').json_schema;
    const grammar = grammarOf(schema);
    for (let walk = 0; walk < 60; walk += 1) {
      const text = grammar.walk(random);
      const read = model.safeParse(JSON.parse(text));
      if (!read.success) t.fail(`${text.slice(0, 500)} ${read.error.message}`);
    }
  }
  t.ok(grammarOf(zodResponseFormat(linked, 'l').json_schema.schema).matches('{"value": "a", "next": {"value": "b", "next": null}}'));
  const loose = z.toJSONSchema(z.object({ map: z.record(z.string(), z.number()), pair: z.tuple([z.string(), z.int()]), maybe: z.string().optional(), by: z.record(z.enum(['a', 'b']), z.boolean()) }));
  for (let walk = 0; walk < 40; walk += 1) t.ok(ajv().compile(loose)(JSON.parse(grammarOf(loose).walk(random))));
});

t.test('composition', async (t) => {
  const rows: [schema: unknown, right: string[], wrong: string[]][] = [
    [true, ['1', '{"a": [null]}'], ['']],
    [{}, ['[]'], ['x']],
    [{ type: 'object' }, ['{}', '{"a": 1}'], ['[]']],
    [{ properties: { a: {} } }, ['{}', '{"a": 1}'], ['{"b": 1}', '1']],
    [{ type: 'object', properties: { a: { type: 'null' } }, additionalProperties: { type: 'integer' } }, ['{"a": null, "b": 1}', '{"aa": 1}', '{"": 2}'], ['{"a": 1}', '{"b": null}', '{"b": 1, "a": 1}']],
    [{ type: 'object', properties: {} }, ['{}'], ['{"a": 1}']],
    [{ type: 'object', properties: {}, additionalProperties: true }, ['{}', '{"a": 1}'], ['1']],
    [{ type: 'object', required: ['x'] }, ['{"x": 1}', '{"x": 1, "y": 2}'], ['{}', '{"y": 2}']],
    [{ type: 'object', properties: { a: {}, b: {} }, minProperties: 1 }, ['{"a":1}', '{"b":1}', '{"a":1,"b":2}'], ['{}']],
    [{ type: 'object', additionalProperties: { type: 'null' }, minProperties: 1, maxProperties: 2 }, ['{"a": null}', '{"a": null, "b": null}'], ['{}', '{"a":null,"b":null,"c":null}']],
    [{ allOf: [{ type: ['string', 'null'] }, { type: ['null', 'number'] }] }, ['null'], ['"a"', '1']],
    [{ allOf: [{ enum: ['a', 'b', 1] }, { type: 'string' }, { enum: ['b', 'c', 1] }] }, ['"b"'], ['"a"', '1', '"c"']],
    [{ $ref: '#/$defs/n', minimum: 3, $defs: { n: { type: 'integer', maximum: 4 } } }, ['3', '4'], ['2', '5']],
    [{ $ref: '#/definitions/a~1b%20c', definitions: { 'a/b c': { const: 1 } } }, ['1'], ['2']],
    [{ type: 'object', properties: { a: { type: 'integer' } }, anyOf: [{ required: ['a'] }, { properties: { b: { const: 1 } }, required: ['b'] }] }, ['{"a":1}', '{"a":1,"b":1}', '{"b":1}'], ['{}', '{"b":2}']],
    [{ type: 'array', items: [{ const: 1 }], additionalItems: { const: 2 } }, ['[1]', '[1,2,2]', '[]'], ['[2]', '[1,1]']],
    [{ type: 'array', prefixItems: [{ const: 1 }, { const: 2 }] }, ['[1, 2]'], ['[]', '[1]', '[1,2,3]']],
    [{ type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 2 }, ['[1, 2]'], ['[1]', '[1,2,3]']],
    [{ type: 'array', maxItems: 0 }, ['[]'], ['[1]']],
    [{ type: 'string', minLength: 300, maxLength: 301 }, [`"${'a'.repeat(300)}"`, `"${'é'.repeat(301)}"`], [`"${'a'.repeat(299)}"`, `"${'a'.repeat(302)}"`]],
    [{ type: 'string', maxLength: 40_000 }, ['""', `"${'a'.repeat(5000)}"`], []],
    [{ type: 'string', minLength: 1, maxLength: 1 }, ['"\\ud83d\\ude00"', '"\\u00e9"', '"\\n"'], ['"\\ud83d"', '""', '"ab"', '"\n"']],
    [{ enum: [{ a: [1, 'x'] }, 'b\u0001'] }, ['{"a":[1,"x"]}', '{\n  "a": [1, "x"]\n}', '"b\\u0001"'], ['{"a":[1]}']],
    [{ type: 'string', nullable: true }, ['null', '"a"'], ['1']],
    [{ oneOf: [{ type: 'string' }, { type: 'integer' }] }, ['"a"', '1'], ['null']],
    [{ oneOf: [{ type: 'object', properties: { a: {} }, required: ['a'] }, { type: 'object', properties: { b: {} }, required: ['b'] }] }, ['{"a":1}', '{"b":1}'], ['{"a":1,"b":1}']],
    [{ anyOf: [{ type: 'object', required: ['a'], properties: { a: { $ref: '#' } } }, { type: 'null' }] }, ['null', '{"a": {"a": null}}'], ['{}']],
    [{ type: 'object', properties: { a: false, b: { type: 'null' } } }, ['{}', '{"b": null}'], ['{"a": 1}']],
    [{ type: 'integer', multipleOf: 1, format: 'int32' }, ['-2147483648', '2147483647'], ['2147483648', '1.0']],
    [{ type: 'string', format: 'email', pattern: '@example\\.com$', maxLength: 15 }, ['"ab@example.com"'], ['"abcdefg@example.com"', '"a@example.org"']],
    [{ type: 'string', pattern: '(?<year>\\d{4})-(?:0[1-9])$' }, ['"2026-01"', '"in 2026-09"'], ['"2026-1"']],
  ];
  for (const [schema, right, wrong] of rows) {
    const grammar = grammarOf(schema);
    for (const text of right) t.ok(grammar.matches(text), `${JSON.stringify(schema)} ${text.slice(0, 60)}`);
    for (const text of wrong) t.notOk(grammar.matches(text), `${JSON.stringify(schema)} ${text.slice(0, 60)}`);
  }
});

t.test('a loose schema is kept without what cannot be', (t) => {
  const rows: [schema: Record<string, unknown>, right: string[], wrong: string[]][] = [
    [{ type: 'array', items: { type: 'integer' }, uniqueItems: true }, ['[1, 1]', '[]'], ['["a"]']],
    [{ type: 'number', multipleOf: 1e-9, minimum: 0 }, ['0.25'], ['-1']],
    [{ oneOf: [{ type: 'object', properties: { a: { type: 'null' } } }, { type: 'object', properties: { b: { type: 'null' } } }] }, ['{"a": null}', '{"b": null}', '{}'], ['{"a": 1}', '[]']],
    [{ type: 'string', format: 'iso-lunar', maxLength: 3 }, ['"abc"'], ['"abcd"', '1']],
    [{ type: 'string', pattern: '\\bword' }, ['"word"', '"other"'], ['1']],
    [{ type: 'object', properties: { a: { not: { uniqueItems: true } }, b: { type: 'boolean' } }, required: ['a', 'b'], if: { uniqueItems: true }, then: {} }, ['{"a": 1, "b": true}'], ['{"a": 1, "b": 2}', '{"b": true}']],
    [{ type: 'object', properties: { a: { type: 'null' }, b: { type: 'null' } }, minProperties: 2 }, ['{"a": null}'], ['{"c": null}']],
  ];
  for (const [schema, right, wrong] of rows) {
    t.throws(() => sourceOf(schema), { code: 'invalid_request' });
    for (const text of right) t.ok(grammarOf(schema, true).matches(text), `${JSON.stringify(schema)} ${text}`);
    for (const text of wrong) t.notOk(grammarOf(schema, true).matches(text), `${JSON.stringify(schema)} ${text}`);
  }
  for (const schema of [{ type: 'text' }, { $ref: '#/nowhere' }, { type: 'string', minLength: -1 }, { required: 'a' }]) t.throws(() => sourceOf(schema, true), { code: 'invalid_request' }, 'what is no schema stays refused');
  t.end();
});

t.test('what cannot be kept is refused with its keyword and its place', async (t) => {
  const deep = (levels: number): unknown => (levels === 0 ? {} : { type: 'array', items: deep(levels - 1) });
  let nested: unknown = 1;
  for (let level = 0; level < 50_000; level += 1) nested = [nested];
  const rows: [schema: unknown, message: RegExp][] = [
    [{ type: 'object', properties: { 'a/b': { not: { uniqueItems: true } } } }, /'not' at #\/properties\/a~1b\/not has keywords whose opposite no grammar holds/],
    [{ if: { uniqueItems: true }, then: {} }, /'if' at #\/if/], [{ type: 'array', prefixItems: [{}], contains: {} }, /'contains'/], [{ type: 'array', uniqueItems: true }, /'uniqueItems' at #\/uniqueItems/], [{ dependentRequired: { a: 'b' } }, /'dependentRequired'/],
    [{ patternProperties: 3 }, /'patternProperties'/], [{ type: 'object', unevaluatedThings: true }, /'unevaluatedThings' at #\/unevaluatedThings is not supported/], [{ type: 'number', multipleOf: 1e-9 }, /'multipleOf' at #\/multipleOf is only supported with up to 6 decimal places/], [{ type: 'string', format: 'iso-lunar' }, /'format' at #\/format 'iso-lunar' is not supported/],
    [{ type: 'string', pattern: '(a)\\1' }, /'pattern' at #\/pattern has a back reference/], [{ type: 'string', pattern: '\\bword' }, /word boundary/], [{ type: 'string', pattern: '(?<=a)b' }, /looks behind/], [{ type: 'string', pattern: '(' }, /is no regular expression/],
    [{ type: 'string', pattern: '^(a|b)*a(a|b){14}$' }, /needs more than \d+ states/], [{ type: 'string', pattern: 'a{9}{9}{9}{9}{9}{9}' }, /no regular expression/], [{ type: 'string', pattern: '((a{99}){99}){99}' }, /needs more than \d+ steps/],
    [{ type: 'string', pattern: '^a+$', maxLength: 100_000 }, /'maxLength' at #\/maxLength needs more than/],
    [{ oneOf: [{ type: 'string' }, { type: 'string', minLength: 2 }] }, /'oneOf' at #\/oneOf has members that may hold at once/], [{ oneOf: [{ type: 'number' }, { type: 'integer' }] }, /'oneOf'/],
    [{ oneOf: [{ type: 'object', properties: { a: {} } }, { type: 'object', properties: { b: {} } }] }, /'oneOf'/],
    [{ oneOf: [{ type: 'object', properties: { a: {} }, required: ['a'], additionalProperties: true }, { type: 'object', properties: { b: {} }, required: ['b'] }] }, /'oneOf'/],
    [{ $ref: 'https://example.com/x' }, /'\$ref' at #\/\$ref only names parts of the same schema/], [{ $ref: '#/nowhere' }, /names #\/nowhere, which is not there/], [{ $ref: '#' }, /is made of itself/], [{ anyOf: [{ $ref: '#' }, { type: 'null' }] }, /is made of itself/],
    [{ type: 'text' }, /'type' at #\/type must be of/], [{ type: 'string', minLength: -1 }, /'minLength'/], [{ type: 'array', items: 3 }, /must be an object or a boolean at #\/items/], [{ required: 'a' }, /'required'/], [{ enum: 'a' }, /'enum'/], [3, /must be an object/], [null, /must be an object/],
    [{ type: 'object', properties: { a: {}, b: {} }, minProperties: 2 }, /'minProperties'/], [{ type: 'object', properties: { a: {}, b: {} }, maxProperties: 1 }, /'maxProperties'/],
    [{ const: nested }, /nests too deep/], [deep(300), /nests deeper than 200 levels/], [{ anyOf: Array.from({ length: 600 }, (_, index) => ({ const: index })) }, /more than 512 alternatives/],
    [{ allOf: Array.from({ length: 12 }, () => ({ anyOf: [{ type: 'string' }, { maxLength: 3 }] })) }, /more than 512 alternatives/],
    [{ type: 'object', properties: Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`p${index}`, { type: 'null' }])) }, /more than \d+/],
  ];
  for (const [schema, message] of rows) {
    t.throws(() => sourceOf(schema), { code: 'invalid_request', message }, String(message));
    try {
      sourceOf(schema);
    } catch (thrown) {
      t.ok(thrown instanceof LecternError && thrown.message.length < 1000);
    }
  }
  for (const schema of [false, { enum: [] }, { allOf: [{ type: 'string' }, { type: 'null' }] }, { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] }, { type: 'integer', minimum: 3, maximum: 2 }, { type: 'string', pattern: '^a$', minLength: 2 }, { const: 1, type: 'string' }, { type: 'array', minItems: 2, maxItems: 1 }]) {
    t.equal(sourceOf(schema), null, `no document is finite and valid: ${JSON.stringify(schema)}`);
  }
});

t.test('a grammar holds no endless blanks', async (t) => {
  const grammar = grammarOf({ type: 'object', properties: { a: { type: 'array', items: {} } } });
  for (const text of ['{"a":[1,2]}', '{ "a": [ 1, 2 ] }', '{\n    "a": [\n        1\n    ]\n}']) t.ok(grammar.matches(text), text);
  for (const text of ['{  "a":[]}', '{"a" :[]}', '{"a":  []}', '{\n\n"a":[]}', ' {}', '{}\n', `{\n${' '.repeat(41)}}`]) t.notOk(grammar.matches(text), JSON.stringify(text));
});

t.test('a schema of thousands of parts costs time in proportion', async (t) => {
  const wide = (count: number): Schema => ({ type: 'object', properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`property ${index}`, { type: 'array', items: { type: 'string' } }])) });
  const lengthOf = (count: number): number => sourceOf(wide(count))?.length ?? 0;
  const [small, large] = [lengthOf(250), lengthOf(1000)];
  t.ok(large < small * 4.5, `${small} ${large}`);
});

t.test('what a schema costs is bounded, whatever it multiplies', async (t) => {
  const of = (count: number, make: (index: number) => unknown): unknown[] => Array.from({ length: count }, (_, index) => make(index));
  const takesLong: Record<string, unknown> = {
    'alternatives that all come to nothing': { allOf: [...of(40, () => ({ anyOf: [{ type: 'string' }, { type: 'number' }] })), { anyOf: [false] }] },
    'parts times properties': { allOf: of(6000, (index) => ({ type: 'object', properties: { [`p${index}`]: true } })) },
    'lists of values in members that exclude each other': { oneOf: of(60, (member) => ({ type: 'object', required: ['k'], properties: { k: { enum: of(600, (index) => `${member} ${index}`) } } })) },
  };
  for (const [what, schema] of Object.entries(takesLong)) t.throws(() => sourceOf(schema), { code: 'invalid_request', message: /steps/ }, what);
});

t.test('long lists of values and many members with a mark of their own are taken', async (t) => {
  const values = Array.from({ length: 8000 }, (_, index) => `value ${index}`);
  t.ok(grammarOf({ type: 'string', enum: values }).matches('"value 7999"'));
  const events = Array.from({ length: 60 }, (_, index) => ({ type: 'object', properties: { kind: { const: `k${index}` }, text: { type: 'string' } }, required: ['kind', 'text'], additionalProperties: false }));
  const grammar = grammarOf({ oneOf: events });
  t.ok(grammar.matches('{"kind":"k59","text":"x"}'));
  t.notOk(grammar.matches('{"kind":"k60","text":"x"}'));
});
