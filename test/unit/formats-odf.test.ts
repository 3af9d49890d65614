/** OpenDocument: texts, presentations, spreadsheets, each feature in a file made for it. */
import t from 'tap';
import { makeOdf, odfPart } from '../support/office-files.js';
import { readOffice } from '../support/read-office.js';

const p = (text: string, style = ''): string => `<text:p${style === '' ? '' : ` text:style-name="${style}"`}>${text}</text:p>`;
const item = (...contents: string[]): string => `<text:list-item>${contents.join('')}</text:list-item>`;
const list = (style: string, ...items: string[]): string => `<text:list${style === '' ? '' : ` text:style-name="${style}"`}>${items.join('')}</text:list>`;
const style = (name: string, family: string, parent: string, inside = ''): string =>
  `<style:style style:name="${name}" style:family="${family}"${parent === '' ? '' : ` style:parent-style-name="${parent}"`}>${inside}</style:style>`;
const listStyles = '<text:list-style style:name="N"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/><text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")" text:display-levels="2"/></text:list-style>'
  + '<text:list-style style:name="B"><text:list-level-style-bullet text:level="1" text:bullet-char="\u2022"/><text:list-level-style-bullet text:level="2" text:bullet-char="-"/></text:list-style>'
  + '<text:list-style style:name="None"><text:list-level-style-number text:level="1" style:num-format=""/></text:list-style>';

t.test('texts: titles, headings, looks by style, links, spaces, deleted text', async (t) => {
  const automatic = style('P1', 'paragraph', 'Title') + style('T1', 'text', '', '<style:text-properties fo:font-weight="bold"/>') + style('T2', 'text', 'T1', '<style:text-properties fo:font-style="italic"/>')
    + style('T3', 'text', '', '<style:text-properties style:text-position="super 58%"/>') + style('Loop', 'text', 'Loop');
  const body = `<text:tracked-changes><text:changed-region><text:deletion>${p('was deleted')}</text:deletion></text:changed-region></text:tracked-changes>`
    + p('The book', 'P1') + '<text:h text:outline-level="2">A <text:span text:style-name="T1">part</text:span></text:h>'
    + p('one<text:s text:c="3"/>two\n   three<text:line-break/>four<text:tab/>five') + p('<text:span text:style-name="T2">both</text:span> x<text:span text:style-name="T3">2</text:span> <text:span text:style-name="Loop">loop</text:span>')
    + p('<text:a xlink:href="https://a.example/">out</text:a> and <text:a xlink:href="#in">in</text:a>, not <text:a xlink:href="javascript:run()">run</text:a><office:annotation><text:p>remark</text:p></office:annotation>')
    + p('a {', 'Pre') + p('  b', 'Pre') + p('}', 'Pre');
  const { markdown } = await readOffice('odt', makeOdf('text', { body, automatic, styles: style('Title', 'paragraph', '') + '<style:style style:name="Pre" style:display-name="Preformatted Text" style:family="paragraph"/>' }));
  t.equal(markdown, '# The book\n\n### A part\n\none   two three\nfour\tfive\n\n***both*** x² loop\n\n[out](https://a.example/) and in, not run\n\n```\na {\n b\n}\n```\n\n[comment]: remark');
});

t.test('lists: nested, numbered through, going on, taken out of counting', async (t) => {
  const automatic = listStyles + style('Off', 'paragraph', '', '<style:paragraph-properties text:enable-numbering="false"/>');
  const body = list('N', item(p('one'), list('', item(p('sub')), item(p('sub two'))), p('goes on')), item(p('two')), item(p('unnumbered', 'Off')))
    + p('Between.') + '<text:list text:style-name="N" text:continue-numbering="true">' + item(p('after')) + '</text:list>' + list('B', item(p('dot'))) + list('None', item(p('just text')));
  const { markdown } = await readOffice('odt', makeOdf('text', { body, automatic }));
  t.match(markdown, /^1\. one\n    - 1\.a\) sub\n    - 1\.b\) sub two\n\ngoes on\n\n2\. two\n\nunnumbered\n\nBetween\.\n\n\d\. after\n\n- dot\n\njust text$/);
});

t.test('tables, frames, notes, formulas, headers', async (t) => {
  const cell = (text: string, rest = ''): string => `<table:table-cell ${rest}>${p(text)}</table:table-cell>`;
  const table = `<table:table><table:table-header-rows><table:table-row>${cell('wide', 'table:number-columns-spanned="2"')}<table:covered-table-cell/>${cell('tall', 'table:number-rows-spanned="2"')}</table:table-row></table:table-header-rows>`
    + `<table:table-row>${cell('x', 'table:number-columns-repeated="2"')}<table:covered-table-cell/></table:table-row><table:table-row><table:table-cell>${list('B', item(p('in a list')))}</table:table-cell></table:table-row></table:table>`;
  const body = table + p('Text<text:note><text:note-citation>1</text:note-citation><text:note-body>' + p('The note.') + '</text:note-body></text:note> on.')
    + p('<draw:frame><draw:text-box>' + p('In a box') + '</draw:text-box></draw:frame>After the box<draw:frame><draw:image xlink:href="Pictures/a.png"/></draw:frame>')
    + p('Half: <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>') + p('<draw:frame><draw:image xlink:href="https://a.example/spy.png"/></draw:frame>');
  const master = `<style:master-page><style:header>${p('Head')}</style:header><style:footer>${p('Foot')}</style:footer></style:master-page>`;
  const file = makeOdf('text', { body, automatic: listStyles, master, parts: {
    'Pictures/a.png': Buffer.from('a picture'), 'Object 1/content.xml': odfPart('math:math', '<math:mfrac><math:mn>1</math:mn><math:mn>2</math:mn></math:mfrac>'),
  } });
  const { markdown, pictures } = await readOffice('odt', file, {}, { keepFurniture: true });
  t.equal(markdown, 'Head\n\n| wide | wide | tall |\n| - | - | - |\n| x | x | tall |\n| - in a list |  |  |\n\nText[1] on.\n\nIn a box\n\nAfter the box\n\n<!-- image -->\n\nHalf: $\\frac{1}{2}$\n\n<!-- image -->\n\n[1] The note.\n\nFoot');
  t.same(pictures.map(({ bytes }) => Buffer.from(bytes()).toString()), ['a picture']);
});

