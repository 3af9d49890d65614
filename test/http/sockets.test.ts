// What only a real connection shows: answers before the upload ends, clients that leave, broken requests, slow senders.
import t from 'tap';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { mostPipelined } from '../../src/http/pipelining.js';
import { form, startTestService, type TestService } from '../support/http-service.js';
import { sendRaw } from '../support/raw-http.js';
import { until } from '../support/until.js';

async function start(t: Tap, settings = {}): Promise<{ service: TestService; port: number; url: string }> {
  const service = await startTestService(settings);
  t.teardown(() => service.close());
  const url = await service.listen();
  return { service, url, port: Number(new URL(url).port) };
}
type Tap = { teardown(call: () => unknown): void };

const head = (path: string, headers: Record<string, string | number>): string =>
  [`POST ${path} HTTP/1.1`, 'host: 127.0.0.1', ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n');

/** Sends `bytes` of letters in pieces as fast as they go, then reads: the way most HTTP libraries do it. */
async function sendThenRead(socket: Socket, bytes: number): Promise<{ answer: string; reset: boolean }> {
  let answer = '';
  let reset = false;
  socket.on('data', (chunk: Buffer) => { answer += chunk.toString(); });
  socket.on('error', () => { reset = true; });
  socket.setMaxListeners(0);
  const piece = Buffer.alloc(64 * 1024, 'A');
  for (let sent = 0; sent < bytes && !reset; sent += piece.length) {
    if (!socket.write(piece)) await Promise.race([once(socket, 'drain'), once(socket, 'close'), sleep(2000)]).catch(() => undefined);
  }
  // Where all of it had come before there was an answer the connection is kept.
  await until('the connection ends, or is kept', () => socket.closed || /\r\nconnection: keep-alive\r\n[^]*\}$/i.test(answer));
  socket.destroy();
  return { answer, reset };
}

const filePart = '--b\r\ncontent-disposition: form-data; name="files"; filename="big.pdf"\r\n\r\n';
const tooLarge = '{"detail":"File exceeds the max_file_size limit of 1000 bytes."}';

t.test('a client that sends first and reads later sees its 413', async (t) => {
  const { service, port } = await start(t);
  const total = 20 * 1024 * 1024;
  for (const [path, type, begin] of [
    ['/v1/convert/file', 'multipart/form-data; boundary=b', filePart],
    ['/v1/convert/source', 'application/json', `{"sources":[{"kind":"file","base64_string":"${'A'.repeat(2000)}`],
  ] as const) {
    const socket = connect(port, '127.0.0.1');
    socket.write(head(path, { 'content-type': type, 'content-length': begin.length + total }) + begin);
    const { answer, reset } = await sendThenRead(socket, total);
    t.match(answer, /^HTTP\/1\.1 413 /, path);
    t.ok(answer.endsWith(tooLarge), answer.slice(-100));
    t.notOk(reset, 'the connection was not reset');
    t.equal(service.tasks.counts().reserved, 0);
    t.strictSame(await service.directories(), [], 'nothing stays on disk');
  }
});

t.test('the 413 comes as soon as the limit is passed, not at the end of the upload', async (t) => {
  const { port } = await start(t);
  const socket = connect(port, '127.0.0.1');
  socket.write(head('/v1/convert/file', { 'content-type': 'multipart/form-data; boundary=b', 'content-length': 10_000_000 }) + filePart + 'x'.repeat(1500));
  const [first] = await once(socket, 'data') as [Buffer];
  t.match(first.toString(), /^HTTP\/1\.1 413 /);
  socket.destroy();
});

