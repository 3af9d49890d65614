// Connections are shared: no address takes those of the others, refused ones cost nothing, and no client keeps one that has ended.
import t, { type Test } from 'tap';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { Gate } from '../../src/http/access-gate.js';
import { type Network, parseNetwork } from '../../src/network/address.js';
import { hashKey } from '../../src/network/access-key.js';
import { listenOn, type ListenOptions } from '../../src/network/listen.js';
import { openTlsFiles } from '../../src/network/tls-files.js';
import { makeCertificate } from '../support/certificate.js';
import { startTestService, testSettings } from '../support/http-service.js';
import { fakeLanguage } from '../support/language-service.js';
import { sendRaw } from '../support/raw-http.js';
import { until } from '../support/until.js';

const network = (text: string): Network => parseNetwork(text) as Network;
const health = 'GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n';

/** Listens as the program does. */
async function serve(t: Test, options: ListenOptions = {}, ...service: Parameters<typeof startTestService>) {
  const { app, close } = await startTestService(...service);
  app.get('/endless', (_request, reply) => { reply.hijack().raw.writeHead(200).write('begun'); });
  await app.ready();
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => { sockets.add(socket); });
  const listening = await listenOn(app.server, [{ host: '127.0.0.1', port: 0 }], options);
  t.teardown(async () => {
    app.server.closeAllConnections();
    await Promise.all([listening.close(), close()]);
  });
  return { port: Number(new URL(listening.addresses[0] as string).port), app, open: () => [...sockets].filter(({ destroyed }) => !destroyed).length };
}

/** A client that reads nothing by itself, never closes its side, and comes from an address of loopback. */
async function stubborn(port: number, localAddress: string, text = ''): Promise<{ socket: Socket; said: () => string; ended: () => boolean }> {
  const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true });
  let [said, ended] = ['', false];
  socket.on('data', (bytes: Buffer) => { said += bytes.toString('latin1'); }).on('end', () => { ended = true; }).on('close', () => { ended = true; }).on('error', () => undefined);
  await once(socket, 'connect').catch(() => undefined);
  if (text !== '') socket.write(text);
  return { socket, said: () => said, ended: () => ended };
}

t.test('300 silent connections of one address leave another its place', async (t) => {
  const { port } = await serve(t, { maxConnections: 300, mostPerAddress: 75 });
  const silent = await Promise.all(Array.from({ length: 300 }, () => stubborn(port, '127.0.0.1')));
  t.teardown(() => silent.forEach(({ socket }) => socket.destroy()));
  await until('those beyond the bound of the address are closed', () => silent.filter(({ ended }) => ended()).length === 225);
  const began = performance.now();
  const other = await stubborn(port, '127.0.0.2', health);
  t.teardown(() => other.socket.destroy());
  await until('the other address is answered', () => other.said().startsWith('HTTP/1.1 200'));
  t.ok(performance.now() - began < 5_000, 'at once');
  for (const { socket } of silent) socket.destroy();
  await until('a place that is given back is free again', async () => {
    const next = await stubborn(port, '127.0.0.1', health);
    await until('an answer or the end', () => next.ended() || next.said() !== '');
    next.socket.destroy();
    return next.said().startsWith('HTTP/1.1 200');
  });
});

t.test('an address that carries the requests of many has no bound of its own', async (t) => {
  const { port } = await serve(t, { mostPerAddress: 1, isShared: (address) => address === '127.0.0.9' });
  for (let opened = 0; opened < 5; opened++) {
    const proxy = await stubborn(port, '127.0.0.9', health);
    t.teardown(() => proxy.socket.destroy());
    await until('it is answered', () => proxy.said().startsWith('HTTP/1.1 200'));
  }
});

t.test('a connection that ended is not kept by a client that stays', async (t) => {
  const { port, app, open } = await serve(t);
  app.server.headersTimeout = 500;
  const clients = await Promise.all(['', 'GET /health HTTP/1.1\r\nhost: x\r\n', '\u0016\u0003\u0001\r\n\r\n', `GET /health HTTP/1.1\r\nx: ${'a'.repeat(30_000)}`].map((text) => stubborn(port, '127.0.0.1', text)));
  t.teardown(() => clients.forEach(({ socket }) => socket.destroy()));
  await until('each is answered', () => clients.every(({ said }) => said() !== ''));
  t.match(clients.map(({ said }) => said().slice(9, 12)), ['408', '408', '400', '431']);
  await sleep(2_000);
  t.equal(open(), 0, 'their descriptors are free, although no client has closed its side');
});

