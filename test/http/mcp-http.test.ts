// /mcp of the service itself, over streamable HTTP with the SDK's own client: tools, progress, resources, cancelling, sessions and their owners.
import t from 'tap';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ownTaskResult, taskResult } from '../../src/client/convert-document.js';
import { Service } from '../../src/client/service.js';
import { InnerRequests } from '../../src/http/mcp/inner-service.js';
import { ToolSessions } from '../../src/mcp/sessions.js';
import { startTestService } from '../support/http-service.js';
import { fakeLanguage } from '../support/language-service.js';
import { until } from '../support/until.js';

const language = fakeLanguage();
const service = await startTestService({ maxFileSize: 2 ** 21 }, { language });
const url = await service.listen();
const opened: Client[] = [];
t.teardown(async () => {
  for (const client of opened) await client.close();
  await service.close();
});

async function connect(headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  opened.push(client);
  return client;
}

interface Result { isError?: boolean; content: { type: string; text: string }[] }
const client = await connect();
const call = async (name: string, args: Record<string, unknown>): Promise<Result> => await client.callTool({ name, arguments: args }) as Result;
const textOf = async (name: string, args: Record<string, unknown>): Promise<string> => (await call(name, args)).content[0]?.text ?? '';
const sent = (name: string): Record<string, unknown> => ({ content_base64: Buffer.from(name).toString('base64'), filename: name });

t.test('tools and their descriptions; no path of this machine', async (t) => {
  const { tools } = await client.listTools();
  t.strictSame(tools.map(({ name }) => name), ['convert_document', 'chunk_document', 'task_status', 'get_result', 'cancel_task', 'list_models', 'chat', 'embed']);
  t.notOk(JSON.stringify(tools).includes('Absolute path'));
  t.match(await call('convert_document', { path: '/etc/passwd' }), { isError: true, content: [{ text: 'Give either content_base64 or url.' }] });
});

t.test('convert with progress that moves with pages, and the result as a resource', async (t) => {
  const heard: { progress: number; total?: number | undefined }[] = [];
  const slow = client.callTool({ name: 'convert_document', arguments: sent('slow-one.pdf') }, undefined, { onprogress: (one) => { heard.push(one); } }) as Promise<Result>;
  await until('progress of the task', () => heard.some(({ progress, total }) => progress >= 1 && total === 4));
  service.release();
  t.equal((await slow).content[0]?.text, '# slow-one.pdf');
  const { resources: [latest] } = await client.listResources();
  t.match(latest, { name: 'slow-one.pdf', mimeType: 'text/markdown', uri: /^lectern:\/\/results\// });
  t.match((await client.readResource({ uri: latest?.uri ?? '' })).contents, [{ mimeType: 'text/markdown', text: '# slow-one.pdf' }]);
  await t.rejects(client.readResource({ uri: `${latest?.uri ?? ''}/html` }), { message: /was not converted to html, but to md/ });
  await t.rejects(client.readResource({ uri: 'lectern://results/nothing' }), { code: -32002, message: /Task not found/ });
  await t.rejects(client.readResource({ uri: 'file:///etc/passwd' }), { code: -32002 });
  t.match((await client.listResourceTemplates()).resourceTemplates, [{ uriTemplate: 'lectern://results/{task_id}' }, { uriTemplate: /format/ }]);
});

t.test('a task of its own: started, asked about, fetched, cancelled', async (t) => {
  const { task_id: id } = JSON.parse(await textOf('convert_document', { ...sent('later.pdf'), wait: false })) as { task_id: string };
  t.match(JSON.parse(await textOf('task_status', { task_id: id, wait_s: 20 })), { task_id: id, task_status: 'success' });
  t.equal(await textOf('get_result', { task_id: id }), '# later.pdf');
  t.match(JSON.parse(await textOf('cancel_task', { task_id: id })), { task_id: id });
  t.match(await call('task_status', { task_id: id }), { isError: true, content: [{ text: /Task not found/ }] });
  t.match(await call('convert_document', { url: 'https://example.org/a.pdf' }), { isError: true, content: [{ text: /source kind 'http' is not allowed/ }] }, 'hosts are named by the settings');
});

t.test('chat, its cancelling, and vectors', async (t) => {
  t.equal(await textOf('chat', { prompt: 'say this again' }), 'say this again');
  t.match(JSON.parse(await textOf('embed', { input: ['a', 'b'] })), { embeddings: [[0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5]] });
  t.match(await call('chat', { prompt: '!defect' }), { isError: true, content: [{ text: /Internal processing error/ }] });
  const stop = new AbortController();
  const begun = language.signals.length;
  const hanging = client.callTool({ name: 'chat', arguments: { prompt: 'wait !hang' } }, undefined, { signal: stop.signal }).then(() => 'answered', () => 'cancelled');
  await until('the chat begins', () => language.signals.length > begun);
  stop.abort();
  t.equal(await hanging, 'cancelled');
  await until('the service hears of it', () => language.signals.at(-1)?.aborted === true);
});

const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } } };
const post = (body: unknown, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> => fetch(`${url}/mcp`, {
  method: 'POST', headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }, body: typeof body === 'string' ? body : JSON.stringify(body), ...(signal === undefined ? {} : { signal }),
});

