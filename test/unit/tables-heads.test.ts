import t from 'tap';
import type { FoundTable } from '../../src/convert/page/found-table.js';
import { findTables, tableWords } from '../../src/convert/tables/index.js';
import { makeChunks, makeRows } from '../../src/convert/tables/evidence/chunks.js';
import { headAbove, makeStrips } from '../../src/convert/tables/evidence/spread.js';
import type { PageContent } from '../../src/pdf/pdf-page.js';
import { PageMaker } from '../support/made-page.js';

const find = (page: PageContent): FoundTable[] => findTables(page, { doTableStructure: true });
const texts = (table: FoundTable | undefined, row: number): string[] => (table?.cells ?? []).filter((cell) => cell.row === row).map(({ words }) => words.map(({ text }) => text).join(' '));

const right = { align: 'right' } as const;

/** Towns and three numbers of each, without any line. */
function towns(made: PageMaker, top: number): void {
  for (const [row, name] of ['Aachen', 'Bremen', 'Cottbus', 'Dresden', 'Essen'].entries()) made.row(top + 16 * row, [50, 180, 240, 300], [name, `${120 + row}`, `${37 * row + 8}`, `${row}.5`], [{}, right, right, right]);
}

for (const down of [false, true]) {
  t.test(`head cells written ${down ? 'downwards' : 'upwards'} head their columns`, (t) => {
    const open = new PageMaker();
    towns(open, 200);
    for (const [at, head] of ['Longest street', 'Number of bridges', 'Share'].entries()) open.turned([172, 233, 293][at]!, 186, head, down);
    open.turned(293 + 12, 186, 'in percent', down);
    const [table, ...others] = find(open.page());
    t.equal(others.length, 0);
    t.strictSame(texts(table, 0), ['', 'Longest street', 'Number of bridges', down ? 'in percent Share' : 'Share in percent']);
    t.strictSame(texts(table, 1), ['Aachen', '120', '8', '0.5']);
    t.match(table, { rowCount: 6, columnCount: 4 });
    t.strictSame(table?.cells.filter(({ columnHeader }) => columnHeader).map(({ row }) => row), [0, 0, 0, 0]);
    t.equal(tableWords([table!]).size, open.words.length);
    t.ok(table!.box.top < 110);
    t.end();
  });
}

t.test('a ruled table keeps turned heads in their cells, beside an upright one', (t) => {
  const made = new PageMaker();
  for (const y of [100, 190, 210, 230]) made.horizontal(y, 50, 260);
  for (const x of [50, 140, 180, 220, 260]) made.vertical(x, 100, 230);
  made.text(60, 184, 'Town');
  for (const [at, head] of ['Inhabitants', 'Schools', 'Trees planted'].entries()) made.turned(160 + 40 * at, 184, head);
  made.row(204, [60, 150, 190, 230], ['Aachen', '12', '7', '1']);
  made.row(224, [60, 150, 190, 230], ['Bremen', '31', '9', '2']);
  const [table, ...others] = find(made.page());
  t.equal(others.length, 0);
  t.match(table, { rowCount: 3, columnCount: 4 });
  t.strictSame(texts(table, 0), ['Town', 'Inhabitants', 'Schools', 'Trees planted']);
  t.strictSame(texts(table, 2), ['Bremen', '31', '9', '2']);
  t.end();
});

t.test('turned text beside a table, far above it or over one column alone is no head', (t) => {
  const made = new PageMaker();
  towns(made, 200);
  made.turned(20, 280, 'Figure from the atlas of 1912');
  made.turned(172, 120, 'Far above');
  made.turned(233, 186, 'Alone');
  t.match(find(made.page()), [{ rowCount: 5, columnCount: 4 }]);
  t.end();
});

