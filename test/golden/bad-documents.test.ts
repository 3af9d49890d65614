/** Broken and hostile documents of every format but PDF through the whole service over HTTP: a stated failure or a partial result, never a defect, and a service that lives. */
import t from 'tap';
import { createApp, type App } from '../../src/app.js';
import { resolveSettings } from '../../src/config.js';
import { createLog } from '../../src/log.js';
import { makeCompoundFile } from '../support/compound-file.js';
import { goldenEpub, goldenMsg } from '../support/golden-archives.js';
import { goldenDocx, goldenOdp, goldenOds, goldenOdt, goldenPptx, goldenXlsx } from '../support/golden-office.js';
import { makeDocx, makeOdf, makePptx, makeXlsx, relationship } from '../support/office-files.js';

interface Body {
  status: string;
  errors: { error_message: string; category: string }[];
  document: { md_content: string | null };
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

t.test('afterwards', async (t) => {
  t.match(await send('a.md', '# All is well'), { status: 'success', document: { md_content: '# All is well' } });
});
