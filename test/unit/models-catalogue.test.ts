/** The catalogue over directories that the test writes: names, the description of each model, changes on disk, and what is left out. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import t, { type Test } from 'tap';
import type { LanguageEngine, ModelDescription } from '../../src/engine/port.js';
import { directSandbox } from '../support/direct-sandbox.js';
import { LecternError } from '../../src/errors.js';
import { createCatalogue } from '../../src/models/catalogue.js';
import { capabilitiesOf, parameterSize, quantizationLevel } from '../../src/models/details.js';
import { failureOf } from '../support/failure-of.js';
import { writeBlob, writeManifest, writeStored } from '../support/ollama-store.js';

const official = 'registry.ollama.ai/library';
const plain: ModelDescription = {
  architecture: 'llama', unsupported: null, embeds: false, ranks: false, parameterCount: 7e9, weightBytes: 10, context: 64, embeddingLength: 8, vocabularySize: 256,
  metadata: { 'general.file_type': 15 }, tensors: [],
};

/** A model file is JSON here: what differs from a plain description. Anything else is damaged. */
function readingEngine(): Pick<LanguageEngine, 'describeModel'> & { described: string[] } {
  const described: string[] = [];
  return {
    described,
    describeModel: async (path, options = {}) => {
      described.push(path);
      const text = await readFile(path, 'utf8');
      if (!text.startsWith('{')) throw new LecternError('invalid_model', `The file ${path} is no GGUF model.`);
      return { ...plain, ...(JSON.parse(text) as object), ...(options.arrays === true ? { tensors: [{ name: 'x', type: 'F32', shape: [1] }] } : {}) };
    },
  };
}

