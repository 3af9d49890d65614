/** Answers that come piece by piece, to a client that does not read them. */
import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyReply } from 'fastify';
import t from 'tap';
import { EventStream } from '../../src/http/event-stream.js';

const piece = 'x'.repeat(2 ** 20);

t.test('a client that reads nothing is left before its unread pieces fill the memory', async (t) => {
  const server = createServer();
  t.teardown(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asked = request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  asked.on('error', () => undefined);
  // Its answer is never looked at.
  asked.on('response', (answer) => answer.on('error', () => undefined).pause());
  asked.end();
  const [, raw] = await once(server, 'request') as [unknown, ServerResponse];
  const events = new EventStream({ raw, hijack: () => undefined, getHeaders: () => ({}) } as unknown as FastifyReply, 'events');
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
