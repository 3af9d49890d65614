/** What no grammar holds of a schema is checked when the answer is finished: by the validator alone, and through a whole answer. */
import t from 'tap';
import { answerForm, type FormQuestion } from '../../src/chat/form.js';
import { checkChoice } from '../../src/chat/check.js';
import { schemaErrors } from '../../src/chat/json-schema/check.js';
import { LecternError } from '../../src/errors.js';
import { directSandbox } from '../support/direct-sandbox.js';

const errors = (schema: unknown, value: unknown): string[] => schemaErrors([{ schema, text: JSON.stringify(value), where: '' }]);

t.test('valid and invalid values by keywords that no grammar holds', async (t) => {
  const rows: [schema: unknown, right: unknown, wrong: unknown, sentence: RegExp][] = [
    [{ type: 'array', uniqueItems: true }, [1, 2], [1, 1], /duplicate/],
    [{ type: 'number', multipleOf: 0.01 }, 19.99, 19.995, /multiple of 0.01/],
    [{ not: { type: 'string' } }, 1, 'a', /NOT/],
    [{ if: { properties: { a: { const: 1 } } }, then: { required: ['b'] } }, { a: 1, b: 2 }, { a: 1 }, /required property 'b'/],
    [{ contains: { const: 1 }, maxContains: 1 }, [1, 2], [1, 1], /contain/],
    [{ dependentRequired: { a: ['b'] } }, { a: 1, b: 1 }, { a: 1 }, /b/],
    [{ patternProperties: { '^x': { type: 'null' } } }, { x: null }, { x: 1 }, /null/],
    [{ type: 'object', unevaluatedProperties: false, properties: { a: {} } }, { a: 1 }, { b: 1 }, /unevaluated/],
    [{ type: 'string', pattern: '^\\d\\-\\d\\#$' }, '1-2#', '12', /pattern/],
    [{ $schema: 'http://json-schema.org/draft-07/schema#', type: 'array', items: [{ const: 1 }], additionalItems: false }, [1], [1, 2], /more than 1/],
    [{ type: 'array', items: [{ const: 1 }] }, [1], [2], /constant/],
    [{ type: 'string', format: 'iso-lunar' }, 'anything', 1, /string/],
    [{ $defs: { n: { type: 'integer' } }, $ref: '#/$defs/n' }, 1, 'a', /integer/],
  ];
  for (const [schema, right, wrong, sentence] of rows) {
    t.strictSame(errors(schema, right), [], JSON.stringify(schema));
    t.match(errors(schema, wrong), [sentence], JSON.stringify(schema));
  }
  t.match(schemaErrors([{ schema: {}, text: '{"a":', where: '' }]), [/no whole JSON document/]);
  t.match(errors({ $ref: 'https://example.org/elsewhere' }, 1), [/could not be checked/]);
  t.match(errors({ type: 'text' }, 1), [/could not be checked/]);
});

t.test('a form names what its grammar leaves to the check, and nothing where it holds all', async (t) => {
  const question = (more: Partial<FormQuestion>): FormQuestion => ({ format: { kind: 'text' }, tools: [], toolChoice: 'none', singleToolCall: false, think: undefined, source: '<tool_call>', opensThought: false, ...more });
  const schema = { type: 'object', properties: { a: { type: 'string', format: 'iso-lunar' }, b: { type: 'string', pattern: '\\bword' } } };
  t.strictSame(answerForm(question({ format: { kind: 'schema', schema } })).unenforced.format, ['format at #/properties/a', 'pattern at #/properties/b']);
  t.strictSame(answerForm(question({ format: { kind: 'schema', schema: { type: 'object', properties: { a: { type: 'string', format: 'date' } } } } })).unenforced.format, []);
  t.throws(() => answerForm(question({ format: { kind: 'schema', schema, strict: true } })), { code: 'invalid_request', message: /iso-lunar/ });
  const tools = [{ name: 'f', parameters: schema, raw: {} }, { name: 'g', parameters: { type: 'object' }, raw: {} }];
  t.strictSame(answerForm(question({ tools, toolChoice: 'required' })).unenforced.tools, { f: ['format at #/properties/a', 'pattern at #/properties/b'], g: [] });
});

t.test('an answer, its calls, and a check that comes to no end', async (t) => {
  const format = { schema: { type: 'array', uniqueItems: true }, unenforced: ['uniqueItems at #'] };
  const text = (written: string) => [{ kind: 'reasoning' as const, text: 'hm' }, { kind: 'text' as const, text: written }];
  t.strictSame(await checkChoice(directSandbox, { format, tools: new Map() }, text('[1,2]')), { isValid: true, errors: [], unenforced: ['uniqueItems at #'] });
  t.match(await checkChoice(directSandbox, { format, tools: new Map() }, text('[1,1]')), { isValid: false, errors: [/duplicate/], unenforced: ['uniqueItems at #'] });
  const tools = new Map([['f', { parameters: { type: 'object', required: ['a'] }, unenforced: [] }]]);
  const call = (values: Record<string, unknown>) => [{ kind: 'toolCall' as const, call: { id: 'call_1', name: 'f', arguments: values } }];
  t.equal(await checkChoice(directSandbox, { format, tools }, call({ a: 1 })), null, 'a call in the place of the answer that was to have the format');
  t.match(await checkChoice(directSandbox, { format: null, tools }, call({})), { isValid: false, errors: [/^Call call_1 of 'f': .*required property 'a'/] });
  t.equal(await checkChoice(directSandbox, { format: null, tools }, text('hello')), null);
  const late = { check: async (): Promise<string[]> => { throw new LecternError('invalid_request', 'The check takes more than 5 seconds to work out.'); } };
  t.match(await checkChoice(late, { format, tools }, text('[1]')), { isValid: false, errors: [/more than 5 seconds/] });
});
