/** `bench llm`: language models of published shapes on this machine's processor, alone or in turns with llama.cpp on the same files. */
import { spawnSync } from 'node:child_process';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { BenchmarkMeasure as Found } from '../src/client/measures.js';
import { packageRoot } from '../src/platform/package-files.js';
import { measuresOf, printModel, type LlmReport, type LlmRow, type ModelReport } from './llm-report.js';
import { machine } from './machine.js';
import { installPeer } from './peer.js';
import { quantile } from './quality.js';
import { TimedEngine } from './timed-engine.js';

const usage = 'usage: npm run bench -- llm [--peer] [--rounds N] [--threads N] [--model NAME]... [--json FILE]\nModels are kept in LECTERN_BENCH_MODELS, or lectern-bench in the directory for temporary files.';

export { measuresOf };

interface BenchModel {
  name: string;
  /** Of the two sequences together, against one of the peer's. */
  twoBar: number;
  embeds: boolean;
}

const models: readonly BenchModel[] = [
  { name: 'qwen2.5-0.5b-q4_k_m', twoBar: 1.9, embeds: false },
  { name: 'llama-3.2-1b-q4_k_m', twoBar: 1.9, embeds: false },
  { name: 'llama-3.2-1b-q8_0', twoBar: 1.6, embeds: false },
  { name: 'bge-m3-f16', twoBar: 0, embeds: true },
];

const prefillTokens = 512;
const decodeTokens = 32;
/** Beyond weights and cache, for everything else. */
const spareBytes = 200e6;

interface Measure {
  row: LlmRow['name'];
  line: string;
  tokens: number;
}

const decoderMeasures: readonly Measure[] = [
  { row: 'prefill', line: `prefill ${prefillTokens}`, tokens: prefillTokens },
  { row: 'decode', line: `decode 1 ${decodeTokens}`, tokens: decodeTokens },
  { row: 'two sequences', line: `decode 2 ${decodeTokens}`, tokens: 2 * decodeTokens },
];
const encoderMeasures: readonly Measure[] = [{ row: 'embed', line: `embed ${prefillTokens}`, tokens: prefillTokens }];

export async function run(args: string[]): Promise<number | { code: number; measures: Found[] }> {
  const { values } = parseArgs({
    args,
    options: { peer: { type: 'boolean' }, rounds: { type: 'string' }, threads: { type: 'string' }, model: { type: 'string', multiple: true }, json: { type: 'string' } },
  });
  const [rounds, threads] = [Number(values.rounds ?? 5), Number(values.threads ?? 2)];
  const wanted = values.model ?? models.map(({ name }) => name);
  const unknown = wanted.find((name) => !models.some((model) => model.name === name));
  if (unknown !== undefined || !(rounds >= 1) || !(threads >= 1)) {
    console.error(`${unknown === undefined ? 'Rounds and threads are whole numbers from 1 on.' : `There is no model '${unknown}'; there are ${models.map(({ name }) => name).join(', ')}.`}\n${usage}`);
    return 2;
  }
  const folder = modelFolder();
  const peer = values.peer ? installPeer('node-llama-cpp') : null;
  const report: LlmReport = { ...machine(), threads, rounds, peer: peer === null ? null : 'llama.cpp (node-llama-cpp)', models: [] };
  console.log(`${report.date}, commit ${report.commit || 'unknown'}, ${report.processor}, ${threads} threads, medians of ${rounds} rounds${peer === null ? '' : ', in turns with llama.cpp'}`);
  for (const model of models.filter(({ name }) => wanted.includes(name))) {
    const measured = await measureModel(model, madeModel(folder, model.name), threads, rounds, peer);
    report.models.push(measured);
    printModel(measured);
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 1)}\n`);
  return { code: 0, measures: measuresOf(report) };
}

/** Where models for benchmarks are kept from run to run. */
export function modelFolder(): string {
  return process.env['LECTERN_BENCH_MODELS'] ?? join(tmpdir(), 'lectern-bench');
}

export function nativeBench(): string {
  const path = join(packageRoot(), 'build/native/bin/native_bench');
  if (!existsSync(path)) throw new Error('native_bench is not built: npm install builds it.');
  return path;
}

/** The model of this name, made where it is not there yet. */
export function madeModel(folder: string, name: string): string {
  const path = join(folder, `${name}.gguf`);
  if (existsSync(path)) return path;
  console.log(`making ${name} in ${folder} …`);
  const { status, stderr } = spawnSync(nativeBench(), ['--make-model', folder, name], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the model cannot be made: ${stderr.trim()}`);
  return path;
}

