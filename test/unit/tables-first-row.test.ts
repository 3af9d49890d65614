/** Rows with a rule below each, or striped: the first one stands above the first mark and is one of them, whatever it says. */
import t from 'tap';
import { findTables } from '../../src/convert/tables/index.js';
import { PageMaker } from '../support/made-page.js';

const words = ['Landshut', 'Freising', 'Bamberg', 'Ebersberg', 'Kempten', 'Coburg'];
const work = ['Keeper of the old books and charts', 'Cook', 'Carpenter', 'Pilot', 'Surveyor', 'Clerk'];

function firstRow(made: PageMaker): string[] | undefined {
  const [table] = findTables(made.page(), { doTableStructure: true });
  return table?.cells.filter(({ row }) => row === 0).map((cell) => cell.words.map(({ text }) => text).join(' '));
}

t.test('a rule below each row', (t) => {
  const made = new PageMaker();
  for (const [index, town] of words.entries()) {
    made.row(100 + 15 * index, [50, 130, 190], [town, `${7 + 11 * index} %`, work[index]!], [{}, {}, {}]);
    made.horizontal(104 + 15 * index, 50, 370);
  }
  t.same(firstRow(made), ['Landshut', '7 %', 'Keeper of the old books and charts']);
  t.end();
});

t.test('rows of values', (t) => {
  const made = new PageMaker();
  for (let row = 0; row < 6; row++) {
    made.row(100 + 15 * row, [50, 130, 190], [`${1250 + 317 * row}`, `${980 + 21 * row}`, `${3 + row} %`], [{}, {}, {}]);
    made.horizontal(104 + 15 * row, 50, 250);
  }
  t.same(firstRow(made), ['1250', '980', '3 %']);
  t.end();
});

t.test('what stands higher, or beside the columns, is none of the rows', (t) => {
  for (const [top, left] of [[90, 50], [100, 75]] as const) {
    const made = new PageMaker();
    made.row(top, [left, left + 80, left + 140], ['1250', '980', '3 %'], [{}, {}, {}]);
    for (let row = 1; row < 6; row++) {
      made.row(100 + 15 * row, [50, 130, 190], [`${1250 + 317 * row}`, `${980 + 21 * row}`, `${3 + row} %`], [{}, {}, {}]);
      made.horizontal(104 + 15 * row, 50, 250);
    }
    made.horizontal(104, 50, 250);
    t.not(firstRow(made)?.[0], '1250');
  }
  t.end();
});
