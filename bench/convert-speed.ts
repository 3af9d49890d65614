/** Time and memory of conversions: one core, two workers, and a document of 1,000 pages through the running service. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { defaultConvertOptions, type ConvertOptions } from '../src/convert/options.js';
import type { ConvertOutcome, ConvertRequest } from '../src/convert/request.js';
import { workerCommand } from '../src/program/worker-command.js';
import { packageRoot } from '../src/platform/package-files.js';
import { createPool } from '../src/workers/pool.js';
import type { WorkerPool } from '../src/workers/types.js';
import { convertHere } from './convert-here.js';
import type { SpeedReport } from './convert-report.js';
import { readCorpus, type BenchDocument, type FolderName } from './corpora.js';
import { quantile } from './quality.js';
import { measureService } from './service-load.js';
import { programOf } from './service-process.js';

const limits = { silenceMs: 60_000, totalMs: 600_000 };
/** What one page may cost is asked of pages with text; the hundred-page report would outweigh all others. */
const bornDigital: FolderName[] = ['replica', 'styled', 'latex', 'fixtures'];

export async function measureSpeed(): Promise<SpeedReport> {
  const scratch = mkdtempSync(join(tmpdir(), 'lectern-bench-'));
  const pool = createPool({ command: workerCommand(), size: 2, spare: 2, maxResidentBytes: 1.5 * 2 ** 30 });
  try {
    const documents = bornDigital.flatMap((folder) => readCorpus(folder)?.documents ?? []).filter(({ id }) => id !== 'report-100-pages');
    const converter = new PoolConverter(pool, scratch);
    await converter.warm(documents.slice(0, 2));
    const times = await oneByOne(documents);
    const report = { id: 'report-100-pages', pdf: join(packageRoot(), 'test/fixtures/pdf/report-100-pages.pdf'), password: null };
    const halvesOf100PagesS = await clock(() => Promise.all([converter.convert(report, { pageRange: [1, 50] }), converter.convert(report, { pageRange: [51, 100] })]));
    const mixed100PagesS = await converter.hundredMixedPages(documents);
    return {
      medianMsPerPage: quantile(times.wall, 0.5) ?? 0, p95MsPerPage: quantile(times.wall, 0.95) ?? 0,
      medianProcessorMsPerPage: quantile(times.processor, 0.5) ?? 0, halvesOf100PagesS, mixed100PagesS,
      thousandPages: await measureService(programOf(['serve']), join(scratch, 'service')),
    };
  } finally {
    await pool.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** ms of each page, with one document at a time, after a first round that warms the process up. */
async function oneByOne(documents: BenchDocument[]): Promise<{ wall: number[]; processor: number[] }> {
  const times = { wall: [] as number[], processor: [] as number[] };
  for (const document of documents.slice(0, 20)) await convertHere(document);
  for (const document of documents) {
    const { outcome: { processingTimeS, pageCount }, processorMs } = await convertHere(document);
    for (let page = 0; page < pageCount; page++) {
      times.wall.push((processingTimeS * 1000) / pageCount);
      times.processor.push(processorMs / pageCount);
    }
  }
  return times;
}

async function clock(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return (performance.now() - begin) / 1000;
}

type Input = Pick<BenchDocument, 'id' | 'pdf' | 'password'>;

class PoolConverter {
  #runs = 0;

  constructor(private readonly pool: WorkerPool, private readonly scratch: string) {}

  async convert({ pdf, password }: Input, more: Partial<ConvertOptions> = {}): Promise<ConvertOutcome> {
    const outputDirectory = join(this.scratch, String(++this.#runs));
    mkdirSync(outputDirectory);
    const request: ConvertRequest = {
      inputPath: pdf, filename: basename(pdf), outputDirectory, failedPages: [], options: { ...defaultConvertOptions, password, ...more },
    };
    const outcome = await this.pool.run<ConvertRequest, ConvertOutcome>('convert', request, { limits });
    rmSync(outputDirectory, { recursive: true, force: true });
    return outcome;
  }

  /** Both workers load their engine and let the compiler see some pages. */
  async warm(documents: Input[]): Promise<void> {
    for (let round = 0; round < 3; round++) await Promise.all(documents.map((document) => this.convert(document)));
  }

  async hundredMixedPages(documents: Input[]): Promise<number> {
    let pages = 0;
    let next = 0;
    return clock(() => Promise.all([0, 1].map(async () => {
      while (pages < 100) {
        const document = documents[next++ % documents.length];
        if (document) pages += (await this.convert(document)).pageCount;
      }
    })));
  }
}
