/**
 * The nodes of a page for the relation network: pieces of text lines and pictures, each with numbers that the network reads. The same code makes the training
 * data and runs in the program, so that both see the same numbers. Lengths in the features are in ems of the page's running text.
 */
import { areaOf } from '../../geometry/box.js';
import { DrawnIndex } from './drawn-index.js';
import { lineFragments } from './line-fragments.js';
import { neighbourhoodOf } from './neighbours.js';
import type { NodePage, NodeWord, PageNode } from './node-values.js';
import { ALIGNED, luminance, Surroundings } from './surroundings.js';

export type { NodePage, NodeWord, PageNode } from './node-values.js';

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

/** Pictures of a page that are nodes, the largest first, and the least side of one in ems. */
const MOST_PICTURES = 60;
const LEAST_PICTURE = 1;

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
  const drawn = new DrawnIndex(page.rulings, page.fills, page);
  const nodes = [...lineFragments(page, em, drawn), ...pictureNodes(page, em)];
  const count = nodes.length;
  const features = new Float32Array(count * FEATURES);
  const geometry = new Float32Array(count * GEOMETRY);
  const text = new Int32Array(count * TEXT);
  const { neighbours, gaps } = neighbourhoodOf(nodes.map(({ box }) => box), ALIGNED * em);
  const styles = new PageStyles(page, em);
  const around = new Surroundings(page, nodes, em, drawn, gaps);
  for (const [index, node] of nodes.entries()) {
    geometry.set(around.geometry(index), index * GEOMETRY);
    const values = [...styles.describe(node), ...around.describe(index)];
    if (values.length !== FEATURES) throw new Error(`A node has ${values.length} features.`);
    features.set(values, index * FEATURES);
    text.set(describeText(node.words.map((word) => page.words[word]!.text)), index * TEXT);
  }
  return { nodes, em, features, geometry, text, neighbours };
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

function pictureNodes(page: NodePage, em: number): PageNode[] {
  const least = LEAST_PICTURE * em;
  return page.pictures.filter(({ left, top, right, bottom }) => right - left >= least && bottom - top >= least)
    .sort((a, b) => areaOf(b) - areaOf(a)).slice(0, MOST_PICTURES).map((box) => ({ words: [], box: { ...box } }));
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
    const length = Math.max(1, all.reduce((sum, { text }) => sum + text.length, 0));
    const share = (has: (word: NodeWord) => boolean): number => all.reduce((sum, word) => sum + (has(word) ? word.text.length : 0), 0) / length;
    const text = all.map((word) => word.text).join(' ');
    const { count, portions } = portionsOf(text);
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
      ...portions,
      /^[\p{Sc}(\-\u2212+]*\d[\d.,'\u2019\u00a0\u202f ]*[)%]?\s?\p{Sc}?$/u.test(text) ? 1 : 0,
      /[.!?\u3002]["')\u201d\u2019]?$/u.test(text) ? 1 : 0, /[-\u00ad\u2010]$/u.test(text) ? 1 : 0, /:$/u.test(text) ? 1 : 0,
      Math.cos(radians), Math.sin(radians),
    ];
  }
}

function styleOf({ size, bold, italic, monospace }: NodeWord): string {
  return `${Math.round(size * 4)} ${bold ? 1 : 0}${italic ? 1 : 0}${monospace ? 1 : 0}`;
}

function saturation(color: number): number {
  const channels = [(color >> 16) & 255, (color >> 8) & 255, color & 255];
  return (Math.max(...channels) - Math.min(...channels)) / 255;
}

function describeText(words: readonly string[]): number[] {
  const classes = [...words.join(' ')].map((character) => describeCharacter(character).cls);
  const first = Array.from({ length: FIRST_CHARACTERS }, (_, at) => classes[at] ?? 0);
  const last = Array.from({ length: LAST_CHARACTERS }, (_, at) => classes[classes.length - 1 - at] ?? 0);
  return [...first, ...last, wordBucket(words[0]), wordBucket(words.length > 1 ? words.at(-1) : undefined)];
}

const signs = new Map([...'.,:;()[]-–—•*"\'%/+=&#@_|…·$€£§°'].map((sign, at) => [sign, at + 10]));

const kinds = [/\p{Nd}/u, /\p{Lu}/u, /\p{Ll}/u, /[\p{P}\p{S}]/u, /\p{Lo}/u];
/** By character: index in `kinds`, or -1; and the class. A page has few different ones. */
const known = new Map<string, { kind: number; cls: number }>();
/** At which `known` starts anew. */
const MOST_KNOWN = 20_000;

function describeCharacter(character: string): { kind: number; cls: number } {
  let found = known.get(character);
  if (found === undefined) {
    if (known.size >= MOST_KNOWN) known.clear();
    found = { kind: kinds.findIndex((pattern) => pattern.test(character)), cls: characterClass(character) };
    known.set(character, found);
  }
  return found;
}

/** How many characters are no space, and the share of each of `kinds` among them. */
function portionsOf(text: string): { count: number; portions: number[] } {
  const counts = new Array<number>(kinds.length).fill(0);
  let count = 0;
  for (const character of text) {
    if (character === ' ') continue;
    count++;
    const { kind } = describeCharacter(character);
    if (kind >= 0) counts[kind]!++;
  }
  return { count, portions: counts.map((of) => of / Math.max(1, count)) };
}

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
