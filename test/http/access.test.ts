// Who may call: CORS as the contract has it, narrowed origins, and names that do not belong to a loopback service.
import t from 'tap';
import { type Network, parseNetwork } from '../../src/network/address.js';
import { form, startTestService } from '../support/http-service.js';

const origin = 'https://chat.example.org';

t.test('by default any origin may call, and is told so', async (t) => {
  const service = await startTestService();
  t.teardown(() => service.close());
  const plain = await service.app.inject({ url: '/health', headers: { origin } });
  t.match(plain.headers, { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true', vary: 'Origin' });
  for (const name of ['x-lectern-failed-documents', 'x-lectern-ignored-options', 'x-queue-position', 'retry-after']) t.match(String(plain.headers['access-control-expose-headers']), name);
  t.notOk('access-control-allow-origin' in (await service.app.inject({ url: '/health' })).headers, 'without an origin nothing is said');
  const refused = await service.app.inject({ method: 'POST', url: '/v1/convert/file', headers: { origin } });
  t.match([refused.statusCode, refused.headers['access-control-allow-origin']], [422, origin], 'failures too');
  const preflight = await service.app.inject({
    method: 'OPTIONS', url: '/v1/convert/file', headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-api-key' },
  });
  t.strictSame([preflight.statusCode, preflight.body], [200, 'OK']);
  t.match(preflight.headers, { 'access-control-allow-methods': /POST/, 'access-control-allow-headers': 'x-api-key', 'access-control-allow-origin': origin });
  t.equal((await service.app.inject({ method: 'OPTIONS', url: '/v1/convert/file' })).statusCode, 405, 'OPTIONS alone is no preflight');
});

t.test('narrowed: a strange page cannot even post a form', async (t) => {
  const service = await startTestService({ corsOrigins: ['https://mine.example.org'] });
  t.teardown(() => service.close());
  const post = (headers: Record<string, string>) => {
    const body = form('a.pdf');
    return service.app.inject({ method: 'POST', url: '/v1/convert/file', payload: body.payload, headers: { ...body.headers, ...headers } });
  };
  const strange = await post({ origin });
  t.equal(strange.statusCode, 403);
  t.notOk('access-control-allow-origin' in strange.headers);
  t.equal(service.payloads.length, 0);
  t.equal((await post({ origin: 'https://mine.example.org' })).statusCode, 200);
  t.equal((await post({ origin: 'http://localhost:11434', host: 'localhost:11434' })).statusCode, 200, 'its own pages');
  t.equal((await post({})).statusCode, 200, 'programs');
  const preflight = await service.app.inject({ method: 'OPTIONS', url: '/v1/convert/file', headers: { origin, 'access-control-request-method': 'POST' } });
  t.strictSame([preflight.statusCode, preflight.body], [400, 'Disallowed CORS origin']);
});

t.test('pages of this host, and programs that are pages to their own browser, may call; private names of this host are its own', async (t) => {
  const service = await startTestService({ corsOrigins: [] });
  t.teardown(() => service.close());
  const call = async (headers: Record<string, string>) => (await service.app.inject({ url: '/health', headers })).statusCode;
  for (const own of ['http://localhost:3000', 'https://127.0.0.1', 'http://tauri.localhost', 'app://obsidian.md', 'vscode-webview://x', 'chrome-extension://x', 'moz-extension://x', 'file://']) t.equal(await call({ origin: own }), 200, own);
  for (const strange of ['http://localhost.example.org', 'http://notlocalhost', 'https://example.org', 'http://127.0.0.1.example.org', 'null', 'http://example.org/app://x']) t.equal(await call({ origin: strange }), 403, strange);
  for (const host of ['host.docker.internal:11434', 'gpu.local', 'GPU.LOCAL']) t.equal(await call({ host }), 200, host);
  for (const host of ['local', 'gpu.local.example.org', 'notlocal']) t.equal(await call({ host }), 403, host);
});

t.test('a picture on a strange page forgets no results', async (t) => {
  const service = await startTestService({ corsOrigins: ['https://mine.example.org'] });
  t.teardown(() => service.close());
  const clear = async (headers: Record<string, string>, app = service.app) =>
    (await app.inject({ url: '/v1/clear/results?older_then=0', headers: { host: '10.0.0.7:11434', ...headers } })).statusCode;
  const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0', 'accept-language': 'de' };
  for (const site of ['cross-site', 'same-site']) t.equal(await clear({ ...browser, 'sec-fetch-site': site }), 403, site);
  for (const site of ['same-origin', 'none']) t.equal(await clear({ ...browser, 'sec-fetch-site': site }), 200, site);
  t.equal(await clear({ ...browser, referer: 'https://chat.example.org/' }), 403, 'over a connection that browsers do not trust the page is named');
  t.equal(await clear({ ...browser, referer: 'http://10.0.0.7:1143/' }), 403, 'another port');
  t.equal(await clear({ ...browser, referer: 'nowhere' }), 403);
  t.equal(await clear(browser), 403, 'or hides');
  for (const referer of ['http://10.0.0.7:11434/docs', 'https://mine.example.org/a']) t.equal(await clear({ ...browser, referer }), 200, referer);
  t.equal(await clear({}), 200, 'programs');
  t.equal(await clear({ 'user-agent': 'Mozilla/5.0 (Windows NT; Windows NT 10.0; de-DE) WindowsPowerShell/5.1' }), 200, 'that call themselves browsers, too');
  t.equal(await clear({ 'user-agent': 'node', 'accept-language': '*', 'sec-fetch-mode': 'cors' }), 200, 'and a program of Node');
  t.equal(await clear({ origin: 'https://mine.example.org', 'sec-fetch-site': 'cross-site' }), 200, 'a page that may call');
  const open = await startTestService();
  t.teardown(() => open.close());
  t.equal(await clear({ ...browser, 'sec-fetch-site': 'cross-site' }, open.app), 200, 'where any page may');
});

t.test('a loopback service is not reached by a rebound name', async (t) => {
  const service = await startTestService({ allowedHosts: ['docs.example.org'] });
  t.teardown(() => service.close());
  const ask = async (host: string) => (await service.app.inject({ url: '/v1/status/poll/x', headers: { host } })).statusCode;
  for (const host of ['evil.example.com', 'evil.example.com:11434', 'localhost.evil.com', '127.0.0.1.evil.com', 'xlocalhost']) t.equal(await ask(host), 403, host);
  for (const host of ['localhost', 'localhost:11434', 'LOCALHOST', 'app.localhost', '127.0.0.1:80', '[::1]:11434', '10.0.0.7', 'docs.example.org']) t.equal(await ask(host), 404, host);
});

t.test('a service on the network answers to any name, but not to a page in a browser of its own host', async (t) => {
  const service = await startTestService({ listen: [{ host: '127.0.0.1', port: 1 }, { host: '0.0.0.0', port: 2 }] });
  t.teardown(() => service.close());
  const ask = async (remoteAddress: string, headers: Record<string, string>) => (await service.app.inject({ url: '/health', remoteAddress, headers })).statusCode;
  t.equal(await ask('10.0.0.7', { host: 'docling:5001' }), 200);
  for (const remoteAddress of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) t.equal(await ask(remoteAddress, { host: 'evil.example.com' }), 403, remoteAddress);
  for (const host of ['localhost:1', '10.0.0.7:2', '[::1]:1']) t.equal(await ask('127.0.0.1', { host }), 200, host);
  const passedOn = { 'host': 'docs.example.org', 'x-forwarded-for': '10.0.0.7' };
  t.equal(await ask('127.0.0.1', passedOn), 403, 'that a proxy passes it on any page can say');
  const proxied = { listen: [{ host: '0.0.0.0', port: 2 }], trustedProxies: [parseNetwork('127.0.0.1/32') as Network] };
  for (const [allowedHosts, status] of [[[], 403], [['docs.example.org'], 200]] as const) {
    const behind = await startTestService({ ...proxied, allowedHosts: [...allowedHosts] });
    t.teardown(() => behind.close());
    const answer = await behind.app.inject({ url: '/health', remoteAddress: '127.0.0.1', headers: passedOn });
    t.equal(answer.statusCode, status, `a listed proxy on this host, hosts ${JSON.stringify(allowedHosts)}`);
  }
});

t.test('keys of any kind are accepted and not needed', async (t) => {
  const service = await startTestService();
  t.teardown(() => service.close());
  for (const headers of [{ 'x-api-key': 'secret' }, { authorization: 'Bearer secret' }, { 'x-api-key': 'Bearer secret' }]) {
    t.equal((await service.app.inject({ url: '/v1/clear/converters', headers: headers as Record<string, string> })).statusCode, 200);
  }
});
