import t from 'tap';
import type { TableCells } from '../../src/engine/vision-port.js';
import type { CellFinder } from '../../src/convert/tables/network/cell-finder.js';
import { tablesByNetwork } from '../../src/convert/tables/network/find-cells.js';
import { extentsOf } from '../../src/convert/tables/network/extents.js';
import { areasOf } from '../../src/convert/tables/network/grown-areas.js';
import type { FoundTable } from '../../src/convert/page/found-table.js';
import type { PageContent, Word } from '../../src/pdf/pdf-page.js';
import { PageMaker, type Style } from '../support/made-page.js';

const { signal } = new AbortController();
const columns = [50, 160, 300];

/** A table of geometry's with the page's rows at these baselines, one text a cell. */
function tableAt(page: PageContent, baselines: number[], confidence = 0.7): FoundTable {
  const words = page.words.filter(({ baseline }) => baselines.includes(baseline));
  const columnOf = (word: Word): number => columns.findLastIndex((left) => word.box.left >= left);
  const cells = baselines.flatMap((baseline, row) => columns.map((_, column) => {
    const own = words.filter((word) => word.baseline === baseline && columnOf(word) === column);
    return { row, column, rowSpan: 1, columnSpan: 1, columnHeader: false, rowHeader: false, words: own, box: { left: columns[column]!, top: baseline - 8, right: columns[column]! + 50, bottom: baseline + 3 } };
  }));
  return { box: { left: 50, top: baselines[0]! - 8, right: 350, bottom: baselines.at(-1)! + 3 }, rowCount: baselines.length, columnCount: 3, cells, evidence: 'unruled', confidence };
}

type Texts = [number, string[], Style?][];

function pageOf(rows: Texts): PageContent {
  const made = new PageMaker();
  for (const [baseline, texts, style] of rows) made.row(baseline, columns, texts, style);
  return made.page();
}

const head: Texts[number] = [100, ['Land', 'Rule', 'Year']];
const body: Texts = [[114, ['France', 'None', '1994']], [128, ['Spain', 'None', '1995']], [142, ['Italy', 'Some', '1996']]];
const foot: Texts[number] = [156, ['Malta', 'None', '1997']];

const textsOf = (words: Word[]): string[] => words.map(({ text }) => text);

/** What joins the table at these baselines, of a page with these rows and `more` of it. */
function joining(rows: Texts, baselines: number[], more: (made: PageMaker) => void = () => undefined): string[] {
  const page = pageOf(rows);
  const made = new PageMaker();
  more(made);
  page.words.push(...made.words);
  const tables = [tableAt(page, baselines)];
  const areas = areasOf(extentsOf(tables, [], page), tables, page);
  t.equal(areas.length, 1);
  return textsOf(areas[0]!.whole.loose);
}

t.test('rows above and below that keep to the width of a table may be of it; what is far off, set larger, wider, a caption or running text is not', (t) => {
  const inside = [114, 128, 142];
  t.strictSame(joining([head, ...body, foot], inside), ['Land', 'Rule', 'Year', 'Malta', 'None', '1997']);
  t.strictSame(joining([...body, [180, foot[1]]], inside), [], 'too far off');
  t.strictSame(joining([...body, [157, foot[1], { size: 13 }]], inside), [], 'larger');
  t.strictSame(joining(body, inside, (made) => { made.row(156, [10, 160], ['Malta and Gozo', 'None']); }), [], 'wider');
  t.strictSame(joining([[100, ['Table 3', '', 'Years']], ...body], inside), [], 'a caption');
  t.strictSame(joining(body, inside, (made) => { made.paragraph(50, 156, 280, 'The rules of these lands are those of the year that stands beside them. '.repeat(4)); }), [], 'running text');
  t.strictSame(joining(body, inside, (made) => { made.text(50, 156, 'Source: all'); }), [], 'a note');
  t.end();
});

