// Requests that the service makes itself: only to hosts that its settings name, never to its own network behind a name.
import t from 'tap';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../src/program/app.js';
import { resolveSettings } from '../../src/settings/settings.js';
import type { ConversionMeta, ConversionPayload, ConversionSummary } from '../../src/convert/task/payload.js';
import { followRecovered } from '../../src/http/conversion/callbacks.js';
import { checkUrl, findDestination, isListedHost, isPublicAddress } from '../../src/http/outbound/destination.js';
import { createFetchRemote } from '../../src/http/outbound/fetch-document.js';
import { outbound, sendTo } from '../../src/http/outbound/request.js';
import { createLog } from '../../src/logging/log.js';
import { shippedModelsDirectory } from '../../src/platform/package-files.js';
import { createTaskTable } from '../../src/tasks/table.js';
import type { RunTask } from '../../src/tasks/types.js';
import { form, startTestService } from '../support/http-service.js';
import { until } from '../support/until.js';

const never = new AbortController().signal;

t.test('which addresses are public', async (t) => {
  for (const address of [
    '127.0.0.1', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0', '192.0.2.1', '198.18.0.1',
    '224.0.0.1', '255.255.255.255', '::', '::1', 'fe80::1', 'fc00::1', 'fd12::1', 'ff02::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '64:ff9b::7f00:1',
    '2002:7f00:1::', '2001::1', '2001:db8::1', 'localhost', '', '1.2.3',
  ]) t.notOk(isPublicAddress(address), address);
  for (const address of ['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1']) t.ok(isPublicAddress(address), address);
});

t.test('which hosts a list names', async (t) => {
  const list = ['docs.example.org', '*.wiki.example.org', 'files.example.org:8080', '10.0.0.5:81'];
  for (const url of ['https://docs.example.org/a', 'http://DOCS.example.org/', 'http://docs.example.org./', 'https://a.b.wiki.example.org/', 'http://files.example.org:8080/', 'http://10.0.0.5:81/', 'http://0x0a.0.0.5:81/']) {
    t.ok(isListedHost(new URL(url), list), url);
  }
  for (const url of ['https://example.org/', 'https://xdocs.example.org/', 'https://docs.example.org:8443/', 'https://wiki.example.org/', 'http://files.example.org/', 'http://10.0.0.5/', 'https://docs.example.org.evil.com/']) {
    t.notOk(isListedHost(new URL(url), list), url);
  }
  t.throws(() => checkUrl('ftp://docs.example.org/', list), { code: 'forbidden' });
  t.throws(() => checkUrl('https://user:pass@docs.example.org/', list), { code: 'forbidden' });
  t.throws(() => checkUrl('https://other.example.org/', list), { code: 'forbidden', message: "The host 'other.example.org' is not in the service's list of allowed hosts." });
});

