/** XLSX: what cells show, regions as tables, spans, sheets, drawings; and number formats by themselves. */
import t from 'tap';
import { writeMarkdown } from '../../src/document/markdown.js';
import { readXlsx } from '../../src/formats/office/xlsx/read-xlsx.js';
import { scanSheet } from '../../src/formats/office/xlsx/scan-sheet.js';
import { general, isShortDecimal, numberFormatter, shortened } from '../../src/formats/office/number-format.js';
import { makeXlsx, relationship, type XlsxParts } from '../support/office-files.js';
import { randomFrom } from '../support/random.js';
import { readOffice, readOptions } from '../support/read-office.js';

const sheet = (rows: string, rest = ''): string => `<sheetData>${rows}</sheetData>${rest}`;
const markdown = async (parts: XlsxParts): Promise<string> => (await readOffice('xlsx', makeXlsx(parts))).markdown;
const number = (address: string, value: number | string, style = 0): string => `<c r="${address}" s="${style}"><v>${value}</v></c>`;
const inline = (address: string, text: string): string => `<c r="${address}" t="inlineStr"><is><t>${text}</t></is></c>`;

t.test('number formats', (t) => {
  const cases: [code: string, value: number, shown: string][] = [
    ['General', 0.1 + 0.2, '0.3'], ['General', 1234567890123, '1.23457E+12'], ['General', -5, '-5'], ['General', 1e-10, '1E-10'], ['', 12.5, '12.5'],
    ['0', 2.5, '3'], ['0', -0.4, '0'], ['0.00', 1.005, '1.01'], ['0.00', -1.5, '-1.50'], ['#,##0', 1234567, '1,234,567'], ['#,##0.0#', 1234.5, '1,234.5'], ['#.##', 0.5, '.5'], ['000', 7, '007'],
    ['0%', 0.256, '26%'], ['0.0%', 0.2567, '25.7%'], ['0.00E+00', 12345, '1.23E+04'], ['0.00E+00', 0.00012, '1.20E-04'], ['##0.0E+0', 12345, '12.3E+3'], ['# ?/?', 2.5, '2 1/2'], ['# ??/??', 0.3333, '1/3'],
    ['#,##0,', 1234567, '1,235'], ['0.0,,"M"', 1234567, '1.2M'], ['"\u20ac" #,##0.00', 3, '\u20ac 3.00'], ['[$\u20ac-407] #,##0.00', 3, '\u20ac 3.00'], ['#,##0.00 [$USD]', 3, '3.00 USD'],
    ['#,##0;(#,##0)', -5, '(5)'], ['#,##0;[Red]-#,##0', -5, '-5'], ['0;-0;"none"', 0, 'none'], ['[>=100]"many";[<0]"debt";0', 150, 'many'], ['[>=100]"many";[<0]"debt";0', -3, 'debt'],
    ['000-0000', 5551234, '555-1234'], ['_(* #,##0_)', 1234, '1,234'], ['0\\ "kg"', 5, '5 kg'], ['@', 5, '5'], [';;;', 5, ''],
    ['yyyy-mm-dd', 43831, '2020-01-01'], ['d/m/yy', 43831.5, '1/1/20'], ['dddd, mmmm d', 43831, 'Wednesday, January 1'], ['mmm-yy', 43862, 'Feb-20'], ['h:mm', 0.5, '12:00'], ['h:mm AM/PM', 0.75, '6:00 PM'],
    ['yyyy-mm-dd hh:mm:ss', 43831.999994, '2020-01-01 23:59:59'], ['mm:ss.0', 0.00001, '00:00.9'], ['[h]:mm', 1.5, '36:00'], ['[mm]:ss', 0.0625, '90:00'], ['yyyy-mm-dd', 59, '1900-02-28'], ['yyyy-mm-dd', 61, '1900-03-01'],
    ['yyyy-mm-dd', -1, '-1'], ['yyyy-mm-dd', 1e9, '1000000000'], ['0.00"', 1, '1.00'], ['[', 5, '['], ['"', 5, ''], ['\\', 5, ''],
  ];
  for (const [code, value, shown] of cases) t.equal(numberFormatter(code, false)(value), shown, `${value} as ${code}`);
  t.equal(numberFormatter('yyyy-mm-dd', true)(0), '1904-01-01');
  t.end();
});

