// `lectern models` as people type it, on made models and a registry of the test's own.
import t, { type Test } from 'tap';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeOwnNetwork } from '../../src/cli/own-networks.js';
import { progressBar } from '../../src/cli/progress-bar.js';
import { packageRoot } from '../../src/platform/package-files.js';
import { writeMadeEmbedder, writeMadeModel } from '../support/made-model.js';
import { startRegistry } from '../support/model-registry.js';
import { brokenLayouts, layoutCard, writeLayout, writeNetwork, writeTextReader } from '../support/network-files.js';
import { writeStored } from '../support/ollama-store.js';

const program = fileURLToPath(new URL('../../src/main.js', import.meta.url));

interface Ended {
  code: number;
  out: string;
  err: string;
}

function homeFor(t: Test): { home: string; models: string; run: (...args: string[]) => Promise<Ended> } {
  const home = mkdtempSync(join(tmpdir(), 'lectern-models-'));
  t.teardown(() => rmSync(home, { recursive: true, force: true }));
  const models = join(home, 'shelf');
  mkdirSync(models);
  const run = (...args: string[]) => new Promise<Ended>((resolve) => {
    const env = { PATH: process.env['PATH'], HOME: home, LECTERN_MODELS: models };
    execFile(process.execPath, [program, 'models', ...args], { env }, (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code), out, err }));
  });
  return { home, models, run };
}

