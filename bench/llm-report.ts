/** The language models' bench: the shape of its report, and how it is printed. */
import type { BenchmarkMeasure } from '../src/client/measures.js';
import type { MachineNote } from './machine.js';

export interface LlmRow {
  name: 'prefill' | 'decode' | 'two sequences' | 'embed';
  /** Tokens a second; of two sequences both together. */
  ours: number;
  theirs: number | null;
  /** What must be reached in the same run. */
  bar: number | null;
}

export interface ModelReport {
  name: string;
  weightBytes: number;
  loadSeconds: number;
  theirLoadSeconds: number | null;
  /** Bytes a second that the same threads read from memory, in the same run. */
  bandwidth: number;
  instructions: string;
  /** Proportional set sizes after loading; the bar is weights once, the cache and 200 MB. */
  memory: { residentBytes: number; barBytes: number; theirsBytes: number | null };
  rows: LlmRow[];
}

export interface LlmReport extends MachineNote {
  threads: number;
  rounds: number;
  peer: string | null;
  models: ModelReport[];
}

/** Of each model the tokens a second and the memory after loading. */
export function measuresOf({ models }: LlmReport): BenchmarkMeasure[] {
  return models.flatMap(({ name, rows, memory }): BenchmarkMeasure[] => [
    ...rows.map(({ name: row, ours }): BenchmarkMeasure => ({ name: `${name} ${row}`, value: ours, unit: 'tokens/s', better: 'more' })),
    { name: `${name} memory`, value: memory.residentBytes / 1e6, unit: 'MB', better: 'less' },
  ]);
}

const verdict = (passed: boolean): string => (passed ? 'passed' : 'MISSED');
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;

export function printModel({ name, weightBytes, loadSeconds, theirLoadSeconds, bandwidth, instructions, memory, rows }: ModelReport): void {
  const theirLoad = theirLoadSeconds === null ? '' : ` (theirs ${theirLoadSeconds.toFixed(1)} s)`;
  console.log(`\n${name}, ${(weightBytes / 1e9).toFixed(2)} GB, ${instructions}; loaded in ${loadSeconds.toFixed(1)} s${theirLoad}; memory reads ${(bandwidth / 1e9).toFixed(1)} GB/s in this run`);
  console.log(['tokens/s'.padEnd(16), 'ours', 'theirs', 'ratio', 'bar'].map((cell, i) => (i === 0 ? cell : cell.padStart(9))).join(''));
  for (const { name: row, ours, theirs, bar } of rows) {
    const cells = [ours.toFixed(1), theirs?.toFixed(1) ?? '-', theirs === null ? '-' : `${(ours / theirs).toFixed(2)}x`, bar?.toFixed(1) ?? '-'];
    const share = row === 'decode' ? `   ${((100 * ours * weightBytes) / bandwidth).toFixed(0)} % of the memory's bandwidth` : '';
    console.log(`${row.padEnd(16)}${cells.map((cell) => cell.padStart(9)).join('')}   ${bar === null ? '' : verdict(ours >= bar)}${share}`);
  }
  const theirs = memory.theirsBytes === null ? '' : `, theirs ${megabytes(memory.theirsBytes)}`;
  console.log(`memory after loading ${megabytes(memory.residentBytes)}${theirs}; bar ${megabytes(memory.barBytes)}: ${verdict(memory.residentBytes <= memory.barBytes)}`);
}
