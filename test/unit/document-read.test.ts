/** DoclingDocument JSON from outside: what is wrong is said, what is missing has the schema's default. */
import t from 'tap';
import type { Test } from 'tap';
import { writeJson } from '../../src/document/json.js';
import { writeMarkdown } from '../../src/document/markdown.js';
import { DocumentBuilder } from '../../src/document/builder.js';
import { readDocument } from '../../src/document/read-document.js';
import { LecternError } from '../../src/errors.js';

type Loose = Record<string, unknown>;

const body = (...children: string[]): Loose => ({ self_ref: '#/body', children: children.map(($ref) => ({ $ref })) });
const text = (index: number, more: Loose = {}): Loose => ({ self_ref: `#/texts/${index}`, label: 'text', orig: 'x', text: 'x', ...more });
const group = (index: number, ...children: string[]): Loose => ({ self_ref: `#/groups/${index}`, children: children.map(($ref) => ({ $ref })), label: 'list' });
const read = (parts: Loose) => readDocument(JSON.stringify({ schema_name: 'DoclingDocument', version: '1.10.0', name: 'x', ...parts }));

function refused(t: Test, parts: Loose, message: RegExp, code = 'invalid_document'): void {
  try {
    read(parts);
    t.fail(`accepted, but should say ${message}`);
  } catch (error) {
    t.ok(error instanceof LecternError && error.code === code && message.test(error.message), String(error));
  }
}

t.test('the least there can be', (t) => {
  const document = read({});
  t.equal([...writeMarkdown(document)].join(''), '');
  t.equal([...writeJson(document)].join('').slice(0, 34), '{"schema_name":"DoclingDocument","');
  const defaults = read({ body: body('#/texts/0', '#/texts/1'), texts: [{ self_ref: '#/texts/0', label: 'section_header', text: 'a' }, text(1, { label: 'code' })] });
  t.match(defaults.texts[0], { orig: 'a', level: 1, content_layer: 'body', formatting: null, hyperlink: null, prov: [], parent: { $ref: '#/body' } });
  t.match(defaults.texts[1], { code_language: 'unknown', captions: [], image: null });
  t.end();
});

t.test('no JSON, no document, another version', (t) => {
  t.throws(() => readDocument('{"schema'), { code: 'invalid_document', message: 'The file is not JSON.' });
  t.throws(() => readDocument('[]'), { code: 'invalid_document', message: 'document must be an object, not array.' });
  t.throws(() => readDocument('{"schema_name":"Other","name":"x"}'), /schema_name has the unknown value "Other"/);
  refused(t, { version: '2.0.0' }, /Version 2\.0\.0/);
  t.end();
});

t.test('wrong types are named by their path', (t) => {
  refused(t, { texts: [text(0, { text: 5 })] }, /^document\.texts\[0\]\.text must be a string, not number/);
  refused(t, { texts: [text(0, { label: 'poem' })] }, /texts\[0\]\.label has the unknown value "poem"/);
  refused(t, { texts: [text(0, { prov: [{ page_no: 1, bbox: { l: 0, t: 0, r: 'x', b: 0 }, charspan: [0, 1] }] })] }, /prov\[0\]\.bbox\.r must be a finite number/);
  refused(t, { texts: [text(0, { prov: [{ page_no: 1, bbox: { l: 0, t: 0, r: 0, b: 0 }, charspan: [0] }] })] }, /charspan must be a pair/);
  refused(t, { texts: {} }, /texts must be an array, not object/);
  refused(t, { name: null }, /name must be a string/);
  refused(t, { pages: { 1: { size: 'A4', page_no: 1 } } }, /size must be an object/);
  refused(t, { texts: [text(0, { meta: [] })] }, /meta must be an object/);
  let meta: Loose = {};
  for (let i = 0; i < 100; i++) meta = { meta };
  refused(t, { texts: [text(0, { meta })] }, /nested too deep/);
  t.throws(() => readDocument('{"schema_name":"DoclingDocument","name":"x","pages":{"1":{"page_no":1,"size":{"width":1e999,"height":1}}}}'), /finite number/);
  t.end();
});

