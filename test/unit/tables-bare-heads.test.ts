import t from 'tap';
import type { FoundTable, TableCell } from '../../src/convert/page/found-table.js';
import { withBareColumns } from '../../src/convert/tables/network/bare-headers.js';
import { PageMaker } from '../support/made-page.js';

interface Line {
  x: number;
  baseline: number;
  text: string;
}

/** Cells as [row, column, their lines]; the first row is the head. Sizes are 10 points, letters 5 wide. */
function tableOf(columnCount: number, filled: [number, number, Line[], number?][]): FoundTable {
  const rowCount = Math.max(...filled.map(([row]) => row)) + 1;
  const cells: TableCell[] = [];
  for (let row = 0; row < rowCount; row++) {
    for (let column = 0; column < columnCount; column++) {
      if (filled.some(([r, c, , span = 1]) => r === row && c < column && column < c + span)) continue;
      const [, , lines = [], columnSpan = 1] = filled.find(([r, c]) => r === row && c === column) ?? [row, column];
      const page = new PageMaker();
      for (const { x, baseline, text } of lines) page.text(x, baseline, text);
      cells.push({ row, column, rowSpan: 1, columnSpan, columnHeader: row === 0, rowHeader: false, words: page.page().words, box: { left: 40 + 100 * column, right: 140 + 100 * column, top: 90 + 14 * row, bottom: 104 + 14 * row } });
    }
  }
  return { box: { left: 40, top: 90, right: 500, bottom: 200 }, rowCount, columnCount, evidence: 'unruled', confidence: 0.9, cells };
}

const textsOf = ({ cells, rowCount }: FoundTable): string[] => Array.from({ length: rowCount }, (_, row) => cells.filter((cell) => cell.row === row).map(({ words, columnSpan }) => words.map(({ text }) => text).join(' ') + '>'.repeat(columnSpan - 1)).join(' | '));

const body: [number, number, Line[]][] = [
  [1, 0, [{ x: 50, baseline: 130, text: 'France' }]], [1, 1, [{ x: 150, baseline: 130, text: 'None at all' }]],
  [2, 0, [{ x: 50, baseline: 144, text: 'Spain' }]], [2, 1, [{ x: 150, baseline: 144, text: 'None' }]],
];

t.test('a head far beside its column gets a column of its own, after it or before it', async (t) => {
  const after = withBareColumns(tableOf(2, [[0, 0, [{ x: 50, baseline: 100, text: 'Land' }]], [0, 1, [{ x: 150, baseline: 100, text: 'Rule' }, { x: 230, baseline: 100, text: 'Notes on it' }]], ...body]));
  t.strictSame(textsOf(after), ['Land | Rule | Notes on it', 'France | None at all | ', 'Spain | None | ']);
  t.equal(after.columnCount, 3);
  t.strictSame(after.cells.map(({ row, column }) => [row, column]), [0, 1, 2].flatMap((row) => [0, 1, 2].map((column) => [row, column])));
  t.strictSame(after.cells.filter(({ columnHeader }) => columnHeader).map(({ row }) => row), [0, 0, 0]);
  const before = withBareColumns(tableOf(2, [[0, 0, [{ x: 50, baseline: 100, text: 'Land' }]], [0, 1, [{ x: 90, baseline: 100, text: 'No.' }, { x: 150, baseline: 100, text: 'Rule' }]], ...body]));
  t.strictSame(textsOf(before), ['Land | No. | Rule', 'France |  | None at all', 'Spain |  | None']);
});

t.test('heads nearer by are two where their lines do not stand level', async (t) => {
  const heads = (baseline: number): [number, number, Line[]][] => [[0, 0, [{ x: 50, baseline: 100, text: 'Land' }]], [0, 1, [{ x: 160, baseline: 100, text: 'Rule' }, { x: 212, baseline, text: 'Report' }, { x: 212, baseline: baseline + 10, text: 'wanted' }]]];
  t.strictSame(textsOf(withBareColumns(tableOf(2, [...heads(95), ...body])))[0], 'Land | Rule | Report wanted');
  t.equal(withBareColumns(tableOf(2, [...heads(100), ...body])).columnCount, 3, 'the second of its lines stands between');
  t.equal(withBareColumns(tableOf(2, [[0, 0, []], [0, 1, [{ x: 160, baseline: 100, text: 'Rule' }, { x: 190, baseline: 100, text: 'Report' }]], ...body])).columnCount, 2, 'one head');
});