t.test('the access list is asked when a connection is accepted', async (t) => {
  const directory = t.testdir();
  const settingsOf = (lines: string, trustedProxies: Network[] = []) => {
    const file = join(directory, `list-${Math.random()}`);
    writeFileSync(file, lines);
    return { ...testSettings, accessList: file, trustedProxies };
  };
  const serveWith = (settings: ReturnType<typeof settingsOf>, more: ListenOptions = {}) => {
    const gate = new Gate(settings);
    const refused: string[] = [];
    return serve(t, { refusalOf: (address) => gate.refusalOf(address), onRefused: (_address, sentence) => { refused.push(sentence); }, ...more }, settings, { gate })
      .then((service) => ({ ...service, refused }));
  };
  const list = '127.0.0.2 student\n127.0.0.3 researcher\n';
  await t.test('a refused one is answered without a byte, and closed', async (t) => {
    const { port, open, refused } = await serveWith(settingsOf(list));
    const clients = await Promise.all(Array.from({ length: 100 }, () => stubborn(port, '127.0.0.2')));
    t.teardown(() => clients.forEach(({ socket }) => socket.destroy()));
    await until('all are closed', () => clients.every(({ ended }) => ended()));
    const answered = clients.filter(({ said }) => said() !== '');
    t.ok(answered.length >= 1 && answered.length <= 100);
    t.match(answered[0]?.said(), /^HTTP\/1\.1 403 Forbidden\r\n[^]*The role student \(127\.0\.0\.2\) may not use this service\./);
    t.equal(refused.length, 1, 'once in the log');
    t.equal(open(), 0, 'the HTTP server has not heard of them');
    for (const address of ['127.0.0.1', '127.0.0.3']) {
      const { socket, said } = await stubborn(port, address, health);
      await until(`${address} is answered`, () => said().startsWith('HTTP/1.1 200'));
      socket.destroy();
    }
  });
  await t.test('before the handshake of TLS', async (t) => {
    const certificate = makeCertificate(1);
    const directory = t.testdir({ 'cert.pem': certificate.cert, 'key.pem': certificate.key });
    const { port } = await serveWith(settingsOf(list), { tls: openTlsFiles(join(directory, 'cert.pem'), join(directory, 'key.pem')) });
    const refused = await stubborn(port, '127.0.0.2');
    await until('it is closed', refused.ended);
    t.equal(refused.said(), '');
    refused.socket.destroy();
    const socket = connectTls({ host: '127.0.0.1', port, ca: certificate.cert, servername: 'localhost' }, () => socket.write(health));
    const [answer] = await once(socket, 'data') as [Buffer];
    t.match(answer.toString(), /^HTTP\/1\.1 200/);
    socket.destroy();
  });
  await t.test('not where a key, or a proxy, may say more', async () => {
    for (const [settings, header] of [
      [settingsOf(`${list}key anna researcher ${hashKey('lk-anna')}\n`), 'authorization: Bearer lk-anna'],
      [settingsOf(list, [network('127.0.0.2')]), 'x-forwarded-for: 127.0.0.3'],
    ] as const) {
      const { port } = await serveWith(settings);
      const { socket, said } = await stubborn(port, '127.0.0.2', health.replace('/health', '/version').replace(/\r\n$/, `${header}\r\n\r\n`));
      await until('it is answered', () => said().startsWith('HTTP/1.1 200'));
      socket.destroy();
    }
  });
});

t.test('connections over TLS count, and are given back', async (t) => {
  const { cert, key } = makeCertificate(1);
  const directory = t.testdir({ 'cert.pem': cert, 'key.pem': key });
  const { port } = await serve(t, { mostPerAddress: 2, tls: openTlsFiles(join(directory, 'cert.pem'), join(directory, 'key.pem')) });
  const ask = (): Promise<string> => new Promise((resolve) => {
    let text = '';
    const socket = connectTls({ host: '127.0.0.1', port, ca: cert, servername: 'localhost' }, () => socket.write('GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n'));
    socket.on('data', (bytes: Buffer) => { text += bytes.toString(); }).on('error', () => undefined).on('close', () => resolve(text.slice(0, 12)));
  });
  for (let asked = 0; asked < 6; asked++) t.equal(await ask(), 'HTTP/1.1 200');
  const silent = await Promise.all([stubborn(port, '127.0.0.1'), stubborn(port, '127.0.0.1')]);
  t.equal(await ask(), '', 'two that have not begun their handshake are two');
  for (const { socket } of silent) socket.destroy();
});

