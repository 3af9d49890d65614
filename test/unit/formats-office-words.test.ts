/** Words of office files that stand beside their text: imported parts, alternative texts, remarks, scripts, and what is left out on purpose, counted. */
import t from 'tap';
import { makeDocx, makeOdf, makePptx, makeXlsx, relationship } from '../support/office-files.js';
import { readOffice } from '../support/read-office.js';

const run = (text: string, properties = ''): string => `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
const paragraph = (inside: string, properties = ''): string => `<w:p><w:pPr>${properties}</w:pPr>${inside}</w:p>`;

t.test('parts that a text takes in', async (t) => {
  const body = `${paragraph(run('first'))}<w:altChunk r:id="a"/><w:altChunk r:id="b"/><w:altChunk r:id="c"/><w:altChunk r:id="d"/>${paragraph(run('last'))}`;
  const { markdown, losses } = await readOffice('docx', makeDocx({
    body, relationships: relationship('a', 'aFChunk', 'page.htm') + relationship('b', 'aFChunk', 'note.txt') + relationship('c', 'aFChunk', 'old.rtf') + relationship('d', 'aFChunk', 'other.docx'),
    parts: { 'word/page.htm': '<ul><li>from a page</ul>', 'word/note.txt': 'from a note', 'word/old.rtf': '{\\rtf1 from {\\b RTF}\\par}', 'word/other.docx': 'x' },
  }));
  t.equal(markdown, 'first\n\n- from a page\n\nfrom a note\n\nfrom **RTF**\n\nlast');
  t.same(losses, ['The part word/other.docx that the document takes in is missing from the text: its format is not read there.']);
});

t.test('alternative texts, but for names of files and shapes', async (t) => {
  const drawing = (text: string): string => `<w:r><w:drawing><wp:inline><wp:docPr id="1" name="x" descr="${text}"/><a:graphic><a:graphicData><a:blip r:embed="none"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`;
  const { markdown, document } = await readOffice('docx', makeDocx({ body: paragraph(drawing('A mole in a hole')) + paragraph(drawing('C:\\scan7.png')) + paragraph(drawing('Picture 3')) }));
  t.equal(markdown, '<!-- image -->\n\nA mole in a hole\n\n<!-- image -->\n\n<!-- image -->');
  t.match(document.pictures[0]?.meta, { description: { text: 'A mole in a hole' } });
  const odt = await readOffice('odt', makeOdf('text', { body: '<text:p>x<draw:frame><draw:image xlink:href="a.png"/><svg:title>short</svg:title><svg:desc>A long view</svg:desc></draw:frame></text:p>' }));
  t.equal(odt.markdown, 'x\n\n<!-- image -->\n\nA long view');
});

t.test('remarks of reviewers, with author and time', async (t) => {
  const comments = '<w:comments xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:comment w:id="0" w:author="Fay" w:date="2027-01-02T03:04:05Z"><w:p><w:r><w:t>too long</w:t></w:r></w:p><w:p><w:r><w:t>really</w:t></w:r></w:p></w:comment></w:comments>';
  const { markdown, document } = await readOffice('docx', makeDocx({ body: paragraph(run('text')), relationships: relationship('rc', 'comments', 'comments.xml'), parts: { 'word/comments.xml': comments } }));
  t.equal(markdown, 'text\n\n[author: Fay, time: 2027-01-02T03:04:05Z]: too long\nreally');
  t.equal(document.groups.at(-1)?.label, 'comment_section');
  const annotation = '<office:annotation><dc:creator xmlns:dc="http://purl.org/dc/elements/1.1/">Eli</dc:creator><text:p>why?</text:p></office:annotation>';
  t.equal((await readOffice('odt', makeOdf('text', { body: `<text:p>one${annotation} two</text:p><table:table><table:table-row><table:table-cell><text:p>a${annotation}</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>` }))).markdown, 'one two\n\n| a | b |\n| - | - |\n\n[author: Eli]: why?\n\n[author: Eli]: why?');
  t.match((await readOffice('ods', makeOdf('spreadsheet', { body: `<table:table table:name="S"><table:table-row><table:table-cell>${annotation}<text:p>7</text:p></table:table-cell></table:table-row></table:table>` }))).markdown, '[author: Eli]: why?');
});

t.test('scripts in headings and in cells of sheets', async (t) => {
  const raised = '<w:vertAlign w:val="superscript"/>';
  t.equal((await readOffice('docx', makeDocx({ body: paragraph(run('Up to 10') + run('9', raised) + run(' cells', '<w:b/>'), '<w:outlineLvl w:val="1"/>') }))).markdown, '### Up to 10⁹ cells');
  const automatic = '<style:style style:name="low" style:family="text"><style:text-properties style:text-position="sub 58%"/></style:style>';
  t.equal((await readOffice('odt', makeOdf('text', { automatic, body: '<text:h text:outline-level="2">CO<text:span text:style-name="low">2</text:span> in air</text:h>' }))).markdown, '### CO₂ in air');
  const strings = ['<si><r><t>3·10</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>−4</t></r><r><t xml:space="preserve"> mol</t></r></si>'];
  t.match((await readOffice('xlsx', makeXlsx({ strings: strings.join(''), sheets: [{ name: 'S', xml: '<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row></sheetData>' }] }))).markdown, '3·10⁻⁴ mol');
});

t.test('what is left out on purpose is counted', async (t) => {
  const deleted = '<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>';
  const cell = (inside: string): string => `<w:tc>${paragraph(inside)}</w:tc>`;
  const { markdown, remarks } = await readOffice('docx', makeDocx({ body: `${paragraph(run('a') + deleted + run('secret', '<w:vanish/>'))}<w:tbl><w:tr>${cell(run('b') + deleted)}${cell(run('c'))}</w:tr></w:tbl>` }));
  t.equal(markdown, 'a\n\n| b | c |\n| - | - |');
  t.same(remarks, ['2 deletions that are still tracked are left out.', '1 run of hidden text is left out.']);
  const sheets = ['visible', 'hidden', 'veryHidden', 'show'].map((state) => ({ name: `is ${state}`, xml: `<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>${state} words</t></is></c></row></sheetData>`, state }));
  const book = await readOffice('xlsx', makeXlsx({ sheets }));
  t.match(book.markdown, /visible words[^]*show words/);
  t.notMatch(book.markdown, 'idden words');
  t.same(book.remarks, ['2 hidden sheets are not shown ("is hidden", "is veryHidden"); the JSON has them in the layer "invisible".']);
});

t.test('a presentation without slides is an empty document', async (t) => {
  const { markdown, pageCount } = await readOffice('pptx', makePptx({ slides: [] }));
  t.equal(markdown, '');
  t.equal(pageCount, null);
});
