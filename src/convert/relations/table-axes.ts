/** Rows and columns of a table from the scores of its cells. */
import { areaOf, horizontalOverlap, intersection, unionBox, verticalOverlap, widthOf } from '../../geometry/box.js';
import type { Box } from '../../geometry/box.js';
import { clusterMembers, correlationClusters } from './clusters.js';
import type { WeightedEdge } from './clusters.js';
import type { GridCell } from './grid-cells.js';
import { neighbourPairs } from './neighbour-pairs.js';
import type { PageEvidence } from './page-evidence.js';
import type { RelationScores } from './scores.js';

/** Nodes of a cell, cells of a row or column, and columns of fragments that are compared with others: more add little. */
const mostCompared = { nodes: 2, cells: 6, columns: 64 } as const;

/** Share of the smaller of two parts of a table that both cover, from which they are one part: text may run over the edge of its column. */
const sharedArea = 0.5;

export type Axis = 'row' | 'column';

export interface TableCell extends GridCell {
  box: Box;
  /** Whether it is of several rows, or columns. */
  spans: Record<Axis, boolean>;
}

/** Parts of a table; `of` has the fragment of each cell. */
interface Fragments {
  count: number;
  of: Int32Array;
  boxes: Box[];
}

/** Rows and columns of cells, as clusters of those that do not span several. */
export class TableAxes {
  readonly #pairs: [number, number][];
  /** For each axis the line of each cell that made it, -1 for none. */
  readonly #lineOf: Record<Axis, Int32Array>;
  /** For each cell those beside it. */
  readonly #beside: number[][];
  readonly #clusters: Record<Axis, number[][]>;
  readonly #fragments: Fragments;

