/** Converts the output of the line network to regions: joined items of one class form a region. `regions` in models/training/layout/line_network.py is the same algorithm. */
import { unionBox } from '../../geometry/box.js';
import type { LineClasses, LineItems } from '../../engine/vision-port.js';
import type { Box } from '../../pdf/pdf-page.js';
import { layoutLabels } from '../page/layout-prediction.js';
import type { LayoutLabel, LayoutRegion, LineOdds } from '../page/layout-prediction.js';
import type { Items } from './items.js';

const classCount = layoutLabels.length + 1;

export interface NetworkOutput {
  /** The most probable first; a line is in at most one region. */
  regions: LayoutRegion[];
  /** For each line. */
  odds: LineOdds[];
}

export const noOutput: NetworkOutput = { regions: [], odds: [] };

/** The items in the form of the engine. */
export function rowsOf({ features, neighbours, pairs, pairFeatures }: Items): LineItems {
  return { features: Float32Array.from(features.flat()), neighbours: Int32Array.from(neighbours.flat()), pairs: Int32Array.from(pairs.flat()), pairFeatures: Float32Array.from(pairFeatures.flat()) };
}

function softmax(logits: Float32Array): number[] {
  const most = Math.max(...logits);
  const powers = [...logits].map((logit) => Math.exp(logit - most));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

/** Regions and class probabilities of a page's items. */
export function outputOf(items: Items, { classes, joined }: LineClasses): NetworkOutput {
  const odds = items.boxes.map((_, item) => softmax(classes.subarray(item * classCount, (item + 1) * classCount)));
  const best = odds.map((row) => row.indexOf(Math.max(...row)));
  const regions = groupsOf(items, best, joined).map((group): LayoutRegion => {
    const boxes = group.map((item) => items.boxes[item] as Box);
    return {
      label: layoutLabels[best[group[0] as number] as number] as LayoutLabel,
      score: group.reduce((sum, item) => sum + Math.max(...(odds[item] as number[])), 0) / group.length,
      lines: group.filter((item) => item < items.lineCount), drawn: group.some((item) => item >= items.lineCount),
      ...unionBox(boxes),
    };
  });
  return {
    // A single stroke is not a region.
    regions: regions.filter(({ left, top, right, bottom }) => left < right && top < bottom).sort((a, b) => b.score - a.score),
    odds: odds.slice(0, items.lineCount).map((row) => Object.fromEntries(layoutLabels.map((label, index) => [label, row[index]])) as LineOdds),
  };
}

/** Groups of items of one class (other than none) that pairs join. */
function groupsOf({ pairs }: Items, best: number[], joined: Float32Array): number[][] {
  const parents = best.map((_, item) => item);
  const root = (item: number): number => {
    let at = item;
    while (parents[at] !== at) at = parents[at] as number;
    return at;
  };
  for (const [index, [i, j]] of pairs.entries()) if ((joined[index] as number) > 0 && best[i] === best[j]) parents[root(i)] = root(j);
  const groups = new Map<number, number[]>();
  for (const [item, label] of best.entries()) {
    if (label >= layoutLabels.length) continue;
    const group = groups.get(root(item));
    if (group === undefined) groups.set(root(item), [item]);
    else group.push(item);
  }
  return [...groups.values()];
}