async function measureModel(model: BenchModel, path: string, threads: number, rounds: number, peer: string | null): Promise<ModelReport> {
  const ours = await TimedEngine.open(nativeBench(), ['--model', path, String(threads)]);
  const theirs = peer === null ? null : await TimedEngine.open(process.execPath, [join(packageRoot(), 'dist/bench/llm-peer.js'), peer, path, String(threads), model.embeds ? 'embeds' : 'decodes']);
  try {
    const weightBytes = statSync(path).size;
    const memory = { residentBytes: ours.residentBytes(), barBytes: weightBytes + ours.kvBytes + spareBytes, theirsBytes: theirs?.residentBytes() ?? null };
    const measures = model.embeds ? encoderMeasures : decoderMeasures;
    const rates = await takeTurns(ours, theirs, measures, rounds);
    const middle = (row: string, whose: 'ours' | 'theirs'): number | null => quantile(rates.filter((rate) => rate.row === row && rate.whose === whose).map(({ rate }) => rate), 0.5);
    const bandwidth = middle('bandwidth', 'ours') ?? 0;
    const single = middle('decode', 'theirs');
    const rows = measures.map(({ row }): LlmRow => {
      const mine = middle(row, 'ours') ?? 0;
      const other = middle(row, 'theirs');
      return { name: row, ours: mine, theirs: other, bar: barOf(model, row, other, single, bandwidth / weightBytes) };
    });
    return { name: model.name, weightBytes, loadSeconds: ours.loadSeconds, theirLoadSeconds: theirs?.loadSeconds ?? null, bandwidth, instructions: ours.instructions, memory, rows };
  } finally {
    await ours.close();
    await theirs?.close();
  }
}

interface Rate {
  row: string;
  whose: 'ours' | 'theirs';
  /** Tokens, or bytes, a second. */
  rate: number;
}

/** Ours and theirs one after the other at every measure, and the other way round in every other round; a first round to warm up is not counted. */
async function takeTurns(ours: TimedEngine, theirs: TimedEngine | null, measures: readonly Measure[], rounds: number): Promise<Rate[]> {
  const rates: Rate[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const found: Rate[] = [{ row: 'bandwidth', whose: 'ours', rate: await ours.measure('bandwidth') }];
    for (const { row, line, tokens } of measures) {
      const both = [{ engine: ours, whose: 'ours' as const }, ...(theirs === null ? [] : [{ engine: theirs, whose: 'theirs' as const }])];
      for (const { engine, whose } of round % 2 === 0 ? both : both.reverse()) found.push({ row, whose, rate: tokens / (await engine.measure(line)) });
    }
    if (round > 0) rates.push(...found);
  }
  return rates;
}

/** What must be reached against the peer; null where there is none. A decoder reads all its weights for one token, so the memory sets the other limit of decoding. */
function barOf(model: BenchModel, row: LlmRow['name'], theirs: number | null, theirSingle: number | null, readsPerSecond: number): number | null {
  if (theirs === null) return row === 'decode' ? 0.85 * readsPerSecond : null;
  if (row === 'prefill') return 2 * theirs;
  if (row === 'embed') return 1.5 * theirs;
  if (row === 'decode') return Math.min(1.3 * theirs, 0.85 * readsPerSecond);
  return theirSingle === null ? null : model.twoBar * theirSingle;
}
