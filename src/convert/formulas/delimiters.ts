/** Tall delimiters with what stands between them: sums in parentheses, matrices, and cases behind one brace. */
import { middleX, middleY, unionBox } from '../../geometry/box.js';
import type { Pieces, RowMaker } from './bars.js';
import type { Node } from './nodes.js';
import { axis, axisOf, rowSize, scriptSize } from './nodes.js';

type Delimiter = Node & { kind: 'atom' };

const closing: Record<string, string[]> = { '(': [')', ']'], '[': [']', ')', '['], '{': ['}'], '⌊': ['⌋'], '⌈': ['⌉'], '⟨': ['⟩', '|'], '|': ['|', '⟩'], '‖': ['‖'], '∣': ['∣', '⟩'], '∥': ['∥'] };
const isDelimiter = (node: Node): node is Delimiter => node.kind === 'atom' && node.large;
/** In ems: baselines of the rows of a matrix differ by more; white space between two columns of a matrix. */
const rowStep = 0.75;
const columnGap = 0.55;
/** Delimiters of one pair have nearly equal height. */
const sameHeight = 0.25;

function heightOf({ box }: Node): number {
  return box.bottom - box.top;
}

function isPair(open: Delimiter, close: Delimiter): boolean {
  return (closing[open.text] ?? []).includes(close.text) && Math.abs(heightOf(open) - heightOf(close)) < sameHeight * heightOf(open) && Math.abs(middleY(open.box) - middleY(close.box)) < 0.15 * heightOf(open);
}