t.test('the current version of the protocol, the one before, and none of tomorrow', async (t) => {
  for (const [asked, given] of [['2025-11-25', '2025-11-25'], ['2025-06-18', '2025-06-18'], ['2099-01-01', '2025-11-25']] as const) {
    const answer = await post({ ...initialize, params: { ...initialize.params, protocolVersion: asked } });
    t.match([answer.status, await answer.text()], [200, new RegExp(`"protocolVersion":"${given}"`)]);
  }
});

t.test('sessions: opened, refused, ended, and cancelled with their connection', async (t) => {
  const answer = await post(initialize);
  const id = answer.headers.get('mcp-session-id') ?? '';
  t.match(id, /^[0-9a-f-]{36}$/);
  await answer.text();
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
  t.equal((await post(list, { 'mcp-session-id': id })).status, 200);
  t.match([(await post(list)).status, (await post(list, { 'mcp-session-id': 'overheard' })).status], [400, 404]);
  const broken = await post('{"a":');
  t.match([broken.status, await broken.json()], [400, { jsonrpc: '2.0', error: { code: -32700 }, id: null }]);
  t.equal((await fetch(`${url}/mcp`)).status, 405);
  const leave = new AbortController();
  const begun = language.signals.length;
  const gone = post({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'chat', arguments: { prompt: 'wait !hang' } } }, { 'mcp-session-id': id }, leave.signal).then((one) => one.text()).catch(() => 'gone');
  await until('the chat begins', () => language.signals.length > begun);
  leave.abort();
  t.equal(await gone, 'gone');
  await until('the work ends with the connection', () => language.signals.at(-1)?.aborted === true);
  t.equal((await fetch(`${url}/mcp`, { method: 'DELETE', headers: { 'mcp-session-id': id } })).status, 200);
  t.equal((await post(list, { 'mcp-session-id': id })).status, 404, 'an ended session is gone');
});

t.test('a session is its caller\'s, and the idlest of a caller with many ends', async (t) => {
  const sessions = new ToolSessions({ version: '1', onDefect: () => undefined });
  t.teardown(() => sessions.close());
  const ask = (owner: string, body: object, id?: string): Promise<Response> => sessions.handle({
    request: new Request('http://x.localhost/mcp', { method: 'POST', headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...(id === undefined ? {} : { 'mcp-session-id': id }) } }),
    body, owner, service: new Service(url),
  }, new AbortController().signal);
  const open = async (owner: string): Promise<string> => {
    const answer = await ask(owner, initialize);
    await answer.text();
    return answer.headers.get('mcp-session-id') ?? '';
  };
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
  const mine = await open('key anna');
  t.strictSame([(await ask('key anna', list, mine)).status, (await ask('key bert', list, mine)).status], [200, 404]);
  for (let count = 0; count < 40; count += 1) await open('key bert');
  t.equal(sessions.size, 1 + 32);
  const last = await ask('key anna', list, mine);
  t.equal(last.status, 200, 'those of others stay');
  await last.text();
});

const headerOf = async (body: object): Promise<Record<string, string>> => {
  const answer = await post(body);
  await answer.text();
  return { 'mcp-session-id': answer.headers.get('mcp-session-id') ?? '' };
};
const calling = (id: string | number, name: string, args: object): object => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } });

