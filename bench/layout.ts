/** `bench layout`: how well the layout network finds the regions of drawn pages in styles and faces that its training did not see, and what that costs. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Measure, tableOf } from '../src/client/measures.js';
import type { DrawnItem, LayoutLine, LayoutPage } from '../src/convert/layout-network/items.js';
import type { LineNetwork } from '../src/convert/layout-network/network.js';
import { findLayoutNetwork } from '../src/convert/layout-network/own.js';
import { packageRoot, shippedModelsDirectory } from '../src/package-files.js';
import { countPage, f1Of, type LabelCount } from './region-f1.js';

/** As models/training/layout/layers.py writes them. */
interface DrawnPages {
  labels: string[];
  pages: { width: number; height: number; lines: LayoutLine[]; drawn: [number, number, number, number, number][]; regions: [number, number, number, number, number][]; family: string; scanned: boolean }[];
}

const kinds: readonly DrawnItem['kind'][] = ['stroke', 'area', 'image'];
/** Parts of the test. */
const parts = { styles: 'styles not seen', faces: 'faces not seen' };

export async function run(args: string[]): Promise<{ code: number; measures: Measure[] }> {
  const { values } = parseArgs({ args, options: { drawn: { type: 'string' }, verbose: { type: 'boolean' } } });
  const folder = values.drawn ?? join(packageRoot(), 'scratch/layout-pages');
  const network = findLayoutNetwork(shippedModelsDirectory());
  if (network === null) console.log('models/ holds no layout network.');
  const measures: Measure[] = [];
  for (const [part, name] of Object.entries(parts)) {
    const file = join(folder, `lines-test-${part}.json`);
    if (!existsSync(file)) console.log(`no pages of ${name} in ${folder}: /usr/bin/python3 models/training/layout/layers.py ${folder} --test`);
    else if (network !== null) measures.push(...measurePart(network, JSON.parse(readFileSync(file, 'utf8')) as DrawnPages, name, values.verbose ?? false));
  }
  console.log(tableOf(measures));
  return Promise.resolve({ code: measures.length > 0 ? 0 : 1, measures });
}

type Counts = Map<string, LabelCount>;

const countOf = (counts: Counts, label: string): LabelCount => counts.get(label) ?? { right: 0, found: 0, there: 0 };
const meanOf = (counts: Counts, labels: string[]): number => labels.reduce((sum, label) => sum + f1Of(countOf(counts, label)), 0) / labels.length;

function measurePart(network: LineNetwork, { labels, pages }: DrawnPages, name: string, verbose: boolean): Measure[] {
  const [all, digital, scanned]: Counts[] = [new Map(), new Map(), new Map()];
  let spent = 0;
  for (const { regions, drawn, scanned: isScan, ...rest } of pages) {
    const page: LayoutPage = { ...rest, drawn: drawn.map(([left, top, right, bottom, kind]) => ({ left, top, right, bottom, kind: kinds[kind] ?? 'area' })) };
    const before = process.cpuUsage();
    const found = network.find(page);
    const { user, system } = process.cpuUsage(before);
    spent += (user + system) / 1000;
    const truth = regions.map(([label, left, top, right, bottom]) => ({ label: labels[label] as string, left, top, right, bottom }));
    for (const counts of [all, isScan ? scanned : digital] as Counts[]) countPage(counts, found, truth);
  }
  console.log(`${name}: ${pages.length} pages, of which ${pages.filter((page) => page.scanned).length} are read from scans`);
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
