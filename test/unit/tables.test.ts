import t from 'tap';
import { findTables, tableWords } from '../../src/convert/tables/index.js';
import type { FoundTable } from '../../src/convert/page/found-table.js';
import type { PageContent, StructureNode } from '../../src/pdf/pdf-page.js';
import { PageMaker, turnedPage } from '../support/made-page.js';

const find = (page: PageContent): FoundTable[] => findTables(page, { doTableStructure: true });

/** Cell texts by row; a cell that spans stands once, the places it covers are marked. */
function grid(table: FoundTable | undefined): string[][] {
  if (table === undefined) return [];
  const rows = Array.from({ length: table.rowCount }, () => new Array<string>(table.columnCount).fill('?'));
  for (const cell of table.cells) {
    for (let row = cell.row; row < cell.row + cell.rowSpan; row++) {
      for (let column = cell.column; column < cell.column + cell.columnSpan; column++) {
        rows[row]![column] = row === cell.row && column === cell.column ? cell.words.map((word) => word.text).join(' ') : row === cell.row ? '<' : '^';
      }
    }
  }
  return rows;
}

const prose =
  'the committee met on several occasions during the year and heard from many witnesses who spoke about the state of the roads and bridges in the county and about what it would cost to repair them before another winter came and made matters worse than they already were at the time of writing';

/** Header and rows of a table of numbers without any line, at `left`. */
function numbers(made: PageMaker, left: number, top: number, rows = 5, size = 10): void {
  const right = { size, align: 'right' } as const;
  const columns = [left, left + 180, left + 250, left + 320];
  made.row(top, columns, ['Region', 'Sales', 'Costs', 'Share'], [{ size }, right, right, right]);
  for (let row = 0; row < rows; row++) {
    made.row(top + (row + 1) * 1.4 * size, columns, [`District ${'north south east west'.split(' ')[row % 4]}`, `${1250 + row * 317}`, `${980 + row * 21}`, `${(row + 1) * 7}%`], [{ size }, right, right, right]);
  }
}

t.test('a ruled grid: cells, and spans where lines are missing', async (t) => {
  const made = new PageMaker();
  for (const y of [100, 120, 140, 160]) made.horizontal(y, y === 140 ? 150 : 50, 350);
  for (const x of [50, 150, 250, 350]) made.vertical(x, x === 250 ? 120 : 100, 160);
  made.row(113, [55, 155], ['Name', 'Amounts of both years']);
  made.row(133, [55, 155, 255], ['Both rows', '10', '20']);
  made.row(153, [155, 255], ['11', '21']);
  const [table, ...others] = find(made.page());
  t.equal(others.length, 0);
  t.equal(table?.evidence, 'ruled');
  t.strictSame(grid(table), [['Name', 'Amounts of both years', '<'], ['Both rows', '10', '20'], ['^', '11', '21']]);
});

/** Three columns of a head and four rows, all boxed; the last column is ruled after every second row alone. */
function remarks(uprights = [50, 150, 220, 400], short = 220): PageMaker {
  const made = new PageMaker();
  for (const [row, y] of [100, 118, 138, 158, 178, 198].entries()) made.horizontal(y, 50, row === 2 || row === 4 ? short : 400);
  for (const x of uprights) made.vertical(x, 100, 198);
  made.row(112, [55, 155, 225], ['Region', '2019', 'Remarks']);
  for (const [row, region] of ['North', 'South', 'East', 'West'].entries()) made.row(131 + 20 * row, [55, 155], [region, `${row + 1}`]);
  return made;
}

t.test('a ruled grid: the text of a cell that spans rows may have several lines', async (t) => {
  const made = remarks();
  for (const [line, text] of ['The first two were', 'counted in May', 'and in June'].entries()) made.text(225, 130 + 12 * line, text);
  made.text(225, 170, 'The others later');
  t.strictSame(grid(find(made.page())[0]), [['Region', '2019', 'Remarks'], ['North', '1', 'The first two were counted in May and in June'], ['South', '2', '^'], ['East', '3', 'The others later'], ['West', '4', '^']]);
});

t.test('a rule that is missing joins no values, and rows only in a bare box at which it ends', async (t) => {
  const values = remarks();
  for (const row of [0, 1, 2, 3]) values.text(225, 131 + 20 * row, `${row * 7 + 12}`);
  t.strictSame(grid(find(values.page())[0]).map((row) => row[2]), ['Remarks', '12', '19', '26', '33']);
  const stub = remarks();
  for (const y of [138, 178]) stub.horizontal(y, 350, 400);
  for (const made of [remarks([50, 150, 220]), remarks(undefined, 190), stub]) {
    for (const [row, text] of ['counted', 'guessed', 'counted', 'asked'].entries()) made.text(225, 131 + 20 * row, text);
    t.strictSame(grid(find(made.page())[0]).map((row) => row[2]), ['Remarks', 'counted', 'guessed', 'counted', 'asked']);
  }
});

