/** An installed model that reads text, from its files to the markdown: through the service, its worker, and the memory of all models. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import t from 'tap';
import { examineModels } from '../../src/cli/examine-directories.js';
import { sizeOfShipped } from '../../src/convert/installed.js';
import { createLog } from '../../src/logging/log.js';
import { visionBytes } from '../../src/models/fit.js';
import { shippedModelsDirectory } from '../../src/platform/package-files.js';
import { fixturesDirectory } from '../support/fixtures.js';
import { pageOfBars, writeNetwork, writeTextReader } from '../support/network-files.js';
import { runProgram } from '../support/program.js';
import { startService } from '../support/start-service.js';
import { until } from '../support/until.js';

const models = t.testdir();
writeTextReader(join(models, 'bars'), { recognition: { languages: ['ell'] } });
writeNetwork(models, 'strange', Buffer.from('x'), { kind: 'text_angle', colour: 1 });
const warnings: string[] = [];
const log = Object.assign(createLog('silent'), { warn: (_about: object, sentence: string) => { warnings.push(sentence); } });
const service = await startService({ models: [models], workers: 1, strictOptions: true }, log);
t.teardown(() => service.close());

const bars = ['cbaabcbc', 'cbcbcbcbc', 'cbabc', 'cbccbabcbc'];
const page = pageOfBars(bars, 800, 600);
const png = await sharp(page.data, { raw: { width: page.width, height: page.height, channels: 4 } }).withMetadata({ density: 150 }).png().toBuffer();

async function convert(fields: Record<string, string>): Promise<{ status: number; text: string; body: string }> {
  const form = new FormData();
  form.append('files', new Blob([new Uint8Array(png)]), 'bars.png');
  for (const [name, value] of Object.entries({ to_formats: 'json', ...fields })) form.append(name, value);
  const answer = await fetch(`${service.url}/v1/convert/file`, { method: 'POST', body: form });
  const body = await answer.text();
  return { status: answer.status, body, text: [...body.matchAll(/"text":"([^"]*)"/g)].map(([, text]) => text).join('\n') };
}

async function loaded(): Promise<{ name: string; size: number; digest: string; details: { format: string } }[]> {
  return ((await (await fetch(`${service.url}/api/ps`)).json()) as { models: { name: string; size: number; digest: string; details: { format: string } }[] }).models;
}

t.test('the log says at the start which card is wrong, with its key; doctor says the same', async (t) => {
  const wrong = /its card has the key "colour", which this kind does not know \(strange\.json\)/;
  await until('the service has looked at its models', () => warnings.some((sentence) => wrong.test(sentence)));
  const findings = await examineModels({ models: [models] }, true);
  t.match(findings.filter(({ what }) => /strange|bars/.test(what)), [{ state: 'good', what: 'vision models: 1 usable: bars' }, { state: 'note', what: 'models: strange is left out', advice: wrong }]);
});

t.test('it is not loaded before a page asks for it, and is listed with its memory from then on', async (t) => {
  t.same(await loaded(), []);
  t.equal((await convert({ ocr_preset: 'bars' })).status, 200);
  const models = (await loaded()).filter(({ name }) => name !== 'lectern-networks');
  t.match(models, [{ name: 'bars', details: { format: 'onnx', family: 'text' }, context_length: 0 }]);
  t.ok((models[0]?.size ?? 0) >= 768 * 2 ** 20 && (models[0]?.digest.length ?? 0) >= 12, JSON.stringify(models));
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  t.match(metrics, new RegExp(`^lectern_resident_model_bytes\\{model="bars",place="host"\\} ${models[0]?.size}$`, 'm'));
});

t.test('named in ocr_preset it reads the page, and the answer says so', async (t) => {
  const { status, text, body } = await convert({ ocr_preset: 'BARS' });
  t.equal(status, 200, body.slice(0, 500));
  // Equal letters side by side are one to CTC.
  for (const line of bars) t.ok(text.includes(line.replace(/(.)\1/g, '$1')), `${line} is in ${text}`);
  t.match(body, /"lectern__text_recogniser":"bars"/);
});

t.test('without a preset it reads the languages that ours does not and its card names; other names are refused with what there is', async (t) => {
  t.match((await convert({ ocr_lang: 'el' })).body, /"lectern__text_recogniser":"bars"/);
  const { status, body } = await convert({ ocr_preset: 'missing' });
  t.equal(status, 422);
  t.match(body, /Allowed values: \['auto', .*'tesserocr', 'bars'\]/);
});

t.test('what our own networks take in a worker counts beside them, from the first page that they read on', async (t) => {
  t.match((await convert({})).body, /"lectern__pages_without_recognised_text":\[1\]/, 'ours knows no bars');
  const own = (await loaded()).find(({ name }) => name === 'lectern-networks');
  t.match(own, { details: { format: 'onnx', family: 'conversion' }, size_vram: 0 });
  t.equal(own?.size, visionBytes(sizeOfShipped(shippedModelsDirectory())));
  const metrics = async (): Promise<string> => (await fetch(`${service.url}/metrics`)).text();
  t.match(await metrics(), new RegExp(`^lectern_resident_model_bytes\\{model="lectern-networks",place="host"\\} ${own?.size}$`, 'm'));
  t.equal(Number(/^lectern_model_memory_bytes\{kind="reserved"\} (\d+)$/m.exec(await metrics())?.[1]), (await loaded()).reduce((sum, { size }) => sum + size, 0), 'one memory for all');
});

t.test('where they have no room the page says so, and the service lives', async (t) => {
  const small = await startService({ models: [models], workers: 1, modelMemory: 100 * 2 ** 20 });
  t.teardown(() => small.close());
  const form = new FormData();
  form.append('files', new Blob([new Uint8Array(png)]), 'bars.png');
  const body = await (await fetch(`${small.url}/v1/convert/file`, { method: 'POST', body: form })).text();
  t.match(body, /"status":"partial_success"|"status":"failure"/);
  t.match(body, /lectern-networks needs [0-9.]+ MiB, and only 100\.0 MiB can be had/);
  t.equal((await fetch(`${small.url}/health`)).status, 200);
});

t.test('a born-digital page lacks nothing where the layout network has no room', async (t) => {
  const small = await startService({ models: [models], workers: 1, modelMemory: 100 * 2 ** 20 });
  t.teardown(() => small.close());
  const form = new FormData();
  form.append('files', new Blob([readFileSync(join(fixturesDirectory(), 'annual-sidebar.pdf'))]), 'annual-sidebar.pdf');
  form.append('table_mode', 'fast');
  const body = await (await fetch(`${small.url}/v1/convert/file`, { method: 'POST', body: form })).text();
  t.match(body, /"status":"success","errors":\[\]/, body.slice(-600));
});

t.test('`lectern convert` takes its name, here and through the service', async (t) => {
  const directory = t.testdir({ 'bars.png': png });
  const run = (...words: string[]) => runProgram(['convert', 'bars.png', '--to', 'text', '--models', models, ...words], { directory, environment: { HOME: directory } });
  for (const where of [[], ['--url', service.url]]) {
    t.match(await run('--ocr-preset', 'Bars', ...where), { code: 0, out: /^cbabcbc\n/ }, where.join(' '));
  }
  t.match(await run('--ocr-preset', 'easyocr'), { code: 64, out: '', err: 'lectern: --ocr-preset must be auto, tesseract or an installed vision model (bars), not "easyocr".\n' });
  t.match(await run('--ocr-preset', 'missing', '--url', service.url), { code: 65, err: /ocr_preset 'missing' is not allowed\. Allowed values: \[.*'bars'\]/ });
});
