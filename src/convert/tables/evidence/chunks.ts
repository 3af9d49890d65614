/** Joins words to chunks, the smallest parts of a table cell, and chunks to visual rows. */
import { fromTop, gapInEms, rowsByBaseline, splitWhere } from '../../page/group-by-baseline.js';
import { baselineTolerances, gapTolerances } from '../../page/tolerances.js';
import { hasRightToLeftLetter } from '../../wording/scripts.js';
import { horizontalGap, unionBox } from '../../../geometry/box.js';
import { lineExtent, middleOfLetters } from '../../../geometry/em.js';
import { partitionPoint } from '../../../geometry/search.js';
import { quantile, quantileInside } from '../../../geometry/statistics.js';
import type { Word } from '../../../pdf/pdf-page.js';
import type { Piece } from './frame.js';
import type { Segment } from './segments.js';
import { isNumeric } from '../../wording/cell-text.js';

/** Words side by side with at most word spaces between them. Top and bottom are those of a line of its size. */
export interface Chunk {
  pieces: Piece[];
  left: number;
  right: number;
  top: number;
  bottom: number;
  baseline: number;
  size: number;
  text: string;
  bold: boolean;
  italic: boolean;
  color: number;
}

/** Chunks on one baseline, from the left. */
export interface VisualRow {
  chunks: Chunk[];
  top: number;
  bottom: number;
  baseline: number;
  size: number;
}


/** Makes chunks of all pieces. A vertical line between two words separates them, however near they are. */
export function makeChunks(pieces: Piece[], verticals: Segment[]): Chunk[] {
  const sorted = [...pieces].sort((a, b) => a.baseline - b.baseline || a.left - b.left);
  const lines = rowsByBaseline(sorted, baselineTolerances.chunk);
  const parted = [...verticals].sort((a, b) => a.at - b.at);
  const chunks = lines.flatMap((line) => splitLine(line, parted));
  return attachRaised(chunks);
}

function splitLine(line: Piece[], verticals: Segment[]): Chunk[] {
  line.sort((a, b) => a.left - b.left);
  const parts = cutLine(line, (index) => gapBefore(line, index) > gapTolerances.farApart || isParted(line[index - 1], line[index] as Piece, verticals));
  return parts.flatMap((part) => {
    const limit = splitLimit(part);
    return cutLine(part, (index) => gapBefore(part, index) > limit).map(chunkOf);
  });
}

function cutLine(line: Piece[], isCut: (index: number) => boolean): Piece[][] {
  return splitWhere(line, (_, __, index) => isCut(index));
}

/** A justified line stretches all its spaces alike; a column gap is wider than its neighbours. */
function splitLimit(line: Piece[]): number {
  const spaces: number[] = [];
  for (let index = 1; index < line.length; index++) {
    const gap = gapBefore(line, index);
    if (gap > 0.08) spaces.push(gap);
  }
  if (spaces.length < 3) return gapTolerances.alwaysOneChunk;
  const usual = quantile(spaces, 0.4);
  const stretched = quantileInside(spaces, 1) <= 1.3 * quantileInside(spaces, 0) && line.filter((piece) => isNumeric(piece.word.text)).length <= 0.25 * line.length;
  return Math.min(stretched ? gapTolerances.farApart : gapTolerances.alwaysTwoChunks, Math.max(gapTolerances.alwaysOneChunk, 1.75 * usual));
}

/** Gap to the previous piece, in ems of the larger one. */
function gapBefore(line: Piece[], index: number): number {
  const [before, piece] = [line[index - 1], line[index]];
  if (before === undefined || piece === undefined) return 0;
  return gapInEms(before, piece);
}

/**
 * Splits a chunk at every gap that is wider than its own word spaces, as in rows of narrow columns. A justified line
 * with equal spaces stays whole; numbers side by side are split sooner than words.
 */
export function splitFinely(chunk: Chunk): Chunk[] {
  const { pieces } = chunk;
  let smallest = Infinity;
  for (let index = 1; index < pieces.length; index++) {
    const gap = gapBefore(pieces, index);
    if (gap > 0.1) smallest = Math.min(smallest, gap);
  }
  const limit = pieces.length > 2 ? Math.max(gapTolerances.alwaysOneChunk, 1.5 * smallest) : gapTolerances.alwaysOneChunk;
  const parts = cutLine(pieces, (index) => {
    const gap = gapBefore(pieces, index);
    const numbers = gap > gapTolerances.alwaysOneChunk - 0.05 && isNumeric(pieces[index]?.word.text ?? '') && isNumeric(pieces[index - 1]?.word.text ?? '');
    // The space after a sentence is wider than others.
    const sentence = /\p{L}[.!?:;]$/u.test(pieces[index - 1]?.word.text ?? '') && pieces.length > 3;
    return gap > (sentence ? 1.5 * limit : limit) || numbers;
  });
  return parts.length === 1 ? [chunk] : parts.map(chunkOf);
}

