/** `bench waiting`: what requests that wait for their turn cost in memory, beyond what Node's own HTTP server holds of a connection. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import type { BenchmarkMeasure } from '../src/client/measures.js';
import { tableOf } from '../src/client/measures.js';
import { LecternError } from '../src/errors.js';
import type { LanguageServices } from '../src/http/language.js';
import { createSlots } from '../src/models/slots.js';
import { startTestService } from '../test/support/http-service.js';
import { fakeLanguage } from '../test/support/language-service.js';

/** A server whose requests never end. */
interface Holder {
  port: number;
  held(): number;
  close(): Promise<void>;
}

/** Those that come first pay for what is made once. */
const warmUp = 50;
const body = { model: 'talker', prompt: 'hello there', max_tokens: 5 };

export async function run(args: string[]): Promise<{ code: number; measures: BenchmarkMeasure[] } | number> {
  const { values } = parseArgs({ args, options: { requests: { type: 'string' } } });
  const requests = Number(values.requests ?? 1000);
  if (!Number.isInteger(requests) || requests < 1) {
    console.error('usage: npm run bench -- waiting [--requests N]');
    return 2;
  }
  const node = await bytesOf(holdWithNode, body, requests);
  const whole = await bytesOf(holdWithService, body, requests);
  const stream = await bytesOf(holdWithService, { ...body, stream: true }, requests);
  const measure = (name: string, bytes: number): BenchmarkMeasure => ({ name, value: bytes / 1e6, unit: 'MB', better: 'less' });
  const measures = [measure(`${requests} connections of Node alone`, node), measure(`${requests} waiting requests, beyond them`, whole - node), measure(`${requests} waiting streams, beyond them`, stream - node)];
  console.log(tableOf(measures));
  return { code: 0, measures };
}

async function holdWithNode(): Promise<Holder> {
  let held = 0;
  const server = createServer((request) => request.resume().on('end', () => { held++; })).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port: (server.address() as AddressInfo).port, held: () => held, close };
}

/** The service's routes and queue, with a model that writes nothing until its caller leaves: what it would hold on to keeps the bench from ending. */
async function holdWithService(): Promise<Holder> {
  const slots = createSlots({ slots: 1, maxQueue: 1_000_000, clock: { now: () => performance.now(), after: () => () => undefined } });
  const language = { ...fakeLanguage(), slots, answer: neverAnswer };
  const service = await startTestService({}, { language });
  const port = Number(new URL(await service.listen()).port);
  const close = async (): Promise<void> => {
    service.app.server.closeAllConnections();
    await service.close();
  };
  return { port, held: () => { const { working, ready } = slots.metrics(); return working + ready; }, close };
}

const neverAnswer: LanguageServices['answer'] = (_lease, _request, _listener, signal) => new Promise<never>((_resolve, reject) => {
  signal.addEventListener('abort', () => reject(new LecternError('cancelled')));
});

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

async function heapBytes(): Promise<number> {
  for (let round = 0; round < 4; round++) {
    collect();
    await sleep(50);
  }
  return getHeapStatistics().used_heap_size;
}

/** Of this thread's heap: the clients are in another. */
async function bytesOf(hold: () => Promise<Holder>, asked: object, requests: number): Promise<number> {
  const holder = await hold();
  const clients: Worker[] = [];
  const ask = async (count: number): Promise<void> => {
    const until = holder.held() + count;
    clients.push(new Worker(client, { eval: true, workerData: { port: holder.port, body: JSON.stringify(asked), count } }));
    while (holder.held() < until) await sleep(10);
  };
  await ask(warmUp);
  const before = await heapBytes();
  await ask(requests);
  const bytes = await heapBytes() - before;
  await Promise.all(clients.map((worker) => worker.terminate()));
  await holder.close();
  return bytes;
}

const client = `
const { Agent, request } = require('node:http');
const { workerData: { port, body, count } } = require('node:worker_threads');
const agent = new Agent({ maxSockets: Infinity });
for (let i = 0; i < count; i++) {
  const asking = request({ port, path: '/v1/completions', method: 'POST', agent, headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) } });
  asking.on('error', () => undefined).end(body);
}
setInterval(() => undefined, 1000);
`;
