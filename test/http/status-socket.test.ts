// The WebSocket of a task's status, over a real connection.
import t from 'tap';
import { once } from 'node:events';
import { connect } from 'node:net';
import WebSocket from 'ws';
import { form, startTestService, type TestService } from '../support/http-service.js';
import { until } from '../support/until.js';

interface Frame {
  message: string;
  task: { task_id: string; task_status: string; task_meta: { pages_done: number } | null } | null;
  error: string | null;
}

interface Watched {
  socket: WebSocket;
  frames: Frame[];
  closed: Promise<number>;
}

function watch(url: string, onFrame?: (socket: WebSocket) => void): Watched {
  const socket = new WebSocket(url.replace('http', 'ws'));
  const frames: Frame[] = [];
  socket.on('message', (data) => {
    frames.push(JSON.parse(String(data)) as Frame);
    onFrame?.(socket);
  });
  const closed = once(socket, 'close').then(([code]) => code as number);
  return { socket, frames, closed };
}

async function submit(service: TestService, filename: string, headers = {}): Promise<string> {
  const body = form(filename);
  const answer = await service.app.inject({ method: 'POST', url: '/v1/convert/file/async', payload: body.payload, headers: { ...body.headers, ...headers } });
  return (answer.json() as { task_id: string }).task_id;
}

t.test('connection, update, then every change until the end closes it', async (t) => {
  const service = await startTestService();
  t.teardown(() => service.close());
  const url = await service.listen();
  const id = await submit(service, 'slow.pdf');
  const { socket, frames, closed } = watch(`${url}/v1/status/ws/${id}?api_key=x`);
  await once(socket, 'message');
  setTimeout(() => service.release(), 100);
  t.equal(await closed, 1000);
  t.strictSame(Object.keys(frames[0] ?? {}), ['message', 'task', 'error']);
  t.match(frames[0], { message: 'connection', task: { task_id: id }, error: null });
  t.match(frames[1], { message: 'update' });
  t.match(frames.at(-1), { message: 'update', task: { task_status: 'success', task_position: null } });
  t.equal(frames.filter(({ message }) => message === 'connection').length, 1);
});

t.test('a client that asks gets an update for each question, at a bearable pace', async (t) => {
  const service = await startTestService();
  t.teardown(() => service.close());
  const url = await service.listen();
  const id = await submit(service, 'slow.pdf');
  const begun = performance.now();
  const eager = watch(`${url}/v1/status/ws/${id}`, (socket) => socket.send('next'));
  await until('16 frames, most of them asked for', () => eager.frames.length >= 16);
  const tookMs = performance.now() - begun;
  // The greeting, the task as it is and what its start changes come unasked; between the others are 50 ms each.
  t.ok(tookMs >= 400, `16 frames in ${tookMs.toFixed(0)} ms`);
  service.release();
  t.equal(await eager.closed, 1000);
  t.match(eager.frames.at(-1), { task: { task_status: 'success' } });
});

t.test('nor does it wait for a clock that was set back', async (t) => {
  const service = await startTestService();
  t.teardown(() => service.close());
  const url = await service.listen();
  const id = await submit(service, 'slow.pdf');
  const { now } = Date;
  t.teardown(() => { Date.now = now; });
  const eager = watch(`${url}/v1/status/ws/${id}`, (socket) => socket.send('next'));
  await until('the first frames', () => eager.frames.length >= 6);
  Date.now = () => now() - 3_600_000;
  const before = eager.frames.length;
  await until('more of them', () => eager.frames.length >= before + 4);
  service.release();
  t.equal(await eager.closed, 1000);
});

t.test('a task that has ended says so at once', async (t) => {
  const service = await startTestService();
  t.teardown(() => service.close());
  const url = await service.listen();
  const id = await submit(service, 'broken.pdf');
  await service.tasks.wait(id, 'default', 60_000);
  const { frames, closed } = watch(`${url}/v1/status/ws/${id}`);
  t.equal(await closed, 1000);
  t.match(frames, [{ message: 'connection' }, { message: 'update', task: { task_status: 'failure' } }]);
  t.equal(frames.length, 2);
});

t.test('unknown tasks and other tenants', async (t) => {
  const service = await startTestService();
  t.teardown(() => service.close());
  const url = await service.listen();
  const id = await submit(service, 'a.pdf', { 'x-tenant-id': 'one' });
  for (const path of ['nope', id, `${id}?tenant_id=two`]) {
    const { frames, closed } = watch(`${url}/v1/status/ws/${path}`);
    t.equal(await closed, 1000);
    t.strictSame(frames, [{ message: 'error', task: null, error: 'Task not found.' }], path);
  }
  const own = watch(`${url}/v1/status/ws/${id}?tenant_id=one`);
  t.equal(await own.closed, 1000);
  t.match(own.frames[0], { message: 'connection' });
});

t.test('a client that leaves, one that sends too much, and one that forgets to upgrade', async (t) => {
  const service = await startTestService();
  t.teardown(() => service.close());
  const url = await service.listen();
  const id = await submit(service, 'slow.pdf');
  const leaver = watch(`${url}/v1/status/ws/${id}`);
  await once(leaver.socket, 'message');
  leaver.socket.terminate();
  const flooder = watch(`${url}/v1/status/ws/${id}`);
  flooder.socket.on('error', () => undefined);
  await once(flooder.socket, 'open');
  flooder.socket.send('x'.repeat(100_000));
  t.not(await flooder.closed, 1000);
  t.equal((await fetch(`${url}/v1/status/ws/${id}`)).status, 404);
  service.release();
  t.match(await service.tasks.wait(id, 'default', 60_000), { status: 'success' });
  t.equal((await fetch(`${url}/health`)).status, 200);
});

t.test('thousands of messages in one piece do not hold the main loop', async (t) => {
  const service = await startTestService();
  t.teardown(() => service.close());
  const url = await service.listen();
  const id = await submit(service, 'slow.pdf');
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  t.teardown(() => socket.destroy());
  const key = 'dGhlIHNhbXBsZSBub25jZQ==';
  socket.write(`GET /v1/status/ws/${id} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: ${key}\r\nsec-websocket-version: 13\r\n\r\n`);
  await once(socket, 'data');
  // An empty ping, masked with zeros, and the pong that answers it.
  const [ping, pong] = [Buffer.from('898000000000', 'hex'), '\x8a\0'];
  const count = 2000;
  let [turns, pongs, said] = [0, 0, ''];
  const turn = (): void => { turns += 1; if (pongs < count) setImmediate(turn); };
  socket.on('data', (bytes: Buffer) => {
    said += bytes.toString('latin1');
    pongs = said.split(pong).length - 1;
  });
  setImmediate(turn);
  socket.write(Buffer.concat(Array.from({ length: count }, () => ping)));
  await until('all pings are answered', () => pongs >= count);
  t.ok(turns >= count / 2, `other work came between: ${turns} turns`);
});
