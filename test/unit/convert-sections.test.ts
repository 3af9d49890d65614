/** Sections of columns: where they end although nothing crosses a gutter, short columns below headings, panels. */
import t from 'tap';
import { orderPage } from '../../src/convert/layout/reading-order.js';
import { findTables } from '../../src/convert/tables/index.js';
import type { TextLine } from '../../src/convert/page/text-line.js';
import { structurePage } from '../../src/convert/pipeline/structure-page.js';
import { openPdf } from '../../src/pdf/index.js';
import { text } from '../support/pdf-content.js';
import { makePdf } from '../support/pdf-writer.js';
import { line, pageStructure, paragraph, regionsOf } from '../support/page-structures.js';

/** First words of what is read without their numbers, each once in a row. */
function reading(...pieces: TextLine[]): string[] {
  const page = pageStructure(0, pieces);
  return orderPage(page, page.pieces, new Map<string, number>()).flatMap(({ items }) => items.map((item) => item.line!.text.split(' ')[0]!.replace(/\d.*$/, '')))
    .filter((word, index, all) => word !== all[index - 1]);
}

const bold = { bold: true };

t.test('headings side by side over columns of other widths end the columns above them, and have short columns of their own', (t) => {
  const above = [...paragraph(50, 100, 150, 20, 'aa'), ...paragraph(210, 100, 150, 20, 'bb'), ...paragraph(380, 100, 160, 20, 'cc')];
  const below = [50, 215, 380].flatMap((left, at) => [
    line(left, 370, `Head${'xyz'[at]!}`, bold), line(left, 383, `${'xyz'[at]!} words that go on until the`), line(left, 396, 'end of it'),
  ]);
  t.same(reading(...above, ...below), ['aa', 'bb', 'cc', 'Headx', 'x', 'end', 'Heady', 'y', 'end', 'Headz', 'z', 'end']);
  const cells = [50, 215].flatMap((left, at) => [line(left, 370, `Head${'xyz'[at]!}`, bold), line(left, 383, 'Cell of a row'), line(left, 396, 'Another row')]);
  t.same(reading(...above, ...cells).slice(3), ['Headx', 'Cell', 'Another'], 'rows without sentences stay rows');
  t.end();
});

t.test('a heading with nothing beside it ends balanced columns, whatever follows', (t) => {
  const columns = [line(50, 100, 'First', bold), ...paragraph(50, 116, 230, 6, 'aa'), ...paragraph(320, 116, 230, 6, 'Bb')];
  t.same(reading(...columns, line(50, 210, 'Second', bold), line(50, 226, 'cc short'), line(50, 238, 'cc and short')), ['First', 'aa', 'Bb', 'Second', 'cc']);
  t.same(reading(...columns, line(50, 210, 'Second', bold), ...paragraph(50, 226, 500, 3, 'wide')), ['First', 'aa', 'Bb', 'Second', 'wide']);
  t.same(reading(...columns, line(50, 210, 'Second', bold), line(50, 226, 'cc short'), line(50, 260, 'Third', bold), ...paragraph(50, 276, 230, 4, 'dd'), ...paragraph(320, 276, 230, 4, 'Ee')),
    ['First', 'aa', 'Bb', 'Second', 'cc', 'Third', 'dd', 'Ee'], 'columns begin again under a later heading');
  const early = [...paragraph(50, 116, 230, 20, 'aa'), ...paragraph(320, 116, 230, 6, 'Bb')];
  t.same(reading(...early, line(50, 380, 'Second', bold), ...paragraph(50, 396, 230, 6, 'cc')), ['aa', 'Second', 'cc', 'Bb'], 'a column that ends early');
  const goesOn = [...paragraph(50, 116, 230, 6, 'Aa'), line(320, 116, 'in the midst of what the first column says'), ...paragraph(320, 128, 230, 5, 'Bb')];
  t.same(reading(...goesOn, line(50, 210, 'Second', bold), ...paragraph(50, 226, 230, 6, 'cc')), ['Aa', 'Second', 'cc', 'in', 'Bb'], 'what goes on from the foot of the first column');
  t.end();
});

