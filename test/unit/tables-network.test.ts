import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Bitmap } from '../../src/bitmap.js';
import { convertDocument } from '../../src/convert/convert.js';
import { defaultConvertOptions } from '../../src/convert/options.js';
import type { FoundTable } from '../../src/convert/page/found-table.js';
import { tableByNetwork } from '../../src/convert/tables/network/cells-of-table.js';
import { tablesByNetwork } from '../../src/convert/tables/network/find-cells.js';
import { drawTable } from '../../src/convert/tables/network/picture.js';
import { type CellFinder, findTables, tableWords } from '../../src/convert/tables/index.js';
import type { TableCells } from '../../src/engine/vision-port.js';
import type { LayoutFinder } from '../../src/convert/layout-network/shipped.js';
import { noOutput } from '../../src/convert/layout-network/regions.js';
import { PagesWithoutNetworks } from '../../src/convert/pipeline/pages-without-networks.js';
import { LecternError } from '../../src/errors.js';
import { quietPorts, readFixtures } from '../support/fixtures.js';
import { PageMaker } from '../support/made-page.js';

const { signal } = new AbortController();

t.test('the picture of a table is, byte for byte, the one that the network was trained on', async (t) => {
  const word = (text: string, left: number, right: number, baseline: number, size = 10, bold = false) => ({ text, left, right, baseline, size, bold });
  const words = [
    word('Name', 10, 32.5, 20, 10, true), word('2019', 100.3, 121, 20, 10, true), word('alpha.', 12, 34.2, 34.1, 9.5), word('(3.5%)', 98, 121, 34), word('Beta,', 10, 30, 48.7, 11.2), word('—', 105, 113, 48.3), word('Übrig.”', 10, 36, 61, 30),
  ];
  const rules = [{ orientation: 'horizontal' as const, position: 24.3, start: 8, end: 125 }, { orientation: 'vertical' as const, position: 60, start: 8, end: 66 }];
  const picture = drawTable(words, rules, [{ left: 8, top: 38, right: 125, bottom: 52 }], 100);
  t.match(picture, { em: 10, bitmap: { width: 56, height: 56 } });
  const colours = picture!.bitmap.data.filter((_, at) => at % 4 !== 3);
  // Of models/training/tables/planes.py for these words, as its Picture draws them.
  t.equal(createHash('sha256').update(colours).digest('hex'), '10078c7b201c619afd99c0e4bee55125272620672dbf9a9f619fe5c6d9185692');
  t.equal(picture!.pointX(4), 10, 'the first word is one size from the edge');
  t.equal(drawTable(words, [], [], 52), null, 'what is too large is not drawn');
});

/** Three columns without any line: wrapped text in the middle of taller rows, and a label over two rows. */
function wrapped(): { page: ReturnType<PageMaker['page']>; table: FoundTable } {
  const made = new PageMaker();
  made.row(100, [50, 160, 300], ['Country', 'Rule', 'Year']);
  made.row(124, [160, 300], ['Approval is needed', '1994']);
  made.text(50, 130, 'Finland');
  made.row(136, [160, 300], ['for larger land.', '1995']);
  made.row(160, [50, 160, 300], ['France', 'None', '2001']);
  made.row(184, [50, 160, 300], ['Greece', 'None', '2004']);
  const page = made.page();
  const box = { left: 50, top: 90, right: 330, bottom: 185 };
  return { page, table: { box, rowCount: 1, columnCount: 1, evidence: 'unruled', confidence: 0.7, cells: [{ row: 0, column: 0, rowSpan: 1, columnSpan: 1, columnHeader: false, rowHeader: true, words: page.words, box }] } };
}

/** What a network says that parts the page's words at these points: one size is 10 points, the picture begins one size before them. */
function answering(x: number[], y: number[], spans: [row: number, column: number, rowSpan: number, columnSpan: number][] = [], score = 0.9): CellFinder {
  return async (picture) => {
    const across = [0, ...x.map((at) => ((at - 40) * 4) / 10), picture.width];
    const down = [0, ...y.map((at) => ((at - 83) * 8) / 10), picture.height];
    const cells: TableCells['cells'] = [];
    const taken = new Set<string>();
    for (let row = 0; row <= y.length; row++) {
      for (let column = 0; column <= x.length; column++) {
        if (taken.has(`${row} ${column}`)) continue;
        const [, , rowSpan, columnSpan] = spans.find(([r, c]) => r === row && c === column) ?? [row, column, 1, 1];
        for (let r = row; r < row + rowSpan; r++) for (let c = column; c < column + columnSpan; c++) taken.add(`${r} ${c}`);
        const [left, top, right, bottom] = [across[column]!, down[row]!, across[column + columnSpan]!, down[row + rowSpan]!];
        cells.push({ row, column, rowSpan, columnSpan, header: row === 0, box: [left, top, right, top, right, bottom, left, bottom] });
      }
    }
    return { rows: y.length + 1, columns: x.length + 1, score, cells };
  };
}

