/** Blocks: lines stacked at line distance, like the wrapped text of a cell; and bands of blocks that overlap in height. */
import { quantile } from '../../../geometry/statistics.js';
import { horizontalOverlap, middleX } from '../../../geometry/box.js';
import type { Chunk, VisualRow } from './chunks.js';
import type { Flow } from './running-text.js';

/** A block has the shape of a chunk: its extent is that of all its lines. */
export interface Block extends Chunk {
  lines: Chunk[];
}

/** Line distance of a cell's text, in ems, if the page's own text does not show it; then its limit. */
const DEFAULT_LEADING = 1.4;
const MAX_LEADING = 1.75;

/** Line distance of the page's running text, in ems, with a little slack. */
export function blockLeading(flows: Flow[]): number {
  const steps: number[] = [];
  for (const { chunks } of flows) {
    for (let index = 1; index < chunks.length; index++) {
      const [above, chunk] = [chunks[index - 1], chunks[index]];
      if (above !== undefined && chunk !== undefined) steps.push((chunk.baseline - above.baseline) / chunk.size);
    }
  }
  if (steps.length < 6) return DEFAULT_LEADING;
  return Math.min(MAX_LEADING, Math.max(1.28, 1.06 * quantile(steps, 0.4)));
}

/** Stacks the chunks of `rows` into blocks, from the top. */
export function makeBlocks(rows: VisualRow[], leading: number): Block[] {
  const blocks: Block[] = [];
  let open: Block[] = [];
  for (const row of rows) {
    open = open.filter((block) => row.baseline - (block.lines.at(-1)?.baseline ?? 0) <= MAX_LEADING * block.size);
    for (const chunk of row.chunks) {
      const under = open.filter((block) => block.lines.at(-1)?.baseline !== chunk.baseline && horizontalOverlap(block, chunk) > 0.5);
      const host = under[0];
      if (under.length === 1 && host !== undefined && goesOn(host, chunk, leading)) addLine(host, chunk);
      else {
        const block = { ...chunk, lines: [chunk] };
        open.push(block);
        blocks.push(block);
      }
    }
  }
  return blocks;
}

function goesOn(block: Block, chunk: Chunk, leading: number): boolean {
  const last = block.lines.at(-1);
  if (last === undefined || Math.abs(chunk.size - last.size) > 0.12 * last.size || chunk.bold !== last.bold) return false;
  const step = chunk.baseline - last.baseline;
  if (step < 0.8 * chunk.size || step > leading * chunk.size) return false;
  const slack = 0.6 * chunk.size;
  const middles = Math.abs(middleX(chunk) - middleX(last));
  return Math.abs(chunk.left - last.left) <= slack || Math.abs(chunk.right - last.right) <= slack || middles <= slack;
}

function addLine(block: Block, chunk: Chunk): void {
  block.lines.push(chunk);
  block.left = Math.min(block.left, chunk.left);
  block.right = Math.max(block.right, chunk.right);
  block.bottom = chunk.bottom;
  block.text += ` ${chunk.text}`;
}

/** Blocks that overlap in height without a wall between them. A table row has no two blocks one above the other. */
export interface Band {
  blocks: Block[];
  top: number;
  bottom: number;
  /** Whether some block of the band stands over another one. */
  stacked: boolean;
}

/** Groups blocks into bands, from the top; `isParted` returns whether a left and a right block cannot be neighbours. */
export function makeBands(blocks: Block[], isParted: (left: Block, right: Block) => boolean = () => false): Band[] {
  const bands: Band[] = [];
  let open: Band[] = [];
  for (const block of [...blocks].sort((a, b) => a.top - b.top)) {
    open = open.filter((band) => band.bottom - block.top > 0.24 * block.size);
    const near = open.filter((band) => band.blocks.some((other) => !isParted(...inOrder(other, block))));
    const [band, ...others] = near;
    if (band === undefined) {
      const fresh = { blocks: [block], top: block.top, bottom: block.bottom, stacked: false };
      open.push(fresh);
      bands.push(fresh);
      continue;
    }
    for (const other of others) {
      band.blocks.push(...other.blocks);
      band.stacked ||= other.stacked;
      other.blocks = [];
    }
    open = open.filter((other) => !others.includes(other));
    band.stacked ||= band.blocks.some((other) => horizontalOverlap(other, block) > 0.5);
    band.blocks.push(block);
    band.bottom = Math.max(band.bottom, block.bottom);
  }
  for (const band of bands) band.blocks.sort((a, b) => a.left - b.left);
  return bands.filter((band) => band.blocks.length > 0);
}

function inOrder(a: Block, b: Block): [Block, Block] {
  return a.left <= b.left ? [a, b] : [b, a];
}
