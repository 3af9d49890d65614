// Every number that operators watch moves when what it counts happens: the whole service, its own models, its own workers.
import t from 'tap';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '../../src/engine/engine.js';
import { fixturesDirectory } from '../support/fixtures.js';
import { madeModels } from '../support/made-model.js';
import { type Serving, startServing } from '../support/serving.js';

async function chat(service: Serving, model: string, content: string): Promise<void> {
  const messages = [{ role: 'user', content }];
  const answer = await fetch(`${service.url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify({ model, messages, max_tokens: 8, ignore_eos: true, temperature: 0 }) });
  t.equal(answer.status, 200, await answer.text());
}

/** The text of the answer's status. */
async function convert(service: Serving, name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const form = new FormData();
  form.append('files', new Blob([bytes]), name);
  await (await fetch(`${service.url}/v1/convert/file`, { method: 'POST', body: form })).arrayBuffer();
}

t.test('answers, their queue, loads, evictions, memory by model', async (t) => {
  const shape = { context: 2048 };
  const { chat: twin } = madeModels(t, { ...shape, seed: 2 });
  const engine = openEngine();
  const need = await engine.memoryNeed(twin, { slots: 1, context: shape.context });
  await engine.close();
  const bytes = need.weightBytes + need.kvBytes + need.workBytes;
  const service = await startServing(t, { shape, models: { other: twin }, settings: { slots: 1, pausedAnswers: 0, modelMemory: Math.floor(bytes * 1.5), embeddingMemory: 1 } });
  const of = async (...samples: string[]): Promise<number[]> => Promise.all(samples.map((sample) => service.metric(sample)));
  const tokens = (kind: string): string => `lectern_tokens_total{model="chat",kind="${kind}"}`;

  await Promise.all([chat(service, 'chat', 'the world'), chat(service, 'chat', 'hello')]);
  t.strictSame(await of('lectern_answers_total{model="chat"}', tokens('completion'), 'lectern_time_to_first_token_seconds_count'), [2, 16, 2]);
  t.ok((await service.metric('lectern_time_to_first_token_seconds_sum')) > 0);
  const [prompt, cached, decodeS, prefillS, waitS] = await of(
    tokens('prompt'), tokens('cached'), 'lectern_answer_seconds_total{model="chat",phase="decode"}', 'lectern_answer_seconds_total{model="chat",phase="prefill"}',
    'lectern_slot_wait_seconds_total{lane="chat"}',
  ) as [number, number, number, number, number];
  t.ok(prompt > 0 && decodeS > 0 && prefillS > 0, 'tokens a second are tokens over seconds');
  t.ok(waitS > 0, 'the second one waited for the only slot');
  // Prefixes are kept in blocks: a prompt of several.
  for (let time = 0; time < 2; time++) await chat(service, 'chat', 'What was said before. '.repeat(40));
  t.ok((await service.metric(tokens('cached'))) > cached, 'what was computed before is not computed again');

  t.strictSame(await of('lectern_model_loads_total{outcome="loaded"}', 'lectern_model_unloads_total{reason="evicted"}'), [1, 0]);
  t.equal(await service.metric('lectern_resident_model_bytes{model="chat",place="host"}'), bytes);
  await chat(service, 'other', 'the world');
  t.strictSame(await of('lectern_model_loads_total{outcome="loaded"}', 'lectern_model_unloads_total{reason="evicted"}'), [2, 1]);
  t.strictSame(await of('lectern_resident_model_bytes{model="chat",place="host"}', 'lectern_resident_model_bytes{model="other",place="host"}', 'lectern_model_memory_bytes{kind="reserved"}'), [0, bytes, bytes]);
  t.ok((await service.metric('lectern_model_load_seconds_total{}')) >= 0);
  const text = await (await fetch(`${service.url}/metrics`)).text();
  t.match(text, /^lectern_device_memory_bytes\{device="cpu\d",name="[^"]+",kind="free"\} \d{8,}$/m);
});

t.test('tasks, their queue, documents, pages and stages', async (t) => {
  const service = await startServing(t);
  const invoice = Uint8Array.from(readFileSync(join(fixturesDirectory(), 'invoice.pdf')));
  await Promise.all([convert(service, 'a.pdf', invoice), convert(service, 'b.pdf', invoice)]);
  await convert(service, 'broken.pdf', Uint8Array.from(Buffer.from('%PDF-1.7 and nothing else')));
  await convert(service, 'notes.md', Uint8Array.from(Buffer.from('# Notes\n')));
  const samples = {
    'lectern_documents_total{format="pdf",status="success"}': 2, 'lectern_documents_total{format="pdf",status="failure"}': 1, 'lectern_documents_total{format="md",status="success"}': 1,
    'lectern_pages_recognised_total': 0, 'lectern_stage_pages_total{stage="read_page"}': 2, 'lectern_tasks_begun_total': 4, 'lectern_tasks_ended_total{outcome="succeeded"}': 4,
  };
  for (const [sample, value] of Object.entries(samples)) t.equal(await service.metric(sample), value, sample);
  t.ok((await service.metric('lectern_pages_total')) >= 2);
  t.ok((await service.metric('lectern_stage_seconds_total{stage="read_page"}')) > 0);
  t.ok((await service.metric('lectern_task_wait_seconds_total')) > 0, 'one worker, and two came at once');
  t.ok((await service.metric('process_resident_memory_bytes')) > 2 ** 24);
  const workers = await Promise.all(['starting', 'idle', 'busy'].map((state) => service.metric(`lectern_workers{state="${state}"}`)));
  t.equal(workers.reduce((sum, count) => sum + count, 0), 1, 'the one that the settings ask for');
  t.ok((await service.metric('lectern_workers_resident_memory_bytes')) > 2 ** 24, 'what workers hold is no part of the process above');

  t.equal((await fetch(`${service.url}/ready`)).status, 200);
  rmSync(join(service.state, 'tasks'), { recursive: true });
  const unready = await fetch(`${service.url}/ready`);
  t.match([unready.status, await unready.text()], [503, /The state directory .*tasks cannot be written \(it is gone\)/], 'without a place for tasks it takes none');
});
