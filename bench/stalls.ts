/** `bench stalls`: how long /health waits while hostile requests are answered or refused. */
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Measure } from '../src/client/measures.js';
import { type HostileRequest, hostileRequests, writeHostileModels } from '../test/support/hostile-requests.js';
import { startStallProbe } from '../test/support/stall-probe.js';
import { programOf, startProcess } from './service-process.js';

/** The longest that /health may wait, in milliseconds. */
const longestStallMs = 50;
/** Ordinary requests whose latency is told. */
const ordinary = 200;

interface Outcome {
  status: number;
  ms: number;
  message: string;
}

export async function run(args: string[]): Promise<{ code: number; measures: Measure[] } | number> {
  const { values } = parseArgs({ args, options: { only: { type: 'string' } } });
  const folder = mkdtempSync(join(tmpdir(), 'lectern-stalls-'));
  writeHostileModels(folder);
  const service = await startProcess(programOf(['serve']), { LECTERN_MODELS: folder, LECTERN_STATE: join(folder, 'state'), LECTERN_DEVICE: 'cpu' });
  try {
    if ('missing' in service) {
      console.error(service.missing);
      return 2;
    }
    return await measure(service.base, values.only ?? '');
  } finally {
    if ('stop' in service) await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(base: string, only: string): Promise<{ code: number; measures: Measure[] }> {
  const measures: Measure[] = [];
  let code = 0;
  const asked = { name: '', path: '/v1/chat/completions', status: [200], body: () => JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'hi' }], max_tokens: 1 }) };
  await send(base, asked, asked.body());
  const times: number[] = [];
  for (let round = 0; round < ordinary; round++) times.push((await send(base, asked, asked.body())).ms);
  times.sort((a, b) => a - b);
  measures.push({ name: 'an ordinary request, median', value: times[ordinary / 2] as number, unit: 'ms', better: 'less' });
  console.log(`an ordinary request of one token: median ${(times[ordinary / 2] as number).toFixed(2)} ms`);
  const probe = startStallProbe(base);
  await sleep(500);
  console.log(`with nothing beside it /health waits at most ${(await probe.take()).worst.toFixed(1)} ms\n`);
  console.log(`${'status'.padStart(6)} ${'ms'.padStart(8)} ${'worst /health, ms'.padStart(18)}  request`);
  for (const hostile of hostileRequests.filter(({ name }) => name.includes(only))) {
    const body = hostile.body();
    await probe.take();
    const { status, ms, message } = await send(base, hostile, body);
    await sleep(20);
    const { worst, failed } = await probe.take();
    const wrong = [...(hostile.status.includes(status) ? [] : [`must be ${hostile.status.join(' or ')}: ${message}`]), ...(failed > 0 ? [`${failed} of /health failed`] : []), ...(worst > longestStallMs ? [`more than ${longestStallMs} ms`] : [])];
    if (wrong.length > 0) code = 1;
    measures.push({ name: hostile.name, value: worst, unit: 'ms', better: 'less' });
    console.log(`${String(status).padStart(6)} ${ms.toFixed(0).padStart(8)} ${worst.toFixed(1).padStart(18)}  ${hostile.name}${wrong.length > 0 ? `  <- ${wrong.join('; ')}` : ''}`);
  }
  await probe.close();
  return { code, measures };
}

/** Status 0 where the connection ended without an answer. */
function send(base: string, { path, type = 'application/json' }: HostileRequest, body: string | Uint8Array): Promise<Outcome> {
  const began = performance.now();
  return new Promise((resolve) => {
    const end = (status: number, message: string): void => resolve({ status, ms: performance.now() - began, message });
    const asking = request(`${base}${path}`, { method: 'POST', headers: { 'content-type': type, 'content-length': Buffer.byteLength(body) } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece: string) => { text = (text + piece).slice(0, 200); });
      answer.on('end', () => end(answer.statusCode ?? 0, text)).on('error', (error) => end(0, error.message));
    });
    asking.on('error', (error) => end(0, error.message));
    asking.end(body);
  });
}
