/** Markdown by the contract's conventions, rule by rule, each expectation written by hand. */
import t from 'tap';
import { DocumentBuilder } from '../../src/document/builder.js';
import type { ItemPlace } from '../../src/document/builder.js';
import { writeHtml } from '../../src/document/html.js';
import { writeMarkdown, writeMarkdownPages, writeText } from '../../src/document/markdown.js';
import type { MarkdownOptions } from '../../src/document/markdown.js';
import { growthOf } from '../support/growth.js';

const onPage = (pageNumber: number): { at: ItemPlace[] } => ({ at: [{ pageNumber, box: { left: 10, top: 20, right: 100, bottom: 40 } }] });

function made(pages = 3): DocumentBuilder {
  const builder = new DocumentBuilder({ name: 'made' });
  for (let page = 1; page <= pages; page++) builder.addPage(page, { width: 600, height: 800 });
  return builder;
}

function markdown(builder: DocumentBuilder, options: MarkdownOptions = {}): string {
  return [...writeMarkdown(builder.document, options)].join('');
}

const image = (uri: string) => ({ mimetype: 'image/png', dpi: 72, size: { width: 2, height: 2 }, uri });

t.test('an empty document is empty, empty texts leave no gap', (t) => {
  t.equal(markdown(made()), '');
  const builder = made();
  builder.addText('text', 'a');
  builder.addText('text', '');
  builder.addHeading(1, ' ');
  builder.addText('text', 'b');
  t.equal(markdown(builder), 'a\n\nb');
  t.end();
});

t.test('title and headings: level n has n + 1 hashes, six at most, on one line', (t) => {
  const builder = made();
  builder.addTitle('Title');
  builder.addHeading(1, 'One');
  builder.addHeading(2, 'Two\nlines');
  builder.addHeading(9, 'Nine');
  t.equal(markdown(builder), '# Title\n\n## One\n\n### Two lines\n\n###### Nine');
  t.end();
});

t.test('four characters are escaped always but in images, other marks only where a renderer would take them away', (t) => {
  const builder = made();
  builder.addText('text', 'a_b <c> & *d* #e |f| `g` [h] \\_i "j"');
  builder.addText('text', '# no heading\n1. no list');
  builder.addText('text', 'x_y ![a_b](c_d) e_f ![g_h]\n(i_j) ![k');
  builder.addHeading(1, 'h_h & h');
  t.equal(markdown(builder), [
    'a\\_b &lt;c&gt; &amp; \\*d\\* #e |f| \\`g\\` [h] \\_i "j"', '\\# no heading\n1. no list',
    'x\\_y ![a_b](c_d) e\\_f ![g\\_h]\n(i\\_j) ![k', '## h\\_h &amp; h',
  ].join('\n\n'));
  t.end();
});

t.test('escaping takes linear time on a line full of image beginnings', (t) => {
  for (const [what, add] of [
    ['image beginnings', (builder: DocumentBuilder, size: number) => builder.addText('text', '![_'.repeat(size))],
    ['spaces', (builder: DocumentBuilder, size: number) => builder.addText('text', `a${' '.repeat(size)}b`, { formatting: { bold: true } })],
  ] as const) {
    const growth = growthOf((size) => {
      const builder = made();
      add(builder, size);
      return markdown(builder);
    }, 25_000);
    t.ok(growth < 12, `four times the ${what} take ${growth.toFixed(1)} times as long`);
  }
  t.end();
});

t.test('furniture is dropped, or stays in its place; footnotes and captions are paragraphs', (t) => {
  const builder = made();
  builder.addFurniture('page_header', 'Head', onPage(1));
  builder.addText('text', 'Text', onPage(1));
  builder.addText('footnote', '1 Note_', onPage(1));
  builder.addFurniture('page_footer', '7', onPage(1));
  builder.addText('caption', 'Loose caption');
  t.equal(markdown(builder), 'Text\n\n1 Note\\_\n\nLoose caption');
  t.equal(markdown(builder, { keepFurniture: true }), 'Head\n\nText\n\n1 Note\\_\n\n7\n\nLoose caption');
  t.end();
});

t.test('list markers: valid ones stay, alphanumeric ones follow a dash, symbols give way to it', (t) => {
  const builder = made();
  const list = builder.addListGroup();
  const markers = ['-', '*', '+', '7.', '(1)', '2)', 'a.', '•', '·', '–', ''];
  for (const marker of markers) builder.addListItem(list, 'text', { marker });
  t.equal(markdown(builder), [
    '- text', '* text', '+ text', '7. text', '- (1) text', '- 2) text', '- a. text', '- text', '- text', '- text', '- text',
  ].join('\n'));
  t.end();
});

