/** Tables side by side without lines between them, and what only resembles them; a table's column between two paragraphs. */
import t from 'tap';
import { findTables } from '../../src/convert/tables/index.js';
import { PageMaker } from '../support/made-page.js';

const fruit = [['Fruit', 'Tons'], ['Apples', '12'], ['Pears', '8'], ['Plums', '31']];
const tools = [['Tool', 'Count', 'Owner'], ['Spade', '4', 'Anna'], ['Rake', '2', 'Bert'], ['Hoe', '9', 'Carl']];
const prose = 'the keeper of the stores writes down every morning what has come and what has gone and signs the page with the name of whoever was there to see it done';

/** `left` and `right` as rows of texts, `white` points from the one's last column to the other's first. */
function abreast(white: number, left = fruit, right = tools): { made: PageMaker; begin: number } {
  const made = new PageMaker();
  const begin = 170 + white;
  for (const [row, texts] of left.entries()) made.row(200 + 16 * row, [80, 150], texts);
  for (const [row, texts] of right.entries()) made.row(200 + 16 * row, [begin, begin + 60, begin + 110], texts);
  return { made, begin };
}

const shapes = (made: PageMaker): string[] => findTables(made.page(), { doTableStructure: true }).map(({ rowCount, columnCount }) => `${rowCount}x${columnCount}`);

t.test('two tables where each has its own rule, its own caption, or far more white between them than inside', async (t) => {
  const ruled = abreast(30);
  t.strictSame(shapes(ruled.made), ['4x5'], 'nothing parts them');
  ruled.made.horizontal(204, 76, 172);
  ruled.made.horizontal(204, ruled.begin - 4, ruled.begin + 140);
  t.strictSame(shapes(ruled.made), ['4x2', '4x3']);

  const captioned = abreast(60, [...fruit, ['Figs', '5'], ['Dates', '6']]);
  captioned.made.text(80, 180, 'Table 1: Fruit.');
  captioned.made.text(captioned.begin, 180, 'Table 2: Tools.');
  const found = findTables(captioned.made.page(), { doTableStructure: true });
  t.strictSame(found.map(({ rowCount, columnCount }) => `${rowCount}x${columnCount}`), ['6x2', '4x3']);
  t.notMatch(found.flatMap(({ cells }) => cells.flatMap(({ words }) => words.map(({ text }) => text))).join(' '), /Table/u, 'the captions are in neither');

  t.strictSame(shapes(abreast(150).made), ['4x2', '4x3']);
});

t.test('one table: with a rule over both, rules under grouped heads, values behind the white, columns far apart', async (t) => {
  const closed = abreast(30);
  closed.made.horizontal(204, 76, 172);
  closed.made.horizontal(204, closed.begin - 4, closed.begin + 140);
  closed.made.horizontal(256, 76, closed.begin + 140);
  t.strictSame(shapes(closed.made), ['4x5']);

  const grouped = abreast(30);
  grouped.made.text(100, 184, 'Stores');
  grouped.made.text(grouped.begin + 40, 184, 'Things lent');
  grouped.made.horizontal(188, 76, 172);
  grouped.made.horizontal(188, grouped.begin - 4, grouped.begin + 140);
  t.strictSame(shapes(grouped.made), ['5x5']);

  t.strictSame(shapes(abreast(150, fruit, [['1990', '2000', '2010'], ['14', '4', '7'], ['22', '2', '1'], ['35', '9', '8']]).made), ['4x5']);

  const spaced = new PageMaker();
  for (const [row, [name, tons]] of fruit.entries()) spaced.row(200 + 16 * row, [60, 180, 300, 420], [`${name} from the hills`, row === 0 ? 'Ripe' : 'Ja', `${name} as they fall`, tons as string]);
  t.strictSame(shapes(spaced).map((shape) => shape.slice(1)), ['x4'], 'the columns are evenly spaced, only one has little in it');
});

t.test('the first column of a table between two paragraphs is no part of them', async (t) => {
  const made = new PageMaker();
  const end = made.paragraph(66, 80, 460, `${prose} and ${prose} and ${prose} and ${prose} again`, { leading: 13 });
  made.text(66, end, 'haste.');
  const top = end + 24;
  for (const [row, texts] of tools.entries()) made.row(top + 16 * row, [78, 200, 300], texts);
  const below = made.paragraph(66, top + 16 * 3 + 18, 460, `${prose} ${prose}`, { leading: 13 });
  made.paragraph(66, below + 6, 460, `${prose} ${prose}`, { leading: 13 });
  const tables = findTables(made.page(), { doTableStructure: true });
  t.strictSame(tables.map(({ rowCount, columnCount }) => `${rowCount}x${columnCount}`), ['4x3']);
});
