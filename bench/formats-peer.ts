/** `bench formats --peer`: the samples of every format through this program, markitdown and pandoc: which words of the truth each gives, and whether in its order. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../src/platform/package-files.js';
import { closeEngine, convertHere } from './convert-here.js';
import { mean } from './quality.js';

/** Where markitdown is installed when first asked for; ignored by git. */
const room = 'scratch/formats-peers';
const requirement = 'markitdown[docx,pptx,xlsx,xls,outlook]==0.1.9';
/** What pandoc calls the formats that it reads. */
const pandocFormats: Record<string, string> = { docx: 'docx', odt: 'odt', html: 'html', epub: 'epub', jats: 'jats', md: 'gfm', md_deepseek: 'gfm', csv: 'csv' };
const converter = 'import sys, json\nfrom markitdown import MarkItDown\nm = MarkItDown()\nout = {}\nfor path in sys.argv[2:]:\n    try:\n        out[path] = m.convert(path).text_content\n    except Exception as error:\n        out[path] = None\njson.dump(out, open(sys.argv[1], "w"))\n';

export interface TextMarks {
  /** Share of the truth's words that the answer has, each as often. */
  recall: number;
  /** Share of the answer's words that the truth has. */
  precision: number;
  /** Of the words that stand once in both: the longest run that keeps the truth's order, as a share of them. */
  order: number;
}

/** Words without the marks of markdown and HTML. */
function wordsOf(text: string): string[] {
  return text.replace(/<!--[^]*?-->|<[^>\s][^>]*>|\]\([^)\s]*\)|data:\S+/g, ' ').replace(/&(?:amp|lt|gt|nbsp|#124);/g, ' ').replace(/\\(?=[!-/:-@[-`{-~])/g, '').normalize('NFKC').toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function counted(words: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Length of the longest increasing subsequence. */
function longestRun(places: number[]): number {
  const ends: number[] = [];
  for (const place of places) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] as number) < place) low = middle + 1;
      else high = middle;
    }
    ends[low] = place;
  }
  return ends.length;
}

export function textMarks(truth: string, answer: string): TextMarks {
  const [wanted, given] = [wordsOf(truth), wordsOf(answer)];
  const [wantedCounts, givenCounts] = [counted(wanted), counted(given)];
  let shared = 0;
  for (const [word, count] of wantedCounts) shared += Math.min(count, givenCounts.get(word) ?? 0);
  const once = (counts: Map<string, number>, other: Map<string, number>) => (word: string): boolean => counts.get(word) === 1 && other.get(word) === 1;
  const places = new Map(given.map((word, index) => [word, index]));
  const common = wanted.filter(once(wantedCounts, givenCounts)).map((word) => places.get(word) as number);
  return { recall: wanted.length === 0 ? 1 : shared / wanted.length, precision: given.length === 0 ? 1 : shared / given.length, order: common.length === 0 ? 1 : longestRun(common) / common.length };
}

function installMarkitdown(): string | null {
  const python = join(packageRoot(), room, 'bin/python');
  if (!existsSync(join(packageRoot(), room, 'bin/markitdown'))) {
    console.log(`installing ${requirement} …`);
    const made = spawnSync('python3', ['-m', 'venv', join(packageRoot(), room)], { stdio: 'ignore' }).status === 0
      && spawnSync(python, ['-m', 'pip', 'install', '-q', requirement], { stdio: 'ignore' }).status === 0;
    if (!made) return null;
  }
  return python;
}

function byMarkitdown(paths: string[]): Map<string, string | null> {
  const python = installMarkitdown();
  if (python === null) return new Map();
  const directory = mkdtempSync(join(tmpdir(), 'lectern-peer-'));
  try {
    const out = join(directory, 'answers.json');
    spawnSync(python, ['-W', 'ignore', '-c', converter, out, ...paths], { stdio: 'ignore', timeout: 1_200_000 });
    return existsSync(out) ? new Map(Object.entries(JSON.parse(readFileSync(out, 'utf8')) as Record<string, string | null>)) : new Map();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function byPandoc(path: string, format: string): string | null {
  const from = pandocFormats[format];
  if (from === undefined) return null;
  const { status, stdout } = spawnSync('pandoc', ['-f', from, '-t', 'gfm', '--wrap=none', path], { encoding: 'utf8', maxBuffer: 2 ** 28, timeout: 120_000 });
  return status === 0 ? stdout : null;
}

/** A line for each format: recall, precision and order of each program, the mean of the files that all of them read. */
export async function comparePeers(directory: string, formats: string[], json: string | undefined): Promise<void> {
  const files = formats.flatMap((format) => readdirSync(join(directory, format)).filter((name) => existsSync(join(directory, format, `${name}.md`))).map((name) => ({ format, name, path: join(directory, format, name) })));
  const marked = byMarkitdown(files.map(({ path }) => path));
  const found: { format: string; name: string; program: string; marks: TextMarks | null }[] = [];
  for (const { format, name, path } of files) {
    const truth = readFileSync(`${path}.md`, 'utf8');
    const { outcome, markdown } = await convertHere({ pdf: path, password: null });
    const answers: [string, string | null][] = [['lectern', outcome.status === 'skipped' ? null : markdown], ['markitdown', marked.get(path) ?? null], ['pandoc', byPandoc(path, format)]];
    for (const [program, answer] of answers) found.push({ format, name, program, marks: answer === null ? null : textMarks(truth, answer) });
  }
  await closeEngine();
  console.log('Against docling\'s own answers: recall / precision / order of words, and files that were read.\n');
  const shown = (value: number | null): string => (value === null ? '-' : value.toFixed(3));
  for (const format of formats) {
    const cells = ['lectern', 'markitdown', 'pandoc'].map((program) => {
      const marks = found.flatMap((one) => (one.format === format && one.program === program && one.marks !== null ? [one.marks] : []));
      const [recall, precision, order] = (['recall', 'precision', 'order'] as const).map((key) => shown(mean(marks.map((one) => one[key]))));
      return marks.length === 0 ? '-'.padEnd(30) : `${recall} / ${precision} / ${order} (${marks.length})`.padEnd(30);
    });
    console.log(`${format.padEnd(14)}${cells.join('')}`);
  }
  for (const { format, name, program, marks } of found) {
    if (program !== 'lectern' || marks === null) continue;
    const better = found.filter((one) => one.format === format && one.name === name && one.marks !== null && one.program !== 'lectern' && (one.marks.recall > marks.recall + 0.005 || one.marks.order > marks.order + 0.005));
    for (const one of better) console.log(`  ${name}: ${one.program} ${shown(one.marks?.recall ?? null)} / ${shown(one.marks?.order ?? null)}, lectern ${shown(marks.recall)} / ${shown(marks.order)}`);
  }
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(found, null, 1)}\n`);
}