t.test('an enumerated list without markers counts; the first item decides', (t) => {
  const builder = made();
  const list = builder.addListGroup();
  for (const text of ['a', 'b_', 'c']) builder.addListItem(list, text, { enumerated: true });
  builder.addText('text', 'between');
  const resumed = builder.addListGroup();
  builder.addListItem(resumed, 'd', { enumerated: true, marker: '4.' });
  const plain = builder.addListGroup();
  builder.addListItem(plain, 'e');
  builder.addListItem(plain, 'f', { enumerated: true });
  t.equal(markdown(builder), '1. a\n2. b\\_\n3. c\n\nbetween\n\n4. d\n\n- e\n- f');
  t.end();
});

t.test('nested lists stand four spaces deeper, in an item or in a list', (t) => {
  const builder = made();
  const list = builder.addListGroup();
  const one = builder.addListItem(list, 'one', { marker: '•' });
  const inner = builder.addListGroup({ parent: one });
  const deep = builder.addListItem(inner, 'one a', { enumerated: true });
  builder.addListItem(builder.addListGroup({ parent: deep }), 'deepest', { marker: '-' });
  builder.addListItem(inner, 'one b', { enumerated: true });
  builder.addListItem(builder.addListGroup({ parent: list }), 'in the list', { marker: '-' });
  builder.addListItem(list, 'two');
  builder.addText('text', 'after');
  t.equal(markdown(builder), '- one\n    1. one a\n        - deepest\n    2. one b\n    - in the list\n- two\n\nafter');
  t.end();
});

t.test('what else hangs on a list item is set off and indented', (t) => {
  const builder = made();
  const list = builder.addListGroup();
  const item = builder.addListItem(list, 'one');
  builder.addText('text', 'paragraph', { parent: item });
  builder.addCode('x\n\ny', { parent: item });
  builder.addListItem(list, '');
  builder.addListItem(list, 'two');
  t.equal(markdown(builder), '- one\n\n    paragraph\n\n    ```\n    x\n\n    y\n    ```\n-\n- two');
  t.end();
});

t.test('checkboxes: lines of a list, blocks outside', (t) => {
  const builder = made();
  builder.addCheckbox(true, 'done_');
  builder.addCheckbox(false, 'open');
  const list = builder.addListGroup();
  builder.addCheckbox(true, 'a', { parent: list });
  builder.addCheckbox(false, 'b', { parent: list });
  t.equal(markdown(builder), '- [x] done\\_\n\n- [ ] open\n\n- [x] a\n- [ ] b');
  t.end();
});

t.test('code has a fence without language, longer than any inside; formulas', (t) => {
  const builder = made();
  const code = builder.addCode('a_b < c\n  d', { language: 'Python' });
  builder.addCaption(code, 'Listing_1');
  builder.addCode('```\nx\n```');
  builder.addFormula('E_0 < mc^2', { orig: 'E0 < mc2' });
  builder.addFormula('', { orig: 'x = y' });
  builder.addFormula('');
  t.equal(markdown(builder), [
    '```python\na_b < c\n  d\n```', 'Listing\\_1', '````\n```\nx\n```\n````', '$$E_0 < mc^2$$', '<!-- formula-not-decoded -->',
  ].join('\n\n'));
  t.end();
});

t.test('runs of a paragraph: emphasis, links, code, formulas, glued ones', (t) => {
  const builder = made();
  const group = builder.addInlineGroup();
  builder.addText('text', 'Some', { parent: group });
  builder.addText('text', 'bold_', { parent: group, formatting: { bold: true } });
  builder.addText('text', 'both', { parent: group, formatting: { bold: true, italic: true, strikethrough: true } });
  builder.addText('text', 'plain', { parent: group, formatting: { underline: true, script: 'super' } });
  builder.addText('text', 'link & text', { parent: group, hyperlink: 'https://a.b/c_d?e=1&f=(g)' });
  builder.addText('text', ',', { parent: group, glued: true });
  builder.addCode('x`y', { parent: group });
  builder.addFormula('a_1', { parent: group });
  builder.addText('text', 'H', { parent: group });
  builder.addText('text', '2', { parent: group, glued: true, formatting: { script: 'sub' } });
  builder.addText('text', 'O', { parent: group, glued: true });
  t.equal(markdown(builder),
    'Some **bold\\_** ~~***both***~~ <sup>plain</sup> [link &amp; text](https://a.b/c_d?e=1&f=(g)), `` x`y `` $a_1$ H₂O');
  t.end();
});

t.test('a paragraph of very many runs: each is read once, or this does not end', (t) => {
  const builder = made();
  const group = builder.addInlineGroup();
  for (let index = 0; index < 200_000; index++) builder.addText('text', 'word', { parent: group, ...(index % 2 === 0 && { formatting: { bold: true } }) });
  t.equal(markdown(builder), Array.from({ length: 100_000 }, () => '**word** word').join(' '));
  t.equal([...writeHtml(builder.document)].join('').match(/<strong>word<\/strong> word/g)?.length, 100_000);
  t.end();
});

