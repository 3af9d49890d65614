// Responses that are kept: going on from one, fetching, deleting, their bounds, and whose they are.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { LecternError } from '../../src/errors.js';
import { ResponseStore } from '../../src/http/openai/response-store.js';
import { directSandbox } from '../support/direct-sandbox.js';
import { startTestService } from '../support/http-service.js';
import { fakeLanguage } from '../support/language-service.js';

function storeIn(t: Test, most = 10): { directory: string; store: ResponseStore; open: () => ResponseStore; warnings: string[] } {
  const parent = mkdtempSync(join(tmpdir(), 'lectern-responses-'));
  t.teardown(() => rmSync(parent, { recursive: true, force: true }));
  const directory = join(parent, 'responses');
  const warnings: string[] = [];
  const open = (): ResponseStore => new ResponseStore({ directory, most, log: { warn: (_fields, message) => void warnings.push(message) }, readJson: directSandbox.readJson });
  return { directory, store: open(), open, warnings };
}

async function serve(t: Test) {
  const kept = storeIn(t);
  const language = Object.assign(fakeLanguage(), { responses: kept.store });
  const service = await startTestService({}, { language });
  t.teardown(() => service.close());
  const send = (method: 'POST' | 'GET' | 'DELETE', url: string, payload?: object) => service.app.inject({ method, url, ...(payload === undefined ? {} : { payload }) });
  const ask = async (more: object) => (await send('POST', '/v1/responses', { model: 'talker', input: 'one', ...more })).json() as Record<string, unknown> & { id: string };
  const messages = () => (language.asked.at(-1)?.input as { messages: object[] }).messages;
  return { ...kept, language, send, ask, messages };
}

t.test('a conversation goes on from a response, whole and streamed, without its instructions', async (t) => {
  const { ask, messages, send, language, open } = await serve(t);
  const first = await ask({ instructions: 'Be short.' });
  t.match(first, { store: true, previous_response_id: null });
  const second = await ask({ input: 'two', previous_response_id: first.id, instructions: 'Be long.' });
  t.equal(second['previous_response_id'], first.id);
  t.same(messages(), [{ role: 'system', content: 'Be long.' }, { role: 'user', content: 'one' }, { role: 'assistant', content: 'one' }, { role: 'user', content: 'two' }]);
  const body = (await send('POST', '/v1/responses', { model: 'talker', input: 'three', previous_response_id: second.id, stream: true })).body;
  const { response } = JSON.parse(body.slice(body.lastIndexOf('data: ') + 6)) as { response: { id: string } };
  language.responses = open();
  await ask({ input: 'four', previous_response_id: response.id });
  t.same(messages().map((message) => (message as { content: string }).content), ['one', 'one', 'two', 'two', 'three', 'three', 'four'], 'also after a restart');
});

t.test('calls and their results', async (t) => {
  const { ask, messages } = await serve(t);
  const tools = [{ type: 'function', name: 'add', parameters: { type: 'object' } }];
  const { id } = await ask({ input: '!call', tools });
  await ask({ input: [{ type: 'function_call_output', call_id: 'call_1', output: '2' }], tools, previous_response_id: id });
  t.same(messages(), [{ role: 'user', content: '!call' }, { role: 'assistant', content: '', toolCalls: [{ id: 'call_1', name: 'add', arguments: { a: 1 } }] }, { role: 'tool', content: '2', toolCallId: 'call_1', toolName: 'add' }]);
});

t.test('fetched, listed, deleted; not kept where the client says so', async (t) => {
  const { ask, send, directory } = await serve(t);
  const kept = await ask({});
  t.same((await send('GET', `/v1/responses/${kept.id}`)).json(), kept);
  t.match((await send('GET', `/v1/responses/${kept.id}/input_items`)).json(), { object: 'list', data: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'one' }] }], has_more: false });
  t.match(await send('GET', `/v1/responses/${kept.id}/input_items?limit=1`), { statusCode: 400, body: /'limit' is not supported/ });
  t.match(await send('GET', `/v1/responses/${kept.id}/input_items?order=desc`), { statusCode: 400, body: /'order' is not supported/ });
  t.equal((await send('GET', `/v1/responses/${kept.id}/input_items?order=asc`)).statusCode, 200);
  const [file] = readdirSync(directory) as [string];
  t.equal(statSync(join(directory, file)).mode & 0o777, 0o600);
  t.equal(statSync(directory).mode & 0o777, 0o700);
  t.same((await send('DELETE', `/v1/responses/${kept.id}`)).json(), { id: kept.id, object: 'response', deleted: true });
  t.same(readdirSync(directory), []);
  const forgotten = await ask({ store: false });
  t.equal(forgotten['store'], false);
  for (const [method, id] of [['GET', kept.id], ['DELETE', kept.id], ['GET', forgotten.id], ['GET', '..%2F..%2Fetc'], ['GET', 'resp_x']] as const) {
    const answer = await send(method, `/v1/responses/${id}`);
    t.match([answer.statusCode, answer.json()], [404, { error: { type: 'not_found_error' } }], `${method} ${id}`);
  }
  t.match(await ask({ previous_response_id: kept.id }), { error: { param: 'previous_response_id', type: 'invalid_request_error' } });
});

