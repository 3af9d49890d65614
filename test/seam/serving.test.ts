// Slots and residency over the real engine, through HTTP: leaving in every phase, time to live, room for another model, many at once.
import t from 'tap';
import { Agent, request } from 'node:http';
import { once } from 'node:events';
import { openEngine } from '../../src/engine/engine.js';
import { openCatalogue } from '../../src/program/language-half.js';
import { createLog } from '../../src/logging/log.js';
import { MemoryBudget } from '../../src/models/memory-budget.js';
import { createResidency } from '../../src/models/residency.js';
import { madeModels } from '../support/made-model.js';
import { type Serving, startServing } from '../support/serving.js';

/** Far more tokens than any of these tests lets a model write, of a model that takes its time: it goes on while this side is held up. */
const endless = 16_384;
const slow = { context: endless, layers: 6, embedding: 256, feedForward: 1024 };
const working = 'lectern_slot_requests{lane="chat",state="working"}';
const waiting = 'lectern_slot_requests{lane="chat",state="waiting"}';
const cancelled = 'lectern_slot_requests_total{lane="chat",outcome="cancelled"}';
const served = 'lectern_slot_requests_total{lane="chat",outcome="served"}';

const post = (service: Serving, path: string, body: unknown, signal?: AbortSignal) =>
  fetch(service.url + path, { method: 'POST', body: JSON.stringify(body), ...(signal === undefined ? {} : { signal }) });
const writing = (service: Serving, prompt: string | number[], more: object = {}, signal?: AbortSignal) =>
  post(service, '/v1/completions', { model: 'chat', prompt, max_tokens: endless, ignore_eos: true, temperature: 0, stream: true, ...more }, signal);
/** Resolves when the request has failed, as an aborted one does: the headers of a stream come at once, its body does not. */
const leaving = (asking: Promise<unknown>): Promise<{ code?: string }> => asking.then(async (answer) => (answer instanceof Response ? answer.text() : answer)).then(() => { throw new Error('it was answered'); }, (error: { code?: string }) => error);
/** Resolves with the first bytes of the body, which goes on. */
const firstBytes = async (answer: Response): Promise<ReadableStreamDefaultReader<Uint8Array>> => {
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  return reader;
};

t.test('a client that leaves frees its place: in the queue, while its prompt is read, while it is answered', async (t) => {
  const service = await startServing(t, { shape: slow, settings: { slots: 1 } });
  const [first, second, third, fourth] = Array.from({ length: 4 }, () => new AbortController()) as [AbortController, AbortController, AbortController, AbortController];
  const decoding = await writing(service, 'the', {}, first.signal);
  await firstBytes(decoding);
  const inQueue = leaving(writing(service, 'a', {}, second.signal));
  await service.untilMetric(waiting, 1);
  const next = writing(service, 'hello', { stream: false, max_tokens: 3 }, third.signal);
  await service.untilMetric(waiting, 2);
  second.abort();
  await inQueue;
  await service.untilMetric(cancelled, 1);
  t.equal(await service.metric(working), 1, 'the one before it still writes');
  first.abort();
  t.equal((await next).status, 200, 'the one behind them has its turn');
  await service.untilMetric(cancelled, 2);
  const answers = 'lectern_answers_total{model="chat"}';
  const finished = await service.metric(answers);
  const longPrompt = writing(service, Array.from({ length: endless - 100 }, (_, place) => place % 200), {}, fourth.signal).catch(() => undefined);
  await service.untilMetric(working, 1);
  fourth.abort();
  await longPrompt;
  await service.untilMetric(cancelled, 3);
  t.equal((await writing(service, 'hello', { stream: false, max_tokens: 3 })).status, 200);
  t.equal(await service.metric(answers), finished + 1, 'what was left behind did not end as an answer');
  t.equal(await service.metric(working), 0);
});

