import t from 'tap';
import type { TableCells } from '../../src/engine/vision-port.js';
import type { CellFinder } from '../../src/convert/tables/network/cell-finder.js';
import { tablesByNetwork } from '../../src/convert/tables/network/find-cells.js';
import { extentsOf } from '../../src/convert/tables/network/extents.js';
import { coveredTables } from '../../src/convert/decide/layout-network-veto.js';
import { findSureAndDoubtful, tableWords } from '../../src/convert/tables/index.js';
import type { FoundTable } from '../../src/convert/page/found-table.js';
import type { PageContent, Word } from '../../src/pdf/pdf-page.js';
import { PageMaker } from '../support/made-page.js';

const { signal } = new AbortController();
const columns = [50, 160, 300];

/** A table of geometry's with the page's rows at these baselines, one word a cell. */
function tableAt(page: PageContent, baselines: number[], confidence = 0.7): FoundTable {
  const words = page.words.filter(({ baseline }) => baselines.includes(baseline));
  const cells = words.map((word) => ({ row: baselines.indexOf(word.baseline), column: columns.indexOf(word.box.left), rowSpan: 1, columnSpan: 1, columnHeader: false, rowHeader: false, words: [word], box: word.box }));
  const edge = (of: (word: Word) => number, pick: (...numbers: number[]) => number): number => pick(...words.map(of));
  const box = { left: edge(({ box: { left } }) => left, Math.min), top: edge(({ box: { top } }) => top, Math.min), right: edge(({ box: { right } }) => right, Math.max), bottom: edge(({ box: { bottom } }) => bottom, Math.max) };
  return { box, rowCount: baselines.length, columnCount: 3, cells, evidence: 'unruled', confidence };
}

function pageOf(rows: [number, string[]][], bold: number[] = []): PageContent {
  const made = new PageMaker();
  for (const [baseline, texts] of rows) made.row(baseline, columns, texts, { bold: bold.includes(baseline) });
  return made.page();
}

const rows: [number, string[]][] = [[100, ['Land', 'Rule', 'Year']], [114, ['France', 'None', '1994']], [128, ['Spain', 'None', '1995']], [148, ['Italy', 'Some', '1996']], [162, ['Malta', 'None', '1997']]];

/** A network that parts rows at these y and columns at these x of the page; pictures begin one size of 10 points before the words. */
function answering(x: number[], y: number[], asked: number[] = [], score = 0.9): CellFinder {
  return async (picture) => {
    asked.push(picture.width * picture.height);
    const across = [0, ...x.map((at) => ((at - 40) * 4) / 10), picture.width];
    const down = [0, ...y.map((at) => ((at - 83) * 8) / 10), picture.height];
    const cells: TableCells['cells'] = [];
    for (let row = 0; row <= y.length; row++) {
      for (let column = 0; column <= x.length; column++) {
        const [left, top, right, bottom] = [across[column]!, down[row]!, across[column + 1]!, down[row + 1]!];
        cells.push({ row, column, rowSpan: 1, columnSpan: 1, header: row === 0, box: [left, top, right, top, right, bottom, left, bottom] });
      }
    }
    return { rows: y.length + 1, columns: x.length + 1, score, cells };
  };
}

const ruleOff = answering([140, 280], [104, 118, 138, 152]);

t.test('parts of one table, one below the other, are one extent; what is far off, narrower or set larger, or has a caption or a head of its own is not', (t) => {
  const page = pageOf(rows);
  const parts = [tableAt(page, [100, 114, 128]), tableAt(page, [148, 162])];
  t.match(extentsOf(parts, [], page), [{ parts, loose: [], confidence: 0.7 }]);
  t.equal(extentsOf(parts.map((part) => ({ ...part, evidence: 'ruled' as const })), [], page).length, 0);
  const apart = (page: PageContent, second: number[]): void => { t.equal(extentsOf([tableAt(page, [100, 114, 128]), tableAt(page, second)], [], page).length, 2); };
  apart(pageOf([...rows.slice(0, 3), [170, ['Italy', 'Some', '1996']], [184, ['Malta', 'None', '1997']]]), [170, 184]);
  apart(pageOf([...rows.slice(0, 3), [148, ['Italy', 'Some']], [162, ['Malta', 'None']]]), [148, 162]);
  const captioned = new PageMaker();
  for (const [baseline, texts] of rows) captioned.row(baseline, columns, texts);
  captioned.text(160, 138, 'Table 2');
  apart(captioned.page(), [148, 162]);
  apart(pageOf(rows, [100, 148]), [148, 162]);
  apart(pageOf([...rows.slice(0, 3), [148, ['Land', 'Rule', 'Year']], [162, ['Malta', 'None', '1997']]]), [148, 162]);
  t.equal(extentsOf([tableAt(pageOf(rows, [100]), [100, 114, 128])], [], pageOf(rows, [100])).length, 1, 'a head alone parts nothing');
  t.end();
});

