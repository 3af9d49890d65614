/** Builds the tree of a formula from the places of its symbols: bars, tall delimiters, limits, rows, and smaller symbols above and below the line. */
import { fromLeft } from '../page/group-by-baseline.js';
import { sortedNumbers } from '../../geometry/statistics.js';
import { middleX, unionBox } from '../../geometry/box.js';
import type { Word } from '../../pdf/pdf-page.js';
import { startsAt, takeBar } from './bars.js';
import type { Pieces } from './bars.js';
import { rowsOf, takeDelimiters } from './delimiters.js';
import type { Bar, Node } from './nodes.js';
import { axis, axisOf, largeOperator, limitWord, maxDepth, rowSize, scriptSize } from './nodes.js';
import { barsAmong, symbolsOf } from './symbols.js';

export type { Atom, Bar, Node } from './nodes.js';
export { startsAt } from './bars.js';

/** A bracket in a font of large symbols: it hangs from above the line, whatever its baseline is. */
export function isLargeBracket(word: Word): boolean {
  return /^(?:CMEX|LMMathExtension|MTEX)/i.test(word.font.name) && /^[()[\]{}⌊⌋⌈⌉⟨⟩|‖]$/u.test(word.text);
}

/** Splits words where the bar of a root ends: letters of one font are one word, whatever is drawn above them. */
export function partedAtRoots(words: Word[], bars: Bar[]): Word[] {
  return words.flatMap((word) => {
    const { left, right } = word.box;
    const letters = [...word.text];
    const wide = (right - left) / letters.length;
    const over = bars.find((bar) => bar.left < left + 0.5 * wide && bar.right > left + 0.5 * wide && bar.right < right - 0.5 * wide && bar.y < word.baseline - 0.4 * word.size && bar.y > word.baseline - 2.5 * word.size
      && words.some((sign) => sign.text.endsWith('√') && startsAt(sign, bar)));
    if (over === undefined || letters.length < 2) return [word];
    const count = Math.min(letters.length - 1, Math.max(1, Math.round((over.right - left) / wide)));
    const middle = left + wide * count;
    const [before, after] = [word.letters?.slice(0, count), word.letters?.slice(count)];
    return [
      { ...word, text: letters.slice(0, count).join(''), box: { ...word.box, right: middle }, ...(before && { letters: before }) },
      { ...word, text: letters.slice(count).join(''), box: { ...word.box, left: middle }, glued: true, ...(after && { letters: after }) },
    ];
  });
}

/** The baseline of most of the largest symbols. */
function mainBaseline(nodes: Node[]): number {
  const plain = nodes.filter((node) => node.kind !== 'limits' && (node.kind !== 'atom' || !node.large && !largeOperator.test(node.text) && node.text !== '√'));
  const candidates = plain.length === 0 ? nodes : plain;
  const size = Math.max(...candidates.map((node) => node.size));
  const large = sortedNumbers(candidates.filter((node) => node.size >= scriptSize * size).map((node) => node.baseline));
  const near = (y: number): number => large.filter((other) => Math.abs(other - y) < 0.1 * size).length;
  return large.reduce((best, y) => (near(y) > near(best) ? y : best), large[0]!);
}

const isOperator = (node: Node): boolean => node.kind === 'atom' && (largeOperator.test(node.text) || limitWord.test(node.text));
/** In ems of the operator: white space between it and its limits, and how far a limit reaches past it. */
const limitGap = 0.6;
const limitReach = 0.5;

/** The symbols of one line that touch the given ones. */
function lineAround(seeds: Node[], nodes: Node[]): Node[] {
  const found = new Set(seeds);
  for (let grown = true; grown;) {
    grown = false;
    for (const node of nodes) {
      if (found.has(node)) continue;
      const beside = [...found].some((other) => Math.max(node.box.left - other.box.right, other.box.left - node.box.right) < 0.45 * other.size && Math.abs(other.baseline - node.baseline) < 0.45 * other.size);
      if (beside) {
        found.add(node);
        grown = true;
      }
    }
  }
  return [...found];
}

/** Gives large operators the small symbols above and below them; those beside an operator are its scripts. */
function takeLimits(nodes: Node[], depth: number): Node[] {
  let rest = nodes;
  for (const base of nodes.filter(isOperator)) {
    if (!rest.includes(base)) continue;
    const reach = limitReach * base.size;
    const small = rest.filter((node) => node !== base && node.size < scriptSize * base.size);
    const over = small.filter((node) => middleX(node.box) > base.box.left - reach && middleX(node.box) < base.box.right + reach);
    const gapBelow = (node: Node): number => node.box.top - base.box.bottom;
    const gapAbove = (node: Node): number => base.box.top - node.box.bottom;
    const isNear = (gap: number): boolean => gap > -0.25 * base.size && gap < limitGap * base.size;
    const centre = (node: Node): boolean => middleX(node.box) < base.box.right + 0.05 * base.size || isNear(gapBelow(node)) && gapBelow(node) > 0 || isNear(gapAbove(node)) && gapAbove(node) > 0;
    const [below, above] = [over.filter((node) => isNear(gapBelow(node)) && centre(node)), over.filter((node) => isNear(gapAbove(node)) && centre(node))];
    if (below.length === 0 && above.length === 0) continue;
    const [under, upper] = [below.length === 0 ? [] : lineAround(below, small.filter((node) => gapBelow(node) > -0.25 * base.size)), above.length === 0 ? [] : lineAround(above, small.filter((node) => gapAbove(node) > -0.25 * base.size))];
    const made: Node = {
      kind: 'limits', base, below: under.length === 0 ? [] : rowOf({ nodes: under, bars: [] }, depth + 1), above: upper.length === 0 ? [] : rowOf({ nodes: upper, bars: [] }, depth + 1),
      box: base.box, baseline: limitWord.test((base as Node & { kind: 'atom' }).text) ? base.baseline : axisOf(base) + axis * base.size, size: base.size,
    };
    rest = rest.flatMap((node) => (node === base ? [made] : under.includes(node) || upper.includes(node) ? [] : [node]));
  }
  return rest;
}

