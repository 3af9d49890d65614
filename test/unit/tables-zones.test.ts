import t from 'tap';
import type { TableCells } from '../../src/engine/vision-port.js';
import type { CellFinder } from '../../src/convert/tables/network/cell-finder.js';
import { tablesByNetwork } from '../../src/convert/tables/network/find-cells.js';
import type { FoundTable, TableCell } from '../../src/convert/page/found-table.js';
import { standsInRows, zonesOf } from '../../src/convert/tables/network/zones.js';
import type { PageContent, Word } from '../../src/pdf/pdf-page.js';
import { PageMaker } from '../support/made-page.js';

const { signal } = new AbortController();
const columns = [50, 170, 330];
const leading = 12;

/** Lines of text of each cell. */
type Lines = string[][][];

const lines = (count: number, word: string): string[] => Array.from({ length: count }, (_, at) => `${word} ${'abcdefgh'[at] ?? 'x'} line of text`);

/** A table of wrapped text: rows as high as their highest cell, without white between. */
const wrapped: Lines = [
  [['Pack'], ['What it does'], ['Where it is of use']],
  [lines(2, 'France'), lines(5, 'Reads'), lines(1, 'Everywhere')],
  [lines(1, 'Spain'), lines(2, 'Sorts'), lines(4, 'Shops')],
  [lines(4, 'Italy'), lines(1, 'Finds'), lines(2, 'Papers')],
];

/** Its words at the top of a page, and the rows' first baselines. */
function written(rows: Lines, made = new PageMaker(), at = columns): { made: PageMaker; tops: number[]; end: number } {
  let y = 100;
  const tops: number[] = [];
  for (const cells of rows) {
    tops.push(y);
    for (const [column, cell] of cells.entries()) for (const [line, text] of cell.entries()) made.text(at[column]!, y + leading * line, text);
    y += leading * Math.max(...cells.map(({ length }) => length));
  }
  return { made, tops, end: y };
}

const textsOf = (words: Word[]): string => words.map(({ text }) => text).sort().join(' ');

t.test('a table of wrapped text is a zone, without the running text and the single lines around it; columns of running text are none', (t) => {
  const { made, end } = written(wrapped);
  const own = textsOf(made.words);
  made.text(50, 86, 'A heading');
  made.paragraph(50, end + 14, 420, 'The packs are for all who have papers to read and to sort, wherever they are and whoever wrote them. '.repeat(4));
  const zones = zonesOf([], made.page());
  t.equal(zones.length, 1);
  t.equal(textsOf(zones[0] ?? []), own);
  const columnsOfText = new PageMaker();
  for (const x of [50, 320]) columnsOfText.paragraph(x, 100, 250, 'Running text goes on from line to line until its column ends, and leaves no white on its way. '.repeat(12));
  t.strictSame(zonesOf([], columnsOfText.page()), []);
  t.strictSame(zonesOf([], new PageMaker().page()), []);
  t.end();
});

t.test('captions, other sizes and white end a zone; the words of ruled tables are in none', (t) => {
  const parts = (between: (made: PageMaker, at: number) => void, by = 0): number => {
    const { made, end } = written(wrapped);
    between(made, end);
    for (const word of written(wrapped).made.words) made.words.push({ ...word, baseline: word.baseline + end - 100 + leading + by, box: { ...word.box, top: word.box.top + end - 100 + leading + by, bottom: word.box.bottom + end - 100 + leading + by } });
    return zonesOf([], made.page()).length;
  };
  t.equal(parts(() => undefined), 1);
  t.equal(parts((made, at) => { made.text(50, at, 'Table 2: the other packs'); }), 2);
  t.equal(parts((made, at) => { made.text(50, at, 'Other packs', { size: 14 }); }), 2);
  t.equal(parts(() => undefined, 40), 2);
  const page = written(wrapped).made.page();
  t.strictSame(zonesOf([{ ...tableOf(wrapped), evidence: 'ruled', cells: [{ ...tableOf(wrapped).cells[0]!, words: page.words }] }], page), []);
  t.end();
});

