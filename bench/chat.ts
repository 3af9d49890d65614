/** `bench chat`: what HTTP and TypeScript add to the engine. Time to first token and per token in turns with native_bench, and /health while both slots write. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { BenchmarkMeasure } from '../src/client/measures.js';
import { madeModel, modelFolder, nativeBench } from './llm.js';
import { machine, type MachineNote } from './machine.js';
import { quantile } from './quality.js';
import { programOf, startProcess } from './service-process.js';
import { TimedEngine } from './timed-engine.js';

const usage = 'usage: npm run bench -- chat [--rounds N] [--threads N] [--model NAME] [--json FILE]\nModels are those of bench llm.';

/** As native_bench has it: what stands in a slot when decoding begins, tokens of a prompt, tokens of an answer. */
const decodePrompt = 64;
const prefillTokens = 512;
const decodeTokens = 32;
const contextTokens = 1024;
/** HTTP and all that may add this share. */
const bar = 1.03;
const healthBarMs = 50;

interface Row {
  name: 'first token' | 'per token';
  /** Medians of the rounds. */
  nativeMs: number;
  httpMs: number;
}

export interface ChatReport extends MachineNote {
  model: string;
  threads: number;
  rounds: number;
  rows: Row[];
  /** Of one token: events that carried them. */
  eventsPerToken: number;
  health: { medianMs: number; p99Ms: number; maxMs: number; count: number };
}