t.test('words that no cell took belong to the table whose box they stand in, to one only', (t) => {
  const page = pageOf(rows);
  const table = tableAt(page, [100, 114, 162]);
  const [extent] = extentsOf([table], [], page);
  t.strictSame(extent?.loose.map(({ text }) => text), ['Spain', 'None', '1995', 'Italy', 'Some', '1996']);
  const twice = extentsOf([table], [tableAt(page, [128, 148], 0.2)], page);
  t.equal(new Set(twice.flatMap(({ loose }) => loose)).size, twice.flatMap(({ loose }) => loose).length);
  t.end();
});

t.test('torn parts come back as one where the network reads them in order, and as they were where it does not', async (t) => {
  const page = pageOf(rows);
  const tables = [tableAt(page, [100, 114, 128]), tableAt(page, [148, 162])];
  const whole = await tablesByNetwork({ tables, doubtful: [] }, page, ruleOff, signal);
  t.match(whole, [{ rowCount: 5, columnCount: 3 }]);
  t.equal(whole.length, 1);
  t.equal(tableWords(whole).size, page.words.length);
  t.strictSame(await tablesByNetwork({ tables, doubtful: [] }, page, async () => null, signal), tables);
  // Two values above each other in one cell, twice.
  const read = (all: FoundTable[]): string[][] => all.map(({ rowCount, cells }) => [String(rowCount), ...cells.map(({ words }) => words.map(({ text }) => text).join(' '))]);
  t.strictSame(read(await tablesByNetwork({ tables, doubtful: [] }, page, answering([140, 280], [104, 138]), signal)), read(tables));
});

t.test('what geometry doubts is a table where the network reads it in order and it is no form, chart or prose; where it says nothing, it is none', async (t) => {
  const read = async (texts: [number, string[]][], find: CellFinder, confidence = 0.3): Promise<number> => {
    const page = pageOf(texts);
    return (await tablesByNetwork({ tables: [], doubtful: [tableAt(page, texts.map(([baseline]) => baseline), confidence)] }, page, find, signal)).length;
  };
  t.equal(await read(rows, ruleOff), 1);
  t.equal(await read(rows, async () => null), 0);
  const unsure = answering([140, 280], [104, 118, 138, 152], [], 0.45);
  t.equal(await read(rows, ruleOff, 0.03), 1, 'geometry sees nothing in it, but the network is sure');
  t.equal(await read(rows, unsure), 1);
  t.equal(await read(rows, unsure, 0.03), 0, 'neither is');
  t.equal(await read(rows, answering([140, 280], [104, 138])), 0, 'out of order');
  t.equal(await read(rows.map(([at, [name, ...rest]]) => [at, [`${name}:`, ...rest]]), ruleOff), 0, 'a form');
  t.equal(await read([...rows.slice(0, 4), [162, ['Figure 3', 'None', '1997']]], ruleOff), 0, 'a chart');
});

t.test('geometry tells of a page what it is sure of and what it doubts, and never both of the same words', (t) => {
  const made = new PageMaker();
  for (const [at, [name = '', value = '']] of ([[100, ['Two', 'Q2']], [114, ['Treadmill', 'C']], [128, ['Dishpan', 'A']], [142, ['Tinder', 'B']], [156, ['Barrel', 'A']]] as [number, string[]][])) made.row(at, [50, 110], [name, value]);
  const { tables, doubtful } = findSureAndDoubtful(made.page(), { doTableStructure: true });
  t.equal(tables.length, 0);
  t.equal(doubtful.length, 1);
  t.ok(doubtful.every(({ confidence }) => confidence < 0.5));
  t.strictSame(findSureAndDoubtful(made.page(), { doTableStructure: true }, false).doubtful, []);
  t.strictSame(findSureAndDoubtful(made.page(), { doTableStructure: false }), { tables: [], doubtful: [] });
  t.end();
});

t.test('tables that a layout network does not see are left out', (t) => {
  const page = pageOf(rows);
  const [above, below] = [tableAt(page, [100, 114, 128]), tableAt(page, [148, 162])];
  const box = { left: 40, top: 90, right: 340, bottom: 130 };
  t.strictSame(coveredTables([above, below], [box]), [above]);
  t.strictSame(coveredTables([above, below], [{ ...box, right: 60 }]), [], 'less than a fifth of it');
  t.strictSame(coveredTables([above, below], [{ ...box, bottom: 110 }, { ...box, top: 110, bottom: 170 }]), [above, below], 'regions together');
  t.strictSame(coveredTables([above], []), []);
  t.end();
});
