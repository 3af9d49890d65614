import t from 'tap';
import { findTables } from '../../src/convert/tables/index.js';
import type { PageContent } from '../../src/pdf/pdf-page.js';
import { growthOf } from '../support/growth.js';
import { PageMaker } from '../support/made-page.js';

/** Of four times as much: 4 where the work is linear, 16 where each is compared with all. */
const mostGrowth = 10;

function random(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16807) % 2147483647) / 2147483647;
}

/** How the search for tables grows with the pages of `draw`; the pages are made before. */
function growthOver(draw: (size: number) => PageMaker, size: number): number {
  const pages = new Map([size, 4 * size].map((one) => [one, draw(one).page()] as const));
  return growthOf((one) => findTables(pages.get(one) as PageContent, { doTableStructure: true }), size);
}

t.test('words thrown over a page', async (t) => {
  const growth = growthOver((count) => {
    const next = random(7);
    const made = new PageMaker();
    for (let word = 0; word < count; word++) made.text(next() * 560, next() * 780, `w${word}`, { size: 4 + 8 * next() });
    return made;
  }, 2000);
  t.ok(growth < mostGrowth, `four times as many words take ${growth.toFixed(1)} times as long`);
});

t.test('lines, long ones and short ones', async (t) => {
  for (const length of [300, 5]) {
    const growth = growthOver((count) => {
      const next = random(11);
      const made = new PageMaker();
      for (let word = 0; word < 500; word++) made.text(next() * 560, next() * 780, `w${word}`);
      for (let line = 0; line < count; line++) {
        const [x, y] = [next() * 590, next() * 790];
        made.horizontal(y, x, x + length * next());
        made.vertical(x, y, y + length * next());
      }
      return made;
    }, 2500);
    t.ok(growth < mostGrowth, `four times as many of up to ${length} points take ${growth.toFixed(1)} times as long`);
  }
});

t.test('a table of 50 columns and many rows, without lines and with all', async (t) => {
  for (const ruled of [false, true]) {
    const draw = (rows: number): PageMaker => {
      const made = new PageMaker();
      for (let row = 0; row < rows; row++) for (let column = 0; column < 50; column++) made.text(column * 12, row * 2 + 2, `${(row * column) % 97}`, { size: 2 });
      for (let row = 0; ruled && row <= rows; row++) made.horizontal(row * 2 + 0.4, 0, 600);
      for (let column = 0; ruled && column <= 50; column++) made.vertical(column * 12 - 1, 0, rows * 2);
      return made;
    };
    const growth = growthOver(draw, 25);
    t.ok(growth < mostGrowth, `${ruled ? 'ruled' : 'white'}: four times as many rows take ${growth.toFixed(1)} times as long`);
    const tables = findTables(draw(400).page(), { doTableStructure: true });
    t.equal(tables.flatMap((table) => table.cells.flatMap((cell) => cell.words)).length, 20_000, 'every word of 400 rows is in a cell');
  }
});

t.test('words and lines without a sound place', async (t) => {
  const made = new PageMaker();
  for (const place of [NaN, Infinity, -1e9, 0]) {
    made.text(place, 100, 'one two three');
    made.text(100, place, 'one two three', { size: 0 });
    made.horizontal(place, 10, 5);
    made.vertical(100, place, place);
    made.shade(place, 0, 10, 10);
  }
  t.doesNotThrow(() => findTables(made.page(), { doTableStructure: true }));
});