function make(t: Test, aliases: [string, string][] = []) {
  const root = mkdtempSync(join(tmpdir(), 'lectern-catalogue-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const [first, second] = [join(root, 'first'), join(root, 'second')];
  for (const directory of [first, second]) mkdirSync(directory);
  const lines: string[] = [];
  const notes: string[] = [];
  const engine = readingEngine();
  const catalogue = createCatalogue({
    directories: [first, join(root, 'absent'), second], aliases: new Map(aliases), engine, checkTemplate: directSandbox.checkGoTemplate, log: (level, message) => (level === 'info' ? notes : lines).push(message),
  });
  const names = async () => (await catalogue.list()).map(({ name }) => name).sort();
  const reasons = async () => Object.fromEntries((await catalogue.refused()).map(({ name, reason }) => [name, reason.replaceAll(root, '')]));
  return { root, first, second, lines, notes, engine, catalogue, names, reasons };
}

t.test('plain files', async (t) => {
  const { first, catalogue, names } = make(t);
  const template = '{% if tools %}<tool_call>{% endif %}';
  writeFileSync(join(first, 'lectern-demo.gguf'), JSON.stringify({ metadata: { 'general.file_type': 7, 'tokenizer.chat_template': template }, parameterCount: 566_700_000 }));
  mkdirSync(join(first, 'org/repo'), { recursive: true });
  writeFileSync(join(first, 'org/repo/Llama 3 (8B)\n.GGUF'), '{}');
  writeFileSync(join(first, 'notes.txt'), 'no model');
  writeFileSync(join(first, '.hidden.gguf'), '{}');
  writeFileSync(join(first, 'vectors.gguf'), JSON.stringify({ embeds: true, architecture: 'bert' }));
  utimesSync(join(first, 'lectern-demo.gguf'), new Date(), new Date('2026-01-02T03:04:05Z'));
  t.same(await names(), ['Llama-3-8B', 'lectern-demo', 'vectors']);
  const demo = await catalogue.find('lectern-demo');
  t.match(demo, {
    path: join(first, 'lectern-demo.gguf'), modifiedAt: new Date('2026-01-02T03:04:05Z'), capabilities: ['completion', 'tools'], chatTemplate: template, goTemplate: null, system: null,
    details: { parentModel: '', format: 'gguf', family: 'llama', families: ['llama'], parameterSize: '566.70M', quantizationLevel: 'Q8_0' }, parameters: {}, messages: [], licenses: [],
  });
  t.match(demo.digest, /^[0-9a-f]{64}$/);
  t.same((await catalogue.find('vectors')).capabilities, ['embedding']);
  t.equal((await catalogue.list()).at(-1)?.name, 'lectern-demo', 'the latest comes first');
  t.same((await catalogue.describeWhole(demo)).tensors.length, 1);
});

t.test('split files are one model', async (t) => {
  const { first, catalogue, names, reasons } = make(t);
  const part = (stem: string, number: number, of: number) => join(first, `${stem}-0000${number}-of-0000${of}.gguf`);
  for (const number of [1, 2, 3]) writeFileSync(part('big', number, 3), '{}');
  writeFileSync(part('half', 1, 2), '{}');
  writeFileSync(part('tail', 2, 3), '{}');
  writeFileSync(part('tail', 3, 3), '{}');
  writeFileSync(part('odd', 4, 3), '{}');
  t.same(await names(), ['big']);
  t.match(await catalogue.find('big'), { path: part('big', 1, 3), sizeBytes: 6 });
  t.same(await reasons(), { half: 'its part half-00002-of-00002.gguf is missing', tail: 'its part tail-00001-of-00003.gguf is missing', odd: 'there can be no part 4 of 3' });
  const { digest } = await catalogue.find('big');
  writeFileSync(part('big', 3, 3), '{ }');
  t.not((await catalogue.find('big')).digest, digest, 'a change of any part is one of the model');
});

t.test('a directory that does not exist is told once: a warning where somebody asked for it', async (t) => {
  const { root, lines, notes, names } = make(t);
  await names();
  await names();
  t.strictSame([notes, lines], [[`The model directory ${join(root, 'absent')} does not exist.`], []]);
  const warned: [string, string][] = [];
  const catalogue = createCatalogue({ directories: ['/nope', '/usual'], named: ['/nope'], aliases: new Map(), engine: readingEngine(), checkTemplate: directSandbox.checkGoTemplate, log: (level, message) => warned.push([level, message]) });
  t.strictSame([await catalogue.list(), await catalogue.list()], [[], []]);
  t.strictSame(warned, [['warn', 'The model directory /nope does not exist.'], ['info', 'The model directory /usual does not exist.']]);
});

t.test('an Ollama store', async (t) => {
  const { first, catalogue, names } = make(t);
  const layers = {
    model: JSON.stringify({ parameterCount: 70_553_706_560 }), template: '{{ if .Tools }}{{ end }}{{ .Suffix }}{{ .Thinking }}', system: 'Be kind.\n', params: '{"stop":["<|eot|>"],"temperature":0.5}',
    messages: '[{"role":"user","content":"hi"}]', licenses: ['one', 'two'], from: '/blobs/parent',
  };
  const { text, blob } = writeStored(first, `${official}/llama3.3/70b`, layers);
  writeStored(first, 'registry.ollama.ai/someone/bio/latest', { model: '{"parameterCount":7000000000}', prompt: 'old {{ .Prompt }}' });
  writeStored(first, 'hf.co/user/Repo-GGUF/Q4_K_M', { model: '{}' });
  writeFileSync(join(first, 'manifests', official, 'llama3.3', '.DS_Store'), 'x');
  writeFileSync(join(first, 'manifests', official, 'llama3.3', '8b.lectern-partial'), 'x');
  t.same(await names(), ['hf.co/user/Repo-GGUF:Q4_K_M', 'llama3.3:70b', 'someone/bio:latest']);
  const entry = await catalogue.find('llama3.3:70b');
  t.match(entry, {
    path: blob, digest: createHash('sha256').update(text).digest('hex'), goTemplate: layers.template, system: 'Be kind.\n', parameters: { stop: ['<|eot|>'], temperature: 0.5 },
    messages: [{ role: 'user', content: 'hi' }], licenses: ['one', 'two'], capabilities: ['completion', 'tools', 'thinking'],
    details: { parentModel: '/blobs/parent', parameterSize: '70.6B', quantizationLevel: 'Q4_K_M' },
  });
  const manifest = JSON.parse(text) as { config: { size: number }; layers: { size: number }[] };
  t.equal(entry.sizeBytes, manifest.layers.reduce((sum, { size }) => sum + size, manifest.config.size));
  t.match(await catalogue.find('someone/bio'), { goTemplate: 'old {{ .Prompt }}', details: { parameterSize: '7B' } });
});

t.test('a Go template that is not understood gives way to the file\'s own, and says so; without one the model is left out, by its name', async (t) => {
  const { first, catalogue, names, reasons, lines } = make(t);
  const template = '{{ frobnicate .Prompt }}';
  const own = JSON.stringify({ metadata: { 'tokenizer.chat_template': '{{ messages }}' } });
  writeStored(first, `${official}/both/latest`, { model: own, template });
  writeStored(first, `${official}/only/latest`, { model: '{ }', template });
  writeStored(first, `${official}/vectors/latest`, { model: '{"embeds":true}', template });
  t.same(await names(), ['both:latest', 'vectors:latest']);
  t.match(await catalogue.find('both'), { goTemplate: null, chatTemplate: '{{ messages }}' });
  t.match(await reasons(), { 'only:latest': /function 'frobnicate'/ });
  t.equal(lines.filter((line) => /"both:latest": .*'frobnicate'.* the template of the GGUF file is used instead/.test(line)).length, 1, lines.join());
});

t.test('only what the template in use can do is promised', async (t) => {
  const description = { embeds: false } as Parameters<typeof capabilitiesOf>[0];
  const jinja = '{% if tools %}{% endif %}{{ enable_thinking }}';
  t.strictSame(capabilitiesOf(description, jinja, null), ['completion', 'tools', 'thinking']);
  t.strictSame(capabilitiesOf(description, jinja, '{{ .Prompt }}{{ .Suffix }}'), ['completion'], 'a layer without tools stands in place of the file\'s own, and no suffix is taken');
  t.strictSame(capabilitiesOf(description, jinja, ' \n'), ['completion', 'tools', 'thinking'], 'an empty layer is none');
  t.strictSame(capabilitiesOf(description, null, '{{ .Tools }}{{ .ThinkLevel }}'), ['completion', 'tools', 'thinking']);
});

t.test('names as people write them', async (t) => {
  const { first, catalogue, lines } = make(t, [['gpt-4o', 'Qwen2.5'], ['qwen2.5:small', 'demo'], ['Dangling', 'nothing']]);
  writeStored(first, `${official}/qwen2.5/latest`, { model: '{}' });
  writeStored(first, `${official}/qwen2.5/small`, { model: '{"x":1}' });
  writeStored(first, 'hf.co/user/Repo/Q8', { model: '{"x":2}' });
  writeFileSync(join(first, 'demo.gguf'), '{}');
  const cases: [string, string][] = [
    ['qwen2.5', 'qwen2.5:latest'], ['QWEN2.5:Latest', 'qwen2.5:latest'], ['library/qwen2.5', 'qwen2.5:latest'], ['registry.ollama.ai/library/qwen2.5:latest', 'qwen2.5:latest'],
    ['gpt-4o', 'qwen2.5:latest'], ['GPT-4o:latest', 'qwen2.5:latest'], ['demo:latest', 'demo'], ['qwen2.5:small', 'qwen2.5:small'], ['HF.co/user/repo:q8', 'hf.co/user/Repo:Q8'],
  ];
  for (const [name, found] of cases) t.equal((await catalogue.find(name)).name, found, name);
  t.strictSame(lines, ['The alias "qwen2.5:small" is the name of a model, which keeps it.', 'The alias "dangling" stands for "nothing", and there is no such model.']);
  t.strictSame((await catalogue.aliases()).map(([alias, { name }]) => [alias, name]), [['gpt-4o', 'qwen2.5:latest']]);
  for (const name of ['', 'qwen', 'qwen2.5:72b', 'dangling', '../demo', 'demo.gguf', '__proto__', 'x'.repeat(1e6)]) {
    const failure = await failureOf(catalogue.find(name));
    t.equal(failure.code, 'model_not_found', name.slice(0, 20));
    t.ok(failure.message.length < 300);
  }
});

t.test('the second look costs nothing, and changes are seen', async (t) => {
  const { first, catalogue, engine, names } = make(t);
  for (let index = 0; index < 50; index++) writeFileSync(join(first, `m${index}.gguf`), '{}');
  await catalogue.list();
  t.equal(engine.described.length, 50);
  const began = performance.now();
  await Promise.all([catalogue.list(), catalogue.list(), catalogue.refused(), catalogue.find('m7')]);
  t.comment(`${Math.round(performance.now() - began)} ms`);
  t.equal(engine.described.length, 50);
  const { description } = await catalogue.find('m7');
  writeFileSync(join(first, 'm7.gguf'), '{"context":128}');
  t.equal((await catalogue.find('m7')).description.context, 128);
  t.not((await catalogue.find('m7')).description, description);
  t.equal(engine.described.length, 51);
  rmSync(join(first, 'm8.gguf'));
  t.match(await failureOf(catalogue.find('m8')), { code: 'model_not_found', message: 'There is no model "m8"; the setting aliases can give one that is there this name.' });
  writeFileSync(join(first, 'new.gguf'), '{}');
  t.equal((await catalogue.find('new')).name, 'new');
  t.equal((await names()).length, 50);
  const [one, two] = [catalogue.list(), (writeFileSync(join(first, 'late.gguf'), '{}'), catalogue.list())];
  await one;
  t.ok((await two).some(({ name }) => name === 'late'), 'who asks after a change sees it');
});

t.test('of two that have one name the first directory has it', async (t) => {
  const { first, second, catalogue, lines, reasons } = make(t);
  writeFileSync(join(second, 'twin.gguf'), '{"context":2}');
  t.equal((await catalogue.find('twin')).description.context, 2);
  writeFileSync(join(first, 'twin.gguf'), '{"context":1}');
  await catalogue.list();
  t.equal((await catalogue.find('twin')).description.context, 1);
  t.same(await reasons(), { twin: '/first/twin.gguf has this name already' });
  writeFileSync(join(first, 'twin.gguf'), 'damaged');
  t.equal((await catalogue.find('twin')).description.context, 2, 'a broken one is in nobody\'s way');
  t.equal(lines.length, 2);
});

t.test('a model in another form is told, once for a directory, and not where it was converted', async (t) => {
  const { first, lines, catalogue, reasons } = make(t);
  for (const [directory, ...files] of [['Qwen3-4B', 'model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors', 'config.json'], ['done', 'model.safetensors', 'done.gguf']] as const) {
    mkdirSync(join(first, directory));
    for (const file of files) writeFileSync(join(first, directory, file), '{}');
  }
  for (const file of ['adapter.SafeTensors', 'both.safetensors', 'both.gguf']) writeFileSync(join(first, file), '{}');
  t.same((await catalogue.list()).map(({ name }) => name).sort(), ['both', 'done']);
  t.match(await reasons(), { 'Qwen3-4B': /^only GGUF files are read; convert_hf_to_gguf\.py /, adapter: /^only GGUF/ });
  t.equal(Object.keys(await reasons()).length, 2);
  t.equal(lines.filter((line) => line.includes('only GGUF')).length, 2);
  t.match(await failureOf(catalogue.find('qwen3-4b')), { code: 'model_not_found', message: /is there and cannot be used/ });
});

t.test('what is broken is left out with its reason, which the log hears once', async (t) => {
  const { first, catalogue, lines, names, reasons, engine } = make(t);
  writeFileSync(join(first, 'good.gguf'), '{}');
  writeFileSync(join(first, 'bad.gguf'), 'text');
  writeFileSync(join(first, 'other.gguf'), '{"unsupported":"The architecture mamba is not supported."}');
  writeFileSync(join(first, '模型.gguf'), '{}');
  symlinkSync('/nowhere', join(first, 'dangling.gguf'));
  execFileSync('mkfifo', [join(first, 'pipe.gguf')]);
  symlinkSync('/dev/zero', join(first, 'endless.gguf'));
  symlinkSync(first, join(first, 'loop'));
  t.same(await names(), ['good']);
  t.same(await reasons(), {
    '': 'its name has no letters or digits', bad: 'The file /first/bad.gguf is no GGUF model', dangling: '/first/dangling.gguf is no file that can be read',
    endless: '/first/endless.gguf is no file that can be read', other: 'The architecture mamba is not supported',
  });
  t.equal(lines.length, 5);
  t.equal(engine.described.length, 3, 'nor is it read again');
  t.match((await failureOf(catalogue.find('bad'))).message, /is there and cannot be used; the log says why/);
  t.notMatch((await failureOf(catalogue.find('bad'))).message, first, 'no path for a stranger');
  writeFileSync(join(first, 'bad.gguf'), '{}');
  t.equal((await catalogue.find('bad')).name, 'bad');
  writeFileSync(join(first, 'bad.gguf'), 'text again');
  await catalogue.list();
  t.equal(lines.length, 6, 'but anew when it breaks anew');
});

t.test('hostile stores', async (t) => {
  const { root, first, names, reasons, catalogue } = make(t);
  writeFileSync(join(root, 'secret'), 'the key');
  const digest = `sha256:${'0'.repeat(64)}`;
  const config = { mediaType: '', digest, size: 1 };
  const layer = (type: string, more: object) => ({ mediaType: `application/vnd.ollama.image.${type}`, digest, size: 1, ...more });
  const manifest = (name: string, layers: unknown, more: object = {}) => writeManifest(first, `${official}/${name}/latest`, JSON.stringify({ config, layers, ...more }));
  const good = writeStored(first, `${official}/good/latest`, { model: '{}' });
  const weights = { ...writeBlob(first, '{}'), mediaType: 'application/vnd.ollama.image.model' };
  const secret = writeBlob(first, 'a template');
  rmSync(join(first, 'blobs', secret.digest.replace(':', '-')));
  symlinkSync(join(root, 'secret'), join(first, 'blobs', secret.digest.replace(':', '-')));
  manifest('dots', [layer('model', { digest: 'sha256:../../../../secret' })]);
  manifest('upper', [layer('model', { digest: `sha256:${'A'.repeat(64)}` })]);
  manifest('number', [layer('model', { digest: 7 })]);
  manifest('negative', [layer('model', { size: -1 })]);
  manifest('absent', [layer('model', {})]);
  manifest('leak', [weights, { ...secret, mediaType: 'application/vnd.ollama.image.template' }]);
  manifest('none', []);
  manifest('object', { length: 3 });
  manifest('null', [null]);
  manifest('config', [weights], { config: null });
  manifest('many', Array.from({ length: 1001 }, () => weights));
  manifest('adapter', [weights, layer('adapter', {})]);
  manifest('short', [{ ...weights, size: 99 }]);
  const text = (name: string, type: string, content: string) => manifest(name, [weights, { ...writeBlob(first, content), mediaType: `application/vnd.ollama.image.${type}` }]);
  text('params', 'params', '[1]');
  text('broken', 'params', '{');
  text('messages', 'messages', '[{"role":1}]');
  writeManifest(first, `${official}/text/latest`, 'not JSON');
  writeManifest(first, `${official}/deep/latest`, '['.repeat(1e6));
  writeManifest(first, `${official}/huge/latest`, '');
  truncateSync(join(first, 'manifests', official, 'huge/latest'), 2 ** 30);
  writeManifest(first, `${official}/bad name/latest`, '{}');
  writeManifest(first, 'registry.ollama.ai/shallow', '{}');
  const linked = writeManifest(first, `${official}/linked/latest`, '{}');
  rmSync(linked);
  symlinkSync(join(root, 'secret'), linked);
  t.same(await names(), ['good:latest']);
  const found = await reasons();
  const expected: Record<string, RegExp> = {
    dots: /digest "sha256:\.\./, upper: /digest "sha256:AAA/, number: /the digest 7/, negative: /has no size/, absent: /is missing/, leak: /leads out of/, none: /no model layer/,
    object: /no list of layers/, null: /is no object/, config: /is no object/, many: /more than 1000 layers/, adapter: /adapter/, short: /has 2 of 99 bytes/, params: /no object/,
    broken: /parameters is not JSON/, messages: /no list of roles/, text: /manifest is not JSON/, deep: /manifest is not JSON/, huge: /has 1073741824 bytes/, linked: /leads out of/,
  };
  for (const [name, reason] of Object.entries(expected)) t.match(found[`${name}:latest`], reason, name);
  t.equal(Object.values(found).filter((reason) => reason === 'its place in the store is no name of a model').length, 2);
  t.equal(Object.keys(found).length, Object.keys(expected).length + 2);
  t.notMatch(JSON.stringify(found), /the key/);
  renameSync(good.blob, `${good.blob}-away`);
  t.equal((await failureOf(catalogue.find('good'))).code, 'model_not_found', 'a blob that went away');
  renameSync(`${good.blob}-away`, good.blob);
  t.equal((await catalogue.find('good')).name, 'good:latest');
});

t.test('a directory without end is refused, the others work', async (t) => {
  const { first, second, names, lines } = make(t);
  for (let index = 0; index < 201; index++) {
    mkdirSync(join(first, String(index)));
    for (let inner = 0; inner < 100; inner++) symlinkSync('x', join(first, String(index), String(inner)));
  }
  writeFileSync(join(second, 'good.gguf'), '{}');
  t.same(await names(), ['good']);
  await names();
  t.match(lines, [/holds more than 20000 files/]);
});

t.test('sizes and quantisations in words', (t) => {
  const sizes: [number, string][] = [
    [70_553_706_560, '70.6B'], [7e9, '7B'], [72_706_203_648, '72.7B'], [566_702_080, '566.70M'], [137e6, '137M'], [1_250_000_000, '1.2B'], [1_350_000_000, '1.4B'],
    [999_999_999, '1000.00M'], [12_345, '12K'], [2500, '2K'], [3500, '4K'], [1000, '1K'], [999, '999'], [0, '0'], [1_125_000, '1.12M'], [1_375_000, '1.38M'],
  ];
  for (const [count, text] of sizes) t.equal(parameterSize(count), text, String(count));
  for (const [type, text] of [[15, 'Q4_K_M'], [15n, 'Q4_K_M'], [1, 'F16'], [0, 'unknown'], [undefined, 'unknown'], [32, 'BF16'], ['x', 'unknown'], [-1, 'unknown']] as const) t.equal(quantizationLevel(type), text, String(type));
  t.end();
});
