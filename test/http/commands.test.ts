// The commands as a user types them: results on standard output, one sentence and an exit code when something is wrong.
import t from 'tap';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, copyFile, link, mkdir, mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashKey } from '../../src/network/access-key.js';
import { manualPages } from '../../src/cli/manual.js';
import { bar, progressLine } from '../../src/cli/progress-line.js';
import { commands } from '../../src/cli/commands.js';
import { lockDirectory } from '../../src/tasks/lock.js';
import { fixturesDirectory } from '../support/fixtures.js';
import { startTestService } from '../support/http-service.js';
import { fakeLanguage } from '../support/language-service.js';
import { mainScript, runProgram } from '../support/program.js';

const language = fakeLanguage();
const service = await startTestService({ maxFileSize: 2 ** 21 }, { language });
const url = await service.listen();
const home = await mkdtemp(join(tmpdir(), 'lectern-home-'));
const environment = { HOME: home };
t.teardown(async () => {
  await service.close();
  await rm(home, { recursive: true, force: true });
});
await copyFile(join(fixturesDirectory(), 'invoice.pdf'), join(home, 'invoice.pdf'));
await writeFile(join(home, 'bad.pdf'), 'not one');

t.test('convert, in this process', async (t) => {
  const good = await runProgram(['convert', '~/invoice.pdf'], { environment });
  t.match([good.code, good.out, good.err], [0, /## Invoice 2025-0417/, ''], 'a ~ that the shell left is expanded; no progress in a pipe');
  const some = await runProgram(['convert', '~/bad.pdf', '~/none.pdf', '~/invoice.pdf', '-o', '~/out'], { environment });
  t.equal(some.code, 65, 'one that failed is no success');
  t.match(some.err, /\nlectern: 3 documents: 1 converted, 2 failed\.\n$/);
  t.match(some.err, /none\.pdf is no file/);
  t.match(await readFile(join(home, 'out', 'invoice.md'), 'utf8'), /Invoice 2025-0417/, 'the others are there');
  t.notOk(existsSync(join(home, 'out', 'bad.md')));
});

t.test('convert a document from standard input', async (t) => {
  const pdf = await readFile(join(home, 'invoice.pdf'));
  const directory = await mkdtemp(join(home, 'input-'));
  t.match(await runProgram(['convert', '-'], { environment, input: pdf }), { code: 0, out: /## Invoice 2025-0417/, err: '' });
  t.match(await runProgram(['convert', '--url', url, '--name', 'bill.pdf', '-'], { environment, input: pdf }), { code: 0, out: '# bill.pdf\n', err: '' }, 'a service hears its name');
  const both = await runProgram(['convert', '-o', directory, '-', '~/invoice.pdf'], { environment, input: pdf });
  t.match([both.code, both.err], [0, '']);
  t.equal(await readFile(join(directory, 'stdin.md'), 'utf8'), await readFile(join(directory, 'invoice.md'), 'utf8'));
  const tex = '\\documentclass{article}\\begin{document}\\section{Gates}They open.\\end{document}';
  t.match(await runProgram(['convert', '--name', 'gates.tex', '-'], { environment, input: tex }), { code: 0, out: '## Gates\n\nThey open.\n' }, 'a text is what its name says');
  t.match(await runProgram(['convert', '-'], { environment, input: 'They open.' }), { code: 65, out: '', err: /not allowed: stdin\. Allowed are [^\n]*\n.*--name notes\.md/ });
  t.match(await runProgram(['convert', '--name', 'notes.xyz', '-'], { environment, input: 'They open.' }), { code: 65, err: /^lectern: notes\.xyz: File format not allowed: notes\.xyz\. Allowed are pdf, image, .*docx, .*such as \.md, \.txt or \.tex\.\n$/ }, 'a name of no format is the user\'s own');
  t.match(await runProgram(['convert', '-'], { environment }), { code: 65, out: '', err: 'lectern: Standard input is empty.\n' }, 'what should have sent it has failed');
  for (const [words, sentence] of [
    [['-', '-'], /read once/], [['--name', 'x.md', '~/invoice.pdf'], /no `-` stands/], [['--name', 'a/b.md', '-'], /must be the name of a file/], [['--name', '', '-'], /must be the name of a file/],
  ] as const) t.match(await runProgram(['convert', ...words], { environment, input: pdf }), { code: 64, err: sentence }, words.join(' '));
});

t.test('results keep apart, and spare the documents', async (t) => {
  const directory = await mkdtemp(join(home, 'alike-'));
  const place = (...parts: string[]): string => join(directory, ...parts);
  for (const name of ['a', 'b', 'c']) await mkdir(place(name));
  for (const name of ['a', 'b', 'c']) await writeFile(place(name, 'x.md'), `# From ${name}\n`);
  const ended = await runProgram(['convert', '-o', place('out'), place('a', 'x.md'), place('b', 'x.md'), place('c', 'x.md')], { environment });
  t.match([ended.code, ended.err], [0, /b\/x\.md: the result is x\.md\.md.*\n.*c\/x\.md: the result is x\.md-2\.md/]);
  t.match(await Promise.all(['x.md', 'x.md.md', 'x.md-2.md'].map((name) => readFile(place('out', name), 'utf8'))), [/From a/, /From b/, /From c/]);
  t.equal((await stat(place('out', 'x.md'))).mode & 0o777, 0o666 & ~process.umask(), 'as other programs write files');
  await link(place('a', 'x.md'), place('b', 'y.md'));
  for (const [file, target] of [[place('a', 'x.md'), 'a'], [place('b', 'y.md'), 'b']] as const) {
    t.match(await runProgram(['convert', '-o', place(target), file], { environment }), { code: 64, err: /would overwrite a document/ });
  }
  t.equal(await readFile(place('a', 'x.md'), 'utf8'), '# From a\n');
  for (const target of [place('a', 'x.md'), '/proc/nope']) {
    t.match(await runProgram(['convert', '-o', target, place('b', 'x.md')], { environment }), { code: 77, err: /^lectern: The directory .* cannot be used \(.*\): name another with -o\.\n$/ }, target);
  }
  t.match(await runProgram(['convert', '-o', place('one.md'), place('b', 'x.md')], { environment }), { code: 64, err: 'lectern: -o names a directory, and one.md would be a file: > one.md writes one.\n' });
  await mkdir(place('two.md'));
  t.match(await runProgram(['convert', '-o', place('two.md'), place('b', 'x.md')], { environment }), { code: 0, err: '' }, 'one that is there is one');
  t.match(await runProgram(['convert', '--images', 'referenced', place('a', 'x.md')], { environment }), { code: 64, err: /Referenced images .* add -o DIRECTORY/ });
});

t.test('serve says what is wrong with its state directory', async (t) => {
  for (const [state, reason] of [[join(home, 'invoice.pdf'), 'a file stands in its place'], ['/proc/nope', 'it cannot be made there']] as const) {
    const { code, err } = await runProgram(['serve', '--listen', '0', '--state', state], { environment });
    t.match([code, err], [77, new RegExp(`^lectern: The state directory ${state}/tasks cannot be used \\(${reason}\\): .*--state\\.\\n$`)]);
  }
});

t.test('a second service with the state directory of the first says what to do, and nothing of models that it had no time for', async (t) => {
  const state = await mkdtemp(join(home, 'state-'));
  await mkdir(join(state, 'tasks'));
  const giveBack = await lockDirectory(join(state, 'tasks'));
  t.teardown(giveBack);
  const { code, err } = await runProgram(['serve', '--listen', '0', '--state', state, '--log-level', 'warn'], { environment });
  t.strictSame([code, err], [75, `lectern: The directory ${state}/tasks is in use by process ${process.pid}. Another Lectern serves with it: stop that one, or name another directory with --state.\n`]);
});

t.test('convert, through a service', async (t) => {
  const good = await runProgram(['convert', '~/invoice.pdf', '--url', url, '--pages', '1-2', '--keep-furniture', '--ocr-lang', 'de,en', '--ocr-preset', 'tesseract'], { environment });
  t.strictSame([good.code, good.out, good.err], [0, '# invoice.pdf\n', '']);
  t.match(service.payloads.at(-1)?.options, { pageRange: [1, 2], keepFurniture: true, outputs: ['md'], ocrLanguages: ['de', 'en'], ocrPreset: 'tesseract' });
  const bad = await runProgram(['convert', '~/bad.pdf', '--url', url], { environment });
  t.match([bad.code, bad.err], [65, /^lectern: bad\.pdf: The document backend could not parse the input\.\n$/]);
  const broken = await copyFile(join(home, 'bad.pdf'), join(home, 'broken.pdf')).then(() => runProgram(['convert', '~/broken.pdf', '--url', url], { environment }));
  t.match([broken.code, broken.err], [65, /broken\.pdf: .*ended unexpectedly/], 'a task that failed');
  const nobody = await runProgram(['convert', '~/invoice.pdf', '--url', 'http://127.0.0.1:1'], { environment });
  t.match([nobody.code, nobody.err], [66, /^lectern: No service answers at http:\/\/127\.0\.0\.1:1 \(.*\)\.\n$/]);
  const words = await runProgram(['convert', '~/invoice.pdf', '--url', url, '--images', 'referenced', '-o', 'x'], { environment });
  t.match([words.code, words.err], [64, /only without --url/]);
});

/** A service whose only document lost a page. */
async function losingService(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    const task = { task_id: 'one', task_status: 'success', task_position: null, task_meta: null, error_message: null };
    const result = { status: 'partial_success', document: { md_content: '# half' }, errors: [{ error_message: 'Page 2 could not be read.', page_no: 2 }] };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(request.url?.startsWith('/v1/result') ? result : task));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

t.test('a document in parts is no success either', async (t) => {
  const server = await losingService();
  t.teardown(() => new Promise((resolve) => server.close(resolve)));
  const half = await runProgram(['convert', '~/invoice.pdf', '--url', `127.0.0.1:${(server.address() as AddressInfo).port}`], { environment });
  t.strictSame(half, { code: 1, out: '# half\n', err: 'lectern: invoice.pdf: Page 2 could not be read.\n' });
});

t.test('chat', async (t) => {
  const said = await runProgram(['chat', 'plain:1b', '--url', url, '--temperature', '0', '--system', 'Be kind.'], { input: 'say this\n', environment });
  t.strictSame(said, { code: 0, out: 'say this\n', err: '' });
  t.match(language.asked.at(-1), { input: { messages: [{ role: 'system', content: 'Be kind.' }, { role: 'user', content: 'say this' }] }, sampling: { temperature: 0 } });
  const first = await runProgram(['chat'], { input: 'hello', environment: { ...environment, LECTERN_URL: url } });
  t.strictSame([first.code, first.out], [0, 'hello\n'], 'the first model that can, at LECTERN_URL');
  t.match(first.err, /^lectern: \S+ answers\.\n$/, 'and which one it is');
  const unknown = await runProgram(['chat', 'nobody', '--url', url], { input: 'x', environment });
  t.match([unknown.code, unknown.err], [66, /^lectern: The service at http:\/\/127\.\d.* has no model "nobody", only .*plain:1b.*: `lectern models pull nobody` fetches it, where Ollama's registry has it, for the user and the settings of the service\.\n$/]);
  const strange = await runProgram(['chat', 'no name', '--url', url], { input: 'x', environment });
  t.match([strange.code, strange.err], [66, /^lectern: The service at .* has no model "no name", only .*plain:1b[^`]*\.\n$/], 'what no registry can have');
  t.match(await runProgram(['chat', '--url', url], { environment }), { code: 64, err: /no question/ });
  t.match(await runProgram(['chat', '--url', 'ftp://x'], { input: 'x', environment }), { code: 64, err: /http/ });
  t.match(await runProgram(['chat', '--temperature', 'warm', '--url', url], { input: 'x', environment }), { code: 64, err: /--temperature must be a number/ });
});

t.test('each command tells what it takes', async (t) => {
  for (const { name } of commands) {
    const asked = await runProgram([name, '--help'], { environment });
    t.match(asked, { code: 0, out: new RegExp(`^Usage: lectern ${name}\\b[^]*\n\n\\S`), err: '' }, name);
  }
  const help = await runProgram(['help', 'serve'], { environment });
  t.strictSame(help, await runProgram(['serve', '-h'], { environment }));
  t.match(await runProgram(['help', 'dance'], { environment }), { code: 64, err: /Unknown command 'dance'/ });
  t.match(await runProgram(['convert', '--', '--help'], { environment }), { code: 66, err: /--help is no file/ }, 'behind -- it is a name');
});

t.test('key: the line to standard output, the secret beside it', async (t) => {
  const { code, out, err } = await runProgram(['keys', 'add', 'anna', 'researcher', '--print'], { environment });
  const [, secret = ''] = /^(lk-\S+)$/m.exec(err) ?? [];
  t.strictSame([code, out], [0, `key anna researcher ${hashKey(secret)}\n`]);
  t.notMatch(err, /none of the roles/);
  t.match(await runProgram(['keys', 'add', 'anna', 'boss', '--print'], { environment }), { code: 0, err: /boss is none of the roles administrator, researcher, student: .*`role boss`/ });
});

t.test('key: its line is one of its own, also behind a list without an end of its last line', async (t) => {
  const list = join(home, 'access');
  for (const before of ['', '10.0.0.7 administrator', '10.0.0.7 administrator\n']) {
    await writeFile(list, before);
    const file = await open(list, 'a');
    const child = spawn(process.execPath, [mainScript, 'keys', 'add', 'anna', 'researcher', '--print'], { env: environment, stdio: ['ignore', file.fd, 'ignore'] });
    t.strictSame(await once(child, 'close'), [0, null]);
    await file.close();
    t.match(await readFile(list, 'utf8'), before === '' ? /^key anna researcher \S+\n$/ : /^10\.0\.0\.7 administrator\nkey anna researcher \S+\n$/, JSON.stringify(before));
  }
});

t.test('--version and --help load next to nothing', async (t) => {
  const hook = 'data:text/javascript,' + encodeURIComponent(`import { register } from 'node:module';
    register('data:text/javascript,' + encodeURIComponent("export async function resolve(name, context, next) { const found = await next(name, context); process._rawDebug('LOADED ' + found.url + ' BY ' + context.parentURL); return found; }"));`);
  for (const word of ['--version', '--help', 'help']) {
    const { code, err } = await runProgram([word], { environment: { ...environment, NODE_OPTIONS: `--import=${hook}` } });
    // By the program: the test runner has its own modules in every process.
    const loaded = err.split('\n').flatMap((line) => /^LOADED (file:\S+) BY (?:undefined$|file:\S+\/dist\/src\/)/.exec(line)?.[1] ?? []);
    t.equal(code, 0);
    t.ok(loaded.some((line) => line.endsWith('/src/main.js')), 'what is loaded is seen');
    if (word === '--version') t.ok(loaded.length <= 10, `${word}: ${loaded.join('\n')}`);
    t.notMatch(loaded.join('\n'), /node_modules|\.node$/, 'and no package');
  }
});

t.test('doctor tells of each thing and what to do', async (t) => {
  const port = new URL(url).port;
  const { code, out } = await runProgram(['doctor', '--listen', `${port},0`, '--models', join(home, 'none')], { environment });
  t.match(out, /ok {4}native engine: /);
  t.match(out, /ok {4}PDF engine: loads/);
  t.match(out, new RegExp(`ok {4}port: 127\\.0\\.0\\.1:${port}: Lectern 0\\.0\\.0-test serves there`));
  t.match(out, /BAD {3}models: .*none does not exist\n {6}-> make it/, 'asked for by name, and the service is not ready without it');
  t.match(out, /(ok  |note) {2}text recognition: /);
  t.match(out, /(ok  |note) {2}LibreOffice: /);
  t.match(out, /memory: /);
  t.match(out, /state directory: /);
  t.equal(code, out.includes('BAD') ? 1 : 0);
  const file = await runProgram(['doctor', '--listen', '0', '--device', 'cuda', '--models', join(home, 'invoice.pdf')], { environment });
  t.match(file.out, /BAD {3}models: .*invoice\.pdf is no directory\n {6}-> name the directory/);
  t.notMatch(file.out, /chmod/);
  t.equal(file.code, 1);
  if (!/device: .* free\n/.test(file.out)) t.match(file.out, /BAD {3}device: no GPU is usable, and with --device cuda/);
  const stranger = createServer((_request, response) => response.end('x'));
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
  t.teardown(() => { stranger.closeAllConnections(); stranger.close(); });
  const taken = await runProgram(['doctor', '--listen', String((stranger.address() as AddressInfo).port)], { environment });
  t.match([taken.code, taken.out], [1, /BAD {3}port: .*cannot be opened\n {6}-> .*is taken/]);
});

t.test('words that are none: one sentence', async (t) => {
  for (const [words, sentence] of [
    [['chat', '--sede', '1'], /^lectern: Unknown option '--sede'; did you mean --seed\? `lectern help chat` lists what it takes\.\n$/],
    [['models', 'lst'], /^lectern: Unknown command 'lst'; did you mean list\? [^\n]*\n$/],
    [['convert', 'a', '--images', 'none'], /^lectern: [^\n]*Allowed choices are placeholder, embedded, referenced[^\n]*\n$/],
    [['serve', 'now'], /^lectern: Too many arguments[^\n]*`lectern help serve`[^\n]*\n$/],
    [['chat', '--wonder'], /^lectern: [^\n]*'--wonder'[^\n]*`lectern help chat`[^\n]*\n$/],
    [['convert', '--pages'], /^lectern: [^\n]*--pages[^\n]*`lectern help convert`[^\n]*\n$/],
    [['bench', '--rounds', '-1'], /^lectern: --rounds must be a whole number[^\n]*\n$/],
    [['bench', '--url', url, '--loss', '10%'], /^lectern: --loss needs --against[^\n]*\n$/],
  ] as const) t.match(await runProgram([...words], { environment }), { code: 64, err: sentence, out: '' }, words.join(' '));
});

t.test('progress is for terminals', async (t) => {
  const written: string[] = [];
  const stream = (isTTY: boolean, columns = 20) => ({ isTTY, columns, write: (text: string) => written.push(text) > 0 }) as never;
  progressLine(stream(false)).show('unseen');
  t.strictSame(written, []);
  const line = progressLine(stream(true));
  line.show('a line that is longer than the terminal');
  line.clear();
  t.strictSame(written, ['\r\u001b[Ka line that is long', '\r\u001b[K']);
  progressLine(stream(true, 0)).show('whole where the terminal does not tell its width');
  t.equal(written.at(-1), '\r\u001b[Kwhole where the terminal does not tell its width');
  t.strictSame([bar(5, 10), bar(0, 0), bar(12, 10)], ['[##########----------] 5/10', '', '[####################] 12/10']);
});

t.test('convert a directory: results keep its structure, --resume leaves out what is there, --json tells each', async (t) => {
  const root = await mkdtemp(join(home, 'tree-'));
  await mkdir(join(root, 'in', 'sub'), { recursive: true });
  for (const name of ['a.md', 'sub/a.md', 'sub/b.md']) await writeFile(join(root, 'in', name), `# ${name}\n`);
  await writeFile(join(root, 'in', 'program.exe'), 'x');
  const words = ['convert', '-o', join(root, 'out'), join(root, 'in')];
  t.match(await runProgram(words, { environment }), { code: 0, out: '', err: 'lectern: 3 documents: 3 converted. 1 files of other kinds were left out.\n' });
  t.equal(await readFile(join(root, 'out', 'sub', 'a.md'), 'utf8'), '# sub/a.md');
  await writeFile(join(root, 'in', 'sub', 'b.md'), '# changed\n');
  await rm(join(root, 'out', 'a.md'));
  const again = await runProgram([...words, '--resume', '--json'], { environment });
  const lines = again.out.trimEnd().split('\n').map((line) => JSON.parse(line) as { source?: string; status?: string; summary?: object });
  t.equal(again.code, 0);
  t.strictSame(new Map(lines.slice(0, -1).map(({ source, status }) => [source?.replace(join(root, 'in'), ''), status])), new Map([['/a.md', 'success'], ['/sub/a.md', 'up_to_date'], ['/sub/b.md', 'success']]));
  t.match(lines.at(-1), { summary: { documents: 3, success: 2, up_to_date: 1, other_files: 1 } });
  t.equal(await readFile(join(root, 'out', 'sub', 'b.md'), 'utf8'), '# changed');
  t.match(await runProgram(['convert', join(root, 'in')], { environment }), { code: 64, err: /Several results need a directory/ });
  t.match(await runProgram(['convert', '--resume', join(root, 'in', 'a.md')], { environment }), { code: 64, err: /--resume needs the directory/ });
});

t.test('a file beside the document is not replaced unasked, and what cannot be read is told', async (t) => {
  const root = await mkdtemp(join(home, 'beside-'));
  await writeFile(join(root, 'a.csv'), 'x,y\n1,2\n');
  await writeFile(join(root, 'a.md'), 'my own notes');
  const words = ['convert', '-o', root, join(root, 'a.csv')];
  t.match(await runProgram(words, { environment }), { code: 64, err: /a\.md is there already, beside the document: --overwrite/ });
  t.equal(await readFile(join(root, 'a.md'), 'utf8'), 'my own notes');
  t.match(await runProgram([...words, '--overwrite'], { environment }), { code: 0 });
  t.match(await readFile(join(root, 'a.md'), 'utf8'), /\| +x/);
  const missing = await runProgram(['convert', '-o', join(root, 'out'), join(root, 'a.csv'), join(root, 'none'), join(root, '*.odt')], { environment });
  t.match([missing.code, missing.err], [65, /none is no file[^]*No file fits[^]*3 documents: 1 converted, 2 failed/], 'the others are converted');
  if (process.getuid?.() === 0) return t.comment('root reads every file');
  await chmod(join(root, 'a.csv'), 0);
  t.match(await runProgram(['convert', join(root, 'a.csv')], { environment }), { code: 65, err: /a\.csv: It cannot be read: permission denied/ });
});

t.test('convert an address; what cannot be fetched is told', async (t) => {
  const server = createServer((request, response) => {
    if (request.url !== '/dir/page.md') response.writeHead(404);
    response.end('# From afar\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => { server.closeAllConnections(); server.close(); });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.match(await runProgram(['convert', `http://${host}/dir/page.md`], { environment }), { code: 0, out: '# From afar\n', err: '' });
  t.match(await runProgram(['convert', `http://${host}/none.md`], { environment }), { code: 66, err: /none\.md cannot be fetched: its host answered 404\.\n$/ });
  t.match(await runProgram(['convert', `https://${host}/dir/page.md`], { environment }), { code: 66, err: /speaks http, not https/ });
  t.match(await runProgram(['convert', '--max-file-size', '5', `http://${host}/dir/page.md`], { environment }), { code: 65, err: /larger than 5 bytes/ });
});

t.test('keys and access: a list that commands change keeps all other lines', async (t) => {
  const list = join(await mkdtemp(join(home, 'list-')), 'access');
  await writeFile(list, '# ours\n10.0.0.0/8 researcher\n10.9.0.0/16 student\nrole guest', { mode: 0o640 });
  const keys = (...words: string[]) => runProgram(['keys', ...words, '--list', list], { environment });
  const { code, out } = await keys('add', 'anna', 'researcher');
  t.match([code, out], [0, /^lk-\S+\n$/]);
  t.match(await keys('add', 'bob', 'guest'), { code: 0 });
  t.match(await keys('add', 'bob', 'boss'), { code: 64, err: /There is no role "boss" in .*role boss/ }, 'a list that the service would refuse is not written');
  t.match(await keys('add', 'b b', 'guest'), { code: 64 });
  t.match(await keys('list'), { code: 0, out: 'NAME  ROLE\nanna  researcher\nbob   guest\n' });
  t.strictSame(JSON.parse((await keys('list', '--json')).out), [{ name: 'anna', role: 'researcher' }, { name: 'bob', role: 'guest' }]);
  const ask = (address: string, ...words: string[]) => runProgram(['access', 'test', address, '--list', list, ...words], { environment });
  t.match(await ask('10.1.2.3'), { code: 0, out: '10.1.2.3 may enter as researcher.\n' });
  t.match(await ask('10.9.2.3'), { code: 1, out: /may not enter: the role is student/ });
  t.match(await ask('192.168.0.1'), { code: 1, out: /no line of the list holds the address/ });
  t.match(await ask('192.168.0.1', '--key', out.trim()), { code: 0, out: 'anna, by a key, may enter as researcher.\n' });
  t.match(JSON.parse((await ask('192.168.0.1', '--key', 'lk-none', '--json')).out), { enters: false, role: null, key: null });
  t.match(await ask('127.0.0.1'), { code: 0, out: /as administrator/ });
  t.match(await ask('somewhere'), { code: 64, err: /no IP address/ });
  t.match(await keys('rm', 'anna'), { code: 0, out: 'The key of anna will open nothing from now on.\n' });
  t.match(await keys('rm', 'anna'), { code: 66 });
  t.match(await readFile(list, 'utf8'), /^# ours\n10\.0\.0\.0\/8 researcher\n10\.9\.0\.0\/16 student\nrole guest\nkey bob guest sha256:\w{64}\n$/);
  t.equal((await stat(list)).mode & 0o777, 0o640);
  const first = await runProgram(['keys', 'add', 'eve', 'student', '--list', `${list}-new`], { environment });
  t.match([first.code, await readFile(`${list}-new`, 'utf8')], [0, /^key eve student sha256:\w{64}\n$/], 'the first key begins the list');
});

t.test('completion scripts are made from the declarations, and bash runs its own', async (t) => {
  for (const shell of ['bash', 'zsh', 'fish']) t.match(await runProgram(['completion', shell], { environment }), { code: 0, out: /keep-furniture[^]*import-ollama/ }, shell);
  t.match(await runProgram(['completion', 'tcsh'], { environment }), { code: 64, err: /bash, zsh, fish, not for "tcsh"/ });
  const { out } = await runProgram(['completion', 'bash'], { environment });
  const script = join(home, 'lectern.bash');
  await writeFile(script, out);
  const complete = async (...words: string[]): Promise<string> => {
    const line = `compopt() { :; }; source ${script}; COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _lectern; echo "\${COMPREPLY[*]}"`;
    const child = spawn('bash', ['-c', line], { stdio: ['ignore', 'pipe', 'inherit'] });
    const text: Buffer[] = [];
    child.stdout.on('data', (bytes: Buffer) => text.push(bytes));
    await once(child, 'close');
    return Buffer.concat(text).toString().trim();
  };
  t.equal(await complete('lectern', 'mod'), 'models');
  t.equal(await complete('lectern', 'models', 'ch'), 'check');
  t.equal(await complete('lectern', 'convert', '--images', 'em'), 'embedded');
  t.equal(await complete('lectern', 'serve', '--keep-a'), '--keep-alive');
});

t.test('pages of the manual hold every command and option', async (t) => {
  const pages = manualPages('1.2.3', commands);
  t.strictSame([...pages.keys()].sort(), ['lectern.1', ...commands.map(({ name }) => `lectern-${name}.1`)].sort());
  t.match(pages.get('lectern-convert.1'), /^\.TH LECTERN-CONVERT 1 "" "Lectern 1\.2\.3"[^]*\.B \\-\\-keep\\-furniture\n/);
  t.match(pages.get('lectern-models.1'), /\.SH OPTIONS OF ADD\n[^]*\\-\\-sha256/);
  t.strictSame(manualPages('1.2.3', commands), pages);
});
