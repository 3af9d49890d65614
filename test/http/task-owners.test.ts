// Whose tasks a caller sees: its own, all of them as an administrator or where the setting says so.
import t, { type Test } from 'tap';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import WebSocket from 'ws';
import { type AccessSettings, Gate } from '../../src/http/access-gate.js';
import { hashKey } from '../../src/network/access-key.js';
import { form, startTestService, type TestService, testSettings } from '../support/http-service.js';

const list = `
10.1.0.0/16       researcher
10.1.2.9          administrator
key laptop researcher ${hashKey('lk-laptop')}
`;

function settingsFor(t: Test, text: string): AccessSettings {
  const accessList = join(t.testdir(), 'access');
  writeFileSync(accessList, text);
  return { ...testSettings, listen: [{ host: '0.0.0.0', port: 1 }], accessList };
}

async function open(t: Test): Promise<TestService> {
  const settings = settingsFor(t, list);
  const service = await startTestService(settings, { gate: new Gate(settings) });
  t.teardown(() => service.close());
  return service;
}

t.test('a task is for its owner and administrators', async (t) => {
  const { app, tasks, listen } = await open(t);
  const [anna, bert, boss] = [{ remoteAddress: '10.1.0.1' }, { remoteAddress: '10.1.0.2' }, { remoteAddress: '10.1.2.9' }];
  const laptop = (remoteAddress: string) => ({ remoteAddress, headers: { 'x-api-key': 'lk-laptop' } });
  const submit = async (who: object): Promise<string> => {
    const body = form('a.pdf');
    const answer = await app.inject({ method: 'POST', url: '/v1/convert/file/async', payload: body.payload, ...who, headers: { ...body.headers, ...(who as { headers?: object }).headers } });
    const { task_id: id } = answer.json() as { task_id: string };
    await tasks.wait(id, 'default', 20_000);
    return id;
  };
  const statuses = async (id: string, who: object): Promise<number[]> => Promise.all(
    [`/v1/status/poll/${id}`, `/v1/result/${id}`].map(async (url) => (await app.inject({ method: 'GET', url, ...who })).statusCode),
  );
  const ofAnna = await submit(anna);
  t.strictSame(await statuses(ofAnna, anna), [200, 200]);
  t.strictSame(await statuses(ofAnna, boss), [200, 200]);
  t.strictSame(await statuses(ofAnna, { remoteAddress: '127.0.0.1' }), [200, 200]);
  t.strictSame(await statuses(ofAnna, bert), [404, 404]);
  t.strictSame(await statuses(ofAnna, laptop('10.1.0.1')), [404, 404], 'a key is an owner of its own');
  t.strictSame((await app.inject({ url: `/v1/status/poll/${ofAnna}`, ...bert })).json(), { detail: 'Task not found.' }, 'as for a task that does not exist');
  t.equal((await app.inject({ method: 'DELETE', url: `/v1/tasks/${ofAnna}`, ...bert })).statusCode, 404);
  const listed = async (who: object): Promise<string[]> => ((await app.inject({ url: '/v1/host', ...who })).json() as { tasks: { id: string }[] }).tasks.map(({ id }) => id);
  t.strictSame([await listed(anna), await listed(bert), await listed(boss)], [[ofAnna], [], [ofAnna]], 'the page shows the same');
  const ofLaptop = await submit(laptop('10.1.0.1'));
  t.strictSame(await statuses(ofLaptop, laptop('203.0.113.9')), [200, 200], 'from wherever its key comes');
  t.strictSame(await statuses(ofLaptop, anna), [404, 404]);
  const address = (await listen()).replace('http', 'ws');
  const said = async (id: string): Promise<unknown> => {
    const socket = new WebSocket(`${address}/v1/status/ws/${id}?api_key=lk-laptop`);
    const [data] = await once(socket, 'message') as [Buffer];
    socket.close();
    return JSON.parse(data.toString());
  };
  t.match(await said(ofLaptop), { message: 'connection' });
  t.match(await said(ofAnna), { message: 'error', task: null, error: 'Task not found.' });
});

t.test('programs of this host are one owner', async (t) => {
  // A list that names loopback makes its programs callers like others.
  const settings = settingsFor(t, '127.0.0.0/8 researcher\n::1 researcher\n10.1.0.0/16 researcher\n');
  const service = await startTestService(settings, { gate: new Gate(settings) });
  t.teardown(() => service.close());
  const answer = await service.app.inject({ method: 'POST', url: '/v1/convert/file/async', remoteAddress: '127.0.0.1', ...form('a.pdf') });
  const { task_id: id } = answer.json() as { task_id: string };
  const status = async (remoteAddress: string): Promise<number> => (await service.app.inject({ url: `/v1/status/poll/${id}`, remoteAddress })).statusCode;
  t.strictSame([await status('127.0.0.1'), await status('::1'), await status('127.0.0.2'), await status('10.1.0.1')], [200, 200, 200, 404]);
});

t.test('tasks are for all who may enter where the setting says so, and deleted by their owner alone', async (t) => {
  const settings = { ...settingsFor(t, list), sharedTasks: true };
  const service = await startTestService(settings, { gate: new Gate(settings) });
  t.teardown(() => service.close());
  const answer = await service.app.inject({ method: 'POST', url: '/v1/convert/file/async', remoteAddress: '10.1.0.1', ...form('a.pdf') });
  const { task_id: id } = answer.json() as { task_id: string };
  const ask = async (method: 'GET' | 'DELETE', url: string): Promise<number> => (await service.app.inject({ method, url, remoteAddress: '10.1.0.2' })).statusCode;
  t.equal(await ask('GET', `/v1/status/poll/${id}`), 200);
  t.equal(await ask('DELETE', `/v1/tasks/${id}`), 403);
});
