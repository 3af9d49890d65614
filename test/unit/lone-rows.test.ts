/** Rows that the end of a page or of a text column parts from the table they belong to. */
import t from 'tap';
import type { PageStructure } from '../../src/convert/page/values.js';
import type { TextLine } from '../../src/convert/page/text-line.js';
import { structureDocument } from '../../src/convert/structure/structure-document.js';
import { line, pageStructure, paragraph, table } from '../support/page-structures.js';

const bold: Partial<TextLine> = { bold: true };
const head = ['Country', 'River', 'Length'];
const body = [['Austria', 'Danube', '350'], ['Czechia', 'Elbe', '370']];

/** The rows of each table of the document, and its texts. */
function read(pages: PageStructure[]): { tables: string[][][]; text: string } {
  const { blocks } = structureDocument(pages, [], false);
  const tables = blocks.flatMap((block) => (block.kind === 'table' ? [block.table] : []));
  const textOf = (cell: { lines: { text: string }[] }): string => cell.lines.map(({ text }) => text).join(' ');
  return {
    tables: tables.map(({ rowCount, cells }) => Array.from({ length: rowCount }, (_, row) => cells.filter((cell) => cell.row === row).map(textOf))),
    text: blocks.flatMap((block) => (block.kind === 'text' ? block.columnParts.flatMap(({ lines }) => lines.map(({ text }) => text)) : [])).join(' '),
  };
}

/** A table over columns of 80 points from `left`, 20 points a row. */
const tableAt = (left: number, top: number, rows: string[][]): ReturnType<typeof table> => table({ left, right: left + 80 * rows[0]!.length, top, bottom: top + 20 * rows.length }, rows);

/** Texts in those columns. */
const row = (left: number, baseline: number, texts: string[], style: Partial<TextLine> = {}): TextLine[] => texts.flatMap((text, column) => (text === '' ? [] : [line(left + 4 + 80 * column, baseline, text, style)]));

/** Text in the left column down to a head at its foot, the table and text in the right one. */
const twoColumns = (foot: TextLine[], above: TextLine[] = []): PageStructure =>
  pageStructure(0, [...paragraph(50, 80, 240, 40, 'mill'), ...foot, ...above, ...paragraph(310, 150, 240, 40, 'swim')], { tables: [tableAt(310, 70, body)] });

t.test('a head that the end of a column parts from its rows', async (t) => {
  const { tables, text } = read([twoColumns(row(50, 700, head, bold))]);
  t.strictSame(tables, [[head, ...body]]);
  t.notMatch(text, /Country/);
  t.strictSame(read([twoColumns([...row(50, 690, head, bold), ...row(50, 702, ['', 'or lake', ''], bold)])]).tables, [[['Country', 'River or lake', 'Length'], ...body]], 'of two lines');
  t.strictSame(read([twoColumns(row(50, 700, ['', 'River', 'Length'], bold).concat(line(134, 712, 'in all', bold)))]).tables, [[['', 'River in all', 'Length'], ...body]], 'its first column empty');
});

t.test('a head between two rules need not be bold', async (t) => {
  const ruled = (texts: string[], ...rules: number[]): string[][][] => {
    const page = twoColumns([line(54, 687, 'Rivers'), ...row(50, 700, texts)]);
    return read([{ ...page, separators: rules.map((y) => ({ y, left: 50, right: 290 })) }]).tables;
  };
  t.strictSame(ruled(head, 690, 706), [[head, ...body]]);
  t.strictSame(ruled(head, 706), [body], 'a rule below only');
  t.strictSame(ruled(head, 690, 694), [body], 'both above');
  t.strictSame(ruled(['Poland', 'Vistula', '1047 km'], 690, 706), [body], 'a row with a number');
  const short = twoColumns([line(54, 687, 'Rivers'), ...row(50, 700, head)]);
  t.strictSame(read([{ ...short, separators: [690, 706].map((y) => ({ y, left: 50, right: 200 })) }]).tables, [body], 'rules shorter than the table');
});

t.test('what is no head stays text', async (t) => {
  t.strictSame(read([twoColumns(row(50, 700, head))]).tables, [body], 'not bold');
  t.strictSame(read([twoColumns([line(54, 700, 'Country of the rivers', bold), line(214, 700, 'Length', bold), line(214, 712, 'in all', bold)])]).tables, [body], 'a text over two columns');
  t.strictSame(read([twoColumns([...row(50, 700, head, bold), ...paragraph(50, 712, 240, 2, 'mill')])]).tables, [body], 'text follows in its column');
  t.strictSame(read([twoColumns(row(50, 700, head, bold), [line(310, 60, 'Rivers')])]).tables, [body], 'a line stands above the table');
  t.strictSame(read([twoColumns(row(50, 700, head, { ...bold, size: 14 }))]).tables, [body], 'larger');
  t.strictSame(read([twoColumns([0, 1, 2, 3, 4].flatMap((at) => row(50, 640 + 12 * at, head, bold)))]).tables, [body], 'more lines than heads have');
  t.strictSame(read([{ ...twoColumns(row(50, 700, head, bold)), figures: [{ box: { left: 50, right: 290, top: 710, bottom: 770 }, chart: false, ownsText: true }] }]).tables, [body], 'a figure stands below');
  t.strictSame(read([twoColumns([line(54, 660, 'The rivers of the land and where they end', bold), ...row(50, 700, head, bold)])]).tables, [[head, ...body]], 'but bold words higher up are none of it');
});

