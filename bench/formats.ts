/** `bench formats`: every format but PDF against docling's own answers, by text and by structure; what a large file costs. */
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { BenchmarkMeasure } from '../src/client/measures.js';
import type { ConvertOutcome } from '../src/convert/request.js';
import { measureQuality } from '../test/support/quality.js';
import { convertHere } from './convert-here.js';
import { samplesDirectory } from './corpora.js';
import { measureBigFiles } from './formats-big.js';
import { comparePeers } from './formats-peer.js';
import { differences } from './formats-differences.js';
import { measureFormatsSpeed } from './formats-speed.js';
import { findScorer, mean } from './quality.js';

const usage = 'usage: npm run bench -- formats [--format NAME]... [--speed] [--big] [--peer] [--keep DIRECTORY] [--json OUT] [--verbose]';
/** PDF has a bench of its own; the others hold pictures of text. */
const leftOut = new Set(['pdf', 'ocr', 'webp']);
/** What the issue asks for. */
const bars = { plain: 0.95, structure: 0.9 };

interface Scored {
  id: string;
  status: ConvertOutcome['status'];
  ms: number;
  /** Likeness of the texts, 0 to 1; null where nothing was converted. */
  plain: number | null;
  headings: number | null;
  lists: number | null;
  cells: number | null;
  /** Mean of those of the three above that the truth has. */
  structure: number | null;
}

interface FormatReport {
  files: number;
  /** Files that this machine cannot convert: they are in no mean. */
  skipped: string[];
  failed: string[];
  plain: number | null;
  structure: number | null;
  /** Files whose truth has any structure. */
  structured: number;
  headings: number | null;
  lists: number | null;
  cells: number | null;
  medianMs: number | null;
  documents: Scored[];
}

