/** Pipe tables as tabulate makes them, and tables without overlap from cells that do. */
import t from 'tap';
import { pipeTable } from '../../src/document/pipe-table.js';
import { gridOf, placeCells } from '../../src/document/table-grid.js';
import { growthOf } from '../support/growth.js';

// What Python's tabulate printed for these rows (format github, numbers kept as text, columns aligned by its own types).
t.test('columns are padded and aligned as by tabulate', (t) => {
  t.equal(pipeTable([['Name', 'Count'], ['b_c d', '10'], ['x', '9.5']], false), [
    '| Name   |   Count |', '|--------|---------|', '| b_c d  |      10 |', '| x      |     9.5 |',
  ].join('\n'));
  t.equal(pipeTable([['A', '']], false), '| A   |    |\n|-----|----|', 'a header alone');
  t.equal(pipeTable([['Ａ漢', ''], ['', ''], ['  x ', ' y\u00a0']], false), [
    '| Ａ漢   |    |', '|------|----|', '|      |    |', '| x    | y  |',
  ].join('\n'), 'wide characters count as one, body cells are trimmed');
  t.equal(pipeTable([['  spaced  '], ['1']], false), '|     spaced   |\n|--------------|\n|            1 |', 'headers keep their spaces');
  t.equal(pipeTable([['h'], ['😀😀😀😀']], false), '| h    |\n|------|\n| 😀😀😀😀 |', 'code points are counted');
  t.equal(pipeTable([], false), '');
  t.equal(pipeTable([[], []], false), '');
  t.end();
});

t.test('what counts as a number', (t) => {
  const right = (...cells: string[]): boolean => pipeTable([['h'], ...cells.map((cell) => [cell])], false).startsWith('|   ');
  const numbers = ['1', '-2', '+3', '4.5', '.5', '5.', '1e5', '1E-3', '1_000', '1,000', '12,345.6', '+1,000.5', '7 ', ' 7', 'inf', '-inf', 'nan', 'NaN', '٣', '0009'];
  for (const number of numbers) t.ok(right(number), number);
  const texts = ['a', '5%', '$5', '-', '1,0000', '1__0', '_1', '0x10', '1e400', 'infinity', '+inf', '1.2.3', '1e', '−5', '12,', '1d', '1,000 ', ' nan', '  ', '.', '1 2'];
  for (const text of texts) t.notOk(right(text), JSON.stringify(text));
  t.ok(right('1', '', 'True', '2.5'), 'empty cells and booleans among numbers');
  t.notOk(right('True', 'False', ''), 'booleans alone');
  t.notOk(right('1', 'x'), 'one word is enough');
  t.end();
});

t.test('long tables take linear time, wide ones no memory', (t) => {
  const tableOf = (rows: number): string => pipeTable(Array.from({ length: rows }, (_, row) => Array.from({ length: 8 }, (_, column) => `${row * column}`)), false);
  t.equal(tableOf(20_000).split('\n').length, 20_001);
  const growth = growthOf(tableOf, 5_000);
  t.ok(growth < 12, `four times the rows take ${growth.toFixed(1)} times as long`);
  const wide = pipeTable([['h', 'i'], ['x'.repeat(1_000_000), 'y'], ...Array.from({ length: 10_000 }, () => ['a', 'b'])], false);
  t.ok(wide.length < 2_000_000, 'a cell of a million letters does not pad ten thousand others');
  t.match(wide, '| h | i |\n| - | - |\n| xxx');
  t.end();
});

t.test('cells that overlap, stick out or lie outside lose nothing', (t) => {
  const data = placeCells(2, 2, [
    { row: 0, column: 0, columnSpan: 9, rowSpan: 9, text: 'a' },
    { row: 0, column: 1, text: 'b' },
    { row: 3, column: 2, text: 'c' },
    { row: 1, column: 2, rowSpan: 5, columnSpan: 3, text: 'd' },
    { row: 2, column: 2, text: '' },
    { row: 3, column: 2, text: 'e' },
  ]);
  t.strictSame([data.num_rows, data.num_cols], [4, 3]);
  t.strictSame(data.table_cells.map((cell) => [cell.text, cell.row_span, cell.col_span]),
    [['a', 4, 1], ['b', 1, 1], ['c e', 1, 1], ['d', 1, 1], ['', 1, 1]]);
  const kept = placeCells(3, 3, [
    { row: 1, column: 1, text: 'x' }, { row: 0, column: 0, rowSpan: 2, columnSpan: 3, text: 'y' }, { row: 1, column: 0, rowSpan: 0, columnSpan: -1, text: 'z' },
  ]);
  t.strictSame(kept.table_cells.map((cell) => [cell.text, cell.row_span, cell.col_span]), [['x', 1, 1], ['y', 1, 3], ['z', 1, 1]]);
  t.strictSame(gridOf(kept).map((row) => row.map((cell) => cell?.text ?? '.').join('')), ['yyy', 'zx.', '...']);
  t.end();
});

t.test('one long cell in a long sheet does not make megabytes of blanks', (t) => {
  const rows = Array.from({ length: 4000 }, (_, row) => [`row ${row}`, `value ${row}`]);
  const plain = pipeTable([['a', 'b'], ...rows], false);
  t.match(plain, /^\| a {8,}\|/, 'a sheet of ordinary cells is padded');
  const wide = pipeTable([['a', 'b'], ['x'.repeat(4000), ''], ...rows], false);
  t.ok(wide.length < 150_000, `${wide.length} characters, where padding would make 16 million`);
  t.match(wide, '\n| row 7 | value 7 |\n');
  const ordinary = pipeTable([['a', 'b'], ...Array.from({ length: 10 }, () => rows).flat()], false);
  t.match([ordinary.length > 1_000_000, ordinary.slice(0, 9)], [true, '| a      '], 'also where it is long');
  t.end();
});
