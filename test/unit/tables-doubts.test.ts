import t from 'tap';
import type { FoundTable, TableCell } from '../../src/convert/page/found-table.js';
import { tablesByNetwork } from '../../src/convert/tables/network/find-cells.js';
import { doubtsOf } from '../../src/convert/decide/table-doubts.js';
import { PageMaker } from '../support/made-page.js';

/** A table of texts at columns 100 points apart; a line of a cell is 12 points high, rows follow each other by their highest cell. '' holds no words. */
function tableOf(rows: string[][], shift: (row: number, column: number) => number = () => 0): FoundTable {
  const cells: TableCell[] = [];
  let top = 100;
  for (const [row, texts] of rows.entries()) {
    for (const [column, text] of texts.entries()) {
      const made = new PageMaker();
      for (const [line, part] of text.split('\n').entries()) made.text(50 + 100 * column + shift(row, column), top + 12 * line, part);
      const box = { left: 50 + 100 * column, top: top - 10, right: 150 + 100 * column, bottom: top + 12 };
      cells.push({ row, column, rowSpan: 1, columnSpan: 1, columnHeader: row === 0, rowHeader: false, words: made.words, box });
    }
    top += 12 * Math.max(...texts.map((text) => text.split('\n').length)) + 6;
  }
  return { box: { left: 0, top: 0, right: 600, bottom: 800 }, rowCount: rows.length, columnCount: rows[0]?.length ?? 0, cells, evidence: 'unruled', confidence: 1 };
}

const head = ['Country', 'Rule', 'Year'];

t.test('a plain table leaves no doubt', async (t) => {
  t.equal(doubtsOf(tableOf([head, ['France', 'Approval is needed\nfor larger land', '1994'], ['Spain', '', '1995'], ['Italy', 'None', '12']])), 0);
});

t.test('each oddity is counted for the cells that hold words', async (t) => {
  t.equal(doubtsOf(tableOf([head, ['France', 'Approval is needed', '1994'], ['', 'for larger land', ''], ['Spain', 'None', '1995']])), 2 / 10, 'a text that goes on, in a row of its own');
  t.equal(doubtsOf(tableOf([['Country', 'Year'], ['April', '2022'], ['June', '2023']], (row, column) => (row === 1 && column === 1 ? -72 : 0))), 2 / 6, 'a text torn at a word space');
  t.equal(doubtsOf(tableOf([['Name', 'Parts', ''], ['a1', '', '5'], ['b1', '', '6']])), 3 / 6, 'columns of which no row has both, a head with nothing under it beside one without');
  t.equal(doubtsOf(tableOf([['Name', '', 'Parts'], ['a1', '4', '5'], ['b1', '7', '']])), 0, 'a head over something is in its place');
  t.equal(doubtsOf(tableOf([['No. Description', 'Price'], ['1  Rope', '2'], ['2  Net', '3']])), 0, 'a number a word space before its text is one with it');
  t.equal(doubtsOf(tableOf([head, ['France\nSpain', 'Yes\nNo', '1994\n1995']])), 2 / 6, 'two rows in one: lines side by side, and values above each other');
  const numbered = tableOf([['Item', 'Price'], ['1 Rope', '2'], ['2 Net', '3']]);
  for (const { words } of numbered.cells) for (const word of words.slice(1)) word.box = { ...word.box, left: word.box.left + 4, right: word.box.right + 4 };
  t.equal(doubtsOf(numbered), 2 / 6, 'numbers set apart from the text behind them');
  const spanning = tableOf([['Streets', 'Bridges'], ['3', '4'], ['5', '6']]);
  const apart = { ...spanning, cells: [{ ...spanning.cells[0]!, columnSpan: 2, words: spanning.cells.slice(0, 2).flatMap(({ words }) => words) }, ...spanning.cells.slice(2)] };
  t.equal(doubtsOf(apart), 3 / 5, 'two heads far apart in one cell over both columns');
  t.equal(doubtsOf({ ...tableOf([head]), cells: [] }), 1, 'nothing in it');
});