t.test('a name is resolved once, and all of its addresses must be public', async (t) => {
  let asked = 0;
  const resolve = (...addresses: string[]) => async () => {
    asked++;
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  const list = ['docs.example.org', '127.0.0.1:99'];
  t.match(await findDestination('https://docs.example.org/x', list, resolve('8.8.8.8', '2606:4700::1')), { address: '8.8.8.8', family: 4 });
  t.equal(asked, 1);
  for (const address of ['127.0.0.1', '10.0.0.1', '::1', '169.254.169.254']) {
    await t.rejects(findDestination('https://docs.example.org/', list, resolve('8.8.8.8', address)), { code: 'forbidden' }, address);
  }
  await t.rejects(findDestination('https://docs.example.org/', list, async () => { throw new Error('ENOTFOUND'); }), { code: 'not_found', message: "The host 'docs.example.org' could not be found." });
  await t.rejects(findDestination('https://docs.example.org/', list, resolve()), { code: 'not_found' });
  asked = 0;
  t.match(await findDestination('http://127.0.0.1:99/', list, resolve('1.1.1.1')), { address: '127.0.0.1' }, 'an address that the operator wrote is meant');
  t.equal(asked, 0);
});

interface Site {
  port: number;
  seen: { url: string; headers: IncomingMessage['headers']; body: string }[];
}

async function site(t: { teardown(call: () => unknown): void }, answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Site> {
  const seen: Site['seen'] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => { body += String(chunk); });
    request.on('end', () => {
      seen.push({ url: request.url ?? '', headers: request.headers, body });
      answer(request, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => { server.closeAllConnections(); server.close(); });
  return { port: (server.address() as AddressInfo).port, seen };
}

async function scratch(t: { teardown(call: () => unknown): void }): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-outbound-'));
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

t.test('the connection goes to the checked address, the name stays in the request', async (t) => {
  const { port, seen } = await site(t, (_request, response) => response.end('x'));
  const answer = await sendTo({ url: new URL(`http://nowhere.invalid:${port}/a?b`), address: '127.0.0.1', family: 4 }, { method: 'GET', headers: { host: 'other', cookie: 'c' } }, never);
  answer.resume();
  t.match(seen, [{ url: '/a?b', headers: { host: `nowhere.invalid:${port}`, cookie: 'c', 'accept-encoding': 'identity' } }]);
});

t.test('fetching a document', async (t) => {
  const directory = await scratch(t);
  const { port, seen } = await site(t, (request, response) => {
    const path = request.url ?? '';
    if (path === '/ok.pdf') response.end('%PDF-content');
    else if (path === '/big') response.end(Buffer.alloc(2000));
    else if (path === '/missing') response.writeHead(404).end();
    else if (path === '/zipped') response.writeHead(200, { 'content-encoding': 'gzip' }).end('x');
    else if (path === '/cut') { response.writeHead(200, { 'content-length': '100' }); response.write('x'); setTimeout(() => response.destroy(), 20); }
    else if (path === '/near') response.writeHead(302, { location: '/ok.pdf' }).end();
    else if (path === '/loop') response.writeHead(302, { location: '/loop' }).end();
    else if (path === '/far') response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end();
    else if (path === '/file') response.writeHead(302, { location: 'file:///etc/passwd' }).end();
  });
  const fetchRemote = createFetchRemote({ httpSources: [`127.0.0.1:${port}`], maxFileSize: 1000 });
  const get = (path: string, headers = {}, name = 'out') => fetchRemote({ url: `http://127.0.0.1:${port}${path}`, headers }, join(directory, name), never);
  await get('/near', { authorization: 'Bearer x' }, 'near');
  t.equal(await readFile(join(directory, 'near'), 'utf8'), '%PDF-content');
  t.strictSame(seen.map(({ url, headers }) => [url, headers.authorization]), [['/near', 'Bearer x'], ['/ok.pdf', 'Bearer x']]);
  await t.rejects(get('/big'), { code: 'too_large' });
  await t.rejects(get('/missing'), { code: 'not_found', message: 'The host answered 404 instead of the document.' });
  await t.rejects(get('/zipped'), { code: 'unsupported_format' });
  await t.rejects(get('/cut'), { code: 'not_found', message: 'The host ended the connection before the document was complete.' });
  await t.rejects(get('/loop'), { code: 'forbidden', message: 'The host redirects, and no further redirect is followed.' });
  t.equal(seen.filter(({ url }) => url === '/loop').length, 6, 'five redirects are followed');
  await t.rejects(get('/far'), { code: 'forbidden' });
  await t.rejects(get('/file'), { code: 'forbidden' });
  await t.rejects(get('/ok.pdf', { 'bad header': 'x' }), { code: 'not_found' });
  await t.rejects(fetchRemote({ url: 'http://127.0.0.1:1/', headers: {} }, join(directory, 'x'), never), { code: 'forbidden' });
  const gone = new AbortController();
  gone.abort(new Error('cancelled by the test'));
  await t.rejects(fetchRemote({ url: `http://127.0.0.1:${port}/ok.pdf`, headers: {} }, join(directory, 'y'), gone.signal), { message: 'cancelled by the test' });
});

t.test('what was sent along for one host is not sent to another', async (t) => {
  const second = await site(t, (_request, response) => response.end('x'));
  const first = await site(t, (_request, response) => response.writeHead(302, { location: `http://127.0.0.1:${second.port}/` }).end());
  const fetchRemote = createFetchRemote({ httpSources: [`127.0.0.1:${first.port}`, `127.0.0.1:${second.port}`], maxFileSize: 1000 });
  await fetchRemote({ url: `http://127.0.0.1:${first.port}/`, headers: { authorization: 'Bearer x' } }, join(await scratch(t), 'out'), never);
  t.equal(first.seen[0]?.headers.authorization, 'Bearer x');
  t.equal(second.seen[0]?.headers.authorization, undefined);
});

t.test('a host that says nothing', async (t) => {
  const { port } = await site(t, () => undefined);
  const rules = { hosts: [`127.0.0.1:${port}`], timeoutMs: 100, maxRedirects: 0 };
  await t.rejects(outbound(`http://127.0.0.1:${port}/`, { method: 'GET', headers: {} }, rules, never, async () => undefined), { code: 'timeout', message: 'The host took longer than 0.1 seconds.' });
});

t.test('sources of kind http, once they are switched on', async (t) => {
  const service = await startTestService({ httpSources: ['docs.example.org'] });
  t.teardown(() => service.close());
  const post = async (url: string) => {
    const answer = await service.app.inject({ method: 'POST', url: '/v1/convert/source/async', payload: { sources: [{ kind: 'http', url, headers: { a: 'b' } }] } });
    return [answer.statusCode, answer.json()] as [number, { detail: string; task_id: string }];
  };
  const [status, task] = await post('https://docs.example.org/papers/%C3%9Cbersicht.pdf?x=1');
  t.equal(status, 200);
  await service.tasks.wait(task.task_id, 'default', 60_000);
  t.strictSame(service.payloads[0]?.documents, [
    { input: 'remote-0', filename: 'Übersicht.pdf', remote: { url: 'https://docs.example.org/papers/%C3%9Cbersicht.pdf?x=1', headers: { a: 'b' } } },
  ]);
  t.strictSame(await post('https://other.example.org/a.pdf'), [422, { detail: "The host 'other.example.org' is not in the service's list of allowed hosts." }]);
  t.equal((await post('http://127.0.0.1/a.pdf'))[0], 422);
});

t.test('a service that starts follows what another left', async (t) => {
  const { port, seen } = await site(t, (_request, response) => response.writeHead(200).end());
  const state = t.testdir({});
  const left = await createTaskTable<ConversionPayload, ConversionMeta, ConversionSummary>({
    directory: join(state, 'tasks'), concurrency: 1, maxQueued: 5, keepMs: 60_000, maxEnded: 10,
    run: (_task, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })),
  });
  const task = await (await left.admit('convert', 'default')).submit({
    documents: [{ input: 'a', filename: 'a.pdf' }], options: {} as ConversionPayload['options'], target: 'inbody', callbacks: [{ url: `http://127.0.0.1:${port}/hook`, headers: {}, ca_cert: '' }],
  });
  await left.close();
  const { values } = resolveSettings(['--listen', '127.0.0.1:0', '--state', state, '--models', shippedModelsDirectory(), '--callback-hosts', `127.0.0.1:${port}`, '--log-level', 'silent'], {});
  const app = await createApp(values, createLog('silent'));
  t.teardown(() => app.close());
  await until('its callbacks', () => seen.length >= 3);
  t.ok(seen.every(({ body }) => (JSON.parse(body) as { task_id: string }).task_id === task.id));
});

t.test('callbacks of tasks that were accepted before a restart come after it', async (t) => {
  const { port, seen } = await site(t, (_request, response) => response.writeHead(200).end());
  const directory = await mkdtemp(join(tmpdir(), 'lectern-callbacks-'));
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  const open = (run: RunTask<ConversionPayload, ConversionMeta, ConversionSummary>) =>
    createTaskTable<ConversionPayload, ConversionMeta, ConversionSummary>({ directory, concurrency: 1, maxQueued: 5, keepMs: 60_000, maxEnded: 10, run });
  const before = await open((_task, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })));
  const payload: ConversionPayload = { documents: [{ input: 'a', filename: 'a.pdf' }], options: {} as ConversionPayload['options'], target: 'inbody', callbacks: [{ url: `http://127.0.0.1:${port}/hook`, headers: { 'x-secret': 's' }, ca_cert: '' }] };
  const submit = async (one: ConversionPayload): Promise<string> => (await (await before.admit('convert', 'default')).submit(one)).id;
  const id = await submit(payload);
  await submit({ documents: payload.documents, options: payload.options, target: 'inbody' });
  const crashed = await submit(payload);
  await before.close();
  t.equal(seen.length, 0);
  // As two processes leave it that died of it.
  const record = join(directory, crashed, 'task.json');
  await writeFile(record, JSON.stringify({ ...JSON.parse(await readFile(record, 'utf8')) as object, status: 'started', attempts: 2 }));

  const after = await open(async () => ({ file: 'result.json', status: 'success', documents: [{ filename: 'a.pdf', status: 'success', pageCount: 2, errors: [], errorCount: 0 }], processingTimeS: 1 }));
  t.teardown(() => after.close());
  // Quick ones end before anybody follows them.
  t.equal((await after.wait(id, 'default', 5000)).status, 'success');
  const follow = (): void => followRecovered({ tasks: after, settings: { callbackHosts: [`127.0.0.1:${port}`] }, log: { warn: () => undefined } });
  follow();
  await until('eight callbacks', () => seen.length >= 8);
  const bodies = seen.map(({ body }) => JSON.parse(body) as { task_id: string; progress: { kind: string; num_succeeded?: number } });
  const toldOf = (one: string) => bodies.filter(({ task_id }) => task_id === one).map(({ progress: { kind, num_succeeded: ok } }) => ok === undefined ? kind : `${kind} ${ok}`);
  t.strictSame(toldOf(id), ['set_num_docs', 'document_completed', 'update_processed 1', 'task_completed']);
  t.strictSame(toldOf(crashed), ['set_num_docs', 'document_completed', 'update_processed 0', 'task_completed']);
  follow();
  t.equal(after.recovered().length, 0, 'and once');
  t.match(seen[0]?.headers, { 'x-secret': 's' });
});

