/** The pipeline on made files: what goes in, what each outcome says, which files it leaves behind. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { findLibreOffice } from '../../src/convert/installed.js';
import t from 'tap';
import type { Test } from 'tap';
import { convertDocument } from '../../src/convert/convert.js';
import { conversionError } from '../../src/convert/failures.js';
import { defaultConvertOptions } from '../../src/convert/options.js';
import type { ConvertOptions } from '../../src/convert/options.js';
import { noRecognisers } from '../../src/convert/ocr/recogniser.js';
import type { ConvertOutcome, ConvertPorts, ConvertRequest } from '../../src/convert/request.js';
import type { ConversionProgress } from '../../src/convert/result.js';
import { fixturesDirectory } from '../support/fixtures.js';
import { placed, text } from '../support/pdf-content.js';
import { makePdf } from '../support/pdf-writer.js';
import type { PageSpec } from '../support/pdf-writer.js';

interface Run extends Partial<Omit<ConvertRequest, 'options'>> {
  options?: Partial<ConvertOptions>;
  ports?: Partial<ConvertPorts>;
}

interface Result {
  outcome: ConvertOutcome;
  directory: string;
  content: Record<string, unknown>;
}

async function convert(t: Test, bytes: Uint8Array | string, { options, ports, ...request }: Run = {}): Promise<Result> {
  const filename = request.filename ?? 'made.pdf';
  const root = t.testdir({ out: {} });
  const inputPath = join(root, 'input');
  writeFileSync(inputPath, bytes);
  const directory = join(root, 'out');
  const outcome = await convertDocument({
    inputPath, filename, outputDirectory: directory, failedPages: [], ...request, options: { ...defaultConvertOptions, ...options },
  }, {
    engine: { deskewAngle: async () => 1.5 },
    recognisers: noRecognisers,
    progress: () => undefined, signal: new AbortController().signal, ...ports,
  });
  return { outcome, directory, content: JSON.parse(readFileSync(join(directory, outcome.contentFile), 'utf8')) as Record<string, unknown> };
}

function page(number: number): PageSpec {
  const lines = Array.from({ length: 12 }, (_, index) => text(72, 700 - 14 * index, 11, `This is line ${index} of the page with the number ${number}, and it says little.`));
  return { width: 612, height: 792, content: [text(72, 740, 18, `Page ${number}`, { font: 'Helvetica-Bold' }), ...lines] };
}

const threePages = makePdf({ pages: [page(1), page(2), page(3)], title: 'Three pages' });

function imagePage(): PageSpec {
  return { width: 612, height: 792, content: placed('Im0', 600, 0, 0, 780, 6, 6), images: { Im0: { width: 40, height: 40, grey: 200 } } };
}

t.test('pictures inside docling JSON are files where the result refers to files, and stay inside it where not', async (t) => {
  const png = await sharp({ create: { width: 30, height: 20, channels: 3, background: 'red' } }).png().toBuffer();
  const uri = `data:image/png;base64,${png.toString('base64')}`;
  const picture = (index: number, image: object): object => ({ self_ref: `#/pictures/${index}`, parent: { $ref: '#/body' }, children: [], label: 'picture', prov: [], image });
  const json = JSON.stringify({
    schema_name: 'DoclingDocument', version: '1.10.0', name: 'red', body: { self_ref: '#/body', children: [{ $ref: '#/pictures/0' }, { $ref: '#/pictures/1' }] },
    pictures: [picture(0, { mimetype: 'image/png', dpi: 144, size: { width: 30, height: 20 }, uri }), picture(1, { mimetype: 'image/png', dpi: 72, size: { width: 1, height: 1 }, uri: 'file:///etc/hostname' })],
  });
  const imagesOf = ({ content }: Result): (null | { uri: string; dpi: number })[] =>
    (content['json_content'] as { pictures: { image: null | { uri: string; dpi: number } }[] }).pictures.map(({ image }) => image);
  const convertAs = (imageExportMode: ConvertOptions['imageExportMode']): Promise<Result> => convert(t, json, { filename: 'red.json', options: { outputs: ['md', 'json'], imageExportMode } });
  const referenced = await convertAs('referenced');
  const [file] = referenced.outcome.artifacts;
  t.equal(referenced.outcome.artifacts.length, 1);
  t.match(await sharp(join(referenced.directory, file as string)).metadata(), { width: 30, height: 20, format: 'png' });
  t.match(imagesOf(referenced), [{ uri: file, dpi: 144 }, null], 'the JSON refers to it, and an address of this machine is none');
  t.match(referenced.content['md_content'], `![Image](${file})`);
  const embedded = await convertAs('embedded');
  t.match([imagesOf(embedded), embedded.outcome.artifacts], [[{ uri }, null], []], 'byte for byte');
  t.match(embedded.content['md_content'], `![Image](${uri})`);
});

t.test('LaTeX, compact tables and an older version of the document', async (t) => {
  const { outcome, directory, content } = await convert(t, 'a,b\nlong cell here,2\n', { filename: 't.csv', options: { outputs: ['md', 'json', 'latex'], mdCompactTables: true, documentVersion: 8 } });
  t.equal(content['md_content'], '| a | b |\n| - | - |\n| long cell here | 2 |');
  t.match(content['json_content'], { version: '1.8.0' });
  t.match(content['latex_content'], /\\begin\{longtable\}/);
  t.equal(readFileSync(join(directory, outcome.files.latex as string), 'utf8'), content['latex_content']);
  t.notOk('latex_content' in (await convert(t, 'a,b\n1,2\n', { filename: 't.csv' })).content, 'the contract has no such field');
});

t.test('RTF, saved pages and further names of formats', async (t) => {
  const rtf = '{\\rtf1\\ansi{\\fonttbl{\\f0 Arial;}}\\pard\\outlinelevel0 Harbour\\par\\pard Dues are {\\b high}\\\'e9.\\par}';
  for (const filename of ['a.rtf', 'a.bin']) {
    const { outcome, content } = await convert(t, rtf, { filename });
    t.strictSame([outcome.format, outcome.status, content['md_content']], ['rtf', 'success', '## Harbour\n\nDues are **high**é.'], filename);
  }
  t.match((await convert(t, 'no rtf', { filename: 'b.rtf' })).outcome, { status: 'failure', errors: [{ error_message: 'The file is no RTF: it does not begin with {\\rtf.' }] });
  const png = (await sharp({ create: { width: 3, height: 3, channels: 3, background: 'red' } }).png().toBuffer()).toString('base64');
  const page = [
    'From: <Saved by a browser>', 'Subject: Dues', 'Date: Mon, 2 Mar 2026 10:00:00 +0000', 'MIME-Version: 1.0', 'Content-Type: multipart/related; type="text/html"; boundary="b"', '',
    '--b', 'Content-Type: text/html; charset=utf-8', 'Content-Location: https://a.example/', '', '<html><body><h1>Dues</h1><p>They are high.</p><img src="cid:one"></body></html>',
    '--b', 'Content-Type: image/png', 'Content-ID: <one>', 'Content-Transfer-Encoding: base64', '', png, '--b--', '',
  ].join('\r\n');
  for (const filename of ['a.mht', 'a.mhtml']) {
    const { outcome, content } = await convert(t, page, { filename, options: { imageExportMode: 'referenced' } });
    t.match([outcome.format, content['md_content']], ['mhtml', /^# Dues\n\nThey are high\.\n\n!\[Image\]\(artifacts\/\S+\.png\)$/], `${filename}: the page, without the lines of a letter`);
  }
  const saved = page.replace('cid:one', 'https://a.example/p%20q.png').replace('Content-ID: <one>', 'Content-Location: https://a.example/p%20q.png');
  t.match((await convert(t, saved, { filename: 'b.mhtml', options: { imageExportMode: 'referenced' } })).content['md_content'], /!\[Image\]\(artifacts\/\S+\.png\)$/, 'a picture by where it came from, as browsers save pages');
  t.equal((await convert(t, page, { filename: 'a.eml' })).outcome.format, 'email');
  t.match(await convert(t, '# A *b*', { filename: 'a.markdown' }), { outcome: { format: 'md' }, content: { md_content: '# A *b*' } });
  for (const [filename, format] of [['a.key', 'iwork_keynote'], ['a.numbers', 'iwork_numbers']] as const) {
    t.match((await convert(t, 'Z', { filename })).outcome, { status: 'failure', errors: [{ module_name: format, error_message: /^The file is no document of Pages, Numbers or Keynote/ }] }, filename);
  }
  t.match((await convert(t, 'Z', { filename: 'a.afp' })).outcome, { status: 'skipped', format: 'afp', errors: [{ error_message: /^File format not allowed: / }] });
});

t.test('a PDF becomes every output asked for', async (t) => {
  const seen: ConversionProgress[] = [];
  const { outcome, directory, content } = await convert(t, threePages, {
    options: { outputs: ['md', 'json', 'html', 'text', 'doctags'], includePages: true }, ports: { progress: (progress) => seen.push(progress) },
  });
  t.match(outcome, { status: 'success', errors: [], pageCount: 3, format: 'pdf', artifacts: [] });
  for (const [name, file] of Object.entries(outcome.files)) {
    const written = readFileSync(join(directory, file), 'utf8');
    t.ok(written.length > 100, `${name} is written`);
    t.same(name === 'json' ? content.json_content : content[`${name}_content`], name === 'json' ? JSON.parse(written) : written, `${name} stands in the answer`);
  }
  t.match(content, { filename: 'made.pdf', doclang_content: null });
  t.same((content.pages as { page_no: number }[]).map(({ page_no }) => page_no), [1, 2, 3]);
  t.same(seen.filter(({ stage }) => stage === 'pages').map(({ pagesDone, pagesTotal, pageNumber }) => [pagesDone, pagesTotal, pageNumber]), [[0, 3, 1], [1, 3, 2], [2, 3, 3]]);
  t.match(outcome.confidence, { parse_score: 1, table_score: null, ocr_score: null, mean_grade: 'excellent' });
  t.strictSame(Object.keys(outcome.confidence?.pages ?? {}), ['1', '2', '3']);
  t.match(outcome.confidence?.pages['2'], { parse_score: 1, layout_score: 1, table_score: null, mean_grade: 'excellent' });
  t.equal(outcome.timings.read_page?.count, 3);
});

t.test('what is not asked for is null', async (t) => {
  const { outcome, content } = await convert(t, threePages);
  t.same(Object.keys(outcome.files), ['md']);
  t.match(content, { json_content: null, html_content: null, text_content: null, doctags_content: null });
  t.notOk('pages' in content);
});

t.test('page ranges and limits', async (t) => {
  t.match(await convert(t, threePages, { options: { pageRange: [2, 2] } }), { outcome: { status: 'success', pageCount: 1 }, content: { md_content: /number 2/ } });
  t.match((await convert(t, threePages, { options: { pageRange: [9, 12] } })).outcome, {
    status: 'failure', confidence: null, errors: [{ category: 'policy', error_message: 'Document has 3 pages, fewer than the requested page_range start 9.' }],
  });
  t.match(await convert(t, threePages, { options: { maxPages: 2 } }), {
    outcome: { status: 'failure', files: {}, errors: [{ error_message: 'Document has 3 pages, exceeding the max_num_pages limit of 2.' }] },
    content: { filename: 'made.pdf', md_content: null },
  });
});

t.test('files that are not converted', async (t) => {
  const cases: [string, Uint8Array | string, string, object][] = [
    ['no spreadsheet', 'PK\u0003\u0004 not really', 'a.xlsx', { status: 'failure', format: 'xlsx', errors: [{ component_type: 'document_backend', category: 'backend_failure', error_message: /^The file is damaged or cut short/ }] }],
    ['a recording', 'RIFF not really', 'a.wav', { status: 'skipped', format: 'audio', errors: [{ component_type: 'user_input', category: 'policy', error_message: /^File format not allowed: a\.wav\. Allowed are pdf, image, .*docx, .*json_docling; / }] }],
    ...(findLibreOffice() !== null ? [] : [
      ['a file of an old Word', '\u00d0\u00cf', 'a.doc', { status: 'skipped', errors: [{ category: 'policy', error_message: /^File format not allowed: a\.doc\. .*needs LibreOffice/ }] }] as [string, string, string, object],
    ]),
    ['an unknown name', 'hello', 'notes', { status: 'skipped', format: 'unknown' }],
    ['an empty file', '', 'a.pdf', { status: 'failure', errors: [{ component_type: 'document_backend', category: 'backend_failure', error_message: 'The file is empty.' }] }],
    ['text called a PDF', 'hello', 'a.pdf', { status: 'failure', errors: [{ category: 'backend_failure', page_no: null }] }],
    ['half a PDF', threePages.subarray(0, 300), 'a.pdf', { status: 'failure' }],
    ['text called a picture', 'hello', 'a.png', { status: 'failure', errors: [{ category: 'backend_failure' }] }],
    ['half a PNG', '\x89PNG\r\n\x1a\n', 'a.png', { status: 'failure' }],
  ];
  for (const [name, bytes, filename, expected] of cases) {
    const { outcome, content } = await convert(t, bytes, { filename });
    t.match(outcome, { ...expected, files: {}, confidence: null, pageCount: 0 }, name);
    t.match(content, { filename, md_content: null }, `${name}: the answer is written`);
  }
  await t.rejects(convert(t, threePages, { inputPath: '/nowhere/at/all' }), { code: 'ENOENT' }, 'a file that is not there is no fault of the document');
});

t.test('passwords', async (t) => {
  const locked = makePdf({ pages: [page(1)], password: 'open sesame' });
  t.match((await convert(t, locked)).outcome, { status: 'failure', errors: [{ error_message: /needs a password/ }] });
  t.match((await convert(t, locked, { options: { password: 'wrong' } })).outcome, { status: 'failure', errors: [{ error_message: /does not open/ }] });
  t.match((await convert(t, locked, { options: { password: 'open sesame' } })).outcome, { status: 'success' });
});

t.test('pages that killed an earlier worker are left out and reported', async (t) => {
  const error = conversionError('pipeline', 'worker', 'internal', 'Page 2 took longer than its limit.', 2);
  const { outcome, content } = await convert(t, threePages, { failedPages: [{ pageNumber: 2, error }] });
  t.match(outcome, { status: 'partial_success', pageCount: 2, errors: [error] });
  t.match(content.md_content, /number 1.*number 3/s);
  t.notMatch(content.md_content, /number 2/);
  const all = [1, 2, 3].map((pageNumber) => ({ pageNumber, error: { ...error, page_no: pageNumber } }));
  t.match((await convert(t, threePages, { failedPages: all })).outcome, { status: 'failure', errors: { length: 3 } });
  t.match((await convert(t, threePages, { failedPages: all.slice(1), options: { abortOnError: true } })).outcome, { status: 'failure' });
});

t.test('a document out of time keeps what it has', async (t) => {
  let pages = 0;
  let laterMs = 0;
  const now = performance.now.bind(performance);
  performance.now = () => now() + laterMs;
  t.teardown(() => { performance.now = now; });
  const slow = { progress: ({ stage }: ConversionProgress): void => {
    if (stage === 'pages' && ++pages === 2) laterMs = 3_600_000;
  } };
  const { outcome } = await convert(t, threePages, { options: { documentTimeoutS: 1800 }, ports: slow });
  t.match(outcome, { status: 'partial_success', pageCount: 1, errors: [{ category: 'timeout', page_no: null, error_message: /after 1 of 3 pages/ }] });
});

t.test('a cancel is heard between pages', async (t) => {
  const controller = new AbortController();
  let pages = 0;
  const progress = (): void => {
    if (++pages === 2) setImmediate(() => controller.abort());
  };
  await t.rejects(convert(t, threePages, { ports: { progress, signal: controller.signal } }), { code: 'cancelled' });
  t.ok(pages <= 3, 'at once');
});

t.test('pages without text', async (t) => {
  const scan = makePdf({ pages: [page(1), imagePage()] });
  const { outcome, content } = await convert(t, scan);
  t.match(outcome, {
    status: 'partial_success', pageCount: 2,
    errors: [{ component_type: 'model', category: 'inference_failure', page_no: 2, error_message: /no text layer, and no text recogniser is installed: it is kept as a picture\.$/ }],
  });
  t.match(content.md_content, /<!-- image -->/);
  t.match((await convert(t, scan, { options: { doOcr: false } })).outcome, { status: 'success', errors: [] });
});

t.test('image files are pages', async (t) => {
  const picture = sharp({ create: { width: 60, height: 80, channels: 3, background: '#cde' } });
  for (const format of ['png', 'jpeg', 'webp', 'gif', 'tiff'] as const) {
    const { outcome, content } = await convert(t, await picture.clone().toFormat(format).toBuffer(), { filename: `a.${format}` });
    t.match(outcome, { status: 'partial_success', format: 'image', pageCount: 1, errors: [{ page_no: 1 }] }, format);
    t.match(content.md_content, '<!-- image -->');
  }
  const { outcome } = await convert(t, await picture.clone().png().toBuffer(), { filename: 'wrong.pdf', options: { doOcr: false } });
  t.match(outcome, { status: 'success', format: 'image' }, 'bytes decide, not the name');
});

t.test('pictures are referenced or embedded', async (t) => {
  const scan = makePdf({ pages: [imagePage(), imagePage()] });
  const referenced = await convert(t, scan, { options: { doOcr: false, imageExportMode: 'referenced', includePageImages: true, outputs: ['md', 'json'] } });
  t.equal(referenced.outcome.artifacts.length, 4, 'two pictures, two pages');
  for (const file of referenced.outcome.artifacts) t.ok(existsSync(join(referenced.directory, file)), file);
  t.match(referenced.content.md_content, /!\[Image\]\(artifacts\/image_000000_[0-9a-f]{64}\.png\)/);
  t.match(referenced.content.json_content, { pictures: [{ image: { mimetype: 'image/png', dpi: 144, uri: /^artifacts\// } }], pages: { 1: { image: { uri: /^artifacts\/page_/ } } } });
  const embedded = await convert(t, scan, { options: { doOcr: false, imageExportMode: 'embedded', imagesScale: 1 } });
  t.match(embedded.content.md_content, /!\[Image\]\(data:image\/png;base64,iVBOR/);
  t.same(embedded.outcome.artifacts, []);
  t.notOk(existsSync(join(embedded.directory, 'artifacts')), 'no file is left behind');
});

t.test('text drawn invisibly', async (t) => {
  const hidden = { ...page(1), content: [...page(1).content, text(72, 300, 11, 'a pelican nobody sees', { mode: 3 })] };
  const secret = await convert(t, makePdf({ pages: [hidden] }), { options: { outputs: ['md', 'json'] } });
  t.notMatch(secret.content.md_content, /pelican/);
  t.match(secret.content.json_content, { body: { meta: { lectern__hidden_characters: { invisible: 18 } } } });
  const scan = { ...imagePage(), content: [imagePage().content as string, text(72, 500, 11, 'what the scanner read', { mode: 3 })] };
  const read = await convert(t, makePdf({ pages: [scan] }), { options: { outputs: ['md', 'json'] } });
  t.match(read.outcome, { status: 'success' });
  t.match(read.content.md_content, /what the scanner read/);
  t.match(read.content.json_content, { body: { meta: { lectern__invisible_text_layer_pages: [1] } } });
});

t.test('the same file gives the same bytes', async (t) => {
  const options = { outputs: ['md', 'json'] as ConvertOptions['outputs'] };
  const first = await convert(t, threePages, { options });
  const second = await convert(t, threePages, { options });
  t.same(first.content, second.content);
});

t.test('display formulas are LaTeX with their number; the file\'s signs stay beside it in their order', async (t) => {
  const paper = readFileSync(join(fixturesDirectory(), 'maths-paper.pdf'));
  const { content } = await convert(t, paper, { options: { outputs: ['md', 'json'] } });
  t.match(content['md_content'], '$$W_{0} = \\frac{\\lambda}{\\mu(\\mu - \\lambda)}. \\tag{1}$$');
  const { texts } = content['json_content'] as { texts: { label: string; text: string; orig: string }[] };
  const formulas = texts.filter(({ label }) => label === 'formula').map(({ orig }) => orig);
  t.same(formulas.map((orig) => orig.slice(-3)), ['(1)', '(2)', '(3)']);
  t.equal(formulas[1], 'Var W (p) = ∑ₖ₌₀^∞ πₖ (σₖ² + (1 −p) / 2 k²) (2)');
});
