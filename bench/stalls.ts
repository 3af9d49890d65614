/** `bench stalls`: how long /health waits while hostile requests are answered or refused, and how long the longest turn of the main loop computes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { BenchmarkMeasure } from '../src/client/measures.js';
import { hostileRequests, sendHostile, writeHostileModels } from '../test/support/hostile-requests.js';
import { longestTurn, meterTurns, sharedClock } from '../test/support/loop-meter.js';
import { startStallProbe } from '../test/support/stall-probe.js';
import { programOf, startProcess } from './service-process.js';

/** The longest that /health may wait, in milliseconds. */
const longestStallMs = 50;
/** Ordinary requests of which the latency is measured. */
const ordinary = 200;

export async function run(args: string[]): Promise<{ code: number; measures: BenchmarkMeasure[] } | number> {
  const { values } = parseArgs({ args, options: { only: { type: 'string' } } });
  const folder = mkdtempSync(join(tmpdir(), 'lectern-stalls-'));
  writeHostileModels(folder);
  const turns = join(folder, 'turns');
  const service = await startProcess(programOf(['serve']), { LECTERN_MODELS: folder, LECTERN_STATE: join(folder, 'state'), LECTERN_DEVICE: 'cpu', ...meterTurns(turns) });
  try {
    if ('missing' in service) {
      console.error(service.missing);
      return 2;
    }
    return await measure(service.base, turns, values.only ?? '');
  } finally {
    if ('stop' in service) await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(base: string, turns: string, only: string): Promise<{ code: number; measures: BenchmarkMeasure[] }> {
  const measures: BenchmarkMeasure[] = [];
  let code = 0;
  const asked = { name: '', path: '/v1/chat/completions', status: [200], body: () => JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'hi' }], max_tokens: 1 }) };
  await sendHostile(base, asked, asked.body());
  const times: number[] = [];
  for (let round = 0; round < ordinary; round++) times.push((await sendHostile(base, asked, asked.body())).ms);
  times.sort((a, b) => a - b);
  measures.push({ name: 'an ordinary request, median', value: times[ordinary / 2] as number, unit: 'ms', better: 'less' });
  console.log(`an ordinary request of one token: median ${(times[ordinary / 2] as number).toFixed(2)} ms`);
  const probe = startStallProbe(base);
  await sleep(500);
  console.log(`with nothing beside it /health waits at most ${(await probe.take()).worst.toFixed(1)} ms\n`);
  console.log(`${loadavg()[0]?.toFixed(1)} is the load of the machine, with ${availableParallelism()} processors\n`);
  console.log(`${'status'.padStart(6)} ${'ms'.padStart(8)} ${'worst /health, ms'.padStart(18)} ${'longest turn, ms'.padStart(17)}  request`);
  let longest = 0;
  for (const hostile of hostileRequests.filter(({ name }) => name.includes(only))) {
    const body = hostile.body();
    await probe.take();
    const began = sharedClock();
    const { status, ms, message } = await sendHostile(base, hostile, body);
    await sleep(20);
    const { worst, failed } = await probe.take();
    const turn = longestTurn(turns, began);
    longest = Math.max(longest, worst);
    const wrong = [...(hostile.status.includes(status) ? [] : [`must be ${hostile.status.join(' or ')}: ${message.slice(0, 200)}`]), ...(failed > 0 ? [`${failed} of /health failed`] : []), ...(worst > longestStallMs ? [`more than ${longestStallMs} ms`] : [])];
    if (wrong.length > 0) code = 1;
    measures.push({ name: hostile.name, value: worst, unit: 'ms', better: 'less' });
    console.log(`${String(status).padStart(6)} ${ms.toFixed(0).padStart(8)} ${worst.toFixed(1).padStart(18)} ${(turn === null ? '-' : turn.toFixed(1)).padStart(17)}  ${hostile.name}${wrong.length > 0 ? `  <- ${wrong.join('; ')}` : ''}`);
  }
  console.log(`\nat worst /health waits ${longest.toFixed(1)} ms. A turn is one of the main loop, in time of its processor; what /health waits beyond it other processes of the machine take.`);
  await probe.close();
  return { code, measures };
}
