// The language half put together: a fake engine below, the use case of the test's own above.
import t from 'tap';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer } from '../../src/chat/answer.js';
import { resolveSettings, type Settings } from '../../src/settings/settings.js';
import type { DeviceInfo } from '../../src/engine/port.js';
import { LecternError } from '../../src/errors.js';
import { createLanguage, type LanguageParts } from '../../src/program/language-half.js';
import { sizeOfShipped } from '../../src/convert/installed.js';
import { visionBytes } from '../../src/models/fit.js';
import { shippedModelsDirectory } from '../../src/platform/package-files.js';
import { createLog } from '../../src/logging/log.js';
import { failureOf } from '../support/failure-of.js';
import { type FakeModel, fakeLanguageEngine } from '../support/fake-language-engine.js';
import { deferred } from '../support/deferred.js';
import { settled } from '../support/lease.js';
import { directSandbox } from '../support/direct-sandbox.js';

const directory = mkdtempSync(join(tmpdir(), 'lectern-language-'));
t.teardown(() => rmSync(directory, { recursive: true, force: true }));
const forEver = new AbortController().signal;
const cpu: DeviceInfo = { kind: 'cpu', name: 'a processor', memoryTotalBytes: 2 ** 34, memoryFreeBytes: 2 ** 33 };
const gpu: DeviceInfo = { kind: 'cuda', name: 'a GPU', memoryTotalBytes: 2 ** 36, memoryFreeBytes: 2 ** 36 };
const said: Answer = { choices: [], promptTokens: 7, cachedTokens: 3, reasoningTokens: 0, completionTokens: 5, droppedMessages: 0, draftTokens: 8, acceptedTokens: 6, prefillMs: 500, decodeMs: 1500 };

function make(models: Record<string, FakeModel>, settings: Partial<Settings> = {}, more: Partial<LanguageParts> = {}, devices = [cpu]) {
  const paths = Object.entries(models).map(([name, model]): [string, FakeModel] => {
    const path = join(directory, `${name}.gguf`);
    writeFileSync(path, name);
    return [path, model];
  });
  const engine = Object.assign(fakeLanguageEngine(Object.fromEntries(paths)), { devices: () => devices });
  const defaults = resolveSettings([], { HOME: directory }).values;
  return { engine, language: createLanguage({ ...defaults, models: [directory], ...settings }, { engine, sandbox: directSandbox, answer: async () => said, log: createLog('silent'), ...more }) };
}

t.test('settings reach the models: context by name, slots, threads, device, aliases', async (t) => {
  const { engine, language } = make({ big: {}, small: {}, embedder: { embeds: true } }, {
    contextLength: 512, modelContext: new Map([['SMALL:latest', 128]]), slots: 3, pausedAnswers: 4, threads: 5, aliases: new Map([['gpt-4o', 'big']]),
  });
  const { catalogue, residency } = language.services;
  for (const name of ['gpt-4o', 'small', 'embedder']) (await residency.lend(await catalogue.find(name), {})).release();
  t.match(engine.opened.map(({ path, options }) => [path.slice(directory.length + 1), options]), [
    ['big.gguf', { context: 512, slots: 7, threads: 5, device: 'cpu' }],
    ['small.gguf', { context: 128, slots: 7 }],
    ['embedder.gguf', { context: 512, slots: 1 }],
  ]);
  await language.close(0);
  t.equal(engine.open.size, 0, 'closing unloads everything');
});

t.test('a GPU keeps keys and values as the settings say, the processor as it always does', async (t) => {
  for (const [devices, kv] of [[[cpu, gpu], 'q8_0'], [[cpu], undefined]] as const) {
    const { engine, language } = make({ big: {} }, { kvCache: 'q8_0' }, {}, [...devices]);
    const { catalogue, residency } = language.services;
    (await residency.lend(await catalogue.find('big'), {})).release();
    t.equal(engine.opened.at(-1)?.options.kv, kv);
    await language.close(0);
  }
});