t.test('a head over the second of two columns belongs to its table, the last line of a paragraph does not', (t) => {
  const two = new PageMaker();
  two.text(150, 100, 'Has smidge');
  for (const [row, [name, value]] of ([['3.1 ± 0.6', '99'], ['4.0 ± 0.0', '56'], ['0.4 ± 0.0', '93'], ['2.0 ± 0.1', '37']] as const).entries()) two.row(112 + 12 * row, [50, 170], [name, value]);
  t.strictSame(texts(find(two.page())[0], 0), ['', 'Has smidge']);
  const prose = new PageMaker();
  prose.text(50, 104, 'and so on, as was said above.');
  towns(prose, 120);
  t.equal(find(prose.page())[0]?.rowCount, 5, 'the last line of a paragraph is no head');
  t.end();
});

t.test('lines of one text over one column are of a head where one with more texts stands above them, at most three', (t) => {
  const made = new PageMaker();
  made.row(100, [50, 180], ['Town', 'Streets']);
  for (const [line, text] of ['of the', 'whole', 'north', 'and west'].entries()) made.text(50, 112 + 12 * line, text);
  const rows = makeRows(makeChunks(made.words.map((word) => ({ word, left: word.box.left, right: word.box.right, baseline: word.baseline, size: word.size })), []));
  const strips = makeStrips(rows, [], () => true);
  const heads = (lines: number): number => headAbove(strips.slice(0, 1 + lines), [{ left: 50, right: 110 }, { left: 170, right: 200 }], 108 + 12 * lines, 10, new Set()).length;
  t.strictSame([0, 1, 2, 3, 4].map(heads), [1, 2, 3, 4, 0]);
  t.strictSame(headAbove(strips.slice(1), [{ left: 50, right: 110 }, { left: 170, right: 200 }], 156, 10, new Set()), [], 'with nothing above they are text');
  t.end();
});

t.test('what is said below a label by itself is no head of the table', (t) => {
  const page = (label: string, left = 170): PageMaker => {
    const made = new PageMaker();
    made.text(left, 91, label, { align: 'center' });
    made.text(170, 100, 'Streets of some towns', { align: 'center' });
    made.horizontal(108, 45, 305);
    made.row(118, [50, 180, 240, 300], ['Town', 'Streets', 'Bridges', 'Share'], [{}, right, right, right]);
    made.horizontal(122, 45, 305);
    towns(made, 134);
    made.horizontal(202, 45, 305);
    return made;
  };
  t.strictSame(texts(find(page('TABLE II').page())[0], 0), ['Town', 'Streets', 'Bridges', 'Share']);
  const bare = new PageMaker();
  bare.text(170, 91, 'TABLE II', { align: 'center' });
  bare.row(100, [50, 180, 240, 300], ['Town', 'Streets', 'Bridges', 'Share'], [{}, right, right, right]);
  towns(bare, 116);
  t.strictSame(texts(find(bare.page())[0], 0), ['Town', 'Streets', 'Bridges', 'Share'], 'the head right below it is one');
  t.end();
});

t.test('under a ruled head a first column of labels is a table to be filled in, a list of long lines is none', (t) => {
  const page = (labels: string[], left = 55): PageContent => {
    const made = new PageMaker();
    made.horizontal(100, 50, 400);
    made.row(114, [55, 200, 300], ['Item', 'Answer', 'Remarks'], { bold: true });
    made.horizontal(120, 50, 400);
    for (const [at, label] of labels.entries()) made.text(left, 138 + 24 * at, label);
    made.horizontal(124 + 24 * labels.length, 50, 400);
    return made.page();
  };
  const [table, ...others] = find(page(['Name', 'Date of birth', 'Street and number', 'Town']));
  t.same(others, []);
  t.match(table, { rowCount: 5, columnCount: 3 });
  t.strictSame([texts(table, 0), texts(table, 2)].map((row) => row.filter((text) => text !== '')), [['Item', 'Answer', 'Remarks'], ['Date of birth']]);
  const rows = (found: FoundTable[]): number => Math.max(0, ...found.map(({ rowCount }) => rowCount));
  t.ok(rows(find(page(['Name of the person', 'Date of the first birth of it', 'Street and number of', 'Town']))) < 3, 'a line of text among them');
  t.ok(rows(find(page(['Name', 'Town']))) < 3, 'two labels');
  t.ok(rows(find(page(['Name', 'Date of birth', 'Street', 'Town'], 200))) < 3, 'in the second column');
  t.end();
});

