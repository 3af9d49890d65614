/** Broken and hostile documents of every format but PDF through the whole service over HTTP: a stated failure or a partial result, never a defect, and a service that lives. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { unzipSync } from 'fflate';
import t from 'tap';
import { createApp, type App } from '../../src/program/app.js';
import { resolveSettings } from '../../src/settings/settings.js';
import { createLog } from '../../src/logging/log.js';
import { makeCompoundFile } from '../support/compound-file.js';
import { goldenEpub, goldenMsg } from '../support/golden-archives.js';
import { goldenDocx, goldenOdp, goldenOds, goldenOdt, goldenPptx, goldenXlsx } from '../support/golden-office.js';
import { makeArchive, makeDocx, makeOdf, makePptx, makeXlsx, relationship } from '../support/office-files.js';

interface Body {
  status: string;
  errors: { error_message: string; category: string }[];
  document: { filename: string; md_content: string | null };
}

let app: App;
let base = '';

t.before(async () => {
  const { values } = resolveSettings(['--listen', '127.0.0.1:0', '--state', t.testdir({}), '--log-level', 'silent', '--worker-memory', '700MiB'], {});
  app = await createApp(values, createLog('silent'));
  [base = ''] = await app.listen();
});
t.teardown(() => app.close());

async function send(filename: string, bytes: Uint8Array | string): Promise<Body> {
  const form = new FormData();
  form.append('files', new Blob([bytes]), filename);
  const response = await fetch(`${base}/v1/convert/file`, { method: 'POST', body: form, headers: { connection: 'close' } });
  const body = (await response.json()) as Body;
  if (response.status !== 200) throw new Error(`${filename}: ${response.status} ${JSON.stringify(body)}`);
  return body;
}

/** What is wrong with an answer: a failure says why in a sentence that holds nothing of the program's inside, and has no contents. */
function faultsOf({ status, errors, document }: Body): string[] {
  const faults = status === 'success' ? [] : errors.flatMap(({ error_message: sentence, category }) => [
    ...(category === 'internal' || category === 'unknown' ? [`category ${category}: ${sentence}`] : []),
    ...(/^(?:[A-Z]|document\.)[^\n]*\.$/u.test(sentence) && !/node_modules|\/tmp|\.js\b/u.test(sentence) ? [] : [`no sentence: ${sentence}`]),
  ]);
  if (status !== 'success' && errors.length === 0) faults.push('no error');
  if ((status === 'failure' || status === 'skipped') === (document.md_content !== null)) faults.push(`contents with ${status}`);
  return faults;
}

const whole: [string, () => Uint8Array][] = [
  ['a.docx', goldenDocx], ['a.pptx', goldenPptx], ['a.xlsx', goldenXlsx], ['a.odt', goldenOdt], ['a.odp', goldenOdp], ['a.ods', goldenOds], ['a.epub', goldenEpub], ['a.msg', goldenMsg],
];

t.test('cut short, and under a wrong name', async (t) => {
  for (const [name, make] of whole) {
    const bytes = make();
    for (const part of [0.3, 0.8]) {
      const answer = await send(name, bytes.subarray(0, Math.floor(bytes.length * part)));
      t.same([name, answer.status, faultsOf(answer)], [name, 'failure', []]);
    }
    const renamed = await send('a.txt', bytes);
    t.same([name, renamed.status], [name, 'success'], 'what is in the file counts');
    const text = await send(name, 'only words');
    t.same([name, text.status, faultsOf(text)], [name, 'failure', []]);
  }
  for (const name of ['a.html', 'a.md', 'a.adoc', 'a.csv', 'a.tex', 'a.vtt', 'a.nxml', 'a.json', 'a.eml']) {
    const answer = await send(name, Buffer.from([0, 1, 2, 255, 254, 0, 0, 0, 7, 7]));
    t.same([name, answer.status, faultsOf(answer)], [name, 'failure', []], 'no text');
  }
});

