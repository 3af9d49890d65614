/** `bench letters`: how like the text of PDFs is to the text of their sources, in letters and in order, beside pdftotext, mutool and PDFium. */
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type BenchmarkMeasure, tableOf } from '../src/client/measures.js';
import { closeEngine, convertHere } from './convert-here.js';
import { fetchLetters, lettersDocuments, lettersFolder, type LettersDocument } from './letters-corpus.js';
import { compareTexts, type TextMarks } from './letters-measure.js';
import { textPeers, type PlainText } from './letters-peers.js';
import { plainText } from '../test/support/quality.js';

const usage = 'usage: npm run bench -- letters [--fetch] [--only PART-OF-A-NAME]... [--beside FOLDER] [--no-peers] [--keep DIRECTORY] [--verbose]';

/** Lectern's markdown without its marks: those of emphasis and headings, tables, escapes, scripts. */
const lectern: PlainText = async (pdf) => {
  const { outcome, markdown } = await convertHere({ pdf, password: null }, { doOcr: false });
  if (outcome.errors.length > 0) console.log(`  ${pdf}: ${outcome.errors[0]!.error_message}`);
  return withoutMarks(markdown);
};

/** Cells and lines in their order; scripts in their line. */
function withoutMarks(markdown: string): string {
  const lines = markdown.split('\n').map((line) => (/^\|[\s|:-]*\|$/u.test(line) ? '' : line.replace(/^\||\|$|(?<= )\|(?= )/gu, ' ')));
  return plainText(lines.join('\n').replace(/<\/?(?:sup|sub|table|tr|t[dh]|br)\b[^>]*>/gu, (tag) => (/su[bp]/u.test(tag) ? '' : ' ')).replaceAll('&#124;', '|'));
}

/** `NAME.pdf` with `NAME.txt` in a folder of the caller's. */
function besideDocuments(folder: string): LettersDocument[] {
  return readdirSync(folder).filter((name) => name.endsWith('.pdf') && existsSync(join(folder, name.replace(/\.pdf$/u, '.txt'))))
    .map((name) => ({ id: name.replace(/\.pdf$/u, ''), pdf: join(folder, name), truth: readFileSync(join(folder, name.replace(/\.pdf$/u, '.txt')), 'utf8') }));
}

const kinds = ['letters', 'bare', 'order'] as const;

function meanOf(marks: TextMarks[], kind: keyof TextMarks): number {
  return marks.reduce((sum, mark) => sum + mark[kind], 0) / Math.max(1, marks.length);
}

export async function run(args: string[]): Promise<number | { code: number; measures: BenchmarkMeasure[] }> {
  const { values } = parseArgs({
    args, options: { fetch: { type: 'boolean' }, only: { type: 'string', multiple: true }, beside: { type: 'string' }, 'no-peers': { type: 'boolean' }, keep: { type: 'string' }, verbose: { type: 'boolean' } },
  });
  if (values.fetch === true) fetchLetters();
  const all = [...lettersDocuments(), ...(values.beside === undefined ? [] : besideDocuments(values.beside))];
  const documents = all.filter(({ id }) => values.only === undefined || values.only.some((part) => id.includes(part)));
  if (documents.length === 0) {
    console.error(`There are no documents in ${lettersFolder()}: --fetch downloads Debian's packages with apt-get.\n${usage}`);
    return 2;
  }
  if (values.keep !== undefined) mkdirSync(values.keep, { recursive: true });
  const programs = new Map<string, PlainText>([['Lectern', lectern], ...(values['no-peers'] === true ? [] : await textPeers())]);
  const marks = new Map<string, TextMarks[]>([...programs.keys()].map((name) => [name, []]));
  for (const { id, pdf, truth } of documents) {
    const row: string[] = [];
    for (const [name, read] of programs) {
      const answer = await read(pdf);
      if (values.keep !== undefined) writeFileSync(join(values.keep, `${id}.${name}.txt`), answer);
      const mark = compareTexts(truth, answer);
      marks.get(name)!.push(mark);
      row.push(`${name} ${kinds.map((kind) => mark[kind].toFixed(4)).join(' ')}`);
    }
    if (values.verbose === true) console.log(`${id.padEnd(44)} ${row.join('   ')}`);
  }
  await closeEngine();
  const measures = [...marks].flatMap(([name, own]) => kinds.map((kind): BenchmarkMeasure => ({ name: `${name} ${kind}`, value: meanOf(own, kind), unit: 'of 1', better: 'more' })));
  console.log(`${documents.length} documents\n${tableOf(measures)}`);
  for (const [name, own] of marks) {
    if (name === 'Lectern') continue;
    const ahead = (kind: keyof TextMarks): number => own.filter((mark, at) => marks.get('Lectern')![at]![kind] >= mark[kind]).length;
    console.log(`Lectern is at least level with ${name} in ${kinds.map((kind) => `${kind} of ${ahead(kind)}`).join(', ')}`);
  }
  return { code: 0, measures };
}
