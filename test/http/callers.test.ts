// Who may enter: networks and keys with roles, proxies, what only administrators may, and settings that start nothing.
import t, { type Test } from 'tap';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { hashKey } from '../../src/network/access-key.js';
import { resolveSettings } from '../../src/settings/settings.js';
import { type AccessSettings, Gate } from '../../src/http/access-gate.js';
import { parseNetwork, type Network } from '../../src/network/address.js';
import { form, startTestService, type TestService, testSettings } from '../support/http-service.js';
import { fakeLanguage } from '../support/language-service.js';
import { startService } from '../support/start-service.js';
import { until } from '../support/until.js';

const list = `
# The chair's networks
10.1.0.0/16       researcher
10.1.2.0/24       student      # the pool
10.1.2.9          administrator
2001:db8:7::/48   researcher
role guest
192.0.2.0/24      guest
key laptop researcher ${hashKey('lk-laptop')}
key boss administrator ${hashKey('lk-boss')}
key pupil student ${hashKey('lk-pupil')}
`;

const network = { host: '0.0.0.0', port: 1 };

function settingsFor(t: Test, text: string, more: Partial<AccessSettings> = {}): AccessSettings {
  const accessList = join(t.testdir(), 'access');
  writeFileSync(accessList, text);
  return { ...testSettings, listen: [network], accessList, ...more };
}

async function open(t: Test, more: Partial<AccessSettings> = {}): Promise<TestService & { language: ReturnType<typeof fakeLanguage> }> {
  const settings = settingsFor(t, list, more);
  const language = fakeLanguage();
  const service = await startTestService(settings, { gate: new Gate(settings), language });
  t.teardown(() => service.close());
  return { ...service, language };
}

t.test('the longest prefix decides, before the body is read', async (t) => {
  const { app, payloads } = await open(t);
  const body = form('a.pdf');
  const status = async (remoteAddress: string, headers: Record<string, string> = {}): Promise<number> =>
    (await app.inject({ method: 'POST', url: '/v1/convert/file', remoteAddress, payload: body.payload, headers: { ...body.headers, ...headers } })).statusCode;
  for (const welcome of ['10.1.0.1', '10.1.3.255', '10.1.2.9', '::ffff:10.1.0.1', '2001:db8:7:ffff::1', '127.0.0.1', '::1']) t.equal(await status(welcome), 200, welcome);
  const done = payloads.length;
  for (const stranger of ['10.1.2.8', '::ffff:10.1.2.8', '10.2.0.1', '192.0.2.5', '2001:db8:8::1', '::ffff:192.0.2.5']) t.equal(await status(stranger), 403, stranger);
  t.equal(payloads.length, done, 'nothing of theirs was taken in');
  t.equal(await status('10.1.2.8', { 'x-forwarded-for': '10.1.0.1' }), 403, 'what a stranger says of himself does not count');
  for (const url of ['/health', '/livez']) t.equal((await app.inject({ url, remoteAddress: '10.2.0.1' })).statusCode, 200, `${url} says that the service lives to all who reach it`);
  for (const url of ['/version', '/docs', '/v1/models', '/nope']) t.equal((await app.inject({ url, remoteAddress: '10.2.0.1' })).statusCode, 403, url);
  for (const url of ['/ui', '/ui/', '/ui/nope']) t.not((await app.inject({ url, remoteAddress: '10.2.0.1' })).statusCode, 403, `${url}: the page asks for the key`);
  const refused = await app.inject({ url: '/v1/models', remoteAddress: '10.1.2.8' });
  t.match(refused.json(), { error: { message: 'The role student (10.1.2.8) may not use this service. A key opens it, as authorization: Bearer KEY or x-api-key: KEY.' } }, 'in the words of the contract');
  t.match((await app.inject({ url: '/api/tags', remoteAddress: '10.2.0.1' })).json(), { error: '10.2.0.1 is not in the access list of this service. A key opens it, as authorization: Bearer KEY or x-api-key: KEY.' });
  t.match((await app.inject({ url: '/api/tags', remoteAddress: '10.2.0.1', headers: { authorization: 'Bearer lk-mistyped' } })).json(), { error: 'The key is not known, and 10.2.0.1 is not in the access list of this service.' });
});

