/** Fractions, roots and lines above a formula: the parts that a horizontal stroke shows. */
import { middleX, middleY, unionBox, widthOf } from '../../geometry/box.js';
import type { Box, VerticalExtent } from '../../geometry/box.js';
import type { Bar, Node } from './nodes.js';
import { axis } from './nodes.js';

export interface Pieces {
  nodes: Node[];
  bars: Bar[];
}

/** Makes the row of some pieces. */
export type RowMaker = (pieces: Pieces, depth: number) => Node[];

/** In ems: white space between a bar and the nearest symbol of its part, and between the symbols of one part. TeX has at most 0.55 (a denominator without ascenders) and 0.3 (in nested fractions). */
const nearest = 0.62;
const within = 0.3;
/** In ems: white space between a line above a symbol and the symbol. */
const lineGap = 0.3;

function holds(bar: Bar, box: Box): boolean {
  return middleX(box) > bar.left - 0.5 && middleX(box) < bar.right + 0.5;
}

/** Whether the radical sign ends where its bar begins. */
export function startsAt({ box, size }: Pick<Node, 'box' | 'size'>, bar: Bar): boolean {
  return Math.abs(box.right - bar.left) < 0.3 * size + 1 && box.top < bar.y + 3 && box.bottom > bar.y;
}

function rootSign(bar: Bar, nodes: Node[]): Node | undefined {
  return nodes.find((node) => node.kind === 'atom' && node.text === '√' && startsAt(node, bar));
}

interface Part {
  nodes: Node[];
  bars: Bar[];
}

/** The symbols and bars on one side of a bar that belong to it: the nearest ones, and those that follow without white space. */
function partBeside(bar: Bar, pieces: Pieces, above: boolean, size: number): Part {
  const far = (extent: VerticalExtent): number => (above ? bar.y - extent.bottom : extent.top - bar.y);
  const items: { box: VerticalExtent; node?: Node; bar?: Bar }[] = [
    ...pieces.nodes.filter((node) => holds(bar, node.box) && (middleY(node.box) < bar.y) === above).map((node) => ({ box: node.box, node })),
    ...pieces.bars.filter((other) => other !== bar && other.left > bar.left - 1 && other.right < bar.right + 1 && other.y < bar.y === above).map((other) => ({ box: { top: other.y, bottom: other.y }, bar: other })),
  ].sort((a, b) => far(a.box) - far(b.box));
  const part: Part = { nodes: [], bars: [] };
  let edge = 0;
  for (const item of items) {
    const limit = part.nodes.length === 0 ? nearest : within;
    if (far(item.box) > edge + limit * size) break;
    if (item.node !== undefined) part.nodes.push(item.node);
    else part.bars.push(item.bar!);
    edge = Math.max(edge, above ? bar.y - item.box.top : item.box.bottom - bar.y);
  }
  return part.nodes.length === 0 ? { nodes: [], bars: [] } : part;
}

function without(pieces: Pieces, bar: Bar, ...parts: Part[]): Pieces {
  const nodes = new Set(parts.flatMap((part) => part.nodes));
  const bars = new Set([bar, ...parts.flatMap((part) => part.bars)]);
  return { nodes: pieces.nodes.filter((node) => !nodes.has(node)), bars: pieces.bars.filter((one) => !bars.has(one)) };
}

const sizeOf = (nodes: Node[]): number => Math.max(...nodes.map((node) => node.size));

function baselineIn(row: Node[], size: number): number {
  return (row.find((node) => node.size >= 0.95 * size) ?? row[0])?.baseline ?? 0;
}

/** The number above the foot of a radical sign: small, and left of the sign's middle. */
function degreeOf(sign: Node, nodes: Node[]): Node[] {
  return nodes.filter((node) => node !== sign && node.size < 0.8 * sign.size && middleX(node.box) < sign.box.right - 0.1 * sign.size && node.box.right > sign.box.left - 0.4 * sign.size
    && node.box.left > sign.box.left - 0.8 * sign.size && middleY(node.box) > sign.box.top - 0.3 * sign.size && middleY(node.box) < sign.box.bottom - 0.3 * (sign.box.bottom - sign.box.top) && node.box.right < sign.box.right);
}

