/** Cuts the text lines of a page to fragments, so that words of several cells are not in one of them. What is cut too often the network joins; it cannot cut. */
import { heightOf, middleX, middleY, unionBox } from '../../geometry/box.js';
import type { Box } from '../../geometry/box.js';
import type { DrawnIndex } from './drawn-index.js';
import type { NodePage, NodeWord, PageNode } from './node-values.js';

/** Ems: a gap that is wider than this, and than GAP_RATIO times the usual word space, may cut. */
const LEAST_GAP = 0.42;
const GAP_RATIO = 1.45;
/** Ems: a gap that always cuts. */
const SURE_GAP = 1.2;
/** Sizes that differ by more than this share are two styles. */
const SIZE_STEP = 0.08;
/** Ems: gaps between glyphs of one word. */
const LEAST_SPACE = 0.05;
/** Ems: the word space of most faces, and the narrowest and widest that a page is taken to have; that of faces with one advance. */
const SPACES = { usual: 0.25, least: 0.2, most: 0.34, monospace: 0.6 } as const;
/** Ems: a line's neighbours lie within this distance above and below; edges are aligned within ALIGNED; the first line of a paragraph is indented by less than MOST_INDENT. */
const NEARBY = 2.5;
const ALIGNED = 0.12;
const MOST_INDENT = 4;
/** Neighbours that have a gap at the same place, for it to be one between columns in a line as wide as its neighbours. */
const LEAST_ALIGNED = 2;
/** Lines that are tried as neighbours of one, from its top edge in each direction. */
const MOST_TRIED = 200;

interface TextLine {
  words: readonly number[];
  box: Box;
  /** Between each word and the next, along the line. */
  gaps: readonly number[];
  /** Median of the gaps that are spaces; 0 without spaces. */
  median: number;
  size: number;
}

/** Each text line, cut at wide gaps, at drawn lines and where the style changes. */
export function lineFragments(page: NodePage, em: number, drawn: DrawnIndex): PageNode[] {
  const lines = textLines(page, em);
  const space = usualSpace(lines);
  const columns = new LineNeighbours(page, lines, em);
  return lines.flatMap((line, index) => {
    const made: PageNode[] = [];
    let current = [line.words[0]!];
    for (const [at, word] of line.words.slice(1).entries()) {
      const [before, after] = [page.words[line.words[at]!]!, page.words[word]!];
      if (isCut(before, after, line.gaps[at]!, line.median, em) || isColumnGap(before, after, line.gaps[at]!, space, em) && columns.isBetweenColumns(index, at) || isRuled(drawn, before, after)) {
        made.push(nodeOf(page, current));
        current = [];
      }
      current.push(word);
    }
    made.push(nodeOf(page, current));
    return made;
  });
}

function textLines(page: NodePage, em: number): TextLine[] {
  const byNumber = new Map<number, number[]>();
  for (const [index, { line }] of page.words.entries()) {
    const words = byNumber.get(line);
    if (words === undefined) byNumber.set(line, [index]);
    else words.push(index);
  }
  return [...byNumber.values()].map((words): TextLine => {
    const gaps = words.slice(1).map((word, at) => gapBetween(page.words[words[at]!]!, page.words[word]!));
    const spaces = gaps.filter((gap, at) => gap > LEAST_SPACE * em && !page.words[words[at + 1]!]!.glued).sort((a, b) => a - b);
    return { words, box: unionBox(words.map((word) => page.words[word]!.box)), gaps, median: spaces[spaces.length >> 1] ?? 0, size: words.reduce((most, word) => Math.max(most, page.words[word]!.size), 0.5 * em) };
  });
}

/** Ems: the word space of most lines that have several. */
function usualSpace(lines: readonly TextLine[]): number {
  const spaces = lines.filter(({ gaps, median }) => gaps.length > 2 && median > 0).map(({ median, size }) => median / size).sort((a, b) => a - b);
  return Math.min(SPACES.most, Math.max(SPACES.least, spaces[spaces.length >> 1] ?? SPACES.usual));
}

function isVertical({ angle }: NodeWord): boolean {
  return Math.abs(angle % 180) > 45 && Math.abs(angle % 180) < 135;
}

