import t from 'tap';
import type { PageTable } from '../../src/convert/page/page-table.js';
import type { TableBlock } from '../../src/convert/structure/block.js';
import { joinTables } from '../../src/convert/structure/table-parts.js';

/** A table on one of the pages, of 800 points each; cells as their lines, the first `heads` rows are the head. */
function partOf(pageIndex: number, rows: string[][], heads: number): TableBlock {
  const box = { left: 50, right: 350, top: pageIndex === 0 ? 500 : 60, bottom: pageIndex === 0 ? 760 : 200 };
  const cells = rows.flatMap((texts, row) => texts.map((text, column) => ({
    row, column, rowSpan: 1, columnSpan: 1, columnHeader: row < heads, rowHeader: false, box: { left: 50 + 100 * column, right: 150 + 100 * column, top: box.top + 20 * row, bottom: box.top + 20 * row + 20 },
    lines: text === '' ? [] : text.split('\n').map((line) => ({ text: line, softHyphen: false })),
  })));
  const table: PageTable = { box, rowCount: rows.length, columnCount: 3, cells, columnLefts: [50, 150, 250], size: 10, letters: 100, index: false, evidence: 'ruled', confidence: 0.9 };
  return { kind: 'table', pageIndex, table, captions: [], places: [{ pageIndex, box }], repeatedHeads: [] };
}

/** The rows of all tables that come out of a table on two pages; below, `heads` rows resemble a header, above `known`. */
function joined(above: string[][], below: string[][], heads = 0, known = 1): string[][] {
  const blocks = joinTables([partOf(0, [['Land', 'Rule', 'Year'], ...above], known), partOf(1, below, heads)], () => 800);
  return blocks.flatMap((block) => (block.kind === 'table' ? Array.from({ length: block.table.rowCount }, (_, row) => block.table.cells.filter((cell) => cell.row === row).map(({ lines }) => lines.map(({ text }) => text).join(' '))) : []));
}

const head = ['Land', 'Rule', 'Year'];
const france = ['France', 'None', '1994'];
const spain = ['Spain', 'Approval is needed', '1995'];
const italy = ['Italy', 'None', '1996'];

t.test('a row that the page ends in the middle of is one row', async (t) => {
  t.strictSame(joined([france, spain], [['', 'for larger land.', ''], italy]), [head, france, ['Spain', 'Approval is needed for larger land.', '1995'], italy]);
  t.strictSame(joined([france, spain, ['', '', '']], [['', 'for larger land.', ''], italy]), [head, france, ['Spain', 'Approval is needed for larger land.', '1995'], italy], 'with an empty frame before the page ends');
});

t.test('a head that is repeated over the rest of a row stands once, however many rows of it there seem to be', async (t) => {
  const whole = [head, france, ['Spain', 'Approval is needed for larger land.', '1995'], italy];
  for (const seen of [0, 1, 2]) t.strictSame(joined([france, spain], [head, ['', 'for larger land.', ''], italy], seen), whole, `${seen}`);
  for (const seen of [0, 1]) t.strictSame(joined([france, spain], [head, ['', 'for larger land.', ''], italy], seen, 0), whole, 'a head that nothing but its repetition shows');
  t.strictSame(joined([france, spain], [['Land', 'Law', 'Year'], italy]), [head, france, spain, ['Land', 'Law', 'Year'], italy], 'another head is a row');
});

t.test('frames without text at the end of a page and at the beginning of the next are no rows; those between others are', async (t) => {
  t.strictSame(joined([france, ['', '', ''], spain, ['', '', '']], [['', '', ''], italy]), [head, france, ['', '', ''], spain, italy]);
});

t.test('what begins anew stays a row', async (t) => {
  for (const row of [['', 'Some', '1997'], ['Malta', 'for larger land', ''], ['', 'for larger land', '1997']]) t.strictSame(joined([france, spain], [row, italy]), [head, france, spain, row, italy]);
  t.strictSame(joined([france, ['Spain', 'Approval is needed.', '1995']], [['', 'for larger land', ''], italy])[3], ['', 'for larger land', '']);
});

t.test('where only the first row of a group has a label, a row without one stays a row', async (t) => {
  const fruit = [['Fruit', 'apple', 'kg'], ['', 'plum', 'kg']];
  const more = [['', 'pear', 'kg'], ['Fish', 'cod', 'kg']];
  t.strictSame(joined(fruit, more), [head, ...fruit, ...more]);
  const [apple, ...fish] = [fruit[0]!, ['', 'pear', 'kg'], ['', 'quince', 'kg'], ['Fish', 'cod', 'kg']];
  t.strictSame(joined([apple], fish), [head, apple, ...fish], 'labels are missing below only');
});
