/** Makes shards of labelled pages: `node --import tsx models/training/documents/make.ts OUT --pages N --split train --seed S`. A batch that was stopped goes on where it was. */
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { damages } from './builder/damage.js';
import type { Damage } from './builder/damage.js';
import type { BatchOptions, ShardReport } from './builder/make-shard.js';
import { count } from './builder/make-shard.js';
import { rendererNames } from './builder/renderers/index.js';
import type { Split } from './builder/programs.js';

const SHARD_PAGES = 250;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pages: { type: 'string', default: '1000' }, split: { type: 'string', default: 'train' }, seed: { type: 'string', default: '1' }, workers: { type: 'string' }, renderer: { type: 'string', default: 'chromium' }, damage: { type: 'string', default: 'none' },
    'shard-pages': { type: 'string', default: String(SHARD_PAGES) }, minutes: { type: 'string' }, pdf: { type: 'boolean', default: false }, root: { type: 'string', default: new URL('.', import.meta.url).pathname },
  },
});
const [out] = positionals;
if (out === undefined || !['train', 'dev', 'test'].includes(values.split) || !rendererNames.some((name) => name === values.renderer) || !damages.some((name) => name === values.damage)) {
  process.stderr.write(`make.ts OUT [--pages N] [--split train|dev|test] [--seed S] [--renderer ${rendererNames.join('|')}] [--damage ${damages.join('|')}] [--workers N] [--shard-pages ${SHARD_PAGES}] [--minutes M] [--pdf] [--root DIRECTORY]\n`);
  process.exit(2);
}
const options: BatchOptions = { out, split: values.split as Split, seed: Number(values.seed), shardPages: Number(values['shard-pages']), renderer: values.renderer, damage: values.damage as Damage, root: values.root, keepPdf: values.pdf };
const shards = Math.ceil(Number(values.pages) / options.shardPages);
const until = values.minutes === undefined ? Infinity : performance.now() + Number(values.minutes) * 60_000;
const total = { pages: 0, words: 0, documents: 0, processor: 0, printing: 0 };
const drops: Record<string, number> = {};
const begin = performance.now();
let next = 0;

function report(index: number, shard: ShardReport): void {
  for (const key of ['pages', 'words', 'documents', 'processor', 'printing'] as const) total[key] += shard[key];
  for (const [reason, times] of Object.entries(shard.drops)) count(drops, reason, times);
  const minutes = (performance.now() - begin) / 60_000;
  process.stdout.write(`shard ${index}: ${shard.pages} pages of ${shard.documents} documents; ${total.pages} pages, ${Math.round(total.pages / minutes)} a minute; dropped ${JSON.stringify(shard.drops)}\n`);
}

function work(): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker: ChildProcess = fork(new URL('builder/worker.ts', import.meta.url), [JSON.stringify(options)], { execArgv: ['--import', 'tsx'] });
    worker.on('message', (message: { index?: number; report?: ShardReport; error?: string }) => {
      if (message.error !== undefined) process.stderr.write(`shard ${message.index}: ${message.error}\n`);
      if (message.report !== undefined) report(message.index!, message.report);
      worker.send(next < shards && performance.now() < until ? next++ : -1);
    });
    worker.on('error', reject);
    worker.on('exit', () => resolve());
  });
}

await Promise.all(Array.from({ length: Number(values.workers ?? cpus().length) }, work));
process.stdout.write(`${JSON.stringify({ ...total, drops, minutes: (performance.now() - begin) / 60_000 })}\n`);