t.test('administrators see the access list and test it', async (t) => {
  const { app } = await open(t);
  const [boss, anna] = ['10.1.2.9', '10.1.0.1'];
  type Host = { caller: object; access?: { networks: object[]; keys: object[] }; failures?: { route: string; status: number; requestId: string; caller: string; refusal: string | null }[] };
  const hostOf = async (remoteAddress: string): Promise<Host> => (await app.inject({ url: '/v1/host', remoteAddress })).json() as Host;
  const refused = await app.inject({ url: '/version', remoteAddress: '10.2.0.1' });
  const seen = await hostOf(boss);
  t.match(seen.caller, { identity: boss, administrator: true });
  t.strictSame(seen.access?.networks.filter((one) => JSON.stringify(one).includes('10.1.2')), [{ network: '10.1.2.9/32', role: 'administrator' }, { network: '10.1.2.0/24', role: 'student' }]);
  t.strictSame(seen.access?.keys, [{ name: 'laptop', role: 'researcher' }, { name: 'boss', role: 'administrator' }, { name: 'pupil', role: 'student' }]);
  t.notMatch(JSON.stringify(seen), /sha256|lk-/, 'no key, and no hash of one');
  t.match(seen.failures?.[0], { route: '/version', status: 403, requestId: refused.headers['x-request-id'], caller: '10.2.0.1', refusal: /not in the access list/ });
  const own = await hostOf(anna);
  t.strictSame([own.caller, own.access, own.failures], [{ identity: anna, administrator: false }, undefined, undefined]);
  const test = async (payload: object, remoteAddress = boss): Promise<[number, unknown]> => {
    const answer = await app.inject({ method: 'POST', url: '/v1/host/access-test', remoteAddress, payload });
    return [answer.statusCode, answer.json()];
  };
  t.strictSame(await test({ address: '10.1.0.9' }), [200, { enters: true, role: 'researcher', identity: '10.1.0.9' }]);
  t.strictSame(await test({ address: '10.1.2.8' }), [200, { enters: false, role: 'student', identity: '10.1.2.8' }]);
  t.strictSame(await test({ address: '203.0.113.1' }), [200, { enters: false, role: null, identity: '203.0.113.1' }]);
  t.strictSame(await test({ address: '203.0.113.1', key: 'lk-laptop' }), [200, { enters: true, role: 'researcher', identity: 'key laptop' }]);
  t.equal((await test({ address: '10.1' }))[0], 400);
  t.equal((await test({ address: 'x'.repeat(400) }))[0], 422);
  t.equal((await test({}))[0], 422);
  t.equal((await test({ address: '10.1.0.9' }, anna))[0], 403);
});

t.test('a key is spoken of where one would open the door', async (t) => {
  for (const [keys, says] of [['', /access list of this service\.$/], [`key pupil student ${hashKey('lk-pupil')}`, /access list of this service\.$/], [`key laptop researcher ${hashKey('lk-laptop')}`, /service\. A key opens it, /]] as const) {
    const settings = settingsFor(t, `10.1.0.0/16 researcher\n${keys}\n`);
    const service = await startTestService(settings, { gate: new Gate(settings) });
    t.teardown(() => service.close());
    t.match((await service.app.inject({ url: '/version', remoteAddress: '10.2.0.1' })).json(), { detail: says }, keys);
  }
});

t.test('the log names who asked, and who was refused', async (t) => {
  const { app, log } = await open(t, { trustedProxies: [parseNetwork('10.9.0.1') as Network] });
  const callerOf = async (remoteAddress: string, headers: Record<string, string> = {}): Promise<unknown> => {
    await app.inject({ url: '/v1/models', remoteAddress, headers });
    return log.findLast(({ message }) => message === 'a request ended')?.fields['caller'];
  };
  t.equal(await callerOf('::ffff:10.1.0.1'), '10.1.0.1');
  t.equal(await callerOf('10.2.0.1', { authorization: 'Bearer lk-laptop' }), 'key laptop');
  t.equal(await callerOf('10.9.0.1', { 'x-forwarded-for': '10.1.0.7' }), '10.1.0.7', 'behind a proxy');
  t.equal(await callerOf('10.9.0.1', { 'x-forwarded-for': '10.1.2.8' }), '10.1.2.8', 'a refused one behind it');
  t.equal(await callerOf('10.2.0.1', { authorization: 'Bearer lk-pupil' }), 'key pupil');
  t.equal(await callerOf('10.2.0.1', { authorization: 'Bearer lk-mistyped' }), '10.2.0.1', 'nothing of a key that is not known');
  t.equal(await callerOf('127.0.0.1', { host: 'evil.example' }), '127.0.0.1', 'refused before anybody is told apart');
  t.equal(await callerOf('127.0.0.1'), '127.0.0.1');
});

