// The page at /ui in a real browser: documents from the upload to the blocks beside their page, and what hostile ones try.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import type { Page } from 'playwright-core';
import t from 'tap';
import { packageRoot } from '../../src/platform/package-files.js';
import { browse, inPage, noBrowser } from '../support/browser.js';
import { hostileDocuments } from '../support/hostile-documents.js';

const pdf = (name: string): string => join(packageRoot(), 'test/fixtures/pdf', `${name}.pdf`);
const chooser = 'input[type=file][multiple]';

/** The bytes of a download that begins with the choice of an option. */
async function downloaded(page: Page, value: string): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.selectOption('select[aria-label=Download]', value)]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** A result as the service sends it, with so many pages of three blocks. */
function longResult(pages: number): object {
  const texts = Array.from({ length: pages * 3 }, (_, index) => ({
    self_ref: `#/texts/${index}`, children: [], content_layer: 'body', label: index % 3 === 0 ? 'section_header' : 'text', level: 1, text: `Block ${index} of page ${Math.floor(index / 3) + 1}. `.repeat(index % 3 === 0 ? 1 : 12),
    prov: [{ page_no: Math.floor(index / 3) + 1, bbox: { l: 60, t: 700 - (index % 3) * 200, r: 500, b: 560 - (index % 3) * 200, coord_origin: 'BOTTOMLEFT' } }],
  }));
  const json = {
    name: 'long', body: { self_ref: '#/body', children: texts.map(({ self_ref: ref }) => ({ $ref: ref })) }, texts,
    pages: Object.fromEntries(Array.from({ length: pages }, (_, index) => [String(index + 1), { page_no: index + 1, size: { width: 595, height: 842 } }])),
  };
  return { document: { filename: 'long.pdf', md_content: '', json_content: json, html_content: '', text_content: '', doctags_content: '' }, status: 'success', errors: [], processing_time: 1, confidence: null };
}