t.test('switched off: nothing is kept, and who asks for it is refused by name', async (t) => {
  const service = await startTestService({}, { language: fakeLanguage() });
  t.teardown(() => service.close());
  const ask = async (more: object) => (await service.app.inject({ method: 'POST', url: '/v1/responses', payload: { model: 'talker', input: 'x', ...more } })).json() as object;
  t.match(await ask({}), { store: false });
  t.match(await ask({ store: true }), { error: { param: 'store', message: /stored-responses/ } });
  t.match(await ask({ previous_response_id: 'r' }), { error: { param: 'previous_response_id', message: /stored-responses/ } });
});

const id = (digit: number): string => `resp_${String(digit).repeat(32)}`;
const ids = (directory: string): string[] => readdirSync(directory).map((file) => file.slice(0, file.indexOf('.'))).sort();
const stored = (owner: string, text = 'x') => ({ owner, response: { text }, input: [], messages: [] });

t.test('only their owner finds them', async (t) => {
  const { store } = storeIn(t);
  await store.keep(id(1), stored('key anna'));
  t.equal(await store.find(id(1), 'key bert'), undefined);
  t.equal(await store.delete(id(1), 'key bert'), false);
  t.same(await store.find(id(1), 'key anna'), stored('key anna'));
});

t.test('bounds: the oldest leave first, one that is too long is not kept, a disk that takes nothing is reported', async (t) => {
  const { store, directory, open, warnings } = storeIn(t, 2);
  for (const digit of [1, 2, 3]) await store.keep(id(digit), stored('a'));
  t.same(ids(directory), [id(2), id(3)]);
  t.equal(await store.find(id(1), 'a'), undefined);
  const later = open();
  t.equal(await later.keep(id(4), stored('a', 'x'.repeat(9 * 2 ** 20))), false);
  await later.keep(id(5), stored('a'));
  t.same(ids(directory), [id(3), id(5)], 'what an earlier process kept counts');
  writeFileSync(join(directory, readdirSync(directory).find((file) => file.startsWith(id(3))) as string), '{"owner":');
  t.equal(await open().find(id(3), 'a'), undefined, 'a damaged file is none');
  rmSync(directory, { recursive: true });
  writeFileSync(directory, '');
  t.equal(await later.keep(id(6), stored('a')), true);
  t.match(await later.find(id(6), 'a'), { owner: 'a' });
  t.match(warnings, [/could not be written/, /could not be removed/]);
});

t.test('the caller that keeps the most gives up its oldest, also after a restart', async (t) => {
  const { store, directory, open } = storeIn(t, 4);
  await store.keep(id(1), stored('quiet'));
  for (const digit of [2, 3, 4, 5, 6]) await store.keep(id(digit), stored('busy'));
  t.same(ids(directory), [id(1), id(4), id(5), id(6)]);
  await open().keep(id(7), stored('third'));
  t.same(ids(directory), [id(1), id(5), id(6), id(7)]);
});

t.test('a response of an earlier program, whose file has no owner in its name, is found by its owner', async (t) => {
  const { directory, open } = storeIn(t);
  mkdirSync(directory);
  writeFileSync(join(directory, id(1)), JSON.stringify(stored('anna')));
  t.same(await open().find(id(1), 'anna'), stored('anna'));
  t.equal(await open().find(id(1), 'bert'), undefined);
  t.equal(await open().delete(id(1), 'anna'), true);
  t.same(readdirSync(directory), []);
});

t.test('a response that could not be read back is not said to be kept, and a busy service is not a missing response', async (t) => {
  const { ask, send, store } = await serve(t);
  const long = await ask({ input: Array.from({ length: 4_000 }, () => ({ role: 'user', content: [{ type: 'input_text', text: 'one' }] })) });
  t.match(long, { store: false });
  t.equal((await send('GET', `/v1/responses/${long.id}`)).statusCode, 404);
  const kept = await ask({});
  const settings = (store as unknown as { settings: { readJson: unknown } }).settings;
  const { readJson } = settings;
  settings.readJson = async () => { throw new LecternError('queue_full'); };
  t.equal((await send('GET', `/v1/responses/${kept.id}`)).statusCode, 503);
  t.equal((await send('DELETE', `/v1/responses/${kept.id}`)).statusCode, 503);
  settings.readJson = readJson;
  t.equal((await send('GET', `/v1/responses/${kept.id}`)).statusCode, 200, 'it is there');
});

t.test('what a process left half written is removed', async (t) => {
  const { directory, open } = storeIn(t);
  mkdirSync(directory);
  writeFileSync(join(directory, `.resp_${'0'.repeat(32)}-0123abcd`), 'half');
  t.equal(await open().find(`resp_${'1'.repeat(32)}`, 'a'), undefined);
  t.same(readdirSync(directory), []);
});
