/** Converts one document in workers of the pool, in as many attempts as it takes. Where a worker is lost with it, `weigh` decides: the next attempt leaves out the page that the worker was lost with, or takes one page at a time to find it, or the document is given up. The pages that remain are delivered. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PageReaders } from '../../engine/vision-port.js';
import { answerEngineCall } from '../../engine/remote.js';
import { DiskFull } from '../../platform/disk-full.js';
import { asLecternError, type LecternError } from '../../errors.js';
import { WorkerError, type WorkerCall, type WorkerPool } from '../../workers/types.js';
import { conversionError, errorOf } from '../failures.js';
import type { ConvertOptions } from '../options.js';
import type { ConvertOutcome, ConvertRequest, Vocabulary } from '../request.js';
import type { ConversionError, ConversionProgress, ConversionStatus } from '../result.js';

export interface ConversionLimits {
  /** Longest time on one page, from one sign of life to the next. */
  pageMs: number;
  /** Longest time on one document; a request's `document_timeout` only shortens it. */
  documentMs: number;
  /** What the worker gets past the document's time to deliver what it has, before it is killed. */
  graceMs: number;
  /** Pages of one document that may cost their worker before the document is given up. */
  maxLostPages: number;
  /** Pages are decided by the relation network, if it is installed. */
  byRelations?: boolean;
}

export interface DocumentJob {
  inputPath: string;
  /** Base name. */
  filename: string;
  /** Made and emptied before each try. */
  outputDirectory: string;
  options: ConvertOptions;
  vocabulary?: Vocabulary | null;
}

/** Where what workers open counts. */
export interface WorkerNetworks {
  /** Settles when the worker may open its networks, which it then has until free() or the end of its job. Rejects with `out_of_memory`, `cancelled`. */
  hold(call: WorkerCall): Promise<void>;
  /** Ends its latest hold. */
  free(call: WorkerCall): void;
}

export interface DocumentPorts {
  pool: Pick<WorkerPool, 'run'>;
  /** The installed models that read text; absent where there are none. */
  readers?: PageReaders;
  /** The memory of the networks that workers open; without it that memory is not counted. */
  networks?: WorkerNetworks;
  limits: ConversionLimits;
  signal: AbortSignal;
  onProgress: (progress: ConversionProgress) => void;
  /** Called with the directory in which a worker writes what becomes the output directory. */
  onWriting?: (directory: string) => void;
  /** Of defects in the converter and of lost workers; never with contents. */
  log?: (message: string, cause: unknown) => void;
}

type FailedPage = ConvertRequest['failedPages'][number];

const lossSentence = {
  timeout: (what: string) => `${what} made no progress within the time limit.`,
  out_of_memory: (what: string) => `${what} needed more memory than a conversion may have.`,
  worker_crashed: (what: string) => `The process that worked on ${what.toLowerCase()} ended unexpectedly.`,
};
const lossCategory = { timeout: 'timeout', out_of_memory: 'capacity', worker_crashed: 'backend_failure' } as const;

/** What to say of a page, or of the whole document, that a worker was lost with. */
function lossOf(lost: WorkerError, pageNumber: number | null): ConversionError {
  const code = lost.code === 'timeout' || lost.code === 'out_of_memory' ? lost.code : 'worker_crashed';
  const sentence = lossSentence[code](pageNumber === null ? 'The document' : `Page ${pageNumber}`);
  return conversionError('document_backend', '', lossCategory[code], sentence, pageNumber);
}

/** A document without contents; its answer is written where the worker would have written it. */
export async function failedOutcome(
  job: Pick<DocumentJob, 'filename' | 'outputDirectory'>, errors: ConversionError[], status: ConversionStatus = 'failure',
): Promise<ConvertOutcome> {
  await mkdir(job.outputDirectory, { recursive: true, mode: 0o700 });
  const content = {
    filename: job.filename, md_content: null, json_content: null, html_content: null, text_content: null, doctags_content: null,
    doclang_content: null,
  };
  await writeFile(join(job.outputDirectory, 'content.json'), JSON.stringify(content), { mode: 0o600 });
  return {
    status, errors, confidence: null, timings: {}, processingTimeS: 0, pageCount: 0, recognisedPages: 0, format: '', files: {}, artifacts: [],
    contentFile: 'content.json',
  };
}

async function emptyDirectory(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
  await mkdir(path, { mode: 0o700 });
}

class Attempts {
  private readonly failedPages: FailedPage[] = [];
  private readonly beganAt = performance.now();
  private readonly timeoutMs: number;
  private tries = 0;
  private crashedOutsidePages = false;
  private pageByPage = false;
  private at: Pick<ConversionProgress, 'pageNumber' | 'pendingPage'> = { pageNumber: null };

