/** HTML: the shape that docling-core's has, spans and nesting, nothing unescaped. */
import t from 'tap';
import { DocumentBuilder } from '../../src/document/builder.js';
import { writeHtml } from '../../src/document/html.js';
import type { HtmlWriterOptions } from '../../src/document/html.js';

function made(): DocumentBuilder {
  const builder = new DocumentBuilder({ name: 'a<b>&"c"' });
  for (const page of [1, 2]) builder.addPage(page, { width: 600, height: 800 });
  return builder;
}

function html(builder: DocumentBuilder, options: HtmlWriterOptions = {}): string {
  return [...writeHtml(builder.document, options)].join('');
}

/** What stands on the page. */
function content(builder: DocumentBuilder, options: HtmlWriterOptions = {}): string {
  const whole = html(builder, options);
  return whole.slice(whole.indexOf("<body>\n<div class='page'>\n") + 26, whole.indexOf('\n</div>\n</body>'));
}

const image = (uri: string) => ({ mimetype: 'image/png', dpi: 72, size: { width: 2, height: 2 }, uri });
const onPage = (pageNumber: number) => ({ at: [{ pageNumber, box: { left: 1, top: 1, right: 2, bottom: 2 } }] });

t.test('head and frame', (t) => {
  const whole = html(made());
  t.ok(whole.startsWith('<!DOCTYPE html>\n<html>\n<head>\n<meta charset="UTF-8"/>\n<title>a&lt;b&gt;&amp;"c"</title>\n'));
  t.ok(whole.endsWith("</style>\n</head>\n<body>\n<div class='page'>\n</div>\n</body>\n</html>"));
  t.end();
});

t.test('texts: levels, lines, directions, furniture, code, formulas, checkboxes', (t) => {
  const builder = made();
  builder.addFurniture('page_header', 'head');
  builder.addTitle('T & t');
  builder.addHeading(1, 'one');
  builder.addHeading(8, 'eight');
  builder.addText('text', 'a <script>\nb "q"');
  builder.addText('text', 'שלום abc');
  builder.addCode('x < y\n z', { language: 'Python' });
  builder.addFormula('a < b');
  builder.addFormula('', { orig: 'x = 1' });
  builder.addCheckbox(true, 'done');
  t.equal(content(builder), [
    '<h1>T &amp; t</h1>', '<h2>one</h2>', '<h6>eight</h6>', '<p>a &lt;script&gt;<br>b "q"</p>', '<p dir="rtl">שלום abc</p>',
    '<pre><code>x &lt; y\n z</code></pre>', '<pre class="formula">a &lt; b</pre>', '<div class="formula-not-decoded">x = 1</div>',
    '<p><input type="checkbox" disabled checked/> done</p>',
  ].join('\n'));
  t.match(content(builder, { keepFurniture: true }), /^<p>head<\/p>\n/);
  t.end();
});

t.test('runs: emphasis, scripts, links; a script is no link', (t) => {
  const builder = made();
  const group = builder.addInlineGroup();
  builder.addText('text', 'H', { parent: group });
  builder.addText('text', '2', { parent: group, glued: true, formatting: { script: 'sub' } });
  builder.addText('text', 'all', { parent: group, formatting: { bold: true, italic: true, underline: true, strikethrough: true } });
  builder.addText('text', 'link', { parent: group, hyperlink: 'https://a/?b=1&c="d"' });
  builder.addText('text', 'no', { parent: group, hyperlink: 'JavaScript:alert(1)' });
  builder.addCode('c<d', { parent: group });
  t.equal(content(builder), "<p><span class='inline-group'>H<sub>2</sub> <del><u><em><strong>all</strong></em></u></del> "
    + '<a href="https://a/?b=1&amp;c=&quot;d&quot;">link</a> no <code>c&lt;d</code></span></p>');
  t.end();
});