t.test('a ruled grid: wrapped cells stay whole, empty cells stay', async (t) => {
  const made = new PageMaker();
  for (const y of [100, 120, 160, 200]) made.horizontal(y, 50, 450);
  for (const x of [50, 150, 300, 450]) made.vertical(x, 100, 200);
  made.row(113, [55, 155, 305], ['Kind', 'Meaning', 'Note']);
  made.paragraph(155, 132, 140, 'words that do not fit into one line of this cell');
  made.text(55, 132, 'First');
  made.text(55, 172, 'Second');
  made.text(305, 172, 'none');
  t.strictSame(grid(find(made.page())[0]), [['Kind', 'Meaning', 'Note'], ['First', 'words that do not fit into one line of this cell', ''], ['Second', '', 'none']]);
});

t.test('words tight against an upright line belong to its two sides', async (t) => {
  const made = new PageMaker();
  for (const y of [100, 114, 128]) made.horizontal(y, 50, 150);
  for (const x of [50, 100, 150]) made.vertical(x, 100, 128);
  made.row(110, [77, 101], ['left', 'right']);
  made.row(124, [82, 101], ['one', 'two']);
  t.strictSame(grid(find(made.page())[0]), [['left', 'right'], ['one', 'two']]);
});

t.test('booktabs: rules above, below and under the header; a short rule under a group header', async (t) => {
  const made = new PageMaker();
  const columns = [60, 200, 260, 320, 380];
  for (const y of [100, 132, 190]) made.horizontal(y, 55, 420);
  made.horizontal(116, 195, 290);
  made.horizontal(116, 315, 410);
  made.text(245, 112, 'Before', { align: 'center' });
  made.text(365, 112, 'After', { align: 'center' });
  made.row(128, columns, ['Method', 'mean', 'best', 'mean', 'best']);
  for (const [row, name] of ['Plain', 'Tuned', 'Both'].entries()) made.row(147 + row * 14, columns, [name, '1.5', '2.25', `${row}.75`, '4.5']);
  const [table] = find(made.page());
  t.equal(table?.evidence, 'partly-ruled');
  t.strictSame(grid(table).slice(0, 3), [['Method', 'Before', '<', 'After', '<'], ['^', 'mean', 'best', 'mean', 'best'], ['Plain', '1.5', '2.25', '0.75', '4.5']]);
  t.equal(table?.rowCount, 5);
  t.strictSame([...new Set(table?.cells.filter((cell) => cell.columnHeader).map((cell) => cell.row))], [0, 1]);
  t.ok(table?.cells.filter((cell) => cell.row > 1 && cell.column === 0).every((cell) => cell.rowHeader));
});

t.test('stripes and a dark header give rows, the unshaded ones too', async (t) => {
  const made = new PageMaker();
  const columns = [60, 180, 300];
  made.shade(50, 98, 400, 116, 0x224466);
  for (const row of [1, 3]) made.shade(50, 98 + row * 18, 400, 116 + row * 18);
  made.row(110, columns, ['Town', 'Mayor', 'Since'], { color: 0xffffff, bold: true });
  for (const [row, town] of ['Aachen', 'Bonn', 'Celle', 'Dresden'].entries()) made.row(128 + row * 18, columns, [town, 'someone else', `${1990 + row}`]);
  const [table] = find(made.page());
  t.equal(table?.rowCount, 5);
  t.strictSame(grid(table)[4], ['Dresden', 'someone else', '1993']);
  t.strictSame([...new Set(table?.cells.filter((cell) => cell.columnHeader).map((cell) => cell.row))], [0]);
});

t.test('rules painted cell by cell keep a column that is empty but for its header', async (t) => {
  const made = new PageMaker();
  for (const y of [100, 118, 172]) made.horizontal(y, 50, 250, [110]);
  made.row(112, [55, 115], ['Added', 'What was seen in the glass']);
  for (const [row, text] of ['salt', 'sugar', 'sand'].entries()) made.text(55, 132 + row * 16, text);
  t.strictSame(grid(find(made.page())[0]), [['Added', 'What was seen in the glass'], ['salt', ''], ['sugar', ''], ['sand', '']]);
});

