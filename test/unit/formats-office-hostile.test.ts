/** Office files from people who mean harm, or whose disk was full: a clear error, or what can be had with what is missing. */
import t from 'tap';
import { makeArchive, makeDocx, makeOdf, makePptx, makeXlsx, relationship } from '../support/office-files.js';
import { readOffice } from '../support/read-office.js';

const expected = new Set(['invalid_document', 'too_large', 'password_required']);
const paragraph = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;

const files: Record<string, Uint8Array> = {
  docx: makeDocx({ body: paragraph('one') + paragraph('two'), styles: '<w:style w:styleId="a"/>', numbering: '<w:num w:numId="1"/>' }),
  xlsx: makeXlsx({ sheets: [{ name: 'S', xml: '<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row></sheetData>' }], strings: '<si><t>x</t></si>', styles: '<cellXfs><xf/></cellXfs>' }),
  pptx: makePptx({ slides: [{ shapes: '<p:sp><p:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></p:txBody></p:sp>' }] }),
  odt: makeOdf('text', { body: '<text:p>x</text:p>' }),
  ods: makeOdf('spreadsheet', { body: '<table:table><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row></table:table>' }),
  odp: makeOdf('presentation', { body: '<draw:page><draw:custom-shape><text:p>x</text:p></draw:custom-shape></draw:page>' }),
};

async function codeOf(name: string, bytes: Uint8Array): Promise<string> {
  try {
    await readOffice(name, bytes);
    return 'read';
  } catch (error) {
    return (error as { code?: string }).code ?? `defect: ${String(error)}`;
  }
}

for (const [name, whole] of Object.entries(files)) {
  t.test(`${name}: cut, broken, empty, or another format`, async (t) => {
    t.equal(await codeOf(name, whole), 'read');
    for (const share of [0, 0.1, 0.5, 0.9, 0.99]) t.equal(await codeOf(name, whole.subarray(0, Math.floor(whole.length * share))), 'invalid_document', `cut at ${share}`);
    for (const other of ['words, nothing else', '%PDF-1.7', '<html></html>']) t.equal(await codeOf(name, Buffer.from(other)), 'invalid_document', other);
    for (const [otherName, other] of Object.entries(files)) if (otherName !== name) t.equal(await codeOf(name, other), 'invalid_document', `a file of ${otherName}`);
    let defects = 0;
    for (let at = 0; at < whole.length; at += 3) {
      const broken = whole.slice();
      broken[at] = (broken[at] ?? 0) ^ 0x15;
      const code = await codeOf(name, broken);
      if (code !== 'read' && !expected.has(code)) {
        defects++;
        t.comment(`byte ${at}: ${code}`);
      }
    }
    t.equal(defects, 0, 'a broken byte is never a defect of ours');
  });
}

t.test('parts that are not XML, missing parts, parts of lies', async (t) => {
  const part = (body: string): Promise<string> => codeOf('docx', makeDocx({ body: '', parts: { 'word/document.xml': body } }));
  for (const body of ['', 'words', '<w:document>', '<a/>', '\0\0\0\0', '<w:document xmlns:w="x"><w:body>']) t.equal(await part(body), 'invalid_document', body);
  t.equal(await codeOf('docx', makeDocx({ body: paragraph('x'), parts: { 'word/styles.xml': '<w:styles' }, relationships: relationship('s', 'styles', 'styles.xml') })), 'invalid_document');
  t.equal(await codeOf('docx', makeDocx({ body: paragraph('x'), relationships: relationship('s', 'styles', '../../../../etc/passwd') })), 'read', 'a way out of the file leads nowhere');
  t.equal(await codeOf('docx', makeArchive({ 'word/document.xml': '<a/>' })), 'invalid_document', 'no relationships');
});

t.test('macros and embedded programs are not read', async (t) => {
  const { markdown } = await readOffice('docx', makeDocx({
    body: paragraph('Text'), relationships: relationship('m', 'vbaProject', 'vbaProject.bin') + relationship('t', 'attachedTemplate', 'https://evil.example/template.dotm', true),
    parts: { 'word/vbaProject.bin': 'MZ Sub AutoOpen()' },
  }));
  t.equal(markdown, 'Text');
});