const textsOf = ({ cells }: FoundTable): [number, number, number, string][] => cells.map(({ row, column, rowSpan, words }) => [row, column, rowSpan, words.map(({ text }) => text).join(' ')]);

t.test('words go where the network says; every word once, spans kept, rows and columns without words gone', async (t) => {
  const { page, table } = wrapped();
  // A column and a row too many, between words; the label and the rule are one cell over two rows each.
  const found = await tableByNetwork(table, page, answering([140, 280, 291], [110, 130.5, 144, 151, 172], [[1, 0, 2, 1], [1, 1, 2, 1]]), signal);
  t.strictSame(textsOf(found!), [
    [0, 0, 1, 'Country'], [0, 1, 1, 'Rule'], [0, 2, 1, 'Year'], [1, 0, 2, 'Finland'], [1, 1, 2, 'Approval is needed for larger land.'], [1, 2, 1, '1994'], [2, 2, 1, '1995'],
    [3, 0, 1, 'France'], [3, 1, 1, 'None'], [3, 2, 1, '2001'], [4, 0, 1, 'Greece'], [4, 1, 1, 'None'], [4, 2, 1, '2004'],
  ]);
  t.match(found, { rowCount: 5, columnCount: 3, evidence: 'unruled', confidence: 0.7 });
  t.equal(tableWords([found!]).size, page.words.length);
  t.strictSame(found!.cells.filter(({ columnHeader }) => columnHeader).map(({ row }) => row), [0, 0, 0]);
  t.strictSame(found!.cells.filter(({ rowHeader }) => rowHeader).map(({ row }) => row), [1, 3, 4], 'row headers where geometry saw some');
});

t.test('a line of words that the network cuts in two columns is cut between words', async (t) => {
  const { page, table } = wrapped();
  const found = await tableByNetwork(table, page, answering([140, 215, 280], [110, 148, 172]), signal);
  t.strictSame(textsOf(found!).filter(([row]) => row === 1).map(([, , , text]) => text), ['Finland', 'Approval is for larger', 'needed land.', '1994 1995']);
  t.equal(tableWords([found!]).size, page.words.length);
});

t.test('columns of a table that is read from the right are counted from there', async (t) => {
  const made = new PageMaker();
  for (const [row, texts] of [['25', 'אוקטובר', 'חסה'], ['50', 'מרץ', 'עגבנייה'], ['5', 'ספטמבר', 'גזר']].entries()) made.row(100 + 16 * row, [50, 160, 300], texts);
  const page = made.page();
  const box = { left: 50, top: 90, right: 340, bottom: 140 };
  const table: FoundTable = { box, rowCount: 1, columnCount: 1, evidence: 'unruled', confidence: 0.7, cells: [{ row: 0, column: 0, rowSpan: 1, columnSpan: 1, columnHeader: false, rowHeader: false, words: page.words, box }] };
  const found = await tableByNetwork(table, page, answering([120, 250], [106, 122]), signal);
  t.strictSame(found?.cells.filter(({ row }) => row === 0).map(({ words }) => words.map(({ text }) => text).join(' ')), ['חסה', 'אוקטובר', '25']);
});

t.test('the network is not asked for ruled tables and turned text, and not believed where it does not know', async (t) => {
  const { page, table } = wrapped();
  const never: CellFinder = async () => { t.fail('asked'); return null; };
  t.equal(await tableByNetwork({ ...table, evidence: 'ruled' }, page, never, signal), null);
  const turned = { ...table, cells: [{ ...table.cells[0]!, words: page.words.map((word) => ({ ...word, angle: 90 })) }] };
  t.equal(await tableByNetwork(turned, page, never, signal), null);
  t.equal(await tableByNetwork(table, page, answering([140, 280], [110], [], 0.05), signal), null, 'unsure');
  t.equal(await tableByNetwork(table, page, answering([], [110]), signal), null, 'one column');
  t.equal(await tableByNetwork(table, page, async () => null, signal), null);
  await t.rejects(tableByNetwork(table, page, async () => { throw new LecternError('cancelled'); }, signal), { code: 'cancelled' });
});

t.test('cells that the file itself tells are not guessed at', async (t) => {
  const { page, table } = wrapped();
  let asked = 0;
  const find: CellFinder = async () => { asked += 1; return null; };
  await tablesByNetwork({ tables: [{ ...table, evidence: 'tagged' }], doubtful: [] }, page, find, signal);
  t.equal(asked, 0);
  await tablesByNetwork({ tables: [table], doubtful: [] }, page, find, signal);
  t.ok(asked > 0);
});