t.test('the log says why somebody was turned away, and of nobody else', async (t) => {
  const { app, log } = await open(t);
  const refusalOf = async (remoteAddress: string, headers: Record<string, string> = {}): Promise<unknown> => {
    await app.inject({ url: '/v1/models', remoteAddress, headers });
    return log.findLast(({ message }) => message === 'a request ended')?.fields['refusal'];
  };
  t.equal(await refusalOf('10.2.0.1', { authorization: 'Bearer lk-mistyped' }), 'The key is not known, and 10.2.0.1 is not in the access list of this service.');
  t.equal(await refusalOf('10.1.2.8'), 'The role student (10.1.2.8) may not use this service. A key opens it, as authorization: Bearer KEY or x-api-key: KEY.');
  t.match(await refusalOf('127.0.0.1', { host: 'evil.example' }), /'evil\.example'; the setting allowed-hosts can name it/);
  t.match(await refusalOf('127.0.0.1', { 'x-forwarded-for': '10.1.0.1' }), /trusted-proxies/);
  t.equal(await refusalOf('10.1.0.1'), undefined);
});

t.test('loopback is the administrator\'s unless a line of the list names it', async (t) => {
  const statusWith = async (text: string, remoteAddress: string, url = '/version', more: Partial<AccessSettings> = {}): Promise<number> => {
    const settings = settingsFor(t, text, more);
    const { app, close } = await startTestService(settings, { gate: new Gate(settings), language: fakeLanguage() });
    t.teardown(close);
    return (await app.inject({ url, remoteAddress })).statusCode;
  };
  t.equal(await statusWith('0.0.0.0/0 student\n::/0 student', '127.0.0.1'), 200, 'a line for everyone means the network');
  t.equal(await statusWith('0.0.0.0/0 student', '127.0.0.1', '/version', { allowedRoles: ['researcher'] }), 200);
  t.equal(await statusWith('127.0.0.1 student', '127.0.0.1'), 403);
  t.equal(await statusWith('127.0.0.1 student', '127.0.0.2'), 200, 'another address of loopback');
  t.equal(await statusWith('127.0.0.1 student', '::1'), 200, 'the other family has a line of its own');
  t.equal(await statusWith('::1 student', '::1'), 403);
  t.equal(await statusWith('127.0.0.0/8 student\n127.0.0.2 researcher', '127.0.0.2'), 200);
});

t.test('a refused upload is answered while it is still being sent', async (t) => {
  // Loopback is let in by what it is; through a listed proxy it can be anyone.
  const { listen } = await open(t, { trustedProxies: [parseNetwork('127.0.0.1') as Network] });
  const { port } = new URL(await listen());
  const socket = connect(Number(port), '127.0.0.1');
  socket.write('POST /v1/convert/file HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 10.2.0.1\r\ncontent-length: 1000000\r\ncontent-type: multipart/form-data; boundary=b\r\n\r\n--b');
  const [answer] = await once(socket, 'data') as [Buffer];
  t.match(answer.toString(), /^HTTP\/1\.1 403 /);
  socket.destroy();
});

t.test('roles that may enter are a setting', async (t) => {
  const { app } = await open(t, { allowedRoles: ['guest', 'student'] });
  t.equal((await app.inject({ url: '/version', remoteAddress: '192.0.2.1' })).statusCode, 200);
  t.equal((await app.inject({ url: '/version', remoteAddress: '10.1.2.1' })).statusCode, 200);
  t.equal((await app.inject({ url: '/version', remoteAddress: '10.1.0.1' })).statusCode, 403);
});

t.test('keys', async (t) => {
  const { app } = await open(t);
  const status = async (headers: Record<string, string>, remoteAddress = '10.2.0.1'): Promise<number> => (await app.inject({ url: '/version', remoteAddress, headers })).statusCode;
  t.equal(await status({ authorization: 'Bearer lk-laptop' }), 200, 'from anywhere');
  t.equal(await status({ 'x-api-key': 'lk-laptop' }), 200);
  t.equal(await status({ authorization: 'Bearer lk-pupil' }), 403, 'a role that may not');
  t.equal(await status({ authorization: 'Bearer lk-Laptop' }), 401, 'a wrong key');
  t.equal(await status({ authorization: 'Bearer lk-Laptop' }, '10.1.2.1'), 401, 'a wrong key from a network whose role may not enter without one');
  t.equal(await status({ authorization: 'Bearer ' + hashKey('lk-laptop') }), 401, 'what stands in the file opens nothing');
  t.equal(await status({ authorization: 'Bearer ollama' }, '10.1.0.1'), 200, 'clients that must send something do no harm');
});