t.test('/health and lists answer while both slots write', async (t) => {
  const service = await startServing(t, { shape: slow });
  const leave = new AbortController();
  const streams = await Promise.all(['the', 'a'].map((prompt) => writing(service, prompt, {}, leave.signal)));
  for (const stream of streams) await firstBytes(stream);
  for (const path of ['/health', '/api/ps', '/v1/models', '/health']) t.equal((await fetch(service.url + path)).status, 200, path);
  t.equal(await service.metric(working), 2, 'both still write');
  leave.abort();
  await service.untilMetric(working, 0);
});

t.test('keep_alive: nothing, for ever, and the default again', async (t) => {
  const service = await startServing(t);
  const names = async (): Promise<string[]> => ((await (await fetch(`${service.url}/api/ps`)).json()) as { models: { name: string }[] }).models.map(({ name }) => name);
  const generate = async (more: object) => (await post(service, '/api/generate', { model: 'chat', prompt: 'the', stream: false, options: { num_predict: 2 }, ...more })).json() as Promise<Record<string, unknown>>;
  t.match(await generate({ keep_alive: 0 }), { done: true });
  while ((await names()).length > 0) await new Promise((resolve) => setTimeout(resolve, 2));
  t.match(await generate({ keep_alive: -1 }), { done: true });
  const ps = (await (await fetch(`${service.url}/api/ps`)).json()) as { models: { name: string; expires_at: string; size: number; context_length: number }[] };
  t.match(ps.models, [{ name: 'chat', context_length: 256 }]);
  t.ok(Date.parse(ps.models[0]?.expires_at ?? '') > Date.now() + 20 * 366 * 24 * 3_600_000, 'the command line shows "Forever"');
  t.match(await (await post(service, '/api/generate', { model: 'chat', keep_alive: '0s' })).json(), { done: true, done_reason: 'unload' });
  while ((await names()).length > 0) await new Promise((resolve) => setTimeout(resolve, 2));
});

t.test('a model makes room when it is idle, not while it writes', async (t) => {
  const shape = slow;
  const twin = madeModels(t, { ...shape, seed: 2 });
  // One fits, two do not.
  const engine = openEngine();
  const need = await engine.memoryNeed(twin.chat, { slots: 2, context: endless });
  await engine.close();
  const modelMemory = Math.floor((need.weightBytes + need.kvBytes + need.workBytes) * 1.5);
  const service = await startServing(t, { shape, models: { other: twin.chat }, settings: { modelMemory, embeddingMemory: 1 } });
  const leave = new AbortController();
  const busy = await writing(service, 'the', {}, leave.signal);
  await firstBytes(busy);
  const other = writing(service, 'the', { model: 'other', stream: false, max_tokens: 3 });
  await service.untilMetric('lectern_models{state="waiting"}', 1);
  t.equal(await service.metric('lectern_models{state="loaded"}'), 1);
  t.equal(await service.metric(working), 1, 'the busy model goes on');
  leave.abort();
  t.equal((await other).status, 200);
  t.equal(await service.metric('lectern_model_unloads_total{reason="evicted"}'), 1);
  const ps = (await (await fetch(`${service.url}/api/ps`)).json()) as { models: { name: string }[] };
  t.strictSame(ps.models.map(({ name }) => name), ['other']);
  const tooLarge = await startServing(t, { shape, settings: { modelMemory: 1000 } });
  const refused = await writing(tooLarge, 'the');
  t.equal(refused.status, 503);
  t.ok(Number(refused.headers.get('retry-after')) > 0);
  t.match(await refused.json(), { error: { code: 'insufficient_memory', message: /needs .* and only 1000 bytes/ } });
});