/** The cell at `row`, `column` of the table reaches over more; those that it covers go. */
function reaching(table: FoundTable, row: number, column: number, rowSpan: number, columnSpan: number): FoundTable {
  const isCovered = (cell: TableCell): boolean => (cell.row !== row || cell.column !== column) && cell.row >= row && cell.row < row + rowSpan && cell.column >= column && cell.column < column + columnSpan;
  return { ...table, cells: table.cells.filter((cell) => !isCovered(cell)).map((cell) => (cell.row === row && cell.column === column ? { ...cell, rowSpan, columnSpan } : cell)) };
}

/** The words of `from` go to the cell at `row`, `column`. */
function joining(table: FoundTable, row: number, column: number, from: [number, number][]): FoundTable {
  const moved = from.flatMap(([r, c]) => table.cells.find((cell) => cell.row === r && cell.column === c)!.words);
  return { ...table, cells: table.cells.map((cell) => (cell.row === row && cell.column === column ? { ...cell, words: [...cell.words, ...moved] } : from.some(([r, c]) => cell.row === r && cell.column === c) ? { ...cell, words: [] } : cell)) };
}

t.test('a number and its uncertainty are one value, however far the sign stands from them', async (t) => {
  const torn = [['Item', 'Value', '', ''], ['Rope', '4.2', '±', '0.3'], ['Net', '7.1', '±', '0.6']];
  const near = (_: number, column: number): number => (column === 2 ? -78 : column === 3 ? -168 : 0);
  t.equal(doubtsOf(tableOf(torn, near)), 8 / 10, 'four gaps, each twice');
  t.equal(doubtsOf(joining(joining(tableOf(torn, near), 1, 1, [[1, 2], [1, 3]]), 2, 1, [[2, 2], [2, 3]])), 3 / 6, 'two empty columns count, the gaps do not');
});

t.test('values and codes above each other in one cell are rows run together, and lines too far apart are', async (t) => {
  t.equal(doubtsOf(tableOf([head, ['France', 'Eq. 15\nXY-7 3\nD12', '1994'], ['Spain', 'None', '1995']])), 2 / 9, 'two lines too many');
  const labelled = tableOf([head, ['France', 'None', '1994'], ['Spain', 'None', '1995']]);
  t.equal(doubtsOf(reaching(joining(labelled, 1, 0, [[2, 0]]), 1, 0, 2, 1)), 1 / 8, 'France and Spain stand a row apart');
});

t.test('a label over rows stands in the middle of them, and no head reaches into the body', async (t) => {
  const rows = [head, ['', 'None', '1994'], ['France', 'None', '1995'], ['', 'None', '1996']];
  const label = tableOf([head, ['France', 'None', '1994'], ['', 'None', '1995'], ['', 'None', '1996']], () => 0);
  t.equal(doubtsOf(reaching(label, 1, 0, 3, 1)), 1 / 10);
  const middle = tableOf(rows);
  const moved = joining(middle, 1, 0, [[2, 0]]);
  t.equal(doubtsOf(reaching(moved, 1, 0, 3, 1)), 0);
  t.equal(doubtsOf(reaching(joining(tableOf([['Country', 'Rule'], ['', 'None'], ['Spain', 'None']]), 0, 0, []), 0, 0, 2, 1)), 0.5 / 5);
});

t.test('heads wrapped in two rows are one, nearer each other than the rows are; groups of columns reach over them', async (t) => {
  const wrapped = tableOf([['Land', 'Least', 'Most'], ['used', 'rule', 'rule'], ['France', '12', '14'], ['Spain', '15', '19']]);
  t.equal(doubtsOf(wrapped), 3 / 12, 'texts that go on, as in any rows');
  for (const cell of wrapped.cells) {
    cell.columnHeader = cell.row < 2;
    if (cell.row === 0) cell.words = cell.words.map((word) => ({ ...word, baseline: word.baseline + 6 }));
  }
  t.equal(doubtsOf(wrapped), 6 / 12);
  const grouped = tableOf([['', 'Groups of two', ''], ['Land', 'least', 'most'], ['France', '12', '14']], (row) => (row === 0 ? 60 : 0));
  t.equal(doubtsOf(grouped) - doubtsOf(reaching(grouped, 0, 1, 1, 2)), 2 / 7, 'over the next column, and alone in its row');
  for (const cell of grouped.cells) cell.columnHeader = cell.row < 2;
  t.equal(doubtsOf(grouped) - doubtsOf(reaching(grouped, 0, 1, 1, 2)), 3 / 7, 'a head beside a column that has its own in the second row only');
});

