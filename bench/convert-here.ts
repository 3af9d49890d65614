/** One document through the pipeline in this process: its outcome, its markdown, and what it cost the processor. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { convertDocument } from '../src/convert/convert.js';
import { type ConvertOptions, defaultConvertOptions } from '../src/convert/options.js';
import { shippedLayoutFinder } from '../src/convert/layout-network/shipped.js';
import { installedRecognisers, shippedLineVoting } from '../src/convert/ocr/own.js';
import type { ConvertOutcome, ConvertPorts } from '../src/convert/request.js';
import { shippedCellFinder } from '../src/convert/tables/index.js';
import { openEngine } from '../src/engine/engine.js';
import type { Engine } from '../src/engine/engine-port.js';
import { shippedModelsDirectory } from '../src/platform/package-files.js';
import type { BenchDocument } from './corpora.js';

export interface ConvertedHere {
  outcome: ConvertOutcome;
  markdown: string;
  /** Where it was asked for. */
  html: string;
  /** Where it was asked for; else an empty object. */
  json: { tables?: unknown; texts?: unknown };
  /** Of all threads of this process: what neighbours on the machine take is not in it. */
  processorMs: number;
}

/** Born-digital pages ask nothing of it. */
let opened: Engine | null = null;
export const engine = (): Engine => (opened ??= openEngine());

/** Threads of the engine keep the process alive. */
export async function closeEngine(): Promise<void> {
  await opened?.close();
  opened = null;
}

const ports: ConvertPorts = {
  engine: { deskewAngle: (...given) => engine().deskewAngle(...given) },
  recognisers: installedRecognisers(engine, process.env, shippedModelsDirectory()),
  lineVotes: shippedLineVoting(engine, shippedModelsDirectory()),
  tableCells: shippedCellFinder(engine, shippedModelsDirectory()),
  layout: shippedLayoutFinder(engine, shippedModelsDirectory()),
  progress: () => undefined,
  signal: new AbortController().signal,
};

/** `readBack`: false where only the cost matters: the results of a gigabyte are longer than a string may be. */
export async function convertHere({ pdf, password }: Pick<BenchDocument, 'pdf' | 'password'>, options: Partial<ConvertOptions> = {}, more: Partial<ConvertPorts> = {}, readBack = true): Promise<ConvertedHere> {
  const outputDirectory = mkdtempSync(join(tmpdir(), 'lectern-bench-'));
  const before = process.cpuUsage();
  try {
    const outcome = await convertDocument({
      inputPath: pdf, filename: basename(pdf), outputDirectory, failedPages: [], options: { ...defaultConvertOptions, outputs: ['md'], password, ...options },
    }, { ...ports, ...more });
    const { user, system } = process.cpuUsage(before);
    const written = (file: string | undefined): string => (file === undefined || !readBack ? '' : readFileSync(join(outputDirectory, file), 'utf8'));
    return { outcome, markdown: written(outcome.files.md), html: written(outcome.files.html), json: JSON.parse(written(outcome.files.json) || '{}') as ConvertedHere['json'], processorMs: (user + system) / 1000 };
  } finally {
    rmSync(outputDirectory, { recursive: true, force: true });
  }
}
