/** Joins the program's reading of a page with the truth: the leaf of each word by the colours of its characters in the coloured print. */
import { readText } from '../../../../src/convert/pipeline/read-text.js';
import { NO_COLOR } from '../../../../src/pdf/index.js';
import { containsPoint, middleX, middleY } from '../../../../src/geometry/box.js';
import type { Box, PageContent, PagePaint, PdfDocument, QuarterTurn, Word } from '../../../../src/pdf/index.js';
import { defaultConvertOptions } from '../../../../src/convert/options.js';
import type { Truth } from './truth.js';

export interface LabelledWord {
  word: Word;
  /** Index of the text line (PageContent.lines) on the page. */
  line: number;
  /** Index of its leaf; -1 if no character has a known colour. */
  leaf: number;
  /** Characters of several leaves, or some without one. */
  mixed: boolean;
  /** Characters of the engine, and the mean gap between neighbours, points. */
  characters: number;
  spacing: number;
}

export interface LabelledPage {
  content: PageContent;
  /** In the order of PageContent.words. */
  words: LabelledWord[];
  /** Where the nodes are drawn that the renderer outlined, a box for each fragment. */
  outlines: { node: number; box: Box }[];
  turn: QuarterTurn;
}

/** Why a page is dropped. */
export type Drop = 'characters-differ' | 'places-differ' | 'few-labels' | 'no-words' | 'needs-recognition';

/** Points: the same character has the same place in both prints. A letter in a colour of its own moves the rest of its line by up to .02 through the rounding of advances in the file. */
const PLACE_TOLERANCE = 0.05;
/** Points: the side of a bucket in the search for pairs, of which nine are searched. */
const BUCKET = 0.1;
/** Share of the characters that must have their pair where the prints differ, as where a style hides a text. */
const LEAST_PAIRED = 0.98;
/** Share of the words with characters of a page that must have a leaf. */
const LEAST_LABELLED = 0.97;

export class Labeller {
  #plain: PdfDocument;
  #colored: PdfDocument;
  #leafOf: Map<number, number>;
  #nodeOf: Map<number, number>;
  /** A leaf of each node, for marks that are drawn without characters. */
  #leafAt: Map<number, number>;

  constructor(plain: PdfDocument, colored: PdfDocument, truth: Truth) {
    this.#plain = plain;
    this.#colored = colored;
    this.#leafOf = new Map(truth.leaves.map(({ color }, leaf) => [color, leaf]));
    this.#leafAt = new Map([...truth.leaves.entries()].reverse().map(([leaf, { node }]) => [node, leaf]));
    this.#nodeOf = new Map(truth.nodes.flatMap(({ outline }, node): [number, number][] => (outline >= 0 ? [[outline, node]] : [])));
  }

