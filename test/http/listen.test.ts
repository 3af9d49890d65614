// One HTTP server behind several addresses: every address answers, idle clients do not hold up the end, a taken port is named.
import t from 'tap';
import dns from 'node:dns';
import { once } from 'node:events';
import { Agent, createServer, get } from 'node:http';
import { connect, createServer as createSocketServer, type AddressInfo } from 'node:net';
import { listenOn } from '../../src/network/listen.js';

const anyPort = { host: '127.0.0.1', port: 0 };

function fetchText(url: string, agent?: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent: agent ?? false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part)).on('end', () => resolve(text));
    }).on('error', reject);
  });
}

t.test('every address answers', async (t) => {
  const server = createServer((_, response) => response.end('here'));
  const listening = await listenOn(server, [anyPort, anyPort]);
  t.equal(new Set(listening.addresses).size, 2);
  for (const url of listening.addresses) t.equal(await fetchText(url), 'here');
  await listening.close();
  for (const url of listening.addresses) await t.rejects(fetchText(url), { code: 'ECONNREFUSED' });
});

t.test('an idle client does not hold up the end', async (t) => {
  const server = createServer((_, response) => response.end('here'));
  // No time limit of Node's ends it: closing has to.
  server.keepAliveTimeout = 0;
  const listening = await listenOn(server, [anyPort]);
  const agent = new Agent({ keepAlive: true });
  await fetchText(listening.addresses[0] as string, agent);
  t.equal(Object.values(agent.freeSockets).flat().length, 1, 'it stays connected');
  await listening.close();
  agent.destroy();
});

t.test('nor does one that is connected and asks nothing', async (t) => {
  const server = createServer((_, response) => response.end('here'));
  const listening = await listenOn(server, [anyPort]);
  const { port } = new URL(listening.addresses[0] as string);
  const client = connect(Number(port), '127.0.0.1');
  await once(server, 'connection');
  const ended = once(client, 'close');
  await listening.close();
  await ended;
  t.equal(await new Promise((resolve) => server.getConnections((_, count) => resolve(count))), 0);
});

t.test('a taken port is named with its owner, and nothing stays open', async (t) => {
  const owner = createSocketServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => owner.once('listening', resolve));
  const { port } = owner.address() as AddressInfo;
  // On an address that no other test listens on: no other test takes the port meanwhile.
  const free = createSocketServer().listen(0, '127.0.0.2');
  await new Promise((resolve) => free.once('listening', resolve));
  const freePort = (free.address() as AddressInfo).port;
  await new Promise((resolve) => free.close(resolve));
  const attempt = listenOn(createServer(), [{ host: '127.0.0.2', port: freePort }, { host: '127.0.0.1', port }]);
  await t.rejects(attempt, { code: 'invalid_state', message: new RegExp(`Port ${port} is taken on 127\\.0\\.0\\.1: .* listens there`) });
  await t.rejects(fetchText(`http://127.0.0.2:${freePort}`), { code: 'ECONNREFUSED' }, 'the first address is given back');
  owner.close();
});

t.test('whatever keeps an address from being opened is one sentence', async (t) => {
  const { lookup } = dns;
  t.teardown(() => { dns.lookup = lookup; });
  const told: [string, RegExp][] = [
    ['EAI_AGAIN', /somewhere\.example:0 cannot be opened: the name is not found now, since no name server answers/],
    ['EAFNOSUPPORT', /somewhere\.example:0 cannot be opened: this machine has no addresses of that kind/],
    ['ESTRANGE', /somewhere\.example:0 cannot be opened: ESTRANGE/],
  ];
  for (const [code, message] of told) {
    dns.lookup = ((_name: string, ...words: unknown[]) => (words.at(-1) as (error: Error) => void)(Object.assign(new Error(code), { code }))) as typeof lookup;
    await t.rejects(listenOn(createServer(), [{ host: 'somewhere.example', port: 0 }]), { name: 'LecternError', code: 'invalid_state', message }, code);
  }
});

t.test('an address of another machine is refused in one sentence', async (t) => {
  await t.rejects(listenOn(createServer(), [{ host: '203.0.113.1', port: 0 }]), { code: 'invalid_request', message: /no address of this machine/ });
});