t.test('a head over the text of its column stays whole, and one over several columns is over the new one too', async (t) => {
  const wide: [number, number, Line[]] = [1, 1, [{ x: 150, baseline: 130, text: 'None at all of what there might be' }]];
  const head: [number, number, Line[]] = [0, 1, [{ x: 150, baseline: 100, text: 'Rule' }, { x: 230, baseline: 100, text: 'Notes' }]];
  t.equal(withBareColumns(tableOf(2, [head, [1, 0, [{ x: 50, baseline: 130, text: 'France' }]], wide])).columnCount, 2);
  const section: [number, number, Line[], number] = [3, 0, [{ x: 50, baseline: 160, text: 'Others' }], 2];
  t.strictSame(textsOf(withBareColumns(tableOf(2, [head, ...body, section])))[3], 'Others>>');
  const numbered: [number, number, Line[]] = [0, 0, [{ x: 10, baseline: 100, text: 'No.' }, { x: 50, baseline: 100, text: 'Land' }]];
  t.strictSame(textsOf(withBareColumns(tableOf(2, [numbered, ...body, section]))), ['No. | Land | ', ' | France | None at all', ' | Spain | None', 'Others>>']);
  t.equal(withBareColumns(tableOf(2, [head])).columnCount, 2, 'nothing under it');
});

t.test('a head beside the column that it is over comes back over it; columns that both have something stay', async (t) => {
  const heads: [number, number, Line[]][] = [[0, 0, [{ x: 50, baseline: 100, text: 'Land' }]], [0, 1, [{ x: 150, baseline: 100, text: 'Number of them' }]]];
  const values = (column: number): [number, number, Line[]][] => [1, 2].flatMap((row): [number, number, Line[]][] => [[row, 0, [{ x: 50, baseline: 116 + 14 * row, text: 'France' }]], [row, column, [{ x: 240, baseline: 116 + 14 * row, text: `${row}7` }]]]);
  const found = withBareColumns(tableOf(3, [...heads, ...values(2)]));
  t.strictSame(textsOf(found), ['Land | Number of them', 'France | 17', 'France | 27']);
  t.strictSame(found.cells.map(({ column, columnSpan }) => [column, columnSpan]), [0, 1, 2].flatMap(() => [[0, 1], [1, 1]]));
  t.equal(found.cells[3]?.box.right, 340, 'as wide as both');
  const grouped: [number, number, Line[], number] = [3, 1, [{ x: 150, baseline: 160, text: 'none of them known' }], 2];
  t.strictSame(textsOf(withBareColumns(tableOf(3, [...heads, ...values(2), grouped])))[0], 'Land | Number of them | ', 'something stands under the head, over both');
  t.equal(withBareColumns(tableOf(3, [...heads, [0, 2, [{ x: 250, baseline: 100, text: 'Year' }]], ...values(2)])).columnCount, 3);
});

/** How often each place of the grid is covered. */
function covered({ cells, rowCount, columnCount }: FoundTable): number[] {
  const counts = new Array<number>(rowCount * columnCount).fill(0);
  for (const { row, column, rowSpan, columnSpan } of cells) for (let r = row; r < row + rowSpan; r++) for (let c = column; c < column + columnSpan; c++) counts[r * columnCount + c]!++;
  return counts;
}

t.test('cells over several rows keep them where columns are joined; each place is in one cell', async (t) => {
  const over = (headColumn: number): FoundTable => {
    const whole = tableOf(3, [[0, 0, [{ x: 50, baseline: 100, text: 'Land' }]], [0, headColumn, [{ x: 150, baseline: 100, text: 'Number of them' }]], ...[1, 2, 3].flatMap((row): [number, number, Line[]][] => [
      [row, 0, [{ x: 50, baseline: 116 + 14 * row, text: 'France' }]], ...(row === 2 ? [] : [[row, 3 - headColumn, [{ x: 240, baseline: 116 + 14 * row, text: `${row}7` }]] as [number, number, Line[]]]),
    ])]);
    return { ...whole, cells: whole.cells.filter((cell) => cell.row !== 2 || cell.column !== 3 - headColumn).map((cell) => (cell.row === 1 && cell.column === 3 - headColumn ? { ...cell, rowSpan: 2 } : cell)) };
  };
  for (const headColumn of [1, 2]) {
    t.strictSame(covered(over(headColumn)), new Array(12).fill(1), 'before');
    const joined = withBareColumns(over(headColumn));
    t.strictSame(textsOf(joined), ['Land | Number of them', 'France | 17', 'France', 'France | 37']);
    t.strictSame(covered(joined), new Array(8).fill(1));
    t.equal(joined.cells.find(({ row, column }) => row === 1 && column === 1)?.rowSpan, 2);
  }
});
