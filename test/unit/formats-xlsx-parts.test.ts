/** Sheets that are too large for one document's cells: several tables with one header, whose cells are made when they are asked for. */
import t from 'tap';
import { DocumentBuilder } from '../../src/document/builder.js';
import { writeMarkdown } from '../../src/document/markdown.js';
import type { DoclingDocument } from '../../src/document/model.js';
import { Archive } from '../../src/formats/archive.js';
import { sheetInParts } from '../../src/formats/office/xlsx/sheet-parts.js';
import type { CellStore } from '../../src/formats/office/xlsx/sheet-cells.js';
import { makeArchive, makeXlsx } from '../support/office-files.js';
import { readOffice } from '../support/read-office.js';

const controller = new AbortController();
let signs = 0;

function inParts(xml: string, method?: 0): DoclingDocument {
  const archive = new Archive(makeArchive({ 'sheet.xml': xml }, method));
  const builder = new DocumentBuilder({ name: 'a', coordOrigin: 'TOPLEFT' });
  const shown = (cells: CellStore, index: number): string => cells.texts[cells.values[index] ?? -1] ?? cells.written(index);
  const sheet = sheetInParts({ open: () => archive.pieces('sheet.xml'), shown, subject: 'The sheet "A"' }, { signal: controller.signal, alive: () => { signs++; } });
  builder.addPage(1, sheet);
  sheet.add(builder, { pageNumber: 1 });
  return builder.document;
}

const worksheet = (rows: string, prefix = ''): string => `<?xml version="1.0"?><${prefix}worksheet xmlns${prefix === '' ? '' : ':x'}="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><${prefix}cols/><${prefix}sheetData>${rows}</${prefix}sheetData><${prefix}mergeCells/></${prefix}worksheet>`;
const text = (address: string, words: string, prefix = ''): string => `<${prefix}c${address === '' ? '' : ` r="${address}"`} t="inlineStr"><${prefix}is><${prefix}t>${words}</${prefix}t></${prefix}is></${prefix}c>`;
/** The texts of a table, row by row. */
const gridOf = ({ data }: DoclingDocument['tables'][number]): string[][] => {
  const rows = Array.from({ length: data.num_rows }, () => Array.from({ length: data.num_cols }, () => ''));
  for (const cell of data.table_cells) (rows[cell.start_row_offset_idx] as string[])[cell.start_col_offset_idx] = cell.text;
  return rows;
};
const count = 8_000;
const long = 'x'.repeat(600);

for (const [name, prefix, addressed, method] of [['deflated, with addresses', '', true, undefined], ['stored, with a prefix, without addresses', 'x:', false, 0]] as const) {
  t.test(`every row once, in its order, below the header: ${name}`, (t) => {
    const rows = Array.from({ length: count }, (_, index) => `<${prefix}row${addressed ? ` r="${index + 2}"` : ''}>${text(addressed ? `A${index + 2}` : '', `pump \u00e9${index}`, prefix)}${text(addressed ? `B${index + 2}` : '', long, prefix)}</${prefix}row>`);
    const document = inParts(worksheet(`<${prefix}row>${text('', 'id', prefix)}${text('', 'note', prefix)}</${prefix}row>${rows.join('')}`, prefix), method);
    t.ok(document.tables.length >= 3, String(document.tables.length));
    let next = 0;
    for (const table of document.tables) {
      const [head, ...body] = gridOf(table);
      t.same(head, ['id', 'note']);
      t.same(table.data.table_cells.slice(0, 3).map(({ column_header: isHeader }) => isHeader), [true, true, false]);
      for (const row of body) if (row[0] !== `pump \u00e9${next++}` || row[1] !== long) throw new Error(`row ${next}: ${row.join('|')}`);
    }
    t.equal(next, count);
    t.ok(signs >= document.tables.length, 'each part is a sign of life');
    const markdown = [...writeMarkdown(document, { compactTables: true })].join('');
    t.equal(markdown.match(/pump \u00e9\d+ /g)?.length, count);
    const before = JSON.stringify(document.tables[0]?.data);
    t.equal(document.tables.at(-1)?.data.num_cols, 2);
    t.equal(JSON.stringify(document.tables[0]?.data), before, 'a part is made anew, and is the same');
    t.end();
  });
}