t.test('numbers that are rounded in their text are rounded as General does it', (t) => {
  const random = randomFrom(5);
  let found = 0;
  for (let round = 0; round < 100_000; round++) {
    const value = (random() < 0.5 ? -1 : 1) * Math.round(random() * 1e5) / 10 ** Math.floor(random() * 5) * (random() < 0.3 ? 1.1 : random() < 0.5 ? 1 + 1e-10 : random());
    // Excel writes 17 digits, JavaScript as few as tell the number.
    const text = random() < 0.5 ? String(value) : String(value).includes('e') ? '1.5' : value.toPrecision(11 + Math.floor(random() * 7));
    const shown = shortened(text);
    if (shown === null) continue;
    found++;
    if (general(Number(text)) !== shown) t.fail(`${text} is shown as ${general(Number(text))}, not ${shown}`);
  }
  t.ok(found > 30_000, `${found} of them`);
  for (const [text, shown] of [['1234.5678901234567', '1234.56789'], ['5.0999999999999996', '5.1'], ['-99.199999999999989', '-99.2'], ['7.0000000000000009', '7'], ['1.23456789012', '1.23456789'], ['-123456789.16', '-123456789.2']] as const) t.equal(shortened(text), shown);
  for (const text of ['0.123456789012345', '1.5', '12', '1.2345678905000000', '9.9999999999999998', '1.23456789012345e5', '', '-', 'x.123456789012345678', '1.23456789x12345678']) t.equal(shortened(text), null, text);
  t.end();
});

t.test('numbers that are shown as they are written are those that General would show so', (t) => {
  const random = randomFrom(3);
  const digits = '0123456789.-';
  let found = 0;
  for (let round = 0; round < 100_000; round++) {
    const text = ['', '-', '0.00', '0.00000'][Math.floor(random() * 4)] + Array.from({ length: 1 + Math.floor(random() * 11) }, () => digits[Math.floor(random() * (random() < 0.3 ? 12 : 11))]).join('');
    if (!isShortDecimal(text)) continue;
    found++;
    if (general(Number(text)) !== text) t.fail(`${text} is shown as ${general(Number(text))}`);
  }
  t.ok(found > 10_000, `${found} of them`);
  for (const text of ['0', '7', '-12', '12345678901', '0.5', '-0.001', '0.00001']) t.ok(isShortDecimal(text), text);
  for (const text of ['', '-', '-0', '007', '1.0', '.5', '5.', '1e3', '1.2.3', '123456789012', '0.000001', '0.0000001', 'NaN', ' 5']) t.notOk(isShortDecimal(text), text);
  t.end();
});

t.test('numbers in the looks that files give them', async (t) => {
  const values = ['0.30000000000000004', '1E-10', '+5', ' 6 ', 'Infinity', 'x&amp;y', '-0', '1.50'];
  const rows = `<row r="1">${values.map((value, index) => `<c r="${'ABCDEFGH'[index] ?? ''}1"><v>${value}</v></c>`).join('')}</row>`;
  t.equal((await markdown({ sheets: [{ name: 'S', xml: sheet(rows) }] })).split('\n')[2], '| 0.3 | 1E-10 | 5 | 6 | Infinity | x&y | 0 | 1.5 |');
});

t.test('cells show what they hold: shared and rich strings, formulas, booleans, errors, dates, entities', async (t) => {
  const rows = `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="str"><f>A1&amp;"x"</f><v>made &lt;here&gt;</v></c></row>`
    + `<row r="2"><c r="A2" t="b"><v>1</v></c><c r="B2" t="e"><v>#DIV/0!</v></c>${number('C2', 43831, 1)}</row>`
    + `<row r="3">${number('A3', 0.5, 2)}<c r="B3" t="inlineStr"><is><r><t>two</t></r><r><t xml:space="preserve"> runs</t></r></is></c>${number('C3', 1234.5, 3)}</row>`
    + '<row><c><v>7</v></c><c t="s"><v>2</v></c><c t="s"><v>9</v></c></row>';
  const strings = '<si><t>plain</t></si><si><r><t>ri</t></r><r><t>ch</t></r><rPh sb="0" eb="1"><t>READING</t></rPh></si><si><t>a_x000D_b &amp; &#8364;</t></si>';
  const styles = '<numFmts><numFmt numFmtId="164" formatCode="#,##0.00&quot; m&quot;"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="9"/><xf numFmtId="164"/></cellXfs>';
  t.equal(await markdown({ sheets: [{ name: 'S', xml: sheet(rows) }], strings, styles }),
    '## S\n\n| plain | rich | made &lt;here&gt; |\n| - | - | - |\n| TRUE | #DIV/0! | 2020-01-01 |\n| 50% | two runs | 1,234.50 m |\n| 7 | a b & \u20ac |  |'.replace('here&gt;', 'here>'));
});