type Place = 'line' | 'sub' | 'sup';

/** In ems: what is centred on the axis of a line stands within this distance of it. */
const onAxis = 0.22;

function placeOf(node: Node, baseline: number, size: number): Place {
  const off = axisOf(node) - (baseline - axis * size);
  if (node.kind === 'limits') return 'line';
  if (node.kind === 'fraction' || node.kind === 'grid' || node.kind === 'delimited' || node.kind === 'atom' && (node.large || largeOperator.test(node.text))) {
    return Math.abs(off) < onAxis * size || node.size >= scriptSize * size ? 'line' : off < 0 ? 'sup' : 'sub';
  }
  if (node.size >= scriptSize * size) return 'line';
  if (node.kind === 'atom' && node.text === '′') return 'sup';
  if (baseline - node.baseline > 0.12 * size) return 'sup';
  return node.baseline - baseline > 0.06 * size ? 'sub' : 'line';
}

/** Scripts of scripts are placed by the script they follow. */
function placeAmong(node: Node, open: { sub: Node[]; sup: Node[] } | null, place: Place, size: number): Place {
  if (open === null || place === 'line' && node.size >= scriptSize * size) return place;
  const follows = (group: Node[]): boolean => group.some((other) => node.size < 0.9 * other.size && node.box.left > other.box.left && node.box.left - other.box.right < 0.3 * other.size
    && node.box.bottom > other.box.top - 0.6 * other.size && node.box.top < other.box.bottom + 0.6 * other.size);
  const [sub, sup] = [follows(open.sub), follows(open.sup)];
  return sub === sup ? place : sub ? 'sub' : 'sup';
}

/** Makes smaller symbols off the line scripts of the preceding symbol. */
function takeScripts(nodes: Node[], baseline: number, depth: number): Node[] {
  const size = rowSize(nodes);
  const result: Node[] = [];
  let open: { sub: Node[]; sup: Node[] } | null = null;
  const close = (): void => {
    if (open === null) return;
    const { sub, sup } = open;
    const base = result.pop() ?? null;
    const all = [...(base === null ? [] : [base]), ...sub, ...sup];
    const row = (part: Node[]): Node[] => (part.length === 0 ? [] : rowOf({ nodes: part, bars: [] }, depth + 1));
    result.push({ kind: 'scripts', base, sub: row(sub), sup: row(sup), box: unionBox(all.map((node) => node.box)), baseline: base?.baseline ?? baseline, size: base?.size ?? size });
    open = null;
  };
  for (const node of [...nodes].sort((a, b) => a.box.left - b.box.left || a.box.right - b.box.right)) {
    const place = placeAmong(node, open, placeOf(node, baseline, size), size);
    if (place === 'line') {
      close();
      result.push(node);
    } else {
      open ??= { sub: [], sup: [] };
      open[place].push(node);
    }
  }
  close();
  return result;
}

function rowOf(pieces: Pieces, depth: number): Node[] {
  let { nodes, bars } = pieces;
  if (nodes.length === 0) return [];
  if (depth > maxDepth) return fromLeft(nodes);
  for (let next = takeBar({ nodes, bars }, rowOf, depth); next !== null; next = takeBar({ nodes, bars }, rowOf, depth)) ({ nodes, bars } = next);
  nodes = takeLimits(nodes, depth);
  for (let next = takeDelimiters({ nodes, bars }, rowOf, depth); next !== null; next = takeDelimiters({ nodes, bars }, rowOf, depth)) ({ nodes, bars } = next);
  const rows = rowsOf(nodes);
  if (rows !== null) {
    const box = unionBox(nodes.map((node) => node.box));
    const size = Math.max(...nodes.map((node) => node.size));
    return [{ kind: 'rows', rows: rows.map((row) => rowOf({ nodes: row, bars: [] }, depth + 1)), box, baseline: (box.top + box.bottom) / 2 + axis * size, size }];
  }
  return takeScripts(nodes, mainBaseline(nodes), depth);
}

/** The formula of these words and bars, from left to right. */
export function formulaTree(words: Word[], bars: Bar[]): Node[] {
  return rowOf(barsAmong(symbolsOf(partedAtRoots(words, bars)), bars), 0);
}
