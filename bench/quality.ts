/** Marks for answers against their truth: by the samples' own scorer where it and its Python are there, else by the tests' measures. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../src/platform/package-files.js';
import { measureQuality } from '../test/support/quality.js';

/** Null where a measure does not apply to the document. `overall` is the mean of those that do. */
export interface Marks {
  nid: number | null;
  teds: number | null;
  mhs: number | null;
  overall: number | null;
  plain: number | null;
}

export interface Scorer {
  /** One sentence on what marks, for the head of the report. */
  name: string;
  mark(answers: { id: string; truth: string; answer: string }[]): Map<string, Marks>;
}

export function findScorer(): Scorer {
  const script = join(packageRoot(), '../shared/tools/score.py');
  if (!existsSync(script)) return ownScorer('score.py is not beside this checkout');
  const python = ['python3', '/usr/bin/python3'].find(canScore);
  if (python === undefined) return ownScorer('score.py needs Python 3 with lxml and bs4 (Debian: python3-lxml, python3-bs4)');
  return { name: 'Marks by score.py (NID, MHS, TEDS; overall is the mean of those that apply to a document).', mark: (answers) => markWith(python, script, answers) };
}

function canScore(python: string): boolean {
  try {
    execFileSync(python, ['-c', 'import lxml, bs4'], { stdio: 'ignore', timeout: 20_000 });
    return true;
  } catch {
    return false;
  }
}

function markWith(python: string, script: string, answers: { id: string; truth: string; answer: string }[]): Map<string, Marks> {
  const directory = mkdtempSync(join(tmpdir(), 'lectern-bench-'));
  try {
    const [truths, given, out] = [join(directory, 'truth'), join(directory, 'answer'), join(directory, 'marks.json')];
    for (const folder of [truths, given]) mkdirSync(folder);
    for (const [i, { truth, answer }] of answers.entries()) {
      writeFileSync(join(truths, `${i}.md`), truth);
      writeFileSync(join(given, `${i}.md`), answer);
    }
    execFileSync(python, [script, 'dirs', '--gt', truths, '--pred', given, '--json', out], { stdio: ['ignore', 'ignore', 'inherit'], timeout: 1_200_000 });
    const { documents } = JSON.parse(readFileSync(out, 'utf8')) as { documents: Record<string, Marks> };
    return new Map(answers.map(({ id }, i) => {
      const { nid, teds, mhs, overall, plain } = documents[String(i)] ?? { nid: null, teds: null, mhs: null, overall: null, plain: null };
      return [id, { nid, teds, mhs, overall, plain }];
    }));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function ownScorer(reason: string): Scorer {
  return {
    name: `${reason}: the tests' own measures stand in (text without tables for NID and plain, F1 of headings for MHS, F1 of cells for TEDS).`,
    mark: (answers) => new Map(answers.map(({ id, truth, answer }) => {
      const { text, headings, cells } = measureQuality(truth, answer);
      const marks = [text, headings, cells].filter((mark) => mark !== null);
      return [id, { nid: text, mhs: headings, teds: cells, overall: mean(marks), plain: text }];
    })),
  };
}

export function mean(values: number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function quantile(values: number[], share: number): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
}