t.test('presentations: titles, text boxes, tables, notes by option', async (t) => {
  const frame = (kind: string, inside: string, y = 1): string => `<draw:frame svg:x="1in" svg:y="${y}in" svg:width="2in" svg:height="1in" presentation:class="${kind}"><draw:text-box>${inside}</draw:text-box></draw:frame>`;
  const body = `<draw:page draw:name="a">${frame('outline', list('B', item(p('point'))))}${frame('title', p('First'))}<draw:custom-shape>${p('in a shape')}</draw:custom-shape>`
    + `<draw:g><draw:frame><table:table><table:table-row><table:table-cell>${p('1')}</table:table-cell><table:table-cell>${p('2')}</table:table-cell></table:table-row></table:table></draw:frame></draw:g>`
    + `<presentation:notes><draw:frame presentation:class="notes"><draw:text-box>${p('Say this.')}</draw:text-box></draw:frame></presentation:notes></draw:page><draw:page>${frame('title', p('Second'))}${frame('footer', p('Foot'))}</draw:page>`;
  const file = makeOdf('presentation', { body, automatic: listStyles });
  const { markdown, document, pageCount } = await readOffice('odp', file);
  t.equal(markdown, '# First\n\n- point\n\nin a shape\n\n| 1 | 2 |\n| - | - |\n\n# Second');
  t.match({ pageCount, prov: document.texts[0]?.prov }, { pageCount: 2, prov: [{ page_no: 1, bbox: { l: 72, r: 216 } }] });
  t.equal((await readOffice('odp', file, { keepNotes: true, pageRange: [1, 1] })).markdown, '# First\n\n- point\n\nin a shape\n\n| 1 | 2 |\n| - | - |\n\nSay this.');
  const untitled = makeOdf('presentation', { body: `<draw:page draw:name="Budget  plan">${frame('title', p(' '))}${frame('outline', p('words'))}</draw:page><draw:page>${frame('outline', p('more'))}</draw:page>`, automatic: listStyles });
  t.equal((await readOffice('odp', untitled)).markdown, '# Budget plan\n\nwords\n\nmore', 'a slide without a title goes by its name, where it has one');
});

t.test('spreadsheets: texts as shown, repeated cells and rows, spans, hidden sheets', async (t) => {
  const cell = (text: string, rest = ''): string => `<table:table-cell ${rest}>${p(text)}</table:table-cell>`;
  const sheet = (name: string, rows: string, rest = ''): string => `<table:table table:name="${name}" ${rest}><table:table-column/>${rows}</table:table>`;
  const row = (cells: string, rest = ''): string => `<table:table-row ${rest}>${cells}</table:table-row>`;
  const one = sheet('One', row(cell('12.50 \u20ac', 'office:value="12.5"') + cell('x', 'table:number-columns-repeated="2"')) + row(cell('twice'), 'table:number-rows-repeated="2"')
    + row('<table:table-cell table:number-columns-repeated="16384"/>', 'table:number-rows-repeated="1048000"') + row(cell('far below')));
  const two = sheet('Two', row(cell('wide', 'table:number-columns-spanned="2"') + '<table:covered-table-cell/>') + `<table:table-row-group>${row(cell('a') + cell('b'))}</table:table-row-group>`);
  const hidden = sheet('Three', row(cell('secret')), 'table:style-name="H"');
  const automatic = style('H', 'table', '', '<style:table-properties table:display="false"/>');
  const { markdown, document } = await readOffice('ods', makeOdf('spreadsheet', { body: one + two + hidden, automatic }));
  t.equal(markdown, '## One\n\n| 12.50 \u20ac | x | x |\n| - | - | - |\n| twice |  |  |\n| twice |  |  |\n\n| far below |\n| - |\n\n## Two\n\n| wide | wide |\n| - | - |\n| a | b |');
  t.match(document.tables.map(({ prov }) => prov[0]?.page_no), [1, 1, 2, 3]);
  t.equal((await readOffice('ods', makeOdf('spreadsheet', { body: sheet('Only', row(cell('5'))) }))).markdown, '| 5 |\n| - |', 'the name of an only sheet says nothing');
});

t.test('rows repeated without end are cut, and said', async (t) => {
  const row = `<table:table-row table:number-rows-repeated="1048576">${'<table:table-cell table:number-columns-repeated="4"><text:p>x</text:p></table:table-cell>'}</table:table-row>`;
  const { document, losses } = await readOffice('ods', makeOdf('spreadsheet', { body: `<table:table table:name="Bomb">${row}</table:table>` }));
  t.match(losses, [/^The sheet "Bomb" holds more cells/]);
  t.ok((document.tables[0]?.data.table_cells.length ?? 0) <= 1_000_000);
});