t.test('list and show', async (t) => {
  const { models, run } = homeFor(t);
  t.match(await run(), { code: 0, out: /^NAME .*\nlectern-demo /, err: '' }, 'what ships is there beside any directory');
  t.match(await run('list', '--models', '/nope'), { code: 0, out: /^NAME .*\nlectern-demo .*\n[^]*\nThe directory \/nope does not exist yet\.\n$/ });
  writeMadeModel(join(models, 'talker.gguf'));
  writeMadeEmbedder(join(models, 'vectors.gguf'));
  writeMadeModel(join(models, 'torn.gguf'));
  truncateSync(join(models, 'torn.gguf'), 5000);
  const { code, out } = await run('list');
  t.equal(code, 0);
  const lines = out.split('\n');
  t.match(lines[0], /^NAME +SIZE +FAMILY/);
  t.match(lines.find((line) => line.startsWith('talker ')), /llama .* 256 +completion/);
  t.match(lines.find((line) => line.startsWith('vectors ')), /bert .* 256 +embedding/);
  t.match(out, /Left out:\n {2}torn: .*damaged.*\n {6}.*torn\.gguf/);
  t.match(await run('show', 'TALKER'), { code: 0, out: /architecture +llama[^]*memory +[\d.]+ .*256 tokens in 2 slots[^]*template +of the file/ });
  t.match(await run('show', 'torn'), { code: 65, err: /torn cannot be used: .*damaged/ });
  writeMadeModel(join(models, 'late.gguf'));
  const { blob } = writeStored(models, 'registry.ollama.ai/library/early/latest', { model: readFileSync(join(models, 'late.gguf')) });
  truncateSync(blob, 5000);
  for (const name of ['early', 'EARLY:latest', 'library/early']) t.match(await run('show', name), { code: 65, err: /cannot be used: .*has 5000 of/ }, name);
  t.match(await run('show', 'nobody'), { code: 66, err: 'lectern: There is no model "nobody": `lectern models pull nobody` fetches it, where Ollama\'s registry has it.\n' });
  t.match(await run('check', 'no name'), { code: 66, err: 'lectern: There is no model "no name".\n' });
  t.match(await run('--wonder'), { code: 64, err: /^lectern: [^\n]*'--wonder'; `lectern help models` lists what it takes\.\n$/ });
  for (const words of [['show'], ['list', 'x'], ['dance']]) t.match(await run(...words), { code: 64, err: /`lectern help/ }, words.join(' '));
});

t.test('pull, and what comes is usable', async (t) => {
  const { home, models, run } = homeFor(t);
  writeMadeModel(join(home, 'made.gguf'));
  const registry = await startRegistry([readFileSync(join(home, 'made.gguf')), Buffer.from('{"stop":["x"]}'), Buffer.from('{}')]);
  t.teardown(() => registry.close());
  const name = `${registry.host}/library/tiny`;
  t.match(await run('pull', name, '--insecure'), { code: 0, out: `${name}:latest is in ${models}.\n`, err: /100 % {2}\d/ });
  t.match((await run('list')).out, `${name}:latest`);
  t.match(await run('show', name), { code: 0, out: /template +of the file/ });
  const elsewhere = join(home, 'elsewhere');
  t.match(await run('pull', name, '--insecure', '--into', elsewhere), { code: 0, out: new RegExp(`in ${elsewhere}`) });
  t.match(await run('pull', `${registry.host}/library/tiny:other`, '--insecure'), { code: 66, err: /has no model library\/tiny:other/ });
  t.match(await run('pull', 'a//b'), { code: 64, err: /no name of a model/ });
});

t.test('add: files, parts, directories and addresses come whole or not at all, and what comes is usable', async (t) => {
  const { home, models, run } = homeFor(t);
  writeMadeModel(join(home, 'made.gguf'));
  const bytes = readFileSync(join(home, 'made.gguf'));
  const digest = createHash('sha256').update(bytes).digest('hex');
  t.match(await run('add', join(home, 'made.gguf'), '--name', 'mine', '--sha256', digest), { code: 0, out: `mine is in ${models}; \`lectern models check mine\` runs it.\n` });
  t.match(await run('add', join(home, 'made.gguf'), '--link'), { code: 0, out: /^made is in / });
  t.equal(statSync(join(models, 'made.gguf')).ino, statSync(join(home, 'made.gguf')).ino, 'no second copy');
  t.match(await run('check', 'mine'), { code: 0, out: /^ok {6}mine: / });
  t.match(await run('add', join(home, 'made.gguf')), { code: 64, err: /is there already/ });
  t.match(await run('add', join(home, 'made.gguf'), '--name', 'x', '--sha256', '0'.repeat(64)), { code: 65, err: new RegExp(`digest sha256:${digest}`) });
  t.match(await run('add', join(home, 'made.gguf'), '--name', 'a/b'), { code: 64, err: /--name must be/ });
  writeFileSync(join(home, 'cut.gguf'), bytes.subarray(0, 5000));
  t.match(await run('add', join(home, 'cut.gguf')), { code: 65, err: /cut cannot be used, and was not added: / });
  t.notOk(existsSync(join(models, 'cut.gguf')));
  t.match(await run('add', join(home, 'none.gguf')), { code: 66, err: /cannot be read/ });
  writeFileSync(join(home, 'x.safetensors'), '');
  t.match(await run('add', join(home, 'x.safetensors')), { code: 65, err: /no GGUF file.*convert_hf_to_gguf/ });
  writeFileSync(join(home, 'two-00001-of-00002.gguf'), bytes);
  t.match(await run('add', join(home, 'two-00001-of-00002.gguf')), { code: 66, err: /two-00002-of-00002\.gguf is not beside/ });
  writeLayout(join(home, 'halves'));
  t.match(await run('add', join(home, 'halves')), { code: 0, out: /^halves is in / });
  t.match(await run('show', 'halves'), { code: 0 });
  let asked = 0;
  const server = createServer((request, response) => {
    asked++;
    const [, from = '0', to = String(bytes.length - 1)] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const part = bytes.subarray(Number(from), Number(to) + 1);
    response.writeHead(request.headers.range === undefined ? 200 : 206, { 'content-length': part.length, etag: '"1"' });
    response.end(request.method === 'HEAD' ? undefined : part);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => { server.closeAllConnections(); server.close(); });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/dir/far%20away.gguf?x=1`;
  t.match(await run('add', address, '--name', 'wrong', '--sha256', '1'.repeat(64)), { code: 65, err: /Digest mismatch/ });
  t.notOk(existsSync(join(models, 'wrong.gguf')));
  t.match(await run('add', address, '--name', 'far', '--sha256', digest), { code: 0, out: /^far is in /, err: /100 %/ });
  t.ok(asked >= 4 && readFileSync(join(models, 'far.gguf')).equals(bytes));
  t.match(await run('add', address.replace('.gguf', '.zip')), { code: 65, err: /address must be that of a GGUF file/ });
});

t.test('rm: plain models with all parts, stored ones with the blobs that no other needs; never what is not Lectern\'s', async (t) => {
  const { home, models, run } = homeFor(t);
  writeMadeModel(join(models, 'plain.gguf'));
  const bytes = readFileSync(join(models, 'plain.gguf'));
  const one = writeStored(models, 'registry.ollama.ai/library/one/1b', { model: bytes });
  writeStored(models, 'registry.ollama.ai/library/two/1b', { model: bytes });
  t.match(await run('rm', 'plain'), { code: 64, err: /--yes removes without asking/ });
  t.match(await run('rm', 'plain', '--yes'), { code: 0, out: /^plain is removed/ });
  t.notOk(existsSync(join(models, 'plain.gguf')));
  t.match(await run('rm', 'one:1b', '-y'), { code: 0 });
  t.ok(existsSync(one.blob), 'the other model needs it');
  t.match(await run('check', 'two:1b'), { code: 0 });
  t.match(await run('rm', 'two:1b', '-y'), { code: 0 });
  t.notOk(existsSync(one.blob));
  t.match(await run('rm', 'lectern-demo', '-y'), { code: 64, err: /not Lectern's to change/ });
  t.match(await run('rm', 'lectern-recogniser', '-y'), { code: 64, err: /a part of the program/ });
  t.match(await run('rm', 'nobody', '-y'), { code: 66 });
  writeFileSync(join(models, 'torn.gguf'), 'GGUF');
  t.match(await run('rm', 'torn', '-y'), { code: 0 }, 'one that cannot be used, too');
  t.notOk(existsSync(join(models, 'torn.gguf')));
  const store = join(home, '.ollama', 'models');
  writeStored(store, 'registry.ollama.ai/library/kept/1b', { model: bytes });
  t.match(await run('rm', 'kept:1b', '-y', '--models', store), { code: 64, err: /not Lectern's/ });
});

t.test('import-ollama: models with their blobs, once', async (t) => {
  const { home, models, run } = homeFor(t);
  writeMadeModel(join(home, 'made.gguf'));
  const store = join(home, '.ollama', 'models');
  t.match(await run('import-ollama'), { code: 66, err: /There is no store of Ollama at / });
  for (const name of ['one', 'two']) writeStored(store, `registry.ollama.ai/library/${name}/1b`, { model: readFileSync(join(home, 'made.gguf')) });
  t.match(await run('import-ollama', 'three:1b'), { code: 66, err: /has no model three:1b, only one:1b, two:1b/ });
  const { blob } = writeStored(store, 'registry.ollama.ai/library/half/1b', { model: Buffer.from('x') });
  rmSync(blob);
  const broken = await run('import-ollama', 'half:1b');
  t.match([broken.code, broken.err], [65, /half:1b was not imported: its file .* is missing; `ollama pull`/]);
  rmSync(join(store, 'manifests/registry.ollama.ai/library/half'), { recursive: true });
  t.match(await run('import-ollama', 'two:1b', '--link'), { code: 0, out: `two:1b is in ${models}.\n` });
  t.match(await run('import-ollama'), { code: 0, out: `one:1b is in ${models}.\ntwo:1b was there already.\n` });
  rmSync(store, { recursive: true });
  t.match(await run('check', 'one:1b'), { code: 0, out: /digest fits/ });
  t.match(JSON.parse((await run('list', '--json')).out), { models: [{ name: String }, { name: String }, { name: String }], left_out: [] });
});

t.test('check: digests, and whether they run', async (t) => {
  const { home, models, run } = homeFor(t);
  writeMadeModel(join(home, 'made.gguf'));
  const { blob } = writeStored(models, 'registry.ollama.ai/library/stored/1b', { model: readFileSync(join(home, 'made.gguf')) });
  writeMadeEmbedder(join(models, 'vectors.gguf'));
  t.match(await run('check'), { code: 0, out: /ok {6}stored:1b: digest fits, opened in [\d.]+ s, writes [\d.]+ tokens\/s alone; llama, generates text/ });
  t.match(await run('check', 'vectors'), { code: 0, out: /^ok {6}vectors: opened in [\d.]+ s, gives vectors of 64 numbers; bert, makes embeddings of [a-z ]+\n {8}weights: .*\n {8}types: F32 in \d+ tensors \(100\.0 %\)\n {8}tokenizer: bert, .*\n {8}template: none\n {8}memory with \d+ tokens of context: [\d.]+ [KM]iB\n$/ });
  t.match(await run('check', join(home, 'made.gguf')), { code: 0, out: /^ok {6}made: .*\n(?: {8}.*\n)* {8}memory with \d+ tokens of context: [\d.]+ [KM]iB, with two answers at a time [\d.]+ [KM]iB\n$/ }, 'a file that is installed nowhere');
  writeFileSync(join(home, 'none.gguf'), 'GGUF');
  t.match(await run('check', join(home, 'none.gguf')), { code: 65, err: /none\.gguf cannot be used: / });
  t.not((await run('rm', join(home, 'made.gguf'), '--yes')).code, 0, 'only installed ones are removed');
  t.ok(existsSync(join(home, 'made.gguf')));
  const bytes = readFileSync(blob);
  bytes[bytes.length - 1] = (bytes[bytes.length - 1] as number) ^ 1;
  writeFileSync(blob, bytes);
  writeFileSync(join(models, 'torn.gguf'), 'GGUF');
  const { code, out } = await run('check');
  t.equal(code, 1);
  for (const line of [/^FAILED {2}stored:1b: The bytes of .* are not those of its digest/m, /^ok {6}vectors: /m, /^FAILED {2}torn: /m]) t.match(out, line);
});

t.test('vision models are listed, shown and run on a made page; what has no card is told', async (t) => {
  const { models, run } = homeFor(t);
  writeTextReader(join(models, 'bars'), { recognition: { languages: ['rus'] } });
  writeLayout(join(models, 'halves'));
  writeNetwork(join(models, 'lost'), 'model', Buffer.from('x'), null);
  writeNetwork(models, 'cut', Buffer.from('version https://git-lfs'), layoutCard);
  const { code, out } = await run();
  t.equal(code, 0);
  for (const line of [/^NAME +SIZE +CAN DO +KNOWS/m, /^bars +.* reads text +rus /m, /^halves +.* finds layouts +2 labels /m, /^lectern-recogniser +.* reads text +.*eng/m, /^ {2}lost: it has no card model\.json/m, /^ {2}cut: it is broken: .*\n {6}.*cut\.onnx$/m, /^lectern-detector .* finds lines of text/m, /^lectern-orientation /m, /^lectern-layout /m]) t.match(out, line);
  t.notMatch(out, /^cut /m, 'what is broken is not listed as usable');
  t.match(await run('show', 'BARS'), { code: 0, out: /finds lines .*det\.onnx[^]*dictionary +in the file[^]*rec\.onnx +x \(any, 3, 48, any\) -> y \(any, any, 5\), ONNX opset 17[^]*memory +768/ });
  t.match(await run('show', 'lost'), { code: 65, err: /lost" cannot be used: it has no card/ });
  t.match(await run('show', 'Lectern-Recogniser'), { code: 0, out: /what it is +reads lines[^]*lectern-recogniser\.onnx[^]*languages +.*eng[^]*memory +a part of the [0-9.]+ MiB that each conversion worker takes/ });
  t.match(await run('check', 'lectern-recogniser'), { code: 0, out: /^ok {6}lectern-recogniser: on a made page it reads \d+ lines, \d+ of the \d+ words/ });
  const checked = await run('check');
  t.equal(checked.code, 1, 'two are refused');
  for (const line of [/^ok {6}bars: opened in .*, on a made page it reads \d+ lines, 0 of the/m, /^ok {6}halves: .* it finds 2 regions: 1 text, 1 table in/m, /^FAILED {2}lost: /m, /^FAILED {2}cut: it is broken/m, /^ok {6}lectern-detector: /m, /^ok {6}lectern-orientation: .* 100 % of their votes/m, /^ok {6}lectern-layout: opened/m, /^ok {6}lectern-tables: opened/m]) t.match(checked.out, line);
  // The recogniser that ships reads a page that ships.
  const [, right, written] = /^ok {6}lectern-recogniser: on a made page it reads \d+ lines, (\d+) of the (\d+) words/m.exec(checked.out) ?? [];
  t.ok(Number(written) >= 15 && Number(right) >= Number(written) - 2, checked.out);
});

t.test('each network that ships is shown with what it is, its size, its inputs and where it comes from', async (t) => {
  for (const [name, inputs] of [['detector', 'pages'], ['orientation', 'lines'], ['layout', 'features'], ['tables', 'pictures']] as const) {
    const told = Object.fromEntries(await describeOwnNetwork(`LECTERN-${name}`));
    t.match(told, { name: `lectern-${name}`, size: /^[\d.]+ [KM]iB$/, inputs: new RegExp(`^${inputs} \\(any, `), 'comes from': new RegExp(`^models/training/${name}; models/README\\.md`) });
    t.ok(existsSync(join(packageRoot(), 'models', 'training', name)) && readFileSync(join(packageRoot(), 'models', 'README.md'), 'utf8').includes(`\n## lectern-${name}\n`), 'which are there');
  }
});

t.test('networks that are broken, endless or not what they are said to be are told one by one, and the sound one behind them is run', async (t) => {
  const { models, run } = homeFor(t);
  const broken = brokenLayouts();
  for (const [name, { network }] of Object.entries(broken)) writeNetwork(models, name, network, layoutCard);
  writeLayout(models, 'sound');
  const { code, out, err } = await run('check');
  t.equal(code, 1, err);
  for (const [name, { says }] of Object.entries(broken)) {
    const line = out.split('\n').find((one) => one.startsWith(`FAILED  ${name}: `)) ?? '';
    t.match(line, says, name);
    t.notMatch(line, /internal|unexpected/i);
  }
  t.match(out, /^ok {6}sound: .* it finds 2 regions/m);
});

t.test('what is pulled and cannot be used is said so; Ollama\'s stores are not written', async (t) => {
  const { home, models, run } = homeFor(t);
  const registry = await startRegistry([Buffer.from('no model at all'), Buffer.from('{}')]);
  t.teardown(() => registry.close());
  t.match(await run('pull', `${registry.host}/library/tiny`, '--insecure', '--models', models), { code: 65, err: /is there and cannot be used: / });
  const store = join(home, '.ollama', 'models');
  t.match(await run('pull', `${registry.host}/library/tiny`, '--insecure', '--models', store), { code: 64, err: /--into DIRECTORY/ });
});

t.test('the bar is one line on a terminal and few elsewhere', async (t) => {
  const draw = (isTTY: boolean, columns = 120): string[] => {
    const written: string[] = [];
    let time = 0;
    const bar = progressBar({ isTTY, columns, write: (text: string) => written.push(text) }, 'tiny:latest', () => time);
    for (let done = 200; done <= 1000; done++) {
      time += 10;
      bar.show({ totalBytes: 1000, doneBytes: done, phase: 'downloading' });
    }
    bar.end();
    return written;
  };
  const terminal = draw(true);
  t.ok(terminal.length < 100, 'ten a second');
  t.match(terminal.at(-2), /^\r\u001b\[K\[={30}\] tiny:latest {2}100 % {2}1000 bytes of 1000 bytes, 100 bytes\/s/);
  t.match(terminal[2], /, \d+ s left/);
  t.equal(terminal.at(-1), '\n');
  t.equal(draw(false).length, 9, 'a line for each tenth');
  for (const [columns, drawn] of [[80, /^\[={8,}\] tiny:latest/], [60, /^tiny:latest {2}100 %/], [20, /^tiny:latest {2}100 %/], [0, /^\[={8,}\] tiny:latest/]] as const) {
    const lines = draw(true, columns).filter((line) => line !== '\n').map((line) => line.replace('\r\u001b[K', ''));
    t.ok(lines.every((line) => line.length < (columns || 80)), `nothing wraps on ${columns} columns`);
    t.match(lines.at(-1), drawn);
  }
});