// Tables are joined in place.
const firstPage = (rows = [head, ...body]): PageStructure => pageStructure(0, paragraph(50, 80, 500, 30, 'mill'), { tables: [tableAt(50, 640, rows)] });
const poland = [...row(50, 80, ['Poland', 'Vistula, which', '1047']), line(134, 92, 'ends there')];

t.test('the last row of a table on a page of its own', async (t) => {
  const whole = [head, ...body, ['Poland', 'Vistula, which ends there', '1047']];
  t.strictSame(read([firstPage(), pageStructure(1, poland)]).tables, [whole]);
  const { tables, text } = read([firstPage(), pageStructure(1, [...poland, ...paragraph(50, 130, 500, 20, 'swim')])]);
  t.strictSame(tables, [whole], 'text after wider white');
  t.notMatch(text, /Poland/);
});

t.test('a last row that looks like a running head, with a number at its end, is a row; what pages repeat is a head', async (t) => {
  const last = (baseline: number, texts = ['Poland', 'Vistula', '1047']): TextLine[] => row(50, baseline, texts);
  const next = (lines: TextLine[], page = 1): PageStructure => pageStructure(page, [...lines, ...paragraph(50, 130, 500, 30, ['mill', 'swim', 'row', 'sail'][page])]); // no copies of one page
  t.strictSame(read([firstPage(), next(last(60))]).tables, [[head, ...body, ['Poland', 'Vistula', '1047']]]);
  t.strictSame(read([firstPage(), next(last(60, ['Rivers', 'of the land', '2'])), next(last(60, ['Rivers', 'of the land', '3']), 2), next(last(60, ['Rivers', 'of the land', '4']), 3)]).tables, [[head, ...body]]);
});

t.test('what is no row stays text', async (t) => {
  const own = [[head, ...body]];
  t.strictSame(read([firstPage(), pageStructure(1, [...poland, ...paragraph(50, 104, 500, 20, 'swim')])]).tables, own, 'text goes on below');
  t.strictSame(read([firstPage(), pageStructure(1, [...row(50, 80, ['Poland', 'Vistula', '']), line(134, 92, 'that ends'), line(214, 104, 'long'), line(134, 116, 'there'), line(134, 128, 'at last')])]).tables, own, 'too few texts in its first line');
  const wide = [[...head, 'Mouth', 'Source'], ['Austria', 'Danube', '350', 'Sulina', 'Breg'], ['Czechia', 'Elbe', '370', 'Hamburg', 'Labe']];
  const last = (texts: string[]): string[][][] => read([firstPage(wide), pageStructure(1, [...row(50, 80, texts), line(134, 92, 'that ends'), ...paragraph(50, 130, 500, 20, 'swim')])]).tables;
  t.strictSame(last(['Poland', 'Vistula', '', 'Gdansk', 'Beskid']), [[...wide, ['Poland', 'Vistula that ends', '', 'Gdansk', 'Beskid']]], 'one column may be empty');
  t.strictSame(last(['', 'Vistula', '1047', 'Gdansk', 'Beskid']), [wide], 'but not the one of the labels');
  t.strictSame(last(['Poland', 'Vistula', '', '', 'Beskid']), [wide], 'nor two');
  const aside = (by: number): string[][][] => read([firstPage(), pageStructure(1, [...poland.map((piece) => ({ ...piece, box: { ...piece.box, left: piece.box.left + by, right: piece.box.right + by } })), ...paragraph(50, 130, 500, 20, 'swim')])]).tables;
  t.strictSame(aside(24), [[...own[0]!, ['Poland', 'Vistula, which ends there', '1047']]], 'it may stand a little to a side of its columns');
  t.strictSame(aside(44), own, 'but not far, as another table would');
  const under = pageStructure(0, [...paragraph(50, 80, 500, 30, 'mill'), ...paragraph(50, 720, 500, 3, 'mill')], { tables: [tableAt(50, 640, [head, ...body])] });
  t.strictSame(read([under, pageStructure(1, poland)]).tables, own, 'the table is not the last on its page');
  const columns = [0, 1, 2].flatMap((column) => paragraph(54 + 80 * column, 80, 70, 16, 'swim'));
  t.strictSame(read([firstPage(), pageStructure(1, columns)]).tables, own, 'columns of text as wide');
});