t.test('callbacks: in order, with the contract\'s words, tried again', async (t) => {
  let refusals = 1;
  const { port, seen } = await site(t, (_request, response) => response.writeHead(refusals-- > 0 ? 503 : 200).end());
  const service = await startTestService({ callbackHosts: [`127.0.0.1:${port}`] });
  t.teardown(() => service.close());
  const spec = JSON.stringify({ url: `http://127.0.0.1:${port}/hook`, headers: { 'x-secret': 's' } });
  const answer = await service.app.inject({ method: 'POST', url: '/v1/convert/file', ...form('a.pdf', { callbacks: spec }) });
  t.equal(answer.statusCode, 200);
  const id = answer.headers['x-lectern-task-id'];
  await until('five callbacks', () => seen.length >= 5);
  const bodies = seen.map(({ body }) => JSON.parse(body) as { task_id: string; progress: { kind: string } });
  t.strictSame(bodies.map(({ progress }) => progress.kind), ['set_num_docs', 'set_num_docs', 'document_completed', 'update_processed', 'task_completed']);
  t.strictSame(bodies.at(-1)?.progress, { kind: 'task_completed', task_status: 'success', failure: null });
  t.ok(bodies.every(({ task_id }) => task_id === id));
  t.match(seen[0]?.headers, { 'x-secret': 's', 'content-type': 'application/json' });
  t.match(bodies[2], { progress: { document: { source: 'a.pdf', status: 'success', num_pages: 4 }, total_processed: 1, total_docs: 1 } });
  t.match(bodies[3], { progress: { num_processed: 1, num_succeeded: 1, num_failed: 0, docs: [{ source: 'a.pdf', status: 'success' }] } });
  const elsewhere = await service.app.inject({ method: 'POST', url: '/v1/convert/file', ...form('a.pdf', { callbacks: 'http://127.0.0.1:9/' }) });
  t.match([elsewhere.statusCode, elsewhere.json()], [422, { detail: /not in the service's list/ }]);
});