t.test('behind a password, with macros', async (t) => {
  const encrypted = makeCompoundFile({ EncryptionInfo: Buffer.alloc(200, 4), EncryptedPackage: Buffer.alloc(9000, 7) });
  for (const name of ['a.docx', 'a.xlsx', 'a.pptx']) t.match(await send(name, encrypted), { status: 'failure', errors: [{ error_message: /password|encrypted/u }] }, name);
  const text = Buffer.alloc(600);
  text[11] = 1;
  const user = Buffer.alloc(48);
  user.writeUInt32LE(0xf3d1c4df, 12);
  for (const [name, file] of [['a.doc', { WordDocument: text }], ['a.ppt', { 'PowerPoint Document': Buffer.alloc(600), 'Current User': user }]] as const) {
    t.match(await send(name, makeCompoundFile(file)), { status: 'failure', errors: [{ error_message: /password|encrypted/u }] }, name);
  }
  const manifest = '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>';
  t.match(await send('a.odt', makeOdf('text', { body: '', parts: { 'META-INF/manifest.xml': manifest, 'content.xml': 'cipher' } })), { status: 'failure', errors: [{ error_message: /password|encrypted/u }] });
  const macros = makeDocx({ body: '<w:p><w:r><w:t>Text</w:t></w:r></w:p>', relationships: relationship('m', 'vbaProject', 'vbaProject.bin'), parts: { 'word/vbaProject.bin': 'Sub AutoOpen()' } });
  t.match(await send('a.docm', macros), { status: 'success', document: { md_content: 'Text' } });
});

t.test('nested ten thousand deep', async (t) => {
  const deep = (open: string, close: string, inside = 'x'): string => open.repeat(10_000) + inside + close.repeat(10_000);
  for (const [name, bytes] of Object.entries<Uint8Array | string>({
    'a.docx': makeDocx({ body: deep('<w:tbl><w:tr><w:tc>', '</w:tc></w:tr></w:tbl>') }), 'a.pptx': makePptx({ slides: [{ shapes: deep('<p:grpSp>', '</p:grpSp>') }] }),
    'a.xlsx': makeXlsx({ sheets: [{ name: 'S', xml: deep('<sheetData>', '</sheetData>', '') }] }), 'a.odt': makeOdf('text', { body: deep('<text:list><text:list-item>', '</text:list-item></text:list>') }),
    'a.html': deep('<div><table><tr><td>', '</td></tr></table></div>'), 'a.md': deep('> ', ''), 'a.tex': deep('\\begin{itemize}\\item ', '\\end{itemize}'), 'a.adoc': deep('====\n', '\n===='),
    'a.nxml': `<article>${deep('<sec>', '</sec>')}</article>`, 'a.json': `{"schema_name":"DoclingDocument","x":${deep('[', ']', '')}}`,
  })) {
    const answer = await send(name, bytes);
    t.same([name, faultsOf(answer)], [name, []], `${name}: ${answer.status}`);
  }
});

