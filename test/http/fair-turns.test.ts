// Slots are shared: ten endless streams of one caller leave another its turn, and what they say is what they would have said alone.
import t, { type Test } from 'tap';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { complete } from '../../src/chat/complete.js';
import { Gate } from '../../src/http/access-gate.js';
import { createLog } from '../../src/logging/log.js';
import { type Network, parseNetwork } from '../../src/network/address.js';
import { createLanguage } from '../../src/program/language-half.js';
import { resolveSettings, type Settings } from '../../src/settings/settings.js';
import type { DeviceInfo } from '../../src/engine/port.js';
import { directSandbox } from '../support/direct-sandbox.js';
import { fakeLanguageEngine } from '../support/fake-language-engine.js';
import { startTestService, testSettings } from '../support/http-service.js';
import { until } from '../support/until.js';

const cpu: DeviceInfo = { kind: 'cpu', name: 'a processor', memoryTotalBytes: 2 ** 34, memoryFreeBytes: 2 ** 33 };
const settings = { ...testSettings, allowAll: true, trustedProxies: [parseNetwork('127.0.0.1') as Network] };

interface Stream {
  text: () => string;
  comments: () => string[];
  headers: Headers;
  done: Promise<void>;
  leave: () => void;
}

async function open(t: Test, more: Partial<Settings> = {}) {
  const directory = t.testdir();
  const path = join(directory, 'talker.gguf');
  writeFileSync(path, 'talker');
  const engine = Object.assign(fakeLanguageEngine({ [path]: { context: 160, tokenMs: 1 } }), { devices: () => [cpu] });
  const defaults = resolveSettings([], { HOME: directory }).values;
  const language = createLanguage({ ...defaults, models: [directory], turnTokens: 10, ...more }, { engine, sandbox: directSandbox, answer: (...asked) => complete(directSandbox, ...asked), log: createLog('silent') });
  const service = await startTestService(settings, { language: language.services, gate: new Gate(settings) });
  const url = await service.listen();
  t.teardown(async () => {
    await service.close();
    await language.close(0);
  });
  const stream = async (address: string, seed: number, tokens = 100_000): Promise<Stream> => {
    const leaving = new AbortController();
    const answer = await fetch(`${url}/v1/completions`, {
      method: 'POST', signal: leaving.signal, headers: { 'x-forwarded-for': address },
      body: JSON.stringify({ model: 'talker', prompt: 'say', stream: true, seed, max_tokens: tokens }),
    });
    let raw = '';
    const done = (async () => {
      for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) raw += Buffer.from(chunk).toString();
    })().catch(() => undefined);
    const events = (): string[] => raw.split('\n\n');
    return {
      headers: answer.headers, done, leave: () => leaving.abort(),
      text: () => events().filter((event) => event.startsWith('data: {')).map((event) => (JSON.parse(event.slice(6)) as { choices: { text: string }[] }).choices[0]?.text ?? '').join(''),
      comments: () => events().filter((event) => event.startsWith(':')),
    };
  };
  return { stream, engine, language, url };
}

t.test('ten endless streams of one caller leave others their turns, and lose nothing by it', { timeout: 300_000 }, async (t) => {
  const { stream, engine, language } = await open(t);
  const greedy = await Promise.all(Array.from({ length: 10 }, (_, seed) => stream('10.0.0.1', seed)));
  t.strictSame(greedy.map(({ headers }) => headers.get('x-queue-position')).sort(), ['0', '0', '1', '2', '3', '4', '5', '6', '7', '8'].sort(), 'each stream hears its place at once');
  t.equal(engine.opened[0]?.options.slots, 4, 'the model keeps two more sequences than it generates');
  const begun = (): Stream[] => greedy.filter((one) => one.text() !== '');
  await until('two of them are written', () => begun().length === 2);
  const others = await Promise.all(['10.0.0.2', '10.0.0.3'].map((address) => stream(address, 7, 30)));
  await Promise.all(others.map(({ done }) => done));
  t.strictSame(others.map((one) => one.text().length), [30, 30]);
  t.equal(others[0]?.text(), others[1]?.text());
  t.equal(begun().length, 2, 'no further one of the ten had its turn before the others had theirs');
  t.ok(greedy.every((one) => one.text().length < 157), 'none of the ten had ended by then');
  for (const one of greedy) if (!begun().includes(one)) one.leave();
  // The others may have run one after the other, in the slot of one of them.
  t.ok(begun().some((one) => one.comments().some((comment) => /^: queue-position [1-9]/.test(comment))), 'a stream that is paused hears its place');
  for (const one of begun()) {
    await one.done;
    const alone = await stream('10.0.0.1', greedy.indexOf(one));
    await alone.done;
    t.equal(alone.text().length, 157);
    t.equal(one.text(), alone.text(), 'the same seed gives the same bytes');
  }
  await until('no slot is taken', () => language.services.slots.waiting === 0);
});

t.test('a paused stream ends when its client leaves, and its place is free', { timeout: 300_000 }, async (t) => {
  const { stream, language } = await open(t, { slots: 1, pausedAnswers: 1 });
  const first = await stream('10.0.0.1', 1);
  await until('it is written', () => first.text() !== '');
  const second = await stream('10.0.0.2', 2);
  await until('the first is paused', () => first.comments().some((comment) => /^: queue-position 1/.test(comment)));
  // One slot and one paused: a third has to wait for the end of one of them, and has its turn as soon as the place of the paused one is free.
  const third = await stream('10.0.0.3', 3, 20);
  first.leave();
  await third.done;
  t.equal(third.text().length, 20);
  t.ok(second.text().length < 157);
  second.leave();
  await until('nothing is left', () => language.services.slots.waiting === 0);
});

t.test('one caller alone is never interrupted, nor is one whose model has no room for a paused sequence', { timeout: 300_000 }, async (t) => {
  for (const [more, addresses] of [[{}, ['10.0.0.1', '10.0.0.1']], [{ pausedAnswers: 0 }, ['10.0.0.1', '10.0.0.2']], [{ turnTokens: 0 }, ['10.0.0.1', '10.0.0.2']]] as const) {
    const { stream } = await open(t, { slots: 1, ...more });
    const [first, second] = [await stream(addresses[0], 1), await stream(addresses[1], 2, 20)];
    await second.done;
    t.equal(first.text().length, 157, `${JSON.stringify(more)}: the first was written to its end`);
  }
});

t.test('whole answers and /api/ps name the place, too', { timeout: 300_000 }, async (t) => {
  const { stream, url } = await open(t, { slots: 1 });
  const first = await stream('10.0.0.1', 1);
  const asked = fetch(`${url}/v1/completions`, { method: 'POST', headers: { 'x-forwarded-for': '10.0.0.2' }, body: JSON.stringify({ model: 'talker', prompt: 'say', max_tokens: 5 }) });
  const ps = async (address: string): Promise<unknown> => (await (await fetch(`${url}/api/ps`, { headers: { 'x-forwarded-for': address } })).json() as { queue: unknown }).queue;
  const answer = await asked;
  t.equal(answer.headers.get('x-queue-position'), '1');
  t.equal(answer.status, 200);
  const waiting = await Promise.all([1, 2, 3].map((seed) => stream('10.0.0.1', seed)));
  t.match(await ps('10.0.0.1'), { waiting: 3, own: [1, 2, 3] });
  t.match(await ps('10.0.0.2'), { waiting: 3, own: [] });
  for (const one of [first, ...waiting]) one.leave();
});
