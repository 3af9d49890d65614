// The commands as a user types them: results on standard output, one sentence and an exit code when something is wrong.
import t from 'tap';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bar, progressLine } from '../../src/cli/progress-line.js';
import { fixturesDirectory } from '../support/fixtures.js';
import { startTestService } from '../support/http-service.js';
import { fakeLanguage } from '../support/language-service.js';
import { runProgram } from '../support/program.js';

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
  t.equal(some.code, 1, 'one that failed is no success');
  t.match(some.err, /none\.pdf is no file/);
  t.match(await readFile(join(home, 'out', 'invoice.md'), 'utf8'), /Invoice 2025-0417/, 'the others are there');
  t.notOk(existsSync(join(home, 'out', 'bad.md')));
});

t.test('convert, through a service', async (t) => {
  const good = await runProgram(['convert', '~/invoice.pdf', '--url', url, '--pages', '1-2', '--keep-furniture'], { environment });
  t.strictSame([good.code, good.out, good.err], [0, '# invoice.pdf\n', '']);
  t.match(service.payloads.at(-1)?.options, { pageRange: [1, 2], keepFurniture: true, outputs: ['md'] });
  const bad = await runProgram(['convert', '~/bad.pdf', '--url', url], { environment });
  t.match([bad.code, bad.err], [1, /^lectern: bad\.pdf: The document backend could not parse the input\.\n$/]);
  const broken = await copyFile(join(home, 'bad.pdf'), join(home, 'broken.pdf')).then(() => runProgram(['convert', '~/broken.pdf', '--url', url], { environment }));
  t.match([broken.code, broken.err], [1, /broken\.pdf: .*ended unexpectedly/], 'a task that failed');
  const nobody = await runProgram(['convert', '~/invoice.pdf', '--url', 'http://127.0.0.1:1'], { environment });
  t.match([nobody.code, nobody.err], [1, /^lectern: No service answers at http:\/\/127\.0\.0\.1:1 \(.*\)\.\n$/]);
  const words = await runProgram(['convert', '~/invoice.pdf', '--url', url, '--images', 'referenced', '-o', 'x'], { environment });
  t.match([words.code, words.err], [2, /only without --url/]);
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
  t.strictSame(half, { code: 3, out: '# half\n', err: 'lectern: invoice.pdf: Page 2 could not be read.\n' });
});

t.test('chat', async (t) => {
  const said = await runProgram(['chat', 'plain:1b', '--url', url, '--temperature', '0', '--system', 'Be kind.'], { input: 'say this\n', environment });
  t.strictSame(said, { code: 0, out: 'say this\n', err: '' });
  t.match(language.asked.at(-1), { input: { messages: [{ role: 'system', content: 'Be kind.' }, { role: 'user', content: 'say this' }] }, sampling: { temperature: 0 } });
  const first = await runProgram(['chat'], { input: 'hello', environment: { ...environment, LECTERN_URL: url } });
  t.strictSame([first.code, first.out], [0, 'hello\n'], 'the first model that can, at LECTERN_URL');
  const unknown = await runProgram(['chat', 'nobody', '--url', url], { input: 'x', environment });
  t.match([unknown.code, unknown.err], [1, /'nobody'/]);
  t.match(await runProgram(['chat', '--url', url], { environment }), { code: 2, err: /no question/ });
  t.match(await runProgram(['chat', '--url', 'ftp://x'], { input: 'x', environment }), { code: 2, err: /http/ });
  t.match(await runProgram(['chat', '--temperature', 'warm', '--url', url], { input: 'x', environment }), { code: 2, err: /--temperature must be a number/ });
});

t.test('doctor tells of each thing and what to do', async (t) => {
  const port = new URL(url).port;
  const { code, out } = await runProgram(['doctor', '--listen', `${port},0`, '--models', join(home, 'none')], { environment });
  t.match(out, /ok {4}native engine: /);
  t.match(out, /ok {4}PDF engine: loads/);
  t.match(out, new RegExp(`ok {4}port: 127\\.0\\.0\\.1:${port}: Lectern 0\\.0\\.0-test serves there`));
  t.match(out, /note {2}models: .*none does not exist\n {6}-> /);
  t.match(out, /memory: /);
  t.match(out, /state directory: /);
  t.equal(code, out.includes('BAD') ? 1 : 0);
  const stranger = createServer((_request, response) => response.end('x'));
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
  t.teardown(() => { stranger.closeAllConnections(); stranger.close(); });
  const taken = await runProgram(['doctor', '--listen', String((stranger.address() as AddressInfo).port)], { environment });
  t.match([taken.code, taken.out], [1, /BAD {3}port: .*cannot be opened\n {6}-> .*is taken/]);
});

t.test('progress is for terminals', async (t) => {
  const written: string[] = [];
  const stream = (isTTY: boolean) => ({ isTTY, columns: 20, write: (text: string) => written.push(text) > 0 }) as never;
  progressLine(stream(false)).show('unseen');
  t.strictSame(written, []);
  const line = progressLine(stream(true));
  line.show('a line that is longer than the terminal');
  line.clear();
  t.strictSame(written, ['\r\u001b[Ka line that is long', '\r\u001b[K']);
  t.strictSame([bar(5, 10), bar(0, 0), bar(12, 10)], ['[##########----------] 5/10', '', '[####################] 12/10']);
});
