/** `bench onnx`: networks from files on this machine's processor, alone or in turns with onnxruntime on the same files and inputs. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { BenchmarkMeasure } from '../src/client/measures.js';
import { packageRoot } from '../src/platform/package-files.js';
import { nativeBench } from './llm.js';
import { machine, type MachineNote } from './machine.js';
import { installPeer } from './peer.js';
import { quantile } from './quality.js';
import { TimedEngine } from './timed-engine.js';

const usage = 'usage: npm run bench -- onnx [--peer] [--pack FOLDER] [--net NAME]... [--rounds N] [--threads N] [--json FILE]\nThe pack is a folder with nets/NAME/net.json; ../shared/conformance/onnx where there is none.';

/** Sizes at which networks are used, beside those of the pack's cases. */
const usualSizes: Readonly<Record<string, readonly (readonly number[])[]>> = {
  ppocrv4_det_mobile: [[1, 3, 640, 640]],
  ppocrv4_rec_mobile: [[6, 3, 48, 320]],
  yolo_small: [[1, 3, 640, 640]],
};
/** Of the peer's time: what must be reached by the networks that the program reads documents with. */
const bar = 1.2;
const barred = /^(?:ppocr|rtdetr)/;
/** Runs at a time, whose middle one counts. */
const runs = 5;
/** Before each turn: by then the other's threads no longer wait for work with the processor's time. */
const pauseMs = 20;

interface Case {
  net: string;
  model: string;
  shape: readonly number[];
  input: string;
}

export interface OnnxRow {
  net: string;
  shape: string;
  /** Milliseconds, medians over the rounds. */
  ours: number;
  theirs: number | null;
  /** Of ours over theirs in the same round. */
  ratio: number | null;
  passed: boolean | null;
}

export interface OnnxReport extends MachineNote {
  threads: number;
  rounds: number;
  peer: string | null;
  rows: OnnxRow[];
}

export async function run(args: string[]): Promise<{ code: number; measures: BenchmarkMeasure[] } | number> {
  const { values } = parseArgs({
    args,
    options: {
      peer: { type: 'boolean' }, pack: { type: 'string' }, net: { type: 'string', multiple: true }, rounds: { type: 'string' }, threads: { type: 'string' }, json: { type: 'string' },
    },
  });
  const [rounds, threads] = [Number(values.rounds ?? 7), Number(values.threads ?? 2)];
  const pack = values.pack ?? join(packageRoot(), '../shared/conformance/onnx');
  const problem = problemWith(rounds, threads, join(pack, 'nets'), values.net ?? []);
  if (problem !== null) {
    console.error(`${problem}\n${usage}`);
    return 2;
  }
  const peer = values.peer ? installPeer('onnxruntime-node') : null;
  const report: OnnxReport = { ...machine(), threads, rounds, peer: peer === null ? null : 'onnxruntime (onnxruntime-node)', rows: [] };
  console.log(`${report.date}, commit ${report.commit || 'unknown'}, ${report.processor}, ${threads} threads, medians of ${rounds} rounds of ${runs} runs${peer === null ? '' : ', in turns with onnxruntime'}`);
  console.log(['network'.padEnd(28), 'input'.padEnd(16), 'ours', 'theirs', 'ratio'].map((cell, i) => (i < 2 ? cell : cell.padStart(11))).join(''));
  for (const net of values.net ?? readdirSync(join(pack, 'nets'))) {
    const cases = casesOf(join(pack, 'nets'), net);
    for (const row of await measureNet(cases, threads, rounds, peer)) {
      report.rows.push(row);
      printRow(row);
    }
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 1)}\n`);
  return { code: report.rows.some(({ passed }) => passed === false) ? 1 : 0, measures: measuresOf(report) };
}

/** Of each network and input the time of a run, and of the peer's where it ran. */
export function measuresOf({ rows }: OnnxReport): BenchmarkMeasure[] {
  return rows.flatMap(({ net, shape, ours, ratio }): BenchmarkMeasure[] => [
    { name: `${net} ${shape}`, value: ours, unit: 'ms', better: 'less' },
    ...(ratio === null ? [] : [{ name: `${net} ${shape} of the peer's`, value: ratio, unit: 'x', better: 'less' as const }]),
  ]);
}

