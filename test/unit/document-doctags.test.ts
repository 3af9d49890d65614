/** DocTags: one tag for each kind of node, places, OTSL, page breaks. */
import t from 'tap';
import { DocumentBuilder } from '../../src/document/builder.js';
import { writeDocTags } from '../../src/document/doctags.js';

function made(pages = 2): DocumentBuilder {
  const builder = new DocumentBuilder({ name: 'a' });
  for (let page = 1; page <= pages; page++) builder.addPage(page, { width: 500, height: 1000 });
  return builder;
}

function lines(builder: DocumentBuilder): string[] {
  return [...writeDocTags(builder.document)].join('').split('\n');
}

const at = (pageNumber: number, left: number, top: number, right: number, bottom: number) => [{ pageNumber, box: { left, top, right, bottom } }];

t.test('an empty document', (t) => {
  t.strictSame(lines(made()), ['<doctag>', '</doctag>']);
  t.end();
});

t.test('one tag each, furniture included', (t) => {
  const builder = made();
  builder.addFurniture('page_header', 'head', { at: at(1, 10, 20, 110.4, 41) });
  builder.addTitle('T');
  builder.addHeading(3, ' h ');
  builder.addText('text', 'a <b>');
  builder.addText('field_key', 'k');
  builder.addCaption(builder.addCode('x\n y', { language: 'C++' }), 'list');
  builder.addFormula('E');
  builder.addCheckbox(true, 'c');
  builder.addCaption(builder.addPicture({ at: at(1, 0, 0, 500, 1000) }), 'cap', { at: at(1, 1, 2, 3, 4) });
  builder.addPicture({ chart: true });
  t.strictSame(lines(builder), [
    '<doctag><page_header><loc_10><loc_10><loc_110><loc_20>head</page_header>', '<title>T</title>',
    '<section_header_level_3>h</section_header_level_3>', '<text>a <b></text>', '<text>k</text>',
    '<code><_C++_>x', ' y<caption>list</caption></code>', '<formula>E</formula>', '<checkbox_selected>c</checkbox_selected>',
    '<picture><loc_0><loc_0><loc_499><loc_499><caption><loc_1><loc_1><loc_3><loc_2>cap</caption></picture>', '<chart></chart>', '</doctag>',
  ]);
  t.end();
});

t.test('places: halves go to the even number, the grid has an end, two places stand one after the other', (t) => {
  const builder = made();
  builder.addText('text', 'x', { at: [...at(1, 0.5, 1, 1.5, 5), ...at(2, -9, 0, 9999, 7)] });
  t.equal(lines(builder)[0], '<doctag><text><loc_0><loc_0><loc_2><loc_2><loc_0><loc_0><loc_499><loc_4>x</text>');
  t.end();
});

t.test('lists: ordered by the first item, lists within are items', (t) => {
  const builder = made();
  const list = builder.addListGroup();
  builder.addListItem(list, 'a', { enumerated: true });
  const item = builder.addListItem(list, '', { enumerated: true });
  const runs = builder.addInlineGroup({ parent: item });
  builder.addText('text', 'r1', { parent: runs, at: at(1, 10, 20, 30, 40) });
  builder.addCode('c', { parent: runs, at: at(1, 5, 30, 20, 60) });
  const b = builder.addListItem(list, 'b');
  const inner = builder.addListGroup({ parent: b });
  builder.addListItem(inner, 'c');
  builder.addListItem(inner, 'd');
  builder.addListGroup();
  t.strictSame(lines(builder), [
    '<doctag><ordered_list><list_item>a</list_item>',
    '<list_item><inline><loc_5><loc_10><loc_30><loc_30>', '<text>r1</text>', '<code><_unknown_>c</code>', '</inline></list_item>',
    '<list_item>b</list_item>', '<list_item><unordered_list><list_item>c</list_item>', '<list_item>d</list_item>', '</unordered_list></list_item>',
    '</ordered_list>', '</doctag>',
  ]);
  t.end();
});

t.test('OTSL: headers, sections, empty cells, spans in both directions, content of rich cells, caption last', (t) => {
  const builder = made();
  const table = builder.addTable(3, 4, [
    { row: 0, column: 0, rowSpan: 2, columnSpan: 2, text: 'big', columnHeader: true }, { row: 0, column: 2, text: 'h', columnHeader: true },
    { row: 0, column: 3, text: ' ', columnHeader: true }, { row: 1, column: 2, columnSpan: 2, text: 's', rowSection: true },
    { row: 2, column: 0, text: 'r', rowHeader: true }, { row: 2, column: 1, text: 'f' }, { row: 2, column: 2, text: '' },
  ], { at: at(1, 0, 0, 100, 100) });
  builder.addCaption(table, 'cap');
  const inner = builder.addTable(1, 1, [{ row: 0, column: 0, text: 'in' }], { parent: table });
  table.data.table_cells[6]!.ref = { $ref: inner.self_ref };
  t.strictSame(lines(builder), [
    '<doctag><otsl><loc_0><loc_0><loc_100><loc_50><ched>big<lcel><ched>h<ecel><nl><ucel><xcel><srow>s<lcel><nl>'
    + '<rhed>r<fcel>f<fcel><otsl><fcel>in<nl></otsl><ecel><nl><caption>cap</caption></otsl>', '</doctag>',
  ]);
  t.end();
});

t.test('page breaks: once over skipped pages, inside lists, none at the ends', (t) => {
  const builder = made(9);
  const list = builder.addListGroup();
  builder.addListItem(list, 'a', { at: at(2, 0, 0, 0, 0) });
  builder.addListItem(list, 'b', { at: at(5, 0, 0, 0, 0) });
  builder.addFurniture('page_footer', 'f', { at: at(6, 0, 0, 0, 0) });
  t.strictSame(lines(builder).map((line) => line.replace(/<loc_\d+>/g, '')), [
    '<doctag><unordered_list><list_item>a</list_item>', '<page_break>', '<list_item>b</list_item>', '</unordered_list>',
    '<page_break>', '<page_footer>f</page_footer>', '</doctag>',
  ]);
  t.end();
});

t.test('key-value regions link keys to values', (t) => {
  const builder = made();
  const cell = (label: 'key' | 'value', cell_id: number, text: string) => ({ label, cell_id, text, orig: text, prov: null, item_ref: null });
  builder.addKeyValues({
    cells: [cell('key', 0, 'Name'), cell('value', 1, 'A')], links: [{ label: 'to_value', source_cell_id: 0, target_cell_id: 1 }],
  });
  t.equal(lines(builder)[0], '<doctag><key_value_region><key_0>Name<link_1></key_0><value_1>A</value_1></key_value_region>');
  t.end();
});