t.test('documents', { skip: noBrowser, timeout: 600_000 }, async (t) => {
  const service = await browse();
  t.teardown(() => service.close());

  t.test('from the upload to the blocks on their page', async (t) => {
    const { page, faults } = await service.visit();
    await page.setInputFiles(chooser, [pdf('tables-booktabs'), pdf('annual-sidebar')]);
    await page.waitForFunction(inPage(`document.querySelectorAll('.entries .state-done').length === 2`));
    t.match(await page.textContent('.entries li:has-text("annual-sidebar.pdf")'), /2 pages · .* KB/);
    await page.click('.entries a:has-text("annual-sidebar.pdf")');
    await page.waitForSelector('.page-image img');
    t.match(await page.getAttribute('.page-image img', 'alt'), /Image of page 1/);
    t.ok(await page.evaluate(inPage(`document.querySelector('.page-image img').decode().then(() => document.querySelector('.page-image img').naturalWidth >= 1000)`)), 'the image is drawn by the service');

    await page.click('.box.kind-heading >> nth=0');
    const heading = page.locator('.block.selected');
    t.match(await heading.textContent(), /A quiet year/, 'a click on a box selects its block');
    await page.click('.block:has-text("Savings societies do not make news")');
    const [box, image] = [await page.locator('.box.selected').boundingBox(), await page.locator('.page-image >> nth=0').boundingBox()];
    t.match([box!.x > image!.x && box!.x + box!.width < image!.x + image!.width / 2, await page.locator('.box.selected').getAttribute('aria-label')], [true, /^Text/], 'and a click on a block its box, in the left half of the page');
    await page.focus('.virtual');
    await page.keyboard.press('j');
    await page.waitForSelector('.block.selected:has-text("Two matters deserve")');
    await page.keyboard.press('k');
    await page.waitForSelector('.block.selected:has-text("Savings societies")');
    await page.keyboard.press('Escape');
    t.equal(await page.locator('.block.selected').count(), 0);

    await page.fill('.page-number input', '2');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.page[aria-label="Page 2"] td');
    await page.hover('td:text-is("57,310")');
    await page.waitForSelector('.cell-box');
    const [cell, second] = [await page.locator('.cell-box').boundingBox(), await page.locator('.page[aria-label="Page 2"] .page-image').boundingBox()];
    t.ok(cell!.x > second!.x + second!.width / 2 && cell!.width < second!.width / 4, 'the cell under the pointer is marked on its page, right of the middle');
    await page.click('button:text("Copy as TSV")');
    await page.waitForSelector('button:text("Copied")');
    t.match(await page.evaluate(inPage(`navigator.clipboard.readText()`)), /^Year to 31 October\t2025\t2024\t2023\t2022\t2021\nDeposits \(thousand\)\t61,940\t/);

    await page.click('button:text-is("Markdown")');
    t.match(await page.textContent('.page[aria-label="Page 2"] .source'), /\| Deposits \(thousand\)/);
    await page.click('button:text-is("Read")');
    const markdown = await downloaded(page, 'md');
    t.match([markdown.name, markdown.bytes.toString()], ['annual-sidebar.md', /A quiet year/]);
    const files = unzipSync((await downloaded(page, 'zip')).bytes);
    t.strictSame(Object.keys(files).sort(), ['doctags', 'html', 'json', 'md', 'txt'].map((ending) => `annual-sidebar.${ending}`));
    t.ok(Object.values(files).every(({ length }) => length > 100));
    t.strictSame(faults, []);
    await page.context().close();
  });

  t.test('a page read again, a reload and a restart', async (t) => {
    const { page, faults } = await service.visit();
    await page.setInputFiles(chooser, pdf('annual-sidebar'));
    await page.waitForSelector('.entries .state-done');
    await page.click('.entries a');
    await page.waitForSelector('.block');
    await page.click('.page[aria-label="Page 1"] button:text("Read again")');
    await page.click('button:text("Read the page")');
    await page.waitForSelector('.page[aria-label="Page 1"] .chip:text("Read again")');
    await page.waitForSelector('dialog', { state: 'detached' });
    t.match(await page.textContent('.page[aria-label="Page 1"] .reading'), /Savings societies/, 'recognised from the image of the page');
    await service.restart();
    await page.reload();
    await page.waitForSelector('.page[aria-label="Page 1"] .chip:text("Read again")');
    t.match(await page.textContent('.page[aria-label="Page 1"] .reading'), /Savings societies/);
    await page.waitForSelector('.page-image img');
    t.strictSame(faults, []);
    await page.context().close();
  });

  t.test('options, failures in plain words, other ways in, and the list', async (t) => {
    const { page, faults } = await service.visit();
    await page.click('summary:has-text("Options")');
    await page.waitForSelector('#option-table_mode');
    t.match(await page.textContent('#option-force_ocr-help'), /Read the text of every page from its picture/, 'in the words of the option table');
    t.strictSame(await page.locator('#option-table_mode option').allTextContents(), ['fast', 'accurate']);
    await page.selectOption('#option-table_mode', 'fast');
    await page.fill('input[placeholder="Name of a preset"]', 'quick');
    await page.click('button:text-is("Save")');
    await page.click('button:text("Back to defaults")');
    t.equal(await page.inputValue('#option-table_mode'), 'accurate');
    await page.click('.preset button:text-is("quick")');
    t.equal(await page.inputValue('#option-table_mode'), 'fast');
    // A browser does not show the body of an upload to the program that drives it.
    await page.evaluate(inPage(`(() => { const { send } = XMLHttpRequest.prototype; XMLHttpRequest.prototype.send = function (body) { window.sent = [...body].map(([name, value]) => name + '=' + value); send.call(this, body); }; })()`));
    await page.setInputFiles(chooser, { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('# Notes\n\nOne *slanted* word, `code` and [a link](https://a.example).\n\n- an item\n') });
    await page.waitForSelector('.entries .state-done');
    const sent = await page.evaluate(inPage<string[]>('window.sent'));
    t.ok(sent.includes('table_mode=fast') && sent.includes('keep_source=true') && !sent.some((one) => one.startsWith('force_ocr=')), 'only what differs from its default is sent');
    await page.click('.entries a:has-text("notes.md")');
    await page.waitForSelector('.reading em:text("slanted")');
    t.equal(await page.getAttribute('.reading a', 'rel'), 'noopener noreferrer nofollow');

    await page.setInputFiles(chooser, { name: 'broken.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7\nnothing') });
    await page.waitForSelector('.entries li:has-text("broken.pdf") .state-done');
    await page.click('.entries a:has-text("broken.pdf")');
    t.match(await page.textContent('.remark'), /\w+ .*\./, 'a sentence');
    await page.fill('input[type=url]', 'ftp://a.example/x');
    await page.evaluate(inPage(`document.querySelector('.add form').setAttribute('novalidate', '')`));
    await page.click('button:text-is("Add")');
    t.match(await page.textContent('.add .failure'), /no http or https address/);
    await page.fill('input[type=url]', 'http://127.0.0.1:9/report.pdf');
    await page.click('button:text-is("Add")');
    await page.waitForSelector('.entries li:has-text("report.pdf") .failure');
    t.match(await page.textContent('.entries li:has-text("report.pdf") .failure'), /\w+ .*\./, 'fetching is switched off, which the service says');

    for (const kind of ['drop', 'paste']) {
      await page.evaluate(inPage(`(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File(['# By ${kind}'], '${kind}.md', { type: 'text/markdown' }));
        document.body.dispatchEvent('${kind}' === 'drop' ? new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }) : new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true }));
      })()`));
      await page.waitForSelector(`.entries li:has-text("${kind}.md") .state-done`);
    }
    await page.click('button:text-is("Clear ended")');
    await page.waitForSelector('.entries', { state: 'detached' });
    t.strictSame(faults, []);
    await page.context().close();
  });

  t.test('cancel and retry', async (t) => {
    const { page } = await service.visit();
    await page.setInputFiles(chooser, [pdf('paper-two-columns'), pdf('maths-paper'), pdf('manual-code'), pdf('slides-harbour')]);
    const first = page.locator('.entries li').last();
    await first.locator('button:text-is("Cancel")').click({ timeout: 20_000 });
    await first.locator('.state-cancelled').waitFor();
    await first.locator('button:text-is("Try again")').click();
    await page.waitForFunction(inPage(`document.querySelectorAll('.entries .state-done').length === 4`));
    t.equal(await page.locator('.entries .state-cancelled').count(), 0, 'the cancelled one came to its end by another try');
    await page.context().close();
  });

  t.test('images of pages are bounded, and their failures coded', async (t) => {
    const ask = async (path: string): Promise<[number, unknown]> => {
      const response = await fetch(`${service.url}${path}`);
      return [response.status, await response.json().catch(() => null)];
    };
    const submit = async (fields: Record<string, string>): Promise<string> => {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      form.append('files', new Blob([readFileSync(pdf('tables-booktabs'))]), 'tables.pdf');
      const { task_id: id } = await (await fetch(`${service.url}/v1/convert/file/async`, { method: 'POST', body: form })).json() as { task_id: string };
      await fetch(`${service.url}/v1/status/poll/${id}?wait=50`);
      return id;
    };
    const [kept, plain] = [await submit({ keep_source: 'true' }), await submit({})];
    t.match(await ask(`/v1/tasks/${kept}/pages/2`), [404, { detail: 'The document has 1 pages.' }]);
    for (const path of ['pages/0', 'pages/x', 'pages/1?width=9', 'pages/1?width=100000']) t.equal((await ask(`/v1/tasks/${kept}/${path}`))[0], 422, path);
    for (const path of ['pages/1', 'source']) t.match(await ask(`/v1/tasks/${plain}/${path}`), [404, { detail: /was not kept/ }], path);
    t.equal((await ask('/v1/tasks/00000000-0000-4000-8000-000000000000/pages/1'))[0], 404);
    const image = await fetch(`${service.url}/v1/tasks/${kept}/pages/1?width=300`);
    const bytes = Buffer.from(await image.arrayBuffer());
    t.match([image.headers.get('content-type'), bytes.subarray(8, 12).toString(), image.headers.get('content-security-policy')], ['image/webp', 'WEBP', /sandbox/]);
    const source = Buffer.from(await (await fetch(`${service.url}/v1/tasks/${kept}/source`)).arrayBuffer());
    t.ok(source.equals(readFileSync(pdf('tables-booktabs'))), 'the document comes back byte for byte');
  });

  t.test('a thousand pages scroll', async (t) => {
    const { page } = await service.visit();
    await page.route('**/v1/result/*', (route) => route.fulfill({ json: longResult(1000) }));
    await page.route('**/v1/tasks/*/pages/*', (route) => route.fulfill({ status: 404, json: { detail: 'No image.' } }));
    await page.setInputFiles(chooser, { name: 'long.md', mimeType: 'text/markdown', buffer: Buffer.from('# long') });
    await page.waitForSelector('.entries .state-done');
    await page.click('.entries a');
    await page.waitForSelector('.block');
    const frames = await page.evaluate(inPage<{ median: number; most: number }>(`(async () => {
      const scroller = document.querySelector('.virtual');
      const times = [];
      let most = 0;
      for (let step = 0; step < 60; step++) {
        const began = performance.now();
        scroller.scrollTop += 2000;
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        times.push(performance.now() - began);
        most = Math.max(most, scroller.querySelectorAll('.page').length);
      }
      return { median: times.sort((a, b) => a - b)[30], most };
    })()`));
    t.ok(frames.most <= 8, `${frames.most} pages are there at a time`);
    t.ok(frames.median < 150, `a jump over two pages takes ${Math.round(frames.median)} ms`);
    await page.fill('.page-number input', '900');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.page[aria-label="Page 900"] .block:has-text("Block 2697")');
    t.equal(await page.locator('.page[aria-label="Page 1"]').count(), 0, 'page 900 is there instead of the first');
    await page.context().close();
  });

  t.test('sixty hostile documents run nothing', async (t) => {
    t.equal(hostileDocuments.length, 60);
    const { page, faults } = await service.visit();
    await page.setInputFiles(chooser, hostileDocuments.map(({ name, text }) => ({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) })));
    await page.waitForFunction(inPage(`[...document.querySelectorAll('.entries .standing')].every((one) => /state-(?:done|failed)/.test(one.className)) && document.querySelectorAll('.entries li').length === 60`), undefined, { timeout: 240_000 });
    let shown = 0;
    for (let index = 0; index < 60; index++) {
      await page.locator('.entries a').nth(index).click();
      await page.waitForFunction(inPage(`location.hash === document.querySelectorAll('.entries a')[${index}]?.getAttribute('href') && document.querySelector('.open-document .viewer .page, .open-document .failure') !== null`));
      const found = await page.evaluate(inPage<{ hit?: number; shown: number; bad: string[] }>(`({
        hit: window.hit, shown: document.querySelector('.reading')?.textContent?.length ?? 0,
        bad: [...document.querySelectorAll('#page *')].filter((one) => /^(?:script|iframe|object|embed|base|meta|link|style)$/i.test(one.nodeName) || [...one.attributes].some(({ name, value }) => /^on/i.test(name) || /^\\s*(?:javascript|data:text)/i.test(value))).map(({ outerHTML }) => outerHTML.slice(0, 200)),
      })`));
      if (found.shown > 0) shown++;
      t.strictSame([found.hit, found.bad], [undefined, []], hostileDocuments[index]!.name);
    }
    t.ok(shown >= 55, `${shown} of them were shown`);
    t.strictSame(faults, []);
    await page.context().close();
  });
});
