/** Answers that come piece by piece: to a client that does not read them, and to one that reads to the end. */
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { FastifyReply } from 'fastify';
import t from 'tap';
import type { Test } from 'tap';
import { EventStream } from '../../src/http/event-stream.js';

const piece = 'x'.repeat(2 ** 20);

/** A stream to a client that `onResponse` reads the answer of. */
async function streamTo(t: Test, onResponse: (answer: IncomingMessage) => void): Promise<{ events: EventStream; raw: ServerResponse }> {
  const server = createServer();
  t.teardown(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asked = request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  asked.on('error', () => undefined).on('response', onResponse).end();
  const [, raw] = await once(server, 'request') as [unknown, ServerResponse];
  return { raw, events: new EventStream({ raw, hijack: () => undefined, getHeaders: () => ({}) } as unknown as FastifyReply, 'events') };
}

t.test('what was sent in the turn that ends the stream comes before its end', async (t) => {
  let hear: (answer: IncomingMessage) => void = () => undefined;
  const heard = new Promise<IncomingMessage>((resolve) => { hear = resolve; });
  const { events, raw } = await streamTo(t, hear);
  const end = raw.end.bind(raw);
  let held = -1;
  raw.end = () => {
    held = raw.writableCorked;
    return end();
  };
  events.send('first');
  await new Promise(setImmediate);
  events.send('last');
  events.sendText('[DONE]');
  events.end();
  t.equal(held, 0, 'nothing is held back: some versions of Node would write the end first');
  t.equal(await text(await heard), 'data: "first"\n\ndata: "last"\n\ndata: [DONE]\n\n');
});

t.test('a client that reads nothing is left before its unread pieces fill the memory', async (t) => {
  // Its response is never read.
  const { events, raw } = await streamTo(t, (answer) => answer.on('error', () => undefined).pause());
  let sent = 0;
  for (; !raw.destroyed && sent < 200; sent += 1) {
    events.send(piece);
    await new Promise(setImmediate);
  }
  t.ok(raw.destroyed);
  t.ok(sent > 32, `${sent} MiB were taken before`);
  if (!raw.closed) await once(raw, 'close');
  t.notOk(raw.writableFinished, 'whoever listens for the client hears that it is gone');
});

t.test('JSON lines leave in turns of their own, for clients that take what they read at a time for one line', async (t) => {
  const writes: string[] = [];
  const server = createServer((_request, raw) => {
    const { socket } = raw;
    const writev = socket?.write.bind(socket) as (...given: unknown[]) => boolean;
    let turn = 0;
    const count = (): void => { turn += 1; setImmediate(count).unref(); };
    count();
    if (socket !== null) socket.write = ((...given: unknown[]) => { if (String(given[0]).includes('{')) writes.push(`${turn}`); return writev(...given); }) as typeof socket.write;
    const lines = new EventStream({ raw, hijack: () => undefined, getHeaders: () => ({}) } as unknown as FastifyReply, 'lines');
    for (let line = 0; line < 5; line += 1) lines.send({ line });
    lines.end();
  });
  t.teardown(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  t.equal(await answer.text(), Array.from({ length: 5 }, (_, line) => `{"line":${line}}\n`).join(''));
  t.equal(new Set(writes).size, 5, `turns ${writes.join()}`);
});