export async function run(args: string[]): Promise<{ code: number; measures: BenchmarkMeasure[] } | number> {
  const { values } = parseArgs({ args, options: { rounds: { type: 'string' }, threads: { type: 'string' }, model: { type: 'string' }, json: { type: 'string' } } });
  const [rounds, threads, model] = [Number(values.rounds ?? 7), Number(values.threads ?? 2), values.model ?? 'llama-3.2-1b-q4_k_m'];
  if (!(rounds >= 1) || !(threads >= 1)) {
    console.error(`Rounds and threads are whole numbers from 1 on.\n${usage}`);
    return 2;
  }
  const state = mkdtempSync(join(tmpdir(), 'lectern-bench-'));
  const path = madeModel(modelFolder(), model);
  const service = await startProcess(programOf(['serve']), {
    LECTERN_STATE: state, LECTERN_MODELS: modelFolder(), LECTERN_WORKERS: '1', LECTERN_THREADS: String(threads), LECTERN_DEVICE: 'cpu', LECTERN_CONTEXT_LENGTH: String(contextTokens),
  });
  if ('missing' in service) throw new Error(service.missing);
  const native = await TimedEngine.open(nativeBench(), ['--model', path, String(threads)]);
  try {
    const client = new CompletionClient(service.base, model);
    const report: ChatReport = { ...machine(), model, threads, rounds, ...await takeTurns(native, client, rounds), health: await probeHealth(client) };
    print(report);
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 1)}\n`);
    return { code: 0, measures: measuresOf(report) };
  } finally {
    await native.close();
    await service.stop();
    rmSync(state, { recursive: true, force: true });
  }
}

/** What a client waits for, and what HTTP adds to it. */
export function measuresOf({ rows, health }: ChatReport): BenchmarkMeasure[] {
  return [
    ...rows.flatMap(({ name, nativeMs, httpMs }): BenchmarkMeasure[] => [
      { name, value: httpMs, unit: 'ms', better: 'less' },
      { name: `${name} of native`, value: httpMs / nativeMs, unit: 'x', better: 'less' },
    ]),
    { name: '/health, 99 %', value: health.p99Ms, unit: 'ms', better: 'less' },
  ];
}

interface Streamed {
  firstMs: number;
  /** From the first event to the last, by the tokens that came after the first event. */
  perTokenMs: number;
  tokens: number;
  events: number;
}

class CompletionClient {
  readonly #base: string;
  readonly #model: string;
  readonly #agent = new Agent({ keepAlive: true });
  #fresh = 0;

  constructor(base: string, model: string) {
    this.#base = base;
    this.#model = model;
  }

  /** Writes so many tokens after a prompt that begins as no other did: nothing of an earlier one can be taken over. */
  async complete(promptTokens: number, maxTokens: number, signal?: AbortSignal): Promise<Streamed> {
    const first = ++this.#fresh;
    const prompt = Array.from({ length: promptTokens }, (_, place) => (place === 0 ? 1000 + first : (place * 7 + first) % 50_000));
    const body = JSON.stringify({ model: this.#model, prompt, max_tokens: maxTokens, stream: true, temperature: 0, ignore_eos: true, return_token_ids: true });
    const began = performance.now();
    const asking = request(`${this.#base}/v1/completions`, { method: 'POST', agent: this.#agent, headers: { 'content-length': Buffer.byteLength(body) }, ...(signal === undefined ? {} : { signal }) });
    asking.end(body);
    const [answer] = await once(asking, 'response') as [IncomingMessage];
    const arrivals: { atMs: number; tokens: number }[] = [];
    let rest = '';
    for await (const chunk of answer) {
      const atMs = performance.now() - began;
      const events = (rest + String(chunk)).split('\n\n');
      rest = events.pop() as string;
      // Others than data are comments: the model may take long to load.
      for (const event of events.filter((one) => one.startsWith('data: ') && one !== 'data: [DONE]')) {
        const tokens = tokensOf(JSON.parse(event.slice('data: '.length)));
        if (tokens > 0) arrivals.push({ atMs, tokens });
      }
    }
    const [head, last] = [arrivals[0], arrivals.at(-1)];
    if (answer.statusCode !== 200 || head === undefined || last === undefined) throw new Error(`the service answers ${answer.statusCode}: ${rest.slice(0, 300)}`);
    const tokens = arrivals.reduce((sum, arrival) => sum + arrival.tokens, 0);
    return { firstMs: head.atMs, perTokenMs: (last.atMs - head.atMs) / Math.max(1, tokens - head.tokens), tokens, events: arrivals.length };
  }

  async health(): Promise<number> {
    const asked = performance.now();
    const asking = request(`${this.#base}/health`, { agent: this.#agent });
    asking.end();
    const [answer] = await once(asking, 'response') as [IncomingMessage];
    for await (const chunk of answer) void chunk;
    return performance.now() - asked;
  }
}

function tokensOf(event: { choices?: { token_ids?: number[] }[]; error?: { message: string } }): number {
  if (event.error !== undefined) throw new Error(event.error.message);
  return event.choices?.[0]?.token_ids?.length ?? 0;
}

/** Natively and through HTTP one after the other at every measure, the other way round in every other round; a first round warms up and is not counted. */
async function takeTurns(native: TimedEngine, client: CompletionClient, rounds: number): Promise<Pick<ChatReport, 'rows' | 'eventsPerToken'>> {
  const times = { 'first token': { native: [] as number[], http: [] as number[] }, 'per token': { native: [] as number[], http: [] as number[] } };
  let [events, tokens] = [0, 0];
  for (let round = 0; round <= rounds; round += 1) {
    const measures = [
      async () => { times['first token'].native.push(1000 * await native.measure(`prefill ${prefillTokens}`)); },
      async () => { times['first token'].http.push((await client.complete(prefillTokens, 1)).firstMs); },
      async () => { times['per token'].native.push(1000 * await native.measure(`decode 1 ${decodeTokens}`) / decodeTokens); },
      async () => {
        const streamed = await client.complete(decodePrompt, decodeTokens + 1);
        times['per token'].http.push(streamed.perTokenMs);
        events += streamed.events;
        tokens += streamed.tokens;
      },
    ];
    for (const measure of round % 2 === 0 ? measures : measures.reverse()) await measure();
    if (round === 0) for (const { native: ours, http } of Object.values(times)) for (const list of [ours, http]) list.length = 0;
  }
  const rows = (Object.entries(times) as [Row['name'], { native: number[]; http: number[] }][]).map(([name, { native: direct, http }]) =>
    ({ name, nativeMs: quantile(direct, 0.5) ?? 0, httpMs: quantile(http, 0.5) ?? 0 }));
  return { rows, eventsPerToken: events / tokens };
}

async function probeHealth(client: CompletionClient): Promise<ChatReport['health']> {
  const times: number[] = [];
  const leave = new AbortController();
  let writing = 2;
  const streams = [1, 2].map(() => client.complete(decodePrompt, contextTokens - decodePrompt, leave.signal).catch((thrown: unknown) => {
    if (!leave.signal.aborted) throw thrown;
  }).finally(() => { writing -= 1; }));
  // Both prompts are read by then.
  await sleep(2000);
  for (let probe = 0; probe < 200 && writing === 2; probe += 1) {
    times.push(await client.health());
    await sleep(20);
  }
  leave.abort();
  await Promise.all(streams);
  if (times.length === 0) throw new Error('the slots were done before /health was asked');
  return { medianMs: quantile(times, 0.5) ?? 0, p99Ms: quantile(times, 0.99) ?? 0, maxMs: Math.max(...times), count: times.length };
}

function print({ date, commit, processor, model, threads, rounds, rows, eventsPerToken, health }: ChatReport): void {
  const verdict = (passed: boolean): string => (passed ? 'passed' : 'MISSED');
  console.log(`${date}, commit ${commit || 'unknown'}, ${processor}, ${model}, ${threads} threads, medians of ${rounds} rounds`);
  console.log(`${'ms'.padEnd(16)}${['native', 'HTTP', 'ratio'].map((cell) => cell.padStart(10)).join('')}`);
  for (const { name, nativeMs, httpMs } of rows) {
    const ratio = httpMs / nativeMs;
    console.log(`${name.padEnd(16)}${nativeMs.toFixed(2).padStart(10)}${httpMs.toFixed(2).padStart(10)}${ratio.toFixed(3).padStart(10)}   bar ${bar}: ${verdict(ratio <= bar)}`);
  }
  console.log(`${eventsPerToken.toFixed(2)} events a token; each holds all tokens that were there when it left`);
  console.log(`/health while both slots write, ${health.count} times: median ${health.medianMs.toFixed(1)} ms, 99 % ${health.p99Ms.toFixed(1)} ms, most ${health.maxMs.toFixed(1)} ms   bar ${healthBarMs} ms: ${verdict(health.maxMs <= healthBarMs)}`);
}
