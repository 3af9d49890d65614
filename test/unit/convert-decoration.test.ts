/** What pages draw around their text, and signs that files do not name: frames, grounds, bullets, addresses of notes, a light title. */
import t from 'tap';
import type { PageStructure } from '../../src/convert/page/values.js';
import { lineOfWords } from '../../src/convert/page/text-line.js';
import { tableOfPage } from '../../src/convert/page/page-table.js';
import type { TextBlock } from '../../src/convert/structure/block.js';
import { plainText } from '../../src/convert/structure/block.js';
import { structureDocument } from '../../src/convert/structure/structure-document.js';
import { findTables } from '../../src/convert/tables/index.js';
import type { Word } from '../../src/pdf/pdf-page.js';
import { PageMaker } from '../support/made-page.js';
import { line, pageStructure, paragraph, table } from '../support/page-structures.js';

function frame(made: PageMaker, left: number, top: number, right: number, bottom: number): void {
  for (const y of [top, bottom]) made.horizontal(y, left, right);
  for (const x of [left, right]) made.vertical(x, top, bottom);
}

/** A grid of two columns whose rows begin at these heights; the last one ends it. */
function grid(made: PageMaker, left: number, heights: number[], texts: [string, string][]): void {
  for (const y of heights) made.horizontal(y, left, left + 300);
  for (const x of [left, left + 150, left + 300]) made.vertical(x, heights[0]!, heights.at(-1)!);
  for (const [row, pair] of texts.entries()) made.row(heights[row]! + 14, [left + 5, left + 155], pair);
}

function textBlocks(pages: PageStructure[]): TextBlock[] {
  return structureDocument(pages, [], false).blocks.filter((block): block is TextBlock => block.kind === 'text');
}

t.test('a frame around the page holds no table, the grids inside are tables of their own', async (t) => {
  const made = new PageMaker();
  frame(made, 25, 25, 575, 775);
  frame(made, 27, 27, 573, 773);
  made.shade(26, 26, 574, 774, 0xfefefe);
  grid(made, 100, [100, 120, 140, 160], [['Name', 'Mass'], ['Anna', '12'], ['Bert', '13']]);
  made.text(100, 250, 'Between them stands a line of text');
  grid(made, 120, [300, 320, 340], [['Place', 'Height'], ['Brno', '237']]);
  const tables = findTables(made.page(), { doTableStructure: true });
  t.same(tables.map(({ rowCount, columnCount }) => [rowCount, columnCount]), [[3, 2], [2, 2]]);
});

t.test('a grid as large as the page is a table all the same', async (t) => {
  const made = new PageMaker();
  frame(made, 25, 25, 575, 775);
  for (let y = 75; y < 775; y += 50) made.horizontal(y, 25, 575);
  made.vertical(300, 25, 775);
  for (let row = 0; row < 15; row++) made.row(50 + 50 * row, [40, 320], [`Row ${row}`, `${row * 7}`]);
  t.same(findTables(made.page(), { doTableStructure: true }).map(({ rowCount, columnCount }) => [rowCount, columnCount]), [[15, 2]]);
});

t.test('shaded paragraphs in a shaded cell part no rows', async (t) => {
  const made = new PageMaker();
  grid(made, 100, [100, 140, 160], [['Name of the', 'Long values that'], ['Short', '13']]);
  made.row(130, [105, 255], ['standard', 'take two lines']);
  made.shade(250, 100, 400, 140);
  made.shade(255, 100, 395, 119);
  made.shade(255, 119, 395, 140);
  const [table] = findTables(made.page(), { doTableStructure: true });
  t.same(table?.cells.map(({ words }) => words.map((word) => word.text).join(' ')), ['Name of the standard', 'Long values that take two lines', 'Short', '13']);
});

t.test('a table in Hebrew is read from the right, its numbers from the left', async (t) => {
  const made = new PageMaker();
  grid(made, 100, [100, 120, 140], [['47 500 ערך', 'שם'], ['12', 'גובה']]);
  const [table] = findTables(made.page(), { doTableStructure: true });
  const cells = tableOfPage(table!, [], false).cells.map(({ row, column, lines }) => [row, column, lines.map(({ text }) => text).join('|')]);
  // On paper `ערך` stands right of the numbers: it is read first.
  t.same(cells, [[0, 0, 'שם'], [0, 1, 'ערך 47 500'], [1, 0, 'גובה'], [1, 1, '12']]);
});

t.test('a sign by itself that the file does not name is a bullet', (t) => {
  const blocks = textBlocks([pageStructure(0, [...paragraph(50, 60, 480, 4, 'aa'), line(50, 130, '\ufffd First of the things'), line(50, 144, '\ufffd Second of them'), ...paragraph(50, 170, 480, 4, 'bb')])]);
  t.same(blocks.filter(({ role }) => role === 'list_item').map((block) => [block.marker, plainText(block).slice(block.textStart)]), [['•', 'First of the things'], ['•', 'Second of them']]);
  t.end();
});

