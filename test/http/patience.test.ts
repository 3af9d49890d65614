// The patience with a sender: a trickle is ended although it never stands still, a quick one is left alone, and so on every route.
import t from 'tap';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { endWhenStalled, UnreadWatch } from '../../src/http/patience.js';
import { mostPipelined } from '../../src/http/pipelining.js';
import { form, startTestService } from '../support/http-service.js';
import { fakeLanguage } from '../support/language-service.js';
import { openWith } from '../support/raw-http.js';
import { until } from '../support/until.js';

/** A reset, too, is an end. */
async function closed(socket: Socket): Promise<void> {
  if (!socket.closed) await new Promise<void>((resolve) => { socket.once('close', () => resolve()); });
}

t.test('a trickle ends, a stream does not', async (t) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.resume();
    endWhenStalled({ socket, once: socket.once.bind(socket), off: socket.off.bind(socket) } as unknown as IncomingMessage, { stallMs: 60_000, graceMs: 2000, bytesPerSecond: 10_000 });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  t.teardown(() => server.close());
  const [trickle, stream] = await Promise.all([openWith(port, 'x'), openWith(port, 'x'.repeat(1_000_000))]);
  const drips = setInterval(() => trickle.write('x'), 5);
  trickle.resume();
  await closed(trickle);
  clearInterval(drips);
  t.equal(stream.destroyed, false, 'a megabyte buys 100 seconds');
  stream.destroy();
});

t.test('on every route, read or not, with a length or in chunks', async (t) => {
  const service = await startTestService({}, { language: fakeLanguage(), patience: { stallMs: 60_000, graceMs: 300, bytesPerSecond: 10_000, unreadMs: 60_000 } });
  t.teardown(() => service.close());
  const port = Number(new URL(await service.listen()).port);
  const head = (route: string, more: string): string => `${route} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n${more}\r\n\r\n`;
  const routes = [
    'POST /v1/chat/completions', 'POST /v1/completions', 'POST /v1/embeddings', 'POST /v1/responses', 'POST /api/chat', 'POST /api/generate', 'POST /api/embed',
    'POST /api/show', 'POST /v1/convert/source', 'POST /nope', 'GET /health',
  ];
  const senders = await Promise.all(routes.flatMap((route) => [
    openWith(port, `${head(route, 'content-length: 1000')}{`), openWith(port, `${head(route, 'transfer-encoding: chunked')}1\r\n{\r\n`),
  ]));
  const ended = senders.map(closed);
  const drips = setInterval(() => senders.forEach((socket, index) => { if (socket.writable && index % 4 === 0) socket.write(' '); }), 20);
  await Promise.all(ended);
  clearInterval(drips);
  t.equal(senders.filter(({ closed }) => closed).length, routes.length * 2, 'all were cut off');
});

t.test('a connection whose bodies came is kept, whatever is asked for next', async (t) => {
  const service = await startTestService({}, { language: fakeLanguage(), patience: { stallMs: 500, graceMs: 500, bytesPerSecond: 10, unreadMs: 500 } });
  t.teardown(() => service.close());
  const socket = await openWith(Number(new URL(await service.listen()).port), '');
  let text = '';
  socket.on('data', (bytes: Buffer) => { text += bytes.toString('latin1'); });
  const body = JSON.stringify({ model: 'talker', stream: false, messages: [{ role: 'user', content: 'one two' }] });
  for (const answers of [1, 2]) {
    socket.write(`POST /api/chat HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    while (text.split('HTTP/1.1 200').length <= answers && !socket.closed) await Promise.race([once(socket, 'data').catch(() => undefined), closed(socket)]);
    await new Promise((resolve) => setTimeout(resolve, 700));
  }
  t.equal(socket.destroyed, false);
  socket.destroy();
});

t.test('a reader that takes nothing ends, one that takes its time does not, nor does one that has nothing to take', async (t) => {
  const service = await startTestService({}, { patience: { stallMs: 60_000, graceMs: 60_000, bytesPerSecond: 1000, unreadMs: 600 } });
  t.teardown(() => service.close());
  const port = Number(new URL(await service.listen()).port);
  const connections = (): Promise<number> => new Promise((resolve, reject) => { service.app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))); });
  const { length } = (await service.app.inject({ url: '/openapi.json' })).rawPayload;
  // More than the buffers of both ends hold, and no more than a connection may ask for at a time.
  const asked = Math.min(Math.ceil(40e6 / length), mostPipelined - 4);
  const ask = (last: string): string => 'GET /openapi.json HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'.repeat(asked) + `GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n${last}\r\n`;

  const deaf = await openWith(port, ask(''));
  deaf.pause();
  await until('it is there', async () => await connections() === 1);
  await until('it has lost its connection', async () => await connections() === 0);
  deaf.destroy();

  const slow = await openWith(port, ask('connection: close\r\n'));
  let bytes = 0;
  slow.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    // A megabyte at a time.
    if (Math.floor(bytes / 1e6) === Math.floor((bytes - chunk.length) / 1e6)) return;
    slow.pause();
    setTimeout(() => slow.resume(), 120);
  });
  await closed(slow);
  t.ok(bytes > asked * length, `${bytes} bytes in more than two seconds`);

  const { payload, headers } = form('slow.pdf');
  const waiting = fetch(`http://127.0.0.1:${port}/v1/convert/file`, { method: 'POST', body: Uint8Array.from(payload), headers });
  await sleep(2_000);
  service.release();
  t.equal((await waiting).status, 200);
});

t.test('nothing is kept of connections that are gone', async (t) => {
  const [begin, end] = [globalThis.setInterval, globalThis.clearInterval];
  const looks = new Set<unknown>();
  t.teardown(() => Object.assign(globalThis, { setInterval: begin, clearInterval: end }));
  Object.assign(globalThis, {
    setInterval: (run: () => void, ms: number) => {
      const timer = begin(run, ms);
      if (ms === 50) looks.add(timer);
      return timer;
    },
    clearInterval: (timer: NodeJS.Timeout) => {
      looks.delete(timer);
      end(timer);
    },
  });
  const service = await startTestService({}, { patience: { stallMs: 60_000, graceMs: 300, bytesPerSecond: 1, unreadMs: 60_000 } });
  t.teardown(() => service.close());
  const port = Number(new URL(await service.listen()).port);
  const post = (body: string): string => `POST /v1/convert/source HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n${body}`;
  // The last body stays half there.
  const sockets = await Promise.all(Array.from({ length: 20 }, () => openWith(port, post('{}').repeat(4) + post('{'))));
  await until('they are looked at', () => looks.size >= 20);
  for (const socket of sockets) socket.resetAndDestroy();
  await until('none is any more', () => looks.size === 0);
});

t.test('a connection is looked at once, whatever is asked over it, and no longer than it is there', async (t) => {
  const watch = new UnreadWatch(60);
  t.teardown(() => watch.stop());
  const server = createServer((socket) => {
    socket.on('error', () => undefined).resume();
    for (let request = 0; request < 3; request++) watch.add(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const [kept, gone] = await Promise.all([openWith((server.address() as AddressInfo).port, 'x'), openWith((server.address() as AddressInfo).port, 'x')]);
  await until('both are there', () => watch.size === 2);
  gone.resetAndDestroy();
  await until('one is', () => watch.size === 1);
  await sleep(200);
  t.equal(kept.destroyed, false, 'there is nothing that it could take');
  kept.destroy();
  await until('none is', () => watch.size === 0);
});