function problemWith(rounds: number, threads: number, nets: string, wanted: readonly string[]): string | null {
  if (!(rounds >= 1) || !(threads >= 1)) return 'Rounds and threads are whole numbers from 1 on.';
  if (!existsSync(nets)) return `There is no pack: ${nets} is missing.`;
  const unknown = wanted.find((name) => !existsSync(join(nets, name, 'net.json')));
  return unknown === undefined ? null : `There is no network '${unknown}'; there are ${readdirSync(nets).join(', ')}.`;
}

/** The pack's own cases and the usual sizes, these with random input that is kept from run to run. */
function casesOf(nets: string, net: string): Case[] {
  const folder = join(nets, net);
  const { cases } = JSON.parse(readFileSync(join(folder, 'net.json'), 'utf8')) as { cases: { inputs: { file: string; shape: number[] }[] }[] };
  const model = join(folder, 'model.onnx');
  const stored = cases.flatMap(({ inputs }) => inputs.slice(0, 1)).map(({ file, shape }) => ({ net, model, shape, input: join(folder, file) }));
  return [...stored, ...(usualSizes[net] ?? []).map((shape) => ({ net, model, shape, input: randomInput(shape) }))];
}

function randomInput(shape: readonly number[]): string {
  const folder = join(tmpdir(), 'lectern-bench');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `uniform-${shape.join('x')}.bin`);
  if (!existsSync(path)) {
    let state = 1;
    const values = Float32Array.from({ length: shape.reduce((product, size) => product * size, 1) }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state / 2 ** 31 - 1;
    });
    writeFileSync(path, values);
  }
  return path;
}

/** Ours and theirs one after the other at every case, and the other way round in every other round; a first round to warm up is not counted. */
async function measureNet(cases: readonly Case[], threads: number, rounds: number, peer: string | null): Promise<OnnxRow[]> {
  const model = cases[0]?.model ?? '';
  const ours = await TimedEngine.open(nativeBench(), ['--network', model, String(threads)]);
  const theirs = peer === null ? null : await TimedEngine.open(process.execPath, [join(packageRoot(), 'dist/bench/onnx-peer.js'), peer, model, String(threads)]);
  try {
    const times = cases.map(() => ({ ours: [] as number[], theirs: [] as number[] }));
    for (let round = 0; round <= rounds; round += 1) {
      for (const [i, { shape, input }] of cases.entries()) {
        const both = [{ engine: ours, into: times[i]?.ours }, ...(theirs === null ? [] : [{ engine: theirs, into: times[i]?.theirs }])];
        for (const { engine, into } of round % 2 === 0 ? both : both.reverse()) {
          await wait(pauseMs);
          const seconds = await engine.measure(`run ${runs} ${shape.join('x')} ${input}`);
          if (round > 0) into?.push(seconds * 1000);
        }
      }
    }
    return cases.map(({ net, shape }, i) => rowOf(net, shape, times[i]?.ours ?? [], times[i]?.theirs ?? []));
  } finally {
    await ours.close();
    await theirs?.close();
  }
}

function rowOf(net: string, shape: readonly number[], ours: readonly number[], theirs: readonly number[]): OnnxRow {
  const ratio = quantile(theirs.map((time, round) => (ours[round] ?? NaN) / time), 0.5);
  return {
    net, shape: shape.join('x'), ours: quantile([...ours], 0.5) ?? NaN, theirs: quantile([...theirs], 0.5), ratio,
    passed: ratio === null || !barred.test(net) ? null : ratio <= bar,
  };
}

function printRow({ net, shape, ours, theirs, ratio, passed }: OnnxRow): void {
  const cells = [`${ours.toFixed(2)} ms`, theirs === null ? '-' : `${theirs.toFixed(2)} ms`, ratio === null ? '-' : `${ratio.toFixed(2)}x`];
  const verdict = passed === null ? '' : `   ${passed ? 'passed' : 'MISSED'} (${bar}x)`;
  console.log(`${net.padEnd(28)}${shape.padEnd(16)}${cells.map((cell) => cell.padStart(11)).join('')}${verdict}`);
}
