/**
 * The nodes of a page for the relation network: pieces of text lines and pictures, each with numbers that the network reads. The same code makes the training
 * data and runs in the program, so that both see the same numbers. Lengths in the features are in ems of the page's running text.
 */
import type { Box } from '../../geometry/box.js';
import { neighboursOf } from './neighbours.js';

export interface NodeWord {
  text: string;
  box: Box;
  /** y of the baseline, points. */
  baseline: number;
  /** Points. */
  size: number;
  /** 100 to 900. */
  weight: number;
  bold: boolean;
  italic: boolean;
  monospace: boolean;
  symbolic: boolean;
  underline: boolean;
  strike: boolean;
  link: boolean;
  glued: boolean;
  invisible: boolean;
  /** 0xRRGGBB. */
  color: number;
  /** Degrees, counter-clockwise. */
  angle: number;
  /** Index of its text line. */
  line: number;
}

/** Points from the top left corner. */
export interface NodePage {
  width: number;
  height: number;
  /** Those of a line in reading order. */
  words: readonly NodeWord[];
  rulings: readonly { orientation: 'horizontal' | 'vertical'; position: number; start: number; end: number; thickness: number }[];
  /** `fill` is 0xRRGGBB, or negative for none. */
  fills: readonly { box: Box; fill: number }[];
  pictures: readonly Box[];
}

export interface PageNode {
  /** Indices of its words; empty for a picture. */
  words: number[];
  box: Box;
}

export interface PageNodes {
  nodes: PageNode[];
  /** Points: the size of most characters. */
  em: number;
  /** Row by row, `FEATURES` a node. */
  features: Float32Array;
  /** Row by row, `GEOMETRY` a node, in ems: what pairs of nodes are compared by. */
  geometry: Float32Array;
  /** Row by row, `TEXT` a node: classes of the first and last characters, then buckets of the first and the last word. */
  text: Int32Array;
  /** Row by row, `NEIGHBOURS` a node (neighbours.ts): indices of nodes, -1 for none. */
  neighbours: Int32Array;
}

/** Ems: where the gap to the next word of a line is wider than this, and than GAP_RATIO times the line's median gap, the line is cut. Word spaces of justified lines are alike within a line. */
const LEAST_GAP = 0.42;
const GAP_RATIO = 1.45;
/** Ems: a gap that always cuts. */
const SURE_GAP = 1.2;
/** Sizes that differ by more than this share are two styles. */
const SIZE_STEP = 0.08;
/** Pictures of a page that are nodes, the largest first, and the least side of one in ems. */
const MOST_PICTURES = 60;
const LEAST_PICTURE = 1;
/** Ems at which distances are as good as endless. */
const FAR = 20;

export const FIRST_CHARACTERS = 10;
export const LAST_CHARACTERS = 4;
export const TEXT = FIRST_CHARACTERS + LAST_CHARACTERS + 2;
export const CHARACTER_CLASSES = 42;
export const WORD_BUCKETS = 1024;
/** left, top, right, bottom, baseline, size, and the nearest rulings to the left, above, to the right, below (absolute places), and the fill behind (index, 0 for none). */
export const GEOMETRY = 11;
export const FEATURES = 58;

export function pageNodes(page: NodePage): PageNodes {
  const em = mainSize(page.words);
  const nodes = [...fragments(page, em), ...pictureNodes(page, em)];
  const count = nodes.length;
  const features = new Float32Array(count * FEATURES);
  const geometry = new Float32Array(count * GEOMETRY);
  const text = new Int32Array(count * TEXT);
  const styles = new PageStyles(page, em);
  const around = new Surroundings(page, nodes, em);
  for (const [index, node] of nodes.entries()) {
    geometry.set(around.geometry(index), index * GEOMETRY);
    const values = [...styles.describe(node), ...around.describe(index)];
    if (values.length !== FEATURES) throw new Error(`A node has ${values.length} features.`);
    features.set(values, index * FEATURES);
    text.set(describeText(node.words.map((word) => page.words[word]!.text)), index * TEXT);
  }
  return { nodes, em, features, geometry, text, neighbours: neighboursOf(nodes.map(({ box }) => box)) };
}