/** Columns with so much white between the widest texts. */
function closer(gutter: number): number[] {
  const ends = columns.map((x, column) => Math.max(...written(wrapped.map((row) => row.map((cell, at) => (at === column ? cell : [])))).made.words.map(({ box }) => box.right)) - x);
  return columns.map((_, column) => 50 + ends.slice(0, column).reduce((sum, wide) => sum + wide + gutter, 0));
}

t.test('white of half a size parts columns, one of which is less than three fifths full', (t) => {
  t.equal(zonesOf([], written(wrapped, new PageMaker(), closer(7)).made.page()).length, 1);
  t.equal(zonesOf([], written(wrapped, new PageMaker(), closer(4)).made.page()).length, 0);
  const filled = (...counts: number[][]): number => zonesOf([], written([wrapped[0]!, ...counts.map((row) => row.map((count) => lines(count, 'Words')))]).made.page()).length;
  t.equal(filled([2, 5, 4], [5, 2, 5], [1, 5, 4]), 1);
  t.equal(filled([3, 5, 4], [5, 3, 5], [3, 5, 4]), 0);
  t.end();
});

/** The table as a reading that has every cell right, its lines moved by `shift`. */
function tableOf(rows: Lines, shift: (row: number, column: number) => number = () => 0): FoundTable {
  const { tops } = written(rows);
  const cells = rows.flatMap((texts, row) => texts.map((cell, column): TableCell => {
    const made = new PageMaker();
    for (const [line, text] of cell.entries()) made.text(columns[column]!, tops[row]! + leading * line + shift(row, column), text);
    return { row, column, rowSpan: 1, columnSpan: 1, columnHeader: false, rowHeader: false, words: made.words, box: { left: 0, top: 0, right: 1, bottom: 1 } };
  }));
  return { box: { left: 50, top: 90, right: 500, bottom: 400 }, rowCount: rows.length, columnCount: rows[0]?.length ?? 0, cells, evidence: 'unruled', confidence: 1 };
}

t.test('texts stand in rows where the cells of each begin, end or have their middles on one line and leave white, and they are no list', (t) => {
  t.equal(standsInRows(tableOf(wrapped)), true, 'at the top');
  const height = (row: number): number => Math.max(...wrapped[row]!.map(({ length }) => length));
  t.equal(standsInRows(tableOf(wrapped, (row, column) => leading * (height(row) - wrapped[row]![column]!.length))), true, 'at the bottom');
  t.equal(standsInRows(tableOf(wrapped, (row, column) => (leading * (height(row) - wrapped[row]![column]!.length)) / 2)), true, 'in the middle');
  t.equal(standsInRows(tableOf(wrapped, (row, column) => 7 * ((row + column) % 3))), false, 'anywhere');
  t.equal(standsInRows(tableOf(wrapped.map((row) => row.map((_, column) => lines(4, `Word${column}`))))), false, 'as many lines everywhere');
  t.equal(standsInRows(tableOf(wrapped.map((row, at) => row.map((_, column) => lines(8 - ((at + column) % 2), `Word${column}`))))), false, 'nearly as many');
  t.equal(standsInRows(tableOf(wrapped.slice(0, 2))), false, 'two rows');
  t.equal(standsInRows(tableOf(wrapped.map(([, ...rest]) => [['•'], ...rest]))), false, 'a list');
  t.equal(standsInRows(tableOf([...wrapped.slice(0, 3), [['Figure 3: packs'], ...wrapped[3]!.slice(1)]])), false, 'with a figure');
  t.end();
});

