/** Whether the confidence of blocks is what it says: by tenths, how many blocks have exactly the words and the class of a block of the truth. */
import { truthBlocks } from '../models/training/documents/network/truth-blocks.js';
import type { ShardPage } from '../models/training/documents/network/shard-page.js';
import { decidePage } from '../src/convert/relations/decide-page.js';
import type { RelationFinder } from '../src/convert/relations/network.js';

const bins = 10;

export class CalibrationCount {
  readonly #all = new Array<number>(bins).fill(0);
  readonly #right = new Array<number>(bins).fill(0);
  readonly #sum = new Array<number>(bins).fill(0);

  add(confidence: number, isRight: boolean): void {
    const bin = Math.min(bins - 1, Math.floor(confidence * bins));
    this.#all[bin]!++;
    this.#sum[bin]! += confidence;
    if (isRight) this.#right[bin]!++;
  }

  /** The expected calibration error: the mean distance between confidence and share of right blocks. */
  error(): number {
    const total = this.#all.reduce((sum, count) => sum + count, 0);
    return this.#all.reduce((sum, count, bin) => sum + (count === 0 ? 0 : Math.abs(this.#sum[bin]! - this.#right[bin]!)), 0) / Math.max(1, total);
  }

  report(): string {
    const lines = this.#all.flatMap((count, bin) => (count === 0 ? [] : [`${(bin / bins).toFixed(1)} to ${((bin + 1) / bins).toFixed(1)}: ${count} blocks, mean confidence ${(this.#sum[bin]! / count).toFixed(2)}, right ${(this.#right[bin]! / count).toFixed(2)}`]));
    return `calibration of the blocks' confidence (error ${this.error().toFixed(3)}):\n${lines.join('\n')}`;
  }
}

export async function countCalibration(page: ShardPage, relations: RelationFinder, count: CalibrationCount): Promise<void> {
  const { nodes, blocks } = await decidePage(page.content, relations, new AbortController().signal);
  const indexOf = new Map(page.content.words.map((word, index) => [word, index]));
  const key = (cls: string, words: readonly number[]): string => `${cls} ${[...words].sort((a, b) => a - b).join(' ')}`;
  const truth = new Set(truthBlocks(page).blocks.map(({ cls, nodes: words }) => key(cls, words)));
  for (const block of blocks) {
    if (block.cls === 'picture') continue;
    count.add(block.confidence, truth.has(key(block.cls, block.nodes.flatMap((node) => nodes[node]!.words.map((word) => indexOf.get(word)!)))));
  }
}
