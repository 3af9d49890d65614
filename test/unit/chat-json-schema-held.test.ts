/** Keywords that take alternatives or counting: what the grammar writes is valid for ajv, and what ajv takes can be written, as far as the grammar's comment says. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import t, { type Test } from 'tap';
import { answerForm } from '../../src/chat/form.js';
import { Grammar } from '../../src/chat/grammar/grammar.js';
import { JsonText } from '../../src/chat/grammar/json-text.js';
import { schemaExpression } from '../../src/chat/json-schema/schema.js';
import { readGbnf } from '../support/gbnf.js';
import { randomFrom } from '../support/random.js';

type Schema = Record<string, unknown>;

const sourceOf = (schema: unknown, loose = false, leftOut: string[] = []): string | null => {
  const json = new JsonText(new Grammar());
  return json.grammar.print(schemaExpression(json, schema, 'schema', loose, leftOut));
};
/** 19.99 / 0.01 is no whole number as doubles. */
const validatorOf = (schema: Schema): (value: unknown) => boolean => new Ajv2020({ strict: false, multipleOfPrecision: 6, validateSchema: false, addUsedSchema: false, code: { optimize: false } }).compile<unknown>(schema);
const rounds = process.env['CI_FULL'] === '1' ? 40 : 2;

/** Every text of the grammar is valid; each of `values` is one just where it is valid. Both are to occur. */
function agree(t: Test, schema: Schema, values: readonly unknown[], random: () => number): void {
  const source = sourceOf(schema);
  const validate = validatorOf(schema);
  const name = JSON.stringify(schema);
  if (source === null) {
    t.notOk(values.some(validate), `no value: ${name}`);
    return;
  }
  t.ok(source.length < 120_000, `${source.length} characters of grammar: ${name}`);
  const grammar = readGbnf(source);
  for (let walk = 0; walk < 6; walk += 1) {
    const text = grammar.walk(random);
    if (!validate(JSON.parse(text))) t.fail(`not valid: ${text.slice(0, 200)} for ${name}`);
  }
  const counts = [0, 0];
  for (const value of values) {
    const [held, valid] = [grammar.matches(JSON.stringify(value)), validate(value)];
    counts[valid ? 1 : 0] = (counts[valid ? 1 : 0] ?? 0) + 1;
    if (held !== valid) t.fail(`${JSON.stringify(value)} is ${valid ? 'valid and not of the grammar' : 'of the grammar and not valid'}: ${name}`);
  }
  t.ok(counts.every((count) => count > 0), `${counts.join(' refused, ')} taken: ${name}`);
}

t.test('multiples of a step, between bounds', async (t) => {
  const random = randomFrom(1);
  const steps = [2, 7, 10, 37, 360, 0.5, 0.01, 2.25, ...(process.env['CI_FULL'] === '1' ? [3, 5, 25, 100, 1000, 0.25, 0.1, 0.05, 1.5] : [])];
  for (const step of steps) {
    for (const type of ['integer', 'number']) {
      const bounds = [{}, { minimum: 0 }, { minimum: -step * 7, maximum: step * 40 }, { exclusiveMinimum: step, exclusiveMaximum: step * 9.5 }, { minimum: -1000.55, exclusiveMaximum: -0.001 }];
      for (const bound of bounds) {
        const near = Array.from({ length: 30 }, (_, index) => Number(((index - 10) * (step / 2)).toFixed(6)));
        const values = [...near, 0, 1, -1, 12345, 360_000, -72_000, 'x', null];
        const schema = { type, multipleOf: step, ...bound };
        const source = sourceOf(schema);
        const validate = validatorOf(schema);
        if (source === null) {
          t.notOk(values.some(validate), JSON.stringify(schema));
          continue;
        }
        const grammar = readGbnf(source);
        for (let walk = 0; walk < 4; walk += 1) {
          const text = grammar.walk(random);
          const scaled = BigInt(Math.round(Number(text) * 1e4));
          if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) || text.replace(/\D/g, '').length > 15 || (Math.abs(Number(text)) < 1e9 ? !validate(Number(text)) : Math.abs(Number(text)) < 1e11 && scaled % BigInt(Math.round(step * 1e4)) !== 0n)) t.fail(`${text} for ${JSON.stringify(schema)}`);
        }
        for (const value of values) if (grammar.matches(JSON.stringify(value)) !== validate(value)) t.fail(`${value} for ${JSON.stringify(schema)}`);
      }
    }
  }
  for (const [schema, right, wrong] of [
    [{ type: 'number', multipleOf: 0.01 }, ['19.99', '0', '0.1', '0.10', '100', '-2.50'], ['19.999', '0.', '-0', '00.1', '.5', '1e2']],
    [{ type: 'integer', multipleOf: 6, minimum: 10, maximum: 100 }, ['12', '96'], ['6', '10', '102', '012']],
    [{ allOf: [{ type: 'integer', multipleOf: 4 }, { multipleOf: 6 }] }, ['12', '0', '-24'], ['4', '6']],
    [{ type: 'integer', multipleOf: 1, not: { enum: [3, 5] } }, ['4', '6', '2', '-7'], ['3', '5']],
  ] as [Schema, string[], string[]][]) {
    const grammar = readGbnf(sourceOf(schema) ?? '');
    for (const text of right) t.ok(grammar.matches(text), `${text} ${JSON.stringify(schema)}`);
    for (const text of wrong) t.notOk(grammar.matches(text), `${text} ${JSON.stringify(schema)}`);
  }
  for (const [step, message] of [[0, /must be a number above zero/], [-2, /above zero/], [1e-9, /up to 6 decimal places/], [997, /needs more than 600 states/]] as const) t.throws(() => sourceOf({ type: 'number', multipleOf: step }), { code: 'invalid_request', message });
});