  /** The leaf of a mark that the program makes of drawn shapes (bullets, tick boxes): by the colour of a path under it, or by the innermost outline around it. */
  #leafOfMark({ box }: Word, paths: PagePaint['paths'], outlines: LabelledPage['outlines']): number {
    const [x, y] = [middleX(box), middleY(box)];
    for (const path of paths) {
      if (!containsPoint(path.box, x, y)) continue;
      const leaf = this.#leafOf.get(path.fill) ?? this.#leafOf.get(path.stroke);
      if (leaf !== undefined) return leaf;
    }
    const around = outlines.filter((outline) => containsPoint(outline.box, x, y)).at(-1);
    return around === undefined ? -1 : this.#leafAt.get(around.node) ?? -1;
  }

  async label(pageIndex: number): Promise<LabelledPage | Drop> {
    const characters = new Map<Word, readonly { index: number; u0: number; u1: number }[]>();
    const trace = (word: Word, of: readonly { index: number; u0: number; u1: number }[]): void => void characters.set(word, of);
    const pagesFor = (turn: QuarterTurn): Parameters<typeof readText>[0] => ({
      readPage: (index) => this.#plain.readPage(index, turn, trace), render: (index, box, dpi) => this.#plain.renderRegion(index, box, dpi, turn), ...(turn === 0 && { turned: pagesFor }),
    });
    const { text } = await readText(pagesFor(0), defaultConvertOptions, (pages) => pages.readPage(pageIndex));
    if (text.recognitionReason !== null) return 'needs-recognition';
    const { content } = text;
    if (content.words.length === 0) return 'no-words';
    const turn = text.turn ?? 0;
    const colored = this.#colored.readPaint(pageIndex, true, turn);
    const leaves = this.#leavesOfCharacters(this.#plain.readPaint(pageIndex, false, turn), colored);
    if (typeof leaves === 'string') return leaves;
    const outlines = colored.paths.flatMap(({ stroke, fill, box }) => {
      const node = this.#nodeOf.get(stroke) ?? this.#nodeOf.get(fill);
      return node === undefined ? [] : [{ node, box }];
    });
    const words = labelWords(content, leaves, characters).map((labelled) => (labelled.characters > 0 ? labelled : { ...labelled, leaf: this.#leafOfMark(labelled.word, colored.paths, outlines) }));
    const written = words.filter((labelled) => labelled.characters > 0);
    if (written.filter(({ leaf }) => leaf >= 0).length < LEAST_LABELLED * written.length) return 'few-labels';
    return { content, words, outlines, turn };
  }

  /** The leaf of each character of the plain print, -1 for none. */
  #leavesOfCharacters(plain: PagePaint, colored: PagePaint): Int32Array | Drop {
    const count = plain.codes.length;
    const leaves = new Int32Array(count);
    if (count === colored.codes.length && isSamePrint(plain, colored)) {
      for (let at = 0; at < count; at++) leaves[at] = this.#leaf(colored.colors[at]!);
      return leaves;
    }
    const byPlace = new Map<string, number>();
    for (let at = 0; at < colored.codes.length; at++) if (colored.colors[at] !== NO_COLOR) byPlace.set(placeKey(colored, at, 0, 0), colored.colors[at]!);
    let [drawn, paired] = [0, 0];
    for (let at = 0; at < count; at++) {
      leaves[at] = -1;
      if (plain.colors[at] === NO_COLOR) continue;
      drawn++;
      const color = colorNear(byPlace, plain, at);
      if (color !== undefined) paired++;
      leaves[at] = this.#leaf(color ?? NO_COLOR);
    }
    if (paired >= LEAST_PAIRED * drawn) return leaves;
    return count === colored.codes.length ? 'places-differ' : 'characters-differ';
  }

  #leaf(color: number): number {
    return this.#leafOf.get(color) ?? -1;
  }
}

function isSamePrint(plain: PagePaint, colored: PagePaint): boolean {
  for (let at = 0; at < plain.codes.length; at++) {
    if (plain.codes[at] !== colored.codes[at] || !(Math.abs(plain.x[at]! - colored.x[at]!) <= PLACE_TOLERANCE) || !(Math.abs(plain.y[at]! - colored.y[at]!) <= PLACE_TOLERANCE)) return false;
  }
  return true;
}

function placeKey({ codes, x, y }: PagePaint, at: number, right: number, down: number): string {
  return `${codes[at]} ${Math.round(x[at]! / BUCKET) + right} ${Math.round(y[at]! / BUCKET) + down}`;
}

function colorNear(byPlace: Map<string, number>, paint: PagePaint, at: number): number | undefined {
  for (const down of [0, -1, 1]) {
    for (const right of [0, -1, 1]) {
      const color = byPlace.get(placeKey(paint, at, right, down));
      if (color !== undefined) return color;
    }
  }
  return undefined;
}

function labelWords(content: PageContent, leaves: Int32Array, characters: Map<Word, readonly { index: number; u0: number; u1: number }[]>): LabelledWord[] {
  const lineOf = new Map<Word, number>();
  for (const [line, { words }] of content.lines.entries()) for (const word of words) lineOf.set(word, line);
  return content.words.map((word) => {
    const own = characters.get(word) ?? [];
    const votes = new Map<number, number>();
    let [gaps, last] = [0, NaN];
    for (const { index, u0, u1 } of own) {
      const leaf = leaves[index] ?? -1;
      votes.set(leaf, (votes.get(leaf) ?? 0) + 1);
      if (!Number.isNaN(last)) gaps += u0 - last;
      last = u1;
    }
    let [leaf, most] = [-1, 0];
    for (const [each, count] of votes) if (each >= 0 && count > most) [leaf, most] = [each, count];
    return { word, line: lineOf.get(word) ?? -1, leaf, mixed: votes.size > 1, characters: own.length, spacing: own.length > 1 ? gaps / (own.length - 1) : 0 };
  });
}
