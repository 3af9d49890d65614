/** Makes one shard: documents by the seed until it has its pages. A worker process makes shard after shard. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Damage } from './damage.js';
import { closeReader } from './scan.js';
import { choose, DocumentFailure, makeDocument } from './make-document.js';
import type { MadeDocument } from './make-document.js';
import { Programs } from './programs.js';
import type { Split } from './programs.js';
import type { Renderer } from './renderers/renderer.js';
import { Shard } from './shard.js';

export interface BatchOptions {
  out: string;
  split: Split;
  seed: number;
  /** Pages of a shard, at least: the last document is kept whole. */
  shardPages: number;
  renderer: string;
  damage: Damage;
  /** The directory with `sources`, `styles` and `splits.json`. */
  root: string;
  /** Keep the plain print of document k of a shard as SHARD/k.pdf. */
  keepPdf?: boolean;
}

/** What a shard took and what was dropped: written beside it. */
export interface ShardReport {
  pages: number;
  words: number;
  documents: number;
  /** Pages and documents that were dropped, by reason. */
  drops: Record<string, number>;
  /** Messages of the first failures. */
  failures: string[];
  /** Sums of milliseconds of wall time by stage. */
  times: Record<string, number>;
  sources: Record<string, number>;
  families: Record<string, number>;
  /** Processor milliseconds of this process, and of the programs that print. */
  processor: number;
  printing: number;
}

/** A shard gives up after this many failed documents in a row. */
const MOST_FAILURES = 50;
const MOST_MESSAGES = 20;
/** Of a document's number in the name of its PDF file. */
const DOCUMENT_DIGITS = 4;

export function shardName({ split, renderer, seed, damage }: BatchOptions, index: number): string {
  return `${split}-${renderer}-${damage === 'none' ? '' : `${damage}-`}${seed}-${String(index).padStart(5, '0')}`;
}

export class Batch {
  #options: BatchOptions;
  #renderer: Renderer;
  #programs: { sources: Programs; styles: Programs };

  constructor(options: BatchOptions, renderer: Renderer) {
    this.#options = options;
    this.#renderer = renderer;
    this.#programs = { sources: new Programs(options.root, 'sources'), styles: new Programs(options.root, 'styles') };
    mkdirSync(options.out, { recursive: true });
  }

  /** The report of the shard; it is not made again if it is there. */
  async make(index: number): Promise<ShardReport> {
    const path = join(this.#options.out, shardName(this.#options, index));
    if (existsSync(`${path}.npz`)) return JSON.parse(readFileSync(`${path}.json`, 'utf8')) as ShardReport;
    const before = process.cpuUsage();
    const printingBefore = await this.#renderer.processorTime();
    const shard = new Shard();
    const report: ShardReport = { pages: 0, words: 0, documents: 0, drops: {}, failures: [], times: {}, sources: {}, families: {}, processor: 0, printing: 0 };
    await this.#fill(shard, report, index);
    const { user, system } = process.cpuUsage(before);
    Object.assign(report, { pages: shard.pages, words: shard.words, documents: shard.documents.length, processor: (user + system) / 1000, printing: await this.#renderer.processorTime() - printingBefore });
    writeFileSync(`${path}.json`, JSON.stringify(report, null, 1));
    writeFileSync(`${path}.part`, shard.bytes());
    renameSync(`${path}.part`, `${path}.npz`);
    return report;
  }

  async close(): Promise<void> {
    this.#programs.sources.close();
    this.#programs.styles.close();
    await this.#renderer.close();
    await closeReader();
  }

  /** Documents are printed several at a time and added in their order, so that the shard does not depend on which is done first. */
  async #fill(shard: Shard, report: ShardReport, index: number): Promise<void> {
    const { seed, split, shardPages, renderer, damage } = this.#options;
    const pending: Promise<MadeDocument | DocumentFailure>[] = [];
    let [next, inARow] = [0, 0];
    while (shard.pages < shardPages && inARow < MOST_FAILURES) {
      while (pending.length < this.#renderer.parallel) {
        const choice = choose(this.#programs.sources.origins, this.#renderer.styles ?? this.#programs.styles.origins, split, `${seed} ${split} ${renderer} ${index} ${next++}`);
        if (choice === undefined) throw new Error(`The split '${split}' has no source, or no style for one.`);
        pending.push(makeDocument(choice, this.#programs, this.#renderer, damage).catch((thrown: unknown) => {
          if (thrown instanceof DocumentFailure) return thrown;
          throw thrown;
        }));
      }
      const made = await pending.shift()!;
      if (made instanceof DocumentFailure) {
        inARow++;
        count(report.drops, `document: ${made.stage}`, 1);
        if (report.failures.length < MOST_MESSAGES) report.failures.push(`${made.stage}: ${made.origin} in ${made.style}: ${made.message.slice(0, 300)}`);
        continue;
      }
      if (made.pages.length > 0) inARow = 0;
      this.#add(shard, report, made);
      if (this.#options.keepPdf === true && made.pages.length > 0) this.#keep(index, shard.documents.length - 1, made.plain);
    }
    await Promise.allSettled(pending);
  }

  #keep(index: number, document: number, pdf: Uint8Array): void {
    const directory = join(this.#options.out, shardName(this.#options, index));
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `${String(document).padStart(DOCUMENT_DIGITS, '0')}.pdf`), pdf);
  }

  #add(shard: Shard, report: ShardReport, made: MadeDocument): void {
    for (const { reason, index } of made.drops) {
      count(report.drops, `page: ${reason}`, 1);
      if (report.failures.length < MOST_MESSAGES) report.failures.push(`page ${index + 1}: ${reason}: ${made.info.origin} in ${made.info.style}, seeds ${made.info.sourceSeed} ${made.info.styleSeed}`);
    }
    for (const [stage, time] of Object.entries(made.times)) count(report.times, stage, time);
    if (made.pages.length === 0) return;
    shard.addDocument(made.info, made.truth, made.pages);
    count(report.sources, made.info.origin, made.pages.length);
    count(report.families, made.info.family, made.pages.length);
  }
}

export function count(counts: Record<string, number>, name: string, by: number): void {
  counts[name] = (counts[name] ?? 0) + by;
}
