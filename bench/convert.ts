/** `bench convert`: how well and how fast documents become markdown, by folder and style; with `--peer` beside another converter. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ConvertOutcome } from '../src/convert/request.js';
import type { BenchmarkMeasure } from '../src/client/measures.js';
import { asScan } from './as-scans.js';
import { closeEngine, convertHere } from './convert-here.js';
import { compareReports, measuresOf, printReport, printSpeed, readReport, type BenchReport, type GroupReport } from './convert-report.js';
import { measurePeer, printPeer } from './convert-peer.js';
import { measureSpeed } from './convert-speed.js';
import { defaultFolders, knownFolders, readCorpus, type BenchDocument, type FolderName } from './corpora.js';
import { machine } from './machine.js';
import { findScorer, mean, quantile, type Marks, type Scorer } from './quality.js';

const usage = `usage: npm run bench -- convert [--folder ${knownFolders.join('|')}]... [--json OUT] [--compare] [--speed] [--peer] [--keep DIRECTORY] [--as-scans SEED] [--verbose]`;

export { measuresOf };

interface Converted extends BenchDocument {
  outcome: ConvertOutcome;
  markdown: string;
  marks: Marks;
}

export async function run(args: string[], against?: string): Promise<number | { code: number; measures: BenchmarkMeasure[] }> {
  const { values } = parseArgs({
    args,
    options: {
      folder: { type: 'string', multiple: true }, json: { type: 'string' }, compare: { type: 'boolean' },
      speed: { type: 'boolean' }, peer: { type: 'boolean' }, keep: { type: 'string' }, 'as-scans': { type: 'string' }, verbose: { type: 'boolean' },
    },
  });
  const folders = values.folder ?? [...defaultFolders];
  const unknown = folders.find((folder) => !(knownFolders as readonly string[]).includes(folder));
  if (unknown !== undefined) {
    console.error(`There is no folder '${unknown}'.\n${usage}`);
    return 2;
  }
  const seed = values['as-scans'] === undefined ? null : Number(values['as-scans']);
  if (seed !== null && !Number.isSafeInteger(seed)) {
    console.error(`--as-scans wants a whole number, the seed of the faults.\n${usage}`);
    return 2;
  }
  const report: BenchReport = { ...machine(), folders: {}, speed: null };
  await measureQuality(folders as FolderName[], report, { keep: values.keep ?? null, verbose: values.verbose ?? false, seed });
  await closeEngine();
  printReport(report);
  if (values.speed) {
    const speed = await measureSpeed();
    report.speed = speed;
    printSpeed(speed);
  }
  if (values.peer) {
    report.peer = measurePeer(folders as FolderName[], (folder) => report.folders[folder]?.all.pages);
    printPeer(report.peer);
  }
  if (values.compare) compareReports(readReport(against), report);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 1)}\n`);
  return { code: Object.keys(report.folders).length > 0 ? 0 : 1, measures: measuresOf(report) };
}

interface How {
  keep: string | null;
  verbose: boolean;
  /** Of the faults of scans that the pages are made into; null: as they are. */
  seed: number | null;
}

async function measureQuality(folders: FolderName[], report: BenchReport, { keep, verbose, seed }: How): Promise<void> {
  const scorer = findScorer();
  console.log(scorer.name);
  let warm = false;
  for (const folder of folders) {
    const corpus = readCorpus(folder);
    if (corpus === null || corpus.documents.length === 0) {
      console.log(`${folder}: not beside this checkout, left out.`);
      continue;
    }
    // The first conversions pay for loading the PDF engine and for compiling; a service pays that once.
    if (!warm) for (const document of corpus.documents.slice(0, 10)) await convertHere(document);
    warm = true;
    const converted = await convertAll(corpus.documents, scorer, seed);
    if (keep !== null) keepAnswers(join(keep, folder), converted);
    if (verbose) for (const { id, style, marks } of converted) console.log(`  ${id} ${style} ${JSON.stringify(marks)}`);
    const styles = [...new Set(converted.map(({ style }) => style))].sort();
    report.folders[folder] = {
      measures: corpus.measures,
      all: group(converted),
      styles: Object.fromEntries(styles.map((style) => [style, group(converted.filter((one) => one.style === style))])),
    };
  }
}

async function convertAll(documents: BenchDocument[], scorer: Scorer, seed: number | null): Promise<Converted[]> {
  const done: (Omit<Converted, 'marks'> & { truth: string })[] = [];
  const directory = seed === null ? null : mkdtempSync(join(tmpdir(), 'lectern-scans-'));
  try {
    for (const [index, given] of documents.entries()) {
      const document = seed === null || directory === null ? given : await asScan(given, 1000 * seed + index, directory);
      done.push({ ...document, ...(await convertHere(document)) });
      if (directory !== null) rmSync(document.pdf);
    }
  } finally {
    if (directory !== null) rmSync(directory, { recursive: true, force: true });
  }
  const marks = scorer.mark(done.map(({ id, truth, markdown }) => ({ id, truth: readFileSync(truth, 'utf8'), answer: markdown })));
  return done.map((one) => ({ ...one, marks: marks.get(one.id) as Marks }));
}

function keepAnswers(directory: string, converted: Converted[]): void {
  mkdirSync(directory, { recursive: true });
  for (const { id, markdown } of converted) writeFileSync(join(directory, `${id}.md`), markdown);
}

/** What each page cost, in ms: its own stages, and its share of the document's. */
function pageTimes({ timings, pageCount }: ConvertOutcome): number[] {
  const stages = Object.values(timings);
  const shared = stages.filter(({ scope }) => scope === 'document').flatMap(({ times }) => times).reduce((sum, time) => sum + time, 0) / Math.max(1, pageCount);
  return Array.from({ length: pageCount }, (_, page) => {
    const own = stages.filter(({ scope, times }) => scope === 'page' && times.length === pageCount).reduce((sum, { times }) => sum + (times[page] ?? 0), 0);
    return (own + shared) * 1000;
  });
}

function group(converted: Converted[]): GroupReport {
  const average = (key: keyof Marks): number | null => mean(converted.map(({ marks }) => marks[key]).filter((mark) => mark !== null));
  const times = converted.flatMap(({ outcome }) => pageTimes(outcome));
  const pages = converted.reduce((sum, { outcome }) => sum + outcome.pageCount, 0);
  const stages: Record<string, number> = {};
  for (const { outcome } of converted) {
    for (const [stage, timing] of Object.entries(outcome.timings)) stages[stage] = (stages[stage] ?? 0) + timing.times.reduce((sum, time) => sum + time, 0);
  }
  return {
    documents: converted.length, pages, failed: converted.filter(({ outcome }) => outcome.status !== 'success').map(({ id }) => id),
    nid: average('nid'), mhs: average('mhs'), teds: average('teds'), overall: average('overall'), plain: average('plain'),
    pagesPerSecond: pages / Math.max(1e-9, times.reduce((sum, time) => sum + time, 0) / 1000),
    medianMs: quantile(times, 0.5), p95Ms: quantile(times, 0.95),
    stagesMs: Object.fromEntries(Object.entries(stages).map(([stage, seconds]) => [stage, (seconds * 1000) / Math.max(1, pages)])),
  };
}
