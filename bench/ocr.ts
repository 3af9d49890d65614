/** `bench ocr`: how well and how fast pictures of text are read: lines drawn in faces and with defects that training did not see, and scanned pages beside Tesseract. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type BenchmarkMeasure, tableOf } from '../src/client/measures.js';
import { findOwnNetwork } from '../src/convert/ocr/own.js';
import { packageRoot, shippedModelsDirectory } from '../src/platform/package-files.js';
import { closeEngine, convertHere, engine } from './convert-here.js';
import { type BenchDocument, readCorpus } from './corpora.js';
import { findScorer, mean } from './quality.js';

const usage = 'usage: npm run bench -- ocr [--drawn FOLDER] [--hard FOLDER] [--pages N] [--verbose]';
/** Lines' heights, as the training draws them. */
const rows = 32;

export async function run(args: string[]): Promise<{ code: number; measures: BenchmarkMeasure[] } | number> {
  const { values } = parseArgs({ args, options: { drawn: { type: 'string' }, hard: { type: 'string' }, pages: { type: 'string' }, verbose: { type: 'boolean' } } });
  const most = Number(values.pages ?? 1000);
  if (!Number.isInteger(most) || most < 0) {
    console.error(usage);
    return 2;
  }
  const measures = [...await measureLines(values.drawn ?? join(packageRoot(), 'scratch/ocr-lines')), ...await measureHardPages(values.hard ?? join(packageRoot(), 'scratch/ocr-pages'), values.verbose ?? false), ...await measurePages(most, values.verbose ?? false)];
  await closeEngine();
  console.log(tableOf(measures));
  return { code: measures.length > 0 ? 0 : 1, measures };
}

/** Letters to insert, remove or change (Levenshtein). */
function distance(one: string[], other: string[]): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (const [i, letter] of one.entries()) {
    const next = [i + 1];
    for (const [j, wanted] of other.entries()) next.push(Math.min((row[j + 1] as number) + 1, (next[j] as number) + 1, (row[j] as number) + (letter === wanted ? 0 : 1)));
    row = next;
  }
  return row.at(-1) as number;
}

interface DrawnLines {
  widths: number[];
  texts: string[];
}

async function measureLines(folder: string): Promise<BenchmarkMeasure[]> {
  const network = findOwnNetwork(shippedModelsDirectory());
  if (network === null) {
    console.log('models/ holds no recogniser: no lines are read.');
    return [];
  }
  const measures: BenchmarkMeasure[] = [];
  for (const stage of ['clean', 'degraded']) {
    const file = join(folder, stage, '00000');
    if (!existsSync(`${file}.json`)) {
      console.log(`${stage} lines are not in ${folder}: /usr/bin/python3 models/training/text/evaluate.py ${folder} --draw`);
      continue;
    }
    const { widths, texts } = JSON.parse(readFileSync(`${file}.json`, 'utf8')) as DrawnLines;
    const pixels = readFileSync(`${file}.bin`);
    let [start, letters, errors] = [0, 0, 0];
    for (const [i, width] of widths.entries()) {
      const data = new Uint8Array(rows * width * 4);
      for (let at = 0; at < rows * width; at++) data.fill(pixels[start + at] as number, at * 4, at * 4 + 4);
      start += rows * width;
      const { lines } = await engine().recogniseText({ data, width, height: rows, stride: width * 4 }, { network: network.path, dpi: 200, oneLine: true });
      const read = lines.flatMap(({ words }) => words.map(({ text }) => text)).join(' ');
      const truth = texts[i] as string;
      letters += [...truth].length;
      errors += distance([...truth], [...read]);
    }
    console.log(`${stage}: ${widths.length} lines, ${letters} characters, ${errors} errors`);
    measures.push({ name: `${stage} lines, character error`, value: (100 * errors) / letters, unit: '%', better: 'less' });
  }
  return measures;
}

function wordsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.toLowerCase().replace(/<[^>]*>/gu, ' ').matchAll(/[\p{L}\d]+/gu)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** How many words the truth has, how many the answer, and how many of them both, wherever they stand. */
function common(truth: string, answer: string): { there: number; answered: number; both: number } {
  const [one, other] = [wordsOf(truth), wordsOf(answer)];
  const sum = (counts: Iterable<number>): number => [...counts].reduce((all, count) => all + count, 0);
  return { there: sum(one.values()), answered: sum(other.values()), both: sum([...one].map(([word, count]) => Math.min(count, other.get(word) ?? 0))) };
}

