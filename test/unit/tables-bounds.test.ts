import t from 'tap';
import { findTables } from '../../src/convert/tables/index.js';
import { PageMaker } from '../support/made-page.js';

/** Processor time, since the machine may be shared; the promise is 1 s on a core of its own. */
const limitMs = 2500;

function random(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16807) % 2147483647) / 2147483647;
}

function spentOn(made: PageMaker): { ms: number; tables: number; words: number } {
  const page = made.page();
  const start = process.cpuUsage();
  const tables = findTables(page, { doTableStructure: true });
  const used = process.cpuUsage(start);
  return { ms: (used.user + used.system) / 1000, tables: tables.length, words: tables.flatMap((table) => table.cells.flatMap((cell) => cell.words)).length };
}

t.test('20,000 words thrown over a page', async (t) => {
  const next = random(7);
  const made = new PageMaker();
  for (let word = 0; word < 20_000; word++) made.text(next() * 560, next() * 780, `w${word}`, { size: 4 + 8 * next() });
  t.ok(spentOn(made).ms < limitMs);
});

t.test('100,000 lines, long ones and short ones', async (t) => {
  for (const length of [300, 5]) {
    const next = random(11);
    const made = new PageMaker();
    for (let word = 0; word < 500; word++) made.text(next() * 560, next() * 780, `w${word}`);
    for (let line = 0; line < 50_000; line++) {
      const [x, y] = [next() * 590, next() * 790];
      made.horizontal(y, x, x + length * next());
      made.vertical(x, y, y + length * next());
    }
    t.ok(spentOn(made).ms < limitMs, `up to ${length} points long`);
  }
});

t.test('a table of 400 rows and 50 columns, without lines and with all', async (t) => {
  for (const ruled of [false, true]) {
    const made = new PageMaker();
    for (let row = 0; row < 400; row++) for (let column = 0; column < 50; column++) made.text(column * 12, row * 2 + 2, `${(row * column) % 97}`, { size: 2 });
    for (let row = 0; ruled && row <= 400; row++) made.horizontal(row * 2 + 0.4, 0, 600);
    for (let column = 0; ruled && column <= 50; column++) made.vertical(column * 12 - 1, 0, 800);
    const spent = spentOn(made);
    t.ok(spent.ms < limitMs, `${ruled ? 'ruled' : 'white'}: ${Math.round(spent.ms)} ms`);
    t.equal(spent.words, 20_000, 'every word is in a cell');
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
