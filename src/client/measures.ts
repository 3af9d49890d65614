/** Measures of a benchmark: as a table for people, as JSON lines for programs, and held against those of an earlier run. */
import { readFileSync } from 'node:fs';
import { LecternError } from '../errors.js';

export interface BenchmarkMeasure {
  /** Unique within a benchmark: two runs are compared by it. */
  name: string;
  value: number;
  /** As it is printed: `ms`, `tokens/s`, `MB`. */
  unit: string;
  better: 'more' | 'less';
}

/** Lost at most before `--against` is a failure, as a share: neighbours on the machine do as much. */
export const usualLoss = 0.1;

export function tableOf(measures: BenchmarkMeasure[]): string {
  const width = Math.max(0, ...measures.map(({ name }) => name.length));
  return measures.map(({ name, value, unit }) => `${name.padEnd(width)}  ${digits(value).padStart(10)} ${unit}`).join('\n');
}

export function jsonLines(bench: string, measures: BenchmarkMeasure[]): string {
  return measures.map((measure) => `${JSON.stringify({ bench, ...measure })}\n`).join('');
}

function digits(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/** Lines that hold no measure, a note of the machine for one, are passed over. Throws `invalid_request` where nothing is left. */
export function parseLines(text: string, bench: string, file: string): BenchmarkMeasure[] {
  const found = text.split('\n').filter((line) => line.startsWith('{')).flatMap((line): BenchmarkMeasure[] => {
    const { bench: of, name, value, unit, better } = parse(line, file);
    if (of !== bench || typeof name !== 'string' || typeof value !== 'number' || !Number.isFinite(value) || (better !== 'more' && better !== 'less')) return [];
    return [{ name, value, unit: typeof unit === 'string' ? unit : '', better }];
  });
  if (found.length === 0) throw new LecternError('invalid_request', `${file} holds no measures of the benchmark ${bench}.`);
  return found;
}

function parse(line: string, file: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch (cause) {
    throw new LecternError('invalid_request', `${file} is no baseline: a line of it is no JSON.`, { cause });
  }
}

export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new LecternError('invalid_request', `The baseline ${file} cannot be read: ${(cause as Error).message}.`, { cause });
  }
}

export interface Comparison {
  /** One for each measure that both have, `WORSE` where more was lost than may be. */
  lines: string[];
  worse: number;
  /** Of the baseline, not measured now: a missing measure is no evidence that it is as good. */
  missing: string[];
}

/** Loss: of a value that should be large the share that is gone, of one that should be small the share that it grew by. */
export function compare(before: BenchmarkMeasure[], now: BenchmarkMeasure[], maxLoss: number): Comparison {
  const found = new Map(now.map((measure) => [measure.name, measure]));
  const comparison: Comparison = { lines: [], worse: 0, missing: [] };
  const width = Math.max(0, ...before.map(({ name }) => name.length));
  for (const { name, value: was, unit, better } of before) {
    const is = found.get(name)?.value;
    if (is === undefined) {
      comparison.missing.push(name);
      continue;
    }
    const change = was === 0 ? (is === 0 ? 0 : Infinity) : is / was - 1;
    const isWorse = (better === 'more' ? -change : change) > maxLoss;
    if (isWorse) comparison.worse++;
    comparison.lines.push(`${name.padEnd(width)}  ${digits(was).padStart(10)} -> ${digits(is).padStart(10)} ${unit}  ${change > 0 ? '+' : ''}${(change * 100).toFixed(1)} %${isWorse ? '  WORSE' : ''}`);
  }
  return comparison;
}

/** `10%` or `0.1`. Throws `invalid_request`. */
export function parseShare(text: string): number {
  const share = text.endsWith('%') ? Number(text.slice(0, -1)) / 100 : Number(text);
  if (text.trim() === '' || !Number.isFinite(share) || share < 0) throw new LecternError('invalid_request', `--loss must be a share such as 10% or 0.1, not "${text}".`);
  return share;
}