t.test('a heading, an item and a caption may have runs; links that are scripts or break the line are not written so', (t) => {
  const builder = made();
  const heading = builder.addHeading(1, '');
  const runs = builder.addInlineGroup({ parent: heading });
  builder.addText('text', 'Partly', { parent: runs });
  builder.addText('text', ' bold ', { parent: runs, formatting: { bold: true } });
  builder.addText('text', 'x', { hyperlink: ' java\nscript:alert(1)' });
  builder.addText('text', 'y', { hyperlink: 'http://a/b c)' });
  const picture = builder.addPicture();
  const caption = builder.addCaption(picture, '');
  const captionRuns = builder.addInlineGroup({ parent: caption });
  builder.addText('text', 'cap', { parent: captionRuns, formatting: { italic: true } });
  builder.addText('text', 'tion', { parent: captionRuns, glued: true });
  t.equal(markdown(builder), '## Partly **bold**\n\nx\n\n[y](http://a/b%20c%29)\n\n*cap*tion\n\n<!-- image -->');
  t.end();
});

t.test('words of a link set no address of their own, whatever backslashes they hold', (t) => {
  for (const [words, label] of [['\\](http://evil.example)', '\\\\\\](http://evil.example)'], ['[a]', '[a]'], ['a]b', 'a\\]b']] as const) {
    const builder = made();
    builder.addText('text', words, { hyperlink: 'http://good.example' });
    t.equal(markdown(builder), `[${label}](http://good.example)`);
  }
  t.end();
});

t.test('tables: caption first, spans repeat, header from the first row, pipes and line ends replaced', (t) => {
  const builder = made();
  const table = builder.addTable(3, 3, [
    { row: 0, column: 0, text: 'Name', rowSpan: 2, columnHeader: true }, { row: 0, column: 1, text: 'Years', columnSpan: 2, columnHeader: true },
    { row: 1, column: 1, text: '2016', columnHeader: true }, { row: 1, column: 2, text: 'a|b\nc_<&', columnHeader: true },
    { row: 2, column: 0, text: 'Total' }, { row: 2, column: 1, text: '7.5' },
  ]);
  builder.addCaption(table, 'Table_1');
  builder.addFootnote(table, 'a note');
  builder.addText('text', 'after');
  t.equal(markdown(builder), [
    'Table\\_1\n',
    '| Name   |   Years | Years         |',
    '|--------|---------|---------------|',
    '| Name   |    2016 | a&#124;b c_<& |',
    '| Total  |     7.5 |               |',
    '\na note\n\nafter',
  ].join('\n'));
  t.equal(markdown(builder, { compactTables: true }), [
    'Table\\_1', '| Name | Years | Years |\n| - | - | - |\n| Name | 2016 | a&#124;b c_<& |\n| Total | 7.5 |  |', 'a note', 'after',
  ].join('\n\n'));
  t.end();
});

t.test('cells that hold more than text: lists, runs, pictures, a table within', (t) => {
  const builder = made();
  const table = builder.addTable(2, 2, [
    { row: 0, column: 0, text: '' }, { row: 0, column: 1, text: 'plain_' }, { row: 1, column: 0, text: '' }, { row: 1, column: 1, text: '' },
  ]);
  const [first, , third, fourth] = table.data.table_cells;
  const group = builder.addGroup('unspecified', 'cell', { parent: table });
  builder.addText('text', 'A list_:', { parent: group });
  const list = builder.addListGroup({ parent: group });
  builder.addListItem(list, 'one');
  builder.addListItem(list, 'two');
  first!.ref = { $ref: group.self_ref };
  third!.ref = { $ref: builder.addPicture({ parent: table }).self_ref };
  const inner = builder.addTable(1, 2, [{ row: 0, column: 0, text: 'x' }, { row: 0, column: 1, text: 'y' }], { parent: table });
  fourth!.ref = { $ref: inner.self_ref };
  t.equal(markdown(builder, { compactTables: true }), '| A list\\_:  - one - two | plain_ |\n| - | - |\n| <!-- image --> | <table><tr><td>x</td><td>y</td></tr></table> |');
  t.end();
});

