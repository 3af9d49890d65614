/** The addon's reader of text: the system's Tesseract where it is installed, and what is said where it is not. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { findTesseractData } from '../../src/convert/ocr/tesseract.js';
import { openEngine } from '../../src/engine/engine.js';
import { packageRoot } from '../../src/platform/package-files.js';
import { openPdf } from '../../src/pdf/index.js';

const engine = openEngine();
t.teardown(() => engine.close());
const blank = { data: new Uint8Array(64 * 64 * 4).fill(255), width: 64, height: 64, stride: 256 };
const version = await engine.tesseractVersion().catch((error: unknown) => error as Error);
const data = findTesseractData(process.env);
const installed = typeof version === 'string' && data !== null && data.languages.includes('eng');

t.test('without the library or a language the error says so', async (t) => {
  if (typeof version !== 'string') t.match(version, { code: 'not_found', message: /Tesseract is not installed|lacks Tess/ });
  await t.rejects(engine.readText(blank, { dataDirectory: t.testdirName, languages: 'eng', dpi: 300 }), { code: 'not_found' });
});

t.test('options are checked at the door', async (t) => {
  for (const options of [{ dataDirectory: '', languages: 'eng', dpi: 300 }, { dataDirectory: 'a', languages: 'e\0', dpi: 300 }, { dataDirectory: 'a', languages: 'eng', dpi: 10 }]) {
    await t.rejects(engine.readText(blank, options), { code: 'invalid_request' });
  }
});

t.test('a page is read', { skip: installed ? false : 'Tesseract with English is not installed here' }, async (t) => {
  const pdf = await openPdf(readFileSync(join(packageRoot(), 'test/fixtures/pdf/annual-sidebar.pdf')), { password: null });
  t.teardown(() => pdf.close());
  const page = pdf.readPage(0);
  const bitmap = pdf.renderRegion(0, { left: 0, top: 0, right: page.width, bottom: page.height }, 200);
  const options = { dataDirectory: data?.directory ?? '', languages: 'eng', dpi: 200 };
  const { lines } = await engine.readText(bitmap, options);
  const read = new Set(lines.flatMap(({ words }) => words.map(({ text }) => text)));
  const truth = [...new Set(page.words.map(({ text }) => text))].filter((text) => /^[a-z]{4,}$/iu.test(text));
  const share = truth.filter((text) => read.has(text)).length / truth.length;
  t.ok(truth.length > 30 && share > 0.9, `${(100 * share).toFixed(1)} % of ${truth.length} words are read`);
  t.ok(lines.every(({ words }) => words.every((word) => word.right > word.left && word.bottom > word.top && word.confidence >= 0 && word.confidence <= 1)));
  t.same((await engine.readText(blank, options)).lines, [], 'a blank page holds nothing, and nothing of the page before');
  await t.rejects(engine.readText(bitmap, { ...options, languages: 'xyz' }), { code: 'not_found' });
  const cancel = new AbortController();
  const reading = engine.readText(bitmap, { ...options, signal: cancel.signal });
  cancel.abort();
  await t.rejects(reading, { code: 'cancelled' });
});