const listsOf = (values: readonly unknown[], random: () => number, count = 60, longest = 6): unknown[] => [
  [], ...Array.from({ length: count }, () => Array.from({ length: Math.floor(random() * longest) }, () => values[Math.floor(random() * values.length)])),
];

t.test('items that differ', async (t) => {
  const random = randomFrom(2);
  const letters = { enum: ['a', 'b', 'c', 'd', 'e'] };
  const lists = listsOf(['a', 'b', 'c', 'd', 'e', 1], random, 80, 5);
  for (const schema of [
    { type: 'array', items: letters, uniqueItems: true }, { type: 'array', items: letters, uniqueItems: true, minItems: 2 }, { type: 'array', items: letters, uniqueItems: true, minItems: 1, maxItems: 3 },
    { type: 'array', items: letters, uniqueItems: true, contains: { enum: ['a', 'b'] }, maxContains: 1 }, { type: 'array', prefixItems: [{ enum: ['a', 'b'] }, letters], items: { enum: ['c', 'd', 'e'] }, uniqueItems: true },
  ]) agree(t, schema, lists, random);
  agree(t, { type: 'array', items: { anyOf: [{ type: 'boolean' }, { type: 'null' }, { const: { k: [1] } }] }, uniqueItems: true }, listsOf([true, false, null, { k: [1] }, 3], random), random);
  const many = { enum: Array.from({ length: 30 }, (_, index) => index) };
  agree(t, { type: 'array', items: many, uniqueItems: true, maxItems: 2 }, listsOf([0, 7, 29, 30], random, 60, 4), random);
  agree(t, { type: 'array', items: { type: 'string' }, uniqueItems: true, maxItems: 1 }, listsOf(['a', 'b', 1], random, 60, 3), random);
  for (const items of [many, { type: 'string' }]) t.throws(() => sourceOf({ type: 'array', items, uniqueItems: true }), { code: 'invalid_request', message: /'uniqueItems' at #\/uniqueItems is only supported for items of which there are a few/ });
  const leftOut: string[] = [];
  t.ok(readGbnf(sourceOf({ type: 'array', items: { type: 'string' }, uniqueItems: true }, true, leftOut) ?? '').matches('["a", "a"]'));
  t.strictSame(leftOut, ['uniqueItems at #']);
});

t.test('what lists contain', async (t) => {
  const random = randomFrom(3);
  const kinds = listsOf(['x', 'y', 'z', 1, { kind: 'a' }, { kind: 'b' }], random, 60, 6);
  const words = { enum: ['x', 'y', 'z'] };
  for (const contains of [{ contains: { const: 'x' } }, { contains: { const: 'x' }, minContains: 2 }, { contains: { const: 'x' }, maxContains: 2 }, { contains: { enum: ['x', 'y'] }, minContains: 0, maxContains: 1 }]) {
    for (const counts of [{}, { minItems: 2 }, { maxItems: 3 }, { minItems: 2, maxItems: 4 }]) agree(t, { type: 'array', items: words, ...contains, ...counts }, kinds, random);
  }
  const object = { type: 'object', properties: { kind: { enum: ['a', 'b'] } }, required: ['kind'], additionalProperties: false };
  agree(t, { type: 'array', items: object, contains: { type: 'object', properties: { kind: { const: 'a' } }, required: ['kind'] } }, kinds, random);
  agree(t, { type: 'array', items: { type: ['string', 'integer'] }, contains: { type: 'integer' } }, kinds, random);
  t.throws(() => sourceOf({ type: 'array', items: { type: 'object' }, contains: { type: 'object', additionalProperties: false } }), { message: /'not' at #\/contains\/not/ });
  t.throws(() => sourceOf({ type: 'array', items: words, contains: { const: 'x' }, maxItems: 900 }), { message: /'contains' at #\/contains takes more than 512 places/ });
});

const objects = (random: () => number): unknown[] => Array.from({ length: 60 }, () => Object.fromEntries(['a', 'b', 'c', 'kind'].flatMap((name) => {
  const value = name === 'kind' ? ['one', 'two', 'three'][Math.floor(random() * 3)] : [1, 2, 'x', null][Math.floor(random() * 4)];
  return random() < 0.5 ? [[name, value]] : [];
})));
const shape = { type: 'object', properties: { a: { type: ['integer', 'string'] }, b: {}, c: { type: ['null', 'integer'] }, kind: { enum: ['one', 'two'] } }, additionalProperties: false };

t.test('conditions, dependencies and what must not hold', async (t) => {
  const random = randomFrom(4);
  const isOne = { properties: { kind: { const: 'one' } }, required: ['kind'] };
  for (const more of [
    { dependentRequired: { a: ['b', 'c'] } }, { dependentRequired: { a: ['b'], b: ['a'] } }, { dependentRequired: { kind: [] , c: ['kind'] } }, { dependencies: { a: ['b'], c: { required: ['kind'] } } },
    { dependentSchemas: { a: { properties: { b: { const: 1 } }, required: ['b'] } } },
    { if: isOne, then: { required: ['a'] }, else: { required: ['b'] } }, { if: isOne, then: { properties: { a: { type: 'integer' } } } }, { if: isOne, else: { properties: { c: false } } }, { if: { properties: { kind: { const: 'one' } } }, then: { required: ['c'] } }, { if: true, then: { required: ['a'] } }, { if: { required: ['a'] } },
    { allOf: [{ if: isOne, then: { required: ['a'] } }, { if: { properties: { kind: { const: 'two' } }, required: ['kind'] }, then: { required: ['b'] } }] },
    { not: { required: ['a'] } }, { not: { required: ['a', 'b'] } }, { not: isOne }, { not: { not: { required: ['a'] } } }, { not: { anyOf: [{ required: ['a'] }, isOne] } }, { not: { properties: { a: { type: 'integer' }, c: { type: 'null' } } } },
    { not: { minProperties: 1 } }, { not: { $ref: '#/$defs/one' }, $defs: { one: isOne } },
  ]) agree(t, { ...shape, ...more }, objects(random), random);
  const values = ['a', 'b', 'abc', 'xyz', '', 0, 1, 2, 3.5, -4, null, true, false, [], [1], {}];
  const plain = { type: ['string', 'number', 'null', 'boolean'] };
  for (const not of [{ type: 'string' }, { const: 'a' }, { enum: ['a', 1, null, true] }, { pattern: '^a' }, { type: 'string', minLength: 2 }, { maxLength: 1 }, { minimum: 1 }, { type: 'number', exclusiveMaximum: 2, minimum: 0 }, { enum: [0, 1, 3.5] }, { type: ['null', 'number'] }, { allOf: [{ type: 'string' }, { pattern: 'b' }] }]) {
    agree(t, { ...plain, not }, values, random);
    agree(t, { ...plain, if: not, then: { type: ['string', 'null', 'number', 'boolean'] }, else: { enum: ['a', 'xyz', 2, -4, null, true, false] } }, values, random);
  }
  agree(t, { type: 'integer', minimum: 0, maximum: 9, not: { enum: [0, 4, 9] } }, [-1, 0, 1, 3, 4, 5, 8, 9, 10], random);
  agree(t, { type: 'array', items: { enum: [1, 2] }, not: { items: { const: 1 } } }, listsOf([1, 2, 3], random), random);
  agree(t, { type: 'array', items: { enum: [1, 2] }, not: { contains: { const: 1 } } }, listsOf([1, 2, 3], random), random);
  t.equal(sourceOf({ not: {} }), null);
  t.equal(sourceOf({ not: true }), null);
  t.throws(() => sourceOf({ type: 'object', not: { additionalProperties: false } }), { message: /'not' at #\/not has keywords whose opposite no grammar holds/ });
  t.throws(() => sourceOf({ type: 'object', if: { uniqueItems: true }, then: {} }), { message: /'if' at #\/if has keywords/ });
  t.throws(() => sourceOf({ type: 'array', items: {}, not: { const: [1] } }), { message: /names lists or objects/ });
  const dependent = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`p${index}`, [`q${index}`]]));
  t.throws(() => sourceOf({ type: 'object', dependentRequired: dependent }), { message: /'dependentRequired' at #\/dependentRequired has more than 128 alternatives/ });
  const leftOut: string[] = [];
  t.ok(readGbnf(sourceOf({ type: 'object', dependentRequired: dependent }, true, leftOut) ?? '').matches('{"p1": 1}'));
  t.strictSame(leftOut, ['dependentRequired at #']);
});

t.test('properties by patterns of their names', async (t) => {
  const random = randomFrom(5);
  // Properties that are named come first in the grammar.
  const names = ['a', 'n1', 'x-a', 'x-', 'n22', 'x-n1', 'other'];
  const made = Array.from({ length: 80 }, () => Object.fromEntries(names.flatMap((name) => (random() < 0.25 ? [[name, [1, 'x', null, true][Math.floor(random() * 4)]]] : []))));
  const patternProperties = { '^x-': { type: 'string' }, '\\d$': { type: ['integer', 'string'] } };
  for (const more of [
    { additionalProperties: false }, { additionalProperties: { type: 'null' } }, { additionalProperties: true }, { additionalProperties: false, properties: { a: { type: 'boolean' }, n1: { minimum: 0 } } }, { additionalProperties: false, required: ['n1'] },
    { additionalProperties: false, propertyNames: { maxLength: 3 } }, { additionalProperties: false, minProperties: 1 }, { additionalProperties: false, maxProperties: 2 },
    { additionalProperties: false, allOf: [{ patternProperties: { 1: { type: 'string' } } }] },
  ]) agree(t, { type: 'object', patternProperties, ...more }, made, random);
  agree(t, { type: 'object', patternProperties: { '^x-': false }, additionalProperties: true }, made, random);
  t.notOk(readGbnf(sourceOf({ type: 'object', patternProperties }) ?? '').matches('{"other": 1}'), 'where nothing is said of others there are none');
  t.throws(() => sourceOf({ type: 'object', patternProperties: Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, {}])) }), { message: /'patternProperties' at #\/patternProperties has more than 4 patterns/ });
  t.throws(() => sourceOf({ type: 'object', patternProperties: { '(a)\\1': {} } }), { message: /'patternProperties' at .* back reference/ });
});

t.test('values that are spelled out keep to all keywords', async (t) => {
  const random = randomFrom(6);
  const values = [1, 2, 3, 4, [1, 1], [1, 2], [3], { a: 1 }, { a: 1, b: 2 }, { 'x-1': 1 }, { 'x-1': 'x' }];
  for (const more of [{ multipleOf: 2 }, { uniqueItems: true }, { contains: { const: 2 } }, { dependentRequired: { a: ['b'] } }, { not: { type: 'integer' } }, { if: { type: 'array' }, then: { maxItems: 1 } }, { patternProperties: { '^x-': { type: 'string' } } }, { contains: { const: 1 }, maxContains: 1 }]) {
    agree(t, { enum: values, ...more }, values, random);
  }
});

t.test('random schemas of these keywords', async (t) => {
  const random = randomFrom(7);
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const test = (depth: number): Schema => one<() => Schema>([
    () => ({ required: [one(['a', 'b', 'c'])] }), () => ({ properties: { [one(['a', 'kind'])]: { const: one(['one', 'two', 1]) } }, required: ['kind'] }), () => ({ properties: { a: { type: one(['integer', 'string']) } } }),
    () => (depth > 0 ? { not: test(depth - 1) } : { maxProperties: 0 }), () => (depth > 0 ? { anyOf: [test(depth - 1), test(depth - 1)] } : { required: ['b', 'c'] }), () => (depth > 0 ? { allOf: [test(depth - 1), test(depth - 1)] } : {}),
  ])();
  const values = objects(random);
  let [held, empty] = [0, 0];
  for (let round = 0; round < rounds * 25; round += 1) {
    const schema = { ...shape, ...one<() => Schema>([() => ({ if: test(1), then: test(1), else: test(1) }), () => ({ not: test(2) }), () => ({ dependentSchemas: { a: test(1), b: test(1) } }), () => ({ allOf: [{ if: test(1), then: test(1) }, { not: test(1) }] })])() };
    const [source, validate] = [sourceOf(schema), validatorOf(schema)];
    const grammar = source === null ? null : readGbnf(source);
    if (grammar === null) empty += 1;
    for (let walk = 0; walk < 4 && grammar !== null; walk += 1) {
      const text = grammar.walk(random);
      if (!validate(JSON.parse(text))) t.fail(`not valid: ${text} for ${JSON.stringify(schema)}`);
    }
    for (const value of values) {
      if ((grammar?.matches(JSON.stringify(value)) ?? false) !== validate(value)) t.fail(`${JSON.stringify(value)} for ${JSON.stringify(schema)}`);
      held += 1;
    }
  }
  t.ok(held > 1000 && empty < rounds * 12, `${held} values, ${empty} schemas without any`);
});

t.test('a loose schema whose grammar would be too large, or empty, is kept without these keywords', async (t) => {
  const ask = (schema: Schema, strict?: boolean): ReturnType<typeof answerForm> =>
    answerForm({ format: { kind: 'schema', schema, ...(strict === undefined ? {} : { strict }) }, tools: [], toolChoice: 'none', singleToolCall: false, think: undefined, source: '', opensThought: false });
  const never = { type: 'object', properties: { a: { enum: ['p'] } }, required: ['a'], additionalProperties: false, not: { required: ['a'] } };
  t.ok(readGbnf(ask(never).grammar ?? '').matches('{"a": "p"}'));
  t.match(ask(never).unenforced.format, ['not at #']);
  t.throws(() => ask(never, true), { message: /allows no value at all/ });
  const wide = { type: 'object', properties: Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`s${index}`, { type: 'array', items: { enum: [1, 2, 3, 4, 5, 6, 7, 8].map((value) => value + index) }, uniqueItems: true }])) };
  t.equal(ask(wide).unenforced.format.length, 20, 'as many as are named');
  t.strictSame(ask({ type: 'array', items: { enum: [1, 2] }, uniqueItems: true }).unenforced.format, [], 'what is held needs no check');
});

t.test('what cannot be held is left out or refused by name, in no time', async (t) => {
  const leftOutOf = (schema: Schema): string[] => {
    const leftOut: string[] = [];
    t.ok(sourceOf(schema, true, leftOut) !== null, `values are left: ${JSON.stringify(schema).slice(0, 100)}`);
    return leftOut;
  };
  t.match(leftOutOf({ type: 'integer', multipleOf: 1000, minimum: 1.6e18 }), [/^multipleOf at/], 'beyond what doubles hold');
  t.throws(() => sourceOf({ type: 'integer', multipleOf: 1000, minimum: 1.6e18 }), /multipleOf is only supported for numbers of up to 15 digits|multipleOf/);
  t.same(leftOutOf({ type: 'number', not: { const: Infinity } }), [], 'a number of 1e400 is none that an answer can have');
  t.same(leftOutOf({ enum: [Infinity, 2], multipleOf: 2 }), []);
  const began = process.cpuUsage();
  t.match(leftOutOf({ type: 'array', uniqueItems: true, items: { enum: Array.from({ length: 500 }, (_, index) => `v${index}`) } }), [/^uniqueItems at/]);
  t.ok(process.cpuUsage(began).user < 1_000_000, 'the sets are counted before any is made');
});
