/** Opening PDFs: what is refused and how, what is repaired, passwords, closing, and an engine that stops. */
import t from 'tap';
import { openPdf } from '../../src/pdf/index.js';
import { sharedPdfium } from '../../src/pdf/pdfium.js';
import { placed, text } from '../support/pdf-content.js';
import { makePdf } from '../support/pdf-writer.js';

const bytes = (content: string) => new Uint8Array(Buffer.from(content, 'latin1'));
const simple = makePdf({ pages: [{ content: text(72, 700, 12, 'hello there') }] });
const source = Buffer.from(simple).toString('latin1');

async function firstWords(pdf: Uint8Array, password?: string): Promise<string> {
  const document = await openPdf(pdf, { password: password ?? null });
  try {
    return document.readPage(0).words.map((word) => word.text).join(' ');
  } finally {
    document.close();
  }
}

t.test('what is no PDF is refused with a sentence', async (t) => {
  await t.rejects(openPdf(new Uint8Array(0)), { code: 'invalid_document', message: 'The file is empty.' });
  await t.rejects(openPdf(bytes('just some text')), { code: 'invalid_document', message: /not a PDF/ });
  await t.rejects(openPdf(bytes('\x89PNG\r\n\x1a\n')), { code: 'invalid_document', message: /not a PDF/ });
  await t.rejects(openPdf(bytes('%PDF-1.7\n')), { code: 'invalid_document', message: /damaged or cut short/ });
  await t.rejects(openPdf(bytes(`%PDF-1.7\n${'garbage '.repeat(1000)}`)), { code: 'invalid_document' });
});

t.test('a PDF without pages is refused', async (t) => {
  await t.rejects(openPdf(makePdf({ pages: [] })), { code: 'invalid_document', message: 'The PDF has no pages.' });
});

t.test('simple damage is repaired', async (t) => {
  t.equal(await firstWords(bytes(`${'mail header\r\n'.repeat(300)}${source}`)), 'hello there', 'junk before the header');
  t.equal(await firstWords(bytes(source.replace('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', ''))), 'hello there', 'no header');
  t.equal(await firstWords(bytes(source.replace(/startxref\n\d+/, 'startxref\n99'))), 'hello there', 'a wrong startxref');
  t.equal(await firstWords(bytes(source.slice(0, source.lastIndexOf('xref\n0')))), 'hello there', 'no cross-reference table');
  t.equal(await firstWords(bytes(`${source}${'\0'.repeat(5000)}`)), 'hello there', 'zeroes at the end');
});

t.test('a file cut short is refused or gives what is left, and never throws anything else', async (t) => {
  let refused = 0;
  for (let share = 0.05; share < 1; share += 0.05) {
    try {
      const document = await openPdf(simple.subarray(0, Math.floor(simple.length * share)));
      document.close();
    } catch (thrown) {
      refused++;
      t.match(thrown, { name: 'LecternError' });
    }
  }
  t.ok(refused > 3);
});

t.test('passwords', async (t) => {
  const locked = makePdf({ password: 'sesame', pages: [{ content: text(72, 700, 12, 'secret words') }] });
  await t.rejects(openPdf(locked), { code: 'password_required', message: /^The PDF is encrypted and needs a password: pdf_password .*--password/ });
  await t.rejects(openPdf(locked, { password: 'wrong' }), { code: 'password_required', message: 'The password does not open this PDF.' });
  t.equal(await firstWords(locked, 'sesame'), 'secret words');
  t.equal(await firstWords(simple, 'not needed'), 'hello there');
});

t.test('pages and regions outside are refused, a closed document too', async (t) => {
  const document = await openPdf(simple);
  t.equal(document.pageCount, 1);
  for (const index of [-1, 1, 0.5, NaN]) t.throws(() => document.readPage(index), { code: 'invalid_request' });
  document.close();
  document.close();
  t.throws(() => document.readPage(0), { code: 'invalid_state' });
  t.throws(() => document.renderPage(0, 72), { code: 'invalid_state' });
  t.throws(() => document.outline(), { code: 'invalid_state' });
});

