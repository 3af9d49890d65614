/** GriTS on grids whose value is known from its definition. */
import t from 'tap';
import { gritsOf, type GritsTable } from '../../bench/grits.js';

const table = (rows: string[][], spans: Record<string, [number, number]> = {}): GritsTable => ({
  rows: rows.length, columns: rows[0]?.length ?? 0,
  cells: rows.flatMap((row, r) => row.flatMap((text, c) => {
    const [rowSpan, columnSpan] = spans[`${r} ${c}`] ?? [1, 1];
    return text === '^' ? [] : [{ row: r, column: c, rowSpan, columnSpan, text }];
  })),
});
const near = (t: { ok(value: unknown, message: string): unknown }, value: number, wanted: number, what: string): unknown => t.ok(Math.abs(value - wanted) < 1e-9, `${what}: ${value}`);
type Wanted = [string, GritsTable, GritsTable, number, number];

const square = table([['a', 'b'], ['c', 'd']]);
const cases: Wanted[] = [
  ['equal tables', square, square, 1, 1],
  ['a row is missing: 2 * 2 of 4 + 2 places', square, table([['a', 'b']]), 4 / 6, 4 / 6],
  ['a column is missing', square, table([['a'], ['c']]), 4 / 6, 4 / 6],
  ['one cell has other text', square, table([['a', 'b'], ['c', 'x']]), 1, 6 / 8],
  ['half of the letters of one cell', table([['abcd']]), table([['ab']]), 1, (2 * 2) / 6],
  ['nothing in common', table([['a']]), table([['b']]), 1, 0],
  ['a title over both columns, and two cells instead: each place of it overlaps a single one by a half', table([['t', '^'], ['c', 'd']], { '0 0': [1, 2] }), table([['t', 't'], ['c', 'd']]), (2 * (0.5 + 0.5 + 1 + 1)) / 8, 1],
  ['an empty table and one with a cell', { rows: 0, columns: 0, cells: [] }, table([['a']]), 0, 0],
  ['two empty tables', { rows: 0, columns: 0, cells: [] }, { rows: 0, columns: 0, cells: [] }, 1, 1],
];

t.test('GriTS of hand-made grids', (t) => {
  for (const [what, truth, found, topology, content] of cases) {
    const marks = gritsOf(truth, found);
    near(t, marks.topology, topology, `${what}, topology`);
    near(t, marks.content, content, `${what}, content`);
    t.same(gritsOf(found, truth), marks, 'either way round');
  }
  t.end();
});