t.test('only white: columns by alignment; caption, note and prose around stay outside', async (t) => {
  const made = new PageMaker();
  const end = made.paragraph(60, 80, 460, `${prose} ${prose}`);
  made.text(60, end + 14, 'Table 3: Sales and costs by region');
  numbers(made, 70, end + 34);
  made.text(60, end + 134, 'Source: own figures of the office for the year before.', { size: 8 });
  made.paragraph(60, end + 160, 460, prose);
  const [table, ...others] = find(made.page());
  t.equal(others.length, 0);
  t.equal(table?.evidence, 'unruled');
  t.strictSame(grid(table).slice(0, 2), [['Region', 'Sales', 'Costs', 'Share'], ['District north', '1250', '980', '7%']]);
  t.equal(table?.rowCount, 6);
});

t.test('a table in one column of a page leaves the text beside it alone', async (t) => {
  const made = new PageMaker();
  made.paragraph(40, 80, 240, `${prose} ${prose} ${prose}`);
  made.paragraph(310, 80, 240, prose);
  const columns = [315, 430, 490, 545];
  const right = { align: 'right' } as const;
  for (let row = 0; row < 6; row++) made.row(200 + 13 * row, columns, [row === 0 ? 'Year' : `${2000 + row}`, row === 0 ? 'In' : `${row * 13}`, row === 0 ? 'Out' : `${row * 17}`, row === 0 ? 'Rest' : `${row * 3}`], [{}, right, right, right]);
  const tables = find(made.page());
  t.equal(tables.length, 1);
  t.equal(tables[0]?.columnCount, 4);
  t.ok((tables[0]?.box.left ?? 0) > 300);
});

t.test('cells of several lines: rows told by distance, text centred against its row', async (t) => {
  const made = new PageMaker();
  made.row(100, [50, 150, 330], ['Step', 'What happens', 'What for']);
  const texts = ['the request is read and every field of it is checked against the list of known ones', 'the work is put in a line and waits until one of the workers is free to take it', 'the answer is written down and kept until somebody comes and asks for it again'];
  for (const [row, text] of texts.entries()) {
    made.paragraph(150, 124 + row * 60, 150, text);
    made.text(50, 136 + row * 60, `Step ${row + 1}`);
    made.paragraph(330, 130 + row * 60, 150, 'so that nothing of it gets lost on the way');
  }
  const [table] = find(made.page());
  t.equal(table?.rowCount, 4);
  t.strictSame(grid(table)[2], ['Step 2', texts[1], 'so that nothing of it gets lost on the way']);
});

t.test('labels of two lines with the values on the second', async (t) => {
  const made = new PageMaker();
  const right = { align: 'right' } as const;
  made.horizontal(88, 50, 420);
  made.horizontal(106, 50, 420);
  made.row(100, [55, 320, 410], ['EUR million', '2025', '2024'], [{}, right, right]);
  const labels = [['Cash and short deposits'], ['Claims on customers and', 'on other banks'], ['Goods'], ['Taxes paid before they', 'were due to be'], ['Sum']];
  let y = 120;
  for (const [index, lines] of labels.entries()) {
    for (const [at, line] of lines.entries()) {
      made.text(55, y, line);
      if (at === lines.length - 1) made.row(y, [0, 320, 410], ['', `${(index + 1) * 1234}`, `(${(index + 1) * 111})`], [{}, right, right]);
      y += 12;
    }
  }
  made.horizontal(y - 8, 50, 420);
  const [table] = find(made.page());
  t.strictSame(grid(table).map((row) => row[0]), ['EUR million', 'Cash and short deposits', 'Claims on customers and on other banks', 'Goods', 'Taxes paid before they were due to be', 'Sum']);
  t.strictSame(grid(table)[2], ['Claims on customers and on other banks', '2468', '(222)']);
});

t.test('currency signs set apart stay with their number', async (t) => {
  const made = new PageMaker();
  const right = { align: 'right' } as const;
  for (let row = 0; row < 5; row++) {
    made.text(60, 100 + row * 14, `Item number ${row}`);
    for (const x of [220, 320]) {
      made.text(x, 100 + row * 14, '$');
      made.text(x + 60, 100 + row * 14, `${(row + 1) * 1000 + x}`, right);
    }
  }
  const [table] = find(made.page());
  t.equal(table?.columnCount, 3);
  t.strictSame(grid(table)[1], ['Item number 1', '$ 2220', '$ 2320']);
});

t.test('text written upwards reads as the same table', async (t) => {
  const made = new PageMaker();
  numbers(made, 70, 120, 6);
  for (const y of [108, 125, 215]) made.horizontal(y, 65, 400);
  const upright = grid(find(made.page())[0]);
  const turned = find(turnedPage(made.page()));
  t.equal(upright.length, 7);
  t.strictSame(grid(turned[0]), upright);
  t.ok((turned[0]?.box.right ?? 0) <= 220 && (turned[0]?.box.top ?? 0) > 190, 'the box is on the seen page');
});

