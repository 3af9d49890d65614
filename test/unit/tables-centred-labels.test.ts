/** Labels at half height between the two rows that they are for. */
import t from 'tap';
import type { FoundTable } from '../../src/convert/page/found-table.js';
import { withCentredLabels } from '../../src/convert/tables/centred-labels.js';
import { PageMaker } from '../support/made-page.js';

/** A table of the texts, one row of the page each; '' is an empty cell. */
function tableOf(rows: [baseline: number, texts: string[]][], evidence: FoundTable['evidence'] = 'partly-ruled', headRows = 0): FoundTable {
  const made = new PageMaker();
  const cells = rows.flatMap(([baseline, texts], row) => texts.map((text, column) => {
    const before = made.words.length;
    if (text !== '') made.text(50 + 80 * column, baseline, text);
    return { row, column, rowSpan: 1, columnSpan: 1, columnHeader: row < headRows, rowHeader: false, words: made.words.slice(before), box: { left: 50 + 80 * column, top: baseline - 8, right: 125 + 80 * column, bottom: baseline + 2 } };
  }));
  return { box: { left: 50, top: 90, right: 400, bottom: 300 }, rowCount: rows.length, columnCount: rows[0]![1].length, cells, evidence, confidence: 0.9 };
}

const read = (table: FoundTable): string[] => withCentredLabels([table])[0]!.cells.filter(({ words }) => words.length > 0)
  .map(({ row, column, rowSpan, words }) => `${row},${column}${rowSpan > 1 ? `+${rowSpan}` : ''} ${words.map(({ text }) => text).join(' ')}`);
const body: [number, string[]][] = [[152, ['Oslo', '1', '2']], [178, ['Rome', '3', '4']], [204, ['Bern', '5', '6']]];

t.test('a head over two rows, and a label of two rows in the body, are one cell each', async (t) => {
  const headed = tableOf([[100, ['', 'Winter', 'Summer']], [113, ['Town', '', '']], [126, ['', 'Low', 'High']], ...body], 'unruled', 3);
  t.same(read(headed), ['0,1 Winter', '0,2 Summer', '0,0+2 Town', '1,1 Low', '1,2 High', '2,0 Oslo', '2,1 1', '2,2 2', '3,0 Rome', '3,1 3', '3,2 4', '4,0 Bern', '4,1 5', '4,2 6']);
  const [table] = withCentredLabels([headed]);
  t.equal(table!.rowCount, 5);
  const places = table!.cells.flatMap(({ row, column, rowSpan }) => Array.from({ length: rowSpan }, (_, at) => `${row + at},${column}`));
  t.equal(new Set(places).size, places.length, 'no place has two cells');
  t.equal(places.length, 15, 'and none has no cell');
  t.ok(table!.cells.find(({ words }) => words[0]?.text === 'Town')!.columnHeader);
  t.same(read(tableOf([[100, ['Town', 'Low', 'High']], [126, ['', '1', '2']], [139, ['Oslo', '', '']], [152, ['', '3', '4']], [178, ['Rome', '5', '6']], [204, ['Bern', '7', '8']]])).slice(3, 8), ['1,1 1', '1,2 2', '1,0+2 Oslo', '2,1 3', '2,2 4']);
});

t.test('rows of their own stay rows', async (t) => {
  const rows = (town: number, above = '', more: [number, string[]][] = body): string[] => read(tableOf([[100, [above, 'Winter', 'Summer']], [town, ['Town', '', '']], [126, ['', 'Low', 'High']], ...more]));
  t.match(rows(104).join(), '1,0 Town', 'not in the middle');
  t.match(rows(113, 'All').join(), '1,0 Town', 'something above it');
  t.match(rows(113, '', [[139, ['Oslo', '1', '2']], [152, ['Rome', '3', '4']], [165, ['Bern', '5', '6']]]).join(), '1,0 Town', 'as far apart as the others: the title of a group');
  t.match(rows(113, '', body.slice(0, 1)).join(), '1,0 Town', 'nothing tells how far rows are apart');
  t.match(read(tableOf([[100, ['', 'Winter', 'Summer']], [113, ['Town', '', '']], [126, ['', 'Low', 'High']], ...body], 'ruled')).join(), '1,0 Town', 'lines tell the rows');
});

t.test('many labels, in one look at the table', async (t) => {
  const some = tableOf([...body, [230, ['', '1', '2']], [243, ['Oslo', '', '']], [256, ['', '3', '4']], [282, ['', '5', '6']], [295, ['Rome', '', '']], [308, ['', '7', '8']], [334, ['Bern', '9', '10']], [360, ['Graz', '11', '12']]]);
  t.same(read(some).slice(9), ['3,1 1', '3,2 2', '3,0+2 Oslo', '4,1 3', '4,2 4', '5,1 5', '5,2 6', '5,0+2 Rome', '6,1 7', '6,2 8', '7,0 Bern', '7,1 9', '7,2 10', '8,0 Graz', '8,1 11', '8,2 12']);
  const rows = Array.from({ length: 2000 }, (_, row): [number, string[]] => [10 * (row - Math.floor((row + 8) / 10)) - (row % 10 === 1 ? 5 : 0), row % 10 === 1 ? ['a', '', ''] : [row % 10 === 0 || row % 10 === 2 ? '' : 'a', '1', '2']]);
  const started = performance.now();
  t.equal(withCentredLabels([tableOf(rows)])[0]!.rowCount, 1800);
  t.ok(performance.now() - started < 2000);
});
