/** Office files through the whole pipeline: every output, pictures in each mode, what is skipped and what fails. */
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import t from 'tap';
import { convertDocument } from '../../src/convert/convert.js';
import { defaultConvertOptions, type ConvertOptions } from '../../src/convert/options.js';
import type { ConvertOutcome } from '../../src/convert/request.js';
import { quietPorts } from '../support/fixtures.js';
import { makeDocx, makePptx, relationship } from '../support/office-files.js';

async function convert(filename: string, bytes: Uint8Array, options: Partial<ConvertOptions> = {}): Promise<{ outcome: ConvertOutcome; read: (path: string | undefined) => string; files: string[] }> {
  const directory = mkdtempSync(join(tmpdir(), 'lectern-test-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const outputDirectory = mkdtempSync(join(directory, 'out-'));
  writeFileSync(join(directory, 'input'), bytes);
  const outcome = await convertDocument({ inputPath: join(directory, 'input'), filename, outputDirectory, failedPages: [], options: { ...defaultConvertOptions, ...options } }, quietPorts);
  return { outcome, read: (path) => readFileSync(join(outputDirectory, path ?? ''), 'utf8'), files: readdirSync(outputDirectory, { recursive: true }).map(String) };
}

const picture = (id: string): string => `<w:p><w:r><w:drawing><a:blip r:embed="${id}"/></w:drawing></w:r></w:p>`;

async function withPictures(): Promise<Uint8Array> {
  const png = await sharp({ create: { width: 3, height: 2, channels: 3, background: '#ff0000' } }).png().toBuffer();
  return makeDocx({
    body: `<w:p><w:r><w:t>Text</w:t></w:r></w:p>${picture('png')}${picture('emf')}`,
    relationships: relationship('png', 'image', 'media/a.png') + relationship('emf', 'image', 'media/b.emf'), parts: { 'word/media/a.png': png, 'word/media/b.emf': 'no bitmap' },
  });
}

t.test('all outputs, known by its contents whatever its name', async (t) => {
  const { outcome, read } = await convert('letter.bin', await withPictures(), { outputs: ['md', 'json', 'html', 'text', 'doctags'] });
  t.match(outcome, { status: 'success', errors: [], format: 'docx', artifacts: [] });
  t.equal(read(outcome.files.md), 'Text\n\n<!-- image -->\n\n<!-- image -->');
  t.match(JSON.parse(read(outcome.files.json)), { name: 'letter', origin: { filename: 'letter.bin', mimetype: /wordprocessingml/ }, pictures: [{ image: null }, { image: null }] });
  t.match(read(outcome.files.html), /<p>Text<\/p>/);
  t.match(read(outcome.files.doctags), /Text/);
  t.match(JSON.parse(read(outcome.contentFile)), { filename: 'letter.bin', md_content: /^Text/ });
});

t.test('pictures beside the document, or in it', async (t) => {
  const referenced = await convert('a.docx', await withPictures(), { outputs: ['md', 'json'], imageExportMode: 'referenced' });
  t.equal(referenced.outcome.artifacts.length, 1, 'one of the two is a bitmap');
  t.match(referenced.read(referenced.outcome.files.md), /^Text\n\n!\[Image\]\(artifacts\/image_000000_[0-9a-f]{64}\.png\)\n\n<!-- image -->$/);
  t.match(JSON.parse(referenced.read(referenced.outcome.files.json)), { pictures: [{ image: { mimetype: 'image/png', size: { width: 3, height: 2 } } }, { image: null }] });
  const embedded = await convert('a.docx', await withPictures(), { imageExportMode: 'embedded' });
  t.match(embedded.read(embedded.outcome.files.md), /!\[Image\]\(data:image\/png;base64,iVBOR/);
  t.notOk(embedded.files.includes('artifacts'));
  const none = await convert('a.docx', await withPictures(), { imageExportMode: 'referenced', includeImages: false });
  t.same(none.outcome.artifacts, []);
});

t.test('slides are pages: ranges, limits, numbers, notes', async (t) => {
  const slide = (text: string): { shapes: string; notes: string } => ({
    shapes: `<p:sp><p:nvSpPr><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="1" cy="1"/></a:xfrm></p:spPr><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`,
    notes: `<p:sp><p:nvSpPr><p:nvPr><p:ph type="body"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>note ${text}</a:t></a:r></a:p></p:txBody></p:sp>`,
  });
  const bytes = makePptx({ slides: ['one', 'two', 'three'].map(slide) });
  const all = await convert('a.pptx', bytes, { mdPageBreakPlaceholder: '--{page}--', includePages: true });
  t.equal(all.read(all.outcome.files.md), 'one\n\n--2--\n\ntwo\n\n--3--\n\nthree');
  t.equal(all.outcome.pageCount, 3);
  t.match(JSON.parse(all.read(all.outcome.contentFile)), { pages: [{ page_no: 1, md_content: 'one' }, { page_no: 2 }, { page_no: 3, md_content: 'three' }] });
  const some = await convert('a.pptx', bytes, { pageRange: [2, 2], keepNotes: true });
  t.equal(some.read(some.outcome.files.md), 'two\n\nnote two');
  t.match((await convert('a.pptx', bytes, { pageRange: [4, 9] })).outcome, { status: 'failure', errors: [{ category: 'policy', error_message: 'Document has 3 pages, fewer than the requested page_range start 4.' }] });
  t.match((await convert('a.pptx', bytes, { maxPages: 2 })).outcome, { status: 'failure', errors: [{ error_message: 'Document has 3 pages, exceeding the max_num_pages limit of 2.' }] });
});

t.test('what cannot be read, and what is not converted here', async (t) => {
  t.match((await convert('a.docx', Buffer.from('words'))).outcome, { status: 'failure', format: 'docx', errors: [{ category: 'backend_failure', error_message: 'The file is not a DOCX document.' }] });
  t.match((await convert('a.pages', Buffer.from('words'))).outcome, { status: 'failure', errors: [{ module_name: 'iwork_pages', error_message: /^The file is no document of Pages/ }] });
});

t.test('HTML of a text is escaped in markdown, or kept where that is wished, also page by page', async (t) => {
  const bytes = Buffer.from('<!doctype html><p>&lt;b&gt;x&lt;/b&gt; [y](javascript:alert(1)) <a href="javascript:alert(1)">z</a></p><table><tr><td>&lt;img src=x&gt;</td><td>z</td></tr></table>');
  const kept = await convert('a.html', bytes, { keepHtml: true, includePages: true });
  for (const text of [kept.read(kept.outcome.files.md), JSON.parse(kept.read(kept.outcome.contentFile)).md_content as string]) t.match(text, /^<b>x<\/b> \[y\]\(javascript:alert\(1\)\) z\n\n\| *<img src=x> *\|/);
  const escaped = await convert('a.html', bytes);
  t.match(escaped.read(escaped.outcome.files.md), /^&lt;b&gt;x&lt;\/b&gt; \[y\]\\\(javascript:alert\(1\)\) z\n\n\| *&lt;img src=x> *\|/);
});