t.test('the reading with fewer doubts is taken, the first where both are as good', async (t) => {
  const page = new PageMaker().page();
  const torn = tableOf([head, ['France', 'Approval is needed', '1994'], ['', 'for larger land', ''], ['Spain', 'None', '1995']]);
  const asked: number[] = [];
  const find = async (): Promise<null> => { asked.push(1); return null; };
  t.strictSame(await tablesByNetwork({ tables: [torn], doubtful: [] }, page, find, new AbortController().signal), [torn]);
  t.equal(asked.length, 1);
  const good = async (picture: { width: number; height: number }) => {
    const x = [0, 40, 80, picture.width];
    const y = [0, 8 + 9, 8 + 9 + 24, picture.height];
    const cells = [0, 1, 2].flatMap((row) => [0, 1, 2].map((column) => ({ row, column, rowSpan: 1, columnSpan: 1, header: row === 0, box: [x[column]!, y[row]!, x[column + 1]!, y[row]!, x[column + 1]!, y[row + 1]!, x[column]!, y[row + 1]!] })));
    return { rows: 3, columns: 3, score: 0.9, cells };
  };
  const [taken] = await tablesByNetwork({ tables: [torn], doubtful: [] }, page, good, new AbortController().signal);
  t.equal(taken?.rowCount, 3);
  t.equal(taken?.cells.find(({ row, column }) => row === 1 && column === 1)?.words.map(({ text }) => text).join(' '), 'Approval is needed for larger land');
  const plain = tableOf([head, ['France', 'None', '1994'], ['Spain', 'None', '1995']]);
  t.strictSame(await tablesByNetwork({ tables: [plain], doubtful: [] }, page, good, new AbortController().signal), [plain]);
});

t.test('lines of cells in rows of their own, nearer than rows with a first text are, are doubtful; rows of a group stand as far apart as others', (t) => {
  const wrapped = tableOf([head, ['France', 'Approval', '12'], ['', 'Needed', '13'], ['Spain', 'None', '14']]);
  t.equal(doubtsOf(wrapped), 0, 'a group');
  const raised: FoundTable = { ...wrapped, cells: wrapped.cells.map((cell) => (cell.row < 2 ? cell : { ...cell, words: cell.words.map((word) => ({ ...word, baseline: word.baseline - 6 })) })) };
  t.equal(doubtsOf(raised), 2 / 11);
  t.end();
});

t.test('a head beside columns without one, under the same head, is doubtful: it stands over them too', (t) => {
  const headed = tableOf([['Land', 'What was asked', '', ''], ['', 'least', '', 'most'], ['', 'all', 'some', 'few'], ['France', '12', '14', '16']]);
  const both = reaching(reaching(headed, 0, 1, 1, 3), 0, 0, 3, 1);
  for (const cell of both.cells) cell.columnHeader = cell.row < 3;
  t.equal(doubtsOf(both) - doubtsOf(reaching(both, 1, 1, 1, 2)), 2 / 11, 'the heads on both sides of it');
  t.end();
});

t.test('rows of which every cell has as many lines, three or more, are several in one; signs alone in a column are specks', (t) => {
  t.equal(doubtsOf(tableOf([['Land', 'Rule'], ['France\nde la\nSpain', 'None\nsome\nall']])), 3 / 4);
  t.equal(doubtsOf(tableOf([['Land', 'Rule'], ['France\nde la\nSpain', 'None\nsome']])), 0, 'other numbers of lines');
  t.equal(doubtsOf(tableOf([['Land', 'Rule'], ['France\nde la', 'None\nsome']])), 0, 'two lines');
  const specked = [head, ['France', 'None', '1994'], ['Spain', 'None', '1995'], ['Italy', 'None', '1996'], ['Malta', 'None', '1997']].map((row, at) => [...row, at === 2 ? "'" : '']);
  t.equal(doubtsOf(tableOf(specked)) - doubtsOf(tableOf(specked.map((row) => row.map((text) => (text === "'" ? 'x' : text))))), 2 / 16);
  t.end();
});
