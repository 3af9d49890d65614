// The whole program as it runs on a GPU, on the emulated one: what it tells of the device's memory, and how it takes the device's loss.
import t from 'tap';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { exitDeviceLost } from '../../src/program/device-loss.js';
import { packageRoot } from '../../src/platform/package-files.js';
import { writeMadeEmbedder, writeMadeModel } from '../support/made-model.js';
import { mainScript } from '../support/program.js';
import { jsonLines } from '../support/serving.js';
import { type ServingProgram, serveProgram } from '../support/serving-program.js';

const home = mkdtempSync(join(tmpdir(), 'lectern-emulated-'));
t.teardown(() => rmSync(home, { recursive: true, force: true }));
// No install builds it; of what one has built it is a link.
execFileSync('cmake', ['--build', join(packageRoot(), 'build', 'native'), '--target', 'lectern_addon_emulated'], { stdio: ['ignore', 'ignore', 'inherit'] });
// One layer and a short context: the emulation takes seconds for what a device does in microseconds.
const shape = { layers: 1, context: 128 };
writeMadeModel(join(home, 'chat.gguf'), shape);
writeMadeEmbedder(join(home, 'embedder.gguf'), shape);
const preload = fileURLToPath(new URL('../support/emulated-device.js', import.meta.url));
const serve = (...words: string[]): Promise<ServingProgram> =>
  serveProgram(mkdtempSync(join(home, 'state-')), ['--models', home, '--workers', '1', ...words], [process.execPath, '--import', preload, mainScript]);

const post = (url: string, path: string, body: object): Promise<Response> => fetch(url + path, { method: 'POST', body: JSON.stringify(body) });
const question = { model: 'chat', messages: [{ role: 'user', content: 'hello' }], temperature: 0, ignore_eos: true };
const answerOf = async (url: string): Promise<string> => {
  const answer = await post(url, '/v1/chat/completions', { ...question, max_tokens: 6 });
  const { choices } = await answer.json() as { choices: { message: { content: string } }[] };
  return choices[0]?.message.content as string;
};

/** Values by sample. */
async function metrics(url: string): Promise<Map<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return new Map(text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]));
}
const total = 'lectern_device_memory_bytes{device="cuda0",name="emulated",kind="total"}';
const free = 'lectern_device_memory_bytes{device="cuda0",name="emulated",kind="free"}';
const ofModel = (model: string): string => `lectern_resident_model_bytes{model="${model}",place="device"}`;

async function untilReady(url: string): Promise<void> {
  while ((await fetch(`${url}/ready`)).status !== 200) await sleep(100);
}

t.test('models on the device, and their memory', async (t) => {
  const { url, end } = await serve('--device', 'cuda');
  t.teardown(() => end('SIGTERM'));
  await untilReady(url);
  const before = await metrics(url);
  t.strictSame([before.get(total), before.get(free)], [2 ** 34, 2 ** 34]);

  const [one, two, embedded] = await Promise.all([answerOf(url), answerOf(url), post(url, '/v1/embeddings', { model: 'embedder', input: 'hello world' })]);
  t.equal(one, two, 'two at once get the same answer');
  t.equal(one.length > 0, true);
  const { data } = await embedded.json() as { data: { embedding: number[] }[] };
  const after = await metrics(url);
  const taken = (after.get(total) as number) - (after.get(free) as number);
  const reserved = (after.get(ofModel('chat')) as number) + (after.get(ofModel('embedder')) as number);
  t.ok(taken > 0 && taken <= reserved && reserved < taken * 1.1, `${reserved} bytes are reserved, ${taken} are taken`);
  const { models } = await (await fetch(`${url}/api/ps`)).json() as { models: { name: string; size: number; size_vram: number }[] };
  t.strictSame(models.map(({ name, size, size_vram: vram }) => [name, size === vram, vram]).toSorted(), [['chat', true, after.get(ofModel('chat'))], ['embedder', true, after.get(ofModel('embedder'))]]);

  // The same on the processor, whose kernels are others.
  const processor = await serve('--device', 'cpu');
  t.teardown(() => processor.end('SIGTERM'));
  t.equal(await answerOf(processor.url), one);
  const there = await (await post(processor.url, '/v1/embeddings', { model: 'embedder', input: 'hello world' })).json() as { data: { embedding: number[] }[] };
  const likeness = (there.data[0]?.embedding ?? []).reduce((sum, value, i) => sum + value * (data[0]?.embedding[i] ?? NaN), 0);
  t.ok(Math.abs(likeness - 1) < 1e-3, `the same direction: ${likeness}`);
  const onProcessor = await metrics(processor.url);
  t.ok((onProcessor.get('lectern_resident_model_bytes{model="chat",place="host"}') as number) > 0);
  t.equal(onProcessor.has(total), false, 'a device that the settings leave alone is not asked');

  await post(url, '/api/generate', { model: 'chat', prompt: '', keep_alive: '1s' });
  await post(url, '/api/embed', { model: 'embedder', input: 'hello world', keep_alive: '1s' });
  let now = await metrics(url);
  while ((now.get('lectern_model_unloads_total{reason="expired"}') as number) < 2) {
    await sleep(200);
    now = await metrics(url);
  }
  t.strictSame([now.get(free), now.get(ofModel('chat')), now.get('lectern_model_memory_bytes{kind="reserved"}')], [2 ** 34, undefined, 0], 'they left, and all is free again');
});

t.test('a device that is lost', async (t) => {
  const first = await serve('--device', 'cuda');
  t.teardown(() => first.end('SIGKILL'));
  await untilReady(first.url);
  const stream = await post(first.url, '/api/chat', { ...question, stream: true, options: { temperature: 0, num_predict: 100 } });
  const lines = jsonLines(stream);
  t.match((await lines.next()).value, { message: { content: String } });
  const others = Promise.all([0, 1].map(() => post(first.url, '/v1/chat/completions', { ...question, max_tokens: 100 })));
  const slots = (state: string): string => `lectern_slot_requests{lane="chat",state="${state}"}`;
  for (let now = await metrics(first.url); now.get(slots('working')) !== 2 || now.get(slots('waiting')) !== 1; now = await metrics(first.url)) await sleep(20);
  const end = new Promise<number | null>((resolve) => { first.child.once('close', resolve); });
  first.child.kill('SIGUSR2');

  let last: Record<string, unknown> = {};
  for await (const line of lines) last = line;
  t.match(last, { error: /the emulated device is lost/ }, 'whoever was answered hears of it');
  for (const answer of await others) t.match([answer.status, await answer.text()], [503, /the emulated device is lost|stopping/], 'so do another and one who waited');
  t.equal(await end, exitDeviceLost);
  t.ok(first.said.some((line) => line.includes('"level":"fatal"') && line.includes('The GPU is lost; Lectern ends, for its supervisor to start it again.')));

  const second = await serve('--device', 'cuda');
  t.teardown(() => second.end('SIGKILL'));
  await untilReady(second.url);
  t.ok((await answerOf(second.url)).length > 0, 'a new process has it back');

  // It is lost again while no request uses it.
  const again = new Promise<number | null>((resolve) => { second.child.once('exit', resolve); });
  second.child.kill('SIGUSR2');
  const told = await metrics(second.url);
  t.ok(told.has('lectern_models{state="loaded"}') && !told.has(total), 'what else there is to tell is told');
  t.equal(await again, exitDeviceLost, 'whoever asked for the numbers noticed');
});