t.test('texts that are cut short, and under wrong names', async (t) => {
  const fixture = (name: string): Buffer => readFileSync(fileURLToPath(new URL(`../../../test/fixtures/formats/${name}`, import.meta.url)));
  const cut: [name: string, status: string, sentence: RegExp | null][] = [
    ['article.nxml', 'failure', /not well-formed/u], ['report.docx.json', 'failure', /not JSON/u], ['paper.tex', 'partial_success', /cut short/u], ['mail.eml', 'partial_success', /cut short/u],
    // These say nowhere that they are at their end.
    ['notes.md', 'success', null], ['manual.adoc', 'success', null], ['table.csv', 'success', null], ['talk.vtt', 'success', null], ['web.html', 'success', null],
  ];
  for (const [name, status, sentence] of cut) {
    const bytes = fixture(name);
    for (const part of [0.3, 0.8]) {
      const answer = await send(name, bytes.subarray(0, Math.floor(bytes.length * part)));
      t.same([name, answer.status, faultsOf(answer)], [name, status, []]);
      if (sentence !== null) t.match(answer.errors[0]?.error_message, sentence, name);
    }
    const whole = await send(name, bytes);
    t.notMatch([whole.status, ...whole.errors.map(({ error_message: said }) => said)].join(' '), /failure|cut short/u, `${name}, whole`);
  }
  const page = fixture('web.html');
  for (const extension of ['csv', 'tex', 'adoc', 'vtt', 'eml', 'nxml', 'json', 'docx', 'epub', 'xls', 'doc']) {
    t.match(await send(`web.${extension}`, page), { status: 'success', document: { md_content: /^# Tides of the coast/u } }, `a page as .${extension}`);
  }
  for (const extension of ['csv', 'json', 'docx']) t.match(await send(`paper.${extension}`, fixture('article.nxml')), { status: 'success', document: { md_content: /^# On \*quiet\* pumps/u } }, `a paper in JATS as .${extension}`);
  for (const [name, extension] of [['paper.tex', 'json'], ['paper.tex', 'nxml'], ['notes.md', 'vtt'], ['table.csv', 'eml'], ['notes.md', 'xlsx'], ['notes.md', 'epub'], ['notes.md', 'pdf'], ['notes.md', 'png']]) {
    const answer = await send(`a.${extension}`, fixture(name as string));
    t.same([name, extension, answer.status, faultsOf(answer)], [name, extension, 'failure', []]);
  }
  t.match(await send('a.exe', fixture('notes.md')), { status: 'skipped', errors: [{ error_message: 'File format not allowed: a.exe' }] });
});

t.test('circular references', async (t) => {
  const style = (id: string, parent: string): string => `<w:style w:type="paragraph" w:styleId="${id}"><w:basedOn w:val="${parent}"/></w:style>`;
  const odfStyles = '<office:document-styles xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"><office:styles>'
    + '<style:style style:name="A" style:family="paragraph" style:parent-style-name="B"/><style:style style:name="B" style:family="paragraph" style:parent-style-name="A"/></office:styles></office:document-styles>';
  const node = { parent: { $ref: '#/body' }, children: [{ $ref: '#/groups/0' }, { $ref: '#/body' }], content_layer: 'body', name: 'list', label: 'list' };
  const body = { self_ref: '#/body', children: [{ $ref: '#/groups/0' }], content_layer: 'body', name: '_root_', label: 'unspecified' };
  const letters = [...'abcdefghijklmnopqrstuvwxy'];
  const cases: [name: string, bytes: Uint8Array | string, status: string, shown: RegExp][] = [
    ['style.docx', makeDocx({ body: '<w:p><w:pPr><w:pStyle w:val="A"/></w:pPr><w:r><w:t>words</w:t></w:r></w:p>', styles: style('A', 'B') + style('B', 'A') }), 'success', /^words$/u],
    ['note.docx', makeDocx({ body: '<w:p><w:r><w:t>words</w:t><w:footnoteReference w:id="2"/></w:r></w:p>', footnotes: '<w:footnote w:id="2"><w:p><w:r><w:t>note</w:t><w:footnoteReference w:id="2"/></w:r></w:p></w:footnote>' }), 'success', /words.*note/su],
    ['style.odt', makeOdf('text', { body: '<text:p text:style-name="A">words</text:p>', parts: { 'styles.xml': odfStyles } }), 'success', /^words$/u],
    ['formula.xlsx', makeXlsx({ sheets: [{ name: 'S', xml: '<sheetData><row r="1"><c r="A1"><f>B1</f><v>17</v></c><c r="B1"><f>A1</f><v>4</v></c></row></sheetData>' }] }), 'success', /\| 17 +\| 4/u],
    ['cycle.json', JSON.stringify({ schema_name: 'DoclingDocument', version: '1.0.0', name: 'x', body, groups: [{ self_ref: '#/groups/0', ...node }], texts: [], tables: [], pictures: [], pages: {} }), 'failure', /stands twice in the document/u],
    ['self.tex', '\\def\\a{\\a}\\begin{document}\\a words\\end{document}', 'partial_success', /\\a\./u],
    ['pair.tex', '\\newcommand{\\one}{\\two}\\newcommand{\\two}{\\one}\\begin{document}\\one words\\end{document}', 'partial_success', /stand for themselves/u],
    ['doubled.tex', `\\begin{document}${letters.slice(0, -1).map((letter, index) => `\\newcommand{\\x${letter}}{\\x${letters[index + 1]}\\x${letters[index + 1]}}`).join('')}\\xa words\\end{document}`, 'partial_success', /stand for themselves or for too much/u],
    ['input.tex', '\\begin{document}words\\input{/etc/passwd}\\import{parts/}{one}% \\input{no}\n\\end{document}', 'partial_success', /The file \/etc\/passwd that the text includes is not part of it/u],
    ['self.adoc', 'words\n\ninclude::self.adoc[]\n', 'partial_success', /The file self\.adoc that the text includes/u],
    ['attribute.adoc', ':a: {b}{b}\n:b: {a}{a}\n\n{a} words', 'success', /words/u],
    ['entity.nxml', '<!DOCTYPE article [<!ENTITY x "&y;"><!ENTITY y "&x;">]><article><body><p>words &x;</p></body></article>', 'success', /^words &amp;x;$/u],
    ['bomb.nxml', `<!DOCTYPE article [<!ENTITY a "aaaaaaaaaa">${letters.slice(1, 12).map((letter, index) => `<!ENTITY ${letter} "${`&${letters[index]};`.repeat(10)}">`).join('')}]><article><body><p>words &l;</p></body></article>`, 'success', /^words &amp;l;$/u],
    ['file.nxml', '<!DOCTYPE article [<!ENTITY x SYSTEM "file:///etc/passwd">]><article><body><p>words &x;</p></body></article>', 'success', /^words &amp;x;$/u],
  ];
  for (const [name, bytes, status, shown] of cases) {
    const answer = await send(name, bytes);
    t.same([name, answer.status, faultsOf(answer)], [name, status, []]);
    t.match(status === 'success' ? answer.document.md_content : answer.errors.map(({ error_message: sentence }) => sentence).join(' '), shown, name);
    if (status === 'partial_success') t.match(answer.document.md_content, /words/u, name);
  }
});

t.test('nested deep where nothing refuses it: the innermost words are there', async (t) => {
  const deep = (open: string, close: string): string => `${open.repeat(10_000)}words${close.repeat(10_000)}`;
  const parts = Array.from({ length: 10_000 }, (_, index) => `Content-Type: multipart/mixed; boundary="b${index}"\n\n--b${index}\n`).join('');
  for (const [name, text] of Object.entries({
    'lists.md': deep('- ', ''), 'mixed.md': deep('> 1. ', ''), 'lists.html': deep('<ul><li>', '</li></ul>'), 'bold.html': deep('<b>', '</b>'), 'boxes.html': deep('<select><option>', '</option></select>'),
    'braces.tex': deep('{', '}'), 'bold.vtt': `WEBVTT\n\n00:00.000 --> 00:01.000\n${deep('<b>', '</b>')}`, 'page.eml': `From: a@b.example\nTo: c@d.example\nSubject: s\nContent-Type: text/html\n\n${deep('<table><tr><td>', '</td></tr></table>')}`,
  })) t.match(await send(name, text), { status: 'success', document: { md_content: /words/u } }, name);
  const nested = await send('parts.eml', `From: a@b.example\nSubject: s\nMIME-Version: 1.0\n${parts}Content-Type: text/plain\n\nwords\n`);
  t.match([nested.status, faultsOf(nested), nested.errors[0]?.error_message], ['failure', [], /nested too deep/u]);
  for (const [name, bytes] of [['sum.docx', makeDocx({ body: `<w:p><m:oMath>${deep('<m:f><m:num>', '</m:num></m:f>')}</m:oMath></w:p>` })], ['list.nxml', `<article><body>${deep('<list><list-item>', '</list-item></list>')}</body></article>`]] as const) {
    const answer = await send(name, bytes);
    t.match([answer.status, faultsOf(answer), answer.errors[0]?.error_message], ['failure', [], /nested deeper than/u], name);
  }
});

t.test('every kind of archive that unpacks to far more', async (t) => {
  const zeros = new Uint8Array(2 ** 25);
  const book = { 'META-INF/container.xml': '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="a.opf" media-type="application/oebps-package+xml"/></rootfiles></container>' };
  for (const [name, bytes] of Object.entries({
    'a.pptx': makePptx({ slides: [], parts: { 'ppt/presentation.xml': zeros } }), 'a.xlsx': makeXlsx({ sheets: [], parts: { 'xl/workbook.xml': zeros } }), 'a.epub': makeArchive({ mimetype: 'application/epub+zip', ...book, 'a.opf': zeros }),
    'a.odt': makeOdf('text', { body: '', parts: { 'content.xml': zeros } }), 'a.ods': makeOdf('spreadsheet', { body: '', parts: { 'content.xml': zeros } }), 'a.odp': makeOdf('presentation', { body: '', parts: { 'content.xml': zeros } }),
  })) {
    const answer = await send(name, bytes);
    t.match([answer.status, faultsOf(answer), answer.errors[0]?.error_message], ['failure', [], /unpacks to more than a document may hold/u], name);
  }
});

t.test('far more when unpacked than packed, a million cells', async (t) => {
  const zeros = new Uint8Array(2 ** (process.env['CI_FULL'] === '1' ? 30 : 28) + 1);
  const answer = await send('a.docx', makeDocx({ body: '', parts: { 'word/document.xml': zeros } }));
  t.same([answer.status, faultsOf(answer)], ['failure', []]);
  t.match(answer.errors[0]?.error_message, /unpacks to more than a document may hold/u);
  const row = (number: number): string => `<row r="${number}">${'<c><v>1</v></c>'.repeat(100)}</row>`;
  const cells = await send('a.xlsx', makeXlsx({ sheets: [{ name: 'S', xml: `<sheetData>${Array.from({ length: 10_000 }, (_, index) => row(index + 1)).join('')}</sheetData>` }] }));
  t.same(faultsOf(cells), []);
  t.ok(cells.status === 'failure' || (cells.document.md_content?.match(/\|/gu)?.length ?? 0) > 100_000, `a million cells: ${cells.status}`);
});

/** A tar of regular files, as POSIX has it. */
function makeTar(files: Record<string, string>): Buffer {
  const parts = Object.entries(files).flatMap(([name, text]) => {
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write('0000644\0', 100);
    header.write(`${Buffer.byteLength(text).toString(8).padStart(11, '0')}\0`, 124);
    header.write('0', 156);
    header.write('ustar\x0000', 257);
    const content = Buffer.alloc(Math.ceil(Buffer.byteLength(text) / 512) * 512);
    content.write(text);
    return [header, content];
  });
  return Buffer.concat([...parts, Buffer.alloc(1024)]);
}

t.test('archives of documents: each file is a document of the answer', async (t) => {
  const unpacked = async (name: string, bytes: Uint8Array): Promise<{ files: Record<string, string>; failed: string | null }> => {
    const form = new FormData();
    form.append('files', new Blob([bytes]), name);
    const response = await fetch(`${base}/v1/convert/file`, { method: 'POST', body: form, headers: { connection: 'close' } });
    if (response.headers.get('content-type') !== 'application/zip') throw new Error(`${name}: ${response.status} ${await response.text()}`);
    const files = unzipSync(new Uint8Array(await response.arrayBuffer()));
    return { files: Object.fromEntries(Object.entries(files).map(([file, content]) => [file, Buffer.from(content).toString('utf8')])), failed: response.headers.get('x-lectern-failed-documents') };
  };
  const several = await unpacked('all.zip', makeArchive({ 'a.md': '# One', 'below/b.csv': 'x,y\n1,2', 'below/a.md': 'two', '.hidden.md': 'no', '__MACOSX/a.md': 'no', 'inner.zip': makeArchive({ 'c.md': 'not opened' }) }));
  t.same([Object.keys(several.files).sort(), several.files['a.md'], several.files['a (2).md']], [['a (2).md', 'a.md', 'b.md'], '# One', 'two']);
  t.match(several.failed, /inner\.zip/);
  t.same(Object.values((await unpacked('names.zip', makeArchive({ 'A/Report.md': 'one', 'a/report.md': 'two' }))).files).sort(), ['one', 'two'], 'names that differ in case');
  const tar = makeTar({ './one.md': 'first', './two.txt': 'second', './.hidden.md': 'no' });
  for (const [name, bytes] of [['all.tar', tar], ['all.tar.gz', gzipSync(tar)], ['all.tgz', gzipSync(tar)]] as const) t.same((await unpacked(name, bytes)).files, { 'one.md': 'first', 'two.md': 'second' }, name);
  t.match(await send('notes.md.gz', gzipSync('# Alone')), { status: 'success', document: { filename: 'notes.md', md_content: '# Alone' } });
  t.match(await send('one.zip', makeArchive({ 'a.md': 'alone' })), { status: 'success', document: { md_content: 'alone' } });
  t.match(await send('report.zip', goldenDocx()), { status: 'success', document: { md_content: /^# The pump/ } }, 'an office file is no archive of documents');
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`${index}.md`, 'x']));
  for (const [name, bytes, said] of [
    ['many.zip', makeArchive(many), /more than 100 documents/], ['bomb.zip', makeArchive({ 'a.md': new Uint8Array(2 ** 25) }), /unpacks to more/], ['bomb.gz', gzipSync(new Uint8Array(2 ** 26)), /unpacks to more/],
    ['cut.tar', tar.subarray(0, 600), /damaged or cut short/], ['cut.gz', gzipSync(tar).subarray(0, 60), /damaged or cut short/],
  ] as const) {
    const answer = await send(name, bytes);
    t.match([name, answer.status, faultsOf(answer), answer.errors[0]?.error_message], [name, 'failure', [], said]);
  }
  t.match((await send('empty.zip', makeArchive({}))).status, 'skipped');
});

t.test('afterwards', async (t) => {
  t.match(await send('a.md', '# All is well'), { status: 'success', document: { md_content: '# All is well' } });
});