t.test('no word is in two cells, and no table is found when tables are not asked for', async (t) => {
  const made = new PageMaker();
  numbers(made, 60, 100, 8);
  for (const y of [300, 320, 340]) made.horizontal(y, 50, 300);
  for (const x of [50, 175, 300]) made.vertical(x, 300, 340);
  made.row(314, [55, 180], ['one', 'two']);
  made.row(334, [55, 180], ['three', 'four']);
  const page = made.page();
  const tables = find(page);
  t.equal(tables.length, 2);
  const words = tables.flatMap((table) => table.cells.flatMap((cell) => cell.words));
  t.equal(tableWords(tables).size, words.length);
  t.equal(words.length, page.words.length);
  t.strictSame(findTables(page, { doTableStructure: false }), []);
});

t.test('sums under rules of their own: the labels beside them belong to the table', async (t) => {
  const made = new PageMaker();
  const right = { align: 'right' } as const;
  for (let row = 0; row < 6; row++) made.row(100 + row * 14, [50, 320, 410], [`Entry of kind ${row}`, `${row * 37 + 11}`, `${row * 91 + 5}`], [{}, right, right]);
  for (const y of [146, 160]) made.horizontal(y, 270, 412);
  const [table] = find(made.page());
  t.equal(table?.columnCount, 3);
  t.equal(table?.rowCount, 6);
});

t.test('labels set in the middle of the rows they name span them', async (t) => {
  const made = new PageMaker();
  const columns = [60, 160, 260];
  for (const y of [88, 106, 180]) made.horizontal(y, 55, 330);
  made.row(100, columns, ['Shop', 'Goods', 'Sold']);
  for (const [row, goods] of ['bread', 'cakes', 'coffee', 'bread', 'coffee'].entries()) made.row(120 + row * 13, [160, 260], [goods, `${row * 7 + 12}`]);
  made.text(60, 133, 'Market');
  made.text(60, 165.5, 'Station');
  t.strictSame(grid(find(made.page())[0]), [['Shop', 'Goods', 'Sold'], ['Market', 'bread', '12'], ['^', 'cakes', '19'], ['^', 'coffee', '26'], ['Station', 'bread', '33'], ['^', 'coffee', '40']]);
});

t.test('two tables side by side, and two below each other, are four', async (t) => {
  const made = new PageMaker();
  const right = { align: 'right' } as const;
  for (const left of [50, 330]) {
    for (const top of [100, 240]) {
      for (const y of [top - 12, top + 5, top + 60]) made.horizontal(y, left - 5, left + 200);
      made.row(top, [left, left + 120, left + 195], ['Hour', 'Wind', 'Gusts'], [{ bold: true }, { ...right, bold: true }, { ...right, bold: true }]);
      for (let row = 1; row <= 4; row++) made.row(top + 5 + row * 13, [left, left + 120, left + 195], [`${row + 9} h`, `${row * 3}.5`, `${row * 7}.1`], [{}, right, right]);
    }
  }
  made.text(50, 200, 'The second pair of readings was taken on the other bank of the river at dusk.');
  const tables = find(made.page());
  t.strictSame(tables.map((table) => `${table.rowCount}x${table.columnCount}`), ['5x3', '5x3', '5x3', '5x3']);
});

t.test('narrow cells between drawn lines are a table, however near to each other their words stand', (t) => {
  const rows = [['Ada', '1', '2'], ['Bob', '3', '4'], ['Eve', '5', '6']];
  const page = (lines: number[]): FoundTable[] => {
    const made = new PageMaker();
    for (const [row, texts] of rows.entries()) made.row(100 + 11 * row, [52, 69, 76], texts);
    for (const y of [91.5, 102.5, 113.5, 124.5]) made.horizontal(y, 50, 83);
    for (const x of lines) made.vertical(x, 91.5, 124.5);
    made.text(50, 150, 'It was a long day and nobody knew what to do about it, so they went home.');
    return find(made.page());
  };
  t.strictSame(grid(page([50, 68, 75, 83])[0]), rows);
  t.end();
});

t.test('a cell over several columns of a ruled grid keeps its words together where no line is drawn', (t) => {
  const made = new PageMaker();
  for (const [row, texts] of [['Name', 'Low', 'High'], ['Ada', '1815', '1852'], ['Grace', '1906', '1992']].entries()) made.row(100 + 16 * row, [52, 102, 142], texts);
  made.text(52, 148, 'Hill');
  made.text(102, 148, 'nothing at all here');
  for (const y of [89, 105, 121, 137, 153]) made.horizontal(y, 50, 200);
  for (const x of [50, 100, 200]) made.vertical(x, 89, 153);
  made.vertical(140, 89, 137);
  t.strictSame(grid(find(made.page())[0])[3], ['Hill', 'nothing at all here', '<']);
  t.end();
});

