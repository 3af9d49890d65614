/** `bench pages`: pages of known source (models/training/documents): how near the rules, and the relation network, come to the truth, by style family. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { markdownOf, withoutPictures } from '../models/training/documents/network/page-markdown.js';
import { truthDocument } from '../models/training/documents/network/truth-blocks.js';
import { shardPage, shardTables } from '../models/training/documents/network/shard-page.js';
import type { ShardPage } from '../models/training/documents/network/shard-page.js';
import { ShardReader } from '../models/training/documents/network/shard-reader.js';
import { type BenchmarkMeasure } from '../src/client/measures.js';
import { relationFinder } from '../src/convert/relations/network.js';
import type { RelationFinder } from '../src/convert/relations/network.js';
import { LecternError } from '../src/errors.js';
import { openPdf } from '../src/pdf/index.js';
import { closeEngine, convertHere, engine } from './convert-here.js';
import { CalibrationCount, countCalibration } from './pages-calibration.js';
import { compareStructure } from './pages-structure.js';
import type { StructureMarks } from './pages-structure.js';
import { findScorer, mean } from './quality.js';
import type { Marks } from './quality.js';

const usage = 'usage: npm run bench -- pages DIRECTORY [--network FILE] [--documents N] [--keep DIRECTORY] [--worst N]';

/** A document of a shard with its PDF. */
interface PageDocument {
  id: string;
  pdf: string;
  family: string;
  pages: ShardPage[];
}

interface Answer extends StructureMarks {
  id: string;
  family: string;
  pages: number;
  processorMs: number;
  marks: Marks;
}

export async function run(args: string[]): Promise<number | { code: number; measures: BenchmarkMeasure[] }> {
  const { values, positionals: [directory] } = parseArgs({
    args, allowPositionals: true, options: { network: { type: 'string' }, documents: { type: 'string' }, keep: { type: 'string' }, worst: { type: 'string', default: '0' } },
  });
  if (directory === undefined) throw new LecternError('invalid_request', usage);
  const documents = await documentsIn(directory, Number(values.documents ?? Infinity));
  if (documents.length === 0) throw new LecternError('invalid_request', `${directory} holds no shards (NAME.npz) with PDFs beside them (make.ts --pdf).`);
  const measures: BenchmarkMeasure[] = [];
  try {
    const ways: [string, RelationFinder | null][] = [['rules', null]];
    if (values.network !== undefined) ways.push(['network', relationFinder(engine, values.network)]);
    for (const [way, relations] of ways) {
      const answers = await answersBy(documents, relations, values.keep === undefined ? undefined : join(values.keep, way));
      print(way, answers, Number(values.worst));
      measures.push(...measuresOf(way, answers));
      if (relations !== null) console.log(await calibration(documents, relations));
    }
  } finally {
    await closeEngine();
  }
  return { code: 0, measures };
}

/** Documents whose pages are all in their shard. */
async function documentsIn(directory: string, most: number): Promise<PageDocument[]> {
  const found: PageDocument[] = [];
  for (const file of readdirSync(directory).filter((name) => name.endsWith('.npz')).sort()) {
    const shard = new ShardReader(join(directory, file));
    const tables = shardTables(shard);
    const pages = Array.from({ length: shard.get('page_document').length }, (_, page) => shardPage(shard, tables, page));
    for (const [index, { family }] of (JSON.parse(shard.texts('documents')[0]!) as { family: string }[]).entries()) {
      const name = basename(file, '.npz');
      const pdf = join(directory, name, `${String(index).padStart(4, '0')}.pdf`);
      const own = pages.filter(({ document }) => document === index);
      if (found.length < most && existsSync(pdf) && await pageCountOf(pdf) === own.length) found.push({ id: `${name}/${index}`, pdf, family, pages: own });
    }
  }
  return found;
}

async function pageCountOf(file: string): Promise<number> {
  const document = await openPdf(readFileSync(file));
  try {
    return document.pageCount;
  } finally {
    document.close();
  }
}

