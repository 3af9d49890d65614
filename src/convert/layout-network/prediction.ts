/** Runs the layout network on a page, and assigns its output to the page's words. */
import type { PageContent, Word } from '../../pdf/pdf-page.js';
import type { LayoutPrediction, LinePrediction } from '../page/layout-prediction.js';
import { networkPageOf } from './network-page.js';
import type { LayoutFinder } from './shipped.js';

/** Null if the network predicts nothing. Rejects as the network does. */
export async function predictLayout(content: PageContent, find: LayoutFinder, signal: AbortSignal): Promise<LayoutPrediction | null> {
  const { page, words } = networkPageOf(content);
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