function gapBetween(before: NodeWord, after: NodeWord): number {
  if (isVertical(before)) return Math.max(after.box.top - before.box.bottom, before.box.top - after.box.bottom);
  return Math.max(after.box.left - before.box.right, before.box.left - after.box.right);
}

function isCut(before: NodeWord, after: NodeWord, gap: number, median: number, em: number): boolean {
  const size = Math.max(before.size, after.size, 0.5 * em);
  if (gap > SURE_GAP * size || isVertical(before) && Math.abs(middleX(before.box) - middleX(after.box)) > 0.5 * size) return true;
  if (!after.glued && gap > LEAST_GAP * size && (median === 0 || gap > GAP_RATIO * median)) return true;
  const isScript = Math.abs(before.baseline - after.baseline) > 0.05 * size;
  return !after.glued && !isScript && (before.bold !== after.bold || Math.abs(before.size - after.size) > SIZE_STEP * size);
}

/** Whether a gap is wider than word spaces of the page are, though it may be as wide as the others of its line. */
function isColumnGap(before: NodeWord, after: NodeWord, gap: number, space: number, em: number): boolean {
  const size = Math.max(before.size, after.size, 0.5 * em);
  return !after.glued && gap > LEAST_GAP * size && gap > GAP_RATIO * (before.monospace && after.monospace ? SPACES.monospace : space) * size;
}

function isRuled(drawn: DrawnIndex, before: NodeWord, after: NodeWord): boolean {
  return drawn.cuts(Math.min(before.box.right, after.box.right), Math.max(before.box.left, after.box.left), middleY(after.box));
}

function nodeOf(page: NodePage, words: number[]): PageNode {
  return { words, box: unionBox(words.map((word) => page.words[word]!.box)) };
}

/** The lines above and below each line. Where all word spaces of a line are wide, it is justified (it ends where a neighbour does), or it is a row of cells. */
class LineNeighbours {
  readonly #fromTop: number[];
  readonly #placeOf: Map<number, number>;
  readonly #near = new Map<number, readonly TextLine[]>();

  constructor(private readonly page: NodePage, private readonly lines: readonly TextLine[], private readonly em: number) {
    this.#fromTop = [...lines.keys()].sort((a, b) => lines[a]!.box.top - lines[b]!.box.top || a - b);
    this.#placeOf = new Map(this.#fromTop.map((line, place) => [line, place]));
  }

  isBetweenColumns(index: number, at: number): boolean {
    const line = this.lines[index]!;
    const near = this.#neighboursOf(index);
    const isJustified = near.some(({ box }) => this.#isAligned(box.right, line.box.right) && Math.abs(box.left - line.box.left) <= MOST_INDENT * this.em);
    return !isJustified || near.filter((other) => this.#hasGapAt(other, line, at)).length >= LEAST_ALIGNED;
  }

  #isAligned(one: number, other: number): boolean {
    return Math.abs(one - other) <= ALIGNED * this.em;
  }

  /** Whether words of another line end, or begin, at the gap of this one behind word `at`. */
  #hasGapAt(other: TextLine, { words }: TextLine, at: number): boolean {
    const [before, after] = [this.page.words[words[at]!]!.box, this.page.words[words[at + 1]!]!.box];
    return other.gaps.some((gap, step) => {
      if (gap < LEAST_GAP * other.size) return false;
      const [ends, begins] = [this.page.words[other.words[step]!]!.box, this.page.words[other.words[step + 1]!]!.box];
      return this.#isAligned(ends.right, before.right) || this.#isAligned(begins.left, after.left);
    });
  }

  #neighboursOf(index: number): readonly TextLine[] {
    const known = this.#near.get(index);
    if (known !== undefined) return known;
    const { box } = this.lines[index]!;
    const place = this.#placeOf.get(index)!;
    const near: TextLine[] = [];
    for (const step of [-1, 1]) {
      for (let tried = 1; tried <= MOST_TRIED; tried++) {
        const other = this.lines[this.#fromTop[place + step * tried]!];
        if (other === undefined || Math.abs(other.box.top - box.top) > heightOf(box) + NEARBY * this.em) break;
        if (other.box.left < box.right && other.box.right > box.left && (middleY(other.box) > box.bottom || middleY(other.box) < box.top)) near.push(other);
      }
    }
    this.#near.set(index, near);
    return near;
  }
}