t.test('rows far apart, cells out of order, a blank begin, and a sheet without rows', (t) => {
  const document = inParts(worksheet(`<row r="1"/><row r="3">${text('C3', 'head')}</row><row r="900000">${text('D900000', 'right')}${text('C900000', 'left')}</row>`));
  t.same(document.tables.map(gridOf), [[['head', ''], ['left', 'right']]]);
  t.equal(inParts(worksheet('')).tables.length, 0);
  t.equal(inParts('<worksheet><sheetData/></worksheet>').tables.length, 0);
  t.end();
});

t.test('wide rows with few cells become several tables, without the columns that are empty', (t) => {
  const cell = (column: number, row: number): string => `${column < 26 ? '' : String.fromCharCode(64 + Math.floor(column / 26))}${String.fromCharCode(65 + column % 26)}${row}`;
  const header = Array.from({ length: 600 }, (_, column) => text(cell(column, 1), `h${column}`)).join('');
  const rows = Array.from({ length: 8000 }, (_, index) => `<row r="${index + 2}">${text(cell(index % 600, index + 2), `v${index}`)}</row>`).join('');
  const { tables } = inParts(worksheet(`<row r="1">${header}</row>${rows}`));
  t.ok(tables.length > 1 && tables.every(({ data }) => data.num_cols === 600 && data.num_rows * data.num_cols <= 2_000_000));
  t.equal(tables.reduce((sum, { data }) => sum + data.num_rows - 1, 0), 8000);
  t.same(tables.flatMap(({ data }) => data.table_cells.filter(({ column_header: isHeader }) => !isHeader).map(({ text: words }) => words)), Array.from({ length: 8000 }, (_, index) => `v${index}`));
  const sparse = inParts(worksheet(`<row r="1">${text('A1', 'a')}${text('XFD1', 'b')}</row>${Array.from({ length: 500 }, (_, index) => `<row r="${index + 2}">${text(`A${index + 2}`, 'c')}</row>`).join('')}`));
  t.same(sparse.tables.map(({ data }) => [data.num_rows, data.num_cols]), [[501, 2]]);
  t.end();
});

t.test('damage is named, and a cancellation ends the walk', (t) => {
  t.throws(() => inParts(`<worksheet><sheetData><row>${text('', 'a')}</row>`), { code: 'invalid_document', message: /"A" is damaged/ });
  t.throws(() => inParts('<worksheet>'), { code: 'invalid_document' });
  t.throws(() => inParts('words'), { code: 'invalid_document' });
  t.throws(() => inParts(`<?xml version="1.0" encoding="windows-1252"?>${worksheet('')}`), { code: 'too_large', message: /another encoding/ });
  t.equal(inParts(`<?xml version="1.0" encoding="UTF-8"?>${worksheet(`<row>${text('', 'é')}</row>`)}`).tables.length, 1);
  controller.abort();
  t.throws(() => inParts(worksheet(`<row>${text('', 'a')}</row>`)), { code: 'cancelled' });
  t.end();
});

t.test('a workbook of more cells than a document may hold is whole, and says how', async (t) => {
  const row = `<row>${'<c><v>1</v></c>'.repeat(500)}</row>`;
  const { document, losses, remarks } = await readOffice('xlsx', makeXlsx({ sheets: [{ name: 'Big', xml: `<sheetData>${row.repeat(2002)}</sheetData>` }, { name: 'After', xml: `<sheetData>${row}</sheetData>` }] }));
  t.same(losses, []);
  t.match(remarks, [/^The sheet "Big" has more cells than one table may hold: it is given as \d+ tables/]);
  t.equal(document.tables.slice(0, -1).reduce((sum, { data }) => sum + data.num_rows - 1, 0), 2001, 'the rows below the header');
  t.equal(document.tables.at(-1)?.data.table_cells.length, 500, 'the sheet behind it');
});

t.test('a bomb is refused while it is unpacked', (t) => {
  const bomb = makeArchive({ a: new Uint8Array(40 * 1024 * 1024) });
  let most = 0;
  t.throws(() => { for (const piece of new Archive(bomb).pieces('a')) most = Math.max(most, piece.length); }, { code: 'too_large' });
  t.ok(most > 0 && most <= 9 * 1024 * 1024, String(most));
  const cut = bomb.slice();
  cut.fill(255, 60, 200);
  t.throws(() => [...new Archive(cut).pieces('a')], { code: 'invalid_document' });
  t.same([...new Archive(bomb).pieces('b')], []);
  t.end();
});