t.test('an encrypted document says so', async (t) => {
  const sector = 512;
  const file = Buffer.alloc(4 * sector);
  file.set([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  file.writeUInt16LE(9, 30);
  file.writeUInt32LE(1, 48);
  file.writeUInt32LE(0, 76);
  file.fill(0xff, sector, 2 * sector);
  for (const [index, name] of ['Root Entry', 'EncryptedPackage'].entries()) {
    file.write(name, 2 * sector + index * 128, 'utf16le');
    file.writeUInt16LE(2 * name.length + 2, 2 * sector + index * 128 + 64);
  }
  for (const name of ['docx', 'xlsx', 'pptx']) t.equal(await codeOf(name, file), 'password_required', name);
  const manifest = '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>';
  t.equal(await codeOf('odt', makeOdf('text', { body: '', parts: { 'META-INF/manifest.xml': manifest, 'content.xml': 'cipher' } })), 'password_required');
});

t.test('nested ten thousand deep', async (t) => {
  const deep = (open: string, close: string, inside: string): string => open.repeat(10_000) + inside + close.repeat(10_000);
  t.equal(await codeOf('docx', makeDocx({ body: deep('<w:tbl><w:tr><w:tc>', '</w:tc></w:tr></w:tbl>', paragraph('x')) })), 'invalid_document');
  t.equal(await codeOf('docx', makeDocx({ body: deep('<w:sdt><w:sdtContent>', '</w:sdtContent></w:sdt>', paragraph('x')) })), 'invalid_document');
  t.equal(await codeOf('pptx', makePptx({ slides: [{ shapes: deep('<p:grpSp>', '</p:grpSp>', '') }] })), 'invalid_document');
  t.equal(await codeOf('odt', makeOdf('text', { body: deep('<text:list><text:list-item>', '</text:list-item></text:list>', '<text:p>x</text:p>') })), 'invalid_document');
  t.equal(await codeOf('ods', makeOdf('spreadsheet', { body: `<table:table>${deep('<table:table-row-group>', '</table:table-row-group>', '')}</table:table>` })), 'invalid_document');
  // Within what XML may have, and beyond what a document may.
  const tables = (count: number): string => '<w:tbl><w:tr><w:tc>'.repeat(count) + paragraph('x') + '</w:tc><w:tc/></w:tr></w:tbl>'.repeat(count);
  t.equal(await codeOf('docx', makeDocx({ body: tables(60) })), 'read');
  t.equal(await codeOf('docx', makeDocx({ body: tables(300) })), 'invalid_document');
});

t.test('circles: styles, numberings, relationships that lead to themselves', async (t) => {
  const styles = '<w:style w:type="paragraph" w:styleId="A"><w:basedOn w:val="B"/></w:style><w:style w:type="paragraph" w:styleId="B"><w:basedOn w:val="A"/></w:style>';
  const numbering = '<w:abstractNum w:abstractNumId="0"><w:numStyleLink w:val="S"/></w:abstractNum><w:abstractNum w:abstractNumId="1"><w:styleLink w:val="S"/><w:numStyleLink w:val="S"/></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>';
  const body = '<w:p><w:pPr><w:pStyle w:val="A"/><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>x</w:t></w:r></w:p><w:sectPr><w:headerReference r:id="self"/></w:sectPr>';
  t.equal((await readOffice('docx', makeDocx({ body, styles, numbering, relationships: relationship('self', 'header', 'document.xml') }))).markdown, '- x');
  const note = '<w:footnote w:id="1"><w:p><w:r><w:t>see</w:t></w:r><w:r><w:footnoteReference w:id="1"/></w:r></w:p></w:footnote>';
  t.equal((await readOffice('docx', makeDocx({ body: '<w:p><w:r><w:t>a</w:t><w:footnoteReference w:id="1"/></w:r></w:p>', footnotes: note }))).markdown, 'a[1]\n\n[1] see[1]');
});

t.test('bombs: a part of a gigabyte, many parts, one string many times', async (t) => {
  t.equal(await codeOf('docx', makeDocx({ body: '', parts: { 'word/document.xml': new Uint8Array(20 * 1024 * 1024).fill(32) } })), 'too_large');
  const strings = `<si><t>${'x'.repeat(100_000)}</t></si>`;
  const rows = Array.from({ length: 2_000 }, (_, index) => `<row r="${index + 1}"><c r="A${index + 1}" t="s"><v>0</v></c></row>`).join('');
  const { document } = await readOffice('xlsx', makeXlsx({ sheets: [{ name: 'S', xml: `<sheetData>${rows}</sheetData>` }], strings }), {});
  t.equal(document.tables[0]?.data.num_rows, 2_000, 'a shared string is one string however often it is shown');
});

t.test('a conversion that is not wanted any more ends', async (t) => {
  const signal = AbortSignal.abort();
  for (const name of ['docx', 'xlsx', 'pptx', 'odp']) await t.rejects(readOffice(name, files[name] as Uint8Array, { signal }), { code: 'cancelled' }, name);
});
