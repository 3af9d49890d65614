/**
 * GriTS, the similarity of two tables as grids (Smock, Pesala and Abraham 2022, arXiv 2203.12555): 2 f / (|A| + |B|), where f sums the similarity of the cells that the most
 * similar substructures of both grids have in common. These are found in two steps, as in the paper: rows are aligned by their best alignment of cells, and columns alike.
 */

/** Cells do not overlap. A cell of several rows or columns counts at each of its places. */
export interface GritsTable {
  rows: number;
  columns: number;
  cells: readonly { row: number; column: number; rowSpan: number; columnSpan: number; text: string }[];
}

export interface Grits {
  /** Of the extents of the cells. */
  topology: number;
  /** Of their text. */
  content: number;
}

/** The longest text whose letters are compared, and the most pairs of places that are: larger tables are compared by their first rows. */
const limits = { letters: 200, pairs: 4_000_000 } as const;

interface Place {
  text: string;
  /** From this place to the edges of the cell: left, top, right, bottom. */
  extent: [number, number, number, number];
}

type Matrix = (Place | null)[][];
type Similarity = (one: Place | null, other: Place | null) => number;

/** 1 for two equal tables. */
export function gritsOf(truth: GritsTable, found: GritsTable): Grits {
  const [a, b] = [matrixOf(truth), matrixOf(found)];
  const texts = new Map<string, number>();
  const content: Similarity = (one, other) => {
    const [x, y] = [(one?.text ?? '').slice(0, limits.letters), (other?.text ?? '').slice(0, limits.letters)];
    if (x === y) return 1;
    const key = `${x}\u0000${y}`;
    let known = texts.get(key);
    if (known === undefined) texts.set(key, (known = (2 * commonLength(x, y)) / (x.length + y.length)));
    return known;
  };
  return { topology: score(a, b, overlapOfExtents), content: score(a, b, content) };
}

function matrixOf({ rows, columns, cells }: GritsTable): Matrix {
  const matrix: Matrix = Array.from({ length: rows }, () => new Array<Place | null>(columns).fill(null));
  for (const { row, column, rowSpan, columnSpan, text } of cells) {
    for (let r = row; r < Math.min(rows, row + rowSpan); r++) {
      for (let c = column; c < Math.min(columns, column + columnSpan); c++) matrix[r]![c] = { text, extent: [column - c, row - r, column + columnSpan - c, row + rowSpan - r] };
    }
  }
  return matrix;
}

const single: Place['extent'] = [0, 0, 1, 1];

/** Area that both cells share when their places lie over each other, over that of both. */
function overlapOfExtents(one: Place | null, other: Place | null): number {
  const [a, b] = [one?.extent ?? single, other?.extent ?? single];
  const shared = Math.max(0, Math.min(a[2], b[2]) - Math.max(a[0], b[0])) * Math.max(0, Math.min(a[3], b[3]) - Math.max(a[1], b[1]));
  const area = (extent: Place['extent']): number => (extent[2] - extent[0]) * (extent[3] - extent[1]);
  return shared / (area(a) + area(b) - shared);
}

function score(a: Matrix, b: Matrix, similarity: Similarity): number {
  const [widthA, widthB] = [a[0]?.length ?? 0, b[0]?.length ?? 0];
  const whole = a.length * widthA + b.length * widthB;
  if (whole === 0) return 1;
  const most = Math.max(1, Math.floor(Math.sqrt(limits.pairs / Math.max(1, widthA * widthB))));
  const [rowsA, rowsB] = [a.slice(0, most), b.slice(0, most)];
  const rows = alignment(rowsA.length, rowsB.length, (i, j) => alignedSum(rowsA[i]!, rowsB[j]!, similarity));
  const [turnedA, turnedB] = [transposed(rowsA), transposed(rowsB)];
  const columns = alignment(widthA, widthB, (i, j) => alignedSum(turnedA[i]!, turnedB[j]!, similarity));
  let sum = 0;
  for (const [i, j] of rows) for (const [k, l] of columns) sum += similarity(rowsA[i]![k]!, rowsB[j]![l]!);
  return (2 * sum) / whole;
}

function transposed(rows: Matrix): Matrix {
  return (rows[0] ?? []).map((_, column) => rows.map((row) => row[column]!));
}

function alignedSum(one: readonly (Place | null)[], other: readonly (Place | null)[], similarity: Similarity): number {
  return tableOfSums(one.length, other.length, (i, j) => similarity(one[i]!, other[j]!))[one.length]![other.length]!;
}

/** Sums of the best order-keeping pairs of the first i and the first j items. */
function tableOfSums(count: number, others: number, reward: (i: number, j: number) => number): Float64Array[] {
  const sums = Array.from({ length: count + 1 }, () => new Float64Array(others + 1));
  for (let i = 1; i <= count; i++) for (let j = 1; j <= others; j++) sums[i]![j] = Math.max(sums[i - 1]![j]!, sums[i]![j - 1]!, sums[i - 1]![j - 1]! + reward(i - 1, j - 1));
  return sums;
}

/** The pairs of the best alignment. */
function alignment(count: number, others: number, reward: (i: number, j: number) => number): [number, number][] {
  const rewards = Array.from({ length: count }, (_, i) => Float64Array.from({ length: others }, (__, j) => reward(i, j)));
  const sums = tableOfSums(count, others, (i, j) => rewards[i]![j]!);
  const pairs: [number, number][] = [];
  for (let [i, j] = [count, others]; i > 0 && j > 0;) {
    if (sums[i]![j] === sums[i - 1]![j - 1]! + rewards[i - 1]![j - 1]!) pairs.unshift([--i, --j]);
    else if (sums[i]![j] === sums[i - 1]![j]!) i--;
    else j--;
  }
  return pairs;
}

/** Length of the longest common subsequence. */
function commonLength(one: string, other: string): number {
  return tableOfSums(one.length, other.length, (i, j) => (one[i] === other[j] ? 1 : 0))[one.length]![other.length]!;
}
