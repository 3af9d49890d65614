// Every request is counted once and has its line in the log, however its client leaves.
import t from 'tap';
import { createServer } from 'node:https';
import { createServer as createPlain } from 'node:http';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { examinePort } from '../../src/cli/examine-directories.js';
import { makeCertificate } from '../support/certificate.js';
import { form, startTestService } from '../support/http-service.js';
import { fakeLanguage } from '../support/language-service.js';
import { openWith } from '../support/raw-http.js';
import { serveProgram } from '../support/serving-program.js';
import { until } from '../support/until.js';

const service = await startTestService({}, { language: fakeLanguage() });
t.teardown(() => service.close());
const port = Number(new URL(await service.listen()).port);

const sample = async (name: string): Promise<number> => {
  const { body } = await service.app.inject({ url: '/metrics' });
  return Number(body.split('\n').find((line) => line.startsWith(`${name} `))?.split(' ').at(-1) ?? 0);
};
/** As long as it grows: what a client that left did is heard of a moment later. */
const settled = async (name: string, value: number): Promise<number> => {
  await until(`${name} ${value}`, async () => await sample(name) >= value);
  return sample(name);
};

/** Leaves as soon as it has all bytes of the answer, as curl does. */
function uploadAndLeave(): Promise<void> {
  const { payload, headers } = form('a.pdf');
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
      const length = /content-length: (\d+)/i.exec(text)?.[1];
      const head = text.indexOf('\r\n\r\n');
      if (length !== undefined && head >= 0 && text.length >= head + 4 + Number(length)) socket.destroy();
    });
    socket.on('close', () => (text.startsWith('HTTP/1.1 200') ? resolve() : reject(new Error(text))));
    socket.on('error', reject);
    socket.write(`POST /v1/convert/file HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: ${headers['content-type']}\r\ncontent-length: ${payload.length}\r\n\r\n`);
    socket.write(payload);
  });
}

t.test('clients that leave with the last byte', async (t) => {
  const name = 'lectern_http_requests_total{method="POST",route="/v1/convert/file",status="200"}';
  for (let i = 0; i < 20; i++) await uploadAndLeave();
  t.equal(await settled(name, 20), 20);
  t.equal(await sample('lectern_http_request_duration_seconds_count{method="POST",route="/v1/convert/file"}'), 20);
  t.ok(await sample('lectern_http_request_duration_seconds_sum{method="POST",route="/v1/convert/file"}') > 0);
  const answer = await service.app.inject({ url: '/v1/status/poll/none' });
  const lines = service.log.filter(({ fields }) => fields['requestId'] === answer.headers['x-request-id']);
  t.match(lines, [{ level: 'info', fields: { method: 'GET', route: '/v1/status/poll/:task_id', status: 404 }, message: 'a request ended' }]);
  t.equal(lines.length, 1);
});

t.test('clients that leave before: a stream half way, a conversion without its answer', async (t) => {
  const json = JSON.stringify({ model: 'talker', stream: true, messages: [{ role: 'user', content: 'one !hang' }] });
  const stream = await openWith(port, `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n${json}`);
  await new Promise((resolve) => stream.once('data', resolve));
  stream.destroy();
  const streams = 'lectern_http_requests_total{method="POST",route="/v1/chat/completions",status="200"}';
  t.equal(await settled(streams, 1), 1);
  const { payload, headers } = form('slow.pdf');
  const before = service.payloads.length;
  const upload = await openWith(port, `POST /v1/convert/file HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: ${headers['content-type']}\r\ncontent-length: ${payload.length}\r\n\r\n${payload.toString()}`);
  await until('its work begins', () => service.payloads.length > before);
  upload.destroy();
  t.equal(await settled('lectern_http_requests_total{method="POST",route="/v1/convert/file",status="499"}', 1), 1);
  const left = service.log.find(({ message }) => message.startsWith('a client went away'));
  const ended = service.log.filter(({ fields }) => fields['requestId'] === left?.fields['requestId']).map(({ message }) => message);
  t.strictSame(ended.sort(), ['a client went away, its conversion is cancelled', 'a request ended']);
});

t.test('refused before anything was read, unknown, and probes', async (t) => {
  const name = (status: number, route: string): string => `lectern_http_requests_total{method="GET",route="${route}",status="${status}"}`;
  const before = service.log.length;
  await service.app.inject({ url: '/version', headers: { host: 'evil.example.com' } });
  await service.app.inject({ url: '/nope' });
  await service.app.inject({ url: '/health' });
  t.strictSame([await sample(name(403, '/version')), await sample(name(404, 'unknown')), await sample(name(200, '/health'))], [1, 1, 0]);
  const lines = service.log.slice(before).filter(({ fields }) => fields['route'] !== '/metrics').map(({ level, fields }) => [level, fields['route'], fields['status']]);
  t.strictSame(lines, [['info', '/version', 403], ['info', 'unknown', 404], ['debug', '/health', 200]]);
});

t.test('the doctor knows a Lectern that serves over TLS, or that refuses it', async (t) => {
  const { cert, key } = makeCertificate(1);
  const secure = createServer({ cert, key }, (_request, response) => response.end('{"lectern":"9.9.9"}'));
  const refusing = createPlain((_request, response) => response.writeHead(403, { 'x-request-id': 'x' }).end('{"detail":"127.0.0.1 is not in the access list of this service."}'));
  const stranger = createPlain((_request, response) => response.writeHead(403, { server: 'uvicorn' }).end('{"detail":"Forbidden."}'));
  const found: string[] = [];
  for (const server of [secure, refusing, stranger]) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.teardown(() => { server.closeAllConnections(); server.close(); });
    const { state, what } = await examinePort({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
    found.push(`${state} ${what.replace(/:\d+/, '')}`);
  }
  t.strictSame(found, ['good port: 127.0.0.1: Lectern 9.9.9 serves there', 'good port: 127.0.0.1: a Lectern that does not tell its version serves there', 'bad port: 127.0.0.1 cannot be opened']);
});

t.test('a directory of models that somebody named and that cannot be read is no readiness', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'lectern-ready-'));
  const models = join(home, 'models');
  const program = await serveProgram(home, ['--models', models, '--workers', '1']);
  t.teardown(async () => {
    await program.end('SIGTERM');
    rmSync(home, { recursive: true, force: true });
  });
  const ready = async (): Promise<[number, string | undefined]> => {
    const answer = await fetch(`${program.url}/ready`);
    return [answer.status, (await answer.json() as { detail?: string }).detail];
  };
  await until('the models were looked at', async () => (await ready())[1] !== 'Models not yet loaded');
  t.strictSame(await ready(), [503, `The model directory ${models} does not exist.`]);
  t.equal(program.said.filter((line) => line.startsWith('{"level":"warn"') && line.includes(`The model directory ${models} does not exist.`)).length, 1, 'and a warning');
  writeFileSync(models, 'a file');
  t.strictSame(await ready(), [503, `The model directory ${models} is no directory.`]);
  rmSync(models);
  mkdirSync(models);
  t.strictSame(await ready(), [200, undefined], 'looked at again');
});