export async function run(args: string[]): Promise<{ code: number; measures: BenchmarkMeasure[] } | number> {
  const { values } = parseArgs({
    args, options: { format: { type: 'string', multiple: true }, speed: { type: 'boolean' }, big: { type: 'boolean' }, peer: { type: 'boolean' }, keep: { type: 'string' }, json: { type: 'string' }, verbose: { type: 'boolean' } },
  });
  if (values.big) {
    await measureBigFiles(values.format);
    return 0;
  }
  const directory = join(samplesDirectory(), 'docling');
  const report: Record<string, FormatReport> = {};
  if (!existsSync(directory)) console.log('docling: not beside this checkout, left out.');
  else {
    const known = readdirSync(directory).filter((name) => !leftOut.has(name)).sort();
    const formats = values.format ?? known;
    const unknown = formats.find((format) => !known.includes(format));
    if (unknown !== undefined) {
      console.error(`There is no format '${unknown}' among ${known.join(', ')}.\n${usage}`);
      return 2;
    }
    if (values.peer) {
      await comparePeers(directory, formats, values.json);
      return 0;
    }
    for (const format of formats) report[format] = await measureFormat(join(directory, format), values.keep === undefined ? null : join(values.keep, format));
    print(report, values.verbose ?? false);
  }
  if (values.speed) measureFormatsSpeed();
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 1)}\n`);
  return { code: 0, measures: measuresOf(report) };
}

/** Of each format the marks; times are `--speed`'s. */
export function measuresOf(report: Record<string, FormatReport>): BenchmarkMeasure[] {
  return Object.entries(report).flatMap(([format, one]) => (['plain', 'structure'] as const).flatMap((mark): BenchmarkMeasure[] => {
    const value = one[mark];
    return value === null ? [] : [{ name: `${format} ${mark}`, value, unit: '', better: 'more' }];
  }));
}

async function measureFormat(directory: string, keep: string | null): Promise<FormatReport> {
  const names = readdirSync(directory).filter((name) => existsSync(join(directory, `${name}.md`))).sort();
  const answers: { id: string; truth: string; answer: string; status: ConvertOutcome['status']; ms: number }[] = [];
  for (const name of names) {
    const begin = performance.now();
    const { outcome, markdown } = await convertHere({ pdf: join(directory, name), password: null });
    answers.push({ id: name, truth: readFileSync(join(directory, `${name}.md`), 'utf8'), answer: markdown, status: outcome.status, ms: performance.now() - begin });
  }
  if (keep !== null) {
    mkdirSync(keep, { recursive: true });
    for (const { id, answer } of answers) writeFileSync(join(keep, `${id}.md`), answer);
  }
  const marks = findScorer().mark(answers.filter(({ status }) => status !== 'skipped'));
  return summary(answers.map(({ id, truth, answer, status, ms }) => {
    if (status === 'skipped') return { id, status, ms, plain: null, headings: null, lists: null, cells: null, structure: null };
    const { headings, lists, cells } = measureQuality(truth, answer);
    return { id, status, ms, plain: marks.get(id)?.plain ?? 0, headings, lists, cells, structure: mean(present([headings, lists, cells])) };
  }));
}

const present = (values: (number | null)[]): number[] => values.filter((value) => value !== null);

function summary(documents: Scored[]): FormatReport {
  const average = (key: 'plain' | 'structure' | 'headings' | 'lists' | 'cells'): number | null => mean(present(documents.map((one) => one[key])));
  const times = documents.map(({ ms }) => ms).sort((a, b) => a - b);
  return {
    files: documents.length, skipped: documents.filter(({ status }) => status === 'skipped').map(({ id }) => id),
    failed: documents.filter(({ status }) => status === 'failure').map(({ id }) => id),
    plain: average('plain'), structure: average('structure'), structured: present(documents.map(({ structure }) => structure)).length,
    headings: average('headings'), lists: average('lists'), cells: average('cells'), medianMs: times[times.length >> 1] ?? null, documents,
  };
}

const mark = (value: number | null): string => (value === null ? '-' : value.toFixed(3));

function line(name: string, cells: string[]): string {
  return name.padEnd(16) + cells.map((cell) => cell.padStart(11)).join('');
}

function print(report: Record<string, FormatReport>, verbose: boolean): void {
  console.log(`${findScorer().name}\nAgainst docling's own answers: text as plain words, structure by F1 of headings, list items and table cells.\n`);
  console.log(line('', ['files', 'plain', 'structure', 'of files', 'headings', 'lists', 'cells', 'median']));
  for (const [format, one] of Object.entries(report)) {
    const below = (one.plain ?? 1) < bars.plain || (one.structure ?? 1) < bars.structure;
    const marks = [mark(one.plain), mark(one.structure), String(one.structured), mark(one.headings), mark(one.lists), mark(one.cells)];
    console.log(line(format, [String(one.files), ...marks, `${(one.medianMs ?? 0).toFixed(0)} ms`]) + (below ? `   below ${bars.plain} / ${bars.structure}` : ''));
    if (one.skipped.length > 0) console.log(`  not converted on this machine, in no mean: ${one.skipped.join(', ')}`);
    const agreeing = one.documents.filter(({ id }) => differences[id] === undefined);
    if (agreeing.length < one.documents.length) {
      const [plain, structure] = (['plain', 'structure'] as const).map((key) => mark(mean(present(agreeing.map((document) => document[key])))));
      console.log(`  without files in which theirs is wrong: ${agreeing.length} files, plain ${plain}, structure ${structure}`);
    }
    if (one.failed.length > 0) console.log(`  failed: ${one.failed.join(', ')}`);
    for (const { id, plain, structure, headings, lists, cells } of one.documents) {
      if (verbose || (plain ?? 1) < 0.95 || (structure ?? 1) < 0.9) console.log(`  ${id}: plain ${mark(plain)}, structure ${mark(structure)} (headings ${mark(headings)}, lists ${mark(lists)}, cells ${mark(cells)})${differences[id] === undefined ? '' : `\n    theirs is wrong: ${differences[id]}`}`);
    }
  }
}