t.test('lists nest inside their items and show their markers', (t) => {
  const builder = made();
  const list = builder.addListGroup();
  const one = builder.addListItem(list, 'one', { enumerated: true, marker: `1'"\\` });
  builder.addListItem(builder.addListGroup({ parent: one }), 'inner');
  builder.addListItem(list, 'two');
  t.equal(content(builder), [
    '<ol>', `<li style="list-style-type: '1\\'&quot;\\\\ ';">`, 'one', '<ul>', '<li>inner</li>', '</ul>', '</li>', '<li>two</li>', '</ol>',
  ].join('\n'));
  t.end();
});

t.test('tables: caption, headers, spans, gaps, cells that hold a list', (t) => {
  const builder = made();
  const table = builder.addTable(2, 3, [
    { row: 0, column: 0, text: ' a<b ', columnHeader: true, rowSpan: 2 }, { row: 0, column: 1, text: 'c', columnHeader: true, columnSpan: 2 },
    { row: 1, column: 1, text: '' },
  ]);
  builder.addCaption(table, 'cap & tion');
  const group = builder.addListGroup({ parent: table });
  builder.addListItem(group, 'x');
  table.data.table_cells[2]!.ref = { $ref: group.self_ref };
  t.equal(content(builder), '<table><caption><div class="caption">cap &amp; tion</div></caption><tbody>'
    + '<tr><th rowspan="2">a&lt;b</th><th colspan="2">c</th></tr><tr><td><ul>\n<li>x</li>\n</ul></td><td></td></tr></tbody></table>');
  builder.addTable(0, 0, []);
  t.notMatch(content(builder), /<\/table>\n/, 'an empty table is nothing');
  t.end();
});

t.test('pictures by mode; only pictures are embedded', (t) => {
  const builder = made();
  builder.addCaption(builder.addPicture({ image: image('data:image/png;base64,AA==') }), 'cap');
  builder.addPicture({ image: image('artifacts/"a".png') });
  builder.addPicture({ image: image('data:text/html,<b>') });
  t.equal(content(builder), '<figure><figcaption><div class="caption">cap</div></figcaption></figure>');
  t.equal(content(builder, { imageMode: 'embedded' }),
    '<figure><figcaption><div class="caption">cap</div></figcaption><img src="data:image/png;base64,AA=="></figure>');
  t.equal(content(builder, { imageMode: 'referenced' }),
    '<figure><figcaption><div class="caption">cap</div></figcaption></figure>\n<figure><img src="artifacts/&quot;a&quot;.png"></figure>');
  t.end();
});

t.test('key-value regions are lists', (t) => {
  const builder = made();
  const cell = (label: 'key' | 'value', cell_id: number, text: string) => ({ label, cell_id, text, orig: text, prov: null, item_ref: null });
  builder.addKeyValues({
    cells: [cell('key', 0, 'Name'), cell('value', 1, 'A & B'), cell('value', 2, 'loose')],
    links: [{ label: 'to_value', source_cell_id: 0, target_cell_id: 1 }, { label: 'to_value', source_cell_id: 9, target_cell_id: 8 }],
  });
  t.equal(content(builder), '<ul class="key-value-region">\n<li><strong>Name</strong>: A &amp; B</li>\n<li>loose</li>\n</ul>');
  t.end();
});

t.test('split pages: a section each, with the picture of the page', (t) => {
  const builder = made();
  builder.addPage(2, { width: 600, height: 800 }, image('artifacts/page.png'));
  builder.addText('text', 'one', onPage(1));
  builder.addText('text', 'still one');
  builder.addText('text', 'two', onPage(2));
  const whole = html(builder, { splitPages: true, imageMode: 'referenced' });
  t.equal(whole.slice(whole.indexOf('<body>')), [
    '<body>', `<div class='page' id="page-1">`, '<p>one</p>', '<p>still one</p>', '</div>',
    `<div class='page' id="page-2">`, '<figure><img src="artifacts/page.png"></figure>', '<p>two</p>', '</div>', '</body>', '</html>',
  ].join('\n'));
  t.notMatch(html(builder, { splitPages: true }), 'page.png', 'no pictures in placeholder mode');
  t.end();
});