async function answersBy(documents: readonly PageDocument[], relations: RelationFinder | null, keep: string | undefined): Promise<Answer[]> {
  const converted: (Omit<Answer, 'marks'> & { truth: string; answer: string })[] = [];
  for (const { id, pdf, family, pages } of documents) {
    const truth = truthDocument(pages);
    const { markdown, json, processorMs } = await convertHere({ pdf, password: null }, { outputs: ['md', 'json'] }, { relations });
    converted.push({ id, family, pages: pages.length, processorMs, truth: markdownOf(truth), answer: withoutPictures(markdown), ...compareStructure(truth, { tables: json.tables ?? [], texts: json.texts ?? [] }) });
  }
  if (keep !== undefined) keepTexts(keep, converted);
  const marks = findScorer().mark(converted);
  return converted.map(({ id, family, pages, processorMs, gritsTopology, gritsContent, levels }) => ({ id, family, pages, processorMs, gritsTopology, gritsContent, levels, marks: marks.get(id)! }));
}

function keepTexts(directory: string, converted: readonly { id: string; truth: string; answer: string }[]): void {
  for (const [folder, key] of [['truth', 'truth'], ['answer', 'answer']] as const) {
    mkdirSync(join(directory, folder), { recursive: true });
    for (const each of converted) writeFileSync(join(directory, folder, `${each.id.replaceAll('/', '-')}.md`), each[key]);
  }
}

const columns = ['nid', 'teds', 'mhs', 'order', 'gritsTopology', 'gritsContent', 'levels'] as const;
type Column = (typeof columns)[number];

function valueOf({ marks, ...answer }: Answer, column: Column): number | null {
  if (column === 'order') return marks.plain;
  return column === 'nid' || column === 'teds' || column === 'mhs' ? marks[column] : answer[column];
}

const meanOf = (answers: readonly Answer[], column: Column): number | null => mean(answers.map((answer) => valueOf(answer, column)).filter((value) => value !== null));
const milliseconds = (answers: readonly Answer[]): number => answers.reduce((sum, { processorMs }) => sum + processorMs, 0) / answers.reduce((sum, { pages }) => sum + pages, 0);

function print(way: string, answers: readonly Answer[], worst: number): void {
  const families = [...new Set(answers.map(({ family }) => family))].sort();
  console.log(`\n${way}: ${answers.length} documents. NID, TEDS, MHS; order (text without marks); GriTS (topology, content); headings with the source's level; processor ms a page`);
  console.log(`${'family'.padEnd(14)}${['docs', ...columns, 'ms'].map((name) => name.slice(0, 9).padStart(10)).join('')}`);
  for (const [name, own] of [...families.map((family) => [family, answers.filter((answer) => answer.family === family)] as const), ['all', answers] as const]) {
    const cells = [String(own.length), ...columns.map((column) => meanOf(own, column)?.toFixed(3) ?? '-'), milliseconds(own).toFixed(0)];
    console.log(`${name.padEnd(14)}${cells.map((cell) => cell.padStart(10)).join('')}`);
  }
  for (const column of worst === 0 ? [] : (['nid', 'teds', 'mhs'] as const)) {
    const rated = answers.filter((answer) => valueOf(answer, column) !== null).sort((a, b) => valueOf(a, column)! - valueOf(b, column)!).slice(0, worst);
    console.log(`worst ${column}: ${rated.map((answer) => `${answer.id} ${valueOf(answer, column)!.toFixed(2)}`).join(', ')}`);
  }
}

function measuresOf(way: string, answers: readonly Answer[]): BenchmarkMeasure[] {
  const scores = columns.flatMap((column): BenchmarkMeasure[] => {
    const value = meanOf(answers, column);
    return value === null ? [] : [{ name: `${way}: ${column}`, value, unit: '', better: 'more' }];
  });
  return [...scores, { name: `${way}: processor time`, value: milliseconds(answers), unit: 'ms/page', better: 'less' }];
}

async function calibration(documents: readonly PageDocument[], relations: RelationFinder): Promise<string> {
  const count = new CalibrationCount();
  for (const page of documents.flatMap(({ pages }) => pages)) await countCalibration(page, relations, count);
  return count.report();
}
