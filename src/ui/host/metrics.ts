/** The service's numbers, read from its Prometheus text, and how they changed. */
import { signal } from '@preact/signals';
import { ask } from '../lib/api.js';

export type Sample = ReadonlyMap<string, number>;

/** Of the last minutes, the newest last; times in seconds. */
export interface Trace { at: number[]; pages: number[]; tokens: number[]; memory: number[]; busy: number[] }

export const sample = signal<Sample>(new Map());
export const trace = signal<Trace>({ at: [], pages: [], tokens: [], memory: [], busy: [] });

const mostPoints = 300;
let before: { at: number; pages: number; tokens: number } | null = null;

function parse(text: string): Sample {
  const made = new Map<string, number>();
  for (const line of text.split('\n')) {
    const match = /^([a-z_]+(?:\{.*\})?) ([0-9.eE+-]+)$/.exec(line);
    if (match !== null) made.set(match[1] as string, Number(match[2]));
  }
  return made;
}

/** The sum of a family's samples whose labels hold `labels`. */
export function total(all: Sample, name: string, labels = ''): number {
  let sum = 0;
  for (const [key, value] of all) if ((key === name || key.startsWith(`${name}{`)) && key.includes(labels)) sum += value;
  return sum;
}

/** The values of a label with the samples that have them. */
export function byLabel(all: Sample, name: string, label: string): [value: string, sample: number, labels: string][] {
  return [...all].filter(([key]) => key.startsWith(`${name}{`)).map(([key, value]) => [new RegExp(`${label}="((?:[^"\\\\]|\\\\.)*)"`).exec(key)?.[1] ?? '', value, key]);
}

/** Throws ServiceError. */
export async function refreshMetrics(): Promise<void> {
  const all = parse(await (await ask('metrics')).text());
  sample.value = all;
  const now = { at: performance.now() / 1000, pages: total(all, 'lectern_pages_total'), tokens: total(all, 'lectern_tokens_total', 'kind="completion"') };
  if (before !== null && now.at > before.at) {
    const seconds = now.at - before.at;
    const { value } = trace;
    const push = (list: number[], one: number): number[] => [...list, one].slice(-mostPoints);
    trace.value = {
      at: push(value.at, Date.now() / 1000), pages: push(value.pages, Math.max(0, now.pages - before.pages) / seconds), tokens: push(value.tokens, Math.max(0, now.tokens - before.tokens) / seconds),
      memory: push(value.memory, (total(all, 'process_resident_memory_bytes') + total(all, 'lectern_workers_resident_memory_bytes')) / 1e6), busy: push(value.busy, total(all, 'lectern_workers', 'state="busy"')),
    };
  }
  before = now;
}
