/** Forms of answers over the real engine: its grammars take what this room prints, and what a model writes under them is valid. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import t from 'tap';
import type { AnswerRequest, Conversation } from '../../src/chat/answer.js';
import { complete } from '../support/direct-sandbox.js';
import type { OutputPart, Tool } from '../../src/chat/conversation.js';
import { answerForm } from '../../src/chat/form.js';
import { openEngine } from '../../src/engine/engine.js';
import type { Lease } from '../../src/models/types.js';
import { readGbnf } from '../support/gbnf.js';
import { fakeEntry } from '../support/language-service.js';
import { madeModels, toolTemplate } from '../support/made-model.js';
import { randomFrom } from '../support/random.js';
import { randomSchema } from '../support/random-schema.js';

const never = new AbortController().signal;
const engine = openEngine();
t.teardown(() => engine.close());
const model = await engine.openModel(madeModels(t, { context: 4096 }).chat, { context: 4096, slots: 1 });
const lease: Lease = { entry: fakeEntry('made', { chatTemplate: toolTemplate }), model, loadMs: 0, release: () => undefined };
const rounds = process.env['CI_FULL'] === '1' ? 400 : 40;

async function ask(more: Partial<AnswerRequest>, input: Partial<Conversation> = {}): Promise<{ parts: OutputPart[]; isWhole: boolean }> {
  const conversation: Conversation = { kind: 'messages', messages: [{ role: 'user', content: 'Hi' }], tools: [], toolChoice: 'none', ...input };
  const { choices } = await complete(lease, { input: conversation, format: { kind: 'text' }, sampling: {}, ...more }, {}, never);
  return { parts: choices[0]?.parts ?? [], isWhole: choices[0]?.finishReason !== 'length' };
}

const textOf = (parts: OutputPart[]): string => parts.map((part) => (part.kind === 'text' ? part.text : '?')).join('');

t.test('random schemas: whole answers are valid, cut ones begin a valid one', async (t) => {
  const random = randomFrom(11);
  let [whole, cut] = [0, 0];
  for (let round = 0; round < rounds; round += 1) {
    const schema = randomSchema(random);
    const { grammar } = formOf(schema);
    if (grammar === null) continue;
    const validate = new Ajv2020({ strict: false });
    (addFormats as unknown as (ajv: Ajv2020) => void)(validate);
    // A model of random weights ends its strings seldom; a nudge towards quotes and braces helps it.
    const logitBias = [...'"}],'].map((character) => [idOf(character), 3] as const);
    const { parts, isWhole } = await ask({ format: { kind: 'schema', schema, strict: true }, sampling: { seed: round, maxTokens: 150, logitBias } });
    const text = textOf(parts);
    if (isWhole) {
      whole += 1;
      if (!validate.validate(schema, JSON.parse(text))) t.fail(`${text} ${JSON.stringify(schema)}`);
      t.ok(readGbnf(grammar).matches(text));
    } else {
      cut += 1;
      // Half a character is shown as a replacement.
      t.ok(readGbnf(grammar).begins(text.replace(/\ufffd$/, '')), text);
    }
  }
  t.ok(whole > rounds / 4, `${whole} whole, ${cut} cut`);
});

t.test('calls of tools', async (t) => {
  const parameters = { type: 'object', properties: { city: { type: 'string', maxLength: 5 }, days: { type: 'integer', minimum: 1, maximum: 7 } }, required: ['city', 'days'], additionalProperties: false };
  const tool: Tool = { name: 'get_weather', parameters, raw: { type: 'function', function: { name: 'get_weather', parameters } } };
  for (let seed = 0; seed < 8; seed += 1) {
    const { parts } = await ask({ sampling: { seed, maxTokens: 400 } }, { tools: [tool], toolChoice: 'required', singleToolCall: true });
    const [part] = parts;
    t.ok(part?.kind === 'toolCall' && parts.length === 1, JSON.stringify(parts));
    if (part?.kind === 'toolCall') t.ok(new Ajv2020().validate(parameters, part.call.arguments), JSON.stringify(part.call.arguments));
  }
});

t.test('bare calls or any text', async (t) => {
  const parameters = { type: 'object', properties: { a: { type: 'boolean' } }, required: ['a'] };
  const tools: Tool[] = ['add', 'adder'].map((name) => ({ name, parameters, raw: { type: 'function', function: { name, parameters } } }));
  const bare: Lease = { ...lease, entry: fakeEntry('bare', { chatTemplate: `{# {"name": function name, "parameters": dictionary of argument} #}${toolTemplate.replaceAll('<tool_call>', '')}` }) };
  const conversation: Conversation = { kind: 'messages', messages: [{ role: 'user', content: 'Hi' }], tools, toolChoice: 'auto' };
  const answer = async (sampling: AnswerRequest['sampling'], input = conversation) => (await complete(bare, { input, format: { kind: 'text' }, sampling }, {}, never)).choices[0]?.parts ?? [];
  t.ok(textOf(await answer({ seed: 3, maxTokens: 40 })).length > 0, 'free text');
  const called = await answer({ seed: 3, maxTokens: 200 }, { ...conversation, toolChoice: 'required', singleToolCall: true });
  t.match(called, [{ kind: 'toolCall', call: { name: /^add(er)?$/ } }]);
});

t.test('forms at their largest', async (t) => {
  const schemas = [
    { type: 'string', maxLength: 40_000 }, { type: 'string', minLength: 3000 }, { type: 'array', items: { type: 'string', maxLength: 300 }, minItems: 200, maxItems: 5000 },
    { type: 'object', properties: Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`property ${index}`, { type: 'string' }])) },
    { type: 'string', pattern: '^.{0,300}$' }, { type: 'string', pattern: '^(a?){200}b?c$' }, { type: 'number', exclusiveMinimum: -0.123456789, maximum: 12345.6789 },
    ...['date', 'time', 'date-time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid', 'uri', 'json-pointer', 'byte'].map((format) => ({ type: 'string', format })),
  ];
  for (const schema of schemas) {
    const { parts } = await ask({ format: { kind: 'schema', schema }, sampling: { seed: 1, maxTokens: 20 } });
    const { grammar } = formOf(schema);
    t.ok(readGbnf(grammar ?? '').begins(textOf(parts).replace(/\ufffd$/, '')), JSON.stringify(schema).slice(0, 100));
  }
  t.ok(JSON.parse(textOf((await ask({ format: { kind: 'schema', schema: { const: { nested: ['é', '😀\n', 1.5] } } } })).parts)));
  t.type(JSON.parse(textOf((await ask({ format: { kind: 'json' }, sampling: { temperature: 0, maxTokens: 1, logitBias: [[idOf('{'), 50]] } })).parts.concat({ kind: 'text', text: '}' }))), 'object');
});

t.test("the engine's other samplers, and biases of texts", async (t) => {
  const asked = async (sampling: AnswerRequest['sampling']): Promise<string> => textOf((await ask({ sampling: { maxTokens: 30, seed: 5, ...sampling } })).parts);
  const plain = await asked({});
  const options: AnswerRequest['sampling'][] = [
    { topNSigma: 0.5 }, { xtcProbability: 1, xtcThreshold: 0 }, { dynatempRange: 1 }, { mirostat: 2, mirostatTau: 1 }, { dryMultiplier: 50, dryAllowedLength: 0, dryPenaltyLastN: -1, drySequenceBreakers: [] },
  ];
  for (const sampling of options) {
    const text = await asked(sampling);
    t.not(text, plain, JSON.stringify(sampling));
    t.equal(await asked(sampling), text, 'the same seed, the same answer');
  }
  const text = 'a';
  t.equal(await asked({ logitBias: [[text, 100]], ignoreEnd: true }), text.repeat(30), 'each token of the text is preferred');
  await t.rejects(asked({ drySequenceBreakers: [''] }), { code: 'invalid_request' });
  await t.rejects(asked({ mirostat: 1 }), { code: 'invalid_request' });
});

function formOf(schema: unknown): { grammar: string | null } {
  try {
    return answerForm({ format: { kind: 'schema', schema, strict: true }, tools: [], toolChoice: 'none', singleToolCall: false, think: undefined, source: '', opensThought: false });
  } catch {
    return { grammar: null };
  }
}

/** Of a character that is printable ASCII: the vocabulary's first tokens are the bytes. */
function idOf(character: string): number {
  return character.charCodeAt(0);
}
