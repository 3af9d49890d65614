/** Documents through the real worker processes, as the service sends them: for tests of what strangers send. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { convertDocumentInPool, type ConversionLimits } from '../../src/convert/task/document-attempts.js';
import { defaultConvertOptions, type ConvertOptions } from '../../src/convert/options.js';
import type { ConvertOutcome } from '../../src/convert/request.js';
import { createPool } from '../../src/workers/pool.js';
import type { PoolOptions, WorkerPool } from '../../src/workers/types.js';
import { mebibyte, program } from './workers.js';

export interface Answer {
  outcome: ConvertOutcome;
  /** The contract's `document` object. */
  document: { filename: string; md_content: string | null };
  /** Below the output directory, the answer's own file left out. */
  files: string[];
  /** Of every file there, the answer's own too. */
  digest: string;
  ms: number;
}

export class DocumentPool {
  readonly pool: WorkerPool;
  readonly lines: string[] = [];
  readonly #directory: string;
  readonly #limits: ConversionLimits;
  #jobs = 0;

  /** `directory` exists and is empty; it is empty again after `close`. */
  constructor(directory: string, limits: Partial<ConversionLimits> = {}, maxResidentBytes = 700 * mebibyte, over: Partial<PoolOptions> = {}) {
    this.#directory = directory;
    this.#limits = { pageMs: 60_000, documentMs: 300_000, graceMs: 2_000, maxLostPages: 2, ...limits };
    const extension = import.meta.url.endsWith('.js') ? 'js' : 'ts';
    this.pool = createPool({
      command: program(new URL(`../../src/worker.${extension}`, import.meta.url)), size: 2, maxResidentBytes, watchMs: 20,
      scratchDirectory: join(directory, 'scratch'), filesDirectory: join(directory, 'scratch'), log: (level, message) => this.lines.push(`${level} ${message}`), ...over,
    });
  }

  /** `limits` of this document alone, before those of the pool. */
  async convert(filename: string, bytes: Uint8Array, options: Partial<ConvertOptions> = {}, limits: Partial<ConversionLimits> = {}): Promise<Answer> {
    const job = join(this.#directory, String(++this.#jobs));
    const outputDirectory = join(job, 'out');
    mkdirSync(job);
    writeFileSync(join(job, 'input'), bytes);
    try {
      const begin = performance.now();
      const outcome = await convertDocumentInPool(
        { inputPath: join(job, 'input'), filename, outputDirectory, options: { ...defaultConvertOptions, ...options } },
        {
          pool: this.pool, limits: { ...this.#limits, ...limits }, signal: new AbortController().signal, onProgress: () => undefined,
          log: (message, cause) => this.lines.push(`${message}: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`),
        },
      );
      const ms = performance.now() - begin;
      const files = readdirSync(outputDirectory, { recursive: true }).map(String).filter((file) => file !== outcome.contentFile);
      const digest = createHash('sha256');
      for (const file of [...files, outcome.contentFile].sort()) {
        if (statSync(join(outputDirectory, file)).isFile()) digest.update(file).update(readFileSync(join(outputDirectory, file)));
      }
      return { outcome, files, ms, digest: digest.digest('hex'), document: JSON.parse(readFileSync(join(outputDirectory, outcome.contentFile), 'utf8')) as Answer['document'] };
    } finally {
      rmSync(job, { recursive: true, force: true });
    }
  }

  /** Ends the workers; their remaining files are in the answer. */
  async close(): Promise<string[]> {
    await this.pool.close();
    return readdirSync(this.#directory);
  }
}