t.test('lines of one text join where a row with several follows, where they end the text of a cell, and where they stand over other columns', (t) => {
  const inside = [114, 128, 142];
  t.strictSame(joining([...body, [156, ['Islands']], [170, foot[1]]], inside), ['Islands', 'Malta', 'None', '1997']);
  t.strictSame(joining(body, inside, (made) => { made.text(160, 154, 'or little'); }), ['or', 'little']);
  t.strictSame(joining(body, inside, (made) => { made.text(160, 164, 'or little'); }), [], 'no line of the same text');
  t.strictSame(joining([head, ...body], inside, (made) => { made.text(200, 88, 'What holds'); }).sort(), ['Land', 'Rule', 'What', 'Year', 'holds']);
  t.end();
});

t.test('another table on the way is a part of it, unless each has a head of its own; every word is in one area', (t) => {
  const rows: Texts = [head, ...body.slice(0, 2), [142, ['And']], [156, ['then']], [170, ['Italy', 'Some', '1996']], [184, ['Malta', 'None', '1997']]];
  const page = pageOf(rows);
  const tables = [tableAt(page, [100, 114, 128]), tableAt(page, [170, 184])];
  const [area, ...others] = areasOf(extentsOf(tables, [], page), tables, page);
  t.equal(others.length, 0);
  t.equal(area?.members.length, 2);
  t.strictSame(textsOf(area?.whole.loose ?? []), ['And', 'then']);
  const twice = pageOf([...rows.slice(0, 5), [170, ['Land', 'Rule', 'Year']], [184, ['Malta', 'None', '1997']]]);
  const two = [tableAt(twice, [100, 114, 128]), tableAt(twice, [170, 184])];
  const areas = areasOf(extentsOf(two, [], twice), two, twice);
  t.equal(areas.length, 2);
  const words = areas.flatMap(({ whole }) => [...whole.parts.flatMap(({ cells }) => cells.flatMap((cell) => cell.words)), ...whole.loose]);
  t.equal(new Set(words).size, words.length);
  const ruled: FoundTable = { ...tableAt(page, [170, 184]), evidence: 'ruled' };
  t.equal(areasOf(extentsOf([tables[0]!, ruled], [], page), [tables[0]!, ruled], page)[0]?.members.length, 1);
  t.end();
});

/** A network that parts rows and columns in the middle between these of the page. */
function readingAs(rows: number[]): CellFinder {
  return async (picture) => {
    const middles = (all: number[]): number[] => all.slice(1).map((at, index) => (at + all[index]!) / 2);
    const across = [0, ...middles(columns).map((at) => (at - 40) * 0.4), picture.width];
    const down = [0, ...middles(rows).map((at) => (at - 4 - (rows[0]! - 17)) * 0.8), picture.height];
    const cells: TableCells['cells'] = [];
    for (let row = 0; row < rows.length; row++) {
      for (let column = 0; column < columns.length; column++) {
        const [left, top, right, bottom] = [across[column]!, down[row]!, across[column + 1]!, down[row + 1]!];
        cells.push({ row, column, rowSpan: 1, columnSpan: 1, header: row === 0, box: [left, top, right, top, right, bottom, left, bottom] });
      }
    }
    return { rows: rows.length, columns: columns.length, score: 0.9, cells };
  };
}

t.test('the whole area is one table where the network reads it with fewer doubts than the parts and what they leave out, else it is as it was', async (t) => {
  const page = pageOf([head, ...body, foot]);
  const tables = [tableAt(page, [114, 128, 142])];
  const whole = await tablesByNetwork({ tables, doubtful: [] }, page, readingAs([100, 114, 128, 142, 156]), signal);
  t.match(whole, [{ rowCount: 5, columnCount: 3 }]);
  t.strictSame(whole[0]?.cells.filter(({ row }) => row === 0).map(({ words }) => textsOf(words).join(' ')), ['Land', 'Rule', 'Year']);
  const stacked = await tablesByNetwork({ tables, doubtful: [] }, page, readingAs([100, 142]), signal);
  t.match(stacked, [{ rowCount: 3 }], 'rows in one another');
  t.strictSame(await tablesByNetwork({ tables, doubtful: [] }, page, async () => null, signal), tables);
});