t.test('prefixes, single quotes, gaps between tags', async (t) => {
  const xml = "<x:worksheet xmlns:x='http://schemas.openxmlformats.org/spreadsheetml/2006/main'>\n<x:sheetData>\n<x:row r='2'>\n<x:c r='B2' t='inlineStr'><x:is><x:t>over</x:t></x:is></x:c>\n<x:c r='C2'>\n<x:v>5</x:v></x:c></x:row></x:sheetData></x:worksheet>";
  t.equal(await markdown({ sheets: [{ name: 'P', xml: '' }], parts: { 'xl/worksheets/sheet1.xml': xml } }), '## P\n\n| over | 5 |\n| - | - |');
});

t.test('cells that touch are one table; gaps part them; merged ranges span and join', async (t) => {
  const rows = `<row r="1">${inline('A1', 'title')}</row><row r="3">${inline('A3', 'a')}${inline('B3', 'b')}${inline('D3', 'apart')}</row><row r="4">${number('A4', 1)}${number('B4', 2)}</row>`
    + `<row r="6">${inline('A6', 'merged')}</row><row r="8">${inline('C8', 'below')}</row>`;
  const { markdown: text, document } = await readOffice('xlsx', makeXlsx({ sheets: [{ name: 'S', xml: sheet(rows, '<mergeCells><mergeCell ref="A6:C7"/><mergeCell ref="X1:Y9"/></mergeCells>') }] }));
  t.equal(text, '## S\n\n| title |\n| - |\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n| apart |\n| - |\n\n| merged | merged | merged |\n| - | - | - |\n| merged | merged | merged |\n|  |  | below |');
  t.match(document.tables.at(-1)?.data, { num_rows: 3, num_cols: 3, table_cells: [{ row_span: 2, col_span: 3 }, { start_col_offset_idx: 2 }] });
  t.match(document.tables[1]?.prov, [{ page_no: 1, bbox: { l: 0, t: 2, r: 2, b: 4 } }]);
});

t.test('rows out of order, an address twice: the last one counts', async (t) => {
  const rows = `<row r="2">${number('A2', 3)}</row><row r="1">${number('B1', 2)}${number('A1', 1)}</row><row r="2">${number('A2', 4)}</row>`;
  t.equal(await markdown({ sheets: [{ name: 'S', xml: sheet(rows) }] }), '## S\n\n| 1 | 2 |\n| - | - |\n| 4 |  |');
});

t.test('sheets: hidden ones are in the document and not shown, a range of them is taken, remarks stand behind', async (t) => {
  const sheets = [{ name: 'One', xml: sheet(`<row r="1">${number('A1', 1)}</row>`) }, { name: 'Two', xml: sheet(`<row r="1">${number('A1', 2)}</row>`), state: 'hidden' }, { name: 'Three', xml: sheet(`<row r="1">${number('A1', 3)}</row>`) }];
  const comments = '<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><authors><author>Ann</author><author>tc={1}</author></authors><commentList>'
    + '<comment ref="A1" authorId="0"><text><r><t>Why?</t></r></text></comment><comment ref="A2" authorId="1"><text><t>copy</t></text></comment></commentList></comments>';
  const bytes = makeXlsx({ sheets, parts: {
    'xl/comments1.xml': comments,
    'xl/worksheets/_rels/sheet1.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relationship('c', 'comments', '../comments1.xml')}</Relationships>`,
  } });
  const { markdown: text, document, pageCount } = await readOffice('xlsx', bytes);
  t.equal(text, '## One\n\n| 1 |\n| - |\n\n[author: Ann]: Why?\n\n## Three\n\n| 3 |\n| - |');
  t.match({ pageCount, pages: [...document.pages.keys()], hidden: document.tables[1]?.content_layer }, { pageCount: 3, pages: [1, 2, 3], hidden: 'invisible' });
  t.equal((await readOffice('xlsx', bytes, { pageRange: [3, 3] })).markdown, '## Three\n\n| 3 |\n| - |');
});

