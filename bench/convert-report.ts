/** The conversion bench's report: its shape, how it is printed, and what changed against an earlier one. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../src/platform/package-files.js';
import type { BenchmarkMeasure } from '../src/client/measures.js';
import type { PeerRow } from './convert-peer.js';
import type { MachineNote } from './machine.js';

export interface GroupReport {
  documents: number;
  pages: number;
  /** Documents that did not convert in full. */
  failed: string[];
  nid: number | null;
  mhs: number | null;
  teds: number | null;
  overall: number | null;
  plain: number | null;
  pagesPerSecond: number;
  /** Of one page on one core, in ms. */
  medianMs: number | null;
  p95Ms: number | null;
  /** Mean ms a page, by stage. */
  stagesMs: Record<string, number>;
}

export interface SpeedReport {
  /** One process, after warming up, over all born-digital documents there are. */
  medianMsPerPage: number;
  p95MsPerPage: number;
  /** Processor time instead of the clock's: neighbours on the machine do not count. */
  medianProcessorMsPerPage: number;
  /** A document of 100 pages in two halves by two workers, in s. */
  halvesOf100PagesS: number;
  /** 100 pages of short documents by two workers, in s. */
  mixed100PagesS: number;
  thousandPages: {
    wallS: number;
    /** Most resident memory, in MiB. */
    serviceMiB: number;
    workerMiB: number;
    /** Of GET /health meanwhile, in ms. */
    healthMedianMs: number;
    healthMaxMs: number;
    healthCount: number;
  } | { missing: string };
}

export interface BenchReport extends MachineNote {
  folders: Record<string, { measures: 'all' | 'plain'; all: GroupReport; styles: Record<string, GroupReport> }>;
  speed: SpeedReport | null;
  /** Beside another converter, where that was asked for. */
  peer?: PeerRow[];
}

const columns = ['n', 'pages', 'NID', 'MHS', 'TEDS', 'overall', 'plain', 'pages/s', 'median', 'p95'];
const mark = (value: number | null): string => (value === null ? '-' : value.toFixed(3));
const ms = (value: number | null): string => (value === null ? '-' : `${value.toFixed(1)} ms`);

function line(name: string, cells: string[]): string {
  return name.padEnd(24) + cells.map((cell) => ` ${cell.padStart(9)}`).join('');
}

function cellsOf(group: GroupReport, measures: 'all' | 'plain'): string[] {
  const marks = measures === 'all' ? [group.nid, group.mhs, group.teds, group.overall] : [null, null, null, null];
  return [
    String(group.documents), String(group.pages), ...marks.map(mark), mark(group.plain),
    group.pagesPerSecond.toFixed(1), ms(group.medianMs), ms(group.p95Ms),
  ];
}

export function printReport({ date, commit, processor, cores, folders }: BenchReport): void {
  console.log(`${date}, commit ${commit || 'unknown'}, ${processor}, ${cores} cores, one used\n`);
  console.log(line('', columns));
  for (const [folder, { measures, all, styles }] of Object.entries(folders)) {
    console.log(line(folder, cellsOf(all, measures)));
    const names = Object.keys(styles);
    if (names.length > 1) for (const style of names) console.log(line(`  ${style}`, cellsOf(styles[style] as GroupReport, measures)));
    if (all.failed.length > 0) console.log(`  not in full: ${all.failed.join(', ')}`);
    const stages = Object.entries(all.stagesMs).sort((a, b) => b[1] - a[1]).map(([stage, value]) => `${stage} ${value.toFixed(1)}`);
    console.log(`  ms a page: ${stages.join(', ')}`);
  }
}

export function printSpeed(speed: SpeedReport): void {
  console.log(`\none core: ${ms(speed.medianMsPerPage)} a page (median), ${ms(speed.p95MsPerPage)} (p95), ${ms(speed.medianProcessorMsPerPage)} of processor time (median); wanted 40 ms`);
  console.log(`two workers: 100 pages of one document in two halves ${speed.halvesOf100PagesS.toFixed(2)} s; 100 pages of short documents ${speed.mixed100PagesS.toFixed(2)} s; wanted 2.5 s`);
  const thousand = speed.thousandPages;
  if ('missing' in thousand) {
    console.log(`1,000 pages: ${thousand.missing}`);
    return;
  }
  console.log(`1,000 pages through the service: ${thousand.wallS.toFixed(1)} s; resident at most ${thousand.serviceMiB.toFixed(0)} MiB (service) and ${thousand.workerMiB.toFixed(0)} MiB (worker), wanted 600`);
  console.log(`GET /health meanwhile: median ${ms(thousand.healthMedianMs)}, longest ${ms(thousand.healthMaxMs)} of ${thousand.healthCount}, wanted 50 ms`);
}

/** Of each folder the marks, which should be high, and the time of a page. */
export function measuresOf({ folders }: BenchReport): BenchmarkMeasure[] {
  return Object.entries(folders).flatMap(([folder, { all }]) => [
    ...(['nid', 'mhs', 'teds', 'overall', 'plain'] as const).map((mark) => ({ name: `${folder} ${mark}`, value: all[mark], unit: '', better: 'more' as const })),
    { name: `${folder} page, median`, value: all.medianMs, unit: 'ms', better: 'less' as const },
  ]).filter((measure): measure is BenchmarkMeasure => measure.value !== null);
}

export function readReport(file: string | undefined): BenchReport {
  return JSON.parse(readFileSync(file ?? join(packageRoot(), 'bench/baselines/convert.json'), 'utf8')) as BenchReport;
}

/** Prints every mark that moved by more than 0.002 and every median that moved by more than a tenth. */
export function compareReports(before: BenchReport, now: BenchReport): void {
  console.log(`\nAgainst ${before.date}, commit ${before.commit}, ${before.processor}:`);
  let moved = 0;
  const say = (where: string, what: string, was: number, is: number, digits: number): void => {
    moved++;
    console.log(`  ${where} ${what} ${was.toFixed(digits)} -> ${is.toFixed(digits)} (${is > was ? '+' : ''}${(is - was).toFixed(digits)})`);
  };
  for (const [folder, { all, styles }] of Object.entries(now.folders)) {
    const old = before.folders[folder];
    if (!old) continue;
    for (const [name, group, was] of [[folder, all, old.all] as const, ...Object.entries(Object.keys(styles).length > 1 ? styles : {}).map(([style, one]) => [`${folder}/${style}`, one, old.styles[style]] as const)]) {
      if (!was) continue;
      for (const key of ['nid', 'mhs', 'teds', 'overall', 'plain'] as const) {
        const [a, b] = [was[key], group[key]];
        if (a !== null && b !== null && Math.abs(a - b) > 0.002) say(name, key, a, b, 3);
      }
      if (was.medianMs !== null && group.medianMs !== null && Math.abs(group.medianMs / was.medianMs - 1) > 0.1) say(name, 'median ms', was.medianMs, group.medianMs, 1);
    }
  }
  if (moved === 0) console.log('  nothing moved.');
}