t.test('a WebSocket may give its key in the query, and nothing else may', async (t) => {
  const { app } = await open(t);
  const status = async (url: string, headers: Record<string, string> = {}): Promise<number> => (await app.inject({ url, remoteAddress: '203.0.113.7', headers })).statusCode;
  const upgrade = { connection: 'upgrade', upgrade: 'websocket' };
  t.equal(await status('/version?api_key=lk-laptop', upgrade), 200);
  for (const [url, headers, refused] of [
    ['/version?api_key=lk-laptop', {}, 403], ['/version?api_key=lk-none', upgrade, 401], ['/version', upgrade, 403], ['/version?api_key=', upgrade, 403], ['/version?api_key=lk-none&api_key=lk-laptop', upgrade, 401],
  ] as const) {
    t.equal(await status(url, headers), refused, `${url} ${JSON.stringify(headers)}`);
  }
});

t.test('proxies are believed only when they are listed', async (t) => {
  const { app } = await open(t, { trustedProxies: [parseNetwork('127.0.0.1') as Network, parseNetwork('10.9.0.0/16') as Network] });
  const status = async (remoteAddress: string, forwarded: string): Promise<number> =>
    (await app.inject({ url: '/version', remoteAddress, headers: { 'x-forwarded-for': forwarded } })).statusCode;
  t.equal(await status('127.0.0.1', '10.1.0.1'), 200);
  t.equal(await status('127.0.0.1', '10.2.0.1'), 403, 'behind a proxy on this host nobody is local');
  t.equal(await status('127.0.0.1', '10.1.0.1, 10.2.0.1'), 403, 'the nearest counts: what stands before it is only a claim');
  t.equal(await status('10.9.1.1', '10.1.0.1, 10.9.2.2'), 200, 'through two of them');
  t.equal(await status('10.9.1.1', '[2001:db8:7::1]:4711'), 200);
  t.equal(await status('127.0.0.1', 'unknown'), 403);
  t.equal(await status('10.9.1.1', '127.0.0.1'), 403, 'loopback of another host is not this one\'s');
  const { app: without } = await open(t);
  const unlisted = await without.inject({ url: '/v1/clear/results', remoteAddress: '127.0.0.1', headers: { 'x-forwarded-for': '10.1.0.1' } });
  t.match([unlisted.statusCode, unlisted.body], [403, /trusted-proxies/]);
});