t.test('addresses of notes are notes, however they are set', (t) => {
  const raised = { size: 8, monospace: true, font: 'Mono', spans: [{ start: 0, end: 1, script: 'super' as const, uri: null }] };
  const body = Array.from({ length: 30 }, (_, index) => line(50, 60 + 12 * index, 'ragged words of a text '.repeat(3 + (index % 3)).trim()));
  const page = pageStructure(0, [...body, line(50, 600, '1 http://www.example.org/gates', raised), line(50, 609.6, '2 http://www.example.com/', raised)], { separators: [{ y: 590, left: 50, right: 200 }] });
  t.same(textBlocks([page]).filter(({ role }) => role === 'footnote').map(plainText), ['1 http://www.example.org/gates', '2 http://www.example.com/']);
  t.end();
});

t.test('a running foot in one face and its number in bold are one foot', (t) => {
  const blocks = textBlocks([pageStructure(0, [...paragraph(50, 60, 480, 40, 'mill'), line(50, 765, '© Gate Office 2014. All rights reserved.', { size: 9 }), line(540, 765, 'xi', { bold: true })])]);
  t.equal(blocks.filter(({ role }) => role === 'page_footer').map(plainText).join(' '), '© Gate Office 2014. All rights reserved. xi');
  t.end();
});

t.test('a first line in a face of its own is the title, though the headings are larger', (t) => {
  const section = (top: number, text: string): ReturnType<typeof line>[] => [line(50, top, text, { size: 13, bold: true }), ...paragraph(50, top + 20, 480, 3, 'aa')];
  const opening = [line(50, 60, 'The History of Gates', { size: 11.4, bold: true }), ...paragraph(50, 85, 480, 3, 'cc')];
  const levels = (pieces: ReturnType<typeof line>[]): [string, number][] => textBlocks([pageStructure(0, pieces)]).filter(({ role }) => role === 'heading').map((block) => [plainText(block), block.level]);
  t.same(levels([...opening, ...section(150, 'Early Gates'), ...section(250, 'Late Gates')]), [['The History of Gates', 0], ['Early Gates', 1], ['Late Gates', 1]]);
  const again = [line(50, 340, 'More of the same', { size: 11.4, bold: true }), ...paragraph(50, 360, 480, 3, 'dd')];
  t.not(levels([...opening, ...section(150, 'Early Gates'), ...section(250, 'Late Gates'), ...again])[0]![1], 0, 'a face that comes again is no title');
  t.end();
});

t.test('a sentence in bold that all but fills the first line parts no paragraph', (t) => {
  const word = (text: string, left: number, bold: boolean): Word => ({
    text, box: { left, right: left + 5 * text.length, top: 93, bottom: 101 }, baseline: 100, font: { name: bold ? 'Body-Bold' : 'Body', weight: 400, bold, italic: false, monospace: false, symbolic: false },
    size: 10, color: 0, angle: 0, glued: false, softHyphen: false, invisible: false, order: left, link: -1, underline: false, strike: false, mcid: -1,
  });
  const words = (last: boolean): Word[] => [...'Figure 4: The performance of models on a wide range of tasks.'.split(' ').map((text, index) => word(text, 50 + 40 * index, true)), word('All', 560, last)];
  const line = lineOfWords(words(false), [], () => '');
  t.notOk(line.bold);
  t.equal(line.boldPrefix, line.text.length - ' All'.length);
  t.ok(lineOfWords(words(true), [], () => '').bold);
  t.end();
});

t.test('rows of values between two rules are rows, though most stretches hold one', (t) => {
  const made = new PageMaker();
  for (const y of [100, 120, 150, 170, 190]) made.horizontal(y, 50, 550);
  const columns = [55, 180, 270, 360, 450];
  made.row(114, columns, ['Model', 'Recall', 'Order', 'Cells', 'Words']);
  for (const [index, y] of [132, 144, 164, 184].entries()) made.row(y, columns, [`Reader ${'abcd'[index]!}`, `${index}4.4%`, `${index}5.1%`, `${index}6.2%`, `${index}7.3%`]);
  const [table] = findTables(made.page(), { doTableStructure: true });
  t.equal(table?.rowCount, 5);
  const wrapped = new PageMaker();
  for (const y of [100, 120, 150, 170, 190]) wrapped.horizontal(y, 50, 550);
  wrapped.row(114, columns, ['Model', 'Recall', 'Order', 'Cells', 'Words']);
  wrapped.row(132, columns, ['Reader of', '4.4%', '5.1%', 'some of', '7.3%']);
  wrapped.row(144, [columns[0]!, columns[3]!], ['two lines', 'them']);
  for (const y of [164, 184]) wrapped.row(y, columns, ['Reader', '4.4%', '5.1%', '6.2%', '7.3%']);
  t.equal(findTables(wrapped.page(), { doTableStructure: true })[0]?.rowCount, 4, 'a cell of two lines stays one');
  t.end();
});