t.test('the device of the settings, or an error; memory of the settings, or what the device has', async (t) => {
  t.throws(() => make({}, { device: 'cuda' }), { code: 'invalid_request', message: /--device cuda asks for a GPU, and none can be used\.$/ });
  const budgetOf = (settings: Partial<Settings>, devices: DeviceInfo[]): number =>
    Number(/lectern_model_memory_bytes\{kind="budget"\} (\d+)/.exec(make({}, settings, {}, devices).language.metrics())?.[1]);
  t.equal(budgetOf({}, [cpu]), 2 ** 33, 'half of the machine');
  t.ok(budgetOf({}, [cpu, gpu]) > 2 ** 35, 'the GPU\'s');
  t.equal(budgetOf({ device: 'cpu' }, [cpu, gpu]), 2 ** 33);
  t.equal(budgetOf({ modelMemory: 12345 }, [cpu]), 12345);
  t.equal(budgetOf({ modelMemory: cpu.memoryTotalBytes }, [cpu]), cpu.memoryTotalBytes);
  const tooMuch = { code: 'invalid_request', message: /--model-memory asks for 900\.0 GiB, and .* has 16\.0 GiB/ };
  t.throws(() => make({}, { modelMemory: 900 * 2 ** 30 }, {}, [cpu]), tooMuch, 'what the machine does not have');
  t.throws(() => make({}, { modelMemory: 900 * 2 ** 30, device: 'cpu' }, {}, [gpu, cpu]), tooMuch);
});

t.test('the metrics report what answers took', async (t) => {
  const { language } = make({ 'talks "well"': {} }, {}, {
    answer: async (_lease, _request, listener) => {
      listener.onParts?.(0, [{ kind: 'text', text: 'x' }], { ids: [1] });
      listener.onParts?.(0, [{ kind: 'text', text: 'y' }], { ids: [2] });
      return said;
    },
  });
  const { catalogue, residency, slots, answer } = language.services;
  const entry = await catalogue.find('talks-well');
  const request = { input: { kind: 'prompt', prompt: 'x', addSpecial: true }, format: { kind: 'text' }, sampling: {} } as const;
  const heard: unknown[] = [];
  const ask = () => slots.run({ signal: forEver, load: () => residency.lend(entry, {}), work: (lease) => answer(lease, request, { onParts: (...parts) => heard.push(parts) }, forEver) });
  t.equal(await ask(), said);
  await ask();
  t.equal(heard.length, 4, 'the listener hears everything');
  const text = language.metrics();
  for (const line of [
    'lectern_answers_total{model="talks-well"} 2', 'lectern_tokens_total{model="talks-well",kind="prompt"} 14', 'lectern_tokens_total{model="talks-well",kind="cached"} 6',
    'lectern_tokens_total{model="talks-well",kind="completion"} 10', 'lectern_answer_seconds_total{model="talks-well",phase="decode"} 3',
    'lectern_draft_tokens_total{model="talks-well",kind="rejected"} 4', 'lectern_draft_tokens_total{model="talks-well",kind="accepted"} 12',
    'lectern_time_to_first_token_seconds_count 2', 'lectern_time_to_first_token_seconds_bucket{le="+Inf"} 2',
    'lectern_slot_requests_total{lane="chat",outcome="served"} 2', 'lectern_slot_requests{lane="embedding",state="working"} 0',
    'lectern_models{state="loaded"} 1', 'lectern_model_loads_total{outcome="loaded"} 1',
  ]) t.ok(text.split('\n').includes(line), line);
  const names = text.split('\n').filter((line) => line.startsWith('# TYPE')).map((line) => line.split(' ')[2]);
  t.equal(new Set(names).size, names.length, 'no family twice');
  await language.close(0);
});

t.test('closing lets answers end for a while, then ends them; requests that wait are refused at once', async (t) => {
  const { engine, language } = make({ talker: { answer: () => 'x'.repeat(500), tokenMs: 1000 } }, { slots: 1 }, {
    answer: async (lease, _request, _listener, signal) => {
      await lease.model.generate('x', { signal });
      return said;
    },
  });
  const { catalogue, residency, slots, answer } = language.services;
  const entry = await catalogue.find('talker');
  const ask = () => slots.run({ signal: forEver, load: () => residency.lend(entry, {}), work: (lease) => answer(lease, {} as never, {}, forEver) });
  const [working, waiting] = [failureOf(ask()), failureOf(ask())];
  while (engine.generated.length === 0) await settled();
  const closing = language.close(20);
  t.match(await waiting, { code: 'queue_full', message: 'The service is stopping.' });
  t.match(await working, { code: 'queue_full', message: 'The service is stopping.' });
  await closing;
  t.equal(engine.open.size, 0);
});

