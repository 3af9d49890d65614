/** `bench tables`: how well tables in styles that training did not see come out, by geometry alone and with the network on the same words. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type BenchmarkMeasure, tableOf } from '../src/client/measures.js';
import { defaultConvertOptions } from '../src/convert/options.js';
import type { FoundTable, TableCell } from '../src/convert/page/found-table.js';
import { tableByNetwork } from '../src/convert/tables/network/cells-of-table.js';
import { inkOf } from '../src/convert/tables/network/extents.js';
import { type CellFinder, findSureAndDoubtful, shippedCellFinder, tablesByNetwork } from '../src/convert/tables/index.js';
import { packageRoot, shippedModelsDirectory } from '../src/platform/package-files.js';
import type { PageContent } from '../src/pdf/pdf-page.js';
import { closeEngine, engine } from './convert-here.js';
import { drawnPage, type DrawnWord } from './drawn-page.js';
import { findScorer, mean } from './quality.js';
import { drawnPagesOf, measureTablePages } from './table-pages.js';
import { signsOfPage } from './table-signs.js';

const usage = 'usage: npm run bench -- tables [--drawn FILE] [--tables N] [--network DIRECTORY] [--pages FOLDER] [--files NAME,...] [--verbose] [--answers FILE] [--signs FILE]';

/** A line of what models/training/tables/drawn.py writes: a table as it stands on a page, in points, and its truth as HTML. */
interface DrawnTable {
  family: string;
  rules: string;
  worn: boolean;
  size: number;
  width: number;
  height: number;
  /** Text, left, right, baseline, size, bold. */
  words: [string, number, number, number, number, boolean][];
  /** Horizontal, position, start, end, thickness. */
  lines: [boolean, number, number, number, number][];
  shades: [number, number, number, number][];
  truth: string;
}

/** Pages with their regions, as models/training/layout/layers.py --test writes them into the folder of --pages. */
const testFiles = ['lines-test-styles.json', 'lines-test-faces.json'];

/** Of the page, around the table. */
const border = 72;