function root(bar: Bar, sign: Node, pieces: Pieces, make: RowMaker, depth: number): Pieces | null {
  const body: Part = {
    nodes: pieces.nodes.filter((node) => node !== sign && holds(bar, node.box) && middleY(node.box) > bar.y && node.box.top < sign.box.bottom),
    bars: pieces.bars.filter((other) => other !== bar && other.left > bar.left - 1 && other.right < bar.right + 1 && other.y > bar.y && other.y < sign.box.bottom),
  };
  if (body.nodes.length === 0) return null;
  const degree = degreeOf(sign, pieces.nodes.filter((node) => !body.nodes.includes(node)));
  const size = sizeOf(body.nodes);
  const row = make(body, depth + 1);
  const made: Node = {
    kind: 'root', degree: degree.length === 0 ? [] : make({ nodes: degree, bars: [] }, depth + 1), body: row,
    box: unionBox([sign.box, ...body.nodes.map((node) => node.box), { left: bar.left, right: bar.right, top: bar.y, bottom: bar.y }]), baseline: baselineIn(row, size), size,
  };
  const rest = without(pieces, bar, body, { nodes: [sign, ...degree], bars: [] });
  return { ...rest, nodes: [...rest.nodes, made] };
}

/** A bar with symbols on one side only, close to it: a line above or below them. */
function line(bar: Bar, part: Part, above: boolean, pieces: Pieces, make: RowMaker, depth: number): Pieces | null {
  const size = sizeOf(part.nodes);
  const gap = above ? Math.min(...part.nodes.map((node) => node.box.top)) - bar.y : bar.y - Math.max(...part.nodes.map((node) => node.box.bottom));
  const covered = unionBox(part.nodes.map((node) => node.box));
  if (gap > lineGap * size || gap < -0.1 * size || widthOf(covered) < 0.5 * (bar.right - bar.left)) return null;
  const row = make(part, depth + 1);
  const made: Node = { kind: 'line', above, body: row, box: { ...covered, top: Math.min(covered.top, bar.y), bottom: Math.max(covered.bottom, bar.y) }, baseline: baselineIn(row, size), size };
  const rest = without(pieces, bar, part);
  return { ...rest, nodes: [...rest.nodes, made] };
}

function fraction(bar: Bar, over: Part, under: Part, pieces: Pieces, make: RowMaker, depth: number): Pieces {
  const all = [...over.nodes, ...under.nodes];
  const size = sizeOf(all);
  const made: Node = {
    kind: 'fraction', over: make(over, depth + 1), under: make(under, depth + 1), bar: true,
    box: unionBox([...all.map((node) => node.box), { left: bar.left, right: bar.right, top: bar.y, bottom: bar.y }]), baseline: bar.y + axis * size, size,
  };
  const rest = without(pieces, bar, over, under);
  return { ...rest, nodes: [...rest.nodes, made] };
}

/** Makes one node of the widest bar and its parts; null if no bar has any. */
export function takeBar(pieces: Pieces, make: RowMaker, depth: number): Pieces | null {
  for (const bar of [...pieces.bars].sort((a, b) => b.right - b.left - (a.right - a.left))) {
    const sign = rootSign(bar, pieces.nodes);
    const rooted = sign === undefined ? null : root(bar, sign, pieces, make, depth);
    if (rooted !== null) return rooted;
    const near = pieces.nodes.filter((node) => holds(bar, node.box));
    if (near.length === 0) continue;
    const size = sizeOf(near);
    const [over, under] = [partBeside(bar, pieces, true, size), partBeside(bar, pieces, false, size)];
    if (over.nodes.length > 0 && under.nodes.length > 0) return fraction(bar, over, under, pieces, make, depth);
    const [part, above] = under.nodes.length > 0 ? [under, true] : [over, false];
    const lined = part.nodes.length === 0 ? null : line(bar, part, above, pieces, make, depth);
    if (lined !== null) return lined;
  }
  return null;
}