t.test('pictures: placeholder, embedded, referenced; caption first, notes after', (t) => {
  const builder = made();
  const plain = builder.addPicture();
  builder.addCaption(plain, 'Figure_1');
  builder.addText('text', 'inside the picture', { parent: plain });
  builder.addPicture({ image: image('data:image/png;base64,AA==') });
  const stored = builder.addPicture({ image: image('artifacts/a.png') });
  stored.meta = { description: { text: 'A duck.' }, classification: { predictions: [{ class_name: 'line_chart' }] } };
  t.equal(markdown(builder), 'Figure\\_1\n\n<!-- image -->\n\n<!-- image -->\n\n<!-- image -->\n\nA duck.\n\nline chart');
  const missing = '<!-- 🖼️❌ Image not available. Please use `PdfPipelineOptions(generate_picture_images=True)` -->';
  t.equal(markdown(builder, { imageMode: 'embedded' }),
    `Figure\\_1\n\n${missing}\n\n![Image](data:image/png;base64,AA==)\n\n${missing}\n\nA duck.\n\nline chart`);
  t.equal(markdown(builder, { imageMode: 'referenced' }),
    'Figure\\_1\n\n<!-- image -->\n\n<!-- image -->\n\n![Image](artifacts/a.png)\n\nA duck.\n\nline chart');
  const imageUri = (uri: string): string => (uri === 'artifacts/a.png' ? 'data:image/png;base64,BB==' : uri);
  t.match(markdown(builder, { imageMode: 'embedded', imageUri }), '![Image](data:image/png;base64,BB==)');
  t.end();
});

t.test('key-value regions and forms are named as missing', (t) => {
  const builder = made();
  builder.addKeyValues({ cells: [], links: [] });
  t.equal(markdown(builder), '<!-- missing-key-value-item -->');
  t.end();
});

t.test('page breaks: between pages, once over skipped ones, bare in a list, none at the ends', (t) => {
  const builder = made(9);
  builder.addFurniture('page_header', 'head', onPage(1));
  builder.addText('text', '', onPage(1));
  builder.addText('text', 'two', onPage(2));
  builder.addText('text', 'still two', onPage(2));
  builder.addText('text', 'without a place');
  const list = builder.addListGroup();
  builder.addListItem(list, 'a', onPage(4));
  builder.addListItem(list, 'b', onPage(5));
  const inner = builder.addListGroup({ parent: list });
  builder.addListItem(inner, 'c', onPage(6));
  builder.addText('text', 'back on five', onPage(5));
  builder.addText('text', 'seven', onPage(7));
  builder.addText('text', '', onPage(8));
  builder.addFurniture('page_footer', 'foot', onPage(9));
  const expected = 'two\n\nstill two\n\nwithout a place\n\n<4>\n\n- a\n<5>\n- b\n<6>\n    - c\n\nback on five\n\n<7>\n\nseven';
  t.equal(markdown(builder, { pageBreakPlaceholder: '<{page}>' }), expected);
  t.equal(markdown(builder), 'two\n\nstill two\n\nwithout a place\n\n- a\n- b\n    - c\n\nback on five\n\nseven');
  t.equal([...writeText(builder.document)].join(''), markdown(builder));
  t.strictSame([...writeMarkdownPages(builder.document)], [
    { pageNumber: 1, markdown: '' }, { pageNumber: 2, markdown: 'two\n\nstill two\n\nwithout a place' }, { pageNumber: 3, markdown: '' },
    { pageNumber: 4, markdown: '- a' }, { pageNumber: 5, markdown: '- b' }, { pageNumber: 6, markdown: '    - c\n\nback on five' },
    { pageNumber: 7, markdown: 'seven' }, { pageNumber: 8, markdown: '' }, { pageNumber: 9, markdown: '' },
  ]);
  t.end();
});

t.test('two lists side by side are two blocks; groups of other kinds only gather', (t) => {
  const builder = made();
  builder.addListItem(builder.addListGroup(), 'a');
  builder.addListItem(builder.addListGroup(), 'b');
  const slide = builder.addGroup('slide', 'slide-0');
  builder.addText('text', 'c', { parent: slide });
  builder.addText('text', 'd', { parent: builder.addGroup('section', 's', { parent: slide }) });
  t.equal(markdown(builder), '- a\n\n- b\n\nc\n\nd');
  t.end();
});

t.test('what stands in a picture is one paragraph, line by line', (t) => {
  const builder = made();
  builder.addText('text', 'before');
  const parent = builder.addGroup('picture_area', 'text of the picture');
  for (const text of ['0.5', 'T [MeV]', '---', '140 150']) builder.addText('text', text, { parent, ...onPage(1) });
  const other = builder.addGroup('picture_area', 'text of the picture');
  builder.addText('text', '0.7', { parent: other, ...onPage(1) });
  builder.addPicture(onPage(1));
  t.equal(markdown(builder), 'before\n\n0.5\nT [MeV]\n\\---\n140 150\n\n0.7\n\n<!-- image -->', 'what would make a heading of the line above is escaped');
  t.end();
});