t.test('what a session cannot be used for', async (t) => {
  const session = await headerOf(initialize);
  for (const body of [[calling(5, 'list_models', {})], calling('x'.repeat(201), 'list_models', {})]) {
    const answer = await post(body, session);
    t.match([answer.status, await answer.json()], [400, { error: { code: -32600 } }]);
  }
  const began = performance.now();
  t.match(await call('convert_document', { filename: 'a.pdf', content_base64: `A${' '.repeat(300_000)}!` }), { isError: true, content: [{ text: 'content_base64 is not base64.' }] });
  t.ok(performance.now() - began < 2_000, 'spaces cost no square of their number');
  for (const id of ['..%5C..%5Cclear%5Cresults', '..\\..\\clear\\results', '..', '%2e%2e']) await t.rejects(client.readResource({ uri: `lectern://results/${id}` }), { code: -32002 }, id);
});

t.test('a cancelled call ends its stream', async (t) => {
  const session = await headerOf(initialize);
  const begun = language.signals.length;
  const hanging = post(calling(7, 'chat', { prompt: 'wait !hang' }), session).then((answer) => answer.text());
  await until('the chat begins', () => language.signals.length > begun);
  t.equal((await post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }, session)).status, 202);
  t.match(await hanging, /"id":7,"error":\{"code":-32800/);
});

t.test('a client that leaves while it reads a result leaves the result; what it started itself is cancelled', async (t) => {
  for (const [read, asked] of [[taskResult, []], [ownTaskResult, ['DELETE /v1/tasks/1']]] as const) {
    const stop = new AbortController();
    const seen: string[] = [];
    const hanging = new Service('http://x.localhost', (address, { method = 'GET', signal }) => {
      seen.push(`${method} ${address.pathname}`);
      if (method === 'DELETE') return Promise.resolve(Response.json({}));
      return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
    });
    const reading = read(hanging, '1', { signal: stop.signal });
    stop.abort();
    await t.rejects(reading, { code: 'cancelled' });
    t.strictSame(seen, ['GET /v1/status/poll/1', ...asked]);
  }
});

t.test('calls of one caller that are under way at once, and answers that are too long, are refused', async (t) => {
  const session = await headerOf(initialize);
  const begun = language.signals.length;
  const leave = new AbortController();
  const hanging = Array.from({ length: 40 }, (_, index) => post(calling(100 + index, 'chat', { prompt: 'wait !hang' }), session, leave.signal).then((answer) => answer.text()).catch(() => 'gone'));
  await until('some begin', () => language.signals.length > begun);
  t.match(await Promise.race(hanging), /At most 32 calls/);
  leave.abort();
  await Promise.all(hanging);
  const requests = new InnerRequests();
  const end = requests.begin('a');
  for (let count = 1; count < 32; count += 1) requests.begin('a');
  t.throws(() => requests.begin('a'), { code: 'queue_full' });
  t.doesNotThrow(() => requests.begin('b')());
  end();
  end();
  t.doesNotThrow(() => requests.begin('a'));
  t.throws(() => requests.begin('a'), { code: 'queue_full' }, 'an end counts once');
  let said = '';
  for (let turn = 0; turn < 50 && said !== 'room again'; turn += 1) {
    said = await textOf('chat', { prompt: 'room again' });
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  t.equal(said, 'room again');
  t.match(await call('chat', { prompt: 'x'.repeat(5 * 2 ** 20) }), { isError: true, content: [{ text: /more than 4 MiB|longer|too/ }] });
});

t.test('a caller whose sessions are all in use gets no other, and ends none of others', async (t) => {
  const sessions = new ToolSessions({ version: '1', onDefect: () => undefined });
  t.teardown(() => sessions.close());
  const endless = new Service('http://x.localhost', () => new Promise(() => undefined));
  const ask = (owner: string, body: object, id?: string): Promise<Response> => sessions.handle({
    request: new Request('http://x.localhost/mcp', { method: 'POST', headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...(id === undefined ? {} : { 'mcp-session-id': id }) } }),
    body, owner, service: endless,
  }, new AbortController().signal);
  const open = async (owner: string): Promise<string> => {
    const answer = await ask(owner, initialize);
    await answer.text();
    return answer.headers.get('mcp-session-id') ?? '';
  };
  await open('key anna');
  for (let count = 0; count < 32; count += 1) await ask('key carl', calling(9, 'list_models', {}), await open('key carl'));
  t.equal((await ask('key carl', initialize)).status, 503);
  t.equal(sessions.size, 33);
  t.equal((await sessions.handle({ request: new Request('http://x.localhost/mcp', { method: 'POST', headers: { accept: 'text/plain' } }), body: initialize, owner: 'key dora', service: endless }, new AbortController().signal)).status, 406);
  t.equal(sessions.size, 33);
});