t.test('text beside a table with a narrow gutter is read by itself', (t) => {
  const left = Array.from({ length: 12 }, (_, index) => line(50, 110 + 12 * index, 'words of the text that is set narrow'));
  const edge = Math.max(...left.map(({ box }) => box.right));
  const beside = table({ left: edge + 7.5, right: 550, top: 100, bottom: 205 }, [['Name', 'Score'], ['One', '7'], ['Two', '8']]);
  const caption = [line(edge + 7.5, 226, 'Table 3: Scores of the readers, of'), line(edge + 7.5, 237, 'which there are but a few.')];
  const blocks = structureDocument([pageStructure(0, [...paragraph(50, 30, 500, 4, 'mill'), ...left, ...caption, ...paragraph(50, 270, 500, 8, 'swim')], { tables: [beside] })], [], false).blocks;
  const texts = blocks.filter((block): block is TextBlock => block.kind === 'text').map(plainText);
  t.notOk(texts.some((text) => /narrow.*Table 3|Table 3.*narrow/.test(text)), 'text and caption do not mix');
  t.ok(texts.includes('Table 3: Scores of the readers, of which there are but a few.') || blocks.some((block) => block.kind === 'table' && block.captions.map(plainText).join() === 'Table 3: Scores of the readers, of which there are but a few.'));
  t.end();
});

t.test('lines of addresses in a monospace font are no program', (t) => {
  const mono = { monospace: true, font: 'Mono' };
  const roles = (pieces: ReturnType<typeof line>[]): string[] => textBlocks([pageStructure(0, [...paragraph(50, 60, 480, 6, 'mill'), ...pieces, ...paragraph(50, 200, 480, 6, 'swim')])]).map(({ role }) => role);
  t.notOk(roles([line(50, 150, 'Code: https://example.org/gates', mono), line(50, 162, 'Web page: https://example.com/gates/', mono)]).includes('code'));
  t.ok(roles([line(50, 150, 'fetch(https://example.org/gates)', mono), line(50, 162, 'open(https://example.com/gates/)', mono)]).includes('code'));
  t.end();
});

t.test('a text alone in its row, where its column begins, heads nothing', (t) => {
  const made = new PageMaker();
  for (const y of [117, 135, 270]) made.horizontal(y, 68, 363, [249]);
  made.row(129, [74, 254], ['Area', 'Competence']);
  const groups: [number, string | null, string][] = [
    [147, '1. Embodying values', '1.1 Valuing'], [163, null, '1.2 Supporting fairness'], [180, null, '1.3 Promoting nature'], [197, '2. Embracing complexity', '2.1 Systems thinking'],
    [214, null, '2.2 Critical thinking'], [230, null, '2.3 Problem framing'], [247, '3. Envisioning futures', '3.1 Futures literacy'], [264, null, '3.2 Adaptability'],
  ];
  for (const [y, label, text] of groups) made.row(y, label === null ? [254] : [74, 254], label === null ? [text] : [label, text]);
  const [table] = findTables(made.page(), { doTableStructure: true });
  t.same(table?.cells.filter(({ words }) => words.length > 0 && words[0]!.text === '2.2').map(({ column, columnSpan }) => [column, columnSpan]), [[1, 1]]);
  t.end();
});

t.test('the raised mark of a note stands apart from its text, the number of an isotope does not', (t) => {
  const word = (text: string, left: number, raised: boolean): Word => ({
    text, box: { left, right: left + 5 * text.length, top: raised ? 90 : 93, bottom: 101 }, baseline: raised ? 97 : 100, font: { name: 'Body', weight: 400, bold: false, italic: false, monospace: false, symbolic: false },
    size: raised ? 5 : 10, color: 0, angle: 0, glued: left === 55, softHyphen: false, invisible: false, order: left, link: -1, underline: false, strike: false, mcid: -1,
  });
  const text = (mark: string, first: string): string => lineOfWords([word(mark, 50, true), word(first, 55, false), word('viermal gezählt.', 90, false)], [], () => '').text;
  t.equal(text('1', 'Im'), '1 Im viermal gezählt.');
  t.equal(text('*', 'Winter'), '* Winter viermal gezählt.');
  t.equal(text('4', 'He'), '4He viermal gezählt.');
  t.equal(text('13', 'CO2'), '13CO2 viermal gezählt.');
  t.equal(text('14', 'C'), '14C viermal gezählt.');
  t.end();
});
