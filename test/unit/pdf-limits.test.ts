/** Bounds: pages of 100,000 objects, documents of 1,000 pages, mutilated files. */
import t from 'tap';
import { openPdf } from '../../src/pdf/index.js';
import { sharedPdfium } from '../../src/pdf/pdfium.js';
import { growthOf } from '../support/growth.js';
import { line, rectangle, text } from '../support/pdf-content.js';
import { makePdf } from '../support/pdf-writer.js';

/** A page of so many objects: of ten nine are short lines, one is a word. */
async function crowdedPage(objects: number): Promise<Awaited<ReturnType<typeof openPdf>>> {
  const content = ['0.5 w'];
  for (let index = 0; index < 0.9 * objects; index++) content.push(`${index % 600} ${Math.floor(index / 600) * 5} m ${(index % 600) + 0.6} ${Math.floor(index / 600) * 5} l S`);
  content.push('BT /Helvetica 4 Tf');
  for (let index = 0; index < 0.1 * objects; index++) content.push(`1 0 0 1 ${(index % 100) * 6} ${Math.floor(index / 100) * 7.9} Tm (ab) Tj`);
  content.push('ET');
  return openPdf(makePdf({ pages: [{ content }] }));
}

t.test('100,000 objects on a page are read, in a time that grows with their number', async (t) => {
  const pdf = await crowdedPage(100_000);
  const page = pdf.readPage(0);
  t.equal(page.words.length, 10_000);
  t.equal(page.rulings.length, 150, 'segments are joined');
  pdf.close();
  const pages = new Map([[5000, await crowdedPage(5000)], [20_000, await crowdedPage(20_000)]]);
  const growth = growthOf((objects) => pages.get(objects)?.readPage(0), 5000);
  t.ok(growth < 10, `four times as many take ${growth.toFixed(1)} times as long`);
  for (const one of pages.values()) one.close();
});

t.test('a line of thousands of letters takes as many times as long as it has more of them', async (t) => {
  const lines = new Map<number, Awaited<ReturnType<typeof openPdf>>>();
  for (const letters of [5000, 20_000]) lines.set(letters, await openPdf(makePdf({ pages: [{ content: text(9, 700, 1, 'ab cde '.repeat(letters / 7)), width: 14_000 }] })));
  const growth = growthOf((letters) => lines.get(letters)?.readPage(0), 5000);
  t.ok(growth < 10, `four times as many take ${growth.toFixed(1)} times as long`);
  for (const pdf of lines.values()) pdf.close();
});

t.test('1,000 pages leave no memory behind, nor do many documents', async (t) => {
  const rows = Array.from({ length: 40 }, (_, index) => text(72, 560 - index * 12, 10, `row ${index}`));
  const content = [text(72, 700, 10, 'words on a page'), line(72, 690, 300, 690), rectangle(72, 600, 100, 50, { fill: 0xcccccc }), ...rows];
  const bytes = makePdf({ pages: Array.from({ length: 1000 }, () => ({ content })) });
  const engine = await sharedPdfium();
  const pdf = await openPdf(bytes);
  pdf.readPage(0);
  const before = engine.heapBytes;
  let words = 0;
  for (let index = 0; index < pdf.pageCount; index++) words += pdf.readPage(index).words.length;
  t.equal(words, 84_000);
  t.ok(engine.heapBytes - before < 4e6, `grew by ${engine.heapBytes - before} bytes`);
  pdf.close();
  const between = engine.heapBytes;
  for (let count = 0; count < 30; count++) {
    const again = await openPdf(bytes);
    again.readPage(count);
    again.renderPage(count, 20);
    again.close();
  }
  t.ok(engine.heapBytes - between < 4e6, `30 documents grew the heap by ${engine.heapBytes - between} bytes`);
});

t.test('mutilated files give pages or clear errors, nothing else', async (t) => {
  const sound = makePdf({
    pages: [{ content: [text(72, 700, 10, 'some words'), line(72, 690, 300, 690)], links: [{ rect: [0, 0, 9, 9], uri: 'x:y' }] }, { content: 'q 1 0 0 1 5 5 cm Q' }],
    outline: [{ title: 'one', page: 0 }],
    structure: [{ role: 'P', mcids: [0] }],
    layers: { L: true },
  });
  let seed = 7;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    return seed % below;
  };
  let opened = 0;
  for (let round = 0; round < 300; round++) {
    const bytes = sound.slice();
    for (let change = 0; change <= round % 12; change++) bytes[random(bytes.length)] = random(256);
    try {
      const pdf = await openPdf(bytes);
      opened++;
      pdf.outline();
      for (let index = 0; index < Math.min(3, pdf.pageCount); index++) pdf.readPage(index);
      pdf.close();
    } catch (thrown) {
      t.match(thrown, { name: 'LecternError', code: /invalid_document|password_required|too_large/ }, `round ${round}`);
    }
  }
  t.ok(opened > 100, `${opened} of 300 still opened`);
});
