/** The decoder's guarantees, on random pages with random scores: every node once, grids valid, the order a permutation, equal scores equal blocks, drawn lines bind. */
import t from 'tap';
import { nodeClasses, type NodeClass, type Relation } from '../../src/convert/relations/classes.js';
import { correlationClusters } from '../../src/convert/relations/clusters.js';
import { decodePage } from '../../src/convert/relations/decode-page.js';
import { heaviestPath } from '../../src/convert/relations/decode-order.js';
import type { DecodedBlock, DecodedGrid } from '../../src/convert/relations/decoded.js';
import { settleCells } from '../../src/convert/relations/grid-cells.js';
import { neighboursOf } from '../../src/convert/relations/neighbours.js';
import type { NodePage, NodeWord, PageNode } from '../../src/convert/relations/nodes.js';
import { levelCount, logSoftmax, NetworkScores, neighbourSlots, outputWidth, type RelationScores } from '../../src/convert/relations/scores.js';
import { bestRun } from '../../src/convert/relations/table-axes.js';

/** Numbers from 0 to 1, the same for a seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const word = (text: string, left: number, top: number): NodeWord => ({
  text, box: { left, top, right: left + 5 * text.length, bottom: top + 9 }, baseline: top + 8, size: 10, weight: 400, bold: false, italic: false, monospace: false, symbolic: false,
  underline: false, strike: false, link: false, glued: false, invisible: false, color: 0, angle: 0, line: 0,
});

/** One node a word, on a loose grid so that many overlap; some pictures; some rulings. */
function randomPage(random: () => number, count: number): { page: NodePage; nodes: PageNode[] } {
  const words = Array.from({ length: count }, () => word('x'.repeat(1 + Math.floor(8 * random())), 20 * Math.floor(25 * random()), 7 * Math.floor(100 * random())));
  const pictures = Array.from({ length: Math.floor(4 * random()) }, () => ({ left: 500 * random(), top: 700 * random(), right: 560, bottom: 760 }));
  const rulings = Array.from({ length: Math.floor(20 * random()) }, () => ({ orientation: random() < 0.5 ? 'horizontal' as const : 'vertical' as const, position: 600 * random(), start: 100 * random(), end: 200 + 400 * random(), thickness: 1 }));
  return { page: { width: 600, height: 800, words, rulings, fills: [], pictures }, nodes: [...words.map(({ box }, index) => ({ words: [index], box })), ...pictures.map((box) => ({ words: [], box }))] };
}

/** Output of a network that was never trained. `scale` is the spread of the logits. */
function randomScores(random: () => number, nodes: readonly PageNode[], scale: number, cells: number): NetworkScores {
  const output = Float32Array.from({ length: nodes.length * outputWidth }, () => scale * (2 * random() - 1));
  for (const node of nodes.keys()) if (random() < cells) output[node * outputWidth + nodeClasses.indexOf('cell')] = 20;
  return new NetworkScores(output, neighboursOf(nodes.map(({ box }) => box)));
}

function gridFault({ rowCount, columnCount, cells }: DecodedGrid): string | null {
  const places = new Set<string>();
  for (const { row, column, rowSpan, columnSpan } of cells) {
    if (row < 0 || column < 0 || rowSpan < 1 || columnSpan < 1 || row + rowSpan > rowCount || column + columnSpan > columnCount) return `a cell at ${row}, ${column} reaches out of ${rowCount} x ${columnCount}`;
    for (let r = row; r < row + rowSpan; r++) {
      for (let c = column; c < column + columnSpan; c++) {
        if (places.has(`${r} ${c}`)) return `two cells at ${r}, ${c}`;
        places.add(`${r} ${c}`);
      }
    }
  }
  for (let row = 0; row < rowCount; row++) if (!cells.some((cell) => cell.row === row)) return `no cell begins in row ${row}`;
  for (let column = 0; column < columnCount; column++) if (!cells.some((cell) => cell.column === column)) return `no cell begins in column ${column}`;
  return null;
}

function faultsOf(blocks: readonly DecodedBlock[], nodes: readonly PageNode[]): string[] {
  const faults: string[] = [];
  const all = blocks.flatMap((block) => block.nodes).sort((a, b) => a - b);
  if (new Set(all).size !== all.length) faults.push('a node is twice');
  const missing = [...nodes.keys()].filter((node) => nodes[node]!.words.length > 0 && !all.includes(node));
  if (missing.length > 0) faults.push(`nodes ${missing.join(', ')} are missing`);
  for (const { grid, nodes: own, confidence, captionOf, cls } of blocks) {
    if (!(confidence >= 0 && confidence <= 1)) faults.push(`confidence ${confidence}`);
    if (captionOf >= 0 && blocks[captionOf]?.grid === null && blocks[captionOf]?.cls !== 'picture') faults.push('a caption of text');
    if ((grid === null) !== (cls !== 'cell')) faults.push(`${cls} with the grid ${grid}`);
    if (grid === null) continue;
    const fault = gridFault(grid);
    if (fault !== null) faults.push(fault);
    if (grid.cells.flatMap((cell) => cell.nodes).sort().join() !== [...own].sort().join()) faults.push('cells and block hold other nodes');
  }
  return faults;
}