t.test('who hangs up while a model loads does not end the load for another', async (t) => {
  const { folder } = madeModels(t, { embedding: 512, feedForward: 2048, layers: 4 });
  const engine = openEngine();
  const catalogue = openCatalogue({ models: [folder], aliases: new Map() }, engine, createLog('silent'));
  const residency = createResidency({
    engine, device: 'cpu', budget: new MemoryBudget(2 ** 32), embeddingBytes: 0, slots: 2, contextOf: () => 256, keepAliveOf: () => Infinity,
    clock: { now: () => Date.now(), after: () => () => undefined }, log: () => undefined,
  });
  t.teardown(async () => {
    await residency.close();
    await engine.close();
  });
  const entry = await catalogue.find('chat');
  const leave = new AbortController();
  const [gone, stays] = [leaving(residency.lend(entry, { signal: leave.signal })), residency.lend(entry, {})];
  while (residency.list().length === 0) await new Promise((resolve) => setImmediate(resolve));
  leave.abort();
  t.equal((await gone).code, 'cancelled');
  const lease = await stays;
  t.equal((await lease.model.tokenize('the')).length > 0, true);
  lease.release();
  t.match(residency.metrics(), { loads: 1, cancelledLoads: 0, loadedModels: 1 });
});

t.test('a thousand at once: each has its own answer, once; past the bound they are told to come again', async (t) => {
  const count = 1000;
  const service = await startServing(t, { settings: { modelQueue: count } });
  const agent = new Agent({ maxSockets: count });
  t.teardown(() => agent.destroy());
  const ask = async (index: number): Promise<number[]> => {
    const body = JSON.stringify({ model: 'chat', prompt: [index % 256, Math.floor(index / 256), 1], max_tokens: 2, return_token_ids: true });
    const asking = request(`${service.url}/v1/completions`, { method: 'POST', agent });
    asking.end(body);
    const [answer] = await once(asking, 'response');
    let text = '';
    for await (const chunk of answer) text += String(chunk);
    return (JSON.parse(text) as { choices: { prompt_token_ids: number[] }[] }).choices[0]?.prompt_token_ids ?? [];
  };
  const answers = await Promise.all(Array.from({ length: count }, (_, index) => ask(index)));
  t.ok(answers.every(([low, high], index) => low === index % 256 && high === Math.floor(index / 256)), 'everyone has its own');
  t.equal(await service.metric(served), count, 'once');
  const small = await startServing(t, { shape: slow, settings: { slots: 1, modelQueue: 1 } });
  const leave = new AbortController();
  await firstBytes(await writing(small, 'the', {}, leave.signal));
  const queued = leaving(writing(small, 'a', {}, leave.signal));
  await small.untilMetric(waiting, 1);
  const refused = await writing(small, 'a');
  t.match([refused.status, refused.headers.get('retry-after')], [503, '1']);
  t.match(await refused.json(), { error: { type: 'api_error', code: 'server_busy' } });
  const line = await post(small, '/api/generate', { model: 'chat', prompt: 'a' });
  t.match([line.status, await line.json()], [503, { error: 'server busy, please try again.  maximum pending requests exceeded' }]);
  leave.abort();
  await queued;
});

t.test('the service ends while it writes: waiting requests get 503, streams end with an error, everything closes', async (t) => {
  const service = await startServing(t, { shape: slow, settings: { slots: 1 } });
  const reader = await firstBytes(await writing(service, 'the'));
  const queued = post(service, '/api/generate', { model: 'chat', prompt: 'a', stream: false });
  // The headers of a waiting stream have left already: its error is a line of the body.
  const queuedStream = post(service, '/api/generate', { model: 'chat', prompt: 'a' });
  await service.untilMetric(waiting, 2);
  const closing = service.close();
  t.match([(await queuedStream).status, await (await queuedStream).json()], [200, { error: 'The service is stopping.' }]);
  t.match([(await queued).status, (await queued).headers.get('retry-after'), await (await queued).json()], [503, '1', { error: 'The service is stopping.' }]);
  let text = '';
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) text += Buffer.from(chunk.value).toString();
  t.match(text.trimEnd().split('\n\n').at(-1), /^data: \{"error":\{"message":"The service is stopping\."/);
  await closing;
});
