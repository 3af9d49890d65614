/** The sandbox: processes that prepare requests, their limits, and the event loop that stays free beside them. */
import t, { type Test } from 'tap';
import { beginningOf, packParts, withPart } from '../../src/chat/prompt/packed.js';
import { deepestNesting, measureJson, mostListNumbers, mostValues, parseJson } from '../../src/chat/sandbox/json-text.js';
import type { Sandbox } from '../../src/chat/sandbox/sandbox.js';
import type { RenderQuestion } from '../../src/chat/sandbox/verbs.js';
import { openSandbox } from '../../src/program/sandbox.js';
import { unpacked } from '../support/unpacked.js';

/** Above what other processes of the machine cost, below what a user notices. A hang here is 5 seconds. */
const longestStallMs = 1_000;

function open(t: Test, slots = 2): { sandbox: Sandbox; lines: string[] } {
  const lines: string[] = [];
  const note = (_fields: object, message: string): void => { lines.push(message); };
  const sandbox = openSandbox({ slots, workerSandbox: 'auto' }, { debug: note, info: note, warn: note, error: note } as never);
  t.teardown(() => sandbox.close());
  return { sandbox, lines };
}

const question = (source: string, content = 'Hi', kind: 'jinja' | 'go' = 'jinja'): RenderQuestion => ({
  template: { kind, source }, messages: [{ role: 'user', content }], options: { tools: [], now: new Date(2026, 0, 1), bosText: '', eosText: '' }, roughly: null,
});
const textOf = async (sandbox: Sandbox, asked: RenderQuestion): Promise<string> => Buffer.from((await sandbox.render(asked)).prompt.utf8).toString();

/** The longest time between two turns of the event loop while `work` lasts. */
async function stallDuring(work: () => Promise<unknown>): Promise<number> {
  let [last, longest] = [performance.now(), 0];
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 5);
  await work();
  clearInterval(timer);
  return longest;
}

const hang = "{% set ns = namespace(s='a') %}{% for i in range(19) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}{{ (ns.s ~ 'b' ~ ns.s) in (ns.s ~ ns.s ~ ns.s ~ ns.s) }}";

t.test('a template that does not end costs its own request 6 seconds and no other anything', async (t) => {
  const { sandbox, lines } = open(t);
  t.equal(await textOf(sandbox, question('{{ messages[0].content }}!')), 'Hi!');
  const stall = await stallDuring(async () => {
    // Its rejection is expected at once: a busy machine may take longer to start the other process.
    const hung = t.rejects(sandbox.render(question(hang)), { code: 'invalid_model', message: /more than 5 seconds/ });
    t.equal(await textOf(sandbox, question('{{ messages[0].content }}?')), 'Hi?', 'another process works meanwhile');
    await hung;
  });
  t.ok(stall < longestStallMs, `the event loop waited ${stall} ms`);
  t.equal(lines.length, 1, 'the process was killed, and the log knows');
  t.same(await Promise.all([1, 2, 3].map((n) => textOf(sandbox, question(`{{ messages[0].content }}${n}`)))), ['Hi1', 'Hi2', 'Hi3'], 'it was replaced');
});

t.test('requests that wait while a process is killed get another one', { timeout: 60_000 }, async (t) => {
  const { sandbox } = open(t, 1);
  const hung = sandbox.render(question(hang));
  const waiting = [1, 2, 3].map((n) => textOf(sandbox, question(`{{ messages[0].content }}${n}`)));
  await t.rejects(hung, { code: 'invalid_model' });
  t.same(await Promise.all(waiting), ['Hi1', 'Hi2', 'Hi3']);
});

t.test('a template that fills the memory ends alone', async (t) => {
  const { sandbox } = open(t);
  const words = "{% set ns = namespace(x=[]) %}{% for i in range(9) %}{% set ns.x = ns.x + [messages[0].content.split(' ')] %}{% endfor %}{{ ns.x | length }}";
  await t.rejects(sandbox.render(question(words, 'a '.repeat(2_000_000))), { code: 'invalid_model', message: /memory|seconds|without end/ });
  t.equal(await textOf(sandbox, question('{{ messages[0].content }}!')), 'Hi!');
});

t.test('what cannot be sent, and what is wrong with a question, is a coded error', async (t) => {
  const { sandbox, lines } = open(t);
  await t.rejects(sandbox.render(question('{% if %}')), { code: 'invalid_model' });
  await t.rejects(sandbox.render(question("{{ raise_exception('No.') }}")), { code: 'invalid_request', message: 'No.' });
  await t.rejects(sandbox.checkGoTemplate('{{ toTypeScript . }}'), { code: 'invalid_model', message: /toTypeScript/ });
  await t.resolves(sandbox.checkGoTemplate('{{ .Prompt }}'));
  let deep: Record<string, unknown> = {};
  for (let depth = 0; depth < 100_000; depth += 1) deep = { deep };
  const asked = question('{{ tools }}');
  await t.rejects(sandbox.render({ ...asked, options: { ...asked.options, tools: [{ name: 'f', parameters: deep, raw: deep }] } }), { code: 'invalid_request', message: /nests too deep/ });
  const form = { format: { kind: 'schema' as const, schema: { type: 'string', pattern: '(' }, strict: true }, tools: [], toolChoice: 'none' as const, singleToolCall: false, think: undefined, source: '', opensThought: false };
  await t.rejects(sandbox.form(form), { code: 'invalid_request', about: 'format' });
  t.match((await sandbox.form({ ...form, format: { kind: 'schema', schema: { const: 1 } } })).grammar, /root ::=/);
  t.same(lines, [], 'none of it cost a process');
  await sandbox.close();
  await t.rejects(sandbox.render(asked), { code: 'cancelled' });
});