  constructor(private readonly job: DocumentJob, private readonly ports: DocumentPorts) {
    const wishedMs = (job.options.documentTimeoutS ?? Infinity) * 1000;
    this.timeoutMs = Math.min(wishedMs, ports.limits.documentMs);
  }

  async run(): Promise<ConvertOutcome> {
    for (;;) {
      // The first try gets the number that was asked for: the converter itself ends the document in time.
      const leftMs = this.tries++ === 0 ? this.timeoutMs : Math.round(this.timeoutMs - (performance.now() - this.beganAt));
      if (leftMs <= 0) return this.giveUp(this.timeoutError());
      await emptyDirectory(this.job.outputDirectory);
      let error: ConversionError | null;
      try {
        return await this.attempt(leftMs);
      } catch (thrown) {
        error = this.weigh(asLecternError(thrown));
      }
      if (error) return this.giveUp(error);
    }
  }

  private attempt(leftMs: number): Promise<ConvertOutcome> {
    const { pool, readers, networks, limits, signal, onWriting } = this.ports;
    const { inputPath, filename, outputDirectory, options, vocabulary = null } = this.job;
    const request = (at: (name: string) => string): ConvertRequest => ({
      inputPath: at('input'), filename, outputDirectory: at('output'), vocabulary, failedPages: this.failedPages, pageByPage: this.pageByPage, byRelations: limits.byRelations === true,
      options: { ...options, documentTimeoutS: leftMs / 1000 },
    });
    this.at = { pageNumber: null };
    return pool.run<ConvertRequest, ConvertOutcome>('convert', request, {
      limits: { silenceMs: limits.pageMs, totalMs: leftMs + limits.graceMs },
      files: { inputs: { input: inputPath }, outputs: { output: { path: outputDirectory, kind: 'directory' } }, ...(onWriting === undefined ? {} : { onWriting }) },
      signal,
      onProgress: (value) => {
        const progress = value as ConversionProgress;
        this.at = progress;
        this.ports.onProgress(progress);
      },
      onCall: (call) => answerEngineCall(readers, call.verb, call.request, {
        signal: call.signal, directory: call.scratchDirectory,
        ...(networks === undefined ? {} : { networks: { hold: () => networks.hold(call), free: () => networks.free(call) } }),
      }),
    });
  }

  /** What an attempt's error means: null to try again (as `failedPages` and `pageByPage` now say), or the error that the document ends with. Throws what is not the document's fault. */
  private weigh(error: LecternError): ConversionError | null {
    if (this.ports.signal.aborted || error.code === 'cancelled' || error.code === 'invalid_state' || error instanceof DiskFull) throw error;
    if (!(error instanceof WorkerError)) {
      // A pool that cannot start its workers is no verdict on a document.
      if (error.code === 'worker_crashed') throw error;
      if (error.code === 'internal') this.ports.log?.('the converter has a defect', error.cause ?? error);
      return errorOf(error, '');
    }
    const { pageNumber: page, pendingPage } = this.at;
    this.ports.log?.(`a worker was lost with a document, page ${page ?? 'none'}`, error);
    if (error.limit === 'total') return this.timeoutError();
    // Two pages were at work, and either may have cost the worker: the next attempt takes one at a time.
    if (pendingPage !== undefined && !this.pageByPage) {
      this.pageByPage = true;
      return null;
    }
    if (page === null) {
      const again = error.code === 'worker_crashed' && !this.crashedOutsidePages;
      this.crashedOutsidePages = true;
      // The machine may be the cause of one loss outside of pages; two are the document's fault.
      return again ? null : lossOf(error, null);
    }
    const loss = lossOf(error, page);
    const known = this.failedPages.some(({ pageNumber }) => pageNumber === page);
    if (known || this.job.options.abortOnError || this.failedPages.length >= this.ports.limits.maxLostPages) return loss;
    this.failedPages.push({ pageNumber: page, error: loss });
    return null;
  }

  private timeoutError(): ConversionError {
    const seconds = Math.round(this.timeoutMs / 100) / 10;
    return conversionError('document_backend', '', 'timeout', `The document took longer than its limit of ${seconds} s.`);
  }

  private async giveUp(error: ConversionError): Promise<ConvertOutcome> {
    await emptyDirectory(this.job.outputDirectory);
    return failedOutcome(this.job, [...this.failedPages.map((failed) => failed.error), error]);
  }
}

/**
 * Never rejects for the document's sake: a document that cannot be converted is an outcome with status `failure`. Rejects with
 * `cancelled` when the signal aborts, and with what is wrong with the service itself.
 */
export function convertDocumentInPool(job: DocumentJob, ports: DocumentPorts): Promise<ConvertOutcome> {
  return new Attempts(job, ports).run();
}
