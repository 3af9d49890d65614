import t from 'tap';
import type { Box } from '../../src/pdf/pdf-page.js';
import type { PageTable } from '../../src/convert/page/page-table.js';
import type { TextLine } from '../../src/convert/page/text-line.js';
import { textBlock } from '../../src/convert/structure/block.js';
import type { Block, TableBlock, TextBlock, TextRole } from '../../src/convert/structure/block.js';
import { joinTables } from '../../src/convert/structure/table-parts.js';

const head = ['Tool', 'Use', 'Count'];
const saw = ['Bow saw', 'Curves', '1'];
const rasp = ['Rasp', 'Shaping', '2'];
const file = ['File', 'Metal', '7'];

/** A part on one of two pages of 800 points; a row of one text reaches over all columns. */
function partOf(pageIndex: number, rows: string[][], lefts = [50, 150, 250]): TableBlock {
  const box = { left: 50, right: 350, top: pageIndex === 0 ? 500 : 60, bottom: pageIndex === 0 ? 760 : 200 };
  const cells = rows.flatMap((texts, row) => texts.map((text, column) => ({
    row, column, rowSpan: 1, columnSpan: texts.length === 1 ? 3 : 1, columnHeader: texts === head, rowHeader: false, box: { ...box, top: box.top + 20 * row, bottom: box.top + 20 * row + 20 },
    lines: [{ text, softHyphen: false }],
  })));
  const table: PageTable = { box, rowCount: rows.length, columnCount: 3, cells, columnLefts: lefts, size: 10, letters: 100, index: false, evidence: 'partly-ruled', confidence: 0.9 };
  return { kind: 'table', pageIndex, table, captions: [], places: [{ pageIndex, box }], repeatedHeads: [] };
}

function lineOf(pageIndex: number, text: string, role: TextRole = 'text'): TextBlock {
  const box: Box = { left: 50, right: 350, top: pageIndex === 0 ? 765 : 40, bottom: pageIndex === 0 ? 775 : 50 };
  return { ...textBlock(pageIndex, [{ text, box } as unknown as TextLine], box, { left: 50, right: 350 }), role };
}

function captioned(table: TableBlock, text: string): TableBlock {
  table.captions.push(lineOf(table.pageIndex, text, 'caption'));
  return table;
}

const textsOf = ({ table }: TableBlock): string[][] => Array.from({ length: table.rowCount }, (_, row) => table.cells.filter((cell) => cell.row === row).map(({ lines }) => lines[0]!.text));
const tablesIn = (blocks: Block[]): string[][][] => blocks.filter((block) => block.kind === 'table').map(textsOf);
const join = (...blocks: Block[]): Block[] => joinTables(blocks, () => 800);
const whole = [[head, saw, rasp, file]];
const apart = [[head, saw], [head, rasp, file]];

t.test('a head that is repeated joins parts whose columns stand in one place, wherever the edge before their figures lies', async (t) => {
  t.strictSame(tablesIn(join(partOf(0, [head, saw], [50, 130, 290]), partOf(1, [head, rasp, file], [50, 130, 220]))), whole);
  t.strictSame(tablesIn(join(partOf(0, [head, saw], [50, 130, 200]), partOf(1, [head, rasp, file], [50, 220, 280]))), apart, 'the second column of each beside that of the other');
});

t.test('a word that names other things, too, joins nothing', async (t) => {
  for (const text of ['Suite', 'CD', 'c. d.']) t.strictSame(tablesIn(join(partOf(0, [head, saw]), lineOf(0, text), partOf(1, [head, rasp, file]))), apart, text);
});