/** A network that parts rows above these baselines, and columns before these x. */
function readingAs(page: PageContent, tops: number[], at = columns): CellFinder {
  const top = Math.min(...page.words.map(({ baseline }) => baseline));
  return async (picture) => {
    const across = [0, ...at.slice(1).map((x) => (x - (at[1]! - 50 > 115 ? 5 : 2) - 40) * 0.4), picture.width];
    const down = [0, ...tops.slice(1).map((y) => (y - 9 - (top - 17)) * 0.8), picture.height];
    const cells: TableCells['cells'] = tops.flatMap((_, row) => columns.map((_, column) => {
      const [left, upper, right, lower] = [across[column]!, down[row]!, across[column + 1]!, down[row + 1]!];
      return { row, column, rowSpan: 1, columnSpan: 1, header: row === 0, box: [left, upper, right, upper, right, lower, left, lower] };
    }));
    return { rows: tops.length, columns: columns.length, score: 0.9, cells };
  };
}

t.test('a zone is a table where the network reads it in rows; a small table that geometry made of its words goes, a large one stays', async (t) => {
  const { made, tops } = written(wrapped);
  const page = made.page();
  const read = await tablesByNetwork({ tables: [], doubtful: [] }, page, readingAs(page, tops), signal);
  t.match(read, [{ rowCount: 4, columnCount: 3 }]);
  t.equal(read[0]?.cells.flatMap(({ words }) => words).length, page.words.length);
  t.strictSame(await tablesByNetwork({ tables: [], doubtful: [] }, page, readingAs(page, tops.slice(0, 2)), signal), [], 'two rows are not enough');
  t.strictSame(await tablesByNetwork({ tables: [], doubtful: [] }, page, async () => null, signal), []);
  const of = (words: Word[]): FoundTable => ({ ...tableOf(wrapped), rowCount: 1, columnCount: words.length, cells: words.map((word, column) => ({ row: 0, column, rowSpan: 1, columnSpan: 1, columnHeader: false, rowHeader: false, words: [word], box: word.box })) });
  const small = of(page.words.filter(({ baseline }) => baseline === tops[2]));
  t.match(await tablesByNetwork({ tables: [small], doubtful: [] }, page, readingAs(page, tops), signal), [{ rowCount: 4 }]);
  const sides = [of(page.words.filter(({ box }) => box.left < 160)), of(page.words.filter(({ box }) => box.left >= 160))];
  const inSides = (met: FoundTable[]): Promise<FoundTable[]> => tablesByNetwork({ tables: met, doubtful: [] }, page, async (picture, given) => (picture.width < 140 ? null : readingAs(page, tops)(picture, given)), signal);
  t.match(await inSides(sides), [{ rowCount: 4, columnCount: 3 }], 'two that are parts of it are one');
});

t.test('texts that seem to go on from the cell above are forgiven in a zone, one in three', async (t) => {
  const seen = async (count: number): Promise<number> => {
    const { made, tops } = written(wrapped.map((cells, row) => cells.map((cell, column) => (row > 0 && 3 * (row - 1) + column < count ? cell.map((text) => text.toLowerCase()) : cell))));
    return (await tablesByNetwork({ tables: [], doubtful: [] }, made.page(), readingAs(made.page(), tops), signal)).length;
  };
  t.equal(await seen(4), 1);
  t.equal(await seen(5), 0);
});

t.test('what geometry doubts is a table, too, where wrapped text stands in rows', async (t) => {
  const { made, tops } = written(wrapped, new PageMaker(), closer(4));
  const page = made.page();
  const doubtful: FoundTable = { ...tableOf(wrapped), confidence: 0.3, cells: [{ ...tableOf(wrapped).cells[0]!, words: page.words }], box: { left: 50, top: 93, right: 400, bottom: 260 } };
  const sizes = (found: FoundTable[]): number[][] => found.map(({ rowCount, columnCount }) => [rowCount, columnCount]);
  t.strictSame(sizes(await tablesByNetwork({ tables: [], doubtful: [doubtful] }, page, readingAs(page, tops, closer(4)), signal)), [[4, 3]]);
  t.strictSame(sizes(await tablesByNetwork({ tables: [], doubtful: [doubtful] }, page, readingAs(page, tops.slice(0, 2), closer(4)), signal)), [], 'not where they do not');
});