t.test('accurate asks the network for tables without full rules, fast does not', async (t) => {
  const fixture = readFixtures().find(({ name }) => name === 'tables-booktabs')!;
  for (const tableMode of ['accurate', 'fast'] as const) {
    const pictures: Bitmap[] = [];
    const outcome = await convertDocument(
      { inputPath: fixture.pdf, filename: 'a.pdf', outputDirectory: mkdtempSync(`${t.testdir()}/`), failedPages: [], options: { ...defaultConvertOptions, tableMode } },
      { ...quietPorts, tableCells: async (picture) => { pictures.push(picture); return null; } },
    );
    t.equal(outcome.status, 'success');
    t.equal(pictures.length > 0, tableMode === 'accurate', tableMode);
  }
});

t.test('a network that fails costs a page nothing but its opinion, and the failure is said; one without memory leaves the document whole', async (t) => {
  const fixture = readFixtures().find(({ name }) => name === 'tables-booktabs')!;
  const convert = async (tableCells: CellFinder) => {
    const outputDirectory = mkdtempSync(`${t.testdir()}/`);
    const outcome = await convertDocument({ inputPath: fixture.pdf, filename: 'a.pdf', outputDirectory, failedPages: [], options: defaultConvertOptions }, { ...quietPorts, tableCells });
    return { outcome, content: readFileSync(join(outputDirectory, 'content.json'), 'utf8') };
  };
  const failed = await convert(async () => { throw new LecternError('invalid_model', 'It is broken.'); });
  const silent = await convert(async () => null);
  t.match(failed.outcome, { status: 'partial_success', errors: [{ error_message: 'It is broken.', page_no: 1 }] });
  t.equal(failed.content, silent.content);
  const without = await convert(async () => { throw new LecternError('out_of_memory', 'It needs 5 bytes.'); });
  t.match(without.outcome, { status: 'success', errors: [{ category: 'capacity', page_no: 1, error_message: /^Page 1 was read by geometry alone.*: It needs 5 bytes\.$/ }] });
  t.equal(without.outcome.errors.length, 1);
  t.equal(without.content, silent.content);
});

t.test('pages that geometry read alone are told once for the document, the first of them by number', (t) => {
  const some = new PagesWithoutNetworks();
  t.same(some.remarks(), []);
  for (let page = 0; page < 10; page++) for (const network of ['layout', 'tables']) some.add(page, `No room for ${network}.`);
  t.match(some.remarks(), [{ page_no: null, error_message: 'Pages 1, 2, 3, 4, 5, 6, 7, 8 and 2 more were read by geometry alone, without the networks that see tables and layout: No room for tables.' }]);
  t.end();
});

t.test('tables that geometry finds are the same where the network says nothing', async (t) => {
  const { page } = wrapped();
  for (const table of findTables(page, { doTableStructure: true })) t.equal(await tableByNetwork(table, page, async () => null, signal), null);
  t.equal(findTables(page, { doTableStructure: true }).length, 1);
});

t.test('the layout network is asked like the table network: not where fast is wanted, and where it fails its opinion alone is missing', async (t) => {
  const fixture = readFixtures().find(({ name }) => name === 'tables-booktabs')!;
  const convert = async (tableMode: 'accurate' | 'fast', layout: LayoutFinder | null) => {
    const outputDirectory = mkdtempSync(`${t.testdir()}/`);
    const outcome = await convertDocument({ inputPath: fixture.pdf, filename: 'a.pdf', outputDirectory, failedPages: [], options: { ...defaultConvertOptions, tableMode } }, { ...quietPorts, layout });
    return { outcome, content: readFileSync(join(outputDirectory, 'content.json'), 'utf8') };
  };
  let pages = 0;
  const silent = await convert('accurate', async () => { pages++; return noOutput; });
  t.equal(pages, silent.outcome.pageCount);
  const failed = await convert('accurate', async () => { throw new LecternError('invalid_model'); });
  t.equal(failed.outcome.status, 'partial_success');
  t.ok(failed.outcome.errors.length > 0);
  t.equal(failed.content, silent.content);
  const without = await convert('accurate', async () => { throw new LecternError('out_of_memory'); });
  t.match(without.outcome, { status: 'success', errors: [{ category: 'capacity' }] });
  t.equal(without.content, silent.content);
  t.equal((await convert('accurate', null)).content, silent.content, 'nothing said is as nobody asked');
  const never = async (): Promise<never> => { throw new Error('not asked'); };
  t.equal((await convert('fast', never)).outcome.status, 'success');
});
