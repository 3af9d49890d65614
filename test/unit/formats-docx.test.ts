/** DOCX: headings, lists, tables, notes, formulas, drawings, changes, fields, each in a document made for it. */
import t from 'tap';
import { makeDocx, relationship, type DocxParts } from '../support/office-files.js';
import { readOffice } from '../support/read-office.js';

const run = (text: string, properties = ''): string => `<w:r>${properties === '' ? '' : `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`;
const paragraph = (contents: string, properties = ''): string => `<w:p>${properties === '' ? '' : `<w:pPr>${properties}</w:pPr>`}${contents.startsWith('<') ? contents : run(contents)}</w:p>`;
const styled = (style: string, contents: string): string => paragraph(contents, `<w:pStyle w:val="${style}"/>`);
const listed = (numId: number, level: number, text: string): string => paragraph(text, `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${numId}"/></w:numPr>`);
const style = (id: string, name: string, inside = '', type = 'paragraph'): string => `<w:style w:type="${type}" w:styleId="${id}"><w:name w:val="${name}"/>${inside}</w:style>`;
const level = (number: number, format: string, text: string, inside = ''): string => `<w:lvl w:ilvl="${number}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${inside}<w:lvlText w:val="${text}"/></w:lvl>`;
const cell = (contents: string, properties = ''): string => `<w:tc><w:tcPr>${properties}</w:tcPr>${contents.startsWith('<w:p') || contents.startsWith('<w:tbl') ? contents : paragraph(contents)}</w:tc>`;
const table = (...rows: string[][]): string => `<w:tbl>${rows.map((cells) => `<w:tr>${cells.join('')}</w:tr>`).join('')}</w:tbl>`;
const markdown = async (parts: DocxParts, shown = {}): Promise<string> => (await readOffice('docx', makeDocx(parts), {}, shown)).markdown;

t.test('headings by style, by what a style is based on, by outline level, and numbered', async (t) => {
  const styles = style('H1', 'heading 1', '<w:pPr><w:outlineLvl w:val="0"/><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>')
    + style('H2', 'heading 2', '<w:pPr><w:outlineLvl w:val="1"/><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr></w:pPr>')
    + style('Chapter', 'Our chapter', '<w:basedOn w:val="H1"/>') + style('T', 'Title') + style('Toc', 'TOC Heading', '<w:basedOn w:val="H1"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr>')
    + style('Round', 'a', '<w:basedOn w:val="Circle"/>') + style('Circle', 'b', '<w:basedOn w:val="Round"/>');
  const numbering = `<w:abstractNum w:abstractNumId="0">${level(0, 'upperRoman', '%1.', '<w:pStyle w:val="H1"/>')}${level(1, 'decimal', '%1.%2', '<w:pStyle w:val="H2"/>')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`;
  const body = styled('T', 'The book') + styled('H1', 'One') + styled('H2', 'One one') + styled('H2', 'One two') + styled('Chapter', 'Two') + styled('H2', 'Two one')
    + paragraph('Outlined', '<w:outlineLvl w:val="2"/>') + paragraph('Out of the list', '<w:pStyle w:val="H1"/><w:numPr><w:numId w:val="0"/></w:numPr>') + styled('Toc', 'Contents') + styled('Round', 'Text');
  t.equal(await markdown({ body, styles, numbering }), '# The book\n\n## I. One\n\n### I.1 One one\n\n### I.2 One two\n\n## II. Two\n\n### II.1 Two one\n\n#### Outlined\n\n## Out of the list\n\n- III. Contents\n\nText');
});