t.test('references that lead nowhere, loops, two parents, depth', (t) => {
  refused(t, { body: body('#/texts/0') }, /no node #\/texts\/0/);
  refused(t, { body: body('#/constructor/0') }, /no node/);
  refused(t, { body: body('#/groups/0'), groups: [group(0, '#/groups/1'), group(1, '#/groups/0')] }, /#\/groups\/0 stands twice/);
  refused(t, { body: body('#/body') }, /#\/body stands twice/);
  refused(t, { body: body('#/texts/0', '#/texts/0'), texts: [text(0)] }, /#\/texts\/0 stands twice/);
  refused(t, { texts: [text(1)] }, /#\/texts\/0 calls itself #\/texts\/1/);
  const chain = Array.from({ length: 1000 }, (_, index) => (index < 999 ? group(index, `#/groups/${index + 1}`) : group(index)));
  refused(t, { body: body('#/groups/0'), groups: chain }, /deeper than 256/);
  t.end();
});

t.test('cells: outside, too many, content that is not theirs', (t) => {
  const cell = (more: Loose): Loose => ({ text: 'c', start_row_offset_idx: 0, end_row_offset_idx: 1, start_col_offset_idx: 0, end_col_offset_idx: 1, ...more });
  const table = (data: Loose, more: Loose = {}): Loose => ({ tables: [{ self_ref: '#/tables/0', data, ...more }], body: body('#/tables/0') });
  refused(t, table({ num_rows: 1, num_cols: 1, table_cells: [cell({ end_col_offset_idx: 2 })] }), /outside its table/);
  refused(t, table({ num_rows: 1e6, num_cols: 1e6, table_cells: [] }), /1000000 x 1000000 cells/, 'too_large');
  const all = cell({ end_row_offset_idx: 4000, end_col_offset_idx: 4000, row_span: 4000, col_span: 4000 });
  refused(t, table({ num_rows: 4000, num_cols: 4000, table_cells: [all, all] }), /overlap too often/, 'too_large');
  refused(t, table({ num_rows: 1, num_cols: 1, table_cells: [cell({ ref: { $ref: '#/tables/0' } })] }), /does not belong to its table alone/);
  const shared = [cell({ ref: { $ref: '#/texts/0' } }), cell({ start_row_offset_idx: 1, end_row_offset_idx: 2, ref: { $ref: '#/texts/0' } })];
  refused(t, { ...table({ num_rows: 2, num_cols: 1, table_cells: shared }, { children: [{ $ref: '#/texts/0' }] }), texts: [text(0)] }, /does not belong/);
  t.end();
});

t.test('a caption that two items claim stays with the first', (t) => {
  const picture = (index: number): Loose => ({ self_ref: `#/pictures/${index}`, captions: [{ $ref: '#/texts/0' }] });
  const document = read({ body: body('#/pictures/0', '#/pictures/1', '#/texts/0'), pictures: [picture(0), picture(1)], texts: [text(0, { label: 'caption' })] });
  t.equal([...writeMarkdown(document)].join(''), 'x\n\n<!-- image -->\n\n<!-- image -->');
  t.end();
});

t.test('the hash keeps its 64 bits, keys stand in the contract\'s order', (t) => {
  const builder = new DocumentBuilder({ name: 'n', origin: { mimetype: 'a/b', filename: '"binary_hash": 7', sha256: `${'0'.repeat(48)}${'9'.repeat(16)}` } });
  builder.addPage(1, { width: 10, height: 20 });
  builder.addHeading(2, 'h');
  builder.addTable(2, 2, [{ row: 0, column: 0, text: 'c', columnSpan: 2 }, { row: 1, column: 1, text: 'd' }]);
  const json = [...writeJson(builder.document)].join('');
  t.match(json, '"binary_hash":11068046444225730969,');
  t.equal([...writeJson(readDocument(json))].join(''), json);
  const written = JSON.parse(json) as { texts: object[]; tables: { data: { grid: object[][] } }[] };
  t.equal(Object.keys(written).join(), 'schema_name,version,name,origin,furniture,body,groups,texts,pictures,tables,key_value_items,form_items,pages');
  t.equal(Object.keys(written.texts[0] ?? {}).join(), 'self_ref,parent,children,content_layer,meta,label,prov,orig,text,formatting,hyperlink,level');
  t.equal(Object.keys(written.tables[0] ?? {}).join(), 'self_ref,parent,children,content_layer,meta,label,prov,captions,references,footnotes,image,data,annotations');
  t.equal(Object.keys(written.tables[0]?.data ?? {}).join(), 'table_cells,num_rows,num_cols,orientation,grid');
  t.match(written.tables[0]?.data.grid, [
    [{ text: 'c' }, { text: 'c' }],
    [{ text: '', start_row_offset_idx: 1, end_row_offset_idx: 2, start_col_offset_idx: 0, end_col_offset_idx: 1 }, { text: 'd' }],
  ]);
  t.match(json, /"origin":\{"mimetype":"a\/b","binary_hash":\d+,"filename":"[^,]+","uri":null\}/);
  t.end();
});