t.test('whatever the scores are, the guarantees hold', (t) => {
  for (let seed = 1; seed <= 40; seed++) {
    const random = randomNumbers(seed);
    const { page, nodes } = randomPage(random, Math.floor(120 * random()));
    const scores = randomScores(random, nodes, seed % 3 === 0 ? 0 : 6 * random(), random());
    const blocks = decodePage(page, nodes, 10, scores);
    t.same(faultsOf(blocks, nodes), [], `seed ${seed}: ${nodes.length} nodes`);
    t.same(decodePage(page, nodes, 10, scores), blocks, 'the same again');
  }
  t.end();
});

t.test('the cost grows with the nodes, not with their pairs', (t) => {
  const time = (count: number): number => {
    const random = randomNumbers(count);
    const { page, nodes } = randomPage(random, count);
    const scores = randomScores(random, nodes, 3, 0.5);
    const times = [0, 1].map(() => {
      const begin = performance.now();
      decodePage(page, nodes, 10, scores);
      return performance.now() - begin;
    });
    return Math.min(...times);
  };
  time(100);
  t.ok(time(1000) < 50 * time(100) + 200, 'ten times the nodes take well under a hundred times as long');
  t.end();
});

/** Scores by rules of the test; what they leave out is false. */
class MadeScores implements RelationScores {
  readonly neighbours: Int32Array;

  constructor(nodes: readonly PageNode[], private readonly cls: (node: number) => NodeClass, private readonly holds: (relation: Relation, from: number, to: number) => boolean, private readonly spans: (node: number) => [boolean, boolean] = () => [false, false]) {
    this.neighbours = neighboursOf(nodes.map(({ box }) => box));
    this.count = nodes.length;
  }

  readonly count: number;
  classes = (node: number): Float32Array => logSoftmax(Float32Array.from(nodeClasses, (name) => (name === this.cls(node) ? 5 : -5)));
  levels = (): Float32Array => new Float32Array(levelCount);
  start = (): number => 0;
  rowSpan = (node: number): number => (this.spans(node)[0] ? 3 : -3);
  columnSpan = (node: number): number => (this.spans(node)[1] ? 3 : -3);
  directed = (relation: Relation, from: number, to: number): number => (this.holds(relation, from, to) ? 4 : -4);
  mutual = (relation: Relation, one: number, other: number): number => this.directed(relation, one, other);
}

const pageOf = (words: NodeWord[], rulings: NodePage['rulings'] = []): { page: NodePage; nodes: PageNode[] } => (
  { page: { width: 600, height: 800, words, rulings, fills: [], pictures: [] }, nodes: words.map(({ box }, index) => ({ words: [index], box })) });

t.test('a table: a title over two columns, and a place without a word', (t) => {
  const { page, nodes } = pageOf([word('both-of-them-and-more', 100, 100), word('left', 100, 120), word('right', 180, 120), word('one', 100, 140), word('two', 180, 160)]);
  const rows = [0, 1, 1, 2, 3];
  const columns = [[0, 1], [0], [1], [0], [1]];
  const scores = new MadeScores(nodes, () => 'cell', (relation, a, b) => relation === 'table' || relation === 'row' && rows[a] === rows[b] || relation === 'column' && columns[a]!.some((column) => columns[b]!.includes(column)), (node) => [false, node === 0]);
  const [{ grid }] = decodePage(page, nodes, 10, scores) as [DecodedBlock];
  t.same(grid?.cells.map(({ row, column, rowSpan, columnSpan, nodes: own }) => [row, column, rowSpan, columnSpan, own]), [[0, 0, 1, 2, [0]], [1, 0, 1, 1, [1]], [1, 1, 1, 1, [2]], [2, 0, 1, 1, [3]], [3, 1, 1, 1, [4]]]);
  t.same([grid?.rowCount, grid?.columnCount], [4, 2]);
  t.end();
});

t.test('a drawn line between two cells is never joined over', (t) => {
  const words = [word('above', 100, 100), word('below', 100, 120)];
  const ruling = { orientation: 'horizontal' as const, position: 114.5, start: 90, end: 200, thickness: 1 };
  const all = (relation: Relation): boolean => relation !== 'next' && relation !== 'caption';
  const cellsWith = (rulings: NodePage['rulings']): number => {
    const { page, nodes } = pageOf(words, rulings);
    return decodePage(page, nodes, 10, new MadeScores(nodes, () => 'cell', all))[0]!.grid!.cells.length;
  };
  t.equal(cellsWith([]), 1, 'one cell by all scores');
  t.equal(cellsWith([ruling]), 2);
  t.equal(cellsWith([{ ...ruling, end: 95 }]), 1, 'it does not reach them');
  const beside = [word('left', 100, 100), word('right', 130, 100)];
  const { page, nodes } = pageOf(beside, [{ orientation: 'vertical', position: 125, start: 90, end: 120, thickness: 1 }]);
  t.equal(decodePage(page, nodes, 10, new MadeScores(nodes, () => 'cell', all))[0]!.grid!.cells.length, 2, 'side by side');
  t.end();
});