t.test('charts stand where they are drawn', async (t) => {
  const point = (text: string): string => `<c:pt idx="0"><c:v>${text}</c:v></c:pt>`;
  const chart = '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart><c:plotArea><c:pieChart><c:ser>'
    + `<c:val><c:numLit>${point('9')}</c:numLit></c:val></c:ser></c:pieChart></c:plotArea></c:chart></c:chartSpace>`;
  const namespaces = 'xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"';
  const drawing = `<xdr:wsDr ${namespaces}><xdr:twoCellAnchor><xdr:from><xdr:col>3</xdr:col><xdr:row>2</xdr:row></xdr:from><xdr:graphicFrame><a:graphic><a:graphicData><c:chart r:id="c"/></a:graphicData></a:graphic></xdr:graphicFrame></xdr:twoCellAnchor></xdr:wsDr>`;
  const relations = (entries: string): string => `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${entries}</Relationships>`;
  t.equal(await markdown({
    sheets: [{ name: 'S', xml: sheet(`<row r="1">${number('A1', 1)}</row><row r="9">${number('A9', 2)}</row>`) }],
    parts: {
      'xl/worksheets/_rels/sheet1.xml.rels': relations(relationship('d', 'drawing', '../drawings/drawing1.xml')), 'xl/drawings/drawing1.xml': drawing,
      'xl/drawings/_rels/drawing1.xml.rels': relations(relationship('c', 'chart', '../charts/chart1.xml')), 'xl/charts/chart1.xml': chart,
    },
  }), '## S\n\n| 1 |\n| - |\n\n<!-- image -->\n\nPie chart\n\n|  |  |\n| - | - |\n| 1 | 9 |\n\n| 2 |\n| - |');
});

t.test('more than a document may hold is cut, and said', async (t) => {
  const corners = `<row r="1">${number('A1', 1)}</row><row r="1048576">${number('XFD1048576', 2)}</row>`;
  t.equal((await readOffice('xlsx', makeXlsx({ sheets: [{ name: 'Corners', xml: sheet(corners) }] }))).document.tables.length, 2, 'two cells far apart are two small tables');
  const scattered = Array.from({ length: 2500 }, (_, index) => `<row r="${2 * index + 1}">${number(`${index % 2 ? 'A' : 'XFD'}${2 * index + 1}`, index)}</row>`).join('');
  const { document, losses } = await readOffice('xlsx', makeXlsx({ sheets: [{ name: 'Scattered', xml: sheet(scattered) }] }));
  t.equal(document.tables.length, 1, 'scattered cells are one table');
  t.match(losses, [/^The sheet "Scattered" holds more cells than a document may have/], 'whose empty places count');
  t.ok((document.tables[0]?.data.num_rows ?? 0) * 16_384 <= 4_000_000);
  const wide = sheet(`<row r="1">${inline('A1', 'all')}</row>`, '<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>');
  t.match((await readOffice('xlsx', makeXlsx({ sheets: [{ name: 'W', xml: wide }] }))).document.tables[0]?.data.table_cells, [{ text: 'all' }], 'a merged range over everything');
});

t.test('a sheet of as many cells as there is room for is whole, one of more is not', (t) => {
  const scanned = (most: number) => scanSheet(Buffer.from(`<worksheet>${sheet(`<row r="1">${number('A1', 1)}${number('B1', 2)}${number('C1', 3)}</row>`)}</worksheet>`), most, 'The sheet');
  t.match([scanned(3).cells.count, scanned(3).complete], [3, true]);
  t.match([scanned(2).cells.count, scanned(2).complete], [2, false]);
  t.end();
});

t.test('the only sheet of a file that was an XLS has no heading, several have theirs', async (t) => {
  const sheet = (name: string): { name: string; xml: string } => ({ name, xml: '<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData>' });
  const table = '| 1 |\n| - |';
  const read = async (names: string[], mimetype: string): Promise<string> => {
    const { document } = await readXlsx(makeXlsx({ sheets: names.map(sheet) }), { ...readOptions, filename: 'a.xls', mimetype });
    return [...writeMarkdown(document, { compactTables: true })].join('');
  };
  t.equal(await read(['Flow'], 'application/vnd.ms-excel'), table);
  t.equal(await read(['Flow', 'Rate'], 'application/vnd.ms-excel'), `## Flow\n\n${table}\n\n## Rate\n\n${table}`);
  t.equal(await read(['Flow'], 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'), `## Flow\n\n${table}`);
});