t.test('a line that only says that a table goes on is furniture between its parts', async (t) => {
  const lines = [
    'continued on next page', '(Continued on the next page …)', 'Continued', 'Fortsetzung auf der nächsten Seite', 'suite à la page suivante', '(suite)', 'continúa en la página siguiente',
    'continua na próxima página', 'segue nella pagina seguente', 'vervolg op volgende pagina', 'pokračování na další straně', 'ciąg dalszy na następnej stronie', 'продолжение на следующей странице', '接下页', '次のページに続く',
  ];
  for (const text of lines) {
    const blocks = join(captioned(partOf(0, [head, saw]), 'Table 1: Tools'), lineOf(0, text), partOf(1, [head, rasp, file]));
    t.strictSame(tablesIn(blocks), whole, text);
    t.strictSame(blocks.slice(1).map((block) => block.kind === 'text' && [block.role, block.columnParts[0]!.lines[0]!.text]), [['page_footer', text]]);
  }
  for (const text of ['Table 1 (continued)', 'Table 1: Tools (continued)', 'Table 1 – continued from previous page', 'Table 1 continued: Tools', 'Table 1 (continued) Tools', 'Tabelle 1 (Fortsetzung)', 'Fortsetzung von Tabelle 1: Tools', 'Tableau 1 (suite)', 'Продолжение таблицы 1', '续表1', '表1（续）']) {
    const blocks = join(captioned(partOf(0, [head, saw]), 'Table 1: Tools'), lineOf(1, text), partOf(1, [head, rasp, file]));
    t.strictSame(tablesIn(blocks), whole, text);
    t.equal(blocks[1]!.kind === 'text' && blocks[1]!.role, 'page_header', text);
  }
});

t.test('what says more than that keeps parts apart, or stays a caption', async (t) => {
  for (const text of ['The work was continued on the next day.', 'Continued growth', 'Test suite', 'Tools continued']) {
    t.strictSame(tablesIn(join(partOf(0, [head, saw]), lineOf(0, text), partOf(1, [head, rasp, file]))), apart, text);
  }
  for (const role of ['text', 'caption'] as const) {
    t.strictSame(tablesIn(join(captioned(partOf(0, [head, saw]), 'Table 1: Tools'), lineOf(1, 'Table 2 (continued)', role), partOf(1, [head, rasp, file]))), apart, 'another table goes on');
  }
  const [table] = join(captioned(partOf(0, [head, saw]), 'Table 1: Tools'), captioned(partOf(1, [head, rasp, file]), 'Table 1: Tools of iron (continued)'));
  t.strictSame(table!.kind === 'table' && [table!.captions.length, table!.repeatedHeads.length], [2, 1]);
});

t.test('a caption that stands again over the second part is furniture; one with another number is another table\'s', async (t) => {
  for (const again of ['Table 1: Tools', 'Table 1: Tools (continued)', 'Table 1 (cont.)', 'TABLE 1. Continued']) {
    const blocks = join(captioned(partOf(0, [head, saw]), 'Table 1: Tools'), captioned(partOf(1, [head, rasp, file]), again));
    t.strictSame(tablesIn(blocks), whole, again);
    const [table] = blocks;
    t.strictSame(table!.kind === 'table' && [table!.captions.length, table!.repeatedHeads.map(({ text }) => text)], [1, [again, 'Tool Use Count']]);
  }
  t.strictSame(tablesIn(join(captioned(partOf(0, [head, saw]), 'Table 1: Tools'), captioned(partOf(1, [head, rasp, file]), 'Table 2: Tools'))), apart);
});

t.test('rows over all columns that say that a table goes on are no rows of it', async (t) => {
  const blocks = join(captioned(partOf(0, [head, saw, ['Continued on next page']]), 'Table 1: Tools'), partOf(1, [['Table 1 – continued from previous page'], head, rasp, file]));
  t.strictSame(tablesIn(blocks), whole);
  const [table] = blocks;
  t.strictSame(table!.kind === 'table' && table!.repeatedHeads.map(({ pageIndex, text }) => [pageIndex, text]), [[0, 'Continued on next page'], [1, 'Table 1 – continued from previous page'], [1, 'Tool Use Count']]);
  const other = [['Tools of iron, continued'], head, rasp, file];
  t.strictSame(tablesIn(join(partOf(0, [head, saw]), partOf(1, other))).flat().flat().includes('Tools of iron, continued'), true, 'one that says more stays');
});