t.test('the bytes may be let go after opening', async (t) => {
  const copy = simple.slice();
  const document = await openPdf(copy);
  copy.fill(0);
  t.equal(document.readPage(0).words.length, 2);
  document.close();
});

t.test('a page that is broken costs that page', async (t) => {
  const document = await openPdf(bytes(source.replace('/Type /Page /Parent', '/Type /Pag  /Parent')));
  t.doesNotThrow(() => document.readPage(0), 'a wrong type is overlooked');
  document.close();
  const two = Buffer.from(makePdf({ pages: [{ content: 'q' }, { content: text(72, 700, 12, 'still here') }] })).toString('latin1');
  const damaged = await openPdf(bytes(two.replace(/\/Kids \[(\d+) 0 R/, (all, number: string) => all.replace(number, String(Number(number) + 500).slice(0, number.length)))));
  t.equal(damaged.pageCount, 2);
  const outcomes = [0, 1].map((index) => {
    try {
      return damaged.readPage(index).words.length;
    } catch (thrown) {
      t.match(thrown, { code: 'invalid_document' });
      return -1;
    }
  });
  t.ok(outcomes.includes(2), `the sound page is read: ${outcomes.join()}`);
  damaged.close();
});

t.test('an engine that traps is an invalid document, and the next document gets a new engine', async (t) => {
  const document = await openPdf(simple);
  const engine = await sharedPdfium();
  const trap = new (globalThis as unknown as { WebAssembly: { RuntimeError: new (message: string) => Error } }).WebAssembly.RuntimeError('unreachable');
  const failing = engine.call.FPDF_LoadPage;
  engine.call.FPDF_LoadPage = () => {
    throw trap;
  };
  t.throws(() => document.readPage(0), { code: 'invalid_document', cause: trap });
  engine.call.FPDF_LoadPage = failing;
  t.throws(() => document.readPage(0), { code: 'invalid_document' }, 'the dead engine is not asked again');
  t.doesNotThrow(() => document.close());
  t.not(await sharedPdfium(), engine);
  t.equal(await firstWords(simple), 'hello there');
});

t.test('a defect of ours is not blamed on the document', async (t) => {
  const engine = await sharedPdfium();
  t.throws(() => engine.guard(() => (undefined as unknown as { x: number }).x), TypeError);
  t.equal(engine.dead, false);
});

t.test('loops in the file end', async (t) => {
  const loop = makePdf({ pages: [{ content: placed('A', 1, 0, 0, 1, 5, 5), forms: { A: { content: `${placed('B', 1, 0, 0, 1, 5, 5)}\n${text(10, 100, 10, 'a')}`, uses: ['B'] }, B: { content: `${placed('A', 1, 0, 0, 1, 5, 5)}\n${text(10, 200, 10, 'b')}`, uses: ['A'] } } }] });
  const document = await openPdf(loop);
  const page = document.readPage(0);
  t.ok(page.words.length >= 2 && page.words.length < 100);
  document.close();

  const outline = Buffer.from(makePdf({ pages: [{ content: '' }], outline: [{ title: 'one', page: 0 }, { title: 'two', page: 0 }] })).toString('latin1');
  const [, second] = /\/Next (\d+) 0 R/.exec(outline) ?? [];
  const first = String(Number(second) - 1);
  const circular = await openPdf(bytes(outline.replace(`/Prev ${first} 0 R`, `/Next ${first} 0 R`)));
  t.ok(circular.outline().length <= 4);
  circular.close();

  const self = source.replace(/\/Kids \[(\d+) 0 R\]/, (all, page: string) => all.replace(page, String(Number(page) - 1).padStart(page.length, '0')));
  await openPdf(bytes(self)).then((opened) => opened.close(), (thrown: unknown) => t.match(thrown, { code: 'invalid_document' }));
});