t.test('a reading of the models that the end cuts off leaves no model out', async (t) => {
  const lines: string[] = [];
  const log = Object.assign(createLog('silent'), { warn: (_fields: object, message: string) => { lines.push(message); } });
  const [begun, look] = [deferred(), deferred<never>()];
  const engine = Object.assign(fakeLanguageEngine({}), { devices: () => [cpu], describeModel: () => {
    begun.resolve();
    return look.promise;
  } });
  const { language } = make({ cut: {} }, {}, { engine, log });
  const listed = language.services.catalogue.list();
  await begun.promise;
  await language.close(0);
  look.reject(new LecternError('cancelled', 'The engine is closed.'));
  await listed;
  t.strictSame(lines, []);
  const other = make({ cut: {} }, {}, { engine, log });
  await other.language.services.catalogue.list();
  t.match(lines, [/left out: The engine is closed/], 'while the service runs it is logged');
});

t.test('what conversion workers open counts beside the models on a processor, and in half of the host\'s memory beside a GPU', async (t) => {
  const entry = { name: 'pages', path: 'worker 1', digest: '', sizeBytes: 10, workBytes: 100, modifiedAt: new Date(0), close: async () => undefined };
  for (const [devices, reserved] of [[[cpu], 120], [[cpu, gpu], 0]] as const) {
    const { language } = make({}, {}, {}, [...devices]);
    const lease = await language.workers.lendDistant(entry, {});
    t.match(language.metrics(), new RegExp(`^lectern_model_memory_bytes\\{kind="reserved"\\} ${reserved}$`, 'm'));
    t.match(language.metrics(), /^lectern_resident_model_bytes\{model="pages",place="host"\} 120$/m);
    t.match(language.services.vision.listDistant(), [{ bytes: 120, onDevice: false, uses: 1 }]);
    lease.release();
    await t.rejects(language.workers.lendDistant({ ...entry, path: 'worker 2', workBytes: 2 ** 33 }, {}), { code: 'out_of_memory' });
    await language.close(0);
  }
});

t.test('pages that are still converted when the service ends keep their models until they are done', async (t) => {
  const { language } = make({});
  let closed = 0;
  const entry = { name: 'pages', path: 'worker 1', digest: '', sizeBytes: 10, workBytes: 100, modifiedAt: new Date(0), close: async () => { closed++; } };
  const first = await language.workers.lendDistant(entry, {});
  const pages = deferred();
  const closing = language.close(0, pages.promise);
  await new Promise((resolve) => { setTimeout(resolve, 20); });
  first.release();
  (await language.workers.lendDistant(entry, {})).release();
  t.equal(closed, 0, 'the next page has them, too');
  pages.resolve();
  await closing;
  t.equal(closed, 1);
  t.equal((await failureOf(language.workers.lendDistant(entry, {}))).code, 'cancelled');
});

t.test('memory that is too small for the networks of workers is logged at the start', async (t) => {
  const need = visionBytes(sizeOfShipped(shippedModelsDirectory()));
  for (const [modelMemory, says] of [[need - 1, [/^The networks of a conversion worker want .*; give --model-memory \d+MiB or more\.$/]], [8 * need, []]] as const) {
    const warnings: string[] = [];
    const log = Object.assign(createLog('silent'), { warn: (_about: object, message: string) => { warnings.push(message); } });
    const { language } = make({}, { modelMemory }, { log });
    t.equal(warnings.length, says.length);
    t.match(warnings, says);
    await language.close(0);
  }
});

t.test('a worker\'s own networks have room beside any chat model, where memory is not too small for that', async (t) => {
  const size = sizeOfShipped(shippedModelsDirectory());
  const need = visionBytes(size);
  for (const [modelMemory, outcome] of [[4 * need, 'there'], [3 * need, 'out_of_memory']] as const) {
    const { language } = make({ big: { weightBytes: modelMemory * 0.5 }, small: { weightBytes: modelMemory * 0.3 } }, { modelMemory, contextLength: 16 });
    const { catalogue, residency } = language.services;
    for (const name of ['big', 'small']) (await residency.lend(await catalogue.find(name), {})).release();
    const entry = { name: 'pages', path: 'worker 1', digest: '', ...size, modifiedAt: new Date(0), close: async () => undefined };
    const asked = await language.workers.lendDistant(entry, {}).then(() => 'there', ({ code }: LecternError) => code);
    t.equal(asked, outcome, `of ${modelMemory} bytes, ${residency.list().length} chat models there`);
    await language.close(0);
  }
});
