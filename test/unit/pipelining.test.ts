/** Requests behind each other on one connection: few begin in the same turn of the event loop. */
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import t from 'tap';
import { limitPipelining } from '../../src/http/pipelining.js';

t.test('sixty requests of one read begin in several turns, in their order, and all are answered', async (t) => {
  const begun: string[] = [];
  const inTurn = [0];
  const server = createServer((request, response) => {
    begun.push(request.url ?? '');
    inTurn.push((inTurn.pop() ?? 0) + 1);
    response.end(request.url);
  });
  limitPipelining(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => { server.closeAllConnections(); server.close(); });
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => { text += chunk; });
  let ended = false;
  const turn = (): void => {
    if (ended) return;
    inTurn.push(0);
    setImmediate(turn);
  };
  turn();
  const paths = Array.from({ length: 60 }, (_, index) => `/${index}`);
  socket.write(paths.map((path, index) => `GET ${path} HTTP/1.1\r\nHost: x\r\n${index === 59 ? 'Connection: close\r\n' : ''}\r\n`).join(''));
  await once(socket, 'close');
  ended = true;
  t.strictSame(begun, paths);
  t.equal(text.match(/HTTP\/1\.1 200/g)?.length, 60);
  // The first begins at once, sixteen others in the turn of each setImmediate.
  t.ok(Math.max(...inTurn) <= 17, `${Math.max(...inTurn)} in one turn`);
});
