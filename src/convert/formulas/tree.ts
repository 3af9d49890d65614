/** Builds the tree of a formula from the places of its symbols: bars separate fractions, smaller symbols above and below the line are scripts. */
import { fromLeft, fromTopEdge } from '../page/group-by-baseline.js';
import { sortedNumbers } from '../../geometry/statistics.js';
import { middleX, middleY, unionBox, widthOf } from '../../geometry/box.js';
import type { Box, Word } from '../../pdf/pdf-page.js';

/** A symbol or a word of a formula, as it is read. */
export interface Atom {
  kind: 'atom';
  text: string;
  /** In a font for names of functions and for words, not for variables. */
  upright: boolean;
  /** One of the large delimiters, which are as high as their content. */
  large: boolean;
}

export type Node = Placed & (
  | Atom
  | { kind: 'fraction'; over: Node[]; under: Node[] }
  | { kind: 'root'; body: Node[] }
  | { kind: 'scripts'; base: Node | null; sub: Node[]; sup: Node[] }
  | { kind: 'limits'; base: Node; below: Node[]; above: Node[] }
);

/** Where a node stands; `baseline` is y of the line it stands on, `size` in points. */
interface Placed {
  box: Box;
  baseline: number;
  size: number;
}

/** A horizontal stroke that may be the bar of a fraction or of a root. */
export interface Bar {
  y: number;
  left: number;
  right: number;
}

/** Relative to the larger size: a smaller symbol off the line is a script. */
const scriptSize = 0.86;
/** In ems: the height above the baseline of the axis on which bars of fractions lie. */
const axis = 0.25;
/** Deeper nesting is a drawing rather than a formula. */
const maxDepth = 12;

/** A bracket in a font of large symbols: it hangs from above the line, whatever its baseline is. */
export function isLargeBracket(word: Word): boolean {
  return /^(?:CMEX|LMMathExtension|MTEX)/i.test(word.font.name) && /^[()[\]{}⌊⌋⌈⌉⟨⟩|‖]$/u.test(word.text);
}

const largeOperator = /^[∑∏∫∬∭∮⋃⋂⋀⋁⨁⨂⨄∐]$/u;
/** Operators of several letters whose limits stand below them. */
const limitWord = /^(?:lim|max|min|sup|inf|arg ?max|arg ?min|lim ?sup|lim ?inf)$/i;

/** Large strokes consist of several symbols that touch, one below the other: keeps the first of each, as high as all. */
function joinedStrokes(words: Word[]): Word[] {
  const joined: Word[] = [];
  const isStroke = (one: Word): boolean => isLargeBracket(one) && /^[|‖]$/u.test(one.text);
  for (const word of fromTopEdge(words)) {
    const at = !isStroke(word) ? -1 : joined.findIndex((other) => isStroke(other) && other.text === word.text && Math.abs(other.box.left - word.box.left) < 0.1 * word.size && word.box.top - other.box.bottom < 0.1 * word.size);
    if (at < 0) joined.push(word);
    else joined[at] = { ...joined[at]!, box: unionBox([joined[at]!.box, word.box]) };
  }
  return joined;
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
    return [{ ...word, text: letters.slice(0, count).join(''), box: { ...word.box, right: middle } }, { ...word, text: letters.slice(count).join(''), box: { ...word.box, left: middle }, glued: true }];
  });
}

/** Whether the radical sign ends where its bar begins. */
export function startsAt({ box, size }: Pick<Word, 'box' | 'size'>, bar: Bar): boolean {
  return Math.abs(box.right - bar.left) < 0.3 * size + 1 && box.top < bar.y + 3 && box.bottom > bar.y;
}

function atomsOf(words: Word[]): Node[] {
  return joinedStrokes(words).map((word): Node => {
    const text = word.text.normalize('NFKC');
    const upright = !word.font.italic && !/^(?:CMMI|CMMIB|LMMathI|LMMathItalic|MTMI|rtxmi|NewTXMI|txmi)/i.test(word.font.name) && /^\p{L}{2,}$/u.test(text);
    return { kind: 'atom', text, upright, large: isLargeBracket(word), box: word.box, baseline: word.baseline, size: word.size };
  });
}

interface Pieces {
  nodes: Node[];
  bars: Bar[];
}

function holds(bar: Bar, node: Node): boolean {
  return middleX(node.box) > bar.left - 0.5 && middleX(node.box) < bar.right + 0.5;
}

/** The radical sign of this bar: it ends where the bar begins. */
function rootOf(bar: Bar, nodes: Node[]): Node | undefined {
  return nodes.find((node) => node.kind === 'atom' && node.text === '√' && startsAt(node, bar));
}