function pageOf(drawn: DrawnTable): PageContent {
  const words = drawn.words.map(([text, left, right, baseline, size, isBold]): DrawnWord => ({
    text, box: { left: left + border, right: right + border, top: baseline + border - 0.7 * size, bottom: baseline + border }, baseline: baseline + border, size, bold: isBold,
  }));
  const rulings = drawn.lines.map(([horizontal, position, start, end, thickness]) => ({ orientation: horizontal ? 'horizontal' as const : 'vertical' as const, position: position + border, start: start + border, end: end + border, thickness, color: 0 }));
  const shades = drawn.shades.map(([left, top, right, bottom]) => ({ left: left + border, top: top + border, right: right + border, bottom: bottom + border }));
  return drawnPage({ width: drawn.width + 2 * border, height: drawn.height + 2 * border }, words, rulings, shades);
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function htmlOf({ rowCount, cells }: FoundTable): string {
  const rows = Array.from({ length: rowCount }, (): TableCell[] => []);
  for (const cell of cells) rows[cell.row]?.push(cell);
  const span = (name: string, count: number): string => (count > 1 ? ` ${name}="${count}"` : '');
  const html = (cell: TableCell): string => `<td${span('rowspan', cell.rowSpan)}${span('colspan', cell.columnSpan)}>${escaped(cell.words.map(({ text }) => text).join(' '))}</td>`;
  return `<table>${rows.map((row) => `<tr>${row.sort((a, b) => a.column - b.column).map(html).join('')}</tr>`).join('')}</table>`;
}

/** The table's words as one cell: where it is known that there is a table, and nothing of it. */
function unread(page: PageContent): FoundTable {
  const box = { left: border, top: border, right: page.width - border, bottom: page.height - border };
  return { box, rowCount: 1, columnCount: 1, evidence: 'unruled', confidence: 1, cells: [{ row: 0, column: 0, rowSpan: 1, columnSpan: 1, columnHeader: false, rowHeader: false, words: page.words, box }] };
}

interface Answers {
  drawn: DrawnTable;
  fast: FoundTable[];
  accurate: FoundTable[];
  given: FoundTable[];
}

async function answer(drawn: DrawnTable, find: CellFinder | null): Promise<Answers> {
  const page = pageOf(drawn);
  const { signal } = new AbortController();
  const found = findSureAndDoubtful(page, defaultConvertOptions);
  const fast = found.tables;
  if (find === null) return { drawn, fast, accurate: fast, given: [] };
  return { drawn, fast, accurate: await tablesByNetwork(found, page, find, signal), given: [(await tableByNetwork(unread(page), page, find, signal)) ?? unread(page)] };
}

const readings = ['fast', 'accurate', 'given'] as const;
const meanings = { fast: 'table_mode fast: geometry', accurate: 'accurate: geometry finds, network reads', given: 'network, told where the table is' };

export async function run(args: string[]): Promise<{ code: number; measures: BenchmarkMeasure[] } | number> {
  const { values } = parseArgs({ args, options: { drawn: { type: 'string' }, tables: { type: 'string' }, network: { type: 'string' }, verbose: { type: 'boolean' }, answers: { type: 'string' }, pages: { type: 'string' }, files: { type: 'string' }, signs: { type: 'string' } } });
  const most = Number(values.tables ?? 10_000);
  const file = values.drawn ?? join(packageRoot(), 'scratch/tables.jsonl');
  if (!Number.isInteger(most) || most < 1 || !existsSync(file)) {
    console.error(existsSync(file) ? usage : `${file} is missing: /usr/bin/python3 models/training/tables/drawn.py ${file} 300 (LECTERN_FACES=faces.json keeps what is known of the faces)\n${usage}`);
    return 2;
  }
  const find = shippedCellFinder(engine, values.network ?? shippedModelsDirectory());
  if (find === null) console.log('models/ holds no table network: geometry alone.');
  const drawn = readFileSync(file, 'utf8').trim().split('\n').slice(0, most).map((line) => JSON.parse(line) as DrawnTable);
  const pages = [values.pages ?? join(packageRoot(), 'scratch/layout-pages'), values.files?.split(',') ?? testFiles] as const;
  if (values.signs !== undefined && find !== null) return await writeSigns(values.signs, drawn, drawnPagesOf(...pages), find);
  const measures: BenchmarkMeasure[] = [];
  const answers: Answers[] = [];
  for (const one of drawn) answers.push(await answer(one, find));
  measures.push(...(await measureTablePages(...pages, find, values.verbose ?? false)));
  await closeEngine();
  if (values.answers !== undefined) writeFileSync(values.answers, answers.map((one) => `${JSON.stringify({ truth: one.drawn.truth, ...Object.fromEntries(readings.map((reading) => [reading, one[reading].map(htmlOf)])) })}\n`).join(''));
  const scorer = findScorer();
  console.log(`${scorer.name}\n${drawn.length} tables of ${new Set(drawn.map(({ family }) => family)).size} looks that training never drew.`);
  for (const reading of find === null ? ['fast' as const] : readings) {
    const marks = scorer.mark(answers.map((one, at) => ({ id: String(at), truth: one.drawn.truth, answer: one[reading].map(htmlOf).join('\n') })));
    const teds = (is: (one: DrawnTable) => boolean): number => mean(answers.flatMap((one, at) => (is(one.drawn) ? [marks.get(String(at))?.teds ?? 0] : []))) ?? 0;
    for (const [kind, is] of kinds(drawn)) measures.push({ name: `${kind}, ${meanings[reading]}`, value: teds(is), unit: 'TEDS', better: 'more' });
    if (values.verbose) for (const [at, one] of answers.entries()) console.log(`  ${reading} ${at} ${one.drawn.family}${one.drawn.worn ? ' worn' : ''} ${(marks.get(String(at))?.teds ?? 0).toFixed(3)}`);
  }
  console.log(tableOf(measures));
  return { code: 0, measures };
}

/** What models/training/tables/signs.py learns from, a line for each reading. */
async function writeSigns(file: string, drawn: DrawnTable[], pages: ReturnType<typeof drawnPagesOf>, find: CellFinder): Promise<number> {
  const signs = [];
  for (const one of drawn) {
    const page = pageOf(one);
    signs.push(...(await signsOfPage(page, [inkOf(page.words)], true, find)));
  }
  for (const { page, truth } of pages) signs.push(...(await signsOfPage(page, truth, false, find)));
  await closeEngine();
  writeFileSync(file, signs.map((one) => `${JSON.stringify(one)}\n`).join(''));
  return 0;
}

function kinds(drawn: DrawnTable[]): [string, (one: DrawnTable) => boolean][] {
  const count = (is: (one: DrawnTable) => boolean): number => drawn.filter(is).length;
  const looks = [...new Set(drawn.map(({ rules }) => rules))].sort();
  const all: [string, (one: DrawnTable) => boolean][] = [['all', () => true], ['clean', ({ worn }) => !worn], ['worn', ({ worn }) => worn], ...looks.map((look): [string, (one: DrawnTable) => boolean] => [look, ({ rules }) => rules === look])];
  return all.map(([name, is]) => [`${name} (${count(is)})`, is]);
}