t.test('a proxy of this host that nobody listed makes nobody an administrator', async (t) => {
  const refused = async (app: TestService['app'], remoteAddress: string, headers: Record<string, string>): Promise<[number, string]> => {
    const { statusCode, body } = await app.inject({ url: '/metrics', remoteAddress, headers });
    return [statusCode, body];
  };
  const signs = ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port', 'x-forwarded-server', 'x-client-ip', 'true-client-ip'];
  const { app: listed } = await open(t);
  const bare = await startTestService({}, { gate: new Gate(testSettings) });
  const everyone = { ...testSettings, listen: [network], allowAll: true };
  const forAll = await startTestService(everyone, { gate: new Gate(everyone) });
  for (const service of [bare, forAll]) t.teardown(service.close);
  for (const [name, app] of [['a list', listed], ['loopback alone', bare.app], ['allow-all', forAll.app]] as const) {
    for (const sign of signs) {
      for (const peer of ['127.0.0.1', '::1', '127.0.0.2']) t.match(await refused(app, peer, { [sign]: '10.1.2.9' }), [403, /trusted-proxies/], `${name}: ${sign} from ${peer}`);
    }
    t.equal((await refused(app, '127.0.0.1', { 'x-request-id': '1', 'x-api-key': 'none' }))[0], 200, 'headers of clients');
  }
  t.equal((await refused(listed, '10.1.0.1', { via: '1.1 proxy', 'x-real-ip': '127.0.0.1' }))[0], 200, 'from the network the address decides, whatever it says');

  const { app: silent } = await open(t, { trustedProxies: [parseNetwork('127.0.0.1') as Network, parseNetwork('10.1.0.5') as Network] });
  for (const peer of ['127.0.0.1', '10.1.0.5']) t.match(await refused(silent, peer, { 'x-real-ip': '10.1.2.9' }), [403, /must set x-forwarded-for/], `listed, ${peer}, and does not say for whom`);
  t.equal((await refused(silent, '127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }))[0], 403, 'and nobody who is passed on is a program of this host');
  t.equal((await refused(silent, '127.0.0.1', { 'x-forwarded-for': '10.1.0.1', 'x-real-ip': '10.1.0.1', via: '1.1 proxy' }))[0], 200);
});

t.test('HTTP/1.0 from this host is a proxy that says nothing', async (t) => {
  const ask = async (url: string, version: string, headers = ''): Promise<string> => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(`GET /metrics HTTP/${version}\r\nhost: 127.0.0.1\r\nconnection: close\r\n${headers}\r\n`);
    let answer = '';
    for await (const piece of socket) answer += String(piece);
    return answer;
  };
  const listed = await (await open(t)).listen();
  t.match(await ask(listed, '1.0'), /^HTTP\/1\.1 403 [^]*HTTP\/1\.0[^]*trusted-proxies/);
  t.match(await ask(listed, '1.1'), /^HTTP\/1\.1 200 [^]*process_resident/);
  const trusted = await (await open(t, { trustedProxies: [parseNetwork('127.0.0.1') as Network] })).listen();
  t.match(await ask(trusted, '1.0'), /^HTTP\/1\.1 403 [^]*must set x-forwarded-for/);
  t.match(await ask(trusted, '1.0', 'x-forwarded-for: 10.1.0.1\r\n'), /^HTTP\/1\.1 200 /);
  // Node keeps 1,000 fields and passes over what a proxy adds behind those of its client.
  for (const stranger of ['192.0.2.1', '10.1.0.1']) {
    t.match(await ask(trusted, '1.1', `${'a:\r\n'.repeat(1000)}x-forwarded-for: ${stranger}\r\n`), /^HTTP\/1\.1 431 [^]*more than 500 header fields/, stranger);
  }
  t.match(await ask(trusted, '1.1', `${'a:\r\n'.repeat(490)}x-forwarded-for: 192.0.2.1\r\n`), /^HTTP\/1\.1 403 [^]*The role guest \(192\.0\.2\.1\)/);
});

t.test('what only administrators may', async (t) => {
  const { app, language, tasks } = await open(t);
  const as = (remoteAddress: string, method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) =>
    app.inject({ method, url, remoteAddress, ...(payload === undefined ? {} : { payload }) });
  const submit = async (remoteAddress: string): Promise<string> => {
    const answer = await app.inject({ method: 'POST', url: '/v1/convert/file/async', remoteAddress, ...form('a.pdf') });
    const { task_id: id } = answer.json() as { task_id: string };
    await tasks.wait(id, 'default', 20_000);
    return id;
  };
  const [anna, bert, boss] = ['10.1.0.1', '10.1.0.2', '10.1.2.9'];
  const first = await submit(anna);
  t.equal((await as(bert, 'DELETE', `/v1/tasks/${first}`)).statusCode, 404, 'another\'s task');
  t.equal((await as(boss, 'GET', `/v1/result/${first}`)).statusCode, 200, 'an administrator reads everything');
  const nothing = await as(bert, 'GET', '/v1/clear/results?older_then=0');
  t.strictSame([nothing.statusCode, nothing.headers['x-lectern-cleared'], nothing.json()], [200, '0', { status: 'ok' }], 'and hears that it was nothing');
  t.equal((await as(anna, 'GET', `/v1/result/${first}`)).statusCode, 200, 'clearing takes one\'s own only');
  t.equal((await as(anna, 'DELETE', `/v1/tasks/${first}`)).statusCode, 200, 'one\'s own task');
  await submit(anna);
  const all = await as(boss, 'GET', '/v1/clear/results?older_then=0');
  t.strictSame([all.statusCode, all.headers['x-lectern-cleared']], [200, '1']);
  t.equal(tasks.counts().ended, 0, 'an administrator clears all');

  for (const keepAlive of [0, -1, '-1s', '1ms', 9, '25h', '876000h']) {
    const chat = { model: 'talker', messages: [{ role: 'user', content: 'x' }], keep_alive: keepAlive, stream: false };
    t.equal((await as(anna, 'POST', '/api/chat', chat)).statusCode, 403, `keep_alive ${keepAlive}`);
    t.equal((await as(anna, 'POST', '/v1/chat/completions', chat)).statusCode, 403);
    t.equal((await as(boss, 'POST', '/api/chat', chat)).statusCode, 200);
  }
  t.equal((await as(anna, 'POST', '/api/chat', { model: 'talker', messages: [{ role: 'user', content: 'x' }], keep_alive: '10m', stream: false })).statusCode, 200);
  for (const keepAlive of ['10s', '24h', 86_400]) t.equal((await as(anna, 'POST', '/api/generate', { model: 'talker', keep_alive: keepAlive })).statusCode, 200, `keep_alive ${keepAlive}`);
  t.equal((await as(anna, 'POST', '/api/generate', { model: 'talker', keep_alive: 0 })).statusCode, 403);
  t.strictSame(language.unloaded, []);
  t.equal((await as(boss, 'POST', '/api/generate', { model: 'talker', keep_alive: 0 })).statusCode, 200);
  t.strictSame(language.unloaded, ['talker:latest']);

  const part = (await as(anna, 'GET', '/metrics')).body;
  t.match(part, /lectern_build_info/);
  t.notMatch(part, /lectern_http_requests_total|process_resident/);
  t.match((await as(boss, 'GET', '/metrics')).body, /lectern_http_requests_total[^]*process_resident/);
});

t.test('without a list', async (t) => {
  t.throws(() => new Gate({ ...testSettings, listen: [testSettings.listen[0] as never, network] }), { code: 'invalid_request', message: /0\.0\.0\.0:1 can be reached from the network: .*--access-list/ });
  t.throws(() => new Gate({ ...testSettings, listen: [{ host: '::', port: 1 }] }), { message: /^\[::\]:1 can be reached/ });
  for (const host of ['127.0.0.1', '::1', 'localhost', '127.0.0.2']) t.ok(new Gate({ ...testSettings, listen: [{ host, port: 1 }] }), host);
  const settings = { ...testSettings, listen: [network], allowAll: true };
  const { app, close } = await startTestService(settings, { gate: new Gate(settings) });
  t.teardown(close);
  t.equal((await app.inject({ url: '/version', remoteAddress: '203.0.113.7' })).statusCode, 200);
  t.notMatch((await app.inject({ url: '/metrics', remoteAddress: '203.0.113.7' })).body, /process_resident/, 'no strangers as administrators');
  t.match((await app.inject({ url: '/metrics', remoteAddress: '127.0.0.1' })).body, /process_resident/);
});

t.test('without a list, behind a proxy', async (t) => {
  const trustedProxies = [parseNetwork('127.0.0.1') as Network, parseNetwork('10.9.0.0/16') as Network];
  for (const listen of [testSettings.listen, [network]]) {
    t.throws(() => new Gate({ ...testSettings, listen, trustedProxies }), { code: 'invalid_request', message: /--access-list FILE, or let everyone in with --allow-all/ });
  }
  for (const listen of [testSettings.listen, [network]]) {
    const settings = { ...testSettings, listen, trustedProxies, allowAll: true };
    const { app, close } = await startTestService(settings, { gate: new Gate(settings), language: fakeLanguage() });
    t.teardown(close);
    const pin = async (remoteAddress: string, headers: Record<string, string>) =>
      (await app.inject({ method: 'POST', url: '/api/generate', remoteAddress, headers, payload: { model: 'talker', keep_alive: -1 } })).statusCode;
    const metrics = async (remoteAddress: string, headers: Record<string, string>) => (await app.inject({ url: '/metrics', remoteAddress, headers })).body;
    for (const [peer, forwarded] of [['127.0.0.1', '10.66.6.6'], ['::1', '10.66.6.6'], ['127.0.0.1', '127.0.0.1'], ['10.9.1.1', '127.0.0.1'], ['127.0.0.1', '127.0.0.1, 10.66.6.6']] as const) {
      const headers = { 'x-forwarded-for': forwarded };
      t.equal(await pin(peer, headers), 403, `${forwarded} through ${peer} pins nothing`);
      t.notMatch(await metrics(peer, headers), /process_resident/);
    }
    t.equal((await app.inject({ url: '/version', remoteAddress: '127.0.0.1', headers: { 'x-forwarded-for': '10.66.6.6' } })).statusCode, 200, 'yet may call');
    t.equal(await pin('127.0.0.1', {}), 200, 'programs of its own host are administrators');
    t.match(await metrics('127.0.0.1', {}), /process_resident/);
  }
  const { app, close } = await startTestService({}, { gate: new Gate(testSettings) });
  t.teardown(close);
  const unlisted = await app.inject({ url: '/metrics', remoteAddress: '127.0.0.1', headers: { 'x-forwarded-for': '10.66.6.6' } });
  t.match([unlisted.statusCode, unlisted.body], [403, /trusted-proxies/], 'a proxy that nobody listed speaks for no administrator');
});

t.test('a list that changes is in use without a restart, one with a mistake never', async (t) => {
  const settings = settingsFor(t, list);
  const gate = new Gate(settings);
  const { app, close } = await startTestService(settings, { gate });
  t.teardown(close);
  const status = async (key: string): Promise<number> => (await app.inject({ url: '/version', remoteAddress: '203.0.113.7', headers: { 'x-api-key': key } })).statusCode;
  const heard: Record<'failure' | 'change', (message?: string) => void> = { failure: () => undefined, change: () => undefined };
  t.teardown(gate.watch(({ message }) => heard.failure(message), () => heard.change(), 5));
  const after = async (event: 'failure' | 'change', text: string): Promise<unknown> => {
    const told = new Promise((resolve) => { heard[event] = resolve; });
    writeFileSync(settings.accessList as string, text);
    return told;
  };
  t.strictSame([await status('lk-laptop'), gate.isCurrent()], [200, true]);
  await after('change', list.replace(/^key laptop.*$/m, ''));
  t.strictSame([await status('lk-laptop'), await status('lk-boss')], [401, 200], 'the key that is gone opens nothing any more');
  t.match(await after('failure', '10.0.0.0/8 profesor'), /Line 1 .*"profesor"/);
  t.strictSame([await status('lk-laptop'), await status('lk-boss')], [401, 200], 'half a list is none');
  t.equal(gate.isCurrent(), false, 'and it can be watched that the file is another');
  await after('change', list);
  await until('the list is the file', () => gate.isCurrent());
  t.equal(await status('lk-laptop'), 200);
});

t.test('a service whose list has been broken goes on with the one before, and says so to who watches it', async (t) => {
  const accessList = join(t.testdir(), 'access');
  writeFileSync(accessList, list);
  const service = await startService({ accessList });
  t.teardown(() => service.close());
  const text = async (path: string): Promise<string> => (await fetch(`${service.url}${path}`)).text();
  await until('it is ready', async () => (await text('/ready')).includes('ok'));
  t.match(await text('/metrics'), /^lectern_file_reload_successful\{file="access_list"\} 1$/m);
  writeFileSync(accessList, '10.0.0.0/8 profesor');
  await until('it has looked', async () => (await text('/metrics')).includes('lectern_file_reload_successful{file="access_list"} 0'));
  t.equal(await text('/ready'), '{"status":"ok"}', 'no balancer takes a service out for a mistake of spelling');
});

t.test('lists and settings with a mistake start nothing', async (t) => {
  const refused = (text: string, message: RegExp, more: Partial<AccessSettings> = {}): void => {
    t.throws(() => new Gate(settingsFor(t, text, more)), { code: 'invalid_request', message }, text);
  };
  refused('10.0.0.0/8 profesor', /Line 1 .*"profesor", which is not one of administrator, researcher, student/);
  refused('\n10.0.0.1/8 student', /Line 2 .*"10\.0\.0\.1\/8", which is no network/);
  refused('10.0.0.0/8', /Line 1 .*is not `NETWORK ROLE`/);
  refused('10.0.0.0/8 student\n10.0.0.0/8 researcher', /Line 2 .*a second time/);
  refused('key a researcher secret', /Line 1 .*lectern key/);
  refused(`key a nobody ${hashKey('x')}`, /"nobody"/);
  refused('10.0.0.0/8 researcher', /--allowed-roles names "dean"/, { allowedRoles: ['dean'] });
  refused('10.0.0.0/8 researcher', /contradict/, { allowAll: true });
  t.throws(() => new Gate({ ...testSettings, accessList: join(t.testdir(), 'none') }), { message: /cannot be read/ });
  t.throws(() => resolveSettings(['--trusted-proxies', '10.0.0.1/8'], {}), { message: /--trusted-proxies must be addresses or networks/ });
});