t.test('paragraphs are clusters, and follow each other by the scores', (t) => {
  const { page, nodes } = pageOf([word('first', 100, 100), word('line', 100, 112), word('second', 300, 100), word('caption', 300, 130)]);
  const block = [0, 0, 1, 2];
  const follows = new Map([[2, 0], [0, 1], [1, 3]]);
  const scores = new MadeScores(nodes, (node) => (node === 3 ? 'heading' : 'text'), (relation, a, b) => (relation === 'next' ? follows.get(a) === b : relation === 'block' && block[a] === block[b]));
  t.same(decodePage(page, nodes, 10, scores).map(({ cls, nodes: own }) => [cls, own]), [['text', [2]], ['text', [0, 1]], ['heading', [3]]]);
  t.end();
});

t.test('clusters: sums decide, and what is forbidden is never joined', (t) => {
  t.same([...correlationClusters(4, [{ a: 0, b: 1, weight: 2 }, { a: 1, b: 2, weight: 3 }, { a: 0, b: 2, weight: -4 }, { a: 2, b: 3, weight: 1 }])], [0, 1, 1, 1], 'the pair of the largest weight first, then what still gains');
  t.same([...correlationClusters(3, [{ a: 0, b: 1, weight: 8 }, { a: 1, b: 2, weight: 8 }, { a: 0, b: 2, weight: -Infinity }])], [0, 0, 2]);
  t.same([...correlationClusters(0, [])], []);
  t.end();
});

t.test('a path is a permutation without circles; a chain that nothing leads to is set behind what it fits best', (t) => {
  const step = (from: number, to: number, weight = 1) => ({ from, to, weight });
  t.same(heaviestPath(3, [step(0, 1), step(1, 2), step(2, 0)], () => 0, (item) => item), [0, 1, 2]);
  t.same(heaviestPath(3, [step(2, 0, 5), step(0, 1, 4), step(1, 2, 3)], () => 0, (item) => item), [2, 0, 1]);
  t.same(heaviestPath(4, [step(0, 1), step(1, 2)], (from, to) => (from === 0 && to === 3 ? 9 : -9), (item) => item), [0, 3, 1, 2], 'between 0 and 1');
  t.same(heaviestPath(0, [], () => 0, (item) => item), []);
  t.end();
});

t.test('cells that claim one place: joined, or set apart by a drawn line', (t) => {
  const claim = (row: number, column: number, node: number, rowSpan = 1, columnSpan = 1) => ({ row, column, rowSpan, columnSpan, nodes: [node] });
  const places = (grid: ReturnType<typeof settleCells>) => grid.cells.map(({ row, column, rowSpan, columnSpan, nodes }) => [row, column, rowSpan, columnSpan, ...nodes]);
  const never = (): boolean => false;
  t.same(places(settleCells([claim(0, 0, 0), claim(0, 0, 1)], 1, 1, never, never)), [[0, 0, 1, 1, 0, 1]]);
  t.same(places(settleCells([claim(0, 0, 0), claim(0, 0, 1)], 1, 1, () => true, never)), [[0, 0, 1, 1, 0], [1, 0, 1, 1, 1]]);
  t.same(places(settleCells([claim(0, 0, 0), claim(0, 0, 1)], 1, 1, never, () => true)), [[0, 0, 1, 1, 0], [0, 1, 1, 1, 1]]);
  t.same(places(settleCells([claim(0, 0, 0, 1, 3), claim(0, 1, 1)], 1, 3, never, never)), [[0, 0, 1, 1, 0], [0, 1, 1, 1, 1]], 'a span gives up what others have');
  t.same(places(settleCells([claim(0, 0, 0), claim(3, 2, 1)], 4, 3, never, never)), [[0, 0, 1, 1, 0], [1, 1, 1, 1, 1]], 'empty rows and columns leave');
  t.same([bestRun([-1, 2, -1, 3, -5]), bestRun([-3, -1, -2])], [[1, 3], [1, 1]]);
  t.end();
});

t.test('scores: slots of neighbours before products of vectors, both directions', (t) => {
  const output = new Float32Array(3 * outputWidth);
  const neighbours = new Int32Array(3 * neighbourSlots).fill(-1);
  neighbours[0] = 1;
  // Node 0, slot 0, relation 0.
  output[46] = 3;
  // The vectors of relation 0: from node 0, to node 2, and back.
  output[190] = 2;
  output[2 * outputWidth + 286] = 4;
  const scores = new NetworkScores(output, neighbours);
  t.equal(scores.directed('block', 0, 1), 3);
  t.equal(scores.mutual('block', 1, 0), 3, 'the slot that exists');
  t.equal(scores.directed('block', 0, 2), 8);
  t.equal(scores.mutual('block', 0, 2), 4, 'the mean of 8 and 0');
  t.equal(scores.classes(0)[0], -Infinity, 'unknown is never trained');
  t.throws(() => new NetworkScores(output, new Int32Array(5)));
  t.end();
});