/** Makes one node of the widest bar and its parts; null if no bar has any. */
function takeBar({ nodes, bars }: Pieces, depth: number): Pieces | null {
  for (const bar of [...bars].sort((a, b) => widthOf(b) - widthOf(a))) {
    const rest = bars.filter((other) => other !== bar);
    const sign = rootOf(bar, nodes);
    const inside = nodes.filter((node) => node !== sign && holds(bar, node));
    const over = inside.filter((node) => middleY(node.box) < bar.y);
    const under = inside.filter((node) => middleY(node.box) >= bar.y);
    const within = (above: boolean): Bar[] => rest.filter((other) => other.left > bar.left - 1 && other.right < bar.right + 1 && other.y < bar.y === above);
    if (sign !== undefined && under.length > 0) {
      const body = rowOf({ nodes: under, bars: within(false) }, depth + 1);
      const box = unionBox([sign.box, ...under.map((node) => node.box)]);
      const made: Node = { kind: 'root', body, box, baseline: mainBaseline(under), size: Math.max(...under.map((node) => node.size)) };
      return { nodes: [...nodes.filter((node) => node !== sign && !under.includes(node)), made], bars: rest.filter((other) => !within(false).includes(other)) };
    }
    if (over.length === 0 || under.length === 0) continue;
    const used = [...within(true), ...within(false)];
    const size = Math.max(...inside.map((node) => node.size));
    const made: Node = {
      kind: 'fraction', over: rowOf({ nodes: over, bars: within(true) }, depth + 1), under: rowOf({ nodes: under, bars: within(false) }, depth + 1),
      box: unionBox([...inside.map((node) => node.box), { left: bar.left, right: bar.right, top: bar.y, bottom: bar.y }]), baseline: bar.y + axis * size, size,
    };
    return { nodes: [...nodes.filter((node) => !inside.includes(node)), made], bars: rest.filter((other) => !used.includes(other)) };
  }
  return null;
}

/** The baseline of most of the largest symbols. */
function mainBaseline(nodes: Node[]): number {
  const plain = nodes.filter((node) => node.kind !== 'atom' || !node.large && !largeOperator.test(node.text));
  const candidates = plain.length === 0 ? nodes : plain;
  const size = Math.max(...candidates.map((node) => node.size));
  const large = sortedNumbers(candidates.filter((node) => node.size >= scriptSize * size).map((node) => node.baseline));
  const near = (y: number): number => large.filter((other) => Math.abs(other - y) < 0.1 * size).length;
  return large.reduce((best, y) => (near(y) > near(best) ? y : best), large[0]!);
}

/** Gives large operators the small symbols above and below them. */
function takeLimits(nodes: Node[], baseline: number, depth: number): Node[] {
  let rest = nodes;
  for (const base of nodes) {
    if (base.kind !== 'atom' || !largeOperator.test(base.text) && !limitWord.test(base.text)) continue;
    const reach = 0.5 * base.size;
    const around = rest.filter((node) => node !== base && node.size < scriptSize * base.size && middleX(node.box) > base.box.left - reach && middleX(node.box) < base.box.right + reach);
    const below = around.filter((node) => node.box.top > base.box.bottom - 0.25 * base.size && node.baseline > baseline);
    const above = around.filter((node) => node.box.bottom < base.box.top + 0.25 * base.size && node.baseline < baseline);
    // Symbols that touch the sides of an operator without limits are its scripts.
    const centred = [...below, ...above];
    if (centred.length === 0) continue;
    // A limit may be wider than its operator: neighbours on one line belong to it.
    const row = (limits: Node[]): Node[] => rest.filter((node) => node !== base && limits.some((limit) => Math.abs(limit.baseline - node.baseline) < 1.5
      && Math.abs(limit.size - node.size) < 0.4 * limit.size && node.box.left < base.box.right + 2.5 * base.size && node.box.right > base.box.left - 2.5 * base.size));
    const [under, over] = [row(below), row(above)];
    const made: Node = {
      kind: 'limits', base, below: under.length === 0 ? [] : rowOf({ nodes: under, bars: [] }, depth + 1), above: over.length === 0 ? [] : rowOf({ nodes: over, bars: [] }, depth + 1),
      box: base.box, baseline, size: base.size,
    };
    rest = rest.flatMap((node) => (node === base ? [made] : under.includes(node) || over.includes(node) ? [] : [node]));
  }
  return rest;
}

type Place = 'line' | 'sub' | 'sup';

function placeOf(node: Node, baseline: number, size: number): Place {
  if (node.kind === 'limits' || node.kind === 'atom' && (node.large || largeOperator.test(node.text))) return 'line';
  if (node.size >= scriptSize * size) return 'line';
  if (baseline - node.baseline > 0.12 * size) return 'sup';
  return node.baseline - baseline > 0.06 * size ? 'sub' : 'line';
}

/** Makes smaller symbols off the line scripts of the preceding symbol. */
function takeScripts(nodes: Node[], baseline: number, depth: number): Node[] {
  const size = Math.max(...nodes.map((node) => node.size));
  const result: Node[] = [];
  let open: { sub: Node[]; sup: Node[] } | null = null;
  const close = (): void => {
    if (open === null) return;
    const { sub, sup } = open;
    const base = result.pop() ?? null;
    const all = [...(base === null ? [] : [base]), ...sub, ...sup];
    result.push({
      kind: 'scripts', base, sub: sub.length === 0 ? [] : rowOf({ nodes: sub, bars: [] }, depth + 1), sup: sup.length === 0 ? [] : rowOf({ nodes: sup, bars: [] }, depth + 1),
      box: unionBox(all.map((node) => node.box)), baseline, size: base?.size ?? size,
    });
    open = null;
  };
  for (const node of [...nodes].sort((a, b) => a.box.left - b.box.left || a.box.right - b.box.right)) {
    const place = placeOf(node, baseline, size);
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
  for (let next = takeBar({ nodes, bars }, depth); next !== null; next = takeBar({ nodes, bars }, depth)) ({ nodes, bars } = next);
  const baseline = mainBaseline(nodes);
  return takeScripts(takeLimits(nodes, baseline, depth), baseline, depth);
}

/** The formula of these words and bars, from left to right. */
export function formulaTree(words: Word[], bars: Bar[]): Node[] {
  return rowOf({ nodes: atomsOf(partedAtRoots(words, bars)), bars }, 0);
}