/** As a socket brings it, also cut within a character. */
function cut(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / 65_521) }, (_, index) => bytes.subarray(index * 65_521, (index + 1) * 65_521));
}

t.test('bodies: long texts come whole, and too many values never come', async (t) => {
  const { sandbox } = open(t);
  const text = `é${'x'.repeat(8 * 2 ** 20)}😀`;
  const stall = await stallDuring(async () => {
    t.strictSame(await sandbox.readJson(cut(JSON.stringify({ text, __proto__: null, n: [1, 2.5, null, true] }))), { text, n: [1, 2.5, null, true] });
    await t.rejects(sandbox.readJson(cut('['.repeat(15_000_000))), { code: 'invalid_request', message: /nests deeper/ });
    await t.rejects(sandbox.readJson(cut(`[${'{},'.repeat(4_000_000)}{}]`)), { code: 'invalid_request', message: /more than/ });
    await t.rejects(sandbox.readJson(cut(`[${'1,'.repeat(7_000_000)}1]`)), { code: 'invalid_request', message: /more than/ });
  });
  t.ok(stall < longestStallMs, `the event loop waited ${stall} ms`);
});

t.test('JSON is measured as it is parsed', async (t) => {
  const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
  const refusal = (text: string): string | null => {
    try {
      measureJson(bytes(text));
      return null;
    } catch (thrown) {
      return (thrown as Error).message;
    }
  };
  const list = (item: string, count: number): string => `[${Array(count).fill(item).join(',')}]`;
  t.equal(refusal(list('""', mostValues - 1)), null);
  t.match(refusal(list('""', mostValues)), /values/);
  t.equal(refusal(list('-1', mostListNumbers)), null, 'numbers of a list have a limit of their own');
  t.match(refusal(list('1', mostListNumbers + 1)), /numbers/);
  t.match(refusal(`{${Array.from({ length: mostValues / 2 }, (_, i) => `"${i}":1`).join(',')}}`), /values/, 'those of an object have not');
  t.equal(refusal(`"${'[{,:1\\"\\\\'.repeat(mostValues)}"`), null, 'what stands in a string is none');
  t.equal(refusal(`${'['.repeat(deepestNesting)}${']'.repeat(deepestNesting)}`), null);
  t.match(refusal('['.repeat(deepestNesting + 1)), /deeper/);
  t.equal(refusal(']]]]}}}}'), null, 'the parser refuses that');
  t.strictSame(parseJson(Buffer.from('\ufeff{"a":"\\ud800"}')), { a: '\ud800' });
  const own = parseJson(bytes('{"__proto__":{"x":1}}')) as { x?: number };
  t.equal(own.x, undefined, 'a key is a key');
  for (const text of ['{', '{"a":1,}', 'nul', '"\\x"', '']) t.throws(() => parseJson(bytes(text)), { code: 'invalid_request', message: /not valid JSON/ }, text);
  t.throws(() => parseJson(bytes('"\xff"')), { code: 'invalid_request', message: /UTF-8/ });
  t.notMatch(refusalOf(() => parseJson(bytes(`{"secret ${'x'.repeat(5000)}" 1}`))), /secret/);
});

function refusalOf(work: () => unknown): string {
  try {
    return String(work());
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

t.test('only the beginning of a prompt is returned where it is only to be counted', async (t) => {
  const { sandbox } = open(t);
  const { prompt, isCut } = await sandbox.render({ ...question('<{{ messages[0].content }}>', 'x'.repeat(1_000_000)), roughly: { mostCharacters: 1_000 } });
  t.equal(Buffer.from(prompt.utf8).toString(), `<${'x'.repeat(999)}`);
  t.equal(isCut, true);
  t.match(await sandbox.render({ ...question('<{{ messages[0].content }}>'), roughly: { mostCharacters: 4 } }), { isCut: false });
  const parts = [{ text: 'abc', special: true }, { text: 'de', special: false }];
  t.strictSame(beginningOf(parts, 5), { parts, isCut: false });
  t.strictSame(beginningOf(parts, 4), { parts: [parts[0], { text: 'd', special: false }], isCut: true });
  t.strictSame(beginningOf(parts, 3), { parts: [parts[0], { text: '', special: false }], isCut: true });
});

t.test('packed prompts are their parts', async (t) => {
  const parts = [{ text: '<|é|>', special: true }, { text: '', special: false }, { text: 'a😀\ud800', special: false }];
  const told = parts.map(({ text, special }) => ({ text: text.replace('\ud800', '\ufffd'), special }));
  t.strictSame(unpacked(packParts(parts)), told);
  t.strictSame(unpacked(withPart(packParts(parts), { text: 'ü', special: true })), [...told, { text: 'ü', special: true }]);
  t.strictSame(unpacked(withPart(packParts([]), { text: 'x', special: false })), [{ text: 'x', special: false }]);
});
