/** `bench layout`: how well the layout network finds the regions of drawn pages in styles and faces that its training did not see, what that costs, and what conversion makes of the same pages with and without it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type BenchmarkMeasure, tableOf } from '../src/client/measures.js';
import { type LayoutFinder, shippedLayoutFinder } from '../src/convert/layout-network/shipped.js';
import { shippedCellFinder } from '../src/convert/tables/index.js';
import { packageRoot, shippedModelsDirectory } from '../src/platform/package-files.js';
import { closeEngine, engine } from './convert-here.js';
import { contentOf, type DrawnPage, type DrawnPages, layoutPageOf } from './drawn-pages.js';
import { convertedRegions } from './layout-conversion.js';
import { countPage, f1Of, type LabelCount, type LabelledBox } from './region-f1.js';

/** Parts of the test. */
const parts = { styles: 'styles not seen', faces: 'faces not seen' };

export async function run(args: string[]): Promise<{ code: number; measures: BenchmarkMeasure[] }> {
  const { values } = parseArgs({ args, options: { drawn: { type: 'string' }, network: { type: 'string' }, conversion: { type: 'boolean' }, verbose: { type: 'boolean' } } });
  const folder = values.drawn ?? join(packageRoot(), 'scratch/layout-pages');
  const layout = shippedLayoutFinder(engine, values.network ?? shippedModelsDirectory());
  if (layout === null) console.log('models/ holds no layout network.');
  const measures: BenchmarkMeasure[] = [];
  for (const [part, name] of Object.entries(parts)) {
    const file = join(folder, `lines-test-${part}.json`);
    if (!existsSync(file)) {
      console.log(`no pages of ${name} in ${folder}: /usr/bin/python3 models/training/layout/layers.py ${folder} --test`);
      continue;
    }
    const drawn = JSON.parse(readFileSync(file, 'utf8')) as DrawnPages;
    console.log(`${name}: ${drawn.pages.length} pages, of which ${drawn.pages.filter(({ scanned }) => scanned).length} are read from scans`);
    if (layout !== null) measures.push(...await measureReading(drawn, `${name}, network`, regionsByNetwork(layout), values.verbose ?? false));
    if (!values.conversion) continue;
    const tableCells = shippedCellFinder(engine, shippedModelsDirectory());
    measures.push(...await measureReading(drawn, `${name}, conversion without it`, (page) => convertedRegions(contentOf(page), { layout: null, tableCells }), values.verbose ?? false));
    if (layout !== null) measures.push(...await measureReading(drawn, `${name}, conversion`, (page) => convertedRegions(contentOf(page), { layout, tableCells }), values.verbose ?? false));
  }
  await closeEngine();
  console.log(tableOf(measures));
  return { code: measures.length > 0 ? 0 : 1, measures };
}

type Counts = Map<string, LabelCount>;
type Reading = (page: DrawnPage) => Promise<LabelledBox[]>;

const countOf = (counts: Counts, label: string): LabelCount => counts.get(label) ?? { right: 0, found: 0, there: 0 };
const meanOf = (counts: Counts, labels: string[]): number => labels.reduce((sum, label) => sum + f1Of(countOf(counts, label)), 0) / labels.length;

function regionsByNetwork(layout: LayoutFinder): Reading {
  const { signal } = new AbortController();
  return async (page) => (await layout(layoutPageOf(page), signal)).regions;
}

async function measureReading({ labels, pages }: DrawnPages, name: string, read: Reading, verbose: boolean): Promise<BenchmarkMeasure[]> {
  const [all, digital, scanned]: Counts[] = [new Map(), new Map(), new Map()];
  let spent = 0;
  for (const page of pages) {
    const before = process.cpuUsage();
    const found = await read(page);
    const { user, system } = process.cpuUsage(before);
    spent += (user + system) / 1000;
    const truth = page.regions.map(([label, left, top, right, bottom]) => ({ label: labels[label] as string, left, top, right, bottom }));
    for (const counts of [all, page.scanned ? scanned : digital] as Counts[]) countPage(counts, found, truth);
  }
  console.log(name);
  for (const label of labels) {
    const { right, found, there } = countOf(all as Counts, label);
    const apart = verbose ? `  (born digital ${f1Of(countOf(digital as Counts, label)).toFixed(3)}, scans ${f1Of(countOf(scanned as Counts, label)).toFixed(3)})` : '';
    console.log(`  ${label.padEnd(14)} F1 ${f1Of({ right, found, there }).toFixed(3)}  ${String(there).padStart(5)} there, ${String(found).padStart(5)} found, ${String(right).padStart(5)} right${apart}`);
  }
  return [
    { name: `${name}, mean F1 of ${labels.length} classes`, value: meanOf(all as Counts, labels), unit: '', better: 'more' },
    { name: `${name}, born digital`, value: meanOf(digital as Counts, labels), unit: '', better: 'more' },
    { name: `${name}, scans`, value: meanOf(scanned as Counts, labels), unit: '', better: 'more' },
    { name: `${name}, processor time`, value: spent / Math.max(1, pages.length), unit: 'ms/page', better: 'less' },
  ];
}