function mainSize(words: readonly NodeWord[]): number {
  const bySize = new Map<number, number>();
  for (const { size, text } of words) {
    const key = Math.round(size * 4) / 4;
    bySize.set(key, (bySize.get(key) ?? 0) + text.length);
  }
  let [main, most] = [10, 0];
  for (const [size, count] of bySize) if (size > 0 && count > most) [main, most] = [size, count];
  return main;
}

/** Each text line, cut at wide gaps, at drawn lines and where the style changes. */
function fragments(page: NodePage, em: number): PageNode[] {
  const lines = new Map<number, number[]>();
  for (const [index, { line }] of page.words.entries()) {
    const words = lines.get(line);
    if (words === undefined) lines.set(line, [index]);
    else words.push(index);
  }
  const made: PageNode[] = [];
  for (const words of lines.values()) {
    const gaps = words.slice(1).map((word, at) => gapBetween(page.words[words[at]!]!, page.words[word]!));
    const spaces = gaps.filter((gap, at) => gap > 0.05 * em && !page.words[words[at + 1]!]!.glued).sort((a, b) => a - b);
    const median = spaces[spaces.length >> 1] ?? 0;
    let current = [words[0]!];
    for (const [at, word] of words.slice(1).entries()) {
      const [before, after] = [page.words[words[at]!]!, page.words[word]!];
      if (isCut(page, before, after, gaps[at]!, median, em)) {
        made.push(nodeOf(page, current));
        current = [];
      }
      current.push(word);
    }
    made.push(nodeOf(page, current));
  }
  return made;
}

function gapBetween(before: NodeWord, after: NodeWord): number {
  if (Math.abs(before.angle % 180) > 45 && Math.abs(before.angle % 180) < 135) return Math.max(after.box.top - before.box.bottom, before.box.top - after.box.bottom);
  return Math.max(after.box.left - before.box.right, before.box.left - after.box.right);
}

function isCut(page: NodePage, before: NodeWord, after: NodeWord, gap: number, median: number, em: number): boolean {
  const size = Math.max(before.size, after.size, 0.5 * em);
  if (gap > SURE_GAP * size) return true;
  if (!after.glued && gap > LEAST_GAP * size && (median === 0 || gap > GAP_RATIO * median)) return true;
  const isScript = Math.abs(before.baseline - after.baseline) > 0.05 * size;
  if (!after.glued && !isScript && (before.bold !== after.bold || Math.abs(before.size - after.size) > SIZE_STEP * size)) return true;
  const [left, right] = [Math.min(before.box.right, after.box.right), Math.max(before.box.left, after.box.left)];
  const middle = (after.box.top + after.box.bottom) / 2;
  return page.rulings.some(({ orientation, position, start, end }) => orientation === 'vertical' && position >= left - 0.5 && position <= right + 0.5 && right >= left && start <= middle && end >= middle);
}

function nodeOf(page: NodePage, words: number[]): PageNode {
  const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const word of words) grow(box, page.words[word]!.box);
  return { words, box };
}

function grow(box: Box, other: Box): void {
  box.left = Math.min(box.left, other.left);
  box.top = Math.min(box.top, other.top);
  box.right = Math.max(box.right, other.right);
  box.bottom = Math.max(box.bottom, other.bottom);
}

function pictureNodes(page: NodePage, em: number): PageNode[] {
  const least = LEAST_PICTURE * em;
  return page.pictures.filter(({ left, top, right, bottom }) => right - left >= least && bottom - top >= least)
    .sort((a, b) => areaOf(b) - areaOf(a)).slice(0, MOST_PICTURES).map((box) => ({ words: [], box: { ...box } }));
}