  constructor(private readonly cells: readonly TableCell[], private readonly scores: RelationScores, private readonly evidence: PageEvidence, private readonly rightToLeft: boolean) {
    const cellOf = new Map<number, number>();
    for (const [index, { nodes }] of cells.entries()) for (const node of nodes) cellOf.set(node, index);
    const nodes = [...cellOf.keys()].sort((a, b) => a - b);
    const known = new Set<number>();
    this.#pairs = neighbourPairs(nodes, scores.neighbours).flatMap(([a, b]): [number, number][] => {
      const [one, other] = [cellOf.get(nodes[a]!)!, cellOf.get(nodes[b]!)!].sort((first, second) => first - second) as [number, number];
      if (one === other || known.has(one * cells.length + other)) return [];
      known.add(one * cells.length + other);
      return [[one, other]];
    });
    this.#beside = cells.map(() => []);
    for (const [one, other] of this.#pairs) {
      this.#beside[one]!.push(other);
      this.#beside[other]!.push(one);
    }
    this.#clusters = { row: this.#cluster('row'), column: this.#cluster('column') };
    this.#fragments = this.#findFragments();
    this.#lineOf = { row: new Int32Array(cells.length).fill(-1), column: new Int32Array(cells.length).fill(-1) };
  }

  /** The rows or columns in their order, each as the cells that it consists of. */
  linesOf(axis: Axis): number[][] {
    const near = this.#joinNear(axis, this.#clusters[axis]);
    const clusters = axis === 'column' && this.#fragments.count > 1 ? this.#joinFragments(near) : near;
    const lines = clusters.map((own) => ({ own, at: this.#place(axis, own) })).sort((a, b) => a.at[0] - b.at[0] || a.at[1] - b.at[1] || a.own[0]! - b.own[0]!).map(({ own }) => own);
    for (const [line, own] of lines.entries()) for (const cell of own) this.#lineOf[axis][cell] = line;
    return lines;
  }

  /** Fragment and place in it of a row; of a column its mean place in the fragments. */
  #place(axis: Axis, cells: readonly number[]): [number, number] {
    if (axis === 'row') {
      const { top, bottom } = this.#boxAround(cells);
      return [this.#fragments.of[cells[0]!]!, (top + bottom) / 2];
    }
    const byFragment = groupBy(cells, (cell) => this.#fragments.of[cell]!);
    const places = [...byFragment].map(([fragment, own]) => {
      const { left, right } = this.#boxAround(own);
      const { left: begin, right: end } = this.#fragments.boxes[fragment]!;
      return this.rightToLeft ? end - (left + right) / 2 : (left + right) / 2 - begin;
    });
    return [0, places.reduce((sum, place) => sum + place, 0) / places.length];
  }

  #boxAround(cells: readonly number[]): Box {
    return unionBox(cells.map((cell) => this.cells[cell]!.box));
  }

  /** Clusters by the pairs of neighbours, of cells that do not span several lines. */
  #cluster(axis: Axis): number[][] {
    let members = [...this.cells.keys()].filter((cell) => !this.cells[cell]!.spans[axis]);
    if (members.length === 0) members = [...this.cells.keys()];
    const indexOf = new Map(members.map((cell, index) => [cell, index]));
    const edges = this.#pairs.flatMap(([one, other]): WeightedEdge[] => {
      const [a, b] = [indexOf.get(one), indexOf.get(other)];
      return a === undefined || b === undefined ? [] : [{ a, b, weight: this.#isParted(axis, one, other) ? -Infinity : this.#score(axis, one, other) }];
    });
    return clusterMembers(correlationClusters(members.length, edges)).map((own) => own.map((index) => members[index]!));
  }

  /** First line and number of lines of a cell. */
  range(cell: number, axis: Axis, lines: readonly number[][]): [number, number] {
    const own = this.#lineOf[axis][cell]!;
    if (own >= 0) return [own, 1];
    const near = [...new Set(this.#beside[cell]!.map((other) => this.#lineOf[axis][other]!))].filter((line) => line >= 0).sort((a, b) => a - b);
    if (near.length === 0) return [this.#nearestLine(axis, cell, lines), 1];
    const scores = new Array<number>(lines.length).fill(-1);
    for (const line of near) scores[line] = this.#scoreOfLine(axis, cell, lines[line]!);
    // From the lines of its neighbours on, as long as further ones belong to it.
    for (const [first, step] of [[near[0]!, -1], [near.at(-1)!, 1]] as const) {
      for (let line = first; scores[line]! > 0 && line + step >= 0 && line + step < lines.length; line += step) scores[line + step] = this.#scoreOfLine(axis, cell, lines[line + step]!);
    }
    return bestRun(scores);
  }

  #nearestLine(axis: Axis, cell: number, lines: readonly number[][]): number {
    const middleOf = ({ left, top, right, bottom }: Box): number => (axis === 'row' ? top + bottom : left + right);
    const distances = lines.map((line) => Math.abs(middleOf(this.cells[line[0]!]!.box) - middleOf(this.cells[cell]!.box)));
    return distances.reduce((best, distance, line) => (distance < distances[best]! ? line : best), 0);
  }

  /** Joins clusters that overlap and that no pair of neighbours connects, such as the two sides of a column over which a title spans. */
  #joinNear(axis: Axis, clusters: number[][]): number[][] {
    const seen = this.#connected(clusters);
    const extents = clusters.map((own) => {
      const { left, top, right, bottom } = this.#boxAround(own);
      return axis === 'row' ? [top, bottom] as const : [left, right] as const;
    });
    const order = [...clusters.keys()].sort((a, b) => extents[a]![0] - extents[b]![0] || a - b);
    const edges: WeightedEdge[] = [];
    for (const [at, a] of order.entries()) {
      // Only lines that overlap, of which few follow each other.
      for (const b of order.slice(at + 1, at + 1 + mostCompared.cells)) {
        if (extents[b]![0] >= extents[a]![1]) break;
        const isApart = seen(a, b) || axis === 'row' && this.#fragments.of[clusters[a]![0]!] !== this.#fragments.of[clusters[b]![0]!];
        edges.push({ a, b, weight: isApart ? -Infinity : this.#scoreOfLines(axis, clusters[a]!, clusters[b]!) });
      }
    }
    return joined(clusters, edges);
  }

  /** Joins the columns of the fragments of a table that flows over the end of a text column. */
  #joinFragments(clusters: number[][]): number[][] {
    const fragmentsOf = clusters.map((own) => new Set(own.map((cell) => this.#fragments.of[cell]!)));
    const edges: WeightedEdge[] = [];
    for (let a = 0; a < Math.min(clusters.length, mostCompared.columns); a++) {
      for (let b = a + 1; b < Math.min(clusters.length, mostCompared.columns); b++) {
        const isApart = [...fragmentsOf[a]!].some((fragment) => fragmentsOf[b]!.has(fragment));
        edges.push({ a, b, weight: isApart ? -Infinity : this.#scoreOfLines('column', clusters[a]!, clusters[b]!) });
      }
    }
    return joined(clusters, edges);
  }

  /** Whether a pair of neighbours connects two clusters. */
  #connected(clusters: readonly number[][]): (a: number, b: number) => boolean {
    const clusterOf = new Map(clusters.flatMap((own, index) => own.map((cell) => [cell, index] as const)));
    const known = new Set<number>();
    for (const [one, other] of this.#pairs) {
      const [a, b] = [clusterOf.get(one), clusterOf.get(other)];
      if (a !== undefined && b !== undefined) known.add(Math.min(a, b) * clusters.length + Math.max(a, b));
    }
    return (a, b) => known.has(Math.min(a, b) * clusters.length + Math.max(a, b));
  }

  /** The parts of the table that share no row and no column. Those that stand side by side are read one after the other. */
  #findFragments(): Fragments {
    const edges = this.#pairs.flatMap(([a, b]): WeightedEdge[] => {
      const [one, other] = [this.cells[a]!.box, this.cells[b]!.box];
      if (verticalOverlap(one, other) > 0) return [{ a, b, weight: this.#score('row', a, b) }];
      return horizontalOverlap(one, other) > 0 ? [{ a, b, weight: this.#score('column', a, b) }] : [];
    });
    const groups = clusterMembers(correlationClusters(this.cells.length, edges));
    const apart = joined(groups, groups.flatMap((one, a) => groups.slice(a + 1, a + 1 + mostCompared.columns).flatMap((other, step): WeightedEdge[] => (
      areOneArea(this.#boxAround(one), this.#boxAround(other)) ? [{ a, b: a + 1 + step, weight: 1 }] : []))));
    const ordered = inBands(apart.map((own) => ({ own, box: this.#boxAround(own) })), this.rightToLeft);
    const of = new Int32Array(this.cells.length);
    for (const [index, { own }] of ordered.entries()) for (const cell of own) of[cell] = index;
    return { count: ordered.length, of, boxes: ordered.map(({ box }) => box) };
  }

  #isParted(axis: Axis, one: number, other: number): boolean {
    const [a, b] = [this.cells[one]!.box, this.cells[other]!.box];
    return axis === 'row' ? this.evidence.isRuledBetweenRows(a, b) : this.evidence.isRuledBetweenColumns(a, b);
  }

  #score(axis: Axis, one: number, other: number): number {
    let [sum, count] = [0, 0];
    for (const a of this.cells[one]!.nodes.slice(0, mostCompared.nodes)) {
      for (const b of this.cells[other]!.nodes.slice(0, mostCompared.nodes)) {
        sum += this.scores.mutual(axis, a, b);
        count++;
      }
    }
    return sum / count;
  }

  /** Of a cell with the cells of a line, the nearest ones first. */
  #scoreOfLine(axis: Axis, cell: number, line: readonly number[]): number {
    const { box } = this.cells[cell]!;
    const distance = (other: Box): number => (axis === 'row' ? Math.abs(other.left + other.right - box.left - box.right) : Math.abs(other.top + other.bottom - box.top - box.bottom));
    const near = nearest(line.filter((other) => other !== cell), (other) => distance(this.cells[other]!.box), mostCompared.cells);
    if (near.length === 0 || near.some((other) => this.#isParted(axis, cell, other))) return -1;
    return near.reduce((sum, other) => sum + this.#score(axis, cell, other), 0) / near.length;
  }

  #scoreOfLines(axis: Axis, some: readonly number[], others: readonly number[]): number {
    const pairs = some.slice(0, mostCompared.nodes).flatMap((one) => others.slice(0, mostCompared.nodes).map((other) => (this.#isParted(axis, one, other) ? -Infinity : this.#score(axis, one, other))));
    return pairs.reduce((sum, score) => sum + score, 0) / pairs.length;
  }
}

function joined(clusters: number[][], edges: readonly WeightedEdge[]): number[][] {
  return clusterMembers(correlationClusters(clusters.length, edges)).map((members) => members.flatMap((index) => clusters[index]!).sort((a, b) => a - b));
}

/** The `most` items of the least values, in the order of these. */
function nearest(items: readonly number[], valueOf: (item: number) => number, most: number): number[] {
  const found: { item: number; value: number }[] = [];
  for (const item of items) {
    const value = valueOf(item);
    if (found.length === most && value >= found[most - 1]!.value) continue;
    const at = found.findIndex((other) => value < other.value);
    found.splice(at < 0 ? found.length : at, 0, { item, value });
    if (found.length > most) found.pop();
  }
  return found.map(({ item }) => item);
}

function groupBy(items: readonly number[], keyOf: (item: number) => number): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

function areOneArea(one: Box, other: Box): boolean {
  const shared = intersection(one, other);
  return shared.left < shared.right && shared.top < shared.bottom && areaOf(shared) >= sharedArea * Math.min(areaOf(one), areaOf(other));
}

/** Parts that overlap in x stand in one band, from the top; the bands follow each other from the left, or from the right. */
function inBands<Part extends { box: Box }>(parts: readonly Part[], rightToLeft: boolean): Part[] {
  const bands: { left: number; right: number; parts: Part[] }[] = [];
  for (const part of [...parts].sort((a, b) => a.box.left - b.box.left)) {
    const last = bands.at(-1);
    if (last === undefined || last.right - part.box.left < sharedArea * Math.min(widthOf(part.box), last.right - last.left)) bands.push({ left: part.box.left, right: part.box.right, parts: [part] });
    else {
      last.right = Math.max(last.right, part.box.right);
      last.parts.push(part);
    }
  }
  if (rightToLeft) bands.reverse();
  return bands.flatMap(({ parts: own }) => own.sort((a, b) => a.box.top - b.box.top));
}

/** Start and length of the run of values with the largest sum; the single largest value where none is positive. */
export function bestRun(values: readonly number[]): [number, number] {
  let [best, from, length] = [-Infinity, 0, 1];
  let [sum, start] = [0, 0];
  for (const [at, value] of values.entries()) {
    if (sum <= 0) [sum, start] = [0, at];
    sum += value;
    if (sum > best) [best, from, length] = [sum, start, at - start + 1];
  }
  return [from, length];
}
