/** The layout network's prediction for blocks: the mean over their lines. It counts where geometry is unsure; where no network was asked, nothing changes. */
import type { LayoutLabel } from '../page/layout-prediction.js';
import type { TextLine } from '../page/text-line.js';
import type { TextBlock } from '../structure/block.js';
import { linesOf } from '../structure/block.js';

/** The probability, 0..1, that these lines are one of `labels`; null where most of them have no prediction. */
export function oddsOfLines(lines: TextLine[], ...labels: LayoutLabel[]): number | null {
  let [sum, letters, all] = [0, 0, 0];
  for (const { prediction, text } of lines) {
    all += text.length;
    if (prediction === undefined) continue;
    letters += text.length;
    for (const label of labels) sum += text.length * prediction.odds[label];
  }
  return letters <= 0.5 * all ? null : sum / letters;
}

/** The same of a block. */
export function oddsOf(block: TextBlock, ...labels: LayoutLabel[]): number | null {
  return oddsOfLines(linesOf(block), ...labels);
}

/** At least this probability; false without a prediction. */
export function isLikely(block: TextBlock, least: number, ...labels: LayoutLabel[]): boolean {
  return (oddsOf(block, ...labels) ?? 0) >= least;
}

/** At most this probability; false without a prediction. */
export function isUnlikely(block: TextBlock, most: number, ...labels: LayoutLabel[]): boolean {
  return (oddsOf(block, ...labels) ?? 1) <= most;
}
