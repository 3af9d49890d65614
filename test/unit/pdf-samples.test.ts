/** Every page of the sample PDFs beside the checkout reads and makes sense; says so when there are none. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { packageRoot } from '../../src/platform/package-files.js';
import { openPdf } from '../../src/pdf/index.js';
import type { PageContent } from '../../src/pdf/index.js';

const samples = join(packageRoot(), '../shared/samples');
const folders = ['replica', 'styled', 'latex', 'docling/pdf', 'scan'];
const files = folders.flatMap((folder) => (existsSync(join(samples, folder)) ? readdirSync(join(samples, folder)).filter((name) => name.endsWith('.pdf')).map((name) => join(folder, name)) : []));

/** What holds of every page, whatever is on it. */
function faults(page: PageContent): string[] {
  const found: string[] = [];
  const inLines = page.lines.flatMap((line) => line.words);
  if (inLines.length !== page.words.length || new Set(inLines).size !== page.words.length) found.push('a word is not in exactly one line');
  if (new Set(page.words.map((word) => word.order)).size !== page.words.length) found.push('two words share an order');
  for (const { text, box, size, link } of page.words) {
    if (text === '' || /\s/.test(text)) found.push(`word ${JSON.stringify(text)}`);
    if (!(box.right >= box.left && box.bottom >= box.top && size > 0)) found.push(`box of ${text}`);
    if (box.left < -40 || box.top < -40 || box.right > page.width + 40 || box.bottom > page.height + 40) found.push(`${text} lies off the page`);
    if (link >= page.links.length) found.push(`link of ${text}`);
  }
  for (const { start, end } of page.rulings) if (!(end > start)) found.push('a ruling without length');
  return found;
}

t.test('all sample pages', { skip: files.length === 0 ? `no samples in ${samples}` : false }, async (t) => {
  let pages = 0;
  let words = 0;
  for (const file of files) {
    const pdf = await openPdf(new Uint8Array(readFileSync(join(samples, file))));
    for (let index = 0; index < pdf.pageCount; index++) {
      const page = pdf.readPage(index);
      t.same(faults(page).slice(0, 5), [], `${file}, page ${index + 1}`);
      pages++;
      words += page.words.length;
    }
    pdf.outline();
    pdf.close();
  }
  t.ok(pages > 100 && words > 30_000, `${pages} pages, ${words} words`);
});