t.test('a body is limited as a whole, whatever it is made of', async (t) => {
  const { service, port } = await start(t, { maxFiles: 2, maxFileSize: 1_000_000 });
  const type = 'multipart/form-data; boundary=b';
  const field = '--b\r\ncontent-disposition: form-data; name="to_formats"\r\n\r\n';
  const file = (name: string, bytes: number): string => `--b\r\ncontent-disposition: form-data; name="${name}"; filename="a.pdf"\r\n\r\n${'x'.repeat(bytes)}\r\n`;
  // Of a body that never ends: more than what is answered for is never sent.
  const cases: [string, string, string, RegExp][] = [
    ['one text field', field, 'x'.repeat(1_500_000), /^HTTP\/1\.1 400 [^]*Part exceeded maximum size of 1024KB/],
    ['before the first part', '', 'x'.repeat(1_500_000), /^HTTP\/1\.1 400 [^]*Part exceeded/],
    ['behind the last part', `${file('files', 10)}--b--\r\n`, 'x'.repeat(1_500_000), /^HTTP\/1\.1 400 [^]*Part exceeded/],
    ['files beyond the number', file('files', 900_000), file('files', 900_000).repeat(12), /^HTTP\/1\.1 413 [^]*The request exceeds 11437184 bytes/],
    ['files of other names', file('file', 900_000), file('file', 900_000).repeat(12), /^HTTP\/1\.1 413 [^]*The request exceeds 11437184 bytes/],
    ['text fields', '', `${field}${'x'.repeat(1_000_000)}\r\n`.repeat(10), /^HTTP\/1\.1 413 [^]*text fields of the form exceed/],
  ];
  for (const [name, begin, rest, expected] of cases) {
    for (const chunked of [false, true]) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(head('/v1/convert/file', { 'content-type': type, ...(chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': 1_000_000_000 }) }));
      const body = begin + rest;
      socket.write(chunked ? `${body.length.toString(16)}\r\n${body}\r\n` : body);
      const [first] = await once(socket, 'data', { signal: AbortSignal.timeout(60_000) }) as [Buffer];
      t.match(first.toString(), expected, `${name}, ${chunked ? 'chunked' : 'its length told'}`);
      socket.destroy();
    }
  }
  t.equal(service.tasks.counts().reserved, 0);
  t.strictSame(await service.directories(), [], 'nothing stays on disk');
  const { payload, headers } = form('a.pdf', {}, Buffer.alloc(1_000_000, 'x'));
  t.equal((await service.app.inject({ method: 'POST', url: '/v1/convert/file', payload, headers })).statusCode, 200, 'a document up to its limit');
});

t.test('the same for other early answers: a queue that is full, a body of the wrong type', async (t) => {
  const { service, port } = await start(t);
  const socket = connect(port, '127.0.0.1');
  socket.write(head('/v1/convert/source', { 'content-type': 'text/plain', 'content-length': 5_000_000 }));
  const { answer, reset } = await sendThenRead(socket, 5_000_000);
  t.match(answer, /^HTTP\/1\.1 422 [\s\S]*model_attributes_type/);
  t.notOk(reset);
  t.equal(service.tasks.counts().reserved, 0);
});

async function post(url: string, filename: string): Promise<{ left: () => void; status: Promise<number>; body: Promise<string> }> {
  const { payload, headers } = form(filename);
  const request = httpRequest(`${url}/v1/convert/file`, { method: 'POST', headers: { ...headers, 'content-length': payload.length } });
  const answer = once(request, 'response') as Promise<[IncomingMessage]>;
  answer.catch(() => undefined);
  request.on('error', () => undefined);
  request.end(payload);
  const status = answer.then(([response]) => response.statusCode ?? 0);
  const body = answer.then(async ([response]) => {
    let text = '';
    for await (const chunk of response) text += String(chunk);
    return text;
  });
  body.catch(() => undefined);
  status.catch(() => undefined);
  return { left: () => request.destroy(), status, body };
}

t.test('a client that leaves while it waits cancels its work', async (t) => {
  const { service, url } = await start(t);
  const client = await post(url, 'slow.pdf');
  await until('the work runs', () => service.tasks.counts().running === 1);
  client.left();
  await until('the work has stopped', () => service.tasks.counts().running === 0);
  t.ok(service.log.some(({ message }) => message.includes('went away')));
  t.notOk(service.log.some(({ level }) => level === 'error'), 'and that is no defect');
});

t.test('a client that leaves in the middle of its upload leaves nothing behind', async (t) => {
  const { service, port } = await start(t);
  for (const [path, type, begin] of [
    ['/v1/convert/file', 'multipart/form-data; boundary=b', `${filePart}abc`],
    ['/v1/convert/source', 'application/json', '{"sources":[{"kind":"file","base64_string":"QUJD'],
  ] as const) {
    const socket = connect(port, '127.0.0.1');
    socket.write(head(path, { 'content-type': type, 'content-length': 900 }) + begin);
    await until(`a place for ${path}`, () => service.tasks.counts().reserved === 1);
    socket.destroy();
    await until('its place is free', () => service.tasks.counts().reserved === 0);
  }
  t.ok(service.log.every(({ level }) => level !== 'error'));
  // The place is free at once; its directory goes a moment later.
  await until('nothing is left on the disk', async () => (await service.directories()).length === 0);
});

t.test('a client that leaves an asynchronous task alone leaves it running', async (t) => {
  const { service, url } = await start(t);
  const { payload, headers } = form('slow.pdf');
  const answer = await fetch(`${url}/v1/convert/file/async`, { method: 'POST', body: new Uint8Array(payload), headers: { ...headers, connection: 'close' } });
  const { task_id: id } = (await answer.json()) as { task_id: string };
  await sleep(100);
  t.match(service.tasks.get(id, 'default'), { status: 'started' });
  service.release();
  t.match(await (await fetch(`${url}/v1/status/poll/${id}?wait=50`)).json(), { task_status: 'success' });
});

t.test('the socket that the 504 closes is no disconnect', async (t) => {
  const { service, port } = await start(t, { syncWait: 0.2 });
  const { payload, headers } = form('slow.pdf');
  const socket = connect(port, '127.0.0.1');
  socket.write(head('/v1/convert/file', { ...headers, 'content-length': payload.length, connection: 'close' }));
  socket.write(payload);
  let answer = '';
  socket.on('data', (chunk: Buffer) => { answer += chunk.toString(); });
  await once(socket, 'close');
  t.match(answer, /^HTTP\/1\.1 504 /);
  const { task_id: id } = JSON.parse(answer.slice(answer.indexOf('{'))) as { task_id: string };
  await sleep(100);
  t.match(service.tasks.get(id, 'default'), { status: 'started' }, 'the work goes on');
  service.release();
  t.match(await service.tasks.wait(id, 'default', 60_000), { status: 'success' });
});

t.test('a poll ends when its client leaves', async (t) => {
  const { service, url } = await start(t);
  const { payload, headers } = form('slow.pdf');
  const { task_id: id } = (await (await fetch(`${url}/v1/convert/file/async`, { method: 'POST', body: new Uint8Array(payload), headers })).json()) as { task_id: string };
  const leaving = new AbortController();
  const poll = fetch(`${url}/v1/status/poll/${id}?wait=50`, { signal: leaving.signal }).catch((error: unknown) => (error as Error).name);
  await sleep(100);
  leaving.abort();
  t.equal(await poll, 'AbortError');
  t.match(service.tasks.get(id, 'default'), { status: 'started' }, 'without harm to the task');
});

t.test('bytes that are no request, and headers without end', async (t) => {
  const { port } = await start(t);
  for (const [text, status, detail] of [
    ['NONSENSE\r\n\r\n', 400, 'Invalid HTTP request received.'],
    [`GET / HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431, 'The headers of the request are too large.'],
  ] as const) {
    const socket = connect(port, '127.0.0.1');
    socket.write(text);
    let answer = '';
    socket.on('data', (chunk: Buffer) => { answer += chunk.toString(); });
    await once(socket, 'close');
    t.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
    t.strictSame(JSON.parse(answer.slice(answer.indexOf('{'))), { detail });
  }
});

t.test('one connection serves request after request, and ten clients at once', async (t) => {
  const { service, url } = await start(t);
  const answers = await Promise.all(Array.from({ length: 10 }, async (_, index) => {
    const { payload, headers } = form(`${index}.pdf`);
    return (await fetch(`${url}/v1/convert/file`, { method: 'POST', body: new Uint8Array(payload), headers })).json();
  }));
  answers.forEach((answer, index) => t.match(answer, { document: { md_content: `# ${index}.pdf` } }));
  t.equal(service.tasks.counts().ended, 10);
});

t.test('requests behind each other on one connection: as many as clients send, and no flood', async (t) => {
  const { service, port } = await start(t);
  const ask = (more = ''): string => `GET /v1/status/poll/x HTTP/1.1\r\nhost: 127.0.0.1\r\n${more}\r\n`;
  const handled = (): number => service.log.filter(({ message }) => message === 'a request ended').length;
  const { text } = await sendRaw(port, ask().repeat(mostPipelined - 1), ask('connection: close\r\n'));
  t.equal(text.match(/HTTP\/1\.1 404 /g)?.length, mostPipelined, 'these are answered');
  t.equal(handled(), mostPipelined);
  const flood = await sendRaw(port, ask().repeat(20_000));
  t.ok((flood.text.match(/HTTP\/1\.1 404 /g) ?? []).length <= mostPipelined, 'the connection is closed');
  await until('those that were begun have ended', () => handled() > mostPipelined);
  t.ok(handled() <= 2 * mostPipelined, 'the remaining ones were dropped');
});
