// The patience with a sender: a trickle is ended although it never stands still, a quick one is left alone.
import t from 'tap';
import type { FastifyRequest } from 'fastify';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { endWhenStalled } from '../../src/http/conversion/upload.js';
import { openWith } from '../support/raw-http.js';

t.test('a trickle ends, a stream does not', async (t) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.resume();
    const calledOff = endWhenStalled({ raw: { socket } } as unknown as FastifyRequest, { stallMs: 60_000, graceMs: 120, bytesPerSecond: 10_000 });
    socket.once('close', calledOff);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  t.teardown(() => server.close());
  const [trickle, stream] = await Promise.all([openWith(port, 'x'), openWith(port, 'x'.repeat(1_000_000))]);
  const drips = setInterval(() => trickle.write('x'), 5);
  trickle.resume();
  await once(trickle, 'close');
  clearInterval(drips);
  t.equal(stream.destroyed, false, 'a megabyte buys 100 seconds');
  stream.destroy();
});