t.test('only suites with forward secrecy and authenticated encryption, also after a renewal', async (t) => {
  const [first, second] = [makeCertificate(1), makeCertificate(2)];
  const directory = t.testdir({ 'cert.pem': first.cert, 'key.pem': first.key });
  const [certificate, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  const { port } = await serve(t, { tls: openTlsFiles(certificate, key, 20) });
  const shake = (ciphers: string, maxVersion: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3' = 'TLSv1.2'): Promise<string> => new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, rejectUnauthorized: false, ciphers: `${ciphers}:@SECLEVEL=0`, minVersion: 'TLSv1' as const, maxVersion };
    const socket = connectTls(options, () => {
      resolve(`${socket.getProtocol()} ${socket.getCipher().name} ${socket.getPeerCertificate().serialNumber}`);
      socket.destroy();
    }).on('error', () => resolve('refused'));
  });
  const weak = ['AES128-GCM-SHA256', 'AES256-SHA', 'ECDHE-RSA-AES128-SHA256', 'ECDHE-ECDSA-AES128-SHA256', 'ECDHE-ECDSA-AES256-SHA', 'ECDHE-RSA-AES256-SHA'];
  for (const serial of ['01', '02']) {
    t.match(await shake('ECDHE+AESGCM'), new RegExp(`^TLSv1\\.2 ECDHE-(RSA|ECDSA)-AES\\d+-GCM-SHA\\d+ ${serial}$`));
    t.match(await shake('ALL', 'TLSv1.3'), new RegExp(`^TLSv1\\.3 .* ${serial}$`));
    for (const suite of weak) t.equal(await shake(suite), 'refused', `${suite}, certificate ${serial}`);
    t.equal(await shake('ALL', 'TLSv1.1'), 'refused');
    if (serial === '02') break;
    writeFileSync(certificate, second.cert);
    writeFileSync(key, second.key);
    await until('the renewed certificate is shown', async () => (await shake('ALL', 'TLSv1.3')).endsWith(' 02'), 20);
  }
});

t.test('a head that can be read in two ways is refused, and every answer names its type for good', async (t) => {
  const { port } = await serve(t, {}, {}, { language: fakeLanguage() });
  const head = (line: string, ...headers: string[]): string => [line, ...headers, 'connection: close', '', ''].join('\r\n');
  const chat = JSON.stringify({ model: 'talker', stream: true, messages: [{ role: 'user', content: 'one' }] });
  for (const [text, status] of [
    [head('GET /health HTTP/1.1', 'host: a', 'host: a'), 400],
    [head('GET /health HTTP/1.1', 'Host: a', 'x: y', 'HOST: b'), 400],
    [head('GET /health HTTP/1.1'), 400],
    [head('GET /health HTTP/1.0'), 200],
    [head('GET /health HTTP/1.1', 'host: 127.0.0.1'), 200],
    [head('GET /nope HTTP/1.1', 'host: 127.0.0.1'), 404],
    [head('GET /v1/result/%zz HTTP/1.1', 'host: 127.0.0.1'), 404],
    [head('GET /health HTTP/1.1', 'host: 127.0.0.1', 'expect: wonders'), 417],
    [head('GET /health HTTP/1.1', 'host: strange.example'), 403],
    ['NONSENSE\r\n\r\n', 400],
    [`${head('POST /v1/chat/completions HTTP/1.1', 'host: 127.0.0.1', `content-length: ${chat.length}`)}${chat}`, 200],
  ] as const) {
    const answer = await sendRaw(port, text);
    t.equal(answer.status, status, text.slice(0, 80));
    t.match(answer.text, /\r\nx-content-type-options: nosniff\r\n/i, text.slice(0, 80));
  }
});

t.test('an answer that has begun does not become another one when its connection breaks', async (t) => {
  const { port } = await serve(t);
  const client = await stubborn(port, '127.0.0.1', 'GET /endless HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
  await until('it has begun', () => client.said().includes('begun'));
  client.socket.write('NONSENSE\r\n\r\n');
  await until('it ends', client.ended);
  t.notMatch(client.said().slice(20), /HTTP\/1\.1 400/);
  client.socket.destroy();
});

t.test('uploads of one caller are bounded, those of another go on', async (t) => {
  const settings = { ...testSettings, trustedProxies: [network('127.0.0.1')], allowAll: true, uploadsPerCaller: 2, maxFileSize: 10_000_000 };
  const { port } = await serve(t, {}, settings, { gate: new Gate(settings) });
  const upload = (from: string, more = 'content-length: 1000000'): ReturnType<typeof stubborn> => stubborn(port, '127.0.0.1',
    `POST /v1/convert/file HTTP/1.1\r\nhost: 127.0.0.1\r\nx-forwarded-for: ${from}\r\ncontent-type: multipart/form-data; boundary=b\r\n${more}\r\n\r\n${more.startsWith('transfer') ? '5\r\n--b\r\n\r\n' : '--b\r\n'}`);
  const held = [await upload('10.0.0.1'), await upload('10.0.0.1', 'transfer-encoding: chunked')];
  await sleep(200);
  const third = await upload('10.0.0.1');
  await until('the third is answered', () => third.said() !== '');
  t.match(third.said(), /^HTTP\/1\.1 503 [^]*retry-after: 1\r\n[^]*uploads-per-caller/);
  const other = await upload('10.0.0.2');
  const small = await upload('10.0.0.1', 'content-length: 1000');
  await sleep(300);
  t.strictSame([...held, other, small].map(({ said }) => said()), ['', '', '', ''], 'all these are read');
  held[0]?.socket.destroy();
  await until('a place is free again', async () => {
    const next = await upload('10.0.0.1');
    await sleep(100);
    next.socket.destroy();
    return next.said() === '';
  }, 50);
  for (const { socket } of [...held, third, other, small]) socket.destroy();
});