/** Share of the truth's words that the answer has. */
function recall(truth: string, answer: string): number {
  const { there, both } = common(truth, answer);
  return both / Math.max(1, there);
}

/** Drawn pages on which text is hard to find, by kind: of all their words those that are read, and of what is read what stands there. */
async function measureHardPages(folder: string, verbose: boolean): Promise<BenchmarkMeasure[]> {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.png')).sort() : [];
  if (names.length === 0) {
    console.log(`hard pages are not in ${folder}: /usr/bin/python3 models/training/detector/hard.py ${folder}`);
    return [];
  }
  const kinds = new Map<string, { pages: number; there: number; answered: number; both: number; ms: number }>();
  for (const name of names) {
    // Markdown says a merged cell as often as it is wide.
    const { html, processorMs } = await convertHere({ pdf: join(folder, name), password: null }, { outputs: ['html'] });
    const truth = JSON.parse(readFileSync(join(folder, name.replace(/png$/u, 'json')), 'utf8')) as string[];
    const counts = common(truth.join('\n').replace(/[<>&]/gu, ' '), html.replace(/<(style|title)[^]*?<\/\1>|&\w+;/gu, ' '));
    if (verbose) console.log(`${name}: ${counts.both} of ${counts.there} words, ${counts.answered} read, ${processorMs.toFixed(0)} ms`);
    const kind = name.replace(/-.*/u, '');
    const sum = kinds.get(kind) ?? { pages: 0, there: 0, answered: 0, both: 0, ms: 0 };
    kinds.set(kind, { pages: sum.pages + 1, there: sum.there + counts.there, answered: sum.answered + counts.answered, both: sum.both + counts.both, ms: sum.ms + processorMs });
  }
  return [...kinds].flatMap(([kind, { pages, there, answered, both, ms }]): BenchmarkMeasure[] => [
    { name: `${kind}, ${pages} drawn pages, word recall`, value: both / Math.max(1, there), unit: '', better: 'more' },
    { name: `${kind}, of the words read right`, value: both / Math.max(1, answered), unit: '', better: 'more' },
    { name: `${kind}, processor time`, value: ms / pages, unit: 'ms/page', better: 'less' },
  ]);
}

interface Reader {
  name: string;
  preset: string;
}

const readers: Reader[] = [{ name: 'ours', preset: 'auto' }, { name: 'tesseract', preset: 'tesseract' }];

/** Documents in turns with both readers, so that neighbours on the machine slow both. */
async function measurePages(most: number, verbose: boolean): Promise<BenchmarkMeasure[]> {
  const corpus = readCorpus('scan');
  if (corpus === null || most === 0) return [];
  const documents = corpus.documents.slice(0, most);
  // One thread a page, as ours: pages are read side by side.
  process.env['OMP_THREAD_LIMIT'] = '1';
  for (const { preset } of readers) await convertHere(documents[0] as BenchDocument, { ocrPreset: preset });
  const answers = new Map(readers.map(({ name }) => [name, [] as { id: string; truth: string; answer: string; pages: number; ms: number }[]]));
  for (const document of documents) {
    for (const { name, preset } of readers) {
      const { outcome, markdown, processorMs } = await convertHere(document, { ocrPreset: preset });
      answers.get(name)?.push({ id: document.id, truth: readFileSync(document.truth, 'utf8'), answer: markdown, pages: outcome.pageCount, ms: processorMs });
    }
  }
  const scorer = findScorer();
  console.log(scorer.name);
  return readers.flatMap(({ name }): BenchmarkMeasure[] => {
    const read = answers.get(name) ?? [];
    const marks = scorer.mark(read);
    if (verbose) for (const one of read) console.log(`${name} ${one.id}: NID ${marks.get(one.id)?.nid?.toFixed(3) ?? '-'}, recall ${recall(one.truth, one.answer).toFixed(3)}, ${(one.ms / one.pages).toFixed(0)} ms/page`);
    const pages = read.reduce((sum, one) => sum + one.pages, 0);
    return [
      { name: `${name}, ${pages} pages, NID`, value: mean([...marks.values()].map(({ nid }) => nid ?? 0)) ?? 0, unit: '', better: 'more' },
      { name: `${name}, word recall`, value: mean(read.map((one) => recall(one.truth, one.answer))) ?? 0, unit: '', better: 'more' },
      { name: `${name}, processor time`, value: read.reduce((sum, one) => sum + one.ms, 0) / Math.max(1, pages), unit: 'ms/page', better: 'less' },
    ];
  });
}