t.test('what stands in a corner above a heading is read before it', (t) => {
  const corner = ['Number 2026-0417', 'Date 12.03.2026', 'Customer K-20981', 'Office in Landshut'].map((text, at) => line(400, 80 + 12 * at, text));
  const address = ['Ms Annelie Hill', 'Water Road 115', 'Old Newport'].map((text, at) => line(50, 92 + 17 * at, text));
  t.same(reading(...corner, ...address, line(50, 190, 'Invoice', { size: 16, bold: true }), line(50, 215, 'Dear'), ...paragraph(50, 235, 500, 3, 'body')).slice(-3), ['Invoice', 'Dear', 'body']);
  t.end();
});

t.test('lines whose sentences are broken are no rows of a table, however level they stand', (t) => {
  const left = [line(50, 100, 'Can I pay once a year?'), line(50, 112, 'Yes. You get two months free, and'), line(50, 124, 'one invoice in January.')];
  const right = [line(320, 100, 'What counts as a visit?'), line(320, 112, 'One person on one day, however many'), line(320, 124, 'pages they open.')];
  t.same(reading(...left, ...right), ['Can', 'Yes.', 'one', 'What', 'One', 'pages']);
  t.end();
});

t.test('a short line between clauses and their numbers makes no column of the numbers', (t) => {
  const clause = (top: number, number: string): TextLine[] => [line(50, top, number), ...paragraph(90, top, 450, 2, 'Aldergate')];
  t.same(reading(line(50, 100, 'Between'), ...clause(124, '(1)'), ...clause(160, '(2)'), line(50, 200, 'and nobody else.')), ['Between', '(', 'Aldergate', '(', 'Aldergate', 'and']);
  t.end();
});

t.test('columns with much leading that are shifted by half of it are columns', (t) => {
  const lines = (left: number, top: number, word: string): TextLine[] => Array.from({ length: 5 }, (_, at) => line(left, top + 19 * at, `${word}${at} text that fills all of its column here`));
  t.same(reading(...lines(50, 100, 'aa'), ...lines(320, 109.5, 'bb')), ['aa', 'bb']);
  t.end();
});

t.test('a heading beside its label in the margin is a line of its own', (t) => {
  const order = orderPage(pageStructure(0, []), [line(50, 100, '2019 – today'), line(150, 100, 'Senior engineer', bold), line(150, 114, 'Surveys of churches and barns.')], new Map<string, number>());
  t.same(order.flatMap(({ items }) => items.map((item) => item.line?.text)), ['2019 – today', 'Senior engineer', 'Surveys of churches and barns.']);
  const form = orderPage(pageStructure(0, []), [line(50, 100, 'Customer'), line(150, 100, 'Harbour Works', bold)], new Map<string, number>());
  t.same(form.flatMap(({ items }) => items.map((item) => item.line?.text)), ['Customer Harbour Works'], 'the value of a field is not');
  t.end();
});

t.test('what stands on a panel at a side of the page is a column by itself, and in no table with what stands beside it', async (t) => {
  const panel = '0.2 0.3 0.4 rg 0 0 180 800 re f 0 g';
  const rows = ['Contact', 'Road 18', 'Town', 'Skills', 'Python', 'Polish'].flatMap((label, at) => [
    text(20, 700 - 20 * at, 10, label, { font: 'Helvetica' }), text(210, 700 - 20 * at, 10, ['Lead engineer', 'Vistula', 'Engineer', 'Nordbank', 'Developer', 'Pixelhaus'][at]!, { font: 'Helvetica' }), text(480, 700 - 20 * at, 10, `20${10 + at} - 20${12 + at}`, { font: 'Helvetica' }),
  ]);
  for (const [fill, count] of [[panel, 2], ['', 3]] as const) {
    const pdf = await openPdf(makePdf({ pages: [{ width: 600, height: 800, content: [fill, ...rows] }] }));
    const content = pdf.readPage(0);
    pdf.close();
    const found = findTables(content, { doTableStructure: true });
    t.equal(found[0]?.columnCount, count);
    if (fill === '') continue;
    const page = structurePage({ ...regionsOf(content), tables: found });
    t.same(orderPage(page, page.pieces, new Map<string, number>()).flatMap(({ items }) => items.map((item) => item.line?.text ?? '#')), ['Contact', 'Road 18', 'Town', 'Skills', 'Python', 'Polish', '#']);
  }
});