t.test('text of the column beside a ruled table is none of its rows', (t) => {
  const made = new PageMaker();
  for (const [at, baseline] of [112, 125, 142, 154, 166, 178].entries()) made.text(50, baseline, at % 2 === 1 ? 'One of a few lines that are no paragraph.' : 'Another line of the other column of text.');
  made.horizontal(100, 350, 560);
  made.text(500, 112, 'Method', { align: 'center' });
  made.row(118, [355, 410], ['Season', 'Site']);
  made.horizontal(115, 440, 560);
  made.row(125, [470, 510, 550], ['Old', 'Usual', 'Ours'], [right, right, right]);
  made.horizontal(130, 350, 560);
  for (const [row, name] of ['Spring', 'Summer', 'Autumn', 'Winter'].entries()) made.row(142 + 12 * row, [355, 410, 470, 510, 550], [name, 'urban', `${row}.2`, `${row}.9`, '1.5'], [{}, {}, right, right, right]);
  made.horizontal(184, 350, 560);
  const [table, ...others] = find(made.page());
  t.equal(others.length, 0);
  t.strictSame([texts(table, 0), texts(table, 2)], [['Season', 'Site', 'Method'], ['Spring', 'urban', '0.2', '0.9', '1.5']]);
  t.end();
});

t.test('small signs amid a word of a cell stay where they stand', (t) => {
  const made = new PageMaker();
  const signs = (x: number, baseline: number): void => {
    for (const [at, [text, low]] of ([['Mg(CH', false], ['3', true], ['COO)', false], ['2', true]] as const).entries()) {
      const before = made.words.at(-1);
      made.text(at === 0 ? x : before!.box.right, baseline + (low ? 2.5 : 0), text, { size: low ? 7 : 10 });
      if (at > 0) made.words[made.words.length - 1] = { ...made.words.at(-1)!, glued: true };
    }
  };
  const row = (baseline: number, name: string, value: string): void => { made.row(baseline, [50, 200], [name, value]); };
  for (const y of [100, 120, 140, 160]) made.horizontal(y, 45, 260);
  for (const x of [45, 190, 260]) made.vertical(x, 100, 160);
  row(114, 'Reagent', 'Volume');
  row(134, 'Sucrose', '1.6');
  signs(50, 154);
  made.text(200, 154, '30');
  t.strictSame(texts(find(made.page())[0], 2), ['Mg(CH 3 COO) 2', '30']);
  t.end();
});

t.test('a table in a panel with a list above it begins at its head', (t) => {
  const made = new PageMaker();
  made.boxes.push({ box: { left: 40, right: 400, top: 80, bottom: 300 }, fill: -1, stroke: 0xcccccc });
  made.text(50, 110, '• 84 patients in remission, stool every two weeks');
  made.text(50, 124, '• Models with the patient as random effect');
  made.text(70, 160, 'Characteristic', { bold: true });
  made.row(154, [200, 300], ['Relapse (n =', 'Remission (n ='], { bold: true });
  made.row(166, [200, 300], ['31)', '53)'], { bold: true });
  for (const [at, cells] of [['Age', '38 (29–47)', '41 (31–52)'], ['Female', '17 (55)', '28 (53)'], ['Drug', '26 (84)', '47 (89)']].entries()) made.row(190 + 20 * at, [70, 200, 300], cells);
  for (const y of [176, 196, 216, 236]) made.horizontal(y, 60, 380);
  const [found, ...others] = find(made.page());
  t.same(others, []);
  t.same(texts(found, 0), ['Characteristic', 'Relapse (n = 31)', 'Remission (n = 53)']);
  t.same([found?.rowCount, found?.columnCount], [4, 3]);
  t.end();
});
