/** Tables on whole drawn pages: which of them are found, and how many are made of running text, lists, forms and letters on pages that have none. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchmarkMeasure } from '../src/client/measures.js';
import { defaultConvertOptions } from '../src/convert/options.js';
import { inkOf, wordsOf } from '../src/convert/tables/network/extents.js';
import { type CellFinder, findSureAndDoubtful, tablesByNetwork } from '../src/convert/tables/index.js';
import type { Box, PageContent } from '../src/pdf/pdf-page.js';
import { drawnPage, type DrawnWord } from './drawn-page.js';
import { countPage, f1Of, type LabelCount, type LabelledBox } from './region-f1.js';

/** As models/training/layout/layers.py writes them: lines of text, what is drawn as [left, top, right, bottom, kind], regions as [label, left, top, right, bottom]. */
interface DrawnPages {
  labels: string[];
  pages: DrawnPage[];
}

interface DrawnPage {
  width: number;
  height: number;
  family: string;
  scanned: boolean;
  lines: (Box & { size: number; bold: boolean; italic: boolean; text: string })[];
  drawn: [number, number, number, number, number][];
  regions: [number, number, number, number, number][];
}

/** Of a line's box, below the baseline, in sizes. */
const descent = 0.22;
/** What is drawn and thinner is a line, in points. */
const thin = 2;

/** A line's words, each as wide as its share of the letters. */
function lineWords({ left, top, right, bottom, size, bold, italic, text }: DrawnPage['lines'][number]): DrawnWord[] {
  const step = (right - left) / Math.max(1, text.length);
  return [...text.matchAll(/\S+/gu)].map(({ 0: word, index }) => ({ text: word, box: { left: left + index * step, top, right: left + (index + word.length) * step, bottom }, baseline: bottom - descent * size, size, bold, italic }));
}

function pageOf({ width, height, lines, drawn }: DrawnPage): PageContent {
  const rulings: PageContent['rulings'] = [];
  const boxes: { filled: Box[]; framed: Box[] } = { filled: [], framed: [] };
  for (const [left, top, right, bottom, kind] of drawn) {
    if (kind === 2) continue;
    const [wide, high] = [right - left, bottom - top];
    if (Math.min(wide, high) > thin) boxes[kind === 1 ? 'filled' : 'framed'].push({ left, top, right, bottom });
    else if (wide > high) rulings.push({ orientation: 'horizontal', position: (top + bottom) / 2, start: left, end: right, thickness: high, color: 0 });
    else rulings.push({ orientation: 'vertical', position: (left + right) / 2, start: top, end: bottom, thickness: wide, color: 0 });
  }
  return drawnPage({ width, height }, lines.flatMap(lineWords), rulings, boxes.filled, boxes.framed);
}

/** The pages of what is there of `files`, and their true tables. */
export function* drawnPagesOf(folder: string, files: string[]): Generator<{ name: string; at: number; one: DrawnPage; page: PageContent; truth: LabelledBox[] }> {
  for (const name of files.filter((file) => existsSync(join(folder, file)))) {
    const drawn = JSON.parse(readFileSync(join(folder, name), 'utf8')) as DrawnPages;
    for (const [at, one] of drawn.pages.entries()) {
      const truth = one.regions.filter(([label]) => drawn.labels[label] === 'table').map(([, left, top, right, bottom]) => ({ label: 'table', left, top, right, bottom }));
      yield { name, at, one, page: pageOf(one), truth };
    }
  }
}

/** Measures of the pages in `folder` (what of `files` is there); none where there are no such pages. */
export async function measureTablePages(folder: string, files: string[], find: CellFinder | null, verbose: boolean): Promise<BenchmarkMeasure[]> {
  const { signal } = new AbortController();
  const counts = { fast: new Map<string, LabelCount>(), accurate: new Map<string, LabelCount>() };
  const made = { fast: 0, accurate: 0 };
  let [pages, without] = [0, 0];
  for (const { name, at, one, page, truth } of drawnPagesOf(folder, files)) {
    const { tables, doubtful } = findSureAndDoubtful(page, defaultConvertOptions);
    const read = { fast: tables, accurate: find === null ? tables : await tablesByNetwork({ tables, doubtful }, page, find, signal) };
    pages++;
    if (truth.length === 0) without++;
    for (const mode of ['fast', 'accurate'] as const) {
      if (truth.length === 0) made[mode] += read[mode].length;
      countPage(counts[mode], read[mode].map((table) => ({ label: 'table', ...inkOf(wordsOf([table])) })), truth);
      if (verbose && truth.length === 0) for (const { evidence, confidence, cells } of read[mode]) console.log(`  ${mode} ${name} ${at} ${one.family}: ${evidence} ${confidence.toFixed(2)} ${cells.filter(({ words }) => words.length > 0).length} cells ${cells.flatMap(({ words }) => words).slice(0, 40).map(({ text }) => text).join(' ')}`);
    }
  }
  if (pages === 0) return [];
  console.log(`${pages} drawn pages, ${without} of them without tables.`);
  return (['fast', 'accurate'] as const).flatMap((mode): BenchmarkMeasure[] => {
    const { right, found, there } = counts[mode].get('table') ?? { right: 0, found: 0, there: 0 };
    console.log(`  ${mode}: ${right} of ${there} tables found, ${found} made, ${made[mode]} of these on pages without`);
    return [
      { name: `tables on pages, ${mode}: found at an intersection over union of 0.5`, value: f1Of({ right, found, there }), unit: 'F1', better: 'more' },
      { name: `tables on ${without} pages without any, ${mode}`, value: made[mode], unit: '', better: 'less' },
    ];
  });
}