function isParted(before: Piece | undefined, piece: Piece, verticals: Segment[]): boolean {
  if (before === undefined || piece.word.glued || verticals.length === 0) return false;
  const [from, to] = [before.right - 0.5, piece.left + 0.5];
  const y = middleOfLetters(piece);
  for (let index = partitionPoint(verticals, ({ at }) => at < from); index < verticals.length; index++) {
    const vertical = verticals[index];
    if (vertical === undefined || vertical.at > to) return false;
    if (vertical.start <= y && vertical.end >= y) return true;
  }
  return false;
}

/** The chunk of pieces on one line, given from the left. */
export function chunkOf(pieces: Piece[]): Chunk {
  let main = pieces[0];
  let [left, right, bold, italic, letters] = [Infinity, -Infinity, 0, 0, 0];
  const sizes = new Map<number, number>();
  for (const piece of pieces) {
    const length = piece.word.text.length;
    left = Math.min(left, piece.left);
    right = Math.max(right, piece.right);
    letters += length;
    if (piece.word.font.bold) bold += length;
    if (piece.word.font.italic) italic += length;
    const key = Math.round(piece.size * 4);
    sizes.set(key, (sizes.get(key) ?? 0) + length);
    if (main !== undefined && piece.size > main.size * 1.1) main = piece;
  }
  const [size, baseline] = [main?.size ?? 1, main?.baseline ?? 0];
  return {
    pieces,
    left,
    right,
    ...lineExtent({ baseline, size }),
    baseline,
    size,
    text: textOf(inOrder(pieces.map((piece) => piece.word))),
    bold: bold * 2 > letters,
    italic: italic * 2 > letters,
    color: main?.word.color ?? 0,
  };
}

/** The words in reading order, given from the left. In a script that is read from the right a sentence ends at the left; names and numbers of other scripts in it are read from the left. */
function inOrder(words: Word[]): Word[] {
  if (words.length < 2 || words.filter(({ text }) => hasRightToLeftLetter(text)).length <= 0.5 * words.length) return words;
  const runs: Word[][] = [];
  let isOther = false;
  for (const word of words) {
    if (isOther && !hasRightToLeftLetter(word.text)) runs.at(-1)!.push(word);
    else runs.push([word]);
    isOther = /[\p{L}\d]/u.test(word.text) && !hasRightToLeftLetter(word.text) || isOther && !hasRightToLeftLetter(word.text);
  }
  return runs.reverse().flat();
}

/** Words in order with spaces before those that are not glued. */
export function textOf(words: Word[]): string {
  let text = '';
  for (const word of words) text += text === '' || word.glued ? word.text : ` ${word.text}`;
  return text;
}

/** Sub- and superscripts stand on baselines of their own: they join the larger chunk that they touch. */
function attachRaised(chunks: Chunk[]): Chunk[] {
  const sorted = fromTop(chunks);
  const gone = new Set<Chunk>();
  const hosts = new Map<Chunk, Chunk[]>();
  for (const [index, small] of sorted.entries()) {
    let best: Chunk | null = null;
    let nearest = 0.35;
    for (const step of [-1, 1]) {
      for (let other = index + step; other >= 0 && other < sorted.length && Math.abs(other - index) <= 60; other += step) {
        const host = sorted[other];
        if (host === undefined || Math.abs(host.baseline - small.baseline) > 0.75 * host.size + 2) break;
        if (small.size > 0.86 * host.size || gone.has(host) || Math.abs(host.baseline - small.baseline) > 0.62 * host.size) continue;
        const gap = horizontalGap(small, host) / host.size;
        if (gap < nearest && (gap > -1 || standsBetween(small, host))) [best, nearest] = [host, gap];
      }
    }
    if (best === null) continue;
    gone.add(small);
    hosts.set(best, [...(hosts.get(best) ?? []), small]);
  }
  const joined = (chunk: Chunk): Chunk => {
    const raised = hosts.get(chunk);
    if (raised === undefined) return chunk;
    return chunkOf([...chunk.pieces, ...raised.flatMap((part) => joined(part).pieces)].sort((a, b) => a.left - b.left));
  };
  return sorted.filter((chunk) => !gone.has(chunk)).map(joined);
}

/** Whether it stands directly behind one piece and before the next, which leave room for it: the digits of `Mg(CH3COO)2`. */
function standsBetween(small: Chunk, { pieces, size }: Chunk): boolean {
  const slack = 0.15 * size;
  return pieces.some((piece, index) => {
    const next = pieces[index + 1];
    return next !== undefined && Math.abs(small.left - piece.right) < 2 * slack && small.right < next.left + slack;
  });
}

/** Groups chunks by baseline, from the top. */
export function makeRows(chunks: Chunk[]): VisualRow[] {
  return rowsByBaseline(fromTop(chunks), baselineTolerances.chunkRow).map((row): VisualRow => {
    const { top, bottom } = unionBox(row);
    return { chunks: [...row].sort((a, b) => a.left - b.left), top, bottom, baseline: row[0]!.baseline, size: Math.max(...row.map((chunk) => chunk.size)) };
  });
}