t.test('a tagged table is read by its tags, empty cells that they lack included', async (t) => {
  const made = new PageMaker();
  const texts = [['Name', 'Role', 'Since'], ['Ada', '', '1815'], ['Grace', 'Admiral', '1906']];
  const rows: StructureNode[] = texts.map((cells, row) => node('TR', cells.flatMap((text, column) => {
    if (text === '') return [];
    made.text(60 + 90 * column + (row === 1 ? 12 : 0), 100 + 13 * row, text);
    made.words.at(-1)!.mcid = 10 * row + column;
    return [node(row === 0 ? 'TH' : 'TD', [], [10 * row + column])];
  })));
  const page = { ...made.page(), structure: [node('Document', [node('Table', rows)])] };
  const [table] = find(page);
  t.strictSame(grid(table), texts);
  t.strictSame(table?.cells.filter((cell) => cell.columnHeader).length, 3);

  t.equal(table?.evidence, 'tagged');
  const wide = { ...page, words: page.words.map((word) => (word.mcid === 22 ? { ...word, mcid: 21 } : word)) };
  t.equal(find(wide)[0]?.evidence, 'partly-ruled', 'where a cell holds what stands far apart its tags may be a guess');

  const moved = { ...page, words: page.words.map((word) => (word.mcid === 22 ? { ...word, baseline: 90, box: { ...word.box, top: 83, bottom: 90 } } : word)) };
  t.not(find(moved)[0]?.confidence, table?.confidence, 'tags that the places contradict are not believed');
});

function node(role: string, children: StructureNode[], mcids: number[] = []): StructureNode {
  return { role, mcids, alt: '', actualText: '', rowSpan: 1, columnSpan: 1, children };
}

t.test('a paragraph below a table is none of its rows, though the rule over notes below is as long as the one under its head', (t) => {
  const page = (rule: number): FoundTable[] => {
    const made = new PageMaker();
    const right = { align: 'right' } as const;
    made.row(100, [50, 250, 500], ['Plant', 'Month', 'Distance'], [{ bold: true }, { bold: true }, { bold: true, align: 'right' }]);
    made.horizontal(106, 50, 510);
    for (const [row, name] of ['Tomato', 'Carrot', 'Lettuce'].entries()) made.row(122 + 16 * row, [50, 250, 500], [name, 'March', `${5 * row + 5}`], [{}, {}, right]);
    made.text(50, 182, 'If the leaves turn yellow look at the drain first and only then add some more of the fertiliser');
    made.text(50, 194, 'of which a sack costs 38 shillings.');
    made.horizontal(rule, 50, 510);
    made.text(50, rule + 10, 'Too much of it does more harm than too little.', { size: 8 });
    return findTables(made.page(), { doTableStructure: true });
  };
  t.same(page(224).map(({ rowCount }) => rowCount), [4]);
  t.same(page(200).map(({ rowCount }) => rowCount > 4), [true], 'a rule right below the text closes the table');
  t.end();
});

t.test('the last line of the last row belongs to it where lines of cells stand nearer to each other than rows, though loosely', (t) => {
  const page = (step: number): string[][] => {
    const made = new PageMaker();
    made.row(100, [50, 100, 500], ['Item', 'Discussion', 'Action'], [{}, {}, { align: 'right' }]);
    for (const [at, [title, text, action]] of ([
      ['Last meeting', 'The minutes of May were approved.', ''], ['Matters arising', 'The bench at the pond has been repaired.', ''], ['Plans', 'No objection was made to the extension.', 'Clerk to reply'], ['Finance', 'Payments of one thousand were approved.', 'Mr Singh'],
      ['Date of next meeting', 'Monday in the hall at seven', ''],
    ] as const).entries()) {
      made.row(127 + 42 * at, [50, 100, 500], action === '' ? [`25/4${at}`, title] : [`25/4${at}`, title, action], [{}, {}, { align: 'right' }]);
      made.text(100, 127 + 42 * at + (at === 4 ? step : 15), text);
    }
    made.text(50, 360, 'The meeting closed.');
    return grid(find(made.page())[0]);
  };
  t.equal(page(15.4).at(-1)?.[1], 'Date of next meeting Monday in the hall at seven');
  t.equal(page(30).at(-1)?.[1], 'Date of next meeting', 'not further below');
  t.end();
});