function areaOf({ left, top, right, bottom }: Box): number {
  return (right - left) * (bottom - top);
}

/** How a node's letters are set, against those of the page. */
class PageStyles {
  readonly #page: NodePage;
  readonly #em: number;
  readonly #shares = new Map<string, number>();
  readonly #mainColor: number;

  constructor(page: NodePage, em: number) {
    this.#page = page;
    this.#em = em;
    const colors = new Map<number, number>();
    let total = 0;
    for (const word of page.words) {
      total += word.text.length;
      this.#shares.set(styleOf(word), (this.#shares.get(styleOf(word)) ?? 0) + word.text.length);
      colors.set(word.color, (colors.get(word.color) ?? 0) + word.text.length);
    }
    for (const [style, count] of this.#shares) this.#shares.set(style, count / Math.max(1, total));
    this.#mainColor = [...colors].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
  }

  /** 28 numbers. */
  describe({ words }: PageNode): number[] {
    if (words.length === 0) return [1, ...new Array<number>(27).fill(0)];
    const all = words.map((word) => this.#page.words[word]!);
    const count = all.reduce((sum, { text }) => sum + [...text].length, 0);
    const share = (has: (word: NodeWord) => boolean): number => all.reduce((sum, word) => sum + (has(word) ? word.text.length : 0), 0) / Math.max(1, all.reduce((sum, { text }) => sum + text.length, 0));
    const text = all.map((word) => word.text).join(' ');
    const characters = [...text].filter((character) => character !== ' ');
    const portion = (pattern: RegExp): number => characters.filter((character) => pattern.test(character)).length / Math.max(1, characters.length);
    const main = all.reduce((longest, word) => (word.text.length > longest.text.length ? word : longest));
    const radians = (main.angle * Math.PI) / 180;
    return [
      0,
      Math.log2(Math.max(0.25, main.size / this.#em)),
      share(({ bold }) => bold), share(({ italic }) => italic), share(({ monospace }) => monospace), share(({ symbolic }) => symbolic),
      share(({ underline }) => underline), share(({ strike }) => strike), share(({ link }) => link), share(({ invisible }) => invisible),
      (main.weight - 400) / 300,
      luminance(main.color), saturation(main.color), main.color === this.#mainColor ? 0 : 1,
      this.#shares.get(styleOf(main)) ?? 0,
      Math.log2(1 + count) / 5, Math.log2(1 + all.length) / 4,
      portion(/\p{Nd}/u), portion(/\p{Lu}/u), portion(/\p{Ll}/u), portion(/[\p{P}\p{S}]/u), portion(/[\p{Lo}]/u),
      /^[\p{Sc}(\-\u2212+]*\d[\d.,'\u2019\u00a0\u202f ]*[)%]?\s?\p{Sc}?$/u.test(text) ? 1 : 0,
      /[.!?\u3002]["')\u201d\u2019]?$/u.test(text) ? 1 : 0, /[-\u00ad\u2010]$/u.test(text) ? 1 : 0, /:$/u.test(text) ? 1 : 0,
      Math.cos(radians), Math.sin(radians),
    ];
  }
}

function styleOf({ size, bold, italic, monospace }: NodeWord): string {
  return `${Math.round(size * 4)} ${bold ? 1 : 0}${italic ? 1 : 0}${monospace ? 1 : 0}`;
}

/** 0 (black) to 1. */
function luminance(color: number): number {
  return (0.299 * ((color >> 16) & 255) + 0.587 * ((color >> 8) & 255) + 0.114 * (color & 255)) / 255;
}

function saturation(color: number): number {
  const channels = [(color >> 16) & 255, (color >> 8) & 255, color & 255];
  return (Math.max(...channels) - Math.min(...channels)) / 255;
}

/** Where a node stands on the page, and what is next to it. */
class Surroundings {
  readonly #page: NodePage;
  readonly #nodes: readonly PageNode[];
  readonly #em: number;
  /** Of all text. */
  readonly #area: Box;
  readonly #fillOf: number[];
  readonly #rules: { left: number; above: number; right: number; below: number; aboveThickness: number; belowThickness: number; belowWidth: number; aboveWidth: number }[];

  constructor(page: NodePage, nodes: readonly PageNode[], em: number) {
    this.#page = page;
    this.#nodes = nodes;
    this.#em = em;
    this.#area = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
    for (const { words, box } of nodes) if (words.length > 0) grow(this.#area, box);
    this.#fillOf = nodes.map(({ box }) => this.#fillBehind(box));
    this.#rules = nodes.map(({ box }) => this.#rulesAround(box));
  }

  geometry(index: number): number[] {
    const { box, words } = this.#nodes[index]!;
    const main = words.length === 0 ? undefined : this.#page.words[words[0]!]!;
    const { left, above, right, below } = this.#rules[index]!;
    return [box.left, box.top, box.right, box.bottom, main?.baseline ?? box.bottom, main?.size ?? 0, left, above, right, below].map((value) => value / this.#em).concat(this.#fillOf[index]! + 1);
  }

  /** 30 numbers. */
  describe(index: number): number[] {
    const { box } = this.#nodes[index]!;
    const { width, height, fills } = this.#page;
    const area = this.#area.left < this.#area.right ? this.#area : { left: 0, top: 0, right: width, bottom: height };
    const across = Math.max(1, area.right - area.left);
    const down = Math.max(1, area.bottom - area.top);
    const rules = this.#rules[index]!;
    const fill = fills[this.#fillOf[index]!];
    return [
      box.left / width, box.right / width, box.top / height, box.bottom / height,
      (box.left - area.left) / across, (area.right - box.right) / across, (box.top - area.top) / down, (area.bottom - box.bottom) / down,
      (box.left + box.right - area.left - area.right) / across,
      Math.log2(1 + (box.right - box.left) / this.#em) / 5, Math.log2(1 + (box.bottom - box.top) / this.#em) / 3,
      ...this.#gaps(index),
      near(box.left - rules.left, this.#em), near(box.top - rules.above, this.#em), near(rules.right - box.right, this.#em), near(rules.below - box.bottom, this.#em),
      rules.aboveThickness, rules.belowThickness, rules.aboveWidth / width, rules.belowWidth / width,
      fill === undefined ? 1 : luminance(fill.fill), fill === undefined ? 0 : 1, fill === undefined ? 0 : (fill.box.right - fill.box.left) / width, fill === undefined ? 0 : Math.log2(1 + (fill.box.bottom - fill.box.top) / this.#em) / 5,
    ];
  }

  /** Nearness of the nearest nodes to the left, above, to the right, below; how many nodes share the left edge, the right edge, the middle. */
  #gaps(index: number): number[] {
    const { box } = this.#nodes[index]!;
    const slack = 0.2 * this.#em;
    let [left, above, right, below] = [FAR, FAR, FAR, FAR].map((ems) => ems * this.#em) as [number, number, number, number];
    let [sameLeft, sameRight, sameMiddle] = [0, 0, 0];
    for (const [other, { box: its }] of this.#nodes.entries()) {
      if (other === index) continue;
      if (Math.abs(its.left - box.left) < slack) sameLeft++;
      if (Math.abs(its.right - box.right) < slack) sameRight++;
      if (Math.abs(its.left + its.right - box.left - box.right) < 2 * slack) sameMiddle++;
      if (Math.min(its.bottom, box.bottom) - Math.max(its.top, box.top) > 0.3 * Math.min(its.bottom - its.top, box.bottom - box.top)) {
        if (its.right <= box.left + slack) left = Math.min(left, box.left - its.right);
        if (its.left >= box.right - slack) right = Math.min(right, its.left - box.right);
      }
      if (Math.min(its.right, box.right) - Math.max(its.left, box.left) > 0) {
        if (its.bottom <= box.top + slack) above = Math.min(above, box.top - its.bottom);
        if (its.top >= box.bottom - slack) below = Math.min(below, its.top - box.bottom);
      }
    }
    return [left, above, right, below].map((distance) => near(distance, this.#em)).concat([sameLeft, sameRight, sameMiddle].map((count) => Math.log2(1 + count) / 5));
  }

  /** Index of the smallest fill behind the middle of a box, -1 for none. */
  #fillBehind(box: Box): number {
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    const pageArea = this.#page.width * this.#page.height;
    let [found, smallest] = [-1, 0.95 * pageArea];
    for (const [index, { box: its, fill }] of this.#page.fills.entries()) {
      if (fill < 0 || its.left > x || its.right < x || its.top > y || its.bottom < y || areaOf(its) >= smallest) continue;
      [found, smallest] = [index, areaOf(its)];
    }
    return found;
  }

  /** The nearest drawn lines; as far away as FAR where there are none. */
  #rulesAround(box: Box): { left: number; above: number; right: number; below: number; aboveThickness: number; belowThickness: number; aboveWidth: number; belowWidth: number } {
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    const far = FAR * this.#em;
    const found = { left: box.left - far, above: box.top - far, right: box.right + far, below: box.bottom + far, aboveThickness: 0, belowThickness: 0, aboveWidth: 0, belowWidth: 0 };
    for (const { orientation, position, start, end, thickness } of this.#page.rulings) {
      if (orientation === 'vertical') {
        if (start > y || end < y) continue;
        if (position <= x && position > found.left) found.left = position;
        if (position > x && position < found.right) found.right = position;
      } else {
        if (start > x || end < x) continue;
        if (position <= y && position > found.above) Object.assign(found, { above: position, aboveThickness: thickness, aboveWidth: end - start });
        if (position > y && position < found.below) Object.assign(found, { below: position, belowThickness: thickness, belowWidth: end - start });
      }
    }
    return found;
  }
}

/** 1 at no distance, about 0 from FAR on. */
function near(distance: number, em: number): number {
  return 1 / (1 + Math.max(0, distance) / em);
}

function describeText(words: readonly string[]): number[] {
  const characters = [...words.join(' ')];
  const classes = characters.map((character) => characterClass(character));
  const first = Array.from({ length: FIRST_CHARACTERS }, (_, at) => classes[at] ?? 0);
  const last = Array.from({ length: LAST_CHARACTERS }, (_, at) => classes[classes.length - 1 - at] ?? 0);
  return [...first, ...last, wordBucket(words[0]), wordBucket(words.length > 1 ? words.at(-1) : undefined)];
}

const signs = new Map([...'.,:;()[]-–—•*"\'%/+=&#@_|…·$€£§°'].map((sign, at) => [sign, at + 10]));

/** 0 is no character. */
function characterClass(character: string): number {
  const sign = signs.get(character);
  if (sign !== undefined) return sign;
  if (character === ' ') return 1;
  if (/\p{Nd}/u.test(character)) return 2;
  if (/\p{Lu}/u.test(character)) return 3;
  if (/\p{Ll}/u.test(character)) return 4;
  if (/\p{Lo}|\p{Lm}/u.test(character)) return 5;
  if (/\p{M}/u.test(character)) return 6;
  if (/\p{Sm}/u.test(character)) return 7;
  if (/\p{P}/u.test(character)) return 8;
  if (/\p{S}/u.test(character)) return 9;
  return CHARACTER_CLASSES - 1;
}

/** FNV-1a of the word without its signs and digits, in lower case; 0 for a word without letters. */
function wordBucket(word: string | undefined): number {
  const letters = (word ?? '').toLowerCase().replace(/[^\p{L}]/gu, '');
  if (letters === '') return 0;
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(letters)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return 1 + (hash % (WORD_BUCKETS - 1));
}
