/** Finds running text of the next column in a possible table: lines that break within sentences, each level with a row. */
import { makeRows } from './chunks.js';
import type { Chunk } from './chunks.js';
import { wordCount } from '../../wording/cell-text.js';

const SAME_EDGE = 2;
/** The fewest lines of prose, words in each line, and lines that continue a sentence beside full rows. */
const MIN_LINES = 4;
const MIN_WORDS = 4;
const MIN_BROKEN = 3;

/** The chunks without a first or last column that is running text. Wrapped lines of a cell have no other cells of their row beside them. */
export function withoutProseBeside(chunks: Chunk[]): Chunk[] {
  const rows = makeRows(chunks);
  for (const side of ['left', 'right'] as const) {
    const edge = side === 'left' ? Math.min(...chunks.map((chunk) => chunk.left)) : lastColumnOf(chunks);
    const column = rows.flatMap((row) => row.chunks.filter((chunk) => Math.abs(chunk.left - edge) <= SAME_EDGE && wordCount(chunk.text) >= MIN_WORDS).map((chunk) => ({ chunk, company: row.chunks.length - 1 })));
    if (column.length < MIN_LINES) continue;
    const broken = column.filter(({ chunk, company }, index) => company >= 2 && index > 0 && /^\p{Ll}/u.test(chunk.text) && !/[.!?:;]$/.test(column[index - 1]!.chunk.text));
    if (broken.length < MIN_BROKEN || broken.length < 0.6 * (column.length - 1)) continue;
    const [left, right] = [edge, Math.max(...column.map(({ chunk }) => chunk.right))];
    return chunks.filter((chunk) => chunk.left > right || chunk.right < left);
  }
  return chunks;
}

function lastColumnOf(chunks: Chunk[]): number {
  return chunks.reduce((widest, chunk) => (wordCount(chunk.text) >= MIN_WORDS && chunk.left > widest ? chunk.left : widest), -Infinity);
}
