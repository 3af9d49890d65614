/** What the layout network thinks of one page, ready to be asked: by the words of a line, and by region. It proposes; the words and what is drawn decide where things stand. */
import type { PageContent, Word } from '../../pdf/pdf-page.js';
import { lookAt } from './network-page.js';
import type { LineOdds, Region } from './regions.js';
import type { LayoutFinder } from './shipped.js';

/** Of one line. */
export interface LinePrediction {
  odds: LineOdds;
  /** The region it is in, by its place among the page's; -1 for none. */
  region: number;
}

export interface LayoutPrediction {
  regions: Region[];
  /** Of the page's words that run from left to right. */
  lines: Map<Word, LinePrediction>;
  /** Words of each region. */
  words: Word[][];
}

/** Null where it says nothing. Rejects as the network does. */
export async function predictLayout(content: PageContent, find: LayoutFinder, signal: AbortSignal): Promise<LayoutPrediction | null> {
  const { page, words } = lookAt(content);
  const { regions, odds } = await find(page, signal);
  if (odds.length === 0 && regions.length === 0) return null;
  const owners = new Map<number, number>();
  for (const [index, { lines }] of regions.entries()) for (const line of lines) owners.set(line, index);
  const lines = new Map<Word, LinePrediction>();
  for (const [index, parts] of words.entries()) {
    const of = odds[index];
    if (of !== undefined) for (const word of parts) lines.set(word, { odds: of, region: owners.get(index) ?? -1 });
  }
  return { regions, lines, words: regions.map((region) => region.lines.flatMap((line) => words[line] ?? [])) };
}
