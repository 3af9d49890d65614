/** How like two plain texts are: in their letters (edit similarity) and in the order of their passages. */

export interface TextMarks {
  /** 1 - edits / (length of the longer text), characters with single spaces between words. */
  letters: number;
  /** The same over letters and digits alone: spaces, punctuation, hyphens and case do not count. */
  bare: number;
  /** Of the passages that both texts contain once, the share that stands in the same order. */
  order: number;
}

/** Characters that differ from writer to writer and mean the same. */
const alike: [RegExp, string][] = [
  [/[\u2018\u2019\u201a\u2032`\u00b4]/gu, "'"], [/[\u201c\u201d\u201e\u2033]|''|,,/gu, '"'], [/[\u2010-\u2015\u2212]/gu, '-'], [/\u2026/gu, '...'],
  [/[\u00ad\u200b-\u200f\u2060\ufeff]/gu, ''], [/[\u2022\u25cf\u25aa\u25e6\u00b7\u25a0\u25cb\u2023\u2043]/gu, ' '], [/[\u2500-\u257f]/gu, ' '],
  // Leaders, underlining of headings, frames of tables.
  [/(?:\.\s?){4,}/gu, ' '], [/([-=~*_+#^"'|:])\1{2,}/gu, ' '], [/^\s*[-*+o|]\s/gmu, ' '], [/[|+]/gu, ' '],
];

/** Form feeds and page numbers that stand alone on a line are the page's, not the author's. */
export function normalised(text: string): string {
  let result = text.normalize('NFKC').replace(/\f/gu, '\n').replace(/^\s*(?:\d{1,4}|[ivxlc]{1,7})\s*$/gmu, ' ');
  for (const [pattern, sign] of alike) result = result.replace(pattern, sign);
  // Between ideographs a line end is no space.
  return result.replace(/\s+/gu, ' ').replace(/(?<=[\u3040-\u30ff\u3400-\u9fff\uff00-\uffef\u3000-\u303f]) | (?=[\u3040-\u30ff\u3400-\u9fff\uff00-\uffef\u3000-\u303f])/gu, '').trim();
}

function bareLetters(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();
}

/** Passages of this many words (ideographs count as words) are anchors where both texts contain them once. */
const anchorWords = 4;

interface Tokens {
  text: string;
  starts: number[];
  keys: string[];
}

function tokensOf(text: string): Tokens {
  const [starts, words]: [number[], string[]] = [[], []];
  for (const { 0: word, index } of text.matchAll(/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\s\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+/gu)) {
    starts.push(index);
    words.push(word);
  }
  const keys = words.map((_, at) => (at + anchorWords > words.length ? '' : words.slice(at, at + anchorWords).join(' ')));
  return { text, starts, keys };
}

function onceIn(keys: string[]): Map<string, number> {
  const places = new Map<string, number>();
  for (const [at, key] of keys.entries()) if (key !== '') places.set(key, places.has(key) ? -1 : at);
  return places;
}

/** Indices of a longest increasing subsequence. */
function longestRise(values: number[]): number[] {
  const [tails, before]: [number[], number[]] = [[], []];
  for (const [index, value] of values.entries()) {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[tails[middle]!]! < value) low = middle + 1;
      else high = middle;
    }
    before.push(low > 0 ? tails[low - 1]! : -1);
    tails[low] = index;
  }
  const rise: number[] = [];
  for (let at = tails.at(-1) ?? -1; at >= 0; at = before[at]!) rise.push(at);
  return rise.reverse();
}

/** Levenshtein's distance, bit-parallel (Myers 1999, in blocks as Hyyrö 2003 describes), 32 rows at a time. */
export function editDistance(one: string, other: string): number {
  const [a, b] = [Array.from(one), Array.from(other)];
  if (a.length === 0 || b.length === 0) return Math.max(a.length, b.length);
  const blocks = Math.ceil(a.length / 32);
  const peq = new Map<string, Uint32Array>();
  for (const [row, letter] of a.entries()) {
    let bits = peq.get(letter);
    if (bits === undefined) peq.set(letter, (bits = new Uint32Array(blocks)));
    bits[row >> 5]! |= 1 << (row & 31);
  }
  const none = new Uint32Array(blocks);
  const plus = new Uint32Array(blocks).fill(0xffffffff);
  const minus = new Uint32Array(blocks);
  const last = (a.length - 1) & 31;
  let distance = a.length;
  for (const letter of b) {
    const matches = peq.get(letter) ?? none;
    let [plusIn, minusIn] = [1, 0];
    for (let block = 0; block < blocks; block++) {
      const [vp, vn] = [plus[block]!, minus[block]!];
      const x = matches[block]! | minusIn;
      const diagonal = ((((x & vp) + vp) >>> 0) ^ vp) | x | vn;
      let hp = vn | ~(diagonal | vp);
      let hn = diagonal & vp;
      if (block === blocks - 1) distance += ((hp >>> last) & 1) - ((hn >>> last) & 1);
      const [plusOut, minusOut] = [hp >>> 31, hn >>> 31];
      hp = (hp << 1) | plusIn;
      hn = (hn << 1) | minusIn;
      [plusIn, minusIn] = [plusOut, minusOut];
      plus[block] = hn | ~(diagonal | hp);
      minus[block] = hp & diagonal;
    }
  }
  return distance;
}

/** Anchors that both texts contain once, in the order of the first, and those among them that keep their order. */
function anchorsOf(a: Tokens, b: Tokens): { all: number; kept: { a: number; b: number }[] } {
  const places = onceIn(b.keys);
  const shared = [...onceIn(a.keys)].filter(([key, at]) => at >= 0 && (places.get(key) ?? -1) >= 0).map(([key, at]) => ({ a: at, b: places.get(key)! }));
  return { all: shared.length, kept: longestRise(shared.map(({ b: at }) => at)).map((at) => shared[at]!) };
}

/** Larger gaps are counted as wholly changed: their exact distance would take minutes. */
const mostGapCells = 4e9;

/** Edits between the texts with the anchors as fixed points. */
function editsAround(a: Tokens, b: Tokens, kept: { a: number; b: number }[], as: (text: string) => string): number {
  let edits = 0;
  let [fromA, fromB] = [0, 0];
  for (const anchor of [...kept, null]) {
    const [toA, toB] = anchor === null ? [a.text.length, b.text.length] : [a.starts[anchor.a]!, b.starts[anchor.b]!];
    if (toA < fromA || toB < fromB) continue;
    const [left, right] = [as(a.text.slice(fromA, toA)), as(b.text.slice(fromB, toB))];
    if (left !== right) edits += left.length * right.length > mostGapCells ? Math.max(left.length, right.length) : editDistance(left, right);
    [fromA, fromB] = [toA, toB];
  }
  return edits;
}

/** Marks for `answer` against `truth`; both are normalised here. */
export function compareTexts(truth: string, answer: string): TextMarks {
  const [a, b] = [tokensOf(normalised(truth)), tokensOf(normalised(answer))];
  const { all, kept } = anchorsOf(a, b);
  const similarity = (as: (text: string) => string): number => 1 - editsAround(a, b, kept, as) / Math.max(1, as(a.text).length, as(b.text).length);
  return { letters: similarity((text) => text), bare: similarity(bareLetters), order: all === 0 ? 0 : kept.length / all };
}