t.test('lists nest, go on counting, start anew, and know letters', async (t) => {
  const numbering = `<w:abstractNum w:abstractNumId="0">${level(0, 'decimal', '%1.')}${level(1, 'lowerLetter', '%2)')}${level(2, 'bullet', 'o')}</w:abstractNum>`
    + `<w:abstractNum w:abstractNumId="1">${level(0, 'bullet', '\u2022')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>`
    + '<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>';
  const body = listed(1, 0, 'one') + listed(1, 1, 'under') + listed(1, 1, 'under too') + listed(1, 2, 'deep') + listed(1, 0, 'two') + listed(2, 0, 'dot') + paragraph('Between.')
    + listed(1, 0, 'three') + listed(3, 0, 'seven') + listed(99, 0, 'no such list');
  t.equal(await markdown({ body, numbering }), '1. one\n    - a) under\n    - b) under too\n        - deep\n2. two\n\n- dot\n\nBetween.\n\n3. three\n\n7. seven\n\nno such list');
});

t.test('runs: looks by style and outright, links and fields, hidden text, breaks', async (t) => {
  const styles = style('Loud', 'Loud', '<w:rPr><w:b/></w:rPr>', 'character') + style('Louder', 'Louder', '<w:basedOn w:val="Loud"/><w:rPr><w:i/></w:rPr>', 'character');
  const field = (code: string, text: string): string => `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>${code}</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>${run(text)}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;
  const body = paragraph(run('plain ') + run('loud', '<w:rStyle w:val="Louder"/>') + run(' and ') + run('not', '<w:rStyle w:val="Loud"/><w:b w:val="0"/>'))
    + paragraph(run('H') + run('2', '<w:vertAlign w:val="subscript"/>') + run('O ') + run('gone', '<w:strike/>') + run('secret', '<w:vanish/>'))
    + paragraph(`<w:hyperlink r:id="out">${run('site', '<w:u w:val="single"/>')}</w:hyperlink>${run(' and ')}${field('HYPERLINK "https://b.example/"', 'other')}${run(' page ')}${field('PAGE', '3')}`)
    + paragraph(run('one') + '<w:r><w:br/></w:r>' + run('two') + '<w:r><w:tab/></w:r><w:r><w:noBreakHyphen/></w:r><w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r>')
    + paragraph(`<w:hyperlink w:anchor="inside">${run('inner')}</w:hyperlink>`);
  t.equal(await markdown({ body, styles, relationships: relationship('out', 'hyperlink', 'https://a.example/', true) }),
    'plain ***loud*** and not\n\nH₂O ~~gone~~\n\n[site](https://a.example/) and [other](https://b.example/) page 3\n\none\ntwo\t\u2011\u2713\n\ninner');
  const { document } = await readOffice('docx', makeDocx({ body: paragraph(run('H') + run('2', '<w:vertAlign w:val="subscript"/>')) }));
  t.match(document.texts, [{ text: 'H', formatting: null }, { text: '2', formatting: { script: 'sub' }, meta: { lectern__space_before: false } }]);
});

t.test('runs that look alike are one, struck ones too', async (t) => {
  const { markdown } = await readOffice('docx', makeDocx({ body: paragraph(run('keep ') + run('pi', '<w:strike/><w:i/>') + run('er', '<w:i/><w:strike/>') + run(' on')) }));
  t.equal(markdown, 'keep ~~*pier*~~ on');
});

t.test('changes are accepted: what was deleted is gone, a paragraph whose end was deleted goes on', async (t) => {
  const body = paragraph(`${run('kept ')}<w:del>${run('deleted').replaceAll('w:t', 'w:delText')}</w:del><w:ins>${run('inserted')}</w:ins><w:moveFrom>${run('away')}</w:moveFrom><w:moveTo>${run(' here')}</w:moveTo>`)
    + paragraph('first half, ', '<w:rPr><w:del/></w:rPr>') + paragraph('second half')
    + `<w:tbl><w:tr>${cell('a')}${cell('b')}</w:tr><w:tr><w:trPr><w:del/></w:trPr>${cell('x')}${cell('y')}</w:tr></w:tbl>`
    + paragraph('<w:commentRangeStart w:id="1"/>' + run('remarked') + '<w:r><w:commentReference w:id="1"/></w:r>');
  t.equal(await markdown({ body }), 'kept inserted here\n\nfirst half, second half\n\n| a | b |\n| - | - |\n\nremarked');
});

t.test('tables: spans both ways, cells with more than words, tables in cells, frames of one cell', async (t) => {
  const numbering = `<w:abstractNum w:abstractNumId="0">${level(0, 'bullet', '-')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`;
  const body = table(
    [cell('wide', '<w:gridSpan w:val="2"/>'), cell('tall', '<w:vMerge w:val="restart"/>')],
    [cell('a'), cell('b'), cell('', '<w:vMerge/>')],
    [cell(listed(1, 0, 'one') + listed(1, 0, 'two')), cell(paragraph(run('bold', '<w:b/>'))), cell(table([cell('x'), cell('y')]) + paragraph('after'))],
  ) + table([cell(paragraph('framed') + paragraph('text'))]);
  const { markdown: text, document } = await readOffice('docx', makeDocx({ body, numbering }));
  t.equal(text, '| wide | wide | tall |\n| - | - | - |\n| a | b | tall |\n| - one - two | **bold** | <table><tr><th>x</th><th>y</th></tr></table>  after |\n\nframed\n\ntext');
  t.match(document.tables[0]?.data.table_cells.slice(0, 2), [{ col_span: 2, column_header: true }, { row_span: 2, start_col_offset_idx: 2 }]);
  t.match(document.tables[0]?.data.table_cells[4], { text: 'one two', ref: { $ref: /groups/ } }, 'a rich cell has its words too');
});

t.test('notes, headers, footers', async (t) => {
  const note = (id: number, text: string): string => `<w:footnote w:id="${id}">${paragraph(text)}</w:footnote>`;
  const body = paragraph(`${run('Text')}<w:r><w:footnoteReference w:id="5"/></w:r>${run(' goes')}<w:r><w:footnoteReference w:id="2"/></w:r>${run(' on.')}`)
    + '<w:sectPr><w:headerReference w:type="default" r:id="head"/><w:footerReference w:type="default" r:id="foot"/></w:sectPr>';
  const part = (root: string, text: string): string => `<w:${root} xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${paragraph(text)}</w:${root}>`;
  const parts = {
    body, footnotes: '<w:footnote w:type="separator" w:id="0"/>' + note(2, 'Second.') + note(5, 'First.') + note(6, 'Never referred to.'),
    relationships: relationship('head', 'header', 'header1.xml') + relationship('foot', 'footer', 'footer1.xml'),
    parts: { 'word/header1.xml': part('hdr', 'Head'), 'word/footer1.xml': part('ftr', 'Foot') },
  };
  t.equal(await markdown(parts), 'Text[1] goes[2] on.\n\n[1] First.\n\n[2] Second.');
  t.equal(await markdown(parts, { keepFurniture: true }), 'Head\n\nText[1] goes[2] on.\n\n[1] First.\n\n[2] Second.\n\nFoot');
});

t.test('boxes to tick, code, captions', async (t) => {
  const box = (ticked: number): string => `<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="${ticked}"/></w14:checkbox></w:sdtPr><w:sdtContent>${run('\u2612')}</w:sdtContent></w:sdt>`;
  const body = paragraph(`${run('Choose: ')}${box(1)}${run(' yes ')}${box(0)}${run(' no')}`) + styled('Code', 'if (a) {') + styled('Code', '  b();') + styled('Code', '}') + styled('Cap', 'Listing 1');
  t.equal(await markdown({ body, styles: style('Code', 'Source Code') + style('Cap', 'caption') }), 'Choose:\n\n- [x] yes\n\n- [ ] no\n\n```\nif (a) {\n  b();\n}\n```\n\nListing 1');
});

t.test('formulas as LaTeX, in the line and on their own', async (t) => {
  const r = (text: string): string => `<m:r><m:t>${text}</m:t></m:r>`;
  const fraction = `<m:f><m:num>${r('a+b')}</m:num><m:den>${r('2')}</m:den></m:f>`;
  const sum = `<m:nary><m:naryPr><m:chr m:val="\u2211"/></m:naryPr><m:sub>${r('i=1')}</m:sub><m:sup>${r('n')}</m:sup><m:e><m:sSup><m:e>${r('x')}</m:e><m:sup>${r('2')}</m:sup></m:sSup></m:e></m:nary>`;
  const root = `<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/><m:e>${r('\u03b1\u2264\u03b2')}</m:e></m:rad>`;
  const matrix = `<m:d><m:e><m:m><m:mr><m:e>${r('1')}</m:e><m:e>${r('0')}</m:e></m:mr><m:mr><m:e>${r('0')}</m:e><m:e>${r('1')}</m:e></m:mr></m:m></m:e></m:d>`;
  const limit = `<m:func><m:fName><m:limLow><m:e><m:r><m:rPr><m:sty m:val="p"/></m:rPr><m:t>lim</m:t></m:r></m:e><m:lim>${r('n\u2192\u221e')}</m:lim></m:limLow></m:fName><m:e>${r('a')}</m:e></m:func>`;
  const body = paragraph(`${run('Half: ')}<m:oMath>${fraction}</m:oMath>${run('.')}`) + `<w:p><m:oMathPara><m:oMath>${sum}</m:oMath></m:oMathPara></w:p>`
    + `<w:p><m:oMathPara><m:oMath>${root}</m:oMath></m:oMathPara></w:p><w:p><m:oMath>${matrix}</m:oMath></w:p><w:p><m:oMath>${limit}</m:oMath></w:p>`;
  t.equal(await markdown({ body }), 'Half: $\\frac{a+b}{2}$.\n\n$$\\sum_{i=1}^{n}x^{2}$$\n\n$$\\sqrt{\\alpha\\leq\\beta}$$\n\n'
    + '$$\\left(\\begin{matrix}1 & 0 \\\\ 0 & 1\\end{matrix}\\right)$$\n\n$$\\lim_{n\\rightarrow\\infty}a$$');
});

t.test('drawings: pictures in the file and outside it, boxes of text once, charts with their numbers', async (t) => {
  const blip = (attribute: string): string => `<w:r><w:drawing><wp:inline><a:graphic><a:graphicData><a:blip ${attribute}/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`;
  const box = `<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:wsp><wps:txbx><w:txbxContent>${paragraph('In a box')}</w:txbxContent></wps:txbx></wps:wsp></w:drawing></mc:Choice>`
    + `<mc:Fallback><w:pict><v:textbox><w:txbxContent>${paragraph('In a box')}</w:txbxContent></v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>`;
  const chart = '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:chart><c:title><a:p><a:r><a:t>Rain</a:t></a:r></a:p></c:title>'
    + '<c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>mm</c:v></c:pt></c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>May</c:v></c:pt></c:strCache></c:strRef></c:cat>'
    + '<c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>4.2999999999999998</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>';
  const body = paragraph(run('Before') + blip('r:embed="inside"') + blip('r:link="outside"')) + paragraph(box) + paragraph('<w:r><w:drawing><c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" r:id="chart"/></w:drawing></w:r>');
  const { markdown: text, pictures, document } = await readOffice('docx', makeDocx({
    body, relationships: relationship('inside', 'image', 'media/a.png') + relationship('outside', 'image', 'https://a.example/b.png', true) + relationship('chart', 'chart', 'charts/chart1.xml'),
    parts: { 'word/media/a.png': Buffer.from('a picture'), 'word/charts/chart1.xml': chart },
  }));
  t.equal(text, 'Before\n\n<!-- image -->\n\n<!-- image -->\n\nIn a box\n\nRain\n\n<!-- image -->\n\nBar chart\n\n|  | mm |\n| - | - |\n| May | 4.3 |');
  t.equal(pictures.length, 1, 'what lies outside is never fetched');
  t.equal(Buffer.from(pictures[0]?.bytes() ?? []).toString(), 'a picture');
  t.equal(document.pictures.length, 3);
});
