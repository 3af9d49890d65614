/** Broken and hostile requests at the whole service over a real socket: the contract's answers, a service that lives, and nothing left on disk. */
import { readdirSync, readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { createApp, type App } from '../../src/program/app.js';
import { resolveSettings } from '../../src/settings/settings.js';
import { createLog } from '../../src/logging/log.js';
import { onePage, sentence, stream, zerosBomb } from '../support/broken-pdf.js';
import { fixturesDirectory } from '../support/fixtures.js';

/** Which limit a bomb meets first depends on how fast the machine unpacks it. */
const eitherLimit = /more memory|time limit/u;

interface Reply {
  status: number;
  body: { detail?: unknown; status?: string; errors?: { error_message: string; category: string }[]; document?: { filename: string; md_content: string | null } };
}

let app: App;
let base = '';
let state = '';

t.before(async () => {
  state = t.testdir({});
  const { values } = resolveSettings(['--listen', '127.0.0.1:0', '--state', state, '--log-level', 'silent', '--max-file-size', '2MiB', '--page-timeout', '60s', '--worker-memory', '500MiB'], {});
  app = await createApp(values, createLog('silent'));
  [base = ''] = await app.listen();
});
t.teardown(() => app.close());

/** Connections end with their answer, so that the service has none to wait for when it closes. */
const ask = (path: string, init: RequestInit = {}): Promise<Response> => fetch(`${base}${path}`, { ...init, headers: { connection: 'close' } });

const fixture = (name: string): Buffer => readFileSync(join(fixturesDirectory(), `${name}.pdf`));

async function send(filename: string, bytes: Uint8Array, fields: Record<string, string[]> = {}): Promise<Reply> {
  const form = new FormData();
  for (const [name, values] of Object.entries(fields)) for (const value of values) form.append(name, value);
  form.append('files', new Blob([bytes]), filename);
  const response = await ask('/v1/convert/file', { method: 'POST', body: form });
  return { status: response.status, body: (await response.json()) as Reply['body'] };
}

/** A body as it stands, with the headers it claims. */
function raw(headers: Record<string, string>, body: Buffer): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${base}/v1/convert/file`, { method: 'POST', agent: false, headers: { connection: 'close', 'content-length': body.length, ...headers } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => { text += part; });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as Reply['body'] }));
    });
    request.on('error', reject).end(body);
  });
}

function failed(t: Test, what: string, { status, body }: Reply, expected: 'failure' | 'skipped', says: RegExp): void {
  t.equal(status, 200, `${what} is a document's failure, not the request's`);
  t.equal(body.status, expected, `${what}: ${expected}`);
  t.match(body.errors?.[0]?.error_message, says, 'and why');
  t.equal(body.document?.md_content, null, 'without contents');
}

t.test('documents that cannot be converted', async (t) => {
  failed(t, 'an empty file', await send('empty.pdf', Buffer.alloc(0)), 'failure', /empty/u);
  failed(t, 'words', await send('words.pdf', Buffer.from('just words')), 'failure', /not a PDF/u);
  failed(t, 'a program', await send('setup.exe', Buffer.from('MZ\0\0')), 'skipped', /^File format not allowed: setup\.exe\. Allowed are pdf, image, .*docx, .*\.$/u);
  failed(t, 'a locked file', await send('locked.pdf', fixture('invoice-locked')), 'failure', /password/u);
  failed(t, 'half a file', await send('half.pdf', fixture('book-chapter').subarray(0, 20_000)), 'failure', /damaged|cut short/u);
  failed(t, 'pages past the end', await send('short.pdf', fixture('report-numbered'), { page_range: ['90', '99'] }), 'failure', /^Document has 4 pages, fewer than/u);
  const open = await send('locked.pdf', fixture('invoice-locked'), { pdf_password: ['lectern'] });
  t.match(open.body.document?.md_content, /2,045\.52/u, 'with its password the locked file opens');
});

t.test('names', async (t) => {
  const page = onePage(sentence('Named oddly.'));
  for (const [given, shown] of [
    ['Größe „A“ 日誌.pdf', 'Größe „A“ 日誌.pdf'], ['../../etc/passwd.pdf', 'passwd.pdf'], ['/app/uploads/x.pdf', 'x.pdf'], [`${'n'.repeat(5000)}.pdf`, null],
  ] as const) {
    const { status, body } = await send(given, page);
    t.equal(status, 200, given.slice(0, 30));
    t.match(body.document?.md_content, /Named oddly/u);
    if (shown !== null) t.equal(body.document?.filename, shown, 'only the base name');
  }
});

t.test('broken requests', async (t) => {
  const part = '--b\r\ncontent-disposition: form-data; name="files"; filename="a.pdf"\r\n\r\n%PDF-1.7';
  const multipart = { 'content-type': 'multipart/form-data; boundary=b' };
  for (const [what, reply] of Object.entries({
    'a body that ends in a part': await raw(multipart, Buffer.from(part)),
    'a boundary that never comes': await raw({ 'content-type': 'multipart/form-data; boundary=c' }, Buffer.from(`${part}\r\n--b--\r\n`)),
    'no boundary': await raw({ 'content-type': 'multipart/form-data' }, Buffer.from(part)),
    'a part without a name': await raw(multipart, Buffer.from('--b\r\ncontent-disposition: form-data\r\n\r\nx\r\n--b--\r\n')),
    'no body': await raw(multipart, Buffer.alloc(0)),
    'a form that is JSON': await raw({ 'content-type': 'application/json' }, Buffer.from('{"files":[]}')),
  })) {
    t.ok(reply.status >= 400 && reply.status < 500, `${what}: ${reply.status}`);
    t.ok(reply.body.detail !== undefined, 'with the contract\'s detail');
  }
  const large = await send('large.pdf', Buffer.alloc(3 * 2 ** 20, ' '));
  t.equal(large.status, 413, 'a file past the limit');
});

t.test('a bomb costs its document and no other', async (t) => {
  const bomb = send('bomb.pdf', onePage(stream('/Filter /FlateDecode', zerosBomb(1024))));
  const neighbour = send('neighbour.pdf', fixture('report-numbered'));
  let answered = 0;
  let over = false;
  void Promise.allSettled([bomb, neighbour]).then(() => { over = true; });
  while (!over) {
    if (!(await ask('/health')).ok) t.fail('/health does not answer');
    answered++;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  failed(t, 'the bomb', await bomb, 'failure', eitherLimit);
  t.equal((await neighbour).body.status, 'success', 'the neighbour is converted');
  // A service that worked on either of them itself would have answered once at most.
  t.ok(answered > 3, `/health answered ${answered} times meanwhile`);
});

t.test('afterwards', async (t) => {
  const { body } = await send('sound.pdf', onePage(sentence('All is well.')));
  t.equal(body.document?.md_content, 'All is well.');
  t.equal((await ask('/v1/clear/results?older_then=0')).status, 200);
  const left = readdirSync(join(state, 'tasks'), { recursive: true }).map(String).filter((name) => name !== 'lock');
  t.same(left, [], 'inputs, results and temporary files are gone');
});
