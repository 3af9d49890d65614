// Behind a real nginx, where one is installed: the example as it ships, and a proxy_pass that is not listed.
import t, { type Test } from 'tap';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect, createServer as createListener, type AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Gate } from '../../src/http/access-gate.js';
import { type Network, parseNetwork } from '../../src/network/address.js';
import { packageRoot } from '../../src/platform/package-files.js';
import { makeCertificate } from '../support/certificate.js';
import { form, startTestService, testSettings } from '../support/http-service.js';
import { fakeLanguage } from '../support/language-service.js';

const nginx = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'].map((directory) => join(directory, 'nginx')).find((path) => existsSync(path));
const skip = nginx === undefined ? 'nginx is not installed' : false;

async function freePort(): Promise<number> {
  const listener = createListener().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  listener.close();
  return port;
}

/** Runs in the test's own directory until the test ends. `http`: what stands in nginx' block of that name. */
async function startNginx(t: Test, http: string, port: number): Promise<void> {
  const home = t.testdirName;
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${home}/${name};`).join('\n');
  writeFileSync(join(home, 'nginx.conf'), `daemon off; master_process off; pid ${home}/pid; error_log ${home}/error.log;\nevents {}\nhttp { access_log off;\n${places}\n${http}\n}`);
  const child = spawn(nginx as string, ['-p', home, '-c', join(home, 'nginx.conf'), '-e', join(home, 'error.log')], { stdio: 'ignore' });
  const gone = once(child, 'exit');
  t.teardown(async () => {
    child.kill('SIGTERM');
    await gone;
  });
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(() => true, () => false);
    socket.destroy();
    if (isOpen) return;
    if (child.exitCode !== null) throw new Error(readFileSync(join(home, 'error.log'), 'utf8'));
    await sleep(20);
  }
}

t.test('a bare proxy_pass that nobody listed lets nobody in', { skip }, async (t) => {
  const accessList = join(t.testdir(), 'access');
  writeFileSync(accessList, '127.0.0.2 student\n10.0.0.0/8 researcher\n');
  const settings = { ...testSettings, listen: [{ host: '0.0.0.0', port: 1 }], accessList };
  const service = await startTestService(settings, { gate: new Gate(settings), language: fakeLanguage() });
  t.teardown(service.close);
  const url = await service.listen();
  t.equal((await fetch(`${url}/metrics`)).status, 200, 'a program of this host');
  const port = await freePort();
  await startNginx(t, `server { listen 127.0.0.1:${port}; location / { proxy_pass ${url}; } }`, port);
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  t.match([answer.status, await answer.text()], [403, /trusted-proxies/]);
});

t.test('the example that ships', { skip }, async (t) => {
  const home = t.testdir();
  const { cert, key } = makeCertificate(1);
  writeFileSync(join(home, 'lectern.pem'), cert);
  writeFileSync(join(home, 'lectern.key'), key);
  const accessList = join(home, 'access');
  writeFileSync(accessList, '127.0.0.1 researcher\n');
  const settings = { ...testSettings, accessList, maxFileSize: 4_000_000, trustedProxies: [parseNetwork('127.0.0.1') as Network], allowedHosts: ['lectern.example.org'] };
  const service = await startTestService(settings, { gate: new Gate(settings), language: fakeLanguage() });
  t.teardown(service.close);
  const url = await service.listen();
  const port = await freePort();
  const example = readFileSync(join(packageRoot(), 'packaging/nginx.example.conf'), 'utf8')
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`).replace('http://127.0.0.1:11434', url).replaceAll('/etc/ssl', home);
  await startNginx(t, example, port);
  const ask = async (path: string, { method = 'GET', headers = {}, body = '' as string | Buffer } = {}): Promise<{ status: number; text: string }> => {
    const sent = request({ host: '127.0.0.1', port, path, method, rejectUnauthorized: false, headers: { host: 'lectern.example.org', ...headers } });
    sent.end(body);
    return new Promise((resolve, reject) => {
      sent.on('error', reject).on('upgrade', (answer, socket) => {
        socket.destroy();
        resolve({ status: answer.statusCode as number, text: '' });
      }).on('response', (answer) => {
        let text = '';
        answer.on('data', (piece: Buffer) => { text += String(piece); }).on('end', () => resolve({ status: answer.statusCode as number, text }));
      });
    });
  };
  const metrics = await ask('/metrics', { headers: { 'x-forwarded-for': '10.9.9.9' } });
  t.equal(metrics.status, 200, 'by the role of the address that nginx saw');
  t.notMatch(metrics.text, /process_resident/, 'and nobody behind it is an administrator');
  const { payload, headers } = form('large.pdf', {}, Buffer.alloc(3_000_000, 'x'));
  t.equal((await ask('/v1/convert/file', { method: 'POST', headers, body: payload })).status, 200, 'an upload above nginx\' own limit');
  const tooLarge = form('large.pdf', {}, Buffer.alloc(5_000_000, 'x'));
  t.match(await ask('/v1/convert/file', { method: 'POST', headers: tooLarge.headers, body: tooLarge.payload }), { status: 413, text: /max_file_size/ });
  const streamed = await ask('/v1/chat/completions', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ model: 'talker', stream: true, messages: [{ role: 'user', content: 'x' }] }) });
  t.match(streamed, { status: 200, text: /data: \[DONE\]/ });
  const socket = await ask('/v1/status/ws/none', { headers: { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' } });
  t.equal(socket.status, 101, 'a WebSocket gets through');
});