/** Whether a stroke can open a pair: nothing, an operator or another opening delimiter stands before it, or can close one. */
function sidesOf(stroke: Delimiter, nodes: Node[]): { opens: boolean; closes: boolean } {
  if (!/^[|‖∣∥]$/u.test(stroke.text)) return { opens: closing[stroke.text] !== undefined, closes: /^[)\]}⌋⌉⟩[]$/u.test(stroke.text) };
  const before = nodes.filter((node) => node !== stroke && node.box.right <= stroke.box.left + 0.2 * stroke.size && node.box.top < stroke.box.bottom && node.box.bottom > stroke.box.top).sort((a, b) => b.box.right - a.box.right)[0];
  const opens = before === undefined || before.kind === 'atom' && (/^[-+−±∓×·⋅∗∘<>=≠≡≈≃≅∼≤≥∈⊂⊆→,;([{⌊⌈⟨/]$/u.test(before.text) || before.large && /^[|‖∣∥]$/u.test(before.text) && sidesOf(before as Delimiter, nodes).opens);
  return { opens, closes: !opens };
}

/** Innermost pairs first: of all pairs, the narrowest. */
function pairAmong(delimiters: Delimiter[], nodes: Node[]): [Delimiter, Delimiter] | null {
  const sides = new Map(delimiters.map((one) => [one, sidesOf(one, nodes)]));
  let best: [Delimiter, Delimiter] | null = null;
  for (const [at, open] of delimiters.entries()) {
    if (!sides.get(open)!.opens) continue;
    const close = delimiters.slice(at + 1).find((other) => sides.get(other)!.closes && isPair(open, other) && other.box.left > open.box.left);
    if (close === undefined) continue;
    if (best === null || close.box.left - open.box.left < best[1].box.left - best[0].box.left) best = [open, close];
  }
  return best;
}

interface Row {
  nodes: Node[];
  baseline: number;
}

/** The rows of a region: by the baselines of its full-sized symbols; scripts and other small symbols join the nearest row. Null if there is one row. */
export function rowsOf(nodes: Node[]): Node[][] | null {
  const size = rowSize(nodes);
  const isMain = (node: Node): boolean => node.size >= scriptSize * size;
  const rows: Row[] = [];
  const baselineOf = (node: Node): number => axisOf(node) + axis * node.size;
  for (const node of nodes.filter(isMain).sort((a, b) => baselineOf(a) - baselineOf(b))) {
    const last = rows.at(-1);
    // Tall nodes make the rows of a system overlap no more than their baselines allow.
    if (last === undefined || baselineOf(node) - last.baseline > rowStep * size) rows.push({ nodes: [node], baseline: baselineOf(node) });
    else last.nodes.push(node);
  }
  if (rows.length < 2) return null;
  for (const node of nodes) {
    if (isMain(node)) continue;
    const beside = (row: Row): number => Math.min(...row.nodes.map((other) => Math.max(0, node.box.left - other.box.right, other.box.left - node.box.right)));
    const away = (row: Row): number => Math.abs(middleY(node.box) - (row.baseline - axis * size)) + 0.3 * beside(row);
    rows.reduce((best, row) => (away(row) < away(best) ? row : best)).nodes.push(node);
  }
  return rows.map((row) => row.nodes);
}

/** Rows cut into cells where all of them have white space. */
function cellsOf(rows: Node[][], size: number): Node[][][] {
  const extents = rows.flat().map(({ box }) => box).sort((a, b) => a.left - b.left);
  const cuts: number[] = [];
  let edge = extents[0]!.right;
  for (const box of extents.slice(1)) {
    if (box.left - edge > columnGap * size) cuts.push((box.left + edge) / 2);
    edge = Math.max(edge, box.right);
  }
  return rows.map((row) => [...cuts, Infinity].map((cut, at) => row.filter(({ box }) => middleX(box) < cut && middleX(box) >= (cuts[at - 1] ?? -Infinity))));
}

function bodyOf(inside: Pieces, make: RowMaker, depth: number, cases: boolean): Node[] {
  if (inside.nodes.length === 0) return [];
  const rows = rowsOf(inside.nodes);
  const size = Math.max(...inside.nodes.map((node) => node.size));
  const cells = cellsOf(rows ?? [inside.nodes], size);
  const isGrid = rows !== null || !cases && cells[0]!.length > 2 && inside.nodes.length === cells[0]!.length;
  if (!isGrid) return make(inside, depth + 1);
  const made = cells.map((row) => row.map((cell) => (cell.length === 0 ? [] : make({ nodes: cell, bars: [] }, depth + 1))));
  const box = unionBox(inside.nodes.map((node) => node.box));
  return [{ kind: 'grid', rows: made, box, baseline: (box.top + box.bottom) / 2 + axis * size, size }];
}

function isInside({ box }: Node, open: Node, right: number): boolean {
  return middleX(box) > open.box.right - 0.5 && middleX(box) < right + 0.5 && middleY(box) > open.box.top && middleY(box) < open.box.bottom;
}

function delimited(open: Delimiter, close: Delimiter | null, pieces: Pieces, make: RowMaker, depth: number): Pieces {
  const right = close === null ? Infinity : close.box.left;
  const inside = pieces.nodes.filter((node) => node !== open && node !== close && isInside(node, open, right));
  const body = bodyOf({ nodes: inside, bars: [] }, make, depth, close === null);
  const around = [open, ...inside, ...(close === null ? [] : [close])];
  const size = Math.max(...(inside.length === 0 ? around : inside).map((node) => node.size));
  const box = { ...unionBox(around.map((node) => node.box)), top: open.box.top, bottom: open.box.bottom };
  const made: Node = { kind: 'delimited', open: open.text, close: close?.text ?? '', body, box, baseline: middleY(open.box) + axis * size, size };
  const gone = new Set(around);
  return { nodes: [...pieces.nodes.filter((node) => !gone.has(node)), made], bars: pieces.bars };
}

/** In ems: a brace that opens cases is at least as tall. */
const casesHeight = 1.9;

/** Makes one node of a pair of tall delimiters and its content, or of a brace without a partner; null if there is none. */
export function takeDelimiters(pieces: Pieces, make: RowMaker, depth: number): Pieces | null {
  const delimiters = pieces.nodes.filter(isDelimiter).sort((a, b) => a.box.left - b.box.left);
  const pair = pairAmong(delimiters, pieces.nodes);
  if (pair !== null) return delimited(pair[0], pair[1], pieces, make, depth);
  const brace = delimiters.filter((node) => node.text === '{' && heightOf(node) > casesHeight * node.size).at(-1);
  if (brace === undefined || !pieces.nodes.some((node) => node !== brace && isInside(node, brace, Infinity))) return null;
  return delimited(brace, null, pieces, make, depth);
}
